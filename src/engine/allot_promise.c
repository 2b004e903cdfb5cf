/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The promise under a policy that allocates: first starts that are due have
 * holds, as under a policy that ranks. A hold is served before the policy is
 * asked. Until the hold begins the policy may award its GPUs, but such leases
 * end when the hold begins.
 *
 * What differs from the promise under LTGF (hold.h):
 * - There are no next jobs and no reserve. The policy may start any job
 *   earlier.
 * - A hold whose time has come is served from free GPUs and from expired
 *   leases. The policy is offered the other GPUs. To the policy, the served
 *   job is one that runs until its lease ends.
 * - No award begins that would be shorter than MinRunTime or a round. So free
 *   GPUs of a hold that begins sooner are not offered. A running job does not
 *   move to GPUs that a hold needs.
 * - A lease ends early for a hold in two cases only: it spans several slots
 *   and has lasted a term; or the job would start later than its bound less a
 *   16th of a term, and the lease has run RecallAfter.
 * - The lease of a promised start ends with the last slot that ends within a
 *   term, or with the leases of the auction, unless these end in less than half
 *   a term. A job that was planned on GPUs that the hold took loses the slot.
 * - Admission goes first: a job that oasis refuses (Admission=refuse) is
 *   promised nothing. A job that is only worth less than its price starts by
 *   its bound, for one lease, and then waits for its price again.
 * - A promised start is not bought. Under incentive it is charged like
 *   overtime. With LendIdle it costs nothing. Otherwise the part that exceeds
 *   the tenant's share costs the posted price of the slot, at most what the
 *   tenant has left. A tenant whose planned job loses a slot to a hold is not
 *   paid back.
 * - Under ltgf+X gangs are owed turns, too (share.c), as LTGF gives each
 *   tenant a share. What users and sibling jobs lack is left to the inner
 *   policy.
 * - Policies that know no users have no bounds by user.
 *
 * Leases are left to end by themselves here, which may take half a term longer.
 * So holds are planned earlier by that (backlog.c). If SlotLength is longer
 * than LeaseTerm, they are also planned earlier by the difference. Under themis
 * all leases end at multiples of a term, and gangs that do not fit side by side
 * lose one term. */
#include <math.h>
#include <stdlib.h>

#include "src/engine/allot_priv.h"
#include "src/engine/hold.h"
#include "src/policies/options.h"

/* Drop the holds of jobs that ran. A policy that ranks may have made them in
 * earlier rounds. */
static void promise_drop_ran(struct astra_engine *e)
{
	if (astra_engine_owes(e))
		return;
	for (size_t i = e->hold_count; i-- > 0;) {
		const struct ejob *j = astra_engine_find(e, e->holds[i].job);

		if (!j || j->ran)
			astra_hold_drop(e, i);
	}
}

/* Whether the hold begins so soon that a lease until then would be too
 * short. */
static bool promise_is_near(const struct round *r, const struct hold *hold)
{
	const struct astra_options *o = &r->e->options;
	double least = fmax(o->round_sec, astra_min_run_sec(o, r->e->policy,
							    o->lease_sec, 0));

	return hold->start_sec <= r->snap->now_sec + least;
}

/* Keep the free part of a share from the policy. */
static void promise_withhold(struct allotment *a, struct astra_share part)
{
	const struct astra_room *room = astra_space_get(a->r->idle, part.node);

	if (part.gpus > room->gpus)
		part.gpus = room->gpus;
	if (part.cpus > room->cpus)
		part.cpus = room->cpus;
	if (part.mem_mib > room->mem_mib)
		part.mem_mib = room->mem_mib;
	if (!part.gpus)
		return;
	astra_space_take(a->r->idle, &part);
	a->withheld[a->withheld_count++] = part;
}

static int promise_withhold_near(struct allotment *a)
{
	const struct astra_engine *e = a->r->e;
	size_t count = 0;

	for (size_t i = 0; i < e->hold_count; i++)
		count += e->holds[i].count;
	a->withheld = calloc(count + 1, sizeof(*a->withheld));
	if (!a->withheld)
		return -1;
	for (size_t i = 0; i < e->hold_count; i++)
		for (size_t k = 0; promise_is_near(a->r, &e->holds[i]) &&
				   k < e->holds[i].count;
		     k++)
			promise_withhold(a, e->holds[i].shares[k]);
	return 0;
}

int astra_allot_serve_holds(struct allotment *a)
{
	struct round *r = a->r;

	if (!astra_engine_promises(r->e)) {
		astra_holds_clear(r->e);
		return 0;
	}
	promise_drop_ran(r->e);
	a->grants_before = r->e->grant_count;
	if (astra_holds_serve(r) < 0 || astra_rights_serve(r) < 0)
		return -1;
	a->grants_served = r->e->grant_count;
	r->grants_before = r->e->grant_count;
	astra_contenders_withdraw(r);
	if (!r->e->hold_count)
		return 0;
	return astra_holds_table(r) < 0 ? -1 : promise_withhold_near(a);
}

bool astra_allot_cut(struct allotment *a, const struct contender *c,
		     const struct astra_share *shares, size_t count,
		     double *until_sec)
{
	struct round *r = a->r;
	const struct ejob *j = &r->e->jobs[c->row];
	double now = r->snap->now_sec, end = *until_sec, cut;

	if (!r->node_holds)
		return true;
	if (astra_will_keep(r->e, c->job) && !c->expired)
		end = astra_first_end(r, j, c->job);
	else if (!(end > now))
		end = now + j->lease_sec;
	if (c->job->time_limit_sec > 0 && !c->expired)
		end = fmin(end, now + c->job->time_limit_sec);
	cut = astra_holds_cut(r, c->job, shares, count, end);
	if (cut >= end)
		return true;
	*until_sec = cut;
	return !c->expired && astra_first_is_worth(r, j, c->job, cut, end);
}

/* Return when the lease of a promised start ends: with other leases of the
 * policy, at the last such time within the job's term. If that is too soon, the
 * lease lasts its whole term. next_end_sec: end of the present slot, or of
 * leases that begin now; 0: unknown. */
static double promise_end(const struct round *r, const struct grant *g,
			  double next_end_sec)
{
	const struct astra_options *o = &r->e->options;
	double term = astra_hold_term(r->e, astra_engine_find(r->e, g->job));
	double step = r->e->policy->slots ? o->slot_sec : o->lease_sec;
	double now = r->snap->now_sec, end = next_end_sec;

	if (!(end > now))
		return 0;
	while (end + step <= now + term)
		end += step;
	if (end < now + fmin(term, step) / 2 || end > now + term)
		return now + term;
	return end;
}

/* Charge the lease as a lease that continues without an award. */
static void promise_charge(struct allotment *a, const struct grant *g,
			   double end_sec)
{
	struct astra_engine *e = a->r->e;

	for (size_t i = 0; e->policy->spared && i < a->demand_count; i++)
		if (a->demands[i].job->id == g->job &&
		    e->policy->spared(e->policy_self, &a->demands[i],
				      astra_shares_gpus(g->shares, g->count),
				      end_sec))
			a->r->plan->changed = true;
}

void astra_allot_settle_served(struct allotment *a)
{
	struct round *r = a->r;

	for (size_t i = a->grants_before; i < a->grants_served; i++) {
		struct grant *g = &r->e->grants[i];
		double had = g->until_sec;

		g->until_sec = astra_caps_end(
			r->e, astra_engine_find(r->e, g->job),
			promise_end(r, g, a->answer.spare_until_sec));
		if (had > 0 && (!(g->until_sec > 0) || had < g->until_sec))
			g->until_sec = had; /* the start of the next hold */
		promise_charge(a, g, a->answer.spare_until_sec);
		r->plan->changed = true;
	}
}

/* Drop the holds of jobs that the policy refuses. */
static void promise_drop_refused(struct round *r)
{
	for (size_t i = 0; i < r->contender_count; i++)
		for (size_t k = r->e->hold_count;
		     r->contenders[i].refused && k-- > 0;)
			if (r->e->holds[k].job == r->contenders[i].job->id)
				astra_hold_drop(r->e, k);
}

int astra_allot_plan_holds(struct allotment *a)
{
	struct round *r = a->r;

	if (!astra_engine_promises(r->e))
		return 0;
	promise_drop_refused(r);
	for (size_t i = 0; i < a->withheld_count; i++)
		astra_space_give(a->rc.work, &a->withheld[i]);
	/* Promise a first start the fewest GPUs that the job can run on. */
	if (astra_elastic_find(r) < 0)
		return -1;
	return astra_recall_due(r, &a->rc.work);
}
