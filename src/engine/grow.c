/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Places for the GPUs that elastic jobs are granted beyond their fewest. Every
 * job that the policy granted GPUs has a place already, so no job loses its
 * place because another one grows. */
#include "src/common/grow.h"

#include <string.h>

#include "src/engine/engine_priv.h"
#include "src/placement/space_priv.h"

/* Note the last place found as the contender's. */
static int grow_note(struct outcome *o, struct contender *c,
		     const struct astra_share *shares, size_t count)
{
	if (astra_grow(&o->places, &o->place_room, o->place_count + count,
		       sizeof(*o->places)) < 0)
		return -1;
	memcpy(o->places + o->place_count, shares, count * sizeof(*shares));
	c->first_share = (uint32_t)o->place_count;
	c->share_count = (uint32_t)count;
	o->place_count += count;
	return 0;
}

size_t astra_grow_search(struct reclaim *rc, const struct contender *c,
			 uint32_t step, uint32_t less)
{
	uint32_t steps = (c->gpus - less) / step, none = steps + 1, some = 0;
	struct contender sized;
	struct astra_job job;

	for (uint32_t k = steps; k > some; k = some + (none - some) / 2) {
		sized = astra_elastic_sized(c, less + k * step, &job);
		if (astra_reclaim_place(rc, &sized))
			some = k;
		else
			none = k;
	}
	if (!some)
		return 0;
	sized = astra_elastic_sized(c, less + some * step, &job);
	return astra_reclaim_place(rc, &sized);
}

/* Enlarge a waiting job that has a place for its fewest GPUs. */
static int grow_waiting(struct reclaim *rc, struct outcome *o,
			struct contender *c, uint32_t step)
{
	size_t count;

	astra_reclaim_give(rc, o->places + c->first_share, c->share_count);
	count = astra_grow_search(rc, c, step, c->job->request.gpus);
	if (count) {
		astra_reclaim_take(rc, c, count);
		return grow_note(o, c, rc->shares, count);
	}
	rc->victim_count = 0;
	memcpy(rc->shares, o->places + c->first_share,
	       c->share_count * sizeof(*rc->shares));
	astra_reclaim_take(rc, c, c->share_count);
	return 0;
}

/* Return one step less than the smallest size to which it pays to grow. */
static uint32_t grow_less(const struct round *r, const struct contender *c,
			  uint32_t step)
{
	struct contender less = *c;
	uint32_t held = r->e->jobs[c->row].held_gpus;

	while (less.gpus > held && astra_elastic_pays(r, &less))
		less.gpus -= step < less.gpus - held ? step : less.gpus - held;
	return less.gpus;
}

/* Enlarge a running job, on its nodes or elsewhere. */
static int grow_running(struct reclaim *rc, struct outcome *o,
			struct contender *c, uint32_t step)
{
	size_t count;

	astra_reclaim_give(rc, c->job->held, c->job->held_count);
	count = astra_grow_search(rc, c, step, grow_less(rc->r, c, step));
	if (count) {
		astra_reclaim_take(rc, c, count);
		c->taken = c->resized = true;
		c->winner = c->job->id;
		return grow_note(o, c, rc->shares, count);
	}
	rc->victim_count = 0;
	memcpy(rc->shares, c->job->held,
	       c->job->held_count * sizeof(*rc->shares));
	astra_reclaim_take(rc, c, c->job->held_count);
	return 0;
}

static int grow_one(struct reclaim *rc, struct outcome *o, struct contender *c)
{
	const struct astra_request *q = &c->elastic->request;
	uint32_t step = astra_request_quantum(q);

	if (c->expired)
		return c->gpus > rc->r->e->jobs[c->row].held_gpus
			       ? grow_running(rc, o, c, step)
			       : 0;
	if (!c->share_count || c->gpus <= c->job->request.gpus)
		return 0;
	return grow_waiting(rc, o, c, step);
}

int astra_round_grow(struct round *r, struct outcome *o)
{
	const struct astra_ranking *ranking = &o->ballot.ranking;

	for (size_t i = 0; i < ranking->count; i++) {
		struct contender *c =
			&r->contenders[ranking->choices[i].candidate];

		if (c->elastic && c->granted && grow_one(&o->rc, o, c) < 0)
			return -1;
	}
	for (size_t i = 0; i < r->contender_count; i++) {
		struct contender *c = &r->contenders[i];
		size_t count;

		if (!c->elastic || !c->granted || !c->lose_count || !c->taken)
			continue;
		count = astra_elastic_keep(c, o->rc.work, o->rc.shares);
		c->resized = true;
		if (grow_note(o, c, o->rc.shares, count) < 0)
			return -1;
	}
	return 0;
}
