/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starts that the host refused: for a moment the job is not tried again on
 * these nodes, or not at all.
 *
 * The host balks at a job if it has refused the job in ASTRA_BALK_ROUNDS rounds
 * in a row. Then no lease ends for the job, no GPU is held for it, and it earns
 * no GPU time. But it is tried when other jobs leave GPUs idle. The cause may
 * disappear unseen. So after a lease term the job is treated as any other until
 * the next refusal, after that for two terms, four, up to BALK_TERMS. For a job
 * that starts, or asks for something else, all this begins anew. */
#include <stdlib.h>

#include "src/common/grow.h"
#include "src/engine/engine_priv.h"

#define BALK_TERMS 64

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

/* Forget the refusals of one job or, if job is 0, those whose time is over. */
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

bool astra_refusals_balk(const struct astra_engine *e, struct ejob *j,
			 bool waits, uint64_t shape, double now_sec)
{
	struct balk *balk = &j->balk;

	if (!balk->rounds)
		return false;
	if (!waits || (balk->shape && balk->shape != shape)) {
		*balk = (struct balk){0};
		return false;
	}
	balk->shape = shape;
	if (balk->rounds < ASTRA_BALK_ROUNDS)
		return false;
	if (!j->balked) {
		balk->terms = balk->terms ? 2 * balk->terms : 1;
		if (balk->terms > BALK_TERMS)
			balk->terms = BALK_TERMS;
		balk->until_sec = now_sec + balk->terms * e->options.lease_sec;
	}
	if (now_sec < balk->until_sec)
		return true;
	balk->rounds = ASTRA_BALK_ROUNDS - 1;
	return false;
}

/* Count a refusal. The refusals of one round, in which the job is tried in
 * several places, count once. */
static void refusal_count(struct astra_engine *e, struct ejob *j,
			  double now_sec)
{
	struct balk *balk = &j->balk;

	if (balk->rounds && now_sec < balk->refused_sec + e->options.round_sec)
		return;
	if (!balk->rounds)
		astra_account_again(e, (uint32_t)(j - e->jobs));
	balk->refused_sec = now_sec;
	balk->rounds++;
}

uint32_t astra_engine_refused(const struct astra_engine *e, uint32_t job)
{
	uint32_t row = astra_idmap_get(&e->by_id, job);

	return row == ASTRA_IDMAP_NONE ? 0 : e->jobs[row].balk.rounds;
}

void astra_engine_kept(const struct astra_engine *e, uint32_t job,
		       void (*each)(uint32_t node, void *arg), void *arg)
{
	for (size_t i = 0; i < e->grant_count; i++) {
		const struct grant *g = &e->grants[i];

		for (size_t k = 0; g->job != job && k < g->count; k++)
			each(g->shares[k].node, arg);
	}
	for (size_t i = 0; i < e->hold_count; i++) {
		const struct hold *h = &e->holds[i];

		for (size_t k = 0; h->job != job && k < h->count; k++)
			each(h->shares[k].node, arg);
	}
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
	refusal_count(e, j, now_sec);
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
