/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a job lacks if it finds no place although GPUs are free. To find out,
 * the job is tried with unlimited CPUs, memory, or both. */
#include <stdlib.h>

#include "src/engine/engine_priv.h"

#define LACKS_MAX 64 /* jobs looked at in a round */

/* Return the space with unlimited CPUs, memory or both, as `lack` says. Returns
 * NULL when memory is out. */
static struct astra_space *lack_space(const struct round *r,
				      const struct astra_space *free_space,
				      enum astra_lack lack)
{
	struct astra_space *space = astra_space_copy(free_space);

	for (uint32_t n = 0; space && n < r->snap->node_count; n++) {
		struct astra_room room = *astra_space_get(space, n);

		if (!room.gpus)
			continue;
		if (lack != ASTRA_LACK_MEMORY)
			room.cpus = UINT32_MAX;
		if (lack != ASTRA_LACK_CPUS)
			room.mem_mib = UINT64_MAX;
		astra_space_set(space, n, &room);
	}
	return space;
}

static enum astra_lack lack_of(const struct round *r,
			       struct astra_space *const *spaces,
			       const struct contender *c,
			       struct astra_share *shares)
{
	const uint64_t *banned = astra_refused_nodes(r->e, c->job->id);

	for (int lack = ASTRA_LACK_CPUS; lack < ASTRA_LACK_COUNT; lack++)
		if (astra_place(spaces[lack], &c->job->request, banned, 0,
				shares))
			return (enum astra_lack)lack;
	return ASTRA_LACK_NONE;
}

/* Explain the first LACKS_MAX jobs of the ranking that found no place.
 * Consecutive jobs of one shape are tried once. */
static void lack_all(const struct round *r, const struct astra_ranking *ranking,
		     struct astra_space *const *spaces,
		     struct astra_share *shares)
{
	const struct contender *last = NULL;
	int looks = LACKS_MAX;

	for (size_t i = 0; i < ranking->count; i++) {
		const struct contender *c =
			&r->contenders[ranking->choices[i].candidate];
		struct astra_reason *reason = &r->e->reasons[c->row];

		if (!c->failed || c->expired || c->share_count)
			continue;
		if (last && last->shape == c->shape)
			reason->lack = r->e->reasons[last->row].lack;
		else if (looks-- > 0)
			reason->lack = lack_of(r, spaces, c, shares);
		else
			break;
		last = c;
	}
}

int astra_lacks_find(const struct round *r, const struct astra_ranking *ranking,
		     const struct astra_space *free_space)
{
	struct astra_space *spaces[ASTRA_LACK_COUNT] = {NULL};
	struct astra_share *shares;
	bool any = false;
	int rc = 0;

	for (size_t i = 0; i < r->contender_count; i++)
		any |= r->contenders[i].failed;
	if (!any)
		return 0;
	shares = calloc(r->snap->node_count + 1, sizeof(*shares));
	for (int i = ASTRA_LACK_CPUS; i < ASTRA_LACK_COUNT; i++) {
		spaces[i] = lack_space(r, free_space, (enum astra_lack)i);
		if (!spaces[i])
			rc = -1;
	}
	if (!shares)
		rc = -1;
	if (!rc)
		lack_all(r, ranking, spaces, shares);
	for (int i = 0; i < ASTRA_LACK_COUNT; i++)
		astra_space_destroy(spaces[i]);
	free(shares);
	return rc;
}
