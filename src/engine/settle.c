/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a round's outcome means for each job: a new lease, a grant, the end of
 * its lease, or a reason to wait. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/engine/hold.h"

void astra_lease_renew(struct round *r, struct ejob *j, double end_sec)
{
	r->e->counters.renewed++;
	j->lease_start_sec = r->snap->now_sec;
	astra_lease_set_end(r->e, j,
			    astra_lease_cut(&r->snap->jobs[j->index],
					    astra_caps_end(r->e, j, end_sec)));
	j->lent = j->collected = false;
	astra_budget_return(r->e, j);
	j->leases++;
	r->plan->changed = true;
}

/* If the loan would be shorter than MinRunTime, the old lease is prolonged
 * instead. If the hold should have begun already and waits for other GPUs, the
 * lease counts as over since its own end. */
void astra_lease_lend(struct round *r, struct ejob *j, double end_sec)
{
	double now = r->snap->now_sec;
	double over = fmin(j->lease_end_sec, now);

	if (end_sec - now >= j->min_run_sec) {
		r->e->counters.lent++;
		astra_budget_return(r->e, j);
		j->lease_start_sec = now;
		j->lent = true;
	}
	astra_lease_set_end(
		r->e, j,
		astra_lease_cut(&r->snap->jobs[j->index], fmax(end_sec, over)));
	r->plan->changed = true;
}

static void renew(struct round *r, struct contender *c)
{
	struct ejob *j = &r->e->jobs[c->row];
	double end = r->snap->now_sec + j->lease_sec, cut;

	if (c->runs)
		return;
	cut = astra_holds_cut(r, c->job, c->job->held, c->job->held_count, end);
	if (cut < end)
		astra_lease_lend(r, j, cut);
	else
		astra_lease_renew(r, j, end);
}

bool astra_lease_is_worth(const struct round *r, const struct ejob *j,
			  double cut_sec, double end_sec)
{
	double lent_sec = cut_sec - r->snap->now_sec;

	return cut_sec >= end_sec ||
	       lent_sec > fmax(j->min_run_sec, r->e->options.round_sec);
}

/* Grant these shares. A job that takes as many nodes as are idle gets more
 * nodes, unless it was refused or uses a limit. */
static int settle_grant(struct round *r, const struct contender *c,
			const struct outcome *o, double until_sec)
{
	const struct ejob *j = &r->e->jobs[c->row];
	const struct astra_share *shares = o->places + c->first_share;
	size_t count = c->share_count, wish = c->job->request.nodes_wish;
	struct astra_share *wide;
	int rc;

	if (wish > r->snap->node_count)
		wish = r->snap->node_count;
	if (wish <= count || j->refusals || c->job->use_count)
		return astra_grants_add(r->e, j->id, until_sec, shares, count);
	wide = calloc(wish, sizeof(*wide));
	if (!wide)
		return -1;
	memcpy(wide, shares, count * sizeof(*wide));
	count = astra_widen(r, c, o->rc.work, wide, count, wish);
	rc = astra_grants_add(r->e, j->id, until_sec, wide, count);
	free(wide);
	return rc;
}

/* Free a place that is not used, except what losers keep of it
 * (settle_loser()). */
static void settle_leave(struct contender *c, const struct outcome *o)
{
	for (size_t k = 0; k < c->share_count; k++)
		astra_space_give(o->rc.work, &o->places[c->first_share + k]);
	c->share_count = 0;
}

static int grant(struct round *r, struct contender *c, const struct outcome *o)
{
	struct ejob *j = &r->e->jobs[c->row];
	const struct astra_share *shares = o->places + c->first_share;
	double now = r->snap->now_sec, cut;
	double end = astra_first_end(r, j, c->job);

	if (c->job->time_limit_sec > 0)
		end = fmin(end, now + c->job->time_limit_sec);
	cut = astra_holds_cut(r, c->job, shares, c->share_count, end);
	if (!astra_first_is_worth(r, j, c->job, cut, end)) {
		settle_leave(c, o);
		return 0;
	}
	r->e->counters.lent += cut < end;
	r->plan->changed = true;
	return settle_grant(r, c, o, cut < end ? cut : 0);
}

/* Whether the winner of a loser's GPUs has really been granted them. */
static bool winner_granted(const struct round *r, const struct contender *c)
{
	return astra_grants_of(r->e, c->winner) > 0;
}

/* Let jobs that change their size leave and start again, if they have really
 * been granted their new GPUs. */
static int settle_resized(struct round *r, const struct outcome *o)
{
	for (size_t i = 0; i < o->ballot.ranking.count; i++) {
		struct contender *c =
			&r->contenders[o->ballot.ranking.choices[i].candidate];
		struct ejob *j = &r->e->jobs[c->row];

		if (!c->resized)
			continue;
		if (c->winner != j->id && !winner_granted(r, c)) {
			renew(r, c);
			continue;
		}
		if (grant(r, c, o) < 0)
			return -1;
		if (!j->grants && c->winner == j->id) {
			for (size_t k = 0; k < c->job->held_count; k++)
				astra_space_take(o->rc.work, &c->job->held[k]);
			renew(r, c);
			continue;
		}
		astra_job_set_phase(r->e, j, ASTRA_PHASE_DOOMED);
		j->doomed_for = c->winner;
	}
	return 0;
}

/* Whether a loser keeps its GPUs because the job that was to get them did not
 * take them. It does not if a part of them was granted to another job
 * meanwhile. */
static bool settle_keeps(const struct round *r, const struct outcome *o,
			 const struct contender *c)
{
	if (!c->taken)
		return true;
	if (!astra_loser_fits(r, o->rc.work, c))
		return false;
	astra_loser_take(r, o->rc.work, c);
	return true;
}

static void settle_loser(struct round *r, const struct outcome *o,
			 struct contender *c)
{
	struct ejob *j = &r->e->jobs[c->row];
	bool leaves = c->taken && winner_granted(r, c);

	if (!leaves && settle_keeps(r, o, c)) {
		renew(r, c);
		return;
	}
	astra_job_set_phase(r->e, j, ASTRA_PHASE_DOOMED);
	j->doomed_for = leaves ? c->winner : ASTRA_NONE;
	astra_budget_leave(r, j, j->doomed_for);
}

int astra_settle(struct round *r, const struct outcome *o)
{
	/* Go in the policy's order, so that the needier jobs get the long
	 * leases. */
	for (size_t i = 0; i < o->ballot.ranking.count; i++) {
		struct contender *c =
			&r->contenders[o->ballot.ranking.choices[i].candidate];

		if (!c->expired && c->share_count && grant(r, c, o) < 0)
			return -1;
		if (c->expired && c->granted && !c->resized)
			renew(r, c);
	}
	if (r->elastic && settle_resized(r, o) < 0)
		return -1;
	for (size_t i = 0; i < r->contender_count; i++) {
		struct contender *c = &r->contenders[i];

		if (c->expired && !c->granted)
			settle_loser(r, o, c);
	}
	return 0;
}

/* Drop a job's grants, and correct r->grants_before, the number of grants of
 * earlier rounds. */
static void settle_drop_older(struct round *r, uint32_t job)
{
	size_t dropped = 0;

	for (size_t i = 0; i < r->grants_before; i++)
		dropped += r->e->grants[i].job == job;
	astra_grants_drop(r->e, job);
	r->grants_before -= dropped;
	r->withdrawn = true;
}

/* Cut leases that were granted in earlier rounds and have not begun, so that
 * they also end with the holds. Leases that a hold was served with are not cut.
 * A loan whose end has passed is dropped. */
void astra_settle_older(struct round *r, size_t count)
{
	for (size_t i = count; i-- > 0;) {
		if (i >= r->e->grant_count)
			continue; /* tasks of an array were dropped together */
		struct grant *g = &r->e->grants[i];
		const struct ejob *j = astra_engine_find(r->e, g->job);
		const struct astra_job *job = &r->snap->jobs[j->index];
		double end = astra_first_end(r, j, job), cut;

		if (j->served)
			continue;
		if (g->until_sec > 0)
			end = g->until_sec;
		cut = astra_holds_cut(r, job, g->shares, g->count, end);
		if (cut < end)
			g->until_sec = cut;
		if (end <= r->snap->now_sec ||
		    !astra_first_is_worth(r, j, job, cut, end))
			settle_drop_older(r, g->job);
	}
}

enum astra_wait astra_wait_of(const struct round *r, const struct ejob *j,
			      const struct astra_job *job)
{
	const struct astra_engine *e = r->e;

	if (job->state == ASTRA_JOB_BLOCKED)
		return ASTRA_WAIT_BLOCKED;
	if (job->state == ASTRA_JOB_REQUEUED)
		return ASTRA_WAIT_CLEANUP;
	if (j->grants)
		return ASTRA_WAIT_GRANTED;
	if (j->balked || (j->refusals && astra_refused_job(e, j->id)))
		return ASTRA_WAIT_REFUSED;
	if (j->unfit)
		return ASTRA_WAIT_TOO_BIG;
	if (astra_hold_of(e, j->id))
		return ASTRA_WAIT_HOLD;
	return ASTRA_WAIT_RANK;
}

/* Return the time from its submission in which a job is promised its first
 * start if no other job waits before it. Infinite: no promise. */
static double settle_promise_sec(const struct round *r, const struct ejob *j)
{
	struct place p = astra_first_start_earliest(r, j);

	return fmax(p.tenant_sec, p.user_sec) - r->snap->now_sec;
}

double astra_first_promised_sec(const struct round *r, const struct ejob *j)
{
	const struct astra_engine *e = r->e;

	return astra_engine_promises(e) && !j->ran && !j->balked && !e->keeps &&
			       isfinite(j->bound_sec) &&
			       isfinite(j->kept_bound_sec)
		       ? fmax(j->bound_sec, j->kept_bound_sec)
		       : 0;
}

double astra_promised_sec(const struct round *r, const struct ejob *j)
{
	double bound_sec = astra_first_promised_sec(r, j);

	if (astra_vain_unleased(j->vain))
		return 0;
	if (bound_sec > 0 && j->blocked_sec > 0)
		bound_sec = fmax(bound_sec,
				 j->blocked_sec + settle_promise_sec(r, j));
	return bound_sec;
}

double astra_promised_after_sec(const struct round *r, const struct ejob *j)
{
	double sec = settle_promise_sec(r, j);

	return astra_engine_promises(r->e) && !j->ran && !j->balked &&
			       !r->e->keeps && astra_vain_unleased(j->vain) &&
			       isfinite(sec)
		       ? sec
		       : 0;
}

uint32_t astra_blocker_of(const struct astra_engine *e, const struct ejob *j)
{
	return j->blocker && (astra_vain_unleased(j->vain) ||
			      astra_hold_of(e, j->id))
		       ? j->blocker
		       : 0;
}

bool astra_job_waits(const struct astra_job *job)
{
	return job->state != ASTRA_JOB_RUNNING &&
	       job->state != ASTRA_JOB_ENDING && job->state != ASTRA_JOB_ENDED;
}

int astra_reasons_reserve(struct astra_engine *e)
{
	return astra_grow(&e->reasons, &e->reason_room, e->job_count,
			  sizeof(*e->reasons));
}

/* Give ranks and reasons to all waiting jobs. */
int astra_explain(struct round *r, const struct astra_ranking *ranking,
		  const struct astra_space *free_space)
{
	struct astra_engine *e = r->e;
	uint32_t rank = 0;

	if (astra_reasons_reserve(e) < 0)
		return -1;
	for (size_t i = 0; i < r->snap->job_count; i++) {
		const struct astra_job *job = &r->snap->jobs[i];
		struct ejob *j = &e->jobs[e->row_of[i]];
		struct astra_reason *reason = &e->reasons[e->row_of[i]];

		*reason = (struct astra_reason){
			.job = j->id,
			.bound_sec = astra_promised_sec(r, j),
			.first_bound_sec = astra_first_promised_sec(r, j),
		};
		if (!astra_job_waits(job))
			continue;
		reason->wait = astra_wait_of(r, j, job);
		if (reason->wait == ASTRA_WAIT_HOLD)
			reason->start_sec = astra_hold_of(e, j->id)->start_sec;
		reason->blocker = astra_blocker_of(e, j);
		reason->after_sec = astra_promised_after_sec(r, j);
		astra_caps_explain(r, j, job, reason);
	}
	if (free_space && astra_lacks_find(r, ranking, free_space) < 0)
		return -1;
	if (free_space && e->options.promise && astra_share_explain(r) < 0)
		return -1;
	for (size_t i = 0; i < ranking->count; i++) {
		const struct contender *c =
			&r->contenders[ranking->choices[i].candidate];
		const struct ejob *j = &e->jobs[c->row];
		struct astra_reason *reason = &e->reasons[c->row];

		if (c->expired || reason->rank)
			continue;
		reason->rank = ++rank;
		if (reason->wait != ASTRA_WAIT_RANK)
			continue;
		if (j->vain && j->vain != ASTRA_WAIT_RANK)
			reason->wait = j->vain;
		else if (c->failed)
			reason->wait = ASTRA_WAIT_PLACE;
	}
	for (size_t i = 0; i < r->snap->job_count; i++) {
		struct astra_reason *reason = &e->reasons[e->row_of[i]];

		reason->ranks = rank;
		if (reason->wait != ASTRA_WAIT_NONE &&
		    astra_plan_reason(r->plan, reason) < 0)
			return -1;
	}
	return 0;
}
