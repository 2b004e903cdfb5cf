/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Holds. Leases end at different times, and small jobs would always fill the
 * gaps. So a job whose turn it is, but that finds no place, is given a hold:
 * nodes, and the time T from which on these are reserved for it. Until T these
 * GPUs are lent: leases there are renewed and granted as usual, but end at T at
 * the latest. */
#include "src/engine/hold.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/engine/calendar.h"

#define HOLD_PATIENCE_SEC 120 /* a hold that is this late is planned anew */

const struct hold *astra_hold_of(const struct astra_engine *e, uint32_t job)
{
	for (size_t i = 0; i < e->hold_count; i++)
		if (e->holds[i].job == job)
			return &e->holds[i];
	return NULL;
}

size_t astra_holds_of(const struct astra_engine *e, uint32_t job)
{
	size_t count = 0;

	for (size_t i = 0; i < e->hold_count; i++)
		count += e->holds[i].job == job;
	return count;
}

int astra_hold_add(struct astra_engine *e, const struct hold *hold)
{
	if (astra_grow(&e->holds, &e->hold_room, e->hold_count + 1,
		       sizeof(*e->holds)) < 0) {
		free(hold->shares);
		return -1;
	}
	e->holds[e->hold_count++] = *hold;
	return 0;
}

void astra_hold_drop(struct astra_engine *e, size_t at)
{
	free(e->holds[at].shares);
	memmove(&e->holds[at], &e->holds[at + 1],
		(e->hold_count - at - 1) * sizeof(*e->holds));
	e->hold_count--;
}

void astra_holds_clear(struct astra_engine *e)
{
	while (e->hold_count)
		astra_hold_drop(e, e->hold_count - 1);
}

double astra_hold_term(const struct astra_engine *e, const struct ejob *j)
{
	double slot_sec = e->options.slot_sec;

	if (!e->policy->slots)
		return j->lease_sec;
	return fmax(1, floor(j->lease_sec / slot_sec)) * slot_sec;
}

double astra_holds_first(const struct astra_engine *e)
{
	double first = HUGE_VAL;

	for (size_t i = 0; i < e->hold_count; i++)
		first = fmin(first, e->holds[i].start_sec);
	return first;
}

/* Serving. */

/* Whether the hold waits for a job without a lease that will end much later
 * than planned, or at an unknown time. Its time limit may have changed, or it
 * may be suspended. */
static bool hold_is_outlasted(const struct round *r, const struct hold *hold,
			      const struct ejob *owner)
{
	const struct ejob *j = owner->blocker && owner->copies == 1
				       ? astra_engine_find(r->e, owner->blocker)
				       : NULL;
	const struct astra_job *job;

	if (!j || j->state != ASTRA_JOB_RUNNING)
		return false;
	job = &r->snap->jobs[j->index];
	return astra_lease_stays(j, job) &&
	       astra_natural_end(r, j, job) >
		       hold->start_sec + HOLD_PATIENCE_SEC;
}

/* Whether the hold still stands: its job's request may have changed. */
static bool hold_stands(const struct round *r, const struct hold *hold)
{
	const struct ejob *j = astra_engine_find(r->e, hold->job);
	const struct astra_request *q;

	if (!j || j->state != ASTRA_JOB_PENDING || j->balked ||
	    j->grants >= j->copies || hold_is_outlasted(r, hold, j) ||
	    hold->start_sec + fmax(HOLD_PATIENCE_SEC,
				   astra_leave_sec(r->e, r->snap)) <
		    r->snap->now_sec)
		return false;
	q = &r->snap->jobs[j->index].request;
	if (!astra_request_suits(q,
				 astra_shares_gpus(hold->shares, hold->count)))
		return false;
	for (size_t i = 0; i < hold->count; i++) {
		uint32_t node = hold->shares[i].node;

		if (!r->snap->nodes[node].usable ||
		    !astra_node_possible(q, node))
			return false;
	}
	return true;
}

static struct contender *hold_owner(const struct round *r,
				    const struct hold *hold)
{
	for (size_t i = 0; i < r->contender_count; i++) {
		struct contender *c = &r->contenders[i];

		if (c->job->id == hold->job && !c->expired && !c->taken)
			return c;
	}
	return NULL;
}

/* Return the nodes on which the hold's job may start if its own are not free
 * yet. Nodes that other holds need are left out until the job has waited for
 * long. A first start avoids only the holds of first starts. Free the bitmap.
 * Returns NULL when memory is out. */
static uint64_t *hold_elsewhere(const struct round *r, const struct hold *hold,
				const struct astra_request *q)
{
	struct astra_engine *e = r->e;
	size_t words = (r->snap->node_count + 63) / 64;
	uint64_t *nodes = calloc(words + 1, sizeof(*nodes));
	bool ran = astra_engine_find(e, hold->job)->ran;

	if (!nodes)
		return NULL;
	for (size_t i = 0; i < words; i++)
		nodes[i] = q->allowed ? q->allowed[i] : UINT64_MAX;
	if (hold->start_sec + HOLD_PATIENCE_SEC / 2 < r->snap->now_sec)
		return nodes;
	for (size_t i = 0; i < e->hold_count; i++) {
		const struct hold *h = &e->holds[i];

		if (h->job == hold->job ||
		    (!ran && astra_engine_find(e, h->job)->ran))
			continue;
		for (size_t k = 0; k < h->count; k++)
			nodes[h->shares[k].node / 64] &=
				~(UINT64_C(1) << h->shares[k].node % 64);
	}
	return nodes;
}

/* Find a place on the nodes of hold_elsewhere(). Returns as
 * astra_reclaim_place(), or -1. */
static int64_t hold_place_elsewhere(struct reclaim *rc, const struct hold *hold,
				    struct contender *held,
				    struct astra_job *job)
{
	uint64_t *nodes = hold_elsewhere(rc->r, hold, &job->request);
	size_t count;

	if (!nodes)
		return -1;
	job->request.allowed = nodes;
	count = astra_reclaim_place(rc, held);
	free(nodes);
	return (int64_t)count;
}

/* Return the end of a lease that begins with a hold. It lasts a term, or less
 * if the next hold on its nodes needs the GPUs. If the lease began late, it is
 * shortened by no more than that delay. Returns 0 for a full term. */
static double hold_end(const struct round *r, const struct hold *hold,
		       const struct reclaim *rc, size_t count)
{
	const struct astra_engine *e = r->e;
	double term = astra_engine_find(r->e, hold->job)->lease_sec;
	double end = r->snap->now_sec + term;

	for (size_t i = 0; i < e->hold_count; i++) {
		const struct hold *h = &e->holds[i];

		if (h == hold || h->start_sec < hold->start_sec + term)
			continue;
		for (size_t k = 0; k < h->count; k++)
			for (size_t m = 0; m < count; m++)
				if (h->shares[k].node == rc->shares[m].node)
					end = fmin(end, h->start_sec);
	}
	return end < r->snap->now_sec + term ? end : 0;
}

/* Serving the holds whose time has come. */
struct serve {
	struct reclaim rc;
	double *keys; /* by tenant: A / F at present; NaN: not computed yet */
};

static double serve_key(struct serve *s, uint32_t tenant)
{
	const struct round *r = s->rc.r;
	struct astra_usage u;

	if (!isnan(s->keys[tenant]))
		return s->keys[tenant];
	u = astra_fairness_tenant(r->e->account, r->snap->now_sec,
				  r->e->tenants[tenant].account);
	return s->keys[tenant] = u.fair > 0 ? u.alloc / u.fair : HUGE_VAL;
}

/* First search for a place that ends no expired leases of other tenants, if
 * these tenants are no richer than the owner's. For a job that is due no lease
 * is spared. */
static void serve_spare(struct serve *s, const struct hold *hold,
			const struct contender *owner)
{
	struct reclaim *rc = &s->rc;

	if (hold->anybody)
		return;
	for (size_t i = 0; i < rc->loser_count; i++) {
		struct contender *c = &rc->r->contenders[rc->losers[i]];

		if (c->tenant != owner->tenant &&
		    serve_key(s, c->tenant) <= serve_key(s, owner->tenant) &&
		    astra_loser(c))
			astra_reclaim_spare(rc, c);
	}
}

/* Find a place where the hold was planned, or else elsewhere. Returns as
 * astra_reclaim_place(), or -1. */
static int64_t hold_place(struct reclaim *rc, const struct hold *hold,
			  const struct contender *owner)
{
	struct contender held = *owner;
	struct astra_job job = *owner->job;
	const uint64_t *allowed;
	size_t count;

	if (astra_request_elastic(&job.request))
		job.request = astra_request_sized(
			&job.request,
			astra_shares_gpus(hold->shares, hold->count));
	allowed = job.request.allowed;
	if (job.request.possible)
		job.request.allowed = job.request.possible;
	held.job = &job;
	count = astra_reclaim_place_at(rc, &held, hold->shares, hold->count);
	if (count)
		return (int64_t)count;
	job.request.allowed = allowed;
	return hold_place_elsewhere(rc, hold, &held, &job);
}

/* Find a place on free GPUs, so that no lease ends. The GPUs that the job
 * waited for may be on other nodes than the hold. Returns as
 * astra_reclaim_place(), or -1. */
static int64_t hold_place_free(struct reclaim *rc, const struct hold *hold,
			       const struct contender *owner)
{
	const struct round *r = rc->r;
	struct astra_request q = owner->job->request;
	uint64_t *nodes;
	size_t count;

	if (owner->job->use_count || astra_request_elastic(&q))
		return 0;
	nodes = hold_elsewhere(r, hold, &q);
	if (!nodes)
		return -1;
	q.allowed = nodes;
	rc->victim_count = 0;
	count = astra_place(
		rc->work, &q, astra_refused_nodes(r->e, owner->job->id),
		r->e->options.strict_placement ? r->node_gpus_max : 0,
		rc->shares);
	free(nodes);
	return (int64_t)count;
}

/* Whether GPUs on settling nodes come free before the job's first start is
 * late. */
static bool hold_can_wait(const struct round *r, const struct contender *c)
{
	const struct ejob *j = &r->e->jobs[c->row];
	double leave_sec = astra_leave_sec(r->e, r->snap);

	return j->ran || !(j->bound_sec > 0) || isinf(leave_sec) ||
	       r->snap->now_sec + leave_sec < j->bound_sec;
}

/* Serve a hold. Returns 1 if the job has a place, 0 if not, or -1. */
static int hold_serve(struct serve *s, const struct hold *hold)
{
	struct reclaim *rc = &s->rc;
	struct round *r = rc->r;
	struct contender *c = hold_owner(r, hold);
	struct ejob *j;
	int64_t count;

	if (!c)
		return 0;
	j = &r->e->jobs[c->row];
	if (c->awaits && hold_can_wait(r, c)) {
		j->awaited = true;
		return 0;
	}
	serve_spare(s, hold, c);
	count = j->awaited ? hold_place_free(rc, hold, c) : 0;
	if (!count)
		count = hold_place(rc, hold, c);
	if (astra_reclaim_spare_none(rc) && !count)
		count = hold_place(rc, hold, c);
	if (count <= 0)
		return (int)count;
	astra_reclaim_take(rc, c, (size_t)count);
	c->taken = true;
	if (astra_grants_add(r->e, c->job->id,
			     hold_end(r, hold, rc, (size_t)count), rc->shares,
			     (size_t)count) < 0)
		return -1;
	j->served = j->collected = true;
	j->awaited = false;
	return 1;
}

static int serve_init(struct serve *s, struct round *r)
{
	size_t tenants = r->e->tenant_count;

	*s = (struct serve){.keys = calloc(tenants + 1, sizeof(*s->keys))};
	for (size_t i = 0; s->keys && i < tenants; i++)
		s->keys[i] = NAN;
	return astra_reclaim_init(&s->rc, r, r->idle) < 0 || !s->keys ? -1 : 0;
}

/* Serve the holds whose time has come, from free GPUs and expired leases. */
static int holds_serve_due(struct round *r)
{
	struct astra_engine *e = r->e;
	struct serve s;
	int status = serve_init(&s, r);

	for (size_t i = 0; i < e->hold_count && status >= 0;) {
		status = 0;
		if (e->holds[i].start_sec <= r->snap->now_sec)
			status = hold_serve(&s, &e->holds[i]);
		if (status > 0)
			astra_hold_drop(e, i);
		else
			i++;
	}
	if (status >= 0) {
		astra_idle_replace(r, s.rc.work);
		s.rc.work = NULL;
	}
	astra_reclaim_fini(&s.rc);
	free(s.keys);
	return status < 0 ? -1 : 0;
}

int astra_holds_serve(struct round *r)
{
	struct astra_engine *e = r->e;

	for (size_t i = e->hold_count; i-- > 0;)
		if (!hold_stands(r, &e->holds[i])) {
			astra_budget_return_for(r, &e->holds[i]);
			astra_hold_drop(e, i);
		} else {
			astra_shares_own(r, e->holds[i].job, e->holds[i].shares,
					 e->holds[i].count);
		}
	for (size_t i = 0; i < r->contender_count; i++)
		r->contenders[i].granted = false;
	r->grants_before = e->grant_count;
	return astra_holds_first(e) <= r->snap->now_sec ? holds_serve_due(r)
							: 0;
}

/* The table of what holds leave to leases. */

static void table_add(struct astra_node_hold *h,
		      const struct astra_share *share, int sign)
{
	h->gpus += sign * (int64_t)share->gpus;
	h->cpus += sign * (int64_t)share->cpus;
	h->mem_mib += sign * (int64_t)share->mem_mib;
}

static void table_shares(struct round *r, const struct astra_job *job,
			 const struct astra_share *shares, size_t count,
			 double end_sec)
{
	uint64_t preempts = astra_job_preempts(r->snap, job);

	for (size_t i = 0; i < count; i++) {
		struct astra_node_hold *h = &r->node_holds[shares[i].node];

		if (end_sec <= h->cut_sec && !(preempts & h->classes))
			table_add(h, &shares[i], 1);
	}
}

/* Count a leaving job's CPUs and memory. Its GPUs are counted already: as
 * coming or, if a hold was served with them, as free. */
static void table_leaving(struct round *r, const struct ejob *j,
			  const struct astra_job *job)
{
	const struct ejob *winner =
		j->doomed_for == ASTRA_NONE
			? NULL
			: astra_engine_find(r->e, j->doomed_for);

	if (j->phase == ASTRA_PHASE_DOOMED && winner && winner->served)
		return;
	for (size_t k = 0; k < job->held_count; k++) {
		struct astra_share beside = job->held[k];

		beside.gpus = 0;
		table_add(&r->node_holds[beside.node], &beside, 1);
	}
}

/* Count what is free by the first hold's start, without what the holds need. */
static void table_leases(struct round *r)
{
	const struct astra_engine *e = r->e;

	ASTRA_ROSTER_EACH(i, &e->roster.running)
	{
		const struct astra_job *job = &r->snap->jobs[i];
		const struct ejob *j = &e->jobs[e->row_of[i]];

		if (j->phase != ASTRA_PHASE_LEASED)
			table_leaving(r, j, job);
		else if (!astra_lease_stays(j, job))
			table_shares(r, job, job->held, job->held_count,
				     j->lease_end_sec);
	}
	for (size_t i = 0; i < r->missing_count; i++)
		table_add(&r->node_holds[r->missing[i].node], &r->missing[i],
			  -1);
	for (size_t i = 0; i < r->grants_before; i++) {
		const struct grant *g = &e->grants[i];
		const struct ejob *j = astra_engine_find(r->e, g->job);

		if (!j->served)
			table_shares(r, &r->snap->jobs[j->index], g->shares,
				     g->count, r->snap->now_sec);
	}
}

/* Whether the job may not share the node: node or request is for the jobs of
 * one owner alone, and the owners differ. */
static bool table_strange(const struct astra_node_hold *h,
			  const struct astra_request *q)
{
	return (h->alone || q->alone) && h->owner != q->owner;
}

static void table_hold(struct round *r, const struct hold *hold)
{
	const struct ejob *j = astra_engine_find(r->e, hold->job);
	const struct astra_request *q = &r->snap->jobs[j->index].request;
	uint32_t class = r->snap->jobs[j->index].preempt_class;

	for (size_t i = 0; i < hold->count; i++) {
		struct astra_node_hold *h =
			&r->node_holds[hold->shares[i].node];

		h->owner = isinf(h->cut_sec) || h->owner == q->owner
				   ? q->owner
				   : ASTRA_NONE;
		h->cut_sec = fmin(h->cut_sec, hold->start_sec);
		h->classes |= UINT64_C(1) << class;
		h->alone |= q->alone;
		table_add(h, &hold->shares[i], -1);
	}
}

int astra_holds_table_add(struct round *r, const struct hold *hold)
{
	if (!r->node_holds && astra_holds_table(r) < 0)
		return -1;
	table_hold(r, hold);
	return 0;
}

int astra_holds_table(struct round *r)
{
	r->node_holds = calloc(r->snap->node_count + 1, sizeof(*r->node_holds));
	if (!r->node_holds)
		return -1;
	for (uint32_t n = 0; n < r->snap->node_count; n++) {
		const struct astra_room *room = astra_space_get(r->idle, n);

		r->node_holds[n] = (struct astra_node_hold){
			.cut_sec = HUGE_VAL,
			.gpus = (int64_t)room->gpus + r->coming[n],
			.cpus = room->cpus,
			.mem_mib = (int64_t)room->mem_mib,
		};
	}
	for (size_t i = 0; i < r->e->hold_count; i++)
		table_hold(r, &r->e->holds[i]);
	if (r->reserve.gpus)
		table_add(&r->node_holds[r->reserve.node], &r->reserve, 1);
	table_leases(r);
	return 0;
}

bool astra_holds_need(const struct round *r, uint32_t node)
{
	return r->node_holds && !isinf(r->node_holds[node].cut_sec);
}

double astra_holds_cut(struct round *r, const struct astra_job *job,
		       const struct astra_share *shares, size_t count,
		       double end_sec)
{
	uint64_t preempts = astra_job_preempts(r->snap, job);
	double cut;

	if (!r->node_holds)
		return end_sec;
	cut = astra_rights_cut(r, job, end_sec);
	for (size_t i = 0; i < count; i++) {
		const struct astra_node_hold *h =
			&r->node_holds[shares[i].node];

		if (h->cut_sec < end_sec && !(preempts & h->classes) &&
		    (table_strange(h, &job->request) ||
		     h->gpus < shares[i].gpus || h->cpus < shares[i].cpus ||
		     h->mem_mib < (int64_t)shares[i].mem_mib))
			cut = fmin(cut, h->cut_sec);
	}
	for (size_t i = 0; i < count; i++) {
		struct astra_node_hold *h = &r->node_holds[shares[i].node];

		if (h->cut_sec < cut && !(preempts & h->classes))
			table_add(h, &shares[i], -1);
	}
	return cut;
}
