/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Accounts that begin with past usage, for `sfair adopt`. There is one order at
 * a time. It is carried out between two rounds in the engine's thread, without
 * slurmctld's locks. Its outcome is told once the state is saved, and kept for
 * two minutes. There is one in a process. */
#ifndef ASTRA_ADOPTER_H
#define ASTRA_ADOPTER_H

#include "src/proto/wire.h"
#include "src/slurm/in/snapshot.h"
#include "src/slurm/round/pool.h"

struct astra_query_adopt;
struct astra_text;

/* See astra_adopt_order in src/proto/answer.h. Any thread. */
enum astra_fault astra_adopter_order(const char *pool,
				     struct astra_query_adopt *adopt,
				     uint32_t uid, uint64_t *ticket,
				     struct astra_text *out,
				     struct astra_error *err);

/* Call before the decisions of a round, and after the pools were saved; mostly
 * they do nothing. Engine's thread. */
void astra_adopter_serve(struct astra_pools *pools);
void astra_adopter_saved(const struct astra_pools *pools,
			 const struct astra_scene *scene);

void astra_adopter_free(void);

#endif
