/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What users declare of a job's work, in a trace and as options of sbatch, and
 * which mails they want. Needs only the C library, as spank/astraea links
 * it. */
#ifndef ASTRA_STATED_H
#define ASTRA_STATED_H

#include <stdbool.h>
#include <stddef.h>

#include "src/common/error.h"
#include "src/model/model.h"

#define ASTRA_STATED_MAX 128 /* most characters of an option's value */

/* Events of a job's leases about which its user may be notified. */
enum astra_news {
	ASTRA_NEWS_OVER,    /* the job is told to give its GPUs back */
	ASTRA_NEWS_RESUMED, /* the job has GPUs again */
	ASTRA_NEWS_STARVED, /* the job has no GPUs at the promised time */
	ASTRA_NEWS_COUNT,
};

/* Names of the events for LeaseProgram, such as "over". */
extern const char *const astra_news_names[ASTRA_NEWS_COUNT];

/* The declared values. 0, or ASTRA_UTILITY_NONE: not declared. */
struct astra_stated {
	double iterations;
	double iter_sec; /* of one iteration on all its GPUs */
	double slowdown[ASTRA_LEVEL_COUNT];
	struct astra_utility utility;	   /* of hours from submission to end */
	uint32_t gpus_min, gpus_max;	   /* the job can run on any number of
					    * GPUs in this range */
	uint32_t workers_min, workers_max; /* the same in workers, with one GPU
					    * per worker */
	uint32_t ps;   /* parameter servers for workers_max workers */
	uint32_t mail; /* events about which to mail: bits 1 << enum
			* astra_news */
};

enum astra_stated_id {
	ASTRA_STATED_ITERATIONS,
	ASTRA_STATED_ITER_TIME,
	ASTRA_STATED_SLOWDOWN,
	ASTRA_STATED_UTILITY,
	ASTRA_STATED_GPU_RANGE,
	ASTRA_STATED_WORKERS,
	ASTRA_STATED_PS,
	ASTRA_STATED_MAIL,
	ASTRA_STATED_COUNT,
};

struct astra_stated_option {
	const char *name;     /* "iter-time" */
	const char *variable; /* environment variable that carries it to
			       * slurmctld */
	const char *allowed;  /* its valid values, in words */
};

extern const struct astra_stated_option astra_stated_options[];

/* Read the value of an option. If an option occurs twice, the second value
 * replaces the first. Returns 0, or -1 with err naming option and value and out
 * untouched. */
int astra_stated_read(struct astra_stated *out, enum astra_stated_id id,
		      const char *text, struct astra_error *err);

/* Call when all options were read. Set the range of GPUs from the workers.
 * Returns 0, or -1 with err naming the options that contradict each other; then
 * none of these options counts. */
int astra_stated_settle(struct astra_stated *stated, struct astra_error *err);

/* Return how many parameter servers `workers` workers need: the maximum's
 * ratio, rounded up, z = ceil(n b/B) of OASiS, (3h), with b/B = ps /
 * workers_max. Returns 0 if workers_max is 0. */
uint32_t astra_stated_ps(uint32_t ps, uint32_t workers_max, uint32_t workers);

/* Read a decimal number whose absolute value is at most max. Spaces around it
 * are allowed. Returns whether it is valid. */
bool astra_stated_number(const char *text, double max, double *value);

/* Read four factors from 1 to 1000, separated by `mark`, none less than the one
 * before. Returns false if they are invalid; then factors is undefined. */
bool astra_stated_slowdown(const char *text, char mark,
			   double factors[ASTRA_LEVEL_COUNT]);

/* Read sigmoid:G1,G2,G3, linear:K,G or convex:E,KAPPA, with / allowed in place
 * of a comma. The absolute values are at most 1e6. E and the numbers of a
 * sigmoid are not negative. KAPPA is from 0 to 16. Returns false if the text is
 * invalid; then utility is untouched. Otherwise every byte of it is defined. */
bool astra_stated_utility(const char *text, struct astra_utility *utility);

#endif
