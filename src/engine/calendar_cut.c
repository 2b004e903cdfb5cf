/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which leases end early for a hold. */
#include "src/engine/calendar.h"

static const struct astra_share *share_on(const struct release *x,
					  uint32_t node)
{
	for (size_t i = 0; i < x->count; i++)
		if (x->shares[i].node == node)
			return &x->shares[i];
	return NULL;
}

/* Return what a node still lacks at the hold's start if no more leases are
 * cut. */
static struct astra_node_hold lack_at(struct calendar *c, size_t count,
				      const struct astra_share *share,
				      double start_sec)
{
	const struct astra_room *room = astra_space_get(c->work, share->node);
	struct astra_node_hold lack = {
		.gpus = (int64_t)share->gpus - room->gpus -
			c->r->coming[share->node],
		.cpus = (int64_t)share->cpus - room->cpus,
		.mem_mib = (int64_t)share->mem_mib - (int64_t)room->mem_mib,
	};

	double end_sec = start_sec + c->r->e->jobs[c->owner->row].lease_sec;

	for (size_t i = 0; i < c->r->e->hold_count; i++) {
		const struct hold *h = &c->r->e->holds[i];

		if (astra_calendar_displaces(c, h) ||
		    astra_calendar_hold_end(c, h) <= start_sec ||
		    h->start_sec >= end_sec)
			continue;
		for (size_t k = 0; k < h->count; k++)
			if (h->shares[k].node == share->node)
				lack.gpus += h->shares[k].gpus;
	}
	for (size_t i = 0; i < count; i++) {
		const struct astra_share *s =
			share_on(&c->items[i], share->node);

		if (!s || c->items[i].natural_sec > start_sec)
			continue;
		lack.gpus -= s->gpus;
		lack.cpus -= s->cpus;
		lack.mem_mib -= (int64_t)s->mem_mib;
	}
	return lack;
}

static bool lacks_any(const struct astra_node_hold *lack)
{
	return lack->gpus > 0 || lack->cpus > 0 || lack->mem_mib > 0;
}

/* Find the best lease on the node to cut: the smallest that gives what is
 * lacking, or the largest if none gives enough. */
static struct release *best_cut(struct calendar *c, size_t count, uint32_t node,
				int64_t need, double start_sec)
{
	struct release *best = NULL;
	int64_t gain = -1;

	for (size_t i = 0; i < count; i++) {
		struct release *x = &c->items[i];
		const struct astra_share *s = share_on(x, node);
		bool better;

		if (!s || !x->job || x->natural_sec <= start_sec)
			continue;
		better = gain < need ? s->gpus > gain
				     : s->gpus >= need && s->gpus < gain;
		if (!better)
			continue;
		best = x;
		gain = s->gpus;
	}
	return best;
}

static void cut_running(struct calendar *c, const struct release *x)
{
	struct running *v = &c->turns->running[x->order];

	v->natural_sec =
		astra_natural_end(c->r, x->job, &c->r->snap->jobs[v->index]);
	c->turns->cut = true;
}

static void cut_lease(struct calendar *c, struct release *x,
		      const struct hold *hold)
{
	astra_budget_spend(c->r, x->job, hold->job, hold->start_sec);
	x->natural_sec = hold->start_sec;
	astra_lease_set_end(c->r->e, x->job, hold->start_sec);
	cut_running(c, x);
	x->job->lent = true;
	c->r->plan->changed = true;
}

/* Return what a limit still lacks at the hold's start if no more leases are
 * cut. */
static int64_t cut_lacks_room(const struct calendar *c, size_t count,
			      const struct astra_use *use, double start_sec)
{
	int64_t lack = (int64_t)use->amount - c->left[use->limit];

	for (size_t i = 0; i < count; i++) {
		const struct release *x = &c->items[i];

		if (x->job && x->natural_sec <= start_sec)
			lack -= (int64_t)astra_job_leaves(
				astra_release_job(c, x), c->owner->job,
				use->limit);
	}
	return lack;
}

/* Find the best lease to cut for room in a limit, as best_cut() does for
 * GPUs. */
static struct release *cut_best_use(const struct calendar *c, size_t count,
				    uint32_t limit, int64_t need,
				    double start_sec)
{
	struct release *best = NULL;
	int64_t gain = 0;

	for (size_t i = 0; i < count; i++) {
		struct release *x = &c->items[i];
		int64_t use;

		if (!x->job || x->natural_sec <= start_sec)
			continue;
		use = (int64_t)astra_job_leaves(astra_release_job(c, x),
						c->owner->job, limit);
		if (gain < need ? use > gain : use >= need && use < gain) {
			best = x;
			gain = use;
		}
	}
	return best;
}

static void cut_for_room(struct calendar *c, size_t count,
			 const struct hold *hold)
{
	const struct astra_job *owner = c->owner->job;

	for (size_t i = 0; c->left && i < owner->use_count; i++) {
		const struct astra_use *use = &owner->uses[i];
		int64_t lack;

		while ((lack = cut_lacks_room(c, count, use, hold->start_sec)) >
		       0) {
			struct release *x = cut_best_use(c, count, use->limit,
							 lack, hold->start_sec);

			if (!x)
				break;
			cut_lease(c, x, hold);
		}
	}
}

void astra_calendar_cut(struct calendar *c, size_t count,
			const struct hold *hold)
{
	cut_for_room(c, count, hold);
	for (size_t k = 0; k < hold->count; k++) {
		const struct astra_share *share = &hold->shares[k];
		bool all = astra_room_strange(
			astra_space_get(c->work, share->node),
			&c->owner->job->request);
		struct release *x;

		for (;;) {
			struct astra_node_hold lack =
				lack_at(c, count, share, hold->start_sec);

			x = all || lacks_any(&lack)
				    ? best_cut(c, count, share->node, lack.gpus,
					       hold->start_sec)
				    : NULL;
			if (!x)
				break;
			cut_lease(c, x, hold);
		}
	}
}
