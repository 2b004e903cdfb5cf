/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs that cannot checkpoint keep their GPUs, with Unprepared=share.
 *
 * Whole is what a tenant's such jobs hold within its share, counted from the
 * one that started first, beside its jobs without leases; of users within their
 * own share first. The rest is borrowed, and stays with them too until somebody
 * lacks it:
 *
 *   lack(p) = min(D_p, ceil(S_p)) - H_p, if more than 0
 *   need    = sum of lack(p) * (1 + terms for which p has lacked)
 *             - free - sum of min(C_p, H_p - S_p)
 *
 * The terms count while such jobs have leases. p is a tenant, D_p its demand,
 * S_p its share of the GPUs by weight among active tenants, H_p what it holds,
 * C_p the part of that held by jobs that can checkpoint and have leases; all in
 * GPUs as charged. Of those that borrow, and have run for UnpreparedMin or will
 * have within a term, the ones that started last are chosen until what they
 * hold is the need; if that is too little the others, too. Each has leases once
 * it has run so long, and competes like all others. Once there is no need they
 * keep their GPUs again.
 *
 * Example. 16 GPUs, A and B of weight 1, jobs of 4 GPUs that cannot checkpoint.
 * A's four start at 0, 1, 2 and 3; B comes. S is 8: A's first two are kept. B
 * lacks 8, so both of the others have leases once they have run long enough.
 * Had B one job only, D_B would be 4, and only the job that started at 3 would.
 */
#include <math.h>
#include <stdlib.h>

#include "src/engine/engine_priv.h"

#define KEEP_EPSILON 1e-6
#define KEEP_DOUBLINGS 10

bool astra_kept(const struct astra_engine *e, const struct ejob *j,
		const struct astra_job *job)
{
	if (!job->unprepared || job->state != ASTRA_JOB_RUNNING ||
	    e->options.unprepared == ASTRA_UNPREPARED_REQUEUE)
		return false;
	return e->options.unprepared == ASTRA_UNPREPARED_KEEP ||
	       j->phase == ASTRA_PHASE_WAITING ||
	       j->restart_cnt != job->restart_cnt || !j->revocable;
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
	double bound;	/* of these by jobs without leases */
	double movable; /* C_p */
	double whole;	/* found to be kept so far */
};

/* A running job that cannot checkpoint. */
struct keep_job {
	struct ejob *j;
	bool whole;
};

struct keep {
	struct round *r;
	struct keep_tenant *tenants;
	double *users; /* by user: found to be kept so far, within its share */
	struct keep_job *jobs;
	size_t count;
	bool leased; /* one of the jobs has been having leases */
};

static int keep_compare(const void *a, const void *b)
{
	const struct ejob *x = ((const struct keep_job *)a)->j;
	const struct ejob *y = ((const struct keep_job *)b)->j;

	if (x->start_sec != y->start_sec)
		return x->start_sec < y->start_sec ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

static void keep_count(struct keep *k, struct ejob *j,
		       const struct astra_job *job)
{
	struct keep_tenant *t = &k->tenants[j->tenant];

	if (j->phase != ASTRA_PHASE_LEASED)
		return;
	t->held += j->held_charge;
	j->keep_until_sec = 0;
	k->leased |= job->unprepared && j->revocable;
	if (job->unprepared)
		k->jobs[k->count++].j = j;
	else if (j->revocable)
		t->movable += j->held_charge;
	else
		t->bound += j->held_charge;
}

/* What is free, or becomes so, beside what was granted; and what those have who
 * were granted it. */
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

/* Lack, times the terms for which it has lasted although jobs have leases. */
static double keep_lack(const struct keep *k, uint32_t tenant)
{
	struct astra_engine *e = k->r->e;
	struct etenant *t = &e->tenants[tenant];
	const struct keep_tenant *x = &k->tenants[tenant];
	double now = k->r->snap->now_sec;
	double demand = astra_fairness_demand(e->account, t->account);
	double lack = fmin(demand, ceil(x->share - KEEP_EPSILON)) - x->held;

	if (lack <= KEEP_EPSILON || !k->leased) {
		t->lacks_sec = 0;
		return fmax(lack, 0);
	}
	if (!(t->lacks_sec > 0))
		t->lacks_sec = now;
	return lack *
	       (1 + floor(fmax(now - t->lacks_sec, 0) / e->options.lease_sec));
}

static double keep_need(struct keep *k, uint64_t free_gpus)
{
	const struct astra_engine *e = k->r->e;
	double need = -keep_free(k, free_gpus);

	for (uint32_t i = 0; i < e->tenant_count; i++) {
		struct keep_tenant *t = &k->tenants[i];

		t->share =
			astra_fairness_quota(e->account, e->tenants[i].account);
		need += keep_lack(k, i) -
			fmin(t->movable, fmax(t->held - t->share, 0));
	}
	return need;
}

/* Which of the jobs are within shares. own: of users within theirs only. */
static void keep_find_whole(struct keep *k, bool own)
{
	const struct astra_engine *e = k->r->e;

	for (size_t i = 0; i < k->count; i++) {
		struct keep_job *x = &k->jobs[i];
		struct keep_tenant *t = &k->tenants[x->j->tenant];
		double charge = x->j->held_charge + t->bound + t->whole;
		uint32_t user = x->j->user;

		if (x->whole || charge > t->share + KEEP_EPSILON)
			continue;
		if (own && user != ASTRA_NONE) {
			double with = k->users[user] + x->j->held_charge;

			if (with > astra_fairness_user_quota(
					   e->account, e->users[user].account) +
					   KEEP_EPSILON)
				continue;
			k->users[user] = with;
		}
		t->whole += x->j->held_charge;
		x->whole = true;
	}
}

/* A lease that is over, or none. */
static void keep_lease(struct keep *k, struct ejob *j, bool leased)
{
	struct round *r = k->r;

	if (j->revocable == leased)
		return;
	j->revocable = leased;
	if (leased) {
		j->lent = false;
		j->lease_start_sec = r->snap->now_sec;
		astra_lease_set_end(r->e, j, r->snap->now_sec);
	}
	astra_roster_put(r->e, j, &r->snap->jobs[j->index]);
	r->plan->changed = true;
}

/* How long a run is kept at least: UnpreparedMin, and twice as long after each
 * time that it had to begin anew. So it loses no more time than its last run
 * takes, and one that needs long gets to its end. */
static double keep_sec(const struct ejob *j, double least_sec)
{
	return ldexp(least_sec,
		     (int)(j->revoked < KEEP_DOUBLINGS ? j->revoked
						       : KEEP_DOUBLINGS));
}

/* Let those have leases that are needed and have run long enough, of those that
 * could by at_sec, the ones that started last first. Returns the need that is
 * left. */
static double keep_choose(struct keep *k, double need, double at_sec)
{
	double least = astra_unprepared_sec(&k->r->e->options);

	for (size_t i = k->count; i-- && need > KEEP_EPSILON;) {
		struct keep_job *x = &k->jobs[i];
		double from = x->j->start_sec + keep_sec(x->j, least);

		if (x->whole || x->j->keep_until_sec > 0 || from > at_sec)
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

		if (j->keep_until_sec > now)
			r->wake_sec = fmin(r->wake_sec, j->keep_until_sec);
		keep_lease(k, j,
			   j->keep_until_sec > 0 && j->keep_until_sec <= now);
	}
}

static int keep_init(struct keep *k, struct round *r)
{
	const struct astra_engine *e = r->e;
	size_t running = 0;

	*k = (struct keep){.r = r};
	ASTRA_ROSTER_EACH(i, &e->roster.running)
	running += r->snap->jobs[i].unprepared;
	if (!running)
		return 0;
	k->tenants = calloc(e->tenant_count + 1, sizeof(*k->tenants));
	k->users = calloc(e->user_count + 1, sizeof(*k->users));
	k->jobs = calloc(running, sizeof(*k->jobs));
	return k->tenants && k->users && k->jobs ? 0 : -1;
}

int astra_keep_follow(struct round *r, uint64_t free_gpus)
{
	struct astra_engine *e = r->e;
	struct keep k;
	int rc = 0;

	if (!e->options.leases ||
	    e->options.unprepared != ASTRA_UNPREPARED_SHARE)
		return 0;
	rc = keep_init(&k, r);
	if (!rc && k.jobs) {
		double need;

		ASTRA_ROSTER_EACH(i, &e->roster.running)
		keep_count(&k, &e->jobs[e->row_of[i]], &r->snap->jobs[i]);
		need = keep_need(&k, free_gpus);
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
