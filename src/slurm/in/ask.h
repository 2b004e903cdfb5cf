/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The GPUs, or shards of GPUs, that a job asks for, read from the texts that
 * sbatch, srun and salloc send ("gres:gpu:a100:2", "gres/gpu:8",
 * "gres:shard:2", "cpu=2,gres/gpu=1"). Pure: no Slurm, no locks. */
#ifndef ASTRA_ASK_H
#define ASTRA_ASK_H

#include <stdbool.h>
#include <stdint.h>

#include "src/common/error.h"

#define ASTRA_GPU_TYPE_MAX 64

enum astra_ask_per {
	ASTRA_PER_JOB,
	ASTRA_PER_NODE,
	ASTRA_PER_SOCKET,
	ASTRA_PER_TASK,
	ASTRA_PER_COUNT,
};

struct astra_ask {
	/* GPUs or shards. If a text names several types, their counts are
	 * summed; if it names a type twice, the last count is used. */
	uint64_t count[ASTRA_PER_COUNT];
	char type[ASTRA_GPU_TYPE_MAX]; /* the only type; "": any */
	bool two_types; /* several types, or some units with and some without a
			 * type */
	bool gpus, shards; /* which of the two the job asks for; Slurm refuses a
			    * job that asks for both */
	bool mps;	   /* the job asks for gres/mps; its count is ignored */
};

/* How the job is spread over nodes. 0: not given. */
struct astra_spread {
	uint32_t nodes_min, nodes_max;
	uint32_t tasks, tasks_per_node, tasks_per_gpu;
	uint32_t sockets_per_node;
};

/* The least that a job with this ask and spread can run with. */
struct astra_need {
	uint64_t gpus;	    /* in all */
	uint64_t node_gpus; /* on at least one node */
	uint32_t nodes;	    /* how many have node_gpus each; at least 1 */
};

/* Add one text to ask, which must be zero before the first text. text: as in
 * tres_per_job and similar members; NULL and "" add nothing. Other resources
 * are ignored. Returns 0, or -1 with err set if GPUs or shards are named in an
 * unreadable way. */
int astra_ask_add(struct astra_ask *ask, enum astra_ask_per per,
		  const char *text, struct astra_error *err);

/* Whether neither GPUs nor shards are named. If so, the job's need follows from
 * its tasks and tasks_per_gpu; without these it needs no GPU. */
bool astra_ask_is_derived(const struct astra_ask *ask);

/* Return the least that a job can run with; all zero if it asks for no GPU. */
struct astra_need astra_ask_need(const struct astra_ask *ask,
				 const struct astra_spread *spread);

#endif
