/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What generators have in common. */
#ifndef ASTRA_GENERATE_PRIV_H
#define ASTRA_GENERATE_PRIV_H

#include "src/common/random.h"
#include "src/sim/generate.h"

#define ASTRA_DAY_SEC 86400.0

/* How submissions are spread over days and weeks. */
struct astra_rhythm {
	double peak_hour; /* of the day */
	double swing;	  /* 0: all hours alike, 1: none 12 h off the peak */
	double sunday;	  /* of a weekend day to others, at most 1 */
};

/* A time within days, as the rhythm has it. The first day is a Monday. */
double astra_random_time(struct astra_random *random, double days,
			 const struct astra_rhythm *rhythm);

/* An index, each as likely as its weight says. sums: the weights' running
 * sums, count of them, the last > 0. */
size_t astra_random_index(struct astra_random *random, const double *sums,
			  size_t count);

/* Add a generated job: its name is its number. user: number in its tenant.
 * app: NULL: none. Returns 0, or -1 when out of memory. */
int astra_generate_job(struct astra_trace *trace, struct astra_trace_job *job,
		       uint32_t user);

/* Add tenants "t01" and so on, whose quotas are whole nodes of 8 GPUs that
 * fall off by a power law, like those of clusters that were looked at. They are
 * the weights. Returns 0, or -1 when out of memory. */
int astra_generate_tenants(struct astra_trace *trace, uint32_t count,
			   double nodes, double power);

int astra_generate_venus(struct astra_trace *trace,
			 const struct astra_generate_options *options);
int astra_generate_philly(struct astra_trace *trace,
			  const struct astra_generate_options *options);

#endif
