/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole GPUs and MIG devices, which are parts of a GPU. Slurm counts each of
 * them as one gres/gpu. In a pool with both, a job that asks for a GPU would
 * get either, and be charged the same. Pure: no Slurm, no locks. */
#ifndef ASTRA_GPU_KINDS_H
#define ASTRA_GPU_KINDS_H

#include <stdbool.h>

#include "src/common/error.h"
#include "src/model/weights.h"

#define ASTRA_GPU_KIND_MAX 64 /* how many bytes of a name are kept */

/* One example of each kind of GPU among the nodes of a pool. */
struct astra_gpu_kinds {
	struct astra_gpu_kind {
		char type[ASTRA_GPU_KIND_MAX]; /* "": there is none */
		char node[ASTRA_GPU_KIND_MAX];
	} whole, mig, unweighed; /* unweighed: a MIG device that GPUWeight does
				  * not name */
};

/* Whether a type has a name that NVIDIA's driver and Slurm's AutoDetect give to
 * MIG devices: 1g.5gb, a100_3g.20gb, 1g.10gb+me. */
bool astra_gpu_is_mig(const char *type);

/* Note that a node, or several nodes, have GPUs of a type. */
void astra_gpu_kinds_add(struct astra_gpu_kinds *kinds,
			 const struct astra_weights *weights, const char *node,
			 const char *type);

/* As astra_gpu_kinds_add(), for the text of Gres= in slurm.conf, which may have
 * gpu:TYPE:N. */
void astra_gpu_kinds_add_gres(struct astra_gpu_kinds *kinds,
			      const struct astra_weights *weights,
			      const char *node, const char *gres);

/* Check that a pool does not have both kinds. Returns 0, or -1 with err saying
 * what is mixed and what to do. */
int astra_gpu_kinds_check(const struct astra_gpu_kinds *kinds, const char *pool,
			  struct astra_error *err);

/* Add a warning for a type of MIG device that counts as a whole GPU. */
void astra_gpu_kinds_warn(const struct astra_gpu_kinds *kinds, const char *pool,
			  struct astra_error *out);

#endif
