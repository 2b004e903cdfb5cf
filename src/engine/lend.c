/* SPDX-License-Identifier: GPL-2.0-or-later */
/* After all awards of a policy that allocates, idle GPUs are lent to waiting
 * jobs. These are GPUs that the policy planned for no job, or for a job that
 * cannot start there. */
#include <stdlib.h>

#include "src/engine/allot_priv.h"
#include "src/policies/offer.h"

/* Lending ends after this many shapes of requests found no place. */
#define LEND_FAILURES 1024

struct lending {
	struct allotment *a;
	uint64_t failed[LEND_FAILURES]; /* shapes that found no place */
	size_t failures;
};

static bool lend_is_hopeless(const struct lending *l, const struct contender *c)
{
	for (size_t i = l->failures; i-- > 0;)
		if (l->failed[i] == c->shape)
			return true;
	return c->expired || c->refused || c->share_count ||
	       astra_rights_lack(l->a->rc.room, c->job);
}

/* Lend GPUs to a job if it finds a place. Returns 0, or -1 when memory is
 * out. */
static int lend_to(struct lending *l, struct contender *c, double until_sec)
{
	struct reclaim *rc = &l->a->rc;
	struct astra_engine *e = l->a->r->e;
	const struct astra_demand d = {
		.job = c->job,
		.banned = astra_refused_nodes(e, c->job->id),
	};
	size_t count =
		astra_demand_place_most(rc->work, &d, UINT64_MAX, rc->shares);

	if (!count ||
	    !astra_allot_cut(l->a, c, rc->shares, count, &until_sec)) {
		l->failed[l->failures++] = c->shape;
		return 0;
	}
	astra_reclaim_take(rc, c, count);
	c->share_count = (uint32_t)count;
	l->a->r->plan->changed = true;
	return astra_grants_add(e, c->job->id, until_sec, rc->shares, count);
}

int astra_allot_lend(struct allotment *a, double until_sec)
{
	struct lending l = {.a = a};
	struct round *r = a->r;

	a->rc.victim_count = 0;
	for (size_t i = 0;
	     i < r->contender_count && l.failures < LEND_FAILURES &&
	     astra_space_gpus(a->rc.work);
	     i++)
		if (!lend_is_hopeless(&l, &r->contenders[i]) &&
		    lend_to(&l, &r->contenders[i], until_sec) < 0)
			return -1;
	return 0;
}
