/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole GPUs and devices of MIG, which are parts of one. Slurm counts either as
 * one gres/gpu: a pool that has both would give a job for a GPU the one or the
 * other, and charge it alike. Pure: no Slurm, no locks.
 */
#ifndef ASTRA_GPU_KINDS_H
#define ASTRA_GPU_KINDS_H

#include <stdbool.h>

#include "src/common/error.h"
#include "src/model/weights.h"

#define ASTRA_GPU_KIND_MAX 64 /* bytes of a name that is kept */

/* One of each that the nodes of a pool have. */
struct astra_gpu_kinds {
	struct astra_gpu_kind {
		char type[ASTRA_GPU_KIND_MAX]; /* "": there is none */
		char node[ASTRA_GPU_KIND_MAX];
	} whole, mig, unweighed; /* of MIG, and not in GPUWeight */
};

/* Whether a type is called as NVIDIA's driver and Slurm's AutoDetect call MIG's
 * devices: 1g.5gb, a100_3g.20gb, 1g.10gb+me. */
bool astra_gpu_is_mig(const char *type);

/* A node, or several, has GPUs of the type. */
void astra_gpu_kinds_add(struct astra_gpu_kinds *kinds,
			 const struct astra_weights *weights, const char *node,
			 const char *type);

/* The same of Gres= in slurm.conf: gpu:TYPE:N, among others. */
void astra_gpu_kinds_add_gres(struct astra_gpu_kinds *kinds,
			      const struct astra_weights *weights,
			      const char *node, const char *gres);

/* Returns 0, or -1 with err saying what is mixed and what to do. */
int astra_gpu_kinds_check(const struct astra_gpu_kinds *kinds, const char *pool,
			  struct astra_error *err);

/* Add a warning for a type of MIG that counts as a whole GPU. */
void astra_gpu_kinds_warn(const struct astra_gpu_kinds *kinds, const char *pool,
			  struct astra_error *out);

#endif
