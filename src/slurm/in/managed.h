/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which jobs are managed, and what their users said about leases. */
#ifndef ASTRA_MANAGED_H
#define ASTRA_MANAGED_H

#include <signal.h>

#include "src/model/model.h"
#include "src/slurm/compat/compat.h"
#include "src/slurm/conf/config.h"

struct astra_options;

enum astra_claim {
	ASTRA_FOREIGN, /* Slurm's own job */
	ASTRA_MANAGED, /* asks for GPUs, or for whole nodes with GPUs, in one
			* pool's partitions; for shards if Gres=shard */
	ASTRA_MIXED, /* as managed, but names other partitions too: it must not
			start */
	ASTRA_ORDERED, /* as managed, in a pool without leases: Slurm starts it,
			* in our order */
};

/* Return whether a job is managed, and by which pool of the configuration in
 * force. pool: index into its pools; may be NULL. Heterogeneous jobs are
 * Slurm's own, and so are all jobs if the plugin stands aside (selfcheck.h).
 * Locks: caller holds job, node and part read. */
enum astra_claim astra_claim_of(const job_record_t *job, size_t *pool);

/* Whether a job gets all of its nodes with their GPUs: --exclusive, or
 * OverSubscribe=EXCLUSIVE of its partition. Locks: caller holds job and part
 * read. */
bool astra_takes_nodes(const job_record_t *job);

/* Whether a reason says only that the job waits; other reasons are kept
 * visible. */
bool astra_reason_is_plain(uint32_t reason);

/* What a job wants of its leases. */
struct astra_terms {
	double lease_sec; /* 0: the pool's */
	int signal;	  /* signal to write a checkpoint; 0: none */
	bool batch_only;  /* --signal=B: to the batch shell only */
	bool revocable;
	bool leasable;	 /* it would be revocable in a pool with leases if its
			  * run had begun with one */
	bool unprepared; /* nothing says that the job saves its work before it
			    leaves */
	const char *pinned;  /* why it is not revocable; else "". Static. */
	const char *dropped; /* which wish about its lease was dropped; "":
				none. Static. */
	/* Before a maintenance the job is told to leave lead_sec early, and
	 * gets no lease shorter than least_sec; 0: it has no leases. */
	double lead_sec, least_sec;
	uint32_t gpus_min, gpus_max;	/* --gpu-range; 0: of one size */
	uint32_t workers_max, ps;	/* --workers, --ps; 0: none */
	struct astra_forecast forecast; /* as its user said */
	const char *app;		/* --app; "": none */
	const char *bid;		/* --bid; NULL: none */
};

/* Whether the signal is KILL or STOP: no program can write a checkpoint on
 * these. */
static inline bool astra_signal_is_deaf(int signal)
{
	return signal == SIGKILL || signal == SIGSTOP;
}

struct astra_wish;

/* Whether nothing says that a job with these options saves its work before it
 * leaves. signal: of --signal; 0: none. Pure. */
bool astra_terms_unprepared(const struct astra_options *options,
			    const struct astra_wish *wish, int signal);

/* Find a job's terms. app and bid of out are borrowed from the job. Locks:
 * caller holds job read. */
void astra_terms_of(const job_record_t *job,
		    const struct astra_options *options,
		    struct astra_terms *out);

/* Fill in lead_sec and least_sec from the other terms. Locks: caller holds conf
 * read. */
void astra_terms_before_maintenance(const struct astra_options *options,
				    struct astra_terms *terms);

/* Note that a requeue of this run was refused, so it is no longer revocable.
 * Locks: caller holds job write. */
void astra_terms_pin(const job_record_t *job);

#endif
