/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What tenants and users lack of their share of GPU time, and to whom a turn is
 * owed. A turn is a packet: a job's GPUs, as they are charged, for a term. As
 * in fair queueing with packets larger than a quantum (deficit round robin,
 * Shreedhar and Varghese, 1995; start-time fair queueing, Goyal et al., 1996),
 * the error stays within one packet if a turn is owed once half of it lacks:
 *
 *   lack(x) = F_x - A_x + (due rate of x - GPUs x holds) * term - promises to x
 *
 * x is a tenant or a user; F and A are Eqs. 8 and 12, A without gifts
 * (fairness.h); promises are grants and holds, a turn each. lack(x) is what x
 * will lack in a term, when the leases of today have ended.
 */
#include <math.h>
#include <stdlib.h>

#include "src/engine/hold.h"

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

int astra_share_init(struct turns *t)
{
	const struct astra_engine *e = t->r->e;

	t->lack = calloc(e->tenant_count + 1, sizeof(*t->lack));
	t->user_lack = calloc(e->user_count + 1, sizeof(*t->user_lack));
	t->user_fresh = calloc(e->user_count + 1, sizeof(*t->user_fresh));
	if (!t->lack || !t->user_lack || !t->user_fresh)
		return -1;
	share_measure(t);
	share_promise_all(t);
	for (size_t i = 0; i < t->r->contender_count; i++) {
		const struct contender *c = &t->r->contenders[i];

		if (c->user != ASTRA_NONE && astra_turn_fresh(t->r, c))
			t->user_fresh[c->user] = true;
	}
	return 0;
}

void astra_share_fini(struct turns *t)
{
	free(t->lack);
	free(t->user_lack);
	free(t->user_fresh);
}

/* Whether another tenant holds GPUs: else nobody owes any. A policy that ranks
 * gives a tenant that is alone its turns, too. */
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
	double half = share_turn(j, j->gpus_least) / 2;
	double lack = t->lack[j->tenant];

	if (j->gpus_least < 2)
		return false;
	if (!astra_shared_by_user(t->r->e, j))
		return !t->next[j->tenant] && lack >= half &&
		       share_is_held(t, j);
	if (t->user_fresh[j->user])
		return false;
	return t->user_lack[j->user] >= half ||
	       (lack >= half && t->user_lack[j->user] > 0);
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
