/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of rounds, for `sfair record`. An ordered record is made of the first
 * decision of a pool's next round: before the decision, the state of the engine
 * and its input; after it, the plan. Records are made in the engine's thread,
 * without slurmctld's locks, and kept for two minutes. A process has one
 * recorder. */
#ifndef ASTRA_RECORDER_H
#define ASTRA_RECORDER_H

#include "src/engine/engine.h"

struct astra_text;

/* See astra_round_order in src/proto/answer.h. May be called from any
 * thread. */
int astra_recorder_order(const char *pool, uint64_t *ticket,
			 struct astra_text *out, struct astra_error *err);

/* Make the record, if one is ordered. Call before and after a pool's decision.
 * Engine's thread only. failed: why nothing was decided, or "". */
void astra_recorder_before(const char *pool, const struct astra_engine *engine,
			   const struct astra_snapshot *snapshot);
void astra_recorder_after(const struct astra_plan *plan, const char *failed);

void astra_recorder_free(void);

#endif
