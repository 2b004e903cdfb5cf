/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An engine bit by bit: one made from an image decides as the one it was taken
 * of, to the last tie. For records of a round, and for looking ahead with a
 * copy. What must survive a restart is astra_engine_save()'s, which other
 * releases can read; an image is its own release's only.
 */
#ifndef ASTRA_ENGINE_IMAGE_H
#define ASTRA_ENGINE_IMAGE_H

#include "src/common/bytes.h"
#include "src/engine/engine.h"

/* Append it. Returns 0, or -1 when memory is out. */
int astra_engine_image(const struct astra_engine *engine,
		       struct astra_bytes *out);

/* options: those of the engine that it was taken of.
 * Returns NULL with err set when the image is damaged or memory is out. Free
 * with astra_engine_destroy(). */
struct astra_engine *astra_engine_of_image(const struct astra_options *options,
					   const void *data, size_t size,
					   struct astra_error *err);

#endif
