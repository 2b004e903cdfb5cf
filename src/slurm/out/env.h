/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a job's environment tells it about its lease. Kept in the job record
 * (details->env_sup), so it is Slurm that saves and sends it.
 */
#ifndef ASTRA_ENV_H
#define ASTRA_ENV_H

#include "src/slurm/compat/compat.h"

/* The variables of its environment at its start. */
struct astra_env_lease {
	const char *pool;
	double term_sec, grace_sec;
	double start_sec, end_sec;
	int signal;		  /* 0: none */
	bool batch_only;	  /* for the batch shell alone */
	uint32_t gpus;		  /* that it has now; 0: as it asked for */
	uint32_t workers_max, ps; /* --workers, --ps; 0: none */
};

/* Locks: caller holds job read. */
struct astra_pool_config;
struct astra_env_lease astra_env_lease_of(const job_record_t *job,
					  const struct astra_pool_config *pool);

/* Where a job can ask. All are malloced. */
struct astra_env_place {
	char *path;    /* of the socket; NULL: nowhere */
	char *munge;   /* NULL: munged is at its own place */
	char *auth;    /* as src/proto/sign.h has it; NULL: munged signs */
	char *address; /* as astra_dial() takes it; NULL: not on the network */
};

/* Let jobs that start from now on know this place; its strings are taken.
 * Locks: caller holds job write, or no job can start. */
void astra_env_set_place(const struct astra_env_place *place);

/* Free the strings of a place. */
void astra_env_place_clear(struct astra_env_place *place);

/* It starts, its start_time is set: tell it of its lease, and whom to ask.
 * Locks: caller holds job write. */
void astra_env_start(job_record_t *job, const struct astra_env_lease *lease);

/* Without us its next run has no lease and gets no size: let it find none
 * of its last one's. What it had then is kept as what it had before. Locks:
 * caller holds job write. */
void astra_env_give_back(job_details_t *details);

#endif
