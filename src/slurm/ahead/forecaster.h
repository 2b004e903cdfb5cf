/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When waiting jobs will start. Now and then a round's picture is copied, and a
 * thread of its own runs a copy of the engine ahead (src/foresee): once with
 * the jobs as long as is likely, once as short and once as long as they may be.
 * It has the lowest priority, a bound on its time, and at most a twentieth of a
 * core; slurmctld's locks it never takes.
 *
 * There is one in a process.
 */
#ifndef ASTRA_FORECASTER_H
#define ASTRA_FORECASTER_H

#include "src/slurm/in/snapshot.h"

struct astra_engine;

/* What was foreseen of a job. Seconds since the epoch. */
struct astra_forecast_time {
	double made_sec;  /* when; 0: nothing is known of the job */
	double start_sec; /* likely; 0: not before until_sec */
	double early_sec; /* if jobs end early; 0: likewise */
	double late_sec;  /* if they end late; 0: likewise */
	double until_sec; /* how far was looked */
};

/* Without a thread nothing is foreseen. folder: what is learned of run times is
 * kept there; NULL: nowhere. Returns 0, or -1; logged. */
int astra_forecaster_start(const char *folder);

/* Save what was learned, and forget all. Does I/O. */
void astra_forecaster_stop(void);

/* Before a pool's decision: learn how long jobs run, and have it looked ahead
 * if it is time. Does I/O the first time. The engine's thread. */
void astra_forecaster_look(const char *pool, const struct astra_engine *engine,
			   const struct astra_view *view);

/* All pools have had their decisions: jobs that were not seen are forgotten,
 * and now and then what was learned is saved. Does I/O. The engine's thread. */
void astra_forecaster_round_ends(void);

/* Write what was foreseen of a job that waits into its record, whose pool,
 * number and planned start are there. Any thread. */
struct astra_report_job;
void astra_forecaster_show(struct astra_report_job *record, double now_sec);

/* A time at which a job of the pool starts, by the maintenance of all nodes of
 * the pool that the last round saw: nothing starts in it, and what would later
 * does so as much later. Seconds since the epoch; 0 stays so. Any thread. */
double astra_forecaster_past(const char *pool, double sec);

/* When to tell a user that a reason's job starts: as the plan has it, else as
 * was foreseen, not before the next round, nor before a cap's next period, nor
 * before jobs are taken back after a start of slurmctld; 0: not known, as
 * where only the ends of jobs without a time limit make room, or Slurm refuses
 * the start. */
double astra_forecaster_start_sec(const char *pool,
				  const struct astra_reason *reason,
				  double now_sec);

#endif
