/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When and where a job that has no place now can have one: a calendar of the
 * leases' ends. What other holds need is theirs. The leases that would stay
 * beyond the start are cut to end there. */
#include "src/policy/calendar.h"

#include <math.h>
#include <stdlib.h>

#include "src/common/grow.h"

#define NEVER SIZE_MAX

/* When a running job's GPUs come by themselves. */
static double natural_end(const struct round *r, const struct ejob *j,
			  const struct astra_job *job)
{
	double now = r->snap->now_sec;

	if (job->suspended)
		return HUGE_VAL;
	if (job->revocable)
		return fmax(fmax(now, j->lease_end_sec),
			    j->start_sec + j->min_run_sec);
	if (job->time_limit_sec > 0)
		return fmax(now, job->start_sec + job->time_limit_sec);
	return HUGE_VAL;
}

static double rho_of(const struct round *r, uint32_t row,
		     const struct astra_job *job)
{
	return astra_ballot_candidate(r, row, job).rho;
}

static bool same_owner(const struct ejob *a, const struct ejob *b)
{
	return a->tenant == b->tenant && a->user == b->user;
}

/* Whether a lease may be cut short for the owner: one of a richer tenant, or of
 * its own, but not of a job that has had less than it. */
static bool calendar_pays(const struct calendar *c, uint32_t row,
			  const struct astra_job *job)
{
	const struct ejob *jobs = c->r->e->jobs;
	uint32_t owner = c->owner->row;

	if (!astra_turns_pays(c->turns, &jobs[row], &jobs[owner]))
		return false;
	return !same_owner(&jobs[row], &jobs[owner]) || !jobs[owner].ran ||
	       rho_of(c->r, row, job) > rho_of(c->r, owner, c->owner->job);
}

static int calendar_add(struct calendar *c, struct release x)
{
	if (astra_grow(&c->items, &c->room, c->count + 1, sizeof(x)) < 0)
		return -1;
	x.order = c->count;
	c->items[c->count++] = x;
	return 0;
}

/* Leases that go on; those who leave already are on their way. */
static int collect_leases(struct calendar *c)
{
	const struct round *r = c->r;

	for (size_t i = 0; i < r->snap->job_count; i++) {
		const struct astra_job *job = &r->snap->jobs[i];
		struct ejob *j = &r->e->jobs[r->e->row_of[i]];
		double end, at;
		bool pays;

		if (job->state != ASTRA_JOB_RUNNING ||
		    j->phase != ASTRA_PHASE_LEASED)
			continue;
		pays = calendar_pays(c, r->e->row_of[i], job);
		if (!pays && !c->anybody)
			continue;
		at = end = natural_end(r, j, job);
		if (pays && !astra_lease_stays(job))
			at = fmin(at, fmax(r->snap->now_sec + 1,
					   astra_recall_from(r, j)));
		if (calendar_add(c, (struct release){
					    .at_sec = at,
					    .natural_sec = end,
					    .job = j,
					    .shares = job->held,
					    .count = job->held_count,
				    }) < 0)
			return -1;
	}
	return 0;
}

static int collect_grants(struct calendar *c)
{
	const struct round *r = c->r;

	for (size_t i = 0; i < r->e->grant_count; i++) {
		const struct grant *g = &r->e->grants[i];
		const struct ejob *j = astra_engine_find(r->e, g->job);
		double end = g->until_sec > 0 ? g->until_sec
					      : r->snap->now_sec + j->lease_sec;

		if (!c->anybody &&
		    !astra_turns_pays(c->turns, j, &r->e->jobs[c->owner->row]))
			continue;
		if (calendar_add(c, (struct release){
					    .at_sec = end,
					    .natural_sec = end,
					    .shares = g->shares,
					    .count = g->count,
				    }) < 0)
			return -1;
	}
	return 0;
}

/* Whether a hold gives way to nobody but those who were due earlier: for half a
 * term after its job is due, poorer tenants may still go first. */
static bool calendar_firm(const struct calendar *c, const struct hold *hold,
			  double due_sec)
{
	double term = c->r->e->options.lease_sec;

	return hold->anybody && c->r->snap->now_sec >= due_sec + term / 2;
}

/* Those of richer tenants give way to a next job, and those who are due later
 * to one that is due, but not in their last half term: GPUs are being collected
 * for them by then. */
bool astra_calendar_displaces(const struct calendar *c, const struct hold *hold)
{
	const struct round *r = c->r;
	const struct ejob *j = astra_engine_find(r->e, hold->job);
	const struct ejob *owner = &r->e->jobs[c->owner->row];
	double due_sec = astra_first_start_due(r->e, r->snap, j);
	double late_sec = r->snap->now_sec + r->e->options.lease_sec / 2;

	if (!c->displace)
		return false;
	if (c->anybody)
		return hold->start_sec > late_sec &&
		       due_sec > astra_first_start_due(r->e, r->snap, owner);
	return !calendar_firm(c, hold, due_sec) && !same_owner(j, owner) &&
	       astra_turns_pays(c->turns, j, owner);
}

double astra_calendar_hold_end(const struct calendar *c,
			       const struct hold *hold)
{
	return hold->start_sec +
	       astra_engine_find(c->r->e, hold->job)->lease_sec;
}

/* What others hold comes when the leases end that they are for. */
static int collect_holds(struct calendar *c)
{
	const struct astra_engine *e = c->r->e;

	for (size_t i = 0; i < e->hold_count; i++) {
		double end = astra_calendar_hold_end(c, &e->holds[i]);

		if (astra_calendar_displaces(c, &e->holds[i]))
			continue;
		if (calendar_add(c, (struct release){
					    .at_sec = end,
					    .natural_sec = end,
					    .hold = 1 + i,
				    }) < 0)
			return -1;
	}
	return 0;
}

static int compare_releases(const void *a, const void *b)
{
	const struct release *x = a, *y = b;

	if (x->at_sec != y->at_sec)
		return x->at_sec < y->at_sec ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

static void give(const struct round *r, struct astra_space *space,
		 const struct astra_share *share)
{
	if (r->snap->nodes[share->node].usable)
		astra_space_give(space, share);
}

/* GPUs on their way that nobody was promised. */
static void give_coming(const struct round *r, struct astra_space *space)
{
	for (uint32_t n = 0; n < r->snap->node_count; n++) {
		const struct astra_node *node = &r->snap->nodes[n];

		if (!r->coming[n] || !node->gpus)
			continue;
		give(r, space,
		     &(struct astra_share){
			     .node = n,
			     .gpus = r->coming[n],
			     .cpus = node->cpus * r->coming[n] / node->gpus,
		     });
	}
}

/* What will be free once the first `count` releases have happened. */
static struct astra_space *space_then(struct calendar *c, size_t count)
{
	const struct astra_engine *e = c->r->e;
	struct astra_space *space = astra_space_copy(c->work);

	c->failed |= !space;
	if (!space)
		return NULL;
	give_coming(c->r, space);
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < c->items[i].count; k++)
			give(c->r, space, &c->items[i].shares[k]);
	for (size_t i = count; i < c->count; i++) {
		const struct hold *h;

		if (!c->items[i].hold)
			continue;
		/* What is not there yet comes later than this. */
		h = &e->holds[c->items[i].hold - 1];
		for (size_t k = 0; k < h->count; k++)
			astra_space_take(space, &h->shares[k]);
	}
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

/* The owner's place after so many releases; 0 shares when there is none. */
static size_t probe(struct calendar *c, size_t count)
{
	struct astra_space *space = space_then(c, count);
	size_t placed = space ? calendar_place(c, space) : 0;

	astra_space_destroy(space);
	return placed;
}

/* How many releases have a time at all. */
static size_t releases_due(const struct calendar *c)
{
	size_t count = c->count;

	while (count && isinf(c->items[count - 1].at_sec))
		count--;
	return count;
}

/* The fewest releases after which the owner has a place, or NEVER. */
static size_t search(struct calendar *c)
{
	size_t low = 0, high = releases_due(c);

	if (!probe(c, high))
		return NEVER;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (probe(c, middle))
			high = middle;
		else
			low = middle + 1;
	}
	return high;
}

static int calendar_collect(struct calendar *c)
{
	c->count = 0;
	if (collect_leases(c) < 0 || collect_grants(c) < 0 ||
	    collect_holds(c) < 0)
		return -1;
	if (c->count)
		qsort(c->items, c->count, sizeof(*c->items), compare_releases);
	return 0;
}

/* Why there is no place. */

/* Whether it would have a place if all CPUs of the nodes were free, too. */
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

/* Every lease of everybody, to say why it has no place. RANK: it has one, but
 * not by those who pay for it now; or somebody is leaving, and what he leaves
 * is not known yet. */
static enum astra_wait calendar_diagnose(struct calendar *c)
{
	if (c->r->withdrawn || calendar_coming(c->r))
		return ASTRA_WAIT_RANK;
	c->anybody = c->displace = true;
	if (calendar_collect(c) < 0)
		c->failed = true;
	else if (probe(c, releases_due(c)))
		return ASTRA_WAIT_RANK;
	else if (probe(c, c->count))
		return ASTRA_WAIT_PINNED;
	return calendar_lacks_cpus(c) ? ASTRA_WAIT_CPUS : ASTRA_WAIT_TOO_BIG;
}

static double calendar_time(const struct calendar *c, size_t releases)
{
	double soon = c->r->snap->now_sec + 1;

	if (releases == NEVER)
		return HUGE_VAL;
	return releases ? fmax(soon, c->items[releases - 1].at_sec) : soon;
}

/* Those that were not heeded are planned anew, where they are in the way. */
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
		.anybody = c->anybody,
		.shares = c->shares,
		.count = count,
	};

	if (c->failed)
		return -1;
	astra_calendar_cut(c, releases, &hold);
	drop_displaced(c, &hold);
	astra_holds_table_add(c->r, &hold);
	c->shares = NULL; /* the hold's own now */
	return astra_hold_add(c->r->e, &hold) < 0 ? -1 : 1;
}

/* After all other holds, or, where that is more than a term away, before those
 * of richer tenants, or of anybody that is not due. Returns the releases that
 * it waits for. */
static size_t calendar_search(struct calendar *c)
{
	double term = c->r->e->jobs[c->owner->row].lease_sec;
	size_t releases;
	double at;

	if (calendar_collect(c) < 0)
		goto failed;
	releases = search(c);
	at = calendar_time(c, releases);
	if (at <= c->r->snap->now_sec + term || !c->r->e->hold_count)
		return releases;
	c->displace = true;
	if (calendar_collect(c) < 0)
		goto failed;
	releases = search(c);
	if (calendar_time(c, releases) < at)
		return releases;
	c->displace = false;
	if (calendar_collect(c) < 0)
		goto failed;
	return search(c);
failed:
	c->failed = true;
	return NEVER;
}

int astra_calendar_plan(const struct turns *t, const struct astra_space *work,
			const struct contender *owner, bool anybody)
{
	struct calendar c = {
		.turns = t,
		.r = t->r,
		.work = work,
		.owner = owner,
		.anybody = anybody,
		.shares = calloc(t->r->snap->node_count + 1, sizeof(*c.shares)),
	};
	struct ejob *j = &t->r->e->jobs[owner->row];
	size_t releases = NEVER;
	int rc = -1;

	if (!c.shares)
		goto out;
	releases = calendar_search(&c);
	rc = releases == NEVER ? 0 : calendar_hold(&c, releases);
	j->vain = rc ? ASTRA_WAIT_NONE : calendar_diagnose(&c);
	j->vain_sec = t->r->snap->now_sec;
	j->vain_shape = owner->shape;
	if (c.failed)
		rc = -1;
out:
	free(c.items);
	free(c.shares);
	return rc;
}
