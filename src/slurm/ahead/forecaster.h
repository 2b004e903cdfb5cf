/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When waiting jobs will start. Now and then a round's snapshot is copied, and
 * a thread runs a copy of the engine ahead (src/foresee): once with the jobs as
 * long as is likely, once as short and once as long as they may be. The thread
 * has the lowest priority, limited time, and at most a twentieth of a core. It
 * never takes slurmctld's locks. There is one in a process. */
#ifndef ASTRA_FORECASTER_H
#define ASTRA_FORECASTER_H

#include "src/slurm/in/snapshot.h"

struct astra_engine;

/* What was foreseen for a job. Seconds since the epoch. */
struct astra_forecast_time {
	double made_sec;  /* when it was foreseen; 0: unknown */
	double start_sec; /* likely start; 0: not before until_sec */
	double early_sec; /* if jobs end early; 0: likewise */
	double late_sec;  /* if jobs end late; 0: likewise */
	double until_sec; /* how far the forecast reaches */
};

/* Start the thread. folder: what is learned of run times is kept there; NULL:
 * nowhere. Returns 0, or -1 after logging it: then nothing is foreseen. */
int astra_forecaster_start(const char *folder);

/* Save what was learned, and forget everything. Does I/O. */
void astra_forecaster_stop(void);

/* Call before a pool's decision. Learn how long jobs run, and start a forecast
 * if it is time. Does I/O the first time. Engine's thread. */
void astra_forecaster_look(const char *pool, const struct astra_engine *engine,
			   const struct astra_view *view);

/* Call when all pools have decided. Forget jobs that were not seen, and now and
 * then save what was learned. Does I/O. Engine's thread. */
void astra_forecaster_round_ends(void);

/* Write what was foreseen for a waiting job into its record, which already has
 * pool, id and planned start. Any thread. */
struct astra_report_job;
void astra_forecaster_show(struct astra_report_job *record, double now_sec);

/* Correct a time at which a job of the pool would start. During a maintenance
 * of all nodes of the pool, as the last round saw it, nothing starts, and later
 * starts are delayed by its length. Seconds since the epoch; 0 stays 0. Any
 * thread. */
double astra_forecaster_past(const char *pool, double sec);

/* Return when a reason's job starts, for its user: as planned, else as
 * foreseen. It is never before the next round, before a cap's next period, or
 * before jobs are taken back after a start of slurmctld. 0: unknown, as when
 * only the ends of jobs without a time limit make room, or Slurm refuses the
 * start. */
double astra_forecaster_start_sec(const char *pool,
				  const struct astra_reason *reason,
				  double now_sec);

#endif
