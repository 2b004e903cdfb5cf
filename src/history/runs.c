/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs and leases. The begin and the end of a run are those that slurmctld
 * recorded. The GPU time of a run is counted once: the part [start,
 * counted_sec] is in owner_time. */
#include <math.h>
#include <string.h>

#include "src/history/writer_priv.h"

#define SAME_SEC 0.5

double astra_history_grown(double before, double after, double dt_sec,
			   double half_life_sec)
{
	double x = half_life_sec > 0 ? M_LN2 / half_life_sec * dt_sec : 0;
	double grown = after - before;

	if (x > 0)
		grown = (after - before * exp(-x)) * x / -expm1(-x);
	return grown > 0 && isfinite(grown) ? grown : 0;
}

/* Moves the time of GPUs between two moments from the pool's idle time to its
 * used time. gpus < 0 moves it back. */
static void use_pool(struct astra_writer *w, struct hpool *p, double gpus,
		     double from, double to)
{
	astra_sums_spread(w->sums, ASTRA_SUMS_POOL, p->id, POOL_USED, gpus,
			  from, to);
	astra_sums_spread(w->sums, ASTRA_SUMS_POOL, p->id, POOL_IDLE, -gpus,
			  from, to);
	p->part_gpu_sec += gpus * fmax(0, to - fmax(from, w->since_sec));
}

/* Counts the use of the job's GPUs from one time to a later one. If `to` is
 * earlier, takes the use back. The pool's use counts only from its since_sec
 * on. */
static void runs_use(struct astra_writer *w, struct hjob *j, double from,
		     double to)
{
	struct howner *o;
	struct hpool *p;

	if (j->owner == ASTRA_INTERN_NONE || from == to)
		return;
	o = &w->owners[j->owner];
	p = &w->pools[w->tenants[o->tenant].pool];
	if (to > from)
		j->pool_sec = fmax(j->pool_sec, p->since_sec);
	if (from == w->since_sec && to == w->now_sec && to > from) {
		o->run_gpus += j->gpus;
	} else if (to > from) {
		astra_sums_spread(w->sums, ASTRA_SUMS_OWNER, o->id, OWNER_USED,
				  j->gpus, from, to);
		use_pool(w, p, j->gpus, fmax(from, j->pool_sec), to);
	} else {
		astra_sums_spread(w->sums, ASTRA_SUMS_OWNER, o->id, OWNER_USED,
				  -(double)j->gpus, to, from);
		use_pool(w, p, -(double)j->gpus, fmax(to, j->pool_sec), from);
	}
}

/* Returns the GPUs of the job's present or last run. */
static uint32_t runs_run_gpus(const struct astra_report_job *r)
{
	if (r->run_gpus)
		return r->run_gpus;
	return r->held_gpus ? r->held_gpus : r->of.gpus;
}

static int begin_run(struct astra_writer *w, struct hjob *j,
		     const struct astra_report_job *r)
{
	const struct howner *o = &w->owners[j->owner];
	double start = r->run_start_sec;

	j->open = j->dirty = true;
	j->run_start = j->counted_sec = j->last_start = start;
	j->gpus = runs_run_gpus(r);
	j->end_sec = j->pool_sec = 0;
	if (!j->first_sec || start < j->first_sec)
		j->first_sec = start;
	astra_sums_add(w->sums, ASTRA_SUMS_OWNER, o->id, OWNER_STARTED, 1,
		       start);
	astra_sums_spread(w->sums, ASTRA_SUMS_OWNER, o->id, OWNER_WAIT,
			  r->of.gpus, fmax(r->of.submit_sec, w->since_sec),
			  start);
	return ASTRA_SQL(w, SQL_RUN_ADD, "idtdis", j->id, start, 0.0, start,
			 (int64_t)j->gpus, r->nodes);
}

/* Opens the job's last run again, after it was wrongly taken for ended. */
static int resume_run(struct astra_writer *w, struct hjob *j,
		      const struct astra_report_job *r)
{
	j->open = j->dirty = true;
	j->run_start = j->last_start;
	j->counted_sec = j->end_sec;
	j->closed_sec -= j->end_sec - j->run_start;
	j->gpus = runs_run_gpus(r);
	return ASTRA_SQL(w, SQL_RUN_ADD, "idtdis", j->id, j->run_start, 0.0,
			 j->counted_sec, (int64_t)j->gpus, r->nodes);
}

static int runs_end_lease(struct astra_writer *w, struct hjob *j,
			  double end_sec, const char *how)
{
	if (!j->leased)
		return 0;
	j->leased = false;
	return ASTRA_SQL(w, SQL_LEASE_END, "idds", j->id, j->lease_start,
			 fmax(end_sec, j->lease_start), how);
}

int astra_history_run_end(struct astra_writer *w, struct hjob *j,
			  double end_sec, const char *how)
{
	double end = fmax(end_sec, j->run_start);

	runs_use(w, j, j->counted_sec, end);
	j->open = false;
	j->dirty = true;
	j->last_start = j->run_start;
	j->end_sec = end;
	j->closed_sec += end - j->run_start;
	if (runs_end_lease(w, j, end, how) < 0)
		return -1;
	return ASTRA_SQL(w, SQL_RUN_END, "idd", j->id, j->run_start, end);
}

static const char *how_of(const struct hjob *j,
			  const struct astra_report_job *r)
{
	if (r->of.revoked > j->lease_revoked)
		return "revoked";
	if (!strncmp(r->state, "CANCELLED", 9))
		return "cancelled";
	return r->of.state == ASTRA_JOB_ENDED || r->of.state == ASTRA_JOB_ENDING
		       ? "ended"
		       : "requeued";
}

/* Returns when the open run ended, if the report tells; else returns the time
 * up to which the run was counted. */
static double runs_end_of(const struct hjob *j,
			  const struct astra_report_job *r)
{
	bool other = r->run_start_sec > j->run_start + SAME_SEC;

	if (r->run_end_sec >= j->run_start &&
	    (!other || (r->of.state == ASTRA_JOB_RUNNING &&
			r->run_end_sec <= r->run_start_sec)))
		return r->run_end_sec;
	if (other && r->run_start_sec < j->counted_sec)
		return r->run_start_sec;
	return j->counted_sec;
}

static int runs_go_on(struct astra_writer *w, struct hjob *j,
		      const struct astra_report_job *r)
{
	uint32_t gpus = runs_run_gpus(r);

	if (gpus != j->gpus) {
		j->gpus = gpus;
		if (ASTRA_SQL(w, SQL_RUN_COUNTED, "iddi", j->id, j->run_start,
			      j->counted_sec, (int64_t)gpus) < 0)
			return -1;
	}
	if (w->now_sec > j->counted_sec) {
		runs_use(w, j, j->counted_sec, w->now_sec);
		j->counted_sec = w->now_sec;
	}
	return 0;
}

int astra_history_run(struct astra_writer *w, struct hjob *j,
		      const struct astra_report_job *r)
{
	bool runs = r->of.state == ASTRA_JOB_RUNNING && r->run_start_sec > 0;
	bool same = j->last_start > 0 &&
		    fabs(r->run_start_sec - j->last_start) < SAME_SEC;

	if (j->open && (!runs || !same) &&
	    astra_history_run_end(w, j, runs_end_of(j, r), how_of(j, r)) < 0)
		return -1;
	if (runs && !j->open &&
	    (same ? resume_run(w, j, r) : begin_run(w, j, r)) < 0)
		return -1;
	if (runs)
		return runs_go_on(w, j, r);
	/* A run began and ended between two reports. */
	if (r->run_start_sec > j->last_start + SAME_SEC &&
	    r->run_end_sec > r->run_start_sec) {
		if (begin_run(w, j, r) < 0 || astra_history_lease(w, j, r) < 0)
			return -1;
		return astra_history_run_end(w, j, r->run_end_sec,
					     how_of(j, r));
	}
	return 0;
}

int astra_history_lease(struct astra_writer *w, struct hjob *j,
			const struct astra_report_job *r)
{
	double start = fmax(r->of.lease_start_sec, j->run_start);

	if (!j->open || (j->leased && fabs(start - j->lease_start) < SAME_SEC))
		return 0;
	if (runs_end_lease(w, j, start, j->lent ? "lent" : "renewed") < 0)
		return -1;
	j->leased = true;
	j->lent = r->of.lent;
	j->lease_start = start;
	j->lease_revoked = r->of.revoked;
	return ASTRA_SQL(w, SQL_LEASE_ADD, "idiis", j->id, start,
			 (int64_t)r->of.leases, (int64_t)j->gpus, r->nodes);
}
