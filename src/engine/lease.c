/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a lease begins and ends, as seen in the snapshots. */
#include <math.h>

#include "src/engine/engine_priv.h"
#include "src/policies/options.h"

static double lease_term(const struct astra_engine *e,
			 const struct astra_job *job)
{
	return job->lease_sec > 0 ? job->lease_sec : e->options.lease_sec;
}

static void lease_count(struct astra_engine *e, struct ejob *j)
{
	if (!e->options.leases)
		return;
	j->leases++;
	e->counters.granted++;
}

/* Return when the run began. If the clock was set since, the host's time of the
 * start may be wrong. But the last round did not see the run and this one does,
 * so it began between them. */
static double lease_run_begin(const struct astra_engine *e,
			      const struct ejob *j, const struct astra_job *job,
			      double now_sec)
{
	double begin = job->start_sec;

	if (j->seen && j->state != ASTRA_JOB_RUNNING)
		begin = fmax(begin, floor(e->now_sec));
	return fmin(begin, now_sec);
}

/* Begin the lease of a new run. If the run began before the engine saw the job,
 * the lease has a full term from now on. Then the plugin is new, its state was
 * lost, or the job's partition joined the pool. */
static void begin_lease(struct astra_engine *e, struct ejob *j,
			const struct astra_job *job, double now_sec)
{
	double begin = lease_run_begin(e, j, job, now_sec);
	double start = fmax(begin, j->seen ? e->begin_sec : e->now_sec);

	j->phase = ASTRA_PHASE_LEASED;
	j->restart_cnt = job->restart_cnt;
	astra_first_start_begin(e, j, job->start_sec);
	j->ran = true;
	j->start_sec = begin;
	j->lease_start_sec = start;
	j->lease_end_sec = start + j->lease_sec;
	j->lent = false;
	if (j->planned_end_sec > start &&
	    (isfinite(j->planned_end_sec) || e->policy->endless)) {
		j->lease_end_sec = j->planned_end_sec;
		j->lent = !e->policy->allocate;
	}
	j->planned_end_sec = j->early_gpu_sec = 0;
	j->vain = ASTRA_WAIT_NONE;
	j->grace_end_sec = j->told_sec = 0;
	lease_count(e, j);
}

static void leave_lease(struct ejob *j, const struct astra_job *job, double now)
{
	bool taken = j->phase != ASTRA_PHASE_LEASED;

	j->collected = false;
	if (taken && astra_job_active(job->state)) {
		double freed = job->end_sec > 0 ? job->end_sec : now;

		j->revoked++;
		j->lost_sec += fmax(0, freed - j->lease_end_sec);
	}
	j->phase = ASTRA_PHASE_WAITING;
	j->away_sec = now;
	j->start_sec = 0;
	j->lease_start_sec = j->lease_end_sec = j->grace_end_sec = 0;
	j->doomed_for = 0;
}

/* Take back that a job was told to leave, if it cannot leave for now. So no
 * other job waits for it. It is told again when it is resumed. */
static void lease_stay(struct ejob *j, bool *changed)
{
	j->phase = ASTRA_PHASE_LEASED;
	j->grace_end_sec = j->told_sec = 0;
	j->doomed_for = 0;
	*changed = true;
}

void astra_lease_follow(struct astra_engine *e, struct ejob *j,
			const struct astra_job *job, bool revocable,
			double now_sec, bool *changed)
{
	bool leased = j->phase != ASTRA_PHASE_WAITING;

	j->lease_sec = lease_term(e, job);
	j->min_run_sec = astra_min_run_sec(&e->options, e->policy, j->lease_sec,
					   job->min_run_sec);
	if (leased && (job->state != ASTRA_JOB_RUNNING ||
		       j->restart_cnt != job->restart_cnt)) {
		leave_lease(j, job, now_sec);
		leased = false;
		*changed = true;
	}
	if (!leased && job->state == ASTRA_JOB_RUNNING) {
		begin_lease(e, j, job, now_sec);
		*changed = true;
	}
	/* Until now the host could not requeue the job, as in a pool without
	 * leases. */
	if (leased && revocable && !j->revocable) {
		j->phase = ASTRA_PHASE_LEASED;
		j->grace_end_sec = 0;
		j->lease_start_sec = now_sec;
		j->lease_end_sec = now_sec + j->lease_sec;
		if (!j->leases)
			lease_count(e, j);
		*changed = true;
	}
	/* If the job's nodes have to boot first, the lease begins when they are
	 * up. */
	if (leased && (job->booting || j->booting) &&
	    j->phase == ASTRA_PHASE_LEASED &&
	    job->start_sec > j->lease_start_sec) {
		j->lease_end_sec += job->start_sec - j->lease_start_sec;
		j->lease_start_sec = j->start_sec = job->start_sec;
		*changed = true;
	}
	j->booting = job->booting;
	/* The host cannot requeue the job after all, or there are no leases any
	 * more. A job that was told to leave may still leave. */
	if (leased && !revocable && j->phase != ASTRA_PHASE_LEASED &&
	    (e->options.leases || j->phase != ASTRA_PHASE_GRACE))
		j->phase = ASTRA_PHASE_LEASED;
	if (leased && job->suspended && j->phase != ASTRA_PHASE_LEASED)
		lease_stay(j, changed);
	if (job->leave_sec > 0 &&
	    (isinf(j->lease_end_sec) ||
	     (job->leave_cuts && j->phase == ASTRA_PHASE_LEASED &&
	      j->lease_end_sec > job->leave_sec))) {
		j->lease_end_sec = job->leave_sec;
		*changed = true;
	}
}

void astra_leases_bound(struct astra_engine *e)
{
	for (size_t i = 0; !e->policy->endless && i < e->job_count; i++) {
		struct ejob *j = &e->jobs[i];

		if (isinf(j->lease_end_sec))
			j->lease_end_sec = e->now_sec + j->lease_sec;
	}
}

bool astra_lease_stays(const struct ejob *j, const struct astra_job *job)
{
	return !j->revocable || job->suspended;
}

double astra_leave_sec(const struct astra_engine *e,
		       const struct astra_snapshot *snap)
{
	if (snap->kill_wait_sec <= 0)
		return HUGE_VAL;
	return e->options.grace_sec + snap->kill_wait_sec +
	       e->options.round_sec;
}

bool astra_lease_overdue(const struct astra_engine *e,
			 const struct astra_snapshot *snap,
			 const struct ejob *j, const struct astra_job *job)
{
	double since = j->told_sec > 0 ? j->told_sec : job->end_sec;

	return since > 0 && since + astra_leave_sec(e, snap) < snap->now_sec;
}

bool astra_lease_must_end(const struct astra_snapshot *snap,
			  const struct astra_job *job)
{
	if (job->leave_sec > 0 && job->leave_sec <= snap->now_sec)
		return true;
	for (size_t i = 0; i < job->held_count; i++)
		if (snap->nodes[job->held[i].node].emptying)
			return true;
	return false;
}

double astra_lease_cut(const struct astra_job *job, double end_sec)
{
	return job->leave_sec > 0 ? fmin(end_sec, job->leave_sec) : end_sec;
}

/* Return since when some job has been waiting, but no earlier than the last
 * round. */
static double wanted_since(const struct astra_engine *e,
			   const struct astra_snapshot *snap, double last_sec)
{
	double since = snap->now_sec;

	ASTRA_ROSTER_EACH(i, &e->roster.waiting)
	since = fmin(since, fmax(snap->jobs[i].submit_sec, last_sec));
	return since;
}

void astra_leases_catch_up(struct astra_engine *e,
			   const struct astra_snapshot *snap, double last_sec,
			   bool *changed)
{
	double since = wanted_since(e, snap, last_sec);

	astra_roster_expire(e, since);
	for (size_t i = 0; i < e->roster.over_count; i++) {
		struct ejob *j = &e->jobs[e->roster.over[i]];
		const struct astra_job *job = &snap->jobs[j->index];
		double terms, end;

		if (j->lease_end_sec >= since ||
		    astra_lease_must_end(snap, job))
			continue;
		terms = ceil((since - j->lease_end_sec) / j->lease_sec);
		end = j->lease_end_sec + terms * j->lease_sec;
		j->lease_start_sec = end - j->lease_sec;
		astra_lease_set_end(e, j, astra_lease_cut(job, end));
		j->leases += (uint32_t)terms;
		j->lent = false;
		e->counters.renewed += (uint64_t)terms;
		*changed = true;
	}
}
