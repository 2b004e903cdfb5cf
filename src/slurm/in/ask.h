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
	/* GPUs or shards. The types of one text are summed; of each type the
	 * last count holds. */
	uint64_t count[ASTRA_PER_COUNT];
	char type[ASTRA_GPU_TYPE_MAX]; /* the only type; "": any */
	bool two_types;	   /* more than one type, or a type and none */
	bool gpus, shards; /* which are asked for: Slurm refuses both in one
			    * job */
	bool mps;	   /* gres/mps, which is not counted */
};

/* How the job is spread over nodes. 0: not given. */
struct astra_spread {
	uint32_t nodes_min, nodes_max;
	uint32_t tasks, tasks_per_node, tasks_per_gpu;
	uint32_t sockets_per_node;
};

/* What follows from an ask and a spread: the least that the job can run
 * with. */
struct astra_need {
	uint64_t gpus;	    /* in all */
	uint64_t node_gpus; /* on at least one node */
	uint32_t nodes;	    /* how many have node_gpus each; at least 1 */
};

/* Add one text to ask, which must be zero before the first text. text: as in
 * tres_per_job and its like; NULL and "" add nothing. Returns 0, or -1 with err
 * set if it names GPUs or shards in an unreadable way; other resources are
 * ignored. */
int astra_ask_add(struct astra_ask *ask, enum astra_ask_per per,
		  const char *text, struct astra_error *err);

/* Whether neither GPUs nor shards are named. Then what a job needs follows from
 * its tasks and tasks_per_gpu, or is nothing. */
bool astra_ask_is_derived(const struct astra_ask *ask);

/* Return what a job needs, never more than it can run with; all zero if it asks
 * for no GPU. */
struct astra_need astra_ask_need(const struct astra_ask *ask,
				 const struct astra_spread *spread);

#endif
