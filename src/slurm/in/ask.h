/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a job asks for in GPUs, or in shards of them, read from the texts that
 * sbatch, srun and salloc send ("gres:gpu:a100:2", "gres/gpu:8",
 * "gres:shard:2", "cpu=2,gres/gpu=1"). Pure: no Slurm, no locks.
 */
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
	/* GPUs or shards, the types of one text added, of each the number
	 * named last. */
	uint64_t count[ASTRA_PER_COUNT];
	char type[ASTRA_GPU_TYPE_MAX]; /* the only type, or "" for any */
	bool two_types;	   /* more than one type, or a type beside none */
	bool gpus, shards; /* which of them: Slurm refuses both in one job */
	bool mps;	   /* gres/mps, which is not counted */
};

/* How the job is spread. Zero: not given. */
struct astra_spread {
	uint32_t nodes_min, nodes_max;
	uint32_t tasks, tasks_per_node, tasks_per_gpu;
	uint32_t sockets_per_node;
};

/* What follows from both: the least the job can run with. */
struct astra_need {
	uint64_t gpus;	    /* in all */
	uint64_t node_gpus; /* on at least one node */
	uint32_t nodes;	    /* so many with node_gpus each; at least 1 */
};

/* Add one text to ask, which the caller has zeroed before the first.
 * text: as tres_per_job and its like hold it; NULL and "" add nothing.
 * Returns 0, or -1 with err set when it names GPUs or shards that cannot be
 * read; what is neither is passed over. */
int astra_ask_add(struct astra_ask *ask, enum astra_ask_per per,
		  const char *text, struct astra_error *err);

/* Whether neither is named, so that what a job needs follows from its tasks
 * and tasks_per_gpu, or is nothing. */
bool astra_ask_is_derived(const struct astra_ask *ask);

/* What a job needs; all zero when it asks for no GPU. Never more than the job
 * can run with. */
struct astra_need astra_ask_need(const struct astra_ask *ask,
				 const struct astra_spread *spread);

#endif
