/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A round of production as JSON, to be decided again elsewhere: the options,
 * the engine as it was before (its image), what it was shown, and what it then
 * decided. One table of members serves for writing and for reading. Pure.
 *
 *	{"astraea_round": 2, "release": …, "cluster": …, "pool": …,
 *	 "options": {…}, "engine": "<hex>", "snapshot": {…}, "plan": {…}}
 *
 * Members that are 0, false or empty are left out of the snapshot.
 */
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

/* What a record begins with. Texts are borrowed. */
struct astra_round_head {
	const char *release, *cluster, *pool;
};

/* Append a record without its last brace, so that the plan can follow: this is
 * called before the round. (write.c)
 * image: of the engine. Failures are the text's. */
void astra_round_begin(struct astra_text *out,
		       const struct astra_round_head *head,
		       const struct astra_options *options,
		       const struct astra_bytes *image,
		       const struct astra_snapshot *snapshot);

/* And after it. failed: why the round decided nothing; "": it did. */
void astra_round_end(struct astra_text *out, const struct astra_plan *plan,
		     const char *failed);

/* A plan by itself, as an object. */
void astra_plan_write(struct astra_text *out, const struct astra_plan *plan);

/* A record that was read. It borrows names from the JSON. */
struct astra_round {
	struct astra_round_head head;
	struct astra_options options;
	struct astra_engine *engine;
	struct astra_snapshot snapshot;
	struct astra_arena arena; /* of the snapshot */
};

/* Whether this is a record at all. */
bool astra_round_is(const json_t *json);

/* Every value is checked before it is used. (read.c)
 * record: borrowed, and to be kept as long as out.
 * Returns 0, or -1 with err naming what is wrong with it. */
int astra_round_read(const json_t *record, struct astra_round *out,
		     struct astra_error *err);
void astra_round_clear(struct astra_round *round);

/* Decide it once more.
 * Returns the plan, a new reference, or NULL with err set. */
json_t *astra_round_repeat(struct astra_round *round, struct astra_error *err);

#endif
