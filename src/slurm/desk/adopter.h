/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets the past usage that accounts begin with, for `sfair adopt`. A process
 * has one order at a time. It is carried out between two rounds in the engine's
 * thread, without slurmctld's locks. Its outcome is available once the state is
 * saved, and for two minutes. */
#ifndef ASTRA_ADOPTER_H
#define ASTRA_ADOPTER_H

#include "src/proto/wire.h"
#include "src/slurm/in/snapshot.h"
#include "src/slurm/round/pool.h"

struct astra_query_adopt;
struct astra_text;

/* See astra_adopt_order in src/proto/answer.h. May be called from any
 * thread. */
enum astra_fault astra_adopter_order(const char *pool,
				     struct astra_query_adopt *adopt,
				     uint32_t uid, uint64_t *ticket,
				     struct astra_text *out,
				     struct astra_error *err);

/* Carry out an order. Call astra_adopter_serve() before the decisions of a
 * round, and astra_adopter_saved() after the pools were saved. Without an order
 * both do nothing. Engine's thread only. */
void astra_adopter_serve(struct astra_pools *pools);
void astra_adopter_saved(const struct astra_pools *pools,
			 const struct astra_scene *scene);

void astra_adopter_free(void);

#endif
