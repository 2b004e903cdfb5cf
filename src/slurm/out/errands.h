/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs that notify people. They run one after the other in a thread of
 * their own. Bounds on how many wait, how many start in a second, and how long
 * one may run ensure that they delay nothing else. Programs beyond the bounds
 * are not run, only counted. Pure: no Slurm, no locks. */
#ifndef ASTRA_ERRANDS_H
#define ASTRA_ERRANDS_H

#include <stdint.h>

#include "src/common/text.h"

/* A program, its arguments and then its environment: strings, each with its
 * NUL. */
struct astra_errand {
	struct astra_text strings;
	size_t words; /* of the command line; the rest are NAME=VALUE */
	size_t count;
};

/* Add a string. If there is no room, the errand is lost. */
void astra_errand_add(struct astra_errand *errand, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

struct astra_errand_bounds {
	size_t waiting; /* how many may wait; more are lost */
	double seconds; /* for one program: then its process group is killed */
	double burst;	/* how many may start at once, if none did for long */
	double rate;	/* how many may start in a second after that */
};

struct astra_errand_counts {
	uint64_t done;	 /* ended with 0 */
	uint64_t failed; /* ended otherwise, was killed, or could not be run */
	uint64_t lost;	 /* never run */
};

/* Called by the thread when a program fails, at most once a minute. text names
 * the program and says how it failed. */
typedef void astra_errand_failed(const char *text);

struct astra_errands;

/* Make a queue, without a thread yet. Returns NULL when memory is out. */
struct astra_errands *astra_errands_new(const struct astra_errand_bounds *,
					astra_errand_failed *failed);

/* Queue an errand and take over its strings. Never waits for a program. May be
 * called from any thread. */
void astra_errands_put(struct astra_errands *errands,
		       struct astra_errand *errand);

/* Return the counts so far; all zero if errands is NULL. May be called from any
 * thread. */
struct astra_errand_counts astra_errands_count(struct astra_errands *errands);

/* Kill the running program, forget waiting ones, and wait for the thread. This
 * takes a few milliseconds, or one second more for a program that cannot be
 * killed. errands may be NULL. */
void astra_errands_free(struct astra_errands *errands);

#endif
