/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who gets what in one round. The policy ranks the candidates and grants by
 * count; placement then says whether it can be done, leases that go on keep
 * their GPUs, and the others get what is free or what the losers hold. What
 * finds no place is left out and the policy is asked again, so that nothing
 * stays idle that somebody could use. */
#include "src/policy/engine_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/common/number.h"

#define PASSES_MAX 32
#define HOLD_TRIES 4

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash ^= value + UINT64_C(0x9e3779b97f4a7c15) + (hash << 6) +
		(hash >> 2);
	return hash * UINT64_C(0xff51afd7ed558ccd);
}

/* Requests of one shape find a place together or not at all. */
static uint64_t shape_of(const struct round *r, const struct astra_job *job)
{
	const struct astra_request *q = &job->request;
	const uint64_t *banned = astra_refused_nodes(r->e, job->id);
	uint64_t h = mix(q->gpus, q->gpus_per_node);

	h = mix(h, (uint64_t) q->nodes_min << 32 | q->nodes_max);
	h = mix(h, (uint64_t) q->cpus << 32 | q->cpus_per_node);
	h = mix(h, q->mem_node_mib);
	h = mix(h, q->mem_gpu_mib);
	h = mix(h, q->mem_cpu_mib);
	h = mix(h, (uint64_t) q->gpus_quantum << 1 | q->whole_node);
	for (size_t i = 0; q->allowed && i < (r->snap->node_count + 63) / 64;
	     i++)
		h = mix(h, q->allowed[i]);
	return banned ? mix(h, job->id) : h;
}

static int add_contender(struct round *r, uint32_t row,
			 const struct astra_job *job, bool expired)
{
	if (astra_grow(&r->contenders, &r->contender_room,
		       r->contender_count + 1, sizeof(*r->contenders)) < 0)
		return -1;
	r->contenders[r->contender_count++] = (struct contender){
		.row = row,
		.job = job,
		.shape = shape_of(r, job),
		.expired = expired,
	};
	return 0;
}

/* Whether a job's lease is over, it may lose its GPUs, and others could use
 * them. */
static bool expired(const struct round *r, const struct ejob *j,
		    const struct astra_job *job)
{
	double now = r->snap->now_sec;

	if (j->phase != ASTRA_PHASE_LEASED || !job->revocable ||
	    j->lease_end_sec > now ||
	    j->start_sec + r->e->options.min_run_sec > now)
		return false;
	for (size_t i = 0; i < job->held_count; i++)
		if (r->snap->nodes[job->held[i].node].usable)
			return true;
	return false;
}

static int find_contenders(struct round *r)
{
	struct astra_engine *e = r->e;

	for (size_t i = 0; i < r->snap->job_count; i++) {
		const struct astra_job *job = &r->snap->jobs[i];
		uint32_t row = astra_idmap_get(&e->by_id, job->id);
		uint64_t copies;

		if (row == ASTRA_IDMAP_NONE || !job->request.gpus)
			continue;
		if (job->state == ASTRA_JOB_RUNNING) {
			if (expired(r, &e->jobs[row], job) &&
			    add_contender(r, row, job, true) < 0)
				return -1;
			continue;
		}
		if (job->state != ASTRA_JOB_PENDING ||
		    astra_refused_job(e, job->id))
			continue;
		/* No more of an array than could run at once. */
		copies = job->copies - astra_grants_of(e, job->id);
		if (copies > r->usable_gpus / job->request.gpus)
			copies = r->usable_gpus / job->request.gpus;
		while (copies-- > 0)
			if (add_contender(r, row, job, false) < 0)
				return -1;
	}
	return 0;
}

/* The contest as the policy sees it. */
struct ballot {
	struct astra_contest contest;
	struct astra_candidate *candidates;
	struct astra_contestant *tenants;
	struct astra_ranking ranking;
};

static void ballot_fini(struct ballot *b)
{
	free(b->candidates);
	free(b->tenants);
	free(b->ranking.choices);
}

static int ballot_init(struct ballot *b, const struct round *r, size_t room)
{
	const struct astra_engine *e = r->e;

	*b = (struct ballot){ 0 };
	b->candidates = calloc(room + 1, sizeof(*b->candidates));
	b->tenants = calloc(e->tenant_count + 1, sizeof(*b->tenants));
	b->ranking.choices = calloc(room + 1, sizeof(*b->ranking.choices));
	if (!b->candidates || !b->tenants || !b->ranking.choices) {
		ballot_fini(b);
		return -1;
	}
	for (size_t i = 0; i < e->tenant_count; i++) {
		uint32_t account = e->tenants[i].account;
		double quota = astra_fairness_quota(e->account, account);

		b->tenants[i] = (struct astra_contestant){
			.usage = astra_fairness_tenant(
				e->account, r->snap->now_sec, account),
			.quota = quota,
			.entitled = quota > 0,
		};
	}
	b->contest = (struct astra_contest){
		.now_sec = r->snap->now_sec,
		.lease_sec = e->options.lease_sec,
		.candidates = b->candidates,
		.tenants = b->tenants,
		.tenant_count = e->tenant_count,
	};
	return 0;
}

static struct astra_candidate candidate_of(const struct round *r, uint32_t row,
					   const struct astra_job *job)
{
	const struct astra_engine *e = r->e;
	const struct ejob *j = &e->jobs[row];
	double now = r->snap->now_sec;
	struct astra_candidate c = {
		.job = row,
		.tenant = j->tenant,
		.gpus = job->state == ASTRA_JOB_RUNNING ? j->held_gpus :
							  job->request.gpus,
		.submit_sec = j->submit_sec,
		.leases = j->leases,
		.fresh = !j->ran,
		.latest_start_sec = HUGE_VAL,
	};
	double quota = astra_fairness_quota(e->account,
					    e->tenants[j->tenant].account);

	c.rho = astra_rho(astra_fairness_job(e->account, now, j->account),
			  quota > 0 && j->weight > 0);
	if (job->deadline_sec > 0)
		c.latest_start_sec = job->deadline_sec - job->time_limit_sec;
	return c;
}

/* Charge tenants in advance for leases that go on: as Alg. 1 charges a grant
 * with gpus * lease at once, what is left of it stays charged. Without this
 * a tenant that has just been served looks as needy as before. */
static void charge_running(const struct round *r, struct ballot *b)
{
	const struct astra_engine *e = r->e;
	double now = r->snap->now_sec;

	for (size_t i = 0; i < e->job_count; i++) {
		const struct ejob *j = &e->jobs[i];
		double left = j->revocable ? j->lease_end_sec - now :
					     j->lease_sec;

		if (j->id && j->state == ASTRA_JOB_RUNNING &&
		    j->phase == ASTRA_PHASE_LEASED && left > 0)
			b->tenants[j->tenant].usage.alloc +=
				j->held_gpus * left;
	}
	for (size_t i = 0; i < e->grant_count; i++) {
		const struct ejob *j =
			&e->jobs[astra_idmap_get(&e->by_id, e->grants[i].job)];

		b->tenants[j->tenant].usage.alloc += j->gpus * j->lease_sec;
	}
}

static int run_policy(const struct round *r, struct ballot *b,
		      struct astra_error *err)
{
	b->ranking.count = 0;
	return r->e->policy->decide(r->e->policy_self, &b->contest,
				    &b->ranking, err);
}

/* Place what the policy granted. Returns whether every grant found its place;
 * the shapes that did not are marked failed. */
static bool place_granted(struct round *r, struct reclaim *rc,
			  const struct ballot *b, struct astra_share **places,
			  size_t *place_count, size_t *place_room, bool *nomem)
{
	bool all = true;

	*place_count = 0;
	for (size_t i = 0; i < b->ranking.count; i++) {
		uint32_t at = b->ranking.choices[i].candidate;
		struct contender *c = &r->contenders[at];
		size_t count;

		if (!c->granted || c->expired || c->failed)
			continue;
		count = astra_reclaim_place(rc, c);
		if (!count) {
			all = false;
			c->failed = true;
			continue;
		}
		if (astra_grow(places, place_room, *place_count + count,
			       sizeof(**places)) < 0) {
			*nomem = true;
			return true;
		}
		memcpy(*places + *place_count, rc->shares,
		       count * sizeof(**places));
		c->first_share = *place_count;
		c->share_count = count;
		*place_count += count;
		astra_reclaim_take(rc, c, count);
	}
	return all;
}

static int compare_shapes(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *) a, y = *(const uint64_t *) b;

	return x < y ? -1 : x > y;
}

/* A job whose request failed fails with all jobs of its shape. */
static int spread_failure(struct round *r)
{
	uint64_t *shapes = calloc(r->contender_count + 1, sizeof(*shapes));
	size_t count = 0;

	if (!shapes)
		return -1;
	for (size_t i = 0; i < r->contender_count; i++)
		if (r->contenders[i].failed)
			shapes[count++] = r->contenders[i].shape;
	qsort(shapes, count, sizeof(*shapes), compare_shapes);
	for (size_t i = 0; i < r->contender_count; i++) {
		struct contender *c = &r->contenders[i];

		if (!c->expired && bsearch(&c->shape, shapes, count,
					   sizeof(*shapes), compare_shapes))
			c->failed = true;
	}
	free(shapes);
	return 0;
}

/* The result of the passes. */
struct outcome {
	struct reclaim rc; /* of the last pass; rc.work: what stays free */
	struct ballot ballot;
	struct astra_share *places;
	size_t place_count, place_room;
};

static void outcome_fini(struct outcome *o)
{
	astra_reclaim_fini(&o->rc);
	ballot_fini(&o->ballot);
	free(o->places);
}

static int one_pass(struct round *r, struct outcome *o, bool *settled,
		    struct astra_error *err)
{
	struct ballot *b = &o->ballot;
	bool nomem = false;

	for (size_t i = 0; i < r->contender_count; i++) {
		struct contender *c = &r->contenders[i];

		c->granted = c->taken = false;
		c->share_count = 0;
		b->candidates[i].excluded = c->failed;
	}
	if (run_policy(r, b, err) < 0)
		return -1;
	for (size_t i = 0; i < b->ranking.count; i++)
		if (b->ranking.choices[i].granted)
			r->contenders[b->ranking.choices[i].candidate].granted =
				true;
	astra_reclaim_fini(&o->rc);
	if (astra_reclaim_init(&o->rc, r) < 0)
		return astra_error_nomem(err);
	*settled = place_granted(r, &o->rc, b, &o->places, &o->place_count,
				 &o->place_room, &nomem);
	if (nomem || (!*settled && spread_failure(r) < 0))
		return astra_error_nomem(err);
	return 0;
}

static int decide_contest(struct round *r, struct outcome *o,
			  struct astra_error *err)
{
	bool settled = false;

	*o = (struct outcome){ 0 };
	if (ballot_init(&o->ballot, r, r->contender_count) < 0)
		return astra_error_nomem(err);
	charge_running(r, &o->ballot);
	o->ballot.contest.candidate_count = r->contender_count;
	o->ballot.contest.gpus = astra_space_gpus(r->idle);
	for (size_t i = 0; i < r->contender_count; i++) {
		const struct contender *c = &r->contenders[i];

		o->ballot.candidates[i] = candidate_of(r, c->row, c->job);
		if (c->expired)
			o->ballot.contest.gpus += o->ballot.candidates[i].gpus;
	}
	for (int pass = 0; !settled && pass < PASSES_MAX; pass++)
		if (one_pass(r, o, &settled, err) < 0)
			return -1;
	return 0;
}

/* Serve the job that has a hold before all others, if it can be. */
static int serve_hold(struct round *r)
{
	struct reclaim rc;
	int status = 0;

	for (size_t i = 0; i < r->contender_count; i++) {
		struct contender *c = &r->contenders[i];
		size_t count;

		if (c->job->id != r->e->hold.job || c->expired)
			continue;
		if (astra_reclaim_init(&rc, r) < 0) {
			astra_reclaim_fini(&rc);
			return -1;
		}
		count = astra_reclaim_place(&rc, c);
		if (count) {
			astra_reclaim_take(&rc, c, count);
			status = astra_grants_add(r->e, c->job->id, 0,
						  rc.shares, count);
			astra_space_destroy(r->idle);
			r->idle = rc.work;
			rc.work = NULL;
			c->taken = true;
			r->e->hold = (struct astra_hold_view){ 0 };
		}
		astra_reclaim_fini(&rc);
		break;
	}
	return status;
}

/* Those who were taken leave the contest, and the served one too. */
static void withdraw_served(struct round *r)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->contender_count; i++) {
		struct contender *c = &r->contenders[i];
		struct ejob *j = &r->e->jobs[c->row];

		if (!c->taken) {
			r->contenders[kept++] = *c;
			continue;
		}
		if (c->expired) {
			j->phase = ASTRA_PHASE_DOOMED;
			j->doomed_for = c->winner;
		}
	}
	r->contender_count = kept;
}

/* The policy's ranking of all active jobs, those in mid-lease too. */
static int rank_everybody(struct round *r, struct ballot *b,
			  struct astra_error *err)
{
	const struct astra_engine *e = r->e;
	size_t n = 0;

	if (ballot_init(b, r,
			r->contender_count + r->snap->job_count +
				e->grant_count) < 0)
		return astra_error_nomem(err);
	charge_running(r, b);
	b->contest.gpus = r->usable_gpus;
	for (size_t i = 0; i < r->contender_count; i++) {
		const struct contender *c = &r->contenders[i];

		b->candidates[n++] = candidate_of(r, c->row, c->job);
	}
	for (size_t i = 0; i < r->snap->job_count; i++) {
		const struct astra_job *job = &r->snap->jobs[i];
		uint32_t row = astra_idmap_get(&e->by_id, job->id);

		if (job->state != ASTRA_JOB_RUNNING || row == ASTRA_IDMAP_NONE)
			continue;
		if (!job->revocable && b->contest.gpus >= e->jobs[row].held_gpus)
			b->contest.gpus -= e->jobs[row].held_gpus;
		else if (job->revocable &&
			 !expired(r, &e->jobs[row], job))
			b->candidates[n++] = candidate_of(r, row, job);
	}
	for (size_t i = 0; i < e->grant_count; i++) {
		uint32_t row = astra_idmap_get(&e->by_id, e->grants[i].job);

		b->candidates[n++] = candidate_of(
			r, row, &r->snap->jobs[e->jobs[row].index]);
	}
	b->contest.candidate_count = n;
	return run_policy(r, b, err);
}

static bool unserved(const struct round *r, uint32_t candidate)
{
	const struct contender *c = r->contenders + candidate;

	return candidate < r->contender_count && !c->expired &&
	       !c->share_count;
}

/* Give a hold to the neediest job of all, if it does not fit and nobody has
 * one. Jobs that no lease's end will make room for are passed over. */
static int new_hold(struct round *r, const struct outcome *o,
		    struct hold *hold, struct astra_error *err)
{
	struct ballot b;
	int tries = HOLD_TRIES, rc;
	bool any = false;

	for (uint32_t i = 0; i < r->contender_count; i++)
		any |= unserved(r, i);
	if (!any)
		return 0;
	rc = rank_everybody(r, &b, err);
	for (size_t i = 0; !rc && tries && i < b.ranking.count; i++) {
		uint32_t at = b.ranking.choices[i].candidate;

		if (!unserved(r, at))
			break;
		tries--;
		astra_hold_fini(hold);
		if (astra_hold_find(r, o->rc.work, o->places,
				    &r->contenders[at], hold) < 0)
			rc = astra_error_nomem(err);
		r->contenders[at].pinned = isinf(hold->start_sec);
		if (!r->contenders[at].pinned)
			break;
	}
	ballot_fini(&b);
	return rc;
}

static int renew_hold(struct round *r, const struct outcome *o,
		      struct hold *hold, struct astra_error *err)
{
	for (size_t i = 0; i < r->contender_count; i++) {
		if (r->contenders[i].job->id != r->e->hold.job)
			continue;
		if (astra_hold_find(r, o->rc.work, o->places,
				    &r->contenders[i], hold) < 0)
			return astra_error_nomem(err);
		return 0;
	}
	return 0;
}

static void renew(struct round *r, struct hold *hold, struct contender *c)
{
	struct ejob *j = &r->e->jobs[c->row];
	double now = r->snap->now_sec, end = now + j->lease_sec;
	double cut = astra_hold_cut(hold, c->job->held, c->job->held_count,
				    end);

	r->e->counters.lent += cut < end;
	r->e->counters.renewed++;
	j->lease_start_sec = now;
	j->lease_end_sec = cut;
	j->taken = false;
	j->leases++;
	r->plan->changed = true;
}

/* Whether a lease that would end at end_sec, cut to end with the hold, is still
 * worth starting: MinRunTime must not reach past the hold. */
static bool worth_starting(const struct round *r, double cut_sec,
			   double end_sec)
{
	double lent_sec = cut_sec - r->snap->now_sec;

	return cut_sec >= end_sec ||
	       lent_sec > fmax(r->e->options.min_run_sec,
			       r->e->options.round_sec);
}

static int grant(struct round *r, struct hold *hold, struct contender *c,
		 const struct outcome *o)
{
	struct ejob *j = &r->e->jobs[c->row];
	const struct astra_share *shares = o->places + c->first_share;
	double now = r->snap->now_sec, end = now + j->lease_sec, cut;

	if (c->job->time_limit_sec > 0)
		end = fmin(end, now + c->job->time_limit_sec);
	cut = astra_hold_cut(hold, shares, c->share_count, end);
	if (!worth_starting(r, cut, end)) {
		c->share_count = 0;
		return 0;
	}
	r->e->counters.lent += cut < end;
	r->plan->changed = true;
	return astra_grants_add(r->e, j->id, cut < end ? cut : 0, shares,
				c->share_count);
}

/* Whether the job that a loser's GPUs went to is really granted them. */
static bool winner_granted(const struct round *r, const struct contender *c)
{
	return astra_grants_of(r->e, c->winner) > 0;
}

/* The hold counts a loser's GPUs with those who got them. */
static void mark_taken(struct round *r)
{
	for (size_t i = 0; i < r->contender_count; i++)
		r->e->jobs[r->contenders[i].row].taken =
			r->contenders[i].expired && r->contenders[i].taken;
}

static int settle(struct round *r, struct hold *hold, const struct outcome *o)
{
	/* In the policy's order, so that the needier get the long leases. */
	for (size_t i = 0; i < o->ballot.ranking.count; i++) {
		struct contender *c =
			&r->contenders[o->ballot.ranking.choices[i].candidate];

		if (!c->expired && c->share_count && grant(r, hold, c, o) < 0)
			return -1;
		if (c->expired && c->granted)
			renew(r, hold, c);
	}
	for (size_t i = 0; i < r->contender_count; i++) {
		struct contender *c = &r->contenders[i];
		struct ejob *j = &r->e->jobs[c->row];

		if (!c->expired || c->granted)
			continue;
		if (c->taken && winner_granted(r, c)) {
			j->phase = ASTRA_PHASE_DOOMED;
			j->doomed_for = c->winner;
		} else {
			renew(r, hold, c);
		}
	}
	return 0;
}

/* Leases granted in earlier rounds and not begun yet end with the hold too. */
static void cut_older(struct round *r, struct hold *hold)
{
	for (size_t i = r->e->grant_count; i-- > 0;) {
		if (i >= r->e->grant_count)
			continue; /* tasks of one array go together */
		struct grant *g = &r->e->grants[i];
		double end = r->snap->now_sec +
			     astra_engine_find(r->e, g->job)->lease_sec;
		double cut = astra_hold_cut(hold, g->shares, g->count, end);

		g->cut_sec = cut < end ? cut : 0;
		if (!worth_starting(r, cut, end))
			astra_grants_drop(r->e, g->job);
	}
}

static enum astra_wait wait_of(const struct round *r, const struct ejob *j,
			       const struct astra_job *job)
{
	const struct astra_engine *e = r->e;

	if (job->state == ASTRA_JOB_BLOCKED)
		return ASTRA_WAIT_BLOCKED;
	if (job->state == ASTRA_JOB_REQUEUED)
		return ASTRA_WAIT_CLEANUP;
	if (astra_grants_of(e, j->id))
		return ASTRA_WAIT_GRANTED;
	if (astra_refused_job(e, j->id))
		return ASTRA_WAIT_REFUSED;
	if (job->request.gpus > r->usable_gpus)
		return ASTRA_WAIT_TOO_BIG;
	if (e->hold.job == j->id)
		return ASTRA_WAIT_HOLD;
	return ASTRA_WAIT_RANK;
}

/* Ranks and reasons of all jobs that wait. */
static int explain(struct round *r, const struct outcome *o)
{
	uint32_t rank = 0;

	for (size_t i = 0; i < r->snap->job_count; i++) {
		const struct astra_job *job = &r->snap->jobs[i];
		struct ejob *j = astra_engine_find(r->e, job->id);

		j->reason = (struct astra_reason){ .job = j->id };
		if (job->state == ASTRA_JOB_RUNNING ||
		    job->state == ASTRA_JOB_ENDING ||
		    job->state == ASTRA_JOB_ENDED)
			continue;
		j->reason.wait = wait_of(r, j, job);
		if (j->reason.wait == ASTRA_WAIT_HOLD)
			j->reason.start_sec = r->e->hold.start_sec;
	}
	for (size_t i = 0; i < o->ballot.ranking.count; i++) {
		const struct contender *c =
			&r->contenders[o->ballot.ranking.choices[i].candidate];
		struct ejob *j = &r->e->jobs[c->row];

		if (c->expired || j->reason.rank)
			continue;
		j->reason.rank = ++rank;
		if (j->reason.wait != ASTRA_WAIT_RANK)
			continue;
		if (c->pinned)
			j->reason.wait = ASTRA_WAIT_PINNED;
		else if (c->failed)
			j->reason.wait = ASTRA_WAIT_PLACE;
	}
	for (size_t i = 0; i < r->snap->job_count; i++) {
		struct ejob *j =
			astra_engine_find(r->e, r->snap->jobs[i].id);

		j->reason.ranks = rank;
		if (j->reason.wait != ASTRA_WAIT_NONE &&
		    astra_plan_reason(r->plan, &j->reason) < 0)
			return -1;
	}
	return 0;
}

int astra_round_decide(struct round *r, struct astra_error *err)
{
	struct outcome o = { 0 };
	struct hold hold = { 0 };
	int rc = -1;

	if (find_contenders(r) < 0 || (r->e->hold.job && serve_hold(r) < 0)) {
		astra_error_nomem(err);
		goto out;
	}
	withdraw_served(r);
	if (decide_contest(r, &o, err) < 0)
		goto out;
	mark_taken(r);
	if (r->e->hold.job)
		rc = renew_hold(r, &o, &hold, err);
	else
		rc = new_hold(r, &o, &hold, err);
	if (rc < 0)
		goto out;
	r->e->hold = (struct astra_hold_view){ .job = hold.job };
	if (hold.job)
		r->e->hold.start_sec = hold.start_sec;
	cut_older(r, &hold);
	rc = settle(r, &hold, &o);
	if (!rc)
		rc = astra_grants_start(r);
	if (!rc)
		rc = astra_revoke_doomed(r);
	if (!rc)
		rc = explain(r, &o);
	if (rc < 0)
		astra_error_nomem(err);
out:
	astra_hold_fini(&hold);
	outcome_fini(&o);
	return rc;
}
