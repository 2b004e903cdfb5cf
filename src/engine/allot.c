/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A round of a policy that allocates. The policy is offered the GPUs that are
 * free or held by expired leases, and answers which job gets which of them. The
 * answer is checked. Then it becomes leases and grants, as in any other round.
 *
 * A job is renewed if it is awarded the GPUs that it holds. If it is awarded
 * other GPUs, it leaves to start there. But if these are as many or fewer, and
 * no job needs the GPUs that it holds, it moves only if the policy says so. A
 * job without an award leaves only if its GPUs were awarded to another job. If
 * CPUs or memory are short at the awarded place, the job goes elsewhere. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/engine/allot_priv.h"
#include "src/engine/hold.h"
#include "src/policies/offer.h"

int astra_allocation_add(struct astra_allocation *a, uint32_t demand,
			 double until_sec, const struct astra_share *shares,
			 size_t share_count)
{
	if (astra_grow(&a->awards, &a->award_room, a->award_count + 1,
		       sizeof(*a->awards)) < 0 ||
	    astra_grow(&a->shares, &a->share_room, a->share_count + share_count,
		       sizeof(*a->shares)) < 0)
		return -1;
	a->awards[a->award_count++] = (struct astra_award){
		.demand = demand,
		.until_sec = until_sec,
		.first_share = a->share_count,
		.share_count = share_count,
	};
	for (size_t i = 0; i < share_count; i++)
		a->shares[a->share_count++] = shares[i];
	return 0;
}

static int allot_append(uint32_t **list, size_t *count, size_t *room,
			uint32_t demand)
{
	if (astra_grow(list, room, *count + 1, sizeof(**list)) < 0)
		return -1;
	(*list)[(*count)++] = demand;
	return 0;
}

int astra_allocation_leave(struct astra_allocation *a, uint32_t demand)
{
	return allot_append(&a->leavers, &a->leaver_count, &a->leaver_room,
			    demand);
}

int astra_allocation_refuse(struct astra_allocation *a, uint32_t demand)
{
	return allot_append(&a->refused, &a->refused_count, &a->refused_room,
			    demand);
}

static void allotment_fini(struct allotment *a)
{
	free(a->withheld);
	astra_reclaim_fini(&a->rc);
	astra_ballot_fini(&a->ballot);
	free(a->demands);
	free(a->sources);
	free(a->free);
	astra_space_destroy(a->space);
	free(a->promised);
	free(a->answer.awards);
	free(a->answer.shares);
	free(a->answer.leavers);
	free(a->answer.refused);
}

static int allotment_init(struct allotment *a, struct round *r)
{
	size_t promised = 0;

	*a = (struct allotment){.r = r};
	if (astra_contenders_find(r) < 0 || astra_allot_serve_holds(a) < 0)
		return -1;
	for (size_t i = 0; i < r->e->grant_count; i++)
		promised += r->e->grants[i].count;
	if (astra_ballot_init(&a->ballot, r, 0) < 0)
		return -1;
	a->demands = calloc(r->snap->job_count + 1, sizeof(*a->demands));
	a->sources = calloc(r->snap->job_count + 1, sizeof(*a->sources));
	a->free = calloc(r->snap->node_count + 1, sizeof(*a->free));
	a->space = astra_space_copy(r->idle);
	a->promised = calloc(promised + 1, sizeof(*a->promised));
	if (a->demands && a->sources && a->free && a->space && a->promised)
		return 0;
	return -1;
}

static void offer_gpus(struct allotment *a)
{
	struct round *r = a->r;

	for (size_t i = 0; i < r->contender_count; i++)
		if (r->contenders[i].expired)
			astra_loser_give(r, a->space, &r->contenders[i]);
	for (uint32_t n = 0; n < r->snap->node_count; n++)
		a->free[n] = astra_space_get(a->space, n)->gpus;
}

/* Count as held the GPUs that were promised to the job in an earlier round. */
static void count_promised(struct allotment *a, struct astra_demand *demand)
{
	const struct astra_engine *e = a->r->e;

	demand->held = a->promised + a->promised_count;
	for (size_t i = 0; i < e->grant_count; i++) {
		const struct grant *g = &e->grants[i];

		if (g->job != demand->job->id)
			continue;
		memcpy(a->promised + a->promised_count, g->shares,
		       g->count * sizeof(*g->shares));
		a->promised_count += g->count;
		demand->held_count += g->count;
		demand->until_sec =
			g->until_sec > 0
				? g->until_sec
				: a->r->snap->now_sec + e->options.lease_sec;
	}
}

/* Whether a demand fits into the idle GPUs. */
static bool allot_has_idle(const struct round *r, const struct astra_demand *d)
{
	struct astra_share *shares =
		calloc(r->snap->node_count + 1, sizeof(*shares));
	uint32_t least = astra_request_least(&d->job->request);
	bool found = shares && astra_demand_place(r->idle, d, least, shares);

	free(shares);
	return found;
}

static void allot_add_demand(struct allotment *a, size_t index,
			     size_t *contender)
{
	const struct round *r = a->r;
	const struct astra_job *job = &r->snap->jobs[index];
	uint32_t row = r->e->row_of[index];
	const struct ejob *j = &r->e->jobs[row];
	struct astra_candidate candidate = astra_ballot_candidate(r, row, job);
	struct astra_demand demand = {
		.job = job,
		.tenant = j->tenant,
		.tenant_name = r->e->tenants[j->tenant].name,
		.submit_sec = j->submit_sec,
		.ran_sec = candidate.attained /
			   astra_charge(job->request.charge, job->request.gpus),
		.until_sec = r->snap->now_sec,
		.banned = astra_refused_nodes(r->e, job->id),
		.candidate = candidate,
	};

	a->sources[a->demand_count].contender = *contender;
	while (*contender < r->contender_count &&
	       r->contenders[*contender].job == job) {
		demand.copies++;
		++*contender;
	}
	if (j->balked && !allot_has_idle(r, &demand))
		demand.copies = 0; /* no lease ends for this job */
	demand.open = demand.copies > 0;
	if (job->state == ASTRA_JOB_RUNNING && j->phase == ASTRA_PHASE_LEASED) {
		demand.held = job->held;
		demand.held_count = job->held_count;
		demand.until_sec =
			astra_lease_stays(j, job) ? HUGE_VAL : j->lease_end_sec;
	} else if (j->grants) {
		count_promised(a, &demand);
	}
	a->demands[a->demand_count++] = demand;
}

static int allot_ask_policy(struct allotment *a, struct astra_error *err)
{
	struct round *r = a->r;
	struct astra_offer offer = {
		.now_sec = r->snap->now_sec,
		.lease_sec = r->e->options.lease_sec,
		.nodes = r->snap->nodes,
		.free = a->free,
		.space = a->space,
		.node_count = r->snap->node_count,
		.gpus = r->usable_gpus,
		.tenants = a->ballot.tenants,
		.tenant_count = r->e->tenant_count,
		.users = a->ballot.users,
		.user_count = r->e->user_count,
		.bids = r->snap->bids,
		.bid_count = r->snap->bid_count,
		.terse = r->plan->terse,
	};
	size_t contender = 0;

	offer_gpus(a);
	for (size_t i = 0; i < r->snap->job_count; i++)
		if (r->snap->jobs[i].request.gpus &&
		    astra_job_active(r->snap->jobs[i].state))
			allot_add_demand(a, i, &contender);
	offer.demands = a->demands;
	offer.demand_count = a->demand_count;
	a->answer.wake_sec = HUGE_VAL;
	return r->e->policy->allocate(r->e->policy_self, &offer, &a->answer,
				      err);
}

/* Tell the policy how many GPUs the job keeps without an award. */
static void tell_spared(struct allotment *a, const struct contender *c,
			uint32_t demand, double end_sec)
{
	const struct astra_policy *policy = a->r->e->policy;
	const struct astra_award *award =
		&a->answer.awards[a->sources[demand].award];
	uint32_t has = astra_loser_cost(c);
	uint64_t awarded = 0;

	for (size_t k = 0; c->granted && k < award->share_count; k++)
		awarded += a->answer.shares[award->first_share + k].gpus;
	if (policy->spared && has > awarded &&
	    policy->spared(a->r->e->policy_self, &a->demands[demand],
			   has - (uint32_t)awarded, end_sec))
		a->r->plan->changed = true;
}

static bool leaves(const struct allotment *a, uint32_t demand)
{
	for (size_t i = 0; i < a->answer.leaver_count; i++)
		if (a->answer.leavers[i] == demand)
			return true;
	return false;
}

/* Decide about a job whose lease is over: it continues, or it leaves its GPUs
 * to the job that was awarded them. */
static void settle_one(struct allotment *a, struct contender *c,
		       uint32_t demand)
{
	struct ejob *j = &a->r->e->jobs[c->row];
	double now = a->r->snap->now_sec;
	double end = c->granted ? c->until_sec : a->answer.spare_until_sec;
	double cut;

	if (c->taken || (!c->granted && leaves(a, demand) &&
			 !astra_rights_spare(a->r, c))) {
		if (j->lease_end_sec > now)
			astra_lease_set_end(a->r->e, j, now);
		astra_job_set_phase(a->r->e, j, ASTRA_PHASE_DOOMED);
		j->doomed_for = c->taken ? c->winner : ASTRA_NONE;
		a->r->plan->changed = true;
		return;
	}
	end = end > now ? end : now + j->lease_sec;
	if (a->r->node_holds)
		cut = astra_holds_cut(a->r, c->job, c->job->held,
				      c->job->held_count, end);
	else
		cut = end;
	if (cut > now)
		tell_spared(a, c, demand, cut);
	if (cut < end)
		astra_lease_lend(a->r, j, cut);
	else if (j->lease_end_sec != astra_lease_cut(c->job, end))
		astra_lease_renew(a->r, j, end);
}

static void settle_expired(struct allotment *a)
{
	for (uint32_t i = 0; i < a->demand_count; i++) {
		struct contender *c =
			&a->r->contenders[a->sources[i].contender];

		if (a->demands[i].open && c->expired)
			settle_one(a, c, i);
	}
}

/* Whether the policy may refuse the demand: the job waits with all its copies,
 * and no copy was awarded GPUs. */
static bool may_be_refused(const struct allotment *a, uint32_t demand)
{
	return demand < a->demand_count && a->demands[demand].open &&
	       a->demands[demand].job->state == ASTRA_JOB_PENDING &&
	       !a->sources[demand].awarded;
}

/* Mark the jobs that the policy does not want to run. They are then not lent
 * GPUs either. */
static void exclude_refused(struct allotment *a)
{
	for (size_t i = 0; i < a->answer.refused_count; i++) {
		uint32_t demand = a->answer.refused[i];
		struct contender *c;

		if (!may_be_refused(a, demand))
			continue;
		c = &a->r->contenders[a->sources[demand].contender];
		for (uint32_t k = 0; k < a->demands[demand].copies; k++)
			c[k].refused = true;
	}
}

static int allot_refuse(struct allotment *a)
{
	for (size_t i = 0; i < a->answer.refused_count; i++) {
		uint32_t demand = a->answer.refused[i];
		struct astra_decision d = {.action = ASTRA_REFUSE};

		if (!may_be_refused(a, demand))
			continue;
		d.job = a->demands[demand].job->id;
		d.restart_cnt = a->demands[demand].job->restart_cnt;
		if (astra_plan_add(a->r->plan, &d, NULL, 0) < 0)
			return -1;
	}
	return 0;
}

static int allot_explain(struct allotment *a)
{
	struct astra_engine *e = a->r->e;
	size_t demand = 0;

	if (astra_reasons_reserve(e) < 0)
		return -1;
	for (size_t i = 0; i < a->r->snap->job_count; i++) {
		const struct astra_job *job = &a->r->snap->jobs[i];
		const struct ejob *j = &e->jobs[e->row_of[i]];
		struct astra_reason *reason = &e->reasons[e->row_of[i]];

		if (demand < a->demand_count && a->demands[demand].job == job)
			demand++;
		*reason = (struct astra_reason){
			.job = j->id,
			.bound_sec = astra_promised_sec(a->r, j),
			.first_bound_sec = astra_first_promised_sec(a->r, j),
		};
		if (!astra_job_waits(job))
			continue;
		reason->wait = astra_wait_of(a->r, j, job);
		if (reason->wait == ASTRA_WAIT_HOLD)
			reason->start_sec = astra_hold_of(e, j->id)->start_sec;
		reason->blocker = astra_blocker_of(e, j);
		reason->after_sec = astra_promised_after_sec(a->r, j);
		astra_caps_explain(a->r, j, job, reason);
		if (reason->wait == ASTRA_WAIT_RANK && j->vain)
			reason->wait = j->vain;
		if (reason->wait == ASTRA_WAIT_RANK && e->policy->explain)
			e->policy->explain(e->policy_self,
					   &a->demands[demand - 1], reason);
		if (astra_plan_reason(a->r->plan, reason) < 0)
			return -1;
	}
	return 0;
}

/* Make leases of the policy's answer and of the promised starts. */
static int allot_carry_out(struct allotment *a, struct astra_error *err)
{
	astra_allot_settle_served(a);
	if (a->r->node_holds)
		astra_settle_older(a->r, a->grants_before);
	if (astra_allot_place(a, err) < 0)
		return -1;
	settle_expired(a);
	a->r->wake_sec = a->answer.wake_sec;
	return astra_allot_plan_holds(a) < 0 ? astra_error_nomem(err) : 0;
}

int astra_round_allot(struct round *r, struct astra_error *err)
{
	struct allotment a;
	int rc = -1;

	if (allotment_init(&a, r) < 0) {
		astra_error_nomem(err);
		goto out;
	}
	rc = allot_ask_policy(&a, err);
	r->plan->changed |= a.answer.changed;
	exclude_refused(&a);
	if (!rc)
		rc = allot_carry_out(&a, err);
	if (rc < 0)
		goto out;
	rc = astra_grants_start(r);
	if (!rc)
		rc = astra_revoke_doomed(r);
	if (!rc)
		rc = allot_refuse(&a);
	if (!rc && !r->plan->terse)
		rc = allot_explain(&a);
	if (rc < 0)
		astra_error_nomem(err);
out:
	allotment_fini(&a);
	return rc;
}
