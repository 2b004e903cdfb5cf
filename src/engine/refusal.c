/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starts that the host refused: where, or which job, is not to be tried again
 * for a moment. */
#include <stdlib.h>

#include "src/common/grow.h"
#include "src/engine/engine_priv.h"

static struct refusal *refusal_of(const struct astra_engine *e, uint32_t job,
				  bool nodes)
{
	uint32_t row;

	if (!e->refusal_count)
		return NULL;
	row = astra_idmap_get(&e->by_id, job);
	if (row == ASTRA_IDMAP_NONE || !e->jobs[row].refusals)
		return NULL;
	for (size_t i = 0; i < e->refusal_count; i++)
		if (e->refusals[i].job == job &&
		    (e->refusals[i].nodes != NULL) == nodes)
			return &e->refusals[i];
	return NULL;
}

const uint64_t *astra_refused_nodes(const struct astra_engine *e, uint32_t job)
{
	const struct refusal *x = refusal_of(e, job, true);

	return x ? x->nodes : NULL;
}

bool astra_refused_job(const struct astra_engine *e, uint32_t job)
{
	return refusal_of(e, job, false) != NULL;
}

/* Of one job, if it is not 0, else those whose time is over. */
static void refusals_forget(struct astra_engine *e, uint32_t job,
			    double now_sec)
{
	size_t kept = 0;

	for (size_t i = 0; i < e->refusal_count; i++) {
		struct refusal *x = &e->refusals[i];
		struct ejob *j = astra_engine_find(e, x->job);

		if (job ? x->job != job : x->until_sec > now_sec) {
			e->refusals[kept++] = *x;
			continue;
		}
		if (j)
			j->refusals--;
		free(x->nodes);
	}
	e->refusal_count = kept;
}

void astra_refusals_forget(struct astra_engine *e, double now_sec)
{
	refusals_forget(e, 0, now_sec);
}

void astra_refusals_drop(struct astra_engine *e, uint32_t job)
{
	refusals_forget(e, job, 0);
}

static struct refusal *refusal_add(struct astra_engine *e, struct ejob *j,
				   bool nodes)
{
	struct refusal *x;

	if (astra_grow(&e->refusals, &e->refusal_room, e->refusal_count + 1,
		       sizeof(*x)) < 0)
		return NULL;
	x = &e->refusals[e->refusal_count];
	*x = (struct refusal){.job = j->id};
	if (nodes) {
		x->nodes = calloc(e->node_words, sizeof(*x->nodes));
		if (!x->nodes)
			return NULL;
	}
	e->refusal_count++;
	j->refusals++;
	return x;
}

void astra_engine_refuse(struct astra_engine *e, uint32_t job,
			 const struct astra_share *shares, size_t count,
			 bool nodes, double now_sec)
{
	struct ejob *j = astra_engine_find(e, job);
	struct refusal *x;

	e->counters.refused++;
	astra_grants_drop(e, job);
	if (!j)
		return;
	nodes = nodes && count && e->node_words;
	x = refusal_of(e, job, nodes);
	if (!x)
		x = refusal_add(e, j, nodes);
	if (!x)
		return;
	x->until_sec = now_sec + e->options.round_sec;
	for (size_t i = 0; nodes && i < count; i++)
		if (shares[i].node / 64 < e->node_words)
			x->nodes[shares[i].node / 64] |=
				UINT64_C(1) << (shares[i].node % 64);
}
