/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A calendar of the ends of leases: it finds when and where a job that has no
 * place now can have one. GPUs that other holds need are not used. Leases that
 * would last beyond the job's start are cut to end there. */
#include "src/engine/calendar.h"

#include <math.h>
#include <stdlib.h>

#define NEVER SIZE_MAX
#define SEARCH_STEP 32 /* a few releases are usually enough */
#define SPARE_TERMS (1.0 / 16)

static void calendar_give(const struct round *r, struct astra_space *space,
			  const struct astra_share *share)
{
	if (r->snap->nodes[share->node].usable)
		astra_space_give(space, share);
}

static void give_releases(const struct calendar *c, struct astra_space *space,
			  size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		for (size_t k = 0; k < c->items[i].count; k++)
			calendar_give(c->r, space, &c->items[i].shares[k]);
}

/* Add GPUs that are coming and not promised to a job. */
static void give_coming(const struct round *r, struct astra_space *space)
{
	for (uint32_t n = 0; n < r->snap->node_count; n++) {
		const struct astra_node *node = &r->snap->nodes[n];

		if (!r->coming[n] || !node->gpus)
			continue;
		calendar_give(
			r, space,
			&(struct astra_share){
				.node = n,
				.gpus = r->coming[n],
				.cpus = node->cpus * r->coming[n] / node->gpus,
			});
	}
}

/* Return the space that is free now and after `count` releases. */
static struct astra_space *space_free(struct calendar *c, size_t count)
{
	struct astra_space *space = astra_space_copy(c->work);

	c->failed |= !space;
	if (!space)
		return NULL;
	give_coming(c->r, space);
	give_releases(c, space, 0, count);
	return space;
}

static double calendar_time(const struct calendar *c, size_t releases)
{
	double soon = c->r->snap->now_sec + 1;

	if (releases == NEVER)
		return HUGE_VAL;
	return releases ? fmax(soon, c->items[releases - 1].at_sec) : soon;
}

/* Take off what other jobs' holds need while the owner would have its GPUs.
 * GPUs of a hold that are not free yet at that time come free later. */
static void take_holds(const struct calendar *c, struct astra_space *space,
		       size_t count)
{
	const struct ejob *owner = &c->r->e->jobs[c->owner->row];
	double end_sec = calendar_time(c, count) +
			 astra_calendar_stay_sec(c, owner, owner->lease_sec);

	for (size_t i = 0; i < c->others_count; i++) {
		const struct release *x = &c->others[i];
		const struct hold *h;

		if (!x->hold || (i < c->others_at && x->place < count))
			continue;
		h = &c->r->e->holds[x->hold - 1];
		if (h->start_sec >= end_sec)
			continue;
		for (size_t k = 0; k < h->count; k++)
			astra_space_take(space, &h->shares[k]);
	}
}

/* Return the space that is free once the first `count` releases have
 * happened. */
static struct astra_space *space_then(struct calendar *c, size_t count)
{
	struct astra_space *space = space_free(c, count);

	if (space)
		take_holds(c, space, count);
	return space;
}

static size_t calendar_place(struct calendar *c,
			     const struct astra_space *space)
{
	const struct round *r = c->r;

	return astra_place(space, &c->owner->job->request,
			   astra_refused_nodes(r->e, c->owner->job->id),
			   r->e->options.strict_placement ? r->node_gpus_max
							  : 0,
			   c->shares);
}

/* Whether limits leave the owner room after `count` releases. */
static bool calendar_has_room(const struct calendar *c, size_t count)
{
	const struct astra_job *owner = c->owner->job;

	for (size_t i = 0; c->left && i < owner->use_count; i++) {
		const struct astra_use *use = &owner->uses[i];
		int64_t room = c->left[use->limit];

		for (size_t k = 0; k < count; k++)
			if (c->items[k].job)
				room += (int64_t)astra_job_leaves(
					astra_release_job(c, &c->items[k]),
					owner, use->limit);
		if (room < (int64_t)use->amount)
			return false;
	}
	return true;
}

/* Place the owner after `count` releases. Returns the number of shares, 0 if
 * there is no place. */
static size_t probe(struct calendar *c, size_t count)
{
	struct astra_space *space =
		calendar_has_room(c, count) ? space_then(c, count) : NULL;
	size_t placed = space ? calendar_place(c, space) : 0;

	astra_space_destroy(space);
	return placed;
}

/* Return how many of the first `count` releases exist and have a time. */
static size_t releases_due(struct calendar *c, size_t count)
{
	c->failed |= astra_calendar_list(c, count) < 0;
	count = count < c->count ? count : c->count;
	while (count && isinf(c->items[count - 1].at_sec))
		count--;
	return count;
}

/* Whether the owner has a place after `count` releases, as probe(). free_space:
 * what is free after the first `from` releases. */
static bool probe_from(struct calendar *c, const struct astra_space *free_space,
		       size_t from, size_t count)
{
	struct astra_space *space = astra_space_copy(free_space);
	bool placed;

	c->failed |= !space;
	if (!space)
		return false;
	give_releases(c, space, from, count);
	take_holds(c, space, count);
	placed = calendar_has_room(c, count) && calendar_place(c, space) > 0;
	astra_space_destroy(space);
	return placed;
}

/* Return a number of releases after which the owner has a place, or NEVER. The
 * step doubles with each try. *low: a number that is not enough; its releases
 * are in `space`. */
static size_t search_up(struct calendar *c, struct astra_space *space,
			size_t *low)
{
	size_t high = *low, step = SEARCH_STEP;

	while (!probe_from(c, space, *low, high)) {
		give_releases(c, space, *low, high);
		*low = high;
		high = releases_due(c, *low + step);
		step *= 2;
		if (high == *low)
			return NEVER;
	}
	return high;
}

/* Return the fewest releases after which the owner has a place, or NEVER. */
static size_t search(struct calendar *c)
{
	struct astra_space *space = space_free(c, 0);
	size_t low = 0, high = space ? search_up(c, space, &low) : NEVER;

	while (high != NEVER && high > low + 1) {
		size_t middle = low + (high - low) / 2;

		if (probe_from(c, space, low, middle)) {
			high = middle;
		} else {
			give_releases(c, space, low, middle);
			low = middle;
		}
	}
	astra_space_destroy(space);
	return high;
}

/* Why there is no place. */

/* Whether the job would have a place if all CPUs of the nodes were free. */
static bool calendar_lacks_cpus(struct calendar *c)
{
	const struct astra_snapshot *snap = c->r->snap;
	struct astra_space *space = space_then(c, c->count);
	size_t placed = 0;

	for (uint32_t n = 0; space && n < snap->node_count; n++) {
		struct astra_room room = *astra_space_get(space, n);

		if (!snap->nodes[n].usable || !room.gpus)
			continue;
		room.cpus = snap->nodes[n].cpus;
		room.whole = room.gpus == snap->nodes[n].gpus;
		astra_space_set(space, n, &room);
	}
	if (space)
		placed = calendar_place(c, space);
	astra_space_destroy(space);
	return placed;
}

static bool calendar_coming(const struct round *r)
{
	for (size_t n = 0; n < r->snap->node_count; n++)
		if (r->coming[n])
			return true;
	return false;
}

/* Whether some running job has not reported to the host since the host
 * started. */
static bool calendar_unheard(const struct round *r)
{
	ASTRA_ROSTER_EACH(i, &r->e->roster.running)
	{
		if (r->snap->jobs[i].unheard)
			return true;
	}
	return false;
}

/* Return the id of the job behind the last of these releases if it has no
 * lease, else 0. */
static uint32_t calendar_awaited(const struct calendar *c, size_t releases)
{
	const struct release *last;

	if (!releases || releases == NEVER)
		return 0;
	last = &c->items[releases - 1];
	return last->job && astra_lease_stays(last->job,
					      astra_release_job(c, last))
		       ? last->job->id
		       : 0;
}

/* Find the job whose end the owner waits for. The first `low` releases do not
 * make room; all releases do. The smallest number of releases that makes room
 * ends with that job. */
static void calendar_find_blocker(struct calendar *c, size_t low)
{
	size_t high = c->count;

	while (high > low + 1) {
		size_t middle = low + (high - low) / 2;

		if (probe(c, middle))
			high = middle;
		else
			low = middle;
	}
	c->awaited = calendar_awaited(c, high);
}

/* Try every lease of every job, to say why the owner has no place. Returns RANK
 * if there is a place, but not on leases that may end for the owner now. Also
 * returns RANK if it is unknown what a leaving job leaves, or whether some jobs
 * can leave. */
static enum astra_wait calendar_diagnose(struct calendar *c)
{
	size_t due;

	if (c->r->withdrawn || calendar_coming(c->r) || calendar_unheard(c->r))
		return ASTRA_WAIT_RANK;
	c->anybody = true;
	c->claim = ASTRA_CLAIM_DUE;
	c->displace = ASTRA_DISPLACE_RAN;
	if (astra_calendar_collect(c) < 0) {
		c->failed = true;
	} else {
		due = releases_due(c, NEVER);
		if (probe(c, due))
			return ASTRA_WAIT_RANK;
		if (probe(c, c->count)) {
			calendar_find_blocker(c, due);
			return ASTRA_WAIT_PINNED;
		}
	}
	return calendar_lacks_cpus(c) ? ASTRA_WAIT_CPUS : ASTRA_WAIT_TOO_BIG;
}

/* Drop the holds that were ignored and share nodes with the new hold. They are
 * then planned anew. */
static void drop_displaced(struct calendar *c, const struct hold *hold)
{
	struct astra_engine *e = c->r->e;

	for (size_t i = e->hold_count; i-- > 0;) {
		bool meets = false;

		for (size_t k = 0; k < e->holds[i].count; k++)
			for (size_t m = 0; m < hold->count; m++)
				meets |= e->holds[i].shares[k].node ==
					 hold->shares[m].node;
		if (meets && astra_calendar_displaces(c, &e->holds[i]))
			astra_hold_drop(e, i);
	}
}

static int calendar_hold(struct calendar *c, size_t releases)
{
	size_t count = probe(c, releases);
	struct hold hold = {
		.job = c->owner->job->id,
		.start_sec = calendar_time(c, releases),
		.anybody = c->claim == ASTRA_CLAIM_DUE,
		.shares = c->shares,
		.count = count,
	};

	if (c->failed)
		return -1;
	astra_calendar_cut(c, releases, &hold);
	drop_displaced(c, &hold);
	if (astra_holds_table_add(c->r, &hold) < 0)
		return -1;
	c->shares = NULL; /* the hold owns them now */
	return astra_hold_add(c->r->e, &hold) < 0 ? -1 : 1;
}

static size_t calendar_search_all(struct calendar *c)
{
	if (!astra_calendar_collect(c))
		return search(c);
	c->failed = true;
	return NEVER;
}

/* Find the room that limits leave the owner once other jobs' holds are counted.
 * Returns 0, or -1 when memory is out. */
static int calendar_find_room(struct calendar *c)
{
	const struct round *r = c->r;

	if (!r->snap->limit_count || !c->owner->job->use_count)
		return 0;
	c->left = astra_rights_room(r);
	for (size_t i = 0; c->left && i < r->e->hold_count; i++) {
		const struct ejob *j =
			astra_engine_find(r->e, r->e->holds[i].job);

		astra_rights_count(c->left, &r->snap->jobs[j->index], -1);
	}
	return c->left ? 0 : -1;
}

static void calendar_fini(struct calendar *c)
{
	free(c->items);
	free(c->others);
}

/* Return by when the owner needs its GPUs to keep its bound with some time to
 * spare, at least half a round. Returns infinity if the owner has no bound. */
static double calendar_latest(const struct calendar *c)
{
	const struct astra_engine *e = c->r->e;
	const struct ejob *j = &e->jobs[c->owner->row];
	double term = e->options.lease_sec;

	return astra_first_start_due(e, c->r->snap, j,
				     j->grants + astra_holds_of(e, j->id)) +
	       2 * term - fmax(SPARE_TERMS * term, 0.5 * e->options.round_sec);
}

/* Search again, ignoring more holds. Returns the number of releases of the
 * better search. */
static size_t calendar_displace(struct calendar *c, size_t releases,
				enum astra_displace displace)
{
	struct calendar before = *c;
	size_t displacing;

	before.displace = displace;
	before.items = before.others = NULL;
	before.count = before.room = before.others_room = 0;
	displacing = calendar_search_all(&before);
	c->failed = before.failed;
	if (calendar_time(&before, displacing) >= calendar_time(c, releases)) {
		calendar_fini(&before);
		return releases;
	}
	calendar_fini(c);
	*c = before;
	return displacing;
}

/* Find a place that heeds all other holds. If that place is more than a term
 * away, find one that ignores the holds of richer tenants or of jobs that are
 * due later. A first start that is due ignores the holds of jobs that ran only
 * to keep its bound; until then the share goes first. Returns the number of
 * releases that the place needs. */
static size_t calendar_search(struct calendar *c)
{
	const struct round *r = c->r;
	double until_sec =
		r->snap->now_sec + r->e->jobs[c->owner->row].lease_sec;
	size_t releases = calendar_search_all(c);

	if (!r->e->hold_count && c->claim != ASTRA_CLAIM_DUE)
		return releases;
	for (enum astra_displace d = ASTRA_DISPLACE_LATER;
	     d <= ASTRA_DISPLACE_ALL && !c->failed &&
	     calendar_time(c, releases) > until_sec;
	     d++) {
		releases = calendar_displace(c, releases, d);
		if (c->claim != ASTRA_CLAIM_DUE)
			break;
		until_sec = calendar_latest(c);
	}
	return releases;
}

/* Find a place for a job, on the leases that it may claim. A job that is due
 * claims leases of its own tenant and of richer tenants, if these leave GPUs
 * within half a term after it is due. For a job that ran, the time is two terms
 * from now. Otherwise the job claims any lease. If its tenant has had more than
 * its share, the job claims any lease only to keep its bound. */
static size_t calendar_claim(struct calendar *c)
{
	const struct round *r = c->r;
	double term = r->e->options.lease_sec;
	double until_sec =
		calendar_latest(c) -
		(c->turns->lack[c->owner->tenant] < 0 ? 0 : 1.5 * term);
	struct calendar all = *c;
	size_t releases;

	releases = calendar_search(c);
	if (c->claim != ASTRA_CLAIM_DUE || c->failed)
		return releases;
	if (r->e->jobs[c->owner->row].ran)
		until_sec = r->snap->now_sec + 2 * term;
	if (calendar_time(c, releases) <= until_sec)
		return releases;
	calendar_fini(c);
	*c = all;
	c->anybody = true;
	return calendar_search(c);
}

int astra_calendar_plan(struct turns *t, const struct astra_space *work,
			const struct contender *owner,
			enum astra_hold_claim claim)
{
	struct calendar c = {
		.turns = t,
		.r = t->r,
		.work = work,
		.owner = owner,
		.claim = claim,
		.recalls =
			astra_budget_allows_for(t, &t->r->e->jobs[owner->row]),
		.shares = calloc(t->r->snap->node_count + 1, sizeof(*c.shares)),
	};
	struct ejob *j = &t->r->e->jobs[owner->row];
	size_t releases = NEVER;
	int rc = -1;

	if (!c.shares || calendar_find_room(&c) < 0)
		goto out;
	releases = calendar_claim(&c);
	c.awaited = calendar_awaited(&c, releases);
	rc = releases == NEVER ? 0 : calendar_hold(&c, releases);
	astra_first_start_vain(t->r->e, j,
			       rc ? ASTRA_WAIT_NONE : calendar_diagnose(&c));
	j->vain_sec = t->r->snap->now_sec;
	j->vain_shape = owner->shape;
	j->blocker = c.awaited;
	if (c.failed)
		rc = -1;
out:
	calendar_fini(&c);
	free(c.left);
	free(c.shares);
	return rc;
}
