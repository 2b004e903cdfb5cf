/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs that tell people something. They run one after the other in a thread
 * of their own, and in bounds: of how many wait, of how many are run a second,
 * of what one may take. Whatever they do costs nobody else a moment; what is
 * more than the bounds allow is lost, and counted. Pure: no Slurm, no locks.
 */
#ifndef ASTRA_ERRANDS_H
#define ASTRA_ERRANDS_H

#include <stdint.h>

#include "src/common/text.h"

/* A program, its arguments and then its environment: strings, each with its
 * NUL. */
struct astra_errand {
	struct astra_text strings;
	size_t words; /* of the command line; those after are NAME=VALUE */
	size_t count;
};

/* Add a string. What has no room fails the errand, and it is lost. */
void astra_errand_add(struct astra_errand *errand, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

struct astra_errand_bounds {
	size_t waiting; /* so many; more are lost */
	double seconds; /* of one: then it is killed, with its process group */
	double burst;	/* so many at once */
	double rate;	/* and so many a second from then on */
};

struct astra_errand_counts {
	uint64_t done;	 /* ended with 0 */
	uint64_t failed; /* otherwise, or killed, or not to be run */
	uint64_t lost;	 /* never run */
};

/* Told by the thread when a program fails, at most once a minute. text: names
 * it and says how. */
typedef void astra_errand_failed(const char *text);

struct astra_errands;

/* Returns the queue, without a thread yet, or NULL when out of memory. */
struct astra_errands *astra_errands_new(const struct astra_errand_bounds *,
					astra_errand_failed *failed);

/* Have it run when its turn comes. Steals the errand's strings. Never waits for
 * a program. Any thread. */
void astra_errands_put(struct astra_errands *errands,
		       struct astra_errand *errand);

/* NULL: all are 0. Any thread. */
struct astra_errand_counts astra_errands_count(struct astra_errands *errands);

/* Kill what runs, forget what waits, and wait for the thread, a few
 * milliseconds; a second more for what cannot be killed. Accepts NULL. */
void astra_errands_free(struct astra_errands *errands);

#endif
