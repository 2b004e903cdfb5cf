/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs in the grace after their checkpoint signal. */
#ifndef ASTRA_GRACE_H
#define ASTRA_GRACE_H

#include "src/policies/options.h"
#include "src/slurm/compat/compat.h"

#define ASTRA_GRACE_ANY_RUN UINT32_MAX

struct astra_grace {
	uint32_t job;
	uint32_t restart_cnt; /* or ANY_RUN: not known after a restart */
	int signal;
	int exit[ASTRA_EXIT_CODES_MAX];
	size_t exit_count;
};

/* Replace all entries by these; the arrays are copied.
 * Locks: a tiny one of its own. */
void astra_grace_set(const struct astra_grace *list, size_t count);

/* Add one, or replace the job's. */
void astra_grace_add(const struct astra_grace *entry);

/* The state is not known: whoever runs now may be in a grace of so many
 * seconds, as its pool's options say. Locks: a tiny one of its own. */
void astra_grace_doubt(double grace_sec);

/* Whether there is one for the job, of whatever run. */
bool astra_grace_has(uint32_t job);

/* Whether the job may be in a grace that is not known. Locks: caller holds job
 * read; a tiny one of its own. */
bool astra_grace_is_doubtful(const job_record_t *job);

/* Remove a job's entry. Returns whether there was one for its present run: then
 * out is set. Locks: caller holds job read; a tiny one of its own. */
bool astra_grace_take(const job_record_t *job, struct astra_grace *out);

void astra_grace_free(void);

#endif
