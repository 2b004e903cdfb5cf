/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which jobs are ours, and what their users said about leases. */
#ifndef ASTRA_MANAGED_H
#define ASTRA_MANAGED_H

#include <signal.h>

#include "src/model/model.h"
#include "src/slurm/compat/compat.h"
#include "src/slurm/conf/config.h"

struct astra_options;

enum astra_claim {
	ASTRA_FOREIGN, /* Slurm's own */
	ASTRA_MANAGED, /* asks for GPUs, or for whole nodes that have some, in
			* partitions of one pool; or for shards where these are
			* what the pool shares out */
	ASTRA_MIXED,   /* ... and in others too: it may not start at all */
	ASTRA_ORDERED, /* as managed, in a pool without leases: Slurm's own,
			* in our order */
};

/* Whether a job is managed, and by which pool of the configuration in force.
 * pool: index into its pools; may be NULL. Heterogeneous jobs are Slurm's own,
 * and all where the plugin stands aside (selfcheck.h).
 * Locks: caller holds job, node and part read. */
enum astra_claim astra_claim_of(const job_record_t *job, size_t *pool);

/* Whether a job gets all of its nodes, and their GPUs with them: --exclusive,
 * or OverSubscribe=EXCLUSIVE of its partition. Locks: caller holds job and part
 * read. */
bool astra_takes_nodes(const job_record_t *job);

/* Whether a reason says no more than that the job waits; others are worth being
 * seen. */
bool astra_reason_is_plain(uint32_t reason);

/* What a job wants of its leases. */
struct astra_terms {
	double lease_sec; /* 0: the pool's */
	int signal;	  /* checkpoint signal; 0: none */
	bool batch_only;  /* --signal=B: to the batch shell only */
	bool revocable;
	bool leasable;	 /* it would be revocable in a pool with leases, and if
			  * its run had begun with one */
	bool unprepared; /* nothing says that it saves anything before it leaves
			  */
	const char *pinned; /* not revocable: why; else "". Static. */
	const char
		*dropped; /* what it said of its lease in vain; "". Static. */
	/* Before a maintenance it is told to leave so long before, and gets no
	 * lease that would be shorter than the second; 0: it has no leases. */
	double lead_sec, least_sec;
	uint32_t gpus_min, gpus_max;	/* --gpu-range; 0: of one size */
	uint32_t workers_max, ps;	/* --workers, --ps; 0: none */
	struct astra_forecast forecast; /* as its user said */
	const char *app;		/* --app; "": none */
	const char *bid;		/* --bid; NULL: none */
};

/* KILL and STOP: no program can write a checkpoint when it gets them. */
static inline bool astra_signal_is_deaf(int signal)
{
	return signal == SIGKILL || signal == SIGSTOP;
}

struct astra_wish;

/* Whether nothing says that a job of these options saves its work before it
 * leaves. signal: of --signal; 0: none. Pure. */
bool astra_terms_unprepared(const struct astra_options *options,
			    const struct astra_wish *wish, int signal);

/* app and bid of the result are the job's.
 * Locks: caller holds job read. */
void astra_terms_of(const job_record_t *job,
		    const struct astra_options *options,
		    struct astra_terms *out);

/* Fill in lead_sec and least_sec, by the other terms. Locks: caller holds conf
 * read. */
void astra_terms_before_maintenance(const struct astra_options *options,
				    struct astra_terms *terms);

/* A requeue of this run was refused: it is not revocable any more.
 * Locks: caller holds job write. */
void astra_terms_pin(const job_record_t *job);

#endif
