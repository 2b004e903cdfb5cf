/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of rounds, for `sfair record`. An ordered record is made of the first
 * decision of a pool's next round: before it, the state of the engine and its
 * input; after it, what was decided. All in the engine's thread, without
 * slurmctld's locks. The record is kept for two minutes. There is one recorder
 * in a process. */
#ifndef ASTRA_RECORDER_H
#define ASTRA_RECORDER_H

#include "src/engine/engine.h"

struct astra_text;

/* See astra_round_order in src/proto/answer.h. Any thread. */
int astra_recorder_order(const char *pool, uint64_t *ticket,
			 struct astra_text *out, struct astra_error *err);

/* Call before and after a pool's decision; mostly they do nothing. Engine's
 * thread. failed: why nothing was decided, or "". */
void astra_recorder_before(const char *pool, const struct astra_engine *engine,
			   const struct astra_snapshot *snapshot);
void astra_recorder_after(const struct astra_plan *plan, const char *failed);

void astra_recorder_free(void);

#endif
