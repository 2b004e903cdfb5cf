/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a job that does not fit gets its GPUs together.
 *
 * Leases end at different times, and small jobs would always refill the gaps.
 * So the neediest job that does not fit is given a hold: the earliest time T
 * by which enough leases will have ended, and the nodes they free. Until T
 * these GPUs are lent: leases there are renewed and granted as usual, but end
 * at T at the latest. At T all of them end together and the job starts. As no
 * lease is longer than one term, T is at most one term away.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/policy/engine_priv.h"

#define NEVER SIZE_MAX

/* GPUs that become free at a time. */
struct release {
	double at_sec;
	size_t order; /* as found */
	const struct astra_share *shares;
	size_t count;
};

struct releases {
	struct release *items;
	size_t count, room;
};

static int add_release(struct releases *rs, double at_sec,
		       const struct astra_share *shares, size_t count)
{
	if (astra_grow(&rs->items, &rs->room, rs->count + 1,
		       sizeof(*rs->items)) < 0)
		return -1;
	rs->items[rs->count] = (struct release){
		.at_sec = at_sec,
		.order = rs->count,
		.shares = shares,
		.count = count,
	};
	rs->count++;
	return 0;
}

static int compare_releases(const void *a, const void *b)
{
	const struct release *x = a, *y = b;

	if (x->at_sec != y->at_sec)
		return x->at_sec < y->at_sec ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

/* When a running job's GPUs can be had. One that was renewed just now may be
 * cut to any end. */
static double release_of(const struct round *r, const struct ejob *j,
			 const struct astra_job *job)
{
	double now = r->snap->now_sec;

	if (j->phase != ASTRA_PHASE_LEASED)
		return fmax(now, j->grace_end_sec);
	if (job->suspended)
		return HUGE_VAL;
	if (job->revocable)
		return fmax(fmax(now, j->lease_end_sec),
			    j->start_sec + j->min_run_sec);
	if (job->time_limit_sec > 0)
		return fmax(now, job->start_sec + job->time_limit_sec);
	return HUGE_VAL;
}

bool astra_hold_spare_nobody(const struct round *r)
{
	bool any = false;

	for (size_t i = 0; i < r->e->job_count; i++) {
		any |= r->e->jobs[i].spared;
		r->e->jobs[i].spared = false;
	}
	return any;
}

static bool hold_spares(const struct round *r, uint32_t job)
{
	return astra_engine_find(r->e, job)->spared;
}

/* When a grant's GPUs can be had: at any time, as one that would not be worth
 * it in the time left is withdrawn. But what was held for a job is its own for
 * a term: else two jobs in each other's way would have the hold in turn, and
 * neither would ever start. */
static double grant_release(const struct round *r, const struct grant *g)
{
	const struct ejob *j = astra_engine_find(r->e, g->job);
	double now = r->snap->now_sec;

	return j->served ? now + j->lease_sec : now;
}

/* Jobs whose GPUs go to a grant don't count, the grants do instead, those of
 * this round included. Those who are spared keep what they have. */
static int collect(const struct round *r, const struct astra_share *places,
		   struct releases *rs)
{
	const struct astra_engine *e = r->e;
	double now = r->snap->now_sec;

	rs->count = 0;
	for (size_t i = 0; i < r->snap->job_count; i++) {
		const struct astra_job *job = &r->snap->jobs[i];
		uint32_t row = e->row_of[i];

		if (job->state != ASTRA_JOB_RUNNING ||
		    e->jobs[row].phase != ASTRA_PHASE_LEASED ||
		    e->jobs[row].taken || e->jobs[row].spared)
			continue;
		if (add_release(rs, release_of(r, &e->jobs[row], job),
				job->held, job->held_count) < 0)
			return -1;
	}
	for (size_t i = 0; i < e->grant_count; i++)
		if (!hold_spares(r, e->grants[i].job) &&
		    add_release(rs, grant_release(r, &e->grants[i]),
				e->grants[i].shares, e->grants[i].count) < 0)
			return -1;
	for (size_t i = 0; i < r->contender_count; i++) {
		const struct contender *c = &r->contenders[i];

		if (c->share_count && !e->jobs[c->row].spared &&
		    add_release(rs, now, places + c->first_share,
				c->share_count) < 0)
			return -1;
	}
	if (rs->count)
		qsort(rs->items, rs->count, sizeof(*rs->items),
		      compare_releases);
	return 0;
}

static void release(const struct round *r, struct astra_space *space,
		    const struct release *x)
{
	for (size_t i = 0; i < x->count; i++)
		if (r->snap->nodes[x->shares[i].node].usable)
			astra_space_give(space, &x->shares[i]);
}

/* GPUs on their way that nobody was promised. */
static void release_coming(const struct round *r, struct astra_space *space)
{
	for (uint32_t n = 0; n < r->snap->node_count; n++) {
		const struct astra_node *node = &r->snap->nodes[n];

		if (!r->coming[n] || !node->usable || !node->gpus)
			continue;
		astra_space_give(
			space,
			&(struct astra_share){
				.node = n,
				.gpus = r->coming[n],
				.cpus = node->cpus * r->coming[n] / node->gpus,
			});
	}
}

/* What will be free once the first `count` releases have happened. */
static struct astra_space *space_then(const struct round *r,
				      const struct astra_space *work,
				      const struct releases *rs, size_t count)
{
	struct astra_space *space = astra_space_copy(work);

	if (!space)
		return NULL;
	release_coming(r, space);
	for (size_t i = 0; i < count; i++)
		release(r, space, &rs->items[i]);
	return space;
}

struct probe {
	const struct round *r;
	const struct astra_space *work;
	const struct releases *rs;
	const struct contender *owner;
	struct astra_share *shares;
	bool failed; /* memory is out */
};

static size_t hold_place(struct probe *p, const struct astra_space *space)
{
	uint32_t strict =
		p->r->e->options.strict_placement ? p->r->node_gpus_max : 0;

	return astra_place(space, &p->owner->job->request, NULL, strict,
			   p->shares);
}

/* The owner's place after so many releases; 0 shares when there is none. */
static size_t probe(struct probe *p, size_t count)
{
	struct astra_space *space = space_then(p->r, p->work, p->rs, count);
	size_t placed = 0;

	if (space)
		placed = hold_place(p, space);
	else
		p->failed = true;
	astra_space_destroy(space);
	return placed;
}

static uint32_t gpus_of(const struct release *x)
{
	uint32_t gpus = 0;

	for (size_t i = 0; i < x->count; i++)
		gpus += x->shares[i].gpus;
	return gpus;
}

/* Whether the largest of the releases alone would do: then several leases need
 * not end together, the job's turn will come by itself. */
static bool one_is_enough(struct probe *p, size_t count)
{
	struct releases one = {.items = p->rs->items, .count = 1};
	struct probe alone = *p;

	if (!count)
		return true; /* it is on its way */
	for (size_t i = 1; i < count; i++)
		if (gpus_of(&p->rs->items[i]) > gpus_of(one.items))
			one.items = &p->rs->items[i];
	alone.rs = &one;
	return probe(&alone, 1) > 0;
}

/* When so many releases have happened, but not now: that was tried. */
static double time_of(const struct probe *p, size_t count)
{
	double soon = p->r->snap->now_sec + 1;

	return count ? fmax(p->rs->items[count - 1].at_sec, soon) : soon;
}

/* What stays of the room that there will be, beside the owner's share. */
static struct astra_room hold_slack(const struct probe *p,
				    const struct astra_room *then,
				    const struct astra_share *share)
{
	if (p->owner->job->request.whole_node)
		return (struct astra_room){0};
	return (struct astra_room){
		.gpus = then->gpus - share->gpus,
		.cpus = then->cpus - share->cpus,
		.mem_mib = then->mem_mib - share->mem_mib,
	};
}

static int keep(struct probe *p, size_t count, size_t placed, struct hold *hold)
{
	const struct round *r = p->r;
	struct astra_space *then = space_then(r, p->work, p->rs, count);

	hold->needed = calloc(r->snap->node_count + 1, sizeof(*hold->needed));
	hold->slack = calloc(r->snap->node_count + 1, sizeof(*hold->slack));
	if (!then || !hold->needed || !hold->slack) {
		astra_space_destroy(then);
		return -1;
	}
	for (size_t i = 0; i < placed; i++) {
		uint32_t n = p->shares[i].node;

		hold->needed[n] = p->shares[i].gpus;
		hold->slack[n] =
			hold_slack(p, astra_space_get(then, n), &p->shares[i]);
	}
	hold->job = p->owner->job->id;
	hold->start_sec = time_of(p, count);
	astra_space_destroy(then);
	return 0;
}

/* The fewest releases after which the owner has a place, or NEVER. */
static size_t search(struct probe *p)
{
	size_t low = 0, high = p->rs->count;

	while (high && isinf(p->rs->items[high - 1].at_sec))
		high--;
	if (!probe(p, high))
		return NEVER;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (probe(p, middle))
			high = middle;
		else
			low = middle + 1;
	}
	return high;
}

/* On leases of those who are not spared; of all if these will not do. */
static int hold_search(struct probe *p, const struct astra_share *places,
		       struct releases *rs, size_t *count)
{
	if (collect(p->r, places, rs) < 0)
		return -1;
	*count = search(p);
	if (*count == NEVER && astra_hold_spare_nobody(p->r)) {
		if (collect(p->r, places, rs) < 0)
			return -1;
		*count = search(p);
	}
	return p->failed ? -1 : 0;
}

/* Whether it would have a place if all CPUs of the nodes were free, too. */
static bool hold_lacks_cpus(struct probe *p, size_t count)
{
	const struct astra_snapshot *snap = p->r->snap;
	struct astra_space *space = space_then(p->r, p->work, p->rs, count);
	size_t placed = 0;

	p->failed |= !space;
	for (uint32_t n = 0; space && n < snap->node_count; n++) {
		struct astra_room room = *astra_space_get(space, n);

		if (!snap->nodes[n].usable || !room.gpus)
			continue;
		room.cpus = snap->nodes[n].cpus;
		room.whole = room.gpus == snap->nodes[n].gpus;
		astra_space_set(space, n, &room);
	}
	if (space)
		placed = hold_place(p, space);
	astra_space_destroy(space);
	return placed;
}

/* Why not even all releases would do; NONE: they would. */
static enum astra_wait hold_impossible(struct probe *p, size_t count)
{
	if (probe(p, count))
		return ASTRA_WAIT_NONE;
	return hold_lacks_cpus(p, count) ? ASTRA_WAIT_CPUS : ASTRA_WAIT_TOO_BIG;
}

int astra_hold_find(struct round *r, const struct astra_space *work,
		    const struct astra_share *places,
		    const struct contender *owner, struct hold *hold)
{
	struct releases rs = {0};
	struct probe p = {
		.r = r,
		.work = work,
		.rs = &rs,
		.owner = owner,
		.shares = calloc(r->snap->node_count + 1, sizeof(*p.shares)),
	};
	size_t count = NEVER;
	int rc = -1;

	*hold = (struct hold){.start_sec = HUGE_VAL};
	if (!p.shares || hold_search(&p, places, &rs, &count) < 0)
		goto out;
	rc = 0;
	if (count == NEVER) {
		hold->impossible = hold_impossible(&p, rs.count);
		goto out;
	}
	hold->start_sec = time_of(&p, count);
	if (owner->job->id == r->e->hold.job || !one_is_enough(&p, count))
		rc = keep(&p, count, probe(&p, count), hold);
out:
	free(rs.items);
	free(p.shares);
	return rc;
}

static bool hold_has(const struct astra_room *slack,
		     const struct astra_share *share)
{
	return share->gpus <= slack->gpus && share->cpus <= slack->cpus &&
	       share->mem_mib <= slack->mem_mib;
}

double astra_hold_cut(struct hold *hold, const struct astra_share *shares,
		      size_t count, double end_sec)
{
	bool fits = true;

	if (!hold->job || end_sec <= hold->start_sec)
		return end_sec;
	for (size_t i = 0; i < count; i++)
		if (hold->needed[shares[i].node] &&
		    !hold_has(&hold->slack[shares[i].node], &shares[i]))
			fits = false;
	if (!fits)
		return hold->start_sec;
	for (size_t i = 0; i < count; i++) {
		struct astra_room *slack = &hold->slack[shares[i].node];

		if (!hold->needed[shares[i].node])
			continue;
		slack->gpus -= shares[i].gpus;
		slack->cpus -= shares[i].cpus;
		slack->mem_mib -= shares[i].mem_mib;
	}
	return end_sec;
}

void astra_hold_fini(struct hold *hold)
{
	free(hold->needed);
	free(hold->slack);
	*hold = (struct hold){0};
}
