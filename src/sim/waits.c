/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long jobs waited for their first start, by their size. */
#include <math.h>
#include <stdio.h>

#include "src/sim/metrics.h"

/* Of times as they are added up. */
#define WAITS_ROUNDING 1e-9

/* The most GPUs of each class but the last. */
static const double most_gpus[ASTRA_WAIT_SIZES - 1] = {1,  4,  8,  16,
						       32, 64, 128};

double astra_first_wait_sec(const struct astra_sim_result *r, size_t job)
{
	double submit_sec = r->trace->jobs[job].submit_sec;

	if (r->jobs[job].start_sec >= 0)
		return r->jobs[job].start_sec - submit_sec;
	return r->stop_sec < submit_sec ? (double)NAN
					: r->stop_sec - submit_sec;
}

bool astra_is_over_bound(const struct astra_sim_result *r, size_t job)
{
	double bound_sec = r->jobs[job].bound_sec;

	return bound_sec > 0 &&
	       astra_first_wait_sec(r, job) > bound_sec * (1 + WAITS_ROUNDING);
}

static size_t waits_class(uint32_t gpus)
{
	size_t class = 0;

	while (class < ASTRA_WAIT_SIZES - 1 && gpus > most_gpus[class])
		class ++;
	return class;
}

void astra_wait_sizes(const struct astra_sim_result *r,
		      struct astra_wait_size sizes[ASTRA_WAIT_SIZES])
{
	for (size_t i = 0; i < ASTRA_WAIT_SIZES; i++)
		sizes[i] = (struct astra_wait_size){
			.gpus_min = i ? most_gpus[i - 1] + 1 : 1,
			.gpus_max = i < ASTRA_WAIT_SIZES - 1 ? most_gpus[i]
							     : HUGE_VAL,
			.max_sec = NAN,
		};
	for (size_t i = 0; i < r->trace->job_count; i++) {
		double wait_sec = astra_first_wait_sec(r, i);
		struct astra_wait_size *s =
			&sizes[waits_class(r->trace->jobs[i].gpus)];

		if (isnan(wait_sec))
			continue;
		s->jobs++;
		s->never += r->jobs[i].start_sec < 0;
		s->over += astra_is_over_bound(r, i);
		s->mean_sec += wait_sec; /* the sum, for now */
		s->max_sec = fmax(s->max_sec, wait_sec);
	}
	for (size_t i = 0; i < ASTRA_WAIT_SIZES; i++)
		sizes[i].mean_sec /=
			sizes[i].jobs; /* NaN where there is none */
}

char *astra_wait_size_text(const struct astra_wait_size *size, char text[32])
{
	if (isinf(size->gpus_max))
		snprintf(text, 32, "%.0f+", size->gpus_min);
	else if (size->gpus_max > size->gpus_min)
		snprintf(text, 32, "%.0f-%.0f", size->gpus_min, size->gpus_max);
	else
		snprintf(text, 32, "%.0f", size->gpus_min);
	return text;
}
