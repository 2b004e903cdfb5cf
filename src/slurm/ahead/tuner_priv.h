/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tuner's parts among themselves: tuner.c asks, answers and remembers;
 * tuner_choose.c reads the history and simulates. */
#ifndef ASTRA_TUNER_PRIV_H
#define ASTRA_TUNER_PRIV_H

#include <stdatomic.h>

#include "src/sim/term.h"
#include "src/slurm/ahead/tuner.h"

/* A pool of which a term is to be chosen. */
struct astra_tuner_question {
	char pool[ASTRA_POOL_NAME_MAX];
	struct astra_options options;
	struct astra_cluster cluster; /* the nodes that can be used */
	struct astra_trace trace;     /* its tenants; no jobs yet */
	double now_sec;
};

/* Copy what is needed of a view. Returns NULL when out of memory. */
struct astra_tuner_question *
astra_tuner_ask(const char *pool, const struct astra_options *options,
		const struct astra_snapshot *snapshot);

/* Read the pool's last days and choose. Does I/O; takes minutes. stop: ends it
 * soon. Returns 0, 1 with err set: the history cannot be read, or -1 with err
 * set. */
int astra_tuner_choose(struct astra_tuner_question *question,
		       const atomic_bool *stop, struct astra_term_choice *out,
		       struct astra_error *err);

/* Accepts NULL. */
void astra_tuner_free(struct astra_tuner_question *question);

#endif
