/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What policies assume about a job that declares little about its work. */
#ifndef ASTRA_FORECAST_H
#define ASTRA_FORECAST_H

#include "src/policies/policy.h"

/* Returns how many seconds all of a job's work takes on all its GPUs: as
 * declared, else its time limit, else an hour. Always > 0. */
double astra_work_sec(const struct astra_job *job);

/* Returns how much longer the job takes at each level of distance between its
 * GPUs: as stated or measured, else 1, 1, 1.1, 1.3. Borrowed. (SPEC section
 * 2) */
const double *astra_slowdown(const struct astra_forecast *forecast);

/* Returns the seconds of work that are left: by the job's own measurement, or
 * else by the time that it has run. At least a minute: a job that runs beyond
 * its work is assumed to be nearly done. */
double astra_left_sec(const struct astra_demand *demand);

/* Returns a job's worth as a function of the hours x from submission to end, as
 * stated. If it is not stated, it is the job's weight times the GPU hours of
 * its work, halved if the job ends a day later than it could have: g1 / (1 +
 * exp(0.1 (x - work - 24))). */
struct astra_utility astra_job_utility(const struct astra_job *job);

#endif
