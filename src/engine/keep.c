/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unprepared=share: jobs that declare no checkpoint keep their GPUs.
 *
 * A tenant's unprepared jobs are kept whole if they fit into its share together
 * with its jobs without leases: first jobs of users within their own share,
 * then jobs that started earlier. The other unprepared jobs borrow. They keep
 * their GPUs until another tenant lacks some:
 *
 *   lack(p) = max(min(D_p, ceil(S_p)) - H_p, 0)
 *   need    = sum of lack(p) * (1 + whole terms for which p has lacked)
 *             - free - sum of min(C_p, max(H_p - S_p, 0))
 *
 * p is a tenant, D_p its demand, S_p its share of the GPUs by weight among
 * tenants with demand, H_p what it holds, C_p the part of H_p held by jobs that
 * declare a checkpoint and have leases; all in GPUs as charged. The terms, at
 * most eight, count while borrowing jobs have leases or the need without the
 * terms is 0: they stand for GPUs that are of no use to p.
 *
 * Borrowing jobs are chosen until what they hold meets the need. First come
 * those that have run for UnpreparedMin, or will have within a term, the last
 * started first. If these are too few, the others follow. A chosen job has
 * leases once it has run for UnpreparedMin, and competes like all others. Once
 * there is no need, these jobs keep their GPUs again.
 *
 * Example. 16 GPUs, tenants A and B of weight 1, unprepared jobs of 4 GPUs. A's
 * four jobs start at 0, 1, 2 and 3; then B comes. S is 8: A's first two jobs
 * are whole. B lacks 8, so A's other two have leases once they have run long
 * enough. If B had only one job, D_B would be 4, and only the job that started
 * at 3 would have leases.
 *
 * While such jobs keep GPUs no first start is promised. Once no job keeps GPUs,
 * the waiting jobs are promised their starts as if they had come then, if that
 * is later. A hold for a job that keeps its GPUs is planned up to its time
 * limit, else smaller jobs would get a gang's nodes again and again. A job
 * without a limit never ends. A job that takes its tenant beyond its share gets
 * no hold while a poorer tenant lacks GPUs. */
#include <math.h>
#include <stdlib.h>

#include "src/engine/engine_priv.h"
#include "src/policies/options.h"

#define KEEP_EPSILON 1e-6
#define KEEP_DOUBLINGS 4
#define KEEP_TERMS 8 /* at most this many terms of lacking count */

bool astra_will_keep(const struct astra_engine *e, const struct astra_job *job)
{
	return job->unprepared && job->revocable &&
	       e->options.unprepared == ASTRA_UNPREPARED_SHARE;
}

bool astra_kept(const struct astra_engine *e, const struct ejob *j,
		const struct astra_job *job)
{
	if (!astra_will_keep(e, job) || job->state != ASTRA_JOB_RUNNING)
		return false;
	return j->phase == ASTRA_PHASE_WAITING ||
	       j->restart_cnt != job->restart_cnt || !j->revocable;
}

double astra_first_end(const struct round *r, const struct ejob *j,
		       const struct astra_job *job)
{
	if (!astra_will_keep(r->e, job))
		return r->snap->now_sec + j->lease_sec;
	return job->time_limit_sec > 0 ? r->snap->now_sec + job->time_limit_sec
				       : HUGE_VAL;
}

bool astra_first_is_worth(const struct round *r, const struct ejob *j,
			  const struct astra_job *job, double cut_sec,
			  double end_sec)
{
	return astra_will_keep(r->e, job)
		       ? cut_sec >= end_sec
		       : astra_lease_is_worth(r, j, cut_sec, end_sec);
}

double astra_unprepared_sec(const struct astra_options *options)
{
	return options->unprepared_sec < 0 ? 4 * options->lease_sec
					   : options->unprepared_sec;
}

/* A tenant's GPUs, as charged. */
struct keep_tenant {
	double share;	/* S_p */
	double held;	/* H_p */
	double bound;	/* part of `held` that jobs without leases hold */
	double movable; /* C_p */
	double whole;	/* charge of the jobs found to be whole so far */
};

/* A running job that declares no checkpoint. */
struct keep_job {
	struct ejob *j;
	bool whole;
};

struct keep {
	struct round *r;
	struct keep_tenant *tenants;
	double *users; /* by user: charge of jobs that are whole within the
			* user's share */
	struct keep_job *jobs;
	size_t count;
	bool leased; /* a borrowing job already had leases before this round */
};

static int keep_compare(const void *a, const void *b)
{
	const struct ejob *x = ((const struct keep_job *)a)->j;
	const struct ejob *y = ((const struct keep_job *)b)->j;

	if (x->start_sec != y->start_sec)
		return x->start_sec < y->start_sec ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

/* Whether the end of the job's lease would leave GPUs to others. */
static bool keep_can_yield(const struct round *r, const struct astra_job *job)
{
	for (size_t i = 0; i < job->held_count && !job->suspended; i++)
		if (r->snap->nodes[job->held[i].node].usable)
			return true;
	return false;
}

static void keep_count(struct keep *k, struct ejob *j,
		       const struct astra_job *job)
{
	struct keep_tenant *t = &k->tenants[j->tenant];

	if (j->phase != ASTRA_PHASE_LEASED)
		return;
	t->held += j->held_charge;
	j->keep_until_sec = 0;
	if (job->unprepared && job->revocable) {
		k->leased |= j->revocable;
		k->jobs[k->count++].j = j;
		return;
	}
	if (!j->revocable) {
		t->bound += j->held_charge;
		if (j->user != ASTRA_NONE)
			k->users[j->user] += j->held_charge;
	} else if (keep_can_yield(k->r, job)) {
		t->movable += j->held_charge;
	}
}

/* Return the free and leaving GPUs, minus granted ones. Add grants to what
 * their tenants hold. */
static double keep_free(struct keep *k, uint64_t gpus)
{
	const struct round *r = k->r;
	struct astra_engine *e = r->e;
	double charge = r->usable_gpus ? astra_engine_capacity(e) /
						 (double)r->usable_gpus
				       : 1;
	double coming = 0, granted = 0;

	ASTRA_ROSTER_EACH(i, &e->roster.leaving)
	coming += e->jobs[e->row_of[i]].held_charge;
	for (size_t i = 0; i < e->grant_count; i++) {
		const struct grant *g = &e->grants[i];
		const struct ejob *j = astra_engine_find(e, g->job);
		double has = charge * astra_shares_gpus(g->shares, g->count);

		granted += has;
		if (j)
			k->tenants[j->tenant].held += has;
	}
	return (double)gpus * charge + coming - granted;
}

static double keep_demand(const struct astra_engine *e, size_t tenant)
{
	return astra_fairness_demand(e->account, e->tenants[tenant].account);
}

static double keep_lack(const struct keep *k, uint32_t tenant)
{
	const struct keep_tenant *t = &k->tenants[tenant];

	return fmax(fmin(keep_demand(k->r->e, tenant),
			 ceil(t->share - KEEP_EPSILON)) -
			    t->held,
		    0);
}

/* Return for how many whole terms a tenant has lacked GPUs. counts: whether
 * terms count, because borrowing jobs have leases or there seem to be enough
 * GPUs. */
static double keep_terms(struct keep *k, uint32_t tenant, bool counts)
{
	const struct astra_engine *e = k->r->e;
	struct etenant *t = &e->tenants[tenant];
	double now = k->r->snap->now_sec;

	if (!counts || keep_lack(k, tenant) <= KEEP_EPSILON) {
		t->lacks_sec = 0;
		return 0;
	}
	if (!(t->lacks_sec > 0))
		t->lacks_sec = now;
	return fmin(floor(fmax(now - t->lacks_sec, 0) / e->options.lease_sec),
		    KEEP_TERMS);
}

/* Find each tenant's share, by weight among tenants with demand. */
static void keep_find_shares(struct keep *k)
{
	const struct astra_engine *e = k->r->e;
	double weights = 0;

	for (size_t i = 0; i < e->tenant_count; i++)
		if (keep_demand(e, i) > 0)
			weights += e->tenants[i].weight;
	for (size_t i = 0; i < e->tenant_count && weights > 0; i++)
		if (keep_demand(e, i) > 0)
			k->tenants[i].share = astra_engine_capacity(e) *
					      e->tenants[i].weight / weights;
}

/* Note for each tenant what recall_is_barred() needs. */
static void keep_note(const struct keep *k)
{
	struct astra_engine *e = k->r->e;
	double charge = k->r->usable_gpus ? astra_engine_capacity(e) /
						    (double)k->r->usable_gpus
					  : 1;

	for (uint32_t i = 0; i < e->tenant_count; i++) {
		const struct keep_tenant *t = &k->tenants[i];

		e->tenants[i].keep_room =
			(t->share + KEEP_EPSILON - t->held) / charge;
		e->tenants[i].keep_lacks = keep_lack(k, i) > KEEP_EPSILON;
	}
}

static double keep_need(struct keep *k, uint64_t free_gpus)
{
	const struct astra_engine *e = k->r->e;
	double need = -keep_free(k, free_gpus);
	bool counts;

	keep_find_shares(k);
	for (uint32_t i = 0; i < e->tenant_count; i++) {
		const struct keep_tenant *t = &k->tenants[i];

		need += keep_lack(k, i) -
			fmin(t->movable, fmax(t->held - t->share, 0));
	}
	counts = k->leased || need <= KEEP_EPSILON;
	for (uint32_t i = 0; i < e->tenant_count; i++)
		need += keep_lack(k, i) * keep_terms(k, i, counts);
	return need;
}

/* Return a user's part of its tenant's share. */
static double keep_user_share(const struct keep *k, uint32_t user)
{
	const struct astra_engine *e = k->r->e;
	const struct euser *u = &e->users[user];
	double quota =
		astra_fairness_quota(e->account, e->tenants[u->tenant].account);

	return quota > 0 ? astra_fairness_user_quota(e->account, u->account) /
				   quota * k->tenants[u->tenant].share
			 : 0;
}

/* Mark as whole the jobs that fit into their tenant's share. own: only jobs of
 * users within their own share. */
static void keep_find_whole(struct keep *k, bool own)
{
	for (size_t i = 0; i < k->count; i++) {
		struct keep_job *x = &k->jobs[i];
		struct keep_tenant *t = &k->tenants[x->j->tenant];
		double charge = x->j->held_charge + t->bound + t->whole;
		uint32_t user = x->j->user;

		if (x->whole || charge > t->share + KEEP_EPSILON)
			continue;
		if (own && user != ASTRA_NONE) {
			double with = k->users[user] + x->j->held_charge;

			if (with > keep_user_share(k, user) + KEEP_EPSILON)
				continue;
			k->users[user] = with;
		}
		t->whole += x->j->held_charge;
		x->whole = true;
	}
}

/* Give the job a lease that ends now, or take its lease away. */
static void keep_lease(struct keep *k, struct ejob *j, bool leased)
{
	struct round *r = k->r;
	const struct astra_job *job = &r->snap->jobs[j->index];

	if (j->revocable == leased)
		return;
	j->revocable = leased;
	if (leased) {
		j->lent = false;
		j->lease_start_sec = r->snap->now_sec;
		astra_lease_set_end(r->e, j,
				    astra_lease_cut(job, r->snap->now_sec));
	}
	astra_roster_put(r->e, j, job);
	r->plan->changed = true;
}

/* Return how long a borrowing job is kept at least: UnpreparedMin, doubled each
 * time that its GPUs were taken back. So even a long job gets time to end. */
static double keep_sec(const struct ejob *j, double least_sec)
{
	return ldexp(least_sec,
		     (int)(j->revoked < KEEP_DOUBLINGS ? j->revoked
						       : KEEP_DOUBLINGS));
}

/* Choose jobs that may have leases by at_sec, the last started first, until the
 * need is met. Returns the remaining need. */
static double keep_choose(struct keep *k, double need, double at_sec)
{
	double least = astra_unprepared_sec(&k->r->e->options);

	for (size_t i = k->count; i-- && need > KEEP_EPSILON;) {
		struct keep_job *x = &k->jobs[i];
		double from = x->j->start_sec + keep_sec(x->j, least);

		if (x->whole || x->j->keep_until_sec > 0 || from > at_sec ||
		    !keep_can_yield(k->r, &k->r->snap->jobs[x->j->index]))
			continue;
		x->j->keep_until_sec = from;
		need -= x->j->held_charge;
	}
	return need;
}

static void keep_carry_out(struct keep *k)
{
	struct round *r = k->r;
	double now = r->snap->now_sec;

	for (size_t i = 0; i < k->count; i++) {
		struct ejob *j = k->jobs[i].j;
		const struct astra_job *job = &r->snap->jobs[j->index];

		/* The job was started on condition that it leaves before a
		 * maintenance begins. */
		if (job->leave_cuts && job->leave_sec > 0 &&
		    (!(j->keep_until_sec > 0) ||
		     job->leave_sec < j->keep_until_sec))
			j->keep_until_sec = job->leave_sec;
		if (j->keep_until_sec > now)
			r->wake_sec = fmin(r->wake_sec, j->keep_until_sec);
		keep_lease(k, j,
			   j->keep_until_sec > 0 && j->keep_until_sec <= now);
		r->e->keeps |= !j->revocable;
	}
}

static int keep_init(struct keep *k, struct round *r)
{
	const struct astra_engine *e = r->e;
	size_t running = 0;

	*k = (struct keep){.r = r};
	ASTRA_ROSTER_EACH(i, &e->roster.running)
	running += astra_will_keep(e, &r->snap->jobs[i]);
	if (!running)
		return 0;
	k->tenants = calloc(e->tenant_count + 1, sizeof(*k->tenants));
	k->users = calloc(e->user_count + 1, sizeof(*k->users));
	k->jobs = calloc(running, sizeof(*k->jobs));
	return k->tenants && k->users && k->jobs ? 0 : -1;
}

static int keep_find(struct round *r, uint64_t free_gpus)
{
	struct astra_engine *e = r->e;
	struct keep k;
	int rc = keep_init(&k, r);

	if (!rc && k.jobs) {
		double need;

		ASTRA_ROSTER_EACH(i, &e->roster.running)
		keep_count(&k, &e->jobs[e->row_of[i]], &r->snap->jobs[i]);
		need = keep_need(&k, free_gpus);
		keep_note(&k);
		if (need > KEEP_EPSILON) {
			qsort(k.jobs, k.count, sizeof(*k.jobs), keep_compare);
			keep_find_whole(&k, true);
			keep_find_whole(&k, false);
			need = keep_choose(&k, need,
					   r->snap->now_sec +
						   e->options.lease_sec);
			(void)keep_choose(&k, need, HUGE_VAL);
		}
		keep_carry_out(&k);
	}
	free(k.tenants);
	free(k.users);
	free(k.jobs);
	return rc;
}

int astra_keep_follow(struct round *r, uint64_t free_gpus)
{
	struct astra_engine *e = r->e;
	bool kept = e->keeps;

	e->keeps = false;
	if (e->options.leases &&
	    e->options.unprepared == ASTRA_UNPREPARED_SHARE &&
	    keep_find(r, free_gpus) < 0)
		return -1;
	return kept && !e->keeps ? astra_first_starts_renew(r) : 0;
}
