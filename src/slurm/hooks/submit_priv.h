/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The inside of submit.c's checks: what a request asks for, and what the
 * partitions have. */
#ifndef ASTRA_SUBMIT_PRIV_H
#define ASTRA_SUBMIT_PRIV_H

#include "src/common/error.h"
#include "src/slurm/compat/compat.h"
#include "src/slurm/conf/config.h"
#include "src/slurm/hooks/submit.h"
#include "src/slurm/in/ask.h"
#include "src/slurm/in/wish.h"

/* All that matters of a new job, or of a job as it would be after a change. */
struct astra_submit {
	const char *partitions; /* NULL: the default one */
	const char *nodes;	/* nodes that it names; NULL: none */
	struct astra_ask ask;
	struct astra_spread spread;
	struct astra_need need;
	uint64_t cpus; /* on each node */
	uint64_t mem_mib;
	bool cpus_per_gpu;
	bool exclusive;
	bool whole;  /* asks for whole nodes with GPUs, but names no GPUs */
	bool shards; /* the pool has Gres=shard */
	bool het;
	bool managed;
	bool revocable;	    /* a batch job that may be requeued */
	bool requeue;	    /* the user said --requeue; JobRequeue alone does
			     * not count */
	bool unprepared;    /* set by a check: nothing says that the job saves
			     * its work */
	bool unleased;	    /* set by a check: the job will have no leases */
	uint32_t shortened; /* set by a check: cut its time limit to so many
			     * minutes; 0: as asked */
	uint32_t gpus_min, gpus_max; /* --gpu-range, --workers; 0: one size */
	uint32_t minutes;	     /* time limit; NO_VAL: the partition's */
	int signal;		     /* of --signal */
	struct astra_wish wish;	     /* as far as it could be read */
	bool wish_unread;	     /* not all of it could be read */
	struct astra_error wish_error;
};

/* The partitions of a request, taken together. */
struct astra_places {
	bool managed, unmanaged, two_pools;
	bool exclusive; /* one of them has OverSubscribe=EXCLUSIVE */
	char pool[ASTRA_POOL_NAME_MAX];
	struct astra_options options; /* of the pool */
};

/* What a partition's nodes have. */
struct astra_stock {
	uint64_t gpus;	      /* of the type asked for */
	uint64_t most;	      /* on one node */
	uint32_t nodes_gpus;  /* nodes that have the GPUs needed on each node */
	uint32_t nodes;	      /* nodes that also have the CPUs and the memory */
	uint64_t gpus_usable; /* GPUs on those nodes */
};

/* submit_read.c */
int astra_submit_read(struct astra_submit *r, const job_desc_msg_t *d,
		      struct astra_error *err);
/* Read the job as it would be after a change. CPUs and memory are left out:
 * Slurm has merged them with its own defaults. */
int astra_submit_read_change(struct astra_submit *r, const job_desc_msg_t *d,
			     const job_record_t *job, struct astra_error *err);
/* Check any job, managed or not, as it goes on to Slurm. Returns a Slurm error
 * number. */
int astra_submit_check_spread(const job_desc_msg_t *d, struct astra_error *err);

/* submit_wish.c. astra_submit_check_wish() checks that the pool grants the
 * user's wishes about leases. astra_submit_check_unleased() checks that the job
 * does not ask for more GPUs without leases than a tenant may ever hold. Both
 * return a Slurm error number. */
int astra_submit_check_wish(struct astra_submit *r,
			    const struct astra_places *places,
			    struct astra_error *err);
int astra_submit_check_unleased(struct astra_submit *r,
				const struct astra_places *places,
				struct astra_error *err);

/* submit_wish.c: return what to tell the user of a job that declares no
 * checkpoint; NULL: nothing. Static. */
const char *astra_submit_unprepared_text(const struct astra_submit *r,
					 const struct astra_options *options);
/* Note --requeue in the SPANK environment of a request or of a job. Locks: for
 * a job, caller holds job write. */
void astra_submit_mark_requeue(char ***env, uint32_t *count);

/* submit_wish.c: whether a managed request is for a job without leases whose
 * time limit is longer than NoLeaseTime. */
bool astra_submit_is_too_long(struct astra_submit *r,
			      const struct astra_places *places);

/* Whether a change touches anything that is checked here. */
bool astra_submit_concerns(const job_desc_msg_t *d);

/* submit_wish.c: read --gpu-range, and set the request's GPUs to its largest
 * size. Returns a Slurm error number. */
int astra_submit_range_read(struct astra_submit *r, struct astra_error *err);
/* Check the range of a request that is valid otherwise. Returns a Slurm error
 * number. */
int astra_submit_range_check(const struct astra_submit *r,
			     struct astra_error *err);
/* Write the range's smallest size, with which the job begins, into the
 * request. */
void astra_submit_range_write(job_desc_msg_t *desc,
			      const struct astra_submit *r);
/* Refuse changes that contradict the range of an elastic job. Returns a Slurm
 * error number. */
int astra_submit_range_keep(const job_desc_msg_t *d, const job_record_t *job,
			    struct astra_error *err);

/* submit_stock.c; the caller holds part and node read. */
/* Return the next partition on a list; NULL: no more. Unknown names are
 * skipped, as Slurm itself refuses them. *at: where to go on, NULL at first and
 * "" at the end. */
part_record_t *astra_next_part(const char *list, const char **at);
void astra_places_look(struct astra_places *places, const char *list);
bool astra_stock_suffices(const part_record_t *part,
			  const struct astra_submit *r,
			  struct astra_stock *stock);
/* Whether the partition has a node with a GPU of a managed partition. */
bool astra_stock_reaches_pool(const part_record_t *part);
/* Whether the named nodes have GPUs. If no nodes are named: whether those of
 * the partitions have GPUs. */
bool astra_stock_has_gpus(const char *partitions, const char *nodes);
/* Whether a node of the partitions has MIG devices of several types. */
bool astra_stock_has_kinds(const char *partitions);

#endif
