/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of first waits by size. */
#include <math.h>

#include "src/sim/output.h"

static struct astra_wait_size
output_sizes_size_of(const struct astra_sim_result *r, size_t row)
{
	struct astra_wait_size sizes[ASTRA_WAIT_SIZES];

	astra_wait_sizes(r, sizes);
	return sizes[row];
}

static double size_gpus_min(const struct astra_sim_result *r, size_t i)
{
	return output_sizes_size_of(r, i).gpus_min;
}

static double size_gpus_max(const struct astra_sim_result *r, size_t i)
{
	double gpus = output_sizes_size_of(r, i).gpus_max;

	return isinf(gpus) ? (double)NAN : gpus;
}

static double size_jobs(const struct astra_sim_result *r, size_t i)
{
	return output_sizes_size_of(r, i).jobs;
}

static double size_never(const struct astra_sim_result *r, size_t i)
{
	return output_sizes_size_of(r, i).never;
}

static double size_mean(const struct astra_sim_result *r, size_t i)
{
	return output_sizes_size_of(r, i).mean_sec;
}

static double size_max(const struct astra_sim_result *r, size_t i)
{
	return output_sizes_size_of(r, i).max_sec;
}

static double size_over(const struct astra_sim_result *r, size_t i)
{
	return r->term_sec > 0 ? output_sizes_size_of(r, i).over : (double)NAN;
}

size_t astra_size_count(const struct astra_sim_result *r)
{
	(void)r;
	return ASTRA_WAIT_SIZES;
}

const struct astra_output_field astra_size_fields[] = {
	{"gpus_min", NULL, size_gpus_min}, {"gpus_max", NULL, size_gpus_max},
	{"jobs", NULL, size_jobs},	   {"never", NULL, size_never},
	{"over_bound", NULL, size_over},   {"wait_mean_sec", NULL, size_mean},
	{"wait_max_sec", NULL, size_max},  {NULL, NULL, NULL},
};
