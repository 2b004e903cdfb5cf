/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For the tuner's own files. tuner.c asks, answers and remembers;
 * tuner_choose.c reads the history and simulates. */
#ifndef ASTRA_TUNER_PRIV_H
#define ASTRA_TUNER_PRIV_H

#include <stdatomic.h>

#include "src/sim/term.h"
#include "src/slurm/ahead/tuner.h"

/* A pool for which a term is to be chosen. */
struct astra_tuner_question {
	char pool[ASTRA_POOL_NAME_MAX];
	struct astra_options options;
	struct astra_cluster cluster; /* with the usable nodes */
	struct astra_trace trace;     /* has its tenants, but no jobs yet */
	double now_sec;
};

/* Copy from a snapshot what a choice needs. Returns NULL when memory is out. */
struct astra_tuner_question *
astra_tuner_ask(const char *pool, const struct astra_options *options,
		const struct astra_snapshot *snapshot);

/* Read the jobs of the pool's last days, and choose a term. Does I/O; takes
 * minutes. Returns soon after stop is set. Returns 0; 1 with err set if the
 * history cannot be read; or -1 with err set. */
int astra_tuner_choose(struct astra_tuner_question *question,
		       const atomic_bool *stop, struct astra_term_choice *out,
		       struct astra_error *err);

/* question may be NULL. */
void astra_tuner_free(struct astra_tuner_question *question);

#endif
