/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Forecasts of when waiting jobs will start. Now and then a round's snapshot is
 * copied, and a thread runs a copy of the engine ahead (src/foresee) three
 * times: with likely, short and long run times of the jobs. The thread has the
 * lowest priority, limited time, and at most a twentieth of a core. It never
 * takes slurmctld's locks. A process has one forecaster. */
#ifndef ASTRA_FORECASTER_H
#define ASTRA_FORECASTER_H

#include "src/slurm/in/snapshot.h"

struct astra_engine;

/* The forecast for a job. Seconds since the epoch. */
struct astra_forecast_time {
	double made_sec;  /* when the forecast was made; 0: there is none */
	double start_sec; /* likely start; 0: not before until_sec */
	double early_sec; /* start if jobs end early; 0: likewise */
	double late_sec;  /* start if jobs end late; 0: likewise */
	double until_sec; /* how far the forecast reaches */
};

/* Start the thread. folder: learned run times are kept there; NULL: they are
 * not kept. Returns 0, or -1 after logging the error; then there are no
 * forecasts. */
int astra_forecaster_start(const char *folder);

/* Save what was learned, free everything and end the thread. Does I/O. */
void astra_forecaster_stop(void);

/* Learn how long jobs run, and start a forecast if it is time. Call before a
 * pool's decision. Does I/O the first time. Engine's thread only. */
void astra_forecaster_look(const char *pool, const struct astra_engine *engine,
			   const struct astra_view *view);

/* Forget jobs that were not seen, and now and then save what was learned. Call
 * when all pools have decided. Does I/O. Engine's thread only. */
void astra_forecaster_round_ends(void);

/* Write the forecast for a waiting job into its record, which already has pool,
 * id and planned start. May be called from any thread. */
struct astra_report_job;
void astra_forecaster_show(struct astra_report_job *record, double now_sec);

/* Correct a time at which a job of the pool would start. During a maintenance
 * of all nodes of the pool, as the last round saw it, nothing starts, and later
 * starts are delayed by its length. Seconds since the epoch; 0 stays 0. May be
 * called from any thread. */
double astra_forecaster_past(const char *pool, double sec);

/* Return when the job of a reason starts, for its user: as planned, else as
 * foreseen. It is never before the next round, before a cap's next period, or
 * before jobs may lose their GPUs after a start of slurmctld. 0: unknown, as
 * when only jobs without a time limit could make room, or Slurm refuses the
 * start. */
double astra_forecaster_start_sec(const char *pool,
				  const struct astra_reason *reason,
				  double now_sec);

#endif
