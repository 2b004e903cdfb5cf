/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What policies assume of a job that says little or nothing of its work. */
#ifndef ASTRA_FORECAST_H
#define ASTRA_FORECAST_H

#include "src/policies/policy.h"

/* Seconds of all its work on all its GPUs: as declared, else its time limit,
 * else an hour. > 0 */
double astra_work_sec(const struct astra_job *job);

/* How many times as long it takes by how far apart its GPUs are: as stated or
 * measured, else 1, 1, 1.1, 1.3. Borrowed. (SPEC section 2) */
const double *astra_slowdown(const struct astra_forecast *forecast);

/* Seconds of it that are left, as measured, else what it has not run yet; at
 * least a minute: one that goes on after all it had to do is taken to be nearly
 * through. */
double astra_left_sec(const struct astra_demand *demand);

/* What it is worth, by hours from its submission to its end: as stated, else
 * its weight times the GPU hours of its work, of which half is left if it ends
 * a day later than it could have: g1 / (1 + exp(0.1 (x - work - 24))). */
struct astra_utility astra_job_utility(const struct astra_job *job);

#endif
