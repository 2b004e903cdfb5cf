/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random instances of OASiS' simulations (Bao et al., INFOCOM'18). Jobs have
 * workers and parameter servers (PSs), which need several resources.
 * testsuite/papers/oasis.sh says what is as printed. */
#ifndef ASTRA_BENCH_OASIS_INSTANCE_H
#define ASTRA_BENCH_OASIS_INSTANCE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/number.h"
#include "src/common/random.h"
#include "src/policies/oasis/oasis.h"

/* GPUs, vCPUs, GiB of memory, GB of storage, Gbit/s. */
enum { OASIS_TYPES = 5, OASIS_BANDWIDTH = 4 };

/* Servers for workers, and for PSs. */
enum { OASIS_WORKERS, OASIS_PS, OASIS_SIDES };

enum oasis_class {
	OASIS_INSENSITIVE,
	OASIS_SENSITIVE,
	OASIS_CRITICAL,
	OASIS_CLASSES
};

static const double oasis_capacity[OASIS_SIDES][OASIS_TYPES] = {
	{4, 64, 488, 1000, 25}, /* EC2 g3.16xlarge */
	{0, 36, 60, 1000, 25},	/* EC2 c4.8xlarge; its network is ours */
};

struct oasis_drawn {
	struct astra_oasis_job job;
	double demand[OASIS_SIDES][OASIS_TYPES];
	enum oasis_class class;
	uint32_t fixed; /* workers under a rule that does not choose them */
};

/* What is set before it is filled. */
struct oasis_instance {
	uint32_t slots, servers, count; /* T; of each side; jobs */
	double speed;			/* batches are so many times faster */
	struct oasis_drawn *jobs;	/* by arrival */
};

static inline void oasis_must(bool fine)
{
	if (fine)
		return;
	fputs("oasis: failed\n", stderr);
	exit(1);
}

static inline void *oasis_take(size_t count, size_t size)
{
	void *memory = calloc(count + 1, size);

	oasis_must(memory);
	return memory;
}

static inline double oasis_uniform(struct astra_random *random, double low,
				   double high)
{
	return low + (high - low) * astra_random_uniform(random);
}

/* Draw a whole number from low to high, both included. */
static inline uint32_t oasis_whole(struct astra_random *random, uint32_t low,
				   uint32_t high)
{
	return low + (uint32_t)astra_random_below(random, high - low + 1);
}

/* Make 10 % of the jobs insensitive to time, 55 % sensitive, 35 % critical. */
static inline void oasis_draw_utility(struct astra_random *random,
				      struct oasis_drawn *drawn)
{
	struct astra_utility *utility = &drawn->job.utility;
	double class = astra_random_uniform(random);

	utility->kind = ASTRA_UTILITY_SIGMOID;
	utility->sigmoid.g1 = oasis_uniform(random, 1, 100);
	utility->sigmoid.g3 = oasis_uniform(random, 1, 15);
	if (class < .1) {
		drawn->class = OASIS_INSENSITIVE;
	} else if (class < .65) {
		drawn->class = OASIS_SENSITIVE;
		utility->sigmoid.g2 = oasis_uniform(random, .01, 1);
	} else {
		drawn->class = OASIS_CRITICAL;
		utility->sigmoid.g2 = oasis_uniform(random, 4, 6);
	}
}

static inline void oasis_draw_demand(struct astra_random *random,
				     struct oasis_drawn *drawn)
{
	drawn->demand[OASIS_WORKERS][0] = oasis_whole(random, 0, 4);
	for (int side = 0; side < OASIS_SIDES; side++) {
		drawn->demand[side][1] = oasis_whole(random, 1, 10);
		drawn->demand[side][2] = oasis_whole(random, 2, 32);
		drawn->demand[side][3] = oasis_whole(random, 5, 10);
	}
	drawn->demand[OASIS_WORKERS][OASIS_BANDWIDTH] =
		oasis_uniform(random, .1, 5);
	drawn->demand[OASIS_PS][OASIS_BANDWIDTH] = oasis_uniform(random, 5, 20);
}

/* Draw a job. A slot is 20 minutes; a gradient is in Gbit/s times slots. */
static inline void oasis_draw(struct astra_random *random,
			      const struct oasis_instance *w, int64_t arrival,
			      struct oasis_drawn *drawn)
{
	const double gbit_of_mb = 8e-3, slot_sec = 1200;
	struct astra_oasis_job *job = &drawn->job;

	oasis_draw_demand(random, drawn);
	*job = (struct astra_oasis_job){
		.arrival = arrival,
		.epochs = oasis_whole(random, 50, 200),
		.workers = oasis_whole(random, 5, 100),
		.workers_min = 1,
		.batches = oasis_whole(random, 10, 100),
		.batch_slots = oasis_uniform(random, .001, .1) / w->speed,
		.gradient = oasis_uniform(random, 30, 575) * gbit_of_mb /
			    slot_sec / w->speed,
		.bandwidth = drawn->demand[OASIS_WORKERS][OASIS_BANDWIDTH],
		.ps_bandwidth = drawn->demand[OASIS_PS][OASIS_BANDWIDTH],
		.worker = drawn->demand[OASIS_WORKERS],
		.ps = drawn->demand[OASIS_PS],
	};
	oasis_draw_utility(random, drawn);
	drawn->fixed = oasis_whole(random, 1, 30);
	if (drawn->fixed > job->workers)
		drawn->fixed = job->workers;
}

static inline int oasis_earlier(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static inline void oasis_instance_fill(struct oasis_instance *w, uint64_t seed)
{
	struct astra_random random = astra_random_seed(seed);
	int64_t *arrivals = oasis_take(w->count, sizeof(*arrivals));

	w->jobs = oasis_take(w->count, sizeof(*w->jobs));
	for (uint32_t i = 0; i < w->count; i++)
		arrivals[i] = oasis_whole(&random, 1, w->slots);
	qsort(arrivals, w->count, sizeof(*arrivals), oasis_earlier);
	for (uint32_t i = 0; i < w->count; i++)
		oasis_draw(&random, w, arrivals[i], &w->jobs[i]);
	free(arrivals);
}

/* Make the array [server][type] of a side. */
static inline double *oasis_capacities(const struct oasis_instance *w, int side)
{
	double *all = oasis_take(w->servers, sizeof(oasis_capacity[side]));

	for (uint32_t h = 0; h < w->servers; h++)
		memcpy(all + h * OASIS_TYPES, oasis_capacity[side],
		       sizeof(oasis_capacity[side]));
	return all;
}

/* Count the PSs that so many workers need. */
static inline uint32_t oasis_ps_for(const struct astra_oasis_job *job,
				    uint32_t workers)
{
	return (uint32_t)astra_ceil(workers * job->bandwidth /
				    job->ps_bandwidth);
}

#endif
