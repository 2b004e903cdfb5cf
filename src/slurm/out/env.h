/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a job's environment says about its lease. It is kept in the job record
 * (details->env_sup), so Slurm saves and sends it. */
#ifndef ASTRA_ENV_H
#define ASTRA_ENV_H

#include "src/slurm/compat/compat.h"

/* What the variables say at a job's start. */
struct astra_env_lease {
	const char *pool;
	double term_sec, grace_sec;
	double start_sec, end_sec;
	int signal;		  /* 0: none */
	bool batch_only;	  /* to the batch shell only */
	uint32_t gpus;		  /* GPUs that it has now; 0: as many as it
				   * asked for */
	uint32_t workers_max, ps; /* --workers, --ps; 0: none */
};

/* Return a job's values. Locks: caller holds job read. */
struct astra_pool_config;
struct astra_env_lease astra_env_lease_of(const job_record_t *job,
					  const struct astra_pool_config *pool);

/* Where a job can send queries. All strings are malloced. */
struct astra_env_place {
	char *path;    /* of the socket; NULL: there is none */
	char *munge;   /* NULL: munged has its default socket */
	char *auth;    /* credential as in src/proto/sign.h; NULL: munged
			* signs */
	char *address; /* as for astra_dial(); NULL: not on the network */
};

/* Tell this place to jobs that start from now on. Takes its strings. Locks:
 * caller holds job write, or no job can start. */
void astra_env_set_place(const struct astra_env_place *place);

/* Free the strings of a place. */
void astra_env_place_clear(struct astra_env_place *place);

/* Set the variables of a starting job, whose start_time is set: its lease, and
 * where to send queries. Locks: caller holds job write. */
void astra_env_start(job_record_t *job, const struct astra_env_lease *lease);

/* Remove the variables of a job's last lease. A next run without the plugin
 * then sees no lease and no chosen size. The last size is kept in
 * ASTRAEA_GPUS_BEFORE. Locks: caller holds job write. */
void astra_env_give_back(job_details_t *details);

#endif
