/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of rounds, for `sfair record`. One is made when it was ordered, from
 * the first decision of a pool's next round: before it what the engine is and
 * is shown, after it what was decided. All of it in the engine's thread,
 * without slurmctld's locks; the last record stays for two minutes.
 *
 * There is one in a process.
 */
#ifndef ASTRA_RECORDER_H
#define ASTRA_RECORDER_H

#include "src/engine/engine.h"

struct astra_text;

/* See astra_round_order in src/proto/answer.h. Any thread. */
int astra_recorder_order(const char *pool, uint64_t *ticket,
			 struct astra_text *out, struct astra_error *err);

/* Around a pool's decision; most of the time they do nothing. The engine's
 * thread. failed: why nothing was decided, or "". */
void astra_recorder_before(const char *pool, const struct astra_engine *engine,
			   const struct astra_snapshot *snapshot);
void astra_recorder_after(const struct astra_plan *plan, const char *failed);

void astra_recorder_free(void);

#endif
