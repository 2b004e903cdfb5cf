/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which jobs yield to a job that was granted GPUs and finds no place.
 *
 * The policy grants GPUs by number, as if all were alike. But a job may be able
 * to use only some nodes, or GPUs may be scattered, or free without CPUs or
 * memory beside them. Then the jobs on the GPUs that it could use are granted
 * another lease as long as other GPUs are idle. So jobs that come after it in
 * the ranking yield: those with the fewest GPUs that give it a place. */
#include "src/engine/engine_priv.h"

#define YIELDS_MAX 32 /* searches in a round */

/* Treat as losers the jobs after `rank` in the ranking whose leases are over.
 * Returns whether there are any. */
static bool yield_ask(struct round *r, const struct ballot *b, size_t rank)
{
	size_t at = b->ranking.choices[rank].candidate;
	bool any = false;

	for (size_t i = rank + 1; i < b->ranking.count; i++) {
		struct contender *e =
			&r->contenders[b->ranking.choices[i].candidate];

		if (!e->expired || e->taken || !e->granted || e->runs)
			continue;
		e->granted = false;
		e->yields_to = (uint32_t)at + 1;
		any = true;
	}
	return any;
}

/* Let the jobs that were asked keep their leases, except those whose GPUs the
 * place takes. */
static void yield_spare(struct round *r, size_t at, const struct reclaim *trial)
{
	for (size_t i = 0; i < trial->victim_count; i++)
		r->contenders[trial->victims[i]].taken = true;
	for (size_t i = 0; i < r->contender_count; i++) {
		struct contender *e = &r->contenders[i];

		if (e->yields_to != at + 1 || e->taken)
			continue;
		e->yields_to = 0;
		e->granted = true;
	}
	for (size_t i = 0; i < trial->victim_count; i++)
		r->contenders[trial->victims[i]].taken = false;
}

int astra_round_yield(struct round *r, const struct reclaim *rc,
		      const struct ballot *b, size_t rank)
{
	size_t at = b->ranking.choices[rank].candidate;
	const struct contender *c = &r->contenders[at];
	struct reclaim trial = {0};
	bool found = false;
	int status = 0;

	if (r->yields < YIELDS_MAX &&
	    !(r->yields && r->yield_vain == c->shape) &&
	    yield_ask(r, b, rank)) {
		r->yields++;
		status = astra_reclaim_init(&trial, r, rc->work);
		astra_rights_follow(&trial, rc);
		if (!status)
			found = astra_reclaim_place(&trial, c) > 0;
		if (!found)
			r->yield_vain = c->shape;
	}
	yield_spare(r, at, &trial);
	astra_reclaim_fini(&trial);
	return status < 0 ? -1 : found;
}
