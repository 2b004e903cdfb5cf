/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The contest as the policy sees it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/engine/engine_priv.h"

void astra_ballot_fini(struct ballot *b)
{
	free(b->tenants);
	*b = (struct ballot){0};
}

static struct astra_contestant ballot_user(const struct round *r,
					   const struct euser *u)
{
	double quota = astra_fairness_user_quota(r->e->account, u->account);

	return (struct astra_contestant){
		.usage = astra_fairness_user(r->e->account, r->snap->now_sec,
					     u->account),
		.quota = quota,
		.entitled = quota > 0,
	};
}

/* Find, once a round, what tenants and users had and were due. A tenant's
 * gifts, which no other tenant lacked, do not count as had. With Promise=no
 * they do count, by the paper's rule. */
static int ballot_know(struct round *r)
{
	const struct astra_engine *e = r->e;
	struct astra_contestant *known;

	if (r->contestants)
		return 0;
	known = calloc(e->tenant_count + e->user_count + 1, sizeof(*known));
	if (!known)
		return -1;
	for (size_t i = 0; i < e->tenant_count; i++) {
		uint32_t account = e->tenants[i].account;
		double quota = astra_fairness_quota(e->account, account);

		known[i] = (struct astra_contestant){
			.name = e->tenants[i].name,
			.usage = astra_fairness_tenant(
				e->account, r->snap->now_sec, account),
			.quota = quota,
			.entitled = quota > 0,
		};
		if (e->options.promise)
			known[i].usage.alloc -= astra_fairness_tenant_gift(
				e->account, r->snap->now_sec, account);
	}
	for (size_t i = 0; i < e->user_count; i++)
		if (e->users[i].jobs)
			known[e->tenant_count + i] =
				ballot_user(r, &e->users[i]);
	r->contestants = known;
	return 0;
}

int astra_ballot_init(struct ballot *b, struct round *r, size_t room)
{
	struct astra_engine *e = r->e;
	size_t contestants = e->tenant_count + e->user_count;

	*b = (struct ballot){0};
	if (astra_grow(&e->candidates, &e->candidate_room, room + 1,
		       sizeof(*e->candidates)) < 0 ||
	    astra_grow(&e->choices, &e->choice_room, room + 1,
		       sizeof(*e->choices)) < 0)
		return -1;
	b->candidates = e->candidates;
	b->ranking.choices = e->choices;
	if (ballot_know(r) < 0)
		return -1;
	b->tenants = malloc((contestants + 1) * sizeof(*b->tenants));
	if (!b->tenants)
		return -1;
	memcpy(b->tenants, r->contestants, contestants * sizeof(*b->tenants));
	b->users = b->tenants + e->tenant_count;
	b->contest = (struct astra_contest){
		.now_sec = r->snap->now_sec,
		.lease_sec = e->options.lease_sec,
		.enough = r->plan->terse,
		.candidates = b->candidates,
		.tenants = b->tenants,
		.tenant_count = e->tenant_count,
		.users = b->users,
		.user_count = e->user_count,
	};
	return 0;
}

static bool ballot_entitled(const struct round *r, uint32_t tenant)
{
	const struct astra_engine *e = r->e;

	return r->contestants
		       ? r->contestants[tenant].entitled
		       : astra_fairness_quota(e->account,
					      e->tenants[tenant].account) > 0;
}

struct astra_candidate astra_ballot_candidate(const struct round *r,
					      uint32_t row,
					      const struct astra_job *job)
{
	const struct astra_engine *e = r->e;
	const struct ejob *j = &e->jobs[row];
	double now = r->snap->now_sec;
	struct astra_candidate c = {
		.job = row,
		.tenant = j->tenant,
		.user = j->user,
		.gpus = job->state == ASTRA_JOB_RUNNING ? j->held_gpus
							: job->request.gpus,
		.charge = j->charge,
		.submit_sec = j->submit_sec,
		.precedence = job->precedence,
		.fresh = !j->ran,
		.latest_start_sec = HUGE_VAL,
	};
	bool entitled = ballot_entitled(r, j->tenant) && j->weight > 0;

	if (job->request.gpus_min)
		c.charge = astra_elastic_charge(j, c.gpus);
	if (!entitled || !astra_fairness_unserved(e->account, j->account)) {
		struct astra_usage usage =
			astra_fairness_job(e->account, now, j->account);

		c.rho = astra_rho(usage, entitled);
		c.attained = usage.alloc;
	}
	if (job->deadline_sec > 0)
		c.latest_start_sec = job->deadline_sec - job->time_limit_sec;
	return c;
}

void astra_ballot_charge_job(struct ballot *b, const struct ejob *j,
			     double gpu_sec)
{
	b->tenants[j->tenant].usage.alloc += gpu_sec;
	if (j->user != ASTRA_NONE)
		b->users[j->user].usage.alloc += gpu_sec;
}

static double grant_charge(const struct ejob *j, const struct grant *g)
{
	if (j->gpus_least == j->gpus)
		return j->charge;
	return astra_elastic_charge(j, astra_shares_gpus(g->shares, g->count));
}

/* Charge tenants and users in advance for leases that continue. Alg. 1 charges
 * a grant at once with gpus * lease. What the lease has not used yet stays
 * charged. Otherwise a tenant that has just been served would look as needy as
 * before. */
void astra_ballot_charge(const struct round *r, struct ballot *b)
{
	struct astra_engine *e = r->e;
	double now = r->snap->now_sec;

	for (size_t i = 0; i < e->tenant_count; i++)
		b->tenants[i].usage.alloc +=
			astra_advance_sec(e, &e->tenants[i].advance, now);
	for (size_t i = 0; i < e->user_count; i++)
		if (e->users[i].jobs)
			b->users[i].usage.alloc +=
				astra_advance_sec(e, &e->users[i].advance, now);
	/* An expired lease is not charged in advance. */
	astra_roster_expire(e, now);
	for (size_t i = 0; i < e->roster.over_count; i++) {
		const struct ejob *j = &e->jobs[e->roster.over[i]];

		astra_ballot_charge_job(
			b, j, j->held_charge * (now - j->lease_end_sec));
	}
	for (size_t i = 0; i < e->grant_count; i++) {
		const struct ejob *j =
			&e->jobs[astra_idmap_get(&e->by_id, e->grants[i].job)];

		astra_ballot_charge_job(
			b, j, grant_charge(j, &e->grants[i]) * j->lease_sec);
	}
}

int astra_ballot_run(const struct round *r, struct ballot *b,
		     struct astra_error *err)
{
	b->ranking.count = 0;
	return r->e->policy->decide(r->e->policy_self, &b->contest, &b->ranking,
				    err);
}
