/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A round of the live cluster as JSON, to be repeated elsewhere. It has the
 * options, the engine's state before the round (its image), the snapshot, and
 * the plan that was decided. One table of members serves for writing and for
 * reading. Pure.
 *
 * {"astraea_round": 4, "release": …, "cluster": …, "pool": …,
 *  "options": {…}, "engine": "<hex>", "snapshot": {…}, "plan": {…}}
 *
 * Members that are 0, false or empty are left out of the snapshot. */
#ifndef ASTRA_ROUND_H
#define ASTRA_ROUND_H

#include <jansson.h>

#include "src/common/arena.h"
#include "src/common/bytes.h"
#include "src/common/text.h"
#include "src/engine/engine.h"
#include "src/model/auction.h"
#include "src/policies/options.h"

#define ASTRA_ROUND_VERSION 4

/* The head of a record. Texts are borrowed. */
struct astra_round_head {
	const char *release, *cluster, *pool;
};

/* Begins a record before the round: everything but the plan and the last brace.
 * astra_round_end() completes it. (write.c)
 * image: of the engine. On failure the text's `failed` is set. */
void astra_round_begin(struct astra_text *out,
		       const struct astra_round_head *head,
		       const struct astra_options *options,
		       const struct astra_bytes *image,
		       const struct astra_snapshot *snapshot);

/* Completes a record after the round, with the plan and, unless failed is "",
 * with the reason why the round failed. */
void astra_round_end(struct astra_text *out, const struct astra_plan *plan,
		     const char *failed);

/* Appends a plan by itself, as an object. */
void astra_plan_write(struct astra_text *out, const struct astra_plan *plan);

/* A record that was read. It borrows names from the JSON. */
struct astra_round {
	struct astra_round_head head;
	struct astra_options options;
	struct astra_engine *engine;
	struct astra_snapshot snapshot;
	struct astra_arena arena; /* of the snapshot */
};

/* Whether the JSON claims to be a record. */
bool astra_round_is(const json_t *json);

/* Reads a record; checks every value before its use. (read.c)
 * record: borrowed, and must outlive out.
 * Returns 0, or -1 with err naming what is wrong. */
int astra_round_read(const json_t *record, struct astra_round *out,
		     struct astra_error *err);
void astra_round_clear(struct astra_round *round);

/* Decides the round again.
 * Returns the plan, a new reference, or NULL with err set. */
json_t *astra_round_repeat(struct astra_round *round, struct astra_error *err);

#endif
