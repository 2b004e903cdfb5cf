/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What tenants and users lack of their share of GPU time, and which jobs are
 * owed a turn. A turn is like a packet: a job's GPUs, as charged, for a term.
 * As in fair queueing with packets larger than a quantum (deficit round robin,
 * Shreedhar and Varghese, 1995; start-time fair queueing, Goyal et al., 1996),
 * the error stays within one packet if a turn is owed once half of it is
 * lacking:
 *
 *   lack(x) = F_x - A_x + (due rate of x - GPUs x holds) * term - promises to x
 *
 * x is a tenant or a user; F and A are Eqs. 8 and 12 (Ye et al.), A without
 * gifts (fairness.h); promises are grants and holds, a turn each. lack(x) is
 * what x will lack in a term, when the leases of today have ended.
 *
 * A job of 2 GPUs or more that ran is owed a turn
 * - if its user lacks half of it, or
 * - if its tenant lacks half of it and its user lacks something, or
 * - later, if its user lacks nothing: the tenant lacks half of it by now, and
 *   the job has waited two terms, or eight if it fits on a node. It waits no
 *   longer once the tenant lacks as many turns.
 *
 * The tenant's other waiting jobs go first if their user is poorer or, for the
 * same user, if their rho is less. Their turns are subtracted from the lack. So
 * a user that had idle GPUs for days does not starve.
 *
 * The job is given a hold on leases of richer tenants and users, when these end
 * by themselves. Its tenant must also lack half a turn of each of the jobs
 * whose leases it takes: a small job does not break up a gang. A job of the
 * same user that waits for its first start goes first.
 *
 * Jobs that are starved by their siblings, and so have had less than 0.8 of
 * their share, come back within about eight terms, after first starts that are
 * due. Usually the contest brings them back. Otherwise a job larger than a node
 * is given a hold after two terms, on leases of richer tenants and of its
 * tenant's jobs that have had more. After eight terms the hold is on leases of
 * any tenant, if its tenant lacks GPU time. A job that fits on a node is given
 * a hold after eight terms, while no job of its tenant waits for its first
 * start. */
#include <math.h>
#include <stdlib.h>

#include "src/engine/hold.h"
#include "src/policies/ltgf/ltgf.h"

static double share_turn(const struct ejob *j, uint32_t gpus)
{
	return astra_elastic_charge(j, gpus) * j->lease_sec;
}

void astra_share_promise(struct turns *t, const struct ejob *j, uint32_t gpus)
{
	double turn = share_turn(j, gpus);

	t->lack[j->tenant] -= turn;
	if (j->user != ASTRA_NONE)
		t->user_lack[j->user] -= turn;
}

static double share_lack(const struct astra_contestant *x, double due_gpus,
			 double held_gpus, double term_sec)
{
	return x->usage.fair - x->usage.alloc +
	       (due_gpus - held_gpus) * term_sec;
}

static void share_measure(struct turns *t)
{
	const struct astra_engine *e = t->r->e;
	const struct astra_contestant *x = t->r->contestants;
	double term = e->options.lease_sec;

	for (size_t i = 0; i < e->tenant_count; i++) {
		uint32_t account = e->tenants[i].account;
		double demand = astra_fairness_demand(e->account, account);
		double held = astra_fairness_alloc(e->account, account);

		t->held += held;
		t->lack[i] =
			share_lack(&x[i], fmin(demand, x[i].quota), held, term);
		t->to_come[i] = fmax(fmin(demand, x[i].quota) - held, 0) * term;
	}
	for (size_t i = 0; i < e->user_count; i++) {
		uint32_t account = e->users[i].account;

		if (e->users[i].jobs)
			t->user_lack[i] = share_lack(
				&x[e->tenant_count + i],
				astra_fairness_user_due(e->account, account),
				astra_fairness_user_alloc(e->account, account),
				term);
	}
}

static void share_promise_all(struct turns *t)
{
	struct astra_engine *e = t->r->e;

	for (size_t i = 0; i < e->grant_count; i++)
		astra_share_promise(t, astra_engine_find(e, e->grants[i].job),
				    astra_shares_gpus(e->grants[i].shares,
						      e->grants[i].count));
	for (size_t i = 0; i < e->hold_count; i++)
		astra_share_promise(t, astra_engine_find(e, e->holds[i].job),
				    astra_shares_gpus(e->holds[i].shares,
						      e->holds[i].count));
}

/* Whether half a turn is lacking already now, and the job has waited
 * astra_due_terms() or as many turns are lacking. lack: what its tenant lacks
 * in a term. */
static bool share_is_late(const struct turns *t, const struct contender *c,
			  double lack)
{
	const struct round *r = t->r;
	const struct ejob *j = &r->e->jobs[c->row];
	double turns =
		(lack - t->to_come[j->tenant]) / share_turn(j, j->gpus_least);
	double terms =
		(r->snap->now_sec - j->away_sec) / r->e->options.lease_sec;

	return turns >= 0.5 && fmax(turns, terms) >= astra_due_terms(r, j);
}

static bool share_waits(const struct round *r, const struct contender *c)
{
	return !c->expired && !c->share_count && !c->refused &&
	       !astra_turn_vain(r, &r->e->jobs[c->row]);
}

/* A waiting contender: its tenant, the A / F of its user (key), and its rho. */
struct waiting {
	size_t index;
	uint32_t tenant;
	double key, rho;
};

static int share_compare(const void *a, const void *b)
{
	const struct waiting *x = a, *y = b;

	if (x->tenant != y->tenant)
		return x->tenant < y->tenant ? -1 : 1;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->rho != y->rho)
		return x->rho < y->rho ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

static struct waiting share_waiting(const struct round *r, size_t index)
{
	const struct contender *c = &r->contenders[index];
	const struct astra_contestant *users =
		r->contestants + r->e->tenant_count;
	struct waiting w = {
		.index = index,
		.tenant = c->tenant,
		.rho = astra_ballot_candidate(r, c->row, c->job).rho,
	};

	if (c->user != ASTRA_NONE)
		w.key = astra_ltgf_key(&users[c->user],
				       users[c->user].usage.alloc,
				       r->e->options.lease_sec);
	return w;
}

/* Fill t->before. The turn of a job with a hold is not added to later jobs'
 * sums: t->lack already counts it as promised. */
static void share_queue(struct turns *t, struct waiting *list)
{
	const struct round *r = t->r;
	size_t count = 0;
	double sum = 0;

	for (size_t i = 0; i < r->contender_count; i++) {
		const struct contender *c = &r->contenders[i];

		if (share_waits(r, c) &&
		    t->lack[c->tenant] > t->to_come[c->tenant])
			list[count++] = share_waiting(r, i);
	}
	qsort(list, count, sizeof(*list), share_compare);
	for (size_t i = 0; i < count; i++) {
		const struct contender *c = &r->contenders[list[i].index];
		const struct ejob *j = &r->e->jobs[c->row];

		if (i && list[i].tenant != list[i - 1].tenant)
			sum = 0;
		t->before[list[i].index] = sum;
		if (!astra_hold_of(r->e, j->id))
			sum += share_turn(j, j->gpus_least);
	}
}

/* Whether a job may be owed a turn that its user does not lack. */
static bool share_asks(const struct turns *t, const struct contender *c)
{
	const struct round *r = t->r;
	const struct ejob *j = &r->e->jobs[c->row];
	double lack = t->lack[j->tenant];

	if (!j->ran || j->gpus_least < 2 || !astra_shared_by_user(r->e, j) ||
	    !share_waits(r, c))
		return false;
	if (astra_hold_of(r->e, j->id))
		lack += share_turn(j, j->gpus_least);
	return share_is_late(t, c, lack);
}

/* Fill t->before if some job needs it. Returns 0, or -1 when memory is out. */
static int share_queue_all(struct turns *t)
{
	size_t count = t->r->contender_count, i = 0;
	struct waiting *list;

	while (i < count && !share_asks(t, &t->r->contenders[i]))
		i++;
	if (i == count)
		return 0;
	list = calloc(count, sizeof(*list));
	t->before = calloc(count, sizeof(*t->before));
	if (list && t->before)
		share_queue(t, list);
	free(list);
	return list && t->before ? 0 : -1;
}

int astra_share_init(struct turns *t)
{
	const struct astra_engine *e = t->r->e;

	t->lack = calloc(e->tenant_count + 1, sizeof(*t->lack));
	t->user_lack = calloc(e->user_count + 1, sizeof(*t->user_lack));
	t->user_fresh = calloc(e->user_count + 1, sizeof(*t->user_fresh));
	t->to_come = calloc(e->tenant_count + 1, sizeof(*t->to_come));
	if (!t->lack || !t->user_lack || !t->user_fresh || !t->to_come)
		return -1;
	share_measure(t);
	share_promise_all(t);
	for (size_t i = 0; i < t->r->contender_count; i++) {
		const struct contender *c = &t->r->contenders[i];

		if (c->user != ASTRA_NONE && astra_turn_fresh(c))
			t->user_fresh[c->user] = true;
	}
	return share_queue_all(t);
}

void astra_share_fini(struct turns *t)
{
	free(t->lack);
	free(t->user_lack);
	free(t->user_fresh);
	free(t->to_come);
	free(t->before);
}

/* Whether the tenant or the user lacks half a turn. user_lack: NaN if shares do
 * not go by user. */
static bool share_is_owed(double turn, double lack, double user_lack)
{
	if (isnan(user_lack))
		return lack >= turn / 2;
	return user_lack >= turn / 2 || (lack >= turn / 2 && user_lack > 0);
}

/* Whether a job is owed a turn that its user does not lack. lack: what the
 * tenant lacks. */
static bool share_is_owed_late(const struct turns *t, const struct contender *c,
			       double lack)
{
	const struct ejob *j = &t->r->e->jobs[c->row];

	return t->before && astra_shared_by_user(t->r->e, j) &&
	       share_is_late(t, c, lack - t->before[c - t->r->contenders]);
}

static double share_user_lack(const struct turns *t, const struct ejob *j)
{
	return astra_shared_by_user(t->r->e, j) ? t->user_lack[j->user]
						: (double)NAN;
}

/* Whether another tenant holds GPUs. If not, no tenant is owed a turn. A policy
 * that ranks gives turns even to a tenant that is alone. */
static bool share_is_held(const struct turns *t, const struct ejob *j)
{
	const struct astra_engine *e = t->r->e;

	return !e->policy->allocate ||
	       t->held > astra_fairness_alloc(e->account,
					      e->tenants[j->tenant].account);
}

bool astra_share_owed(const struct turns *t, const struct contender *c)
{
	const struct ejob *j = &t->r->e->jobs[c->row];
	bool by_user = astra_shared_by_user(t->r->e, j);
	bool fresh =
		by_user ? t->user_fresh[j->user] : t->next[j->tenant] != NULL;

	return j->gpus_least >= 2 && !fresh &&
	       (by_user || share_is_held(t, j)) &&
	       (share_is_owed(share_turn(j, j->gpus_least), t->lack[j->tenant],
			      share_user_lack(t, j)) ||
		share_is_owed_late(t, c, t->lack[j->tenant]));
}

bool astra_share_passes(const struct turns *t, const struct ejob *owner,
			const struct ejob *next)
{
	double half = owner->held_charge * owner->lease_sec / 2;

	if (owner->tenant != next->tenant && t->lack[next->tenant] >= half)
		return true;
	return astra_shared_by_user(t->r->e, next) &&
	       owner->user != next->user && t->user_lack[next->user] >= half;
}

/* Return how far a tenant or a user is behind its share at present. */
static double share_behind(const struct astra_contestant *x)
{
	return x->usage.fair - x->usage.alloc;
}

/* Whether the tenant of `owner` will lack half of this turn once the lease has
 * ended. If `next` is of the same tenant, the user of `owner` counts instead.
 * t->lack counts the lease as if it went on. */
static bool share_needs(const struct turns *t, const struct ejob *owner,
			const struct ejob *next)
{
	double half = owner->held_charge * owner->lease_sec / 2;

	if (owner->tenant != next->tenant)
		return t->lack[owner->tenant] >= -half;
	return astra_shared_by_user(t->r->e, owner) &&
	       owner->user != next->user && t->user_lack[owner->user] >= -half;
}

bool astra_share_recalls(const struct turns *t, const struct ejob *owner,
			 const struct ejob *next)
{
	const struct astra_contestant *tenants = t->r->contestants;
	const struct astra_contestant *users = tenants + t->r->e->tenant_count;
	double half = owner->held_charge * owner->lease_sec / 2;
	bool same = owner->tenant == next->tenant;

	if (share_needs(t, owner, next))
		return false;
	if (!owner->collected || (same && owner->user == next->user) ||
	    owner->held_charge <= astra_elastic_charge(next, next->gpus_least))
		return true;
	if (!same && share_behind(&tenants[next->tenant]) >= half)
		return true;
	return astra_shared_by_user(t->r->e, next) &&
	       share_behind(&users[next->user]) >= half;
}

/* Round a sum. Sums of the same terms in another order, for example after a
 * restart, differ in their last bits. Rounded, they are almost always equal. */
static double share_round(double gpu_sec)
{
	return rint(gpu_sec * 1024) / 1024;
}

/* Explain what a job lacks for a turn. The job's own holds promise the turn in
 * question, so they are not subtracted. */
static void share_explain_job(const struct turns *t, const struct contender *c,
			      const bool *tenant_fresh,
			      struct astra_reason *reason)
{
	const struct ejob *j = &t->r->e->jobs[c->row];
	double turn = share_turn(j, j->gpus_least);
	double held = turn * (double)astra_holds_of(t->r->e, j->id);

	reason->turn_gpu_sec = turn;
	reason->lack_gpu_sec = share_round(t->lack[j->tenant] + held);
	reason->user_lack_gpu_sec = share_round(share_user_lack(t, j) + held);
	reason->fresh_first = astra_shared_by_user(t->r->e, j)
				      ? t->user_fresh[j->user]
				      : tenant_fresh[j->tenant];
	reason->owed = !reason->fresh_first &&
		       (share_is_owed(turn, reason->lack_gpu_sec,
				      reason->user_lack_gpu_sec) ||
			share_is_owed_late(t, c, reason->lack_gpu_sec));
}

/* Explain the turns of waiting jobs. r->contestants must be filled. */
static int share_explain(struct round *r)
{
	struct turns t = {.r = r};
	bool *fresh = calloc(r->e->tenant_count + 1, sizeof(*fresh));
	int rc;

	rc = fresh ? astra_share_init(&t) : -1;
	for (size_t i = 0; !rc && i < r->contender_count; i++)
		fresh[r->contenders[i].tenant] |=
			astra_turn_fresh(&r->contenders[i]);
	for (size_t i = 0; !rc && i < r->contender_count; i++) {
		const struct contender *c = &r->contenders[i];
		const struct ejob *j = &r->e->jobs[c->row];

		if (j->ran && !c->expired && !c->share_count &&
		    j->gpus_least >= 2)
			share_explain_job(&t, c, fresh, &r->e->reasons[c->row]);
	}
	astra_share_fini(&t);
	free(fresh);
	return rc;
}

int astra_share_explain(struct round *r)
{
	struct ballot b;
	int rc = astra_ballot_init(&b, r, 0);

	if (!rc)
		rc = share_explain(r);
	astra_ballot_fini(&b);
	return rc;
}
