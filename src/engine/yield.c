/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who yields to a job that was granted GPUs and finds no place.
 *
 * The policy grants by count, as if all GPUs were alike. Where a job may use
 * some nodes only, where GPUs are free without CPUs or memory beside them, or
 * scattered, those who hold what it could have are granted another lease as
 * long as other GPUs are idle. So let those yield who come after it in the
 * ranking: of them the fewest GPUs that give it a place.
 */
#include "src/engine/engine_priv.h"

#define YIELDS_MAX 32 /* tried in a round */

/* Those after it in the ranking whose leases are over, as if they had lost.
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

/* They keep their leases, but for those that its place takes. */
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
