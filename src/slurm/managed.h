/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which jobs are ours, and what their users said about leases. */
#ifndef ASTRA_MANAGED_H
#define ASTRA_MANAGED_H

#include <signal.h>

#include "src/policy/model.h"
#include "src/policy/options.h"
#include "src/slurm/compat.h"
#include "src/slurm/config.h"

enum astra_claim {
	ASTRA_FOREIGN, /* Slurm's own */
	ASTRA_MANAGED, /* asks for GPUs, or for whole nodes that have some, in
			* partitions of one pool */
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

/* Whether one of the nodes has GPUs. Locks: caller holds node read. */
bool astra_nodes_have_gpus(bitstr_t *nodes);

/* Whether a reason says no more than that the job waits; others are worth being
 * seen. */
bool astra_reason_is_plain(uint32_t reason);

/* What a job wants of its leases. */
struct astra_terms {
	double lease_sec; /* 0: the pool's */
	int signal;	  /* checkpoint signal; 0: none */
	bool batch_only;  /* --signal=B: to the batch shell only */
	bool revocable;
	const char *pinned;	     /* not revocable: why; else "". Static. */
	uint32_t gpus_min, gpus_max; /* --gpu-range; 0: of one size */
	uint32_t workers_max, ps;    /* --workers, --ps; 0: none */
	struct astra_forecast forecast; /* as its user said */
	const char *app;		/* --app; "": none */
	const char *bid;		/* --bid; NULL: none */
};

/* KILL and STOP: no program can write a checkpoint when it gets them. */
static inline bool astra_signal_is_deaf(int signal)
{
	return signal == SIGKILL || signal == SIGSTOP;
}

/* app and bid of the result are the job's.
 * Locks: caller holds job read. */
void astra_terms_of(const job_record_t *job,
		    const struct astra_options *options,
		    struct astra_terms *out);

/* A requeue of this run was refused: it is not revocable any more.
 * Locks: caller holds job write. */
void astra_terms_pin(const job_record_t *job);

/* The gres_state of gpu in a node's or job's list, or NULL. A job may have
 * several, one a type: given in turn, the nth from 0. Borrowed.
 * Locks: those of the list's owner, read. */
gres_state_t *astra_gpu_state(list_t *list, int nth);

/* The GPUs of a node, or NULL. Borrowed. node: may be NULL.
 * Locks: caller holds node read. */
const gres_node_state_t *astra_node_gpus(const node_record_t *node);

/* How many of them nobody holds. node: may be NULL. Locks: as above. */
uint64_t astra_gpus_free(const node_record_t *node);

/* Whether a node has GPUs of a type, as far as it has told.
 * Locks: caller holds node read. */
bool astra_node_has_type(const node_record_t *node, const char *type);

/* The types of a node's GPUs, '+' between them; "" where it has told none.
 * Locks: as above. */
void astra_node_types(const node_record_t *node, char *text, size_t size);

#endif
