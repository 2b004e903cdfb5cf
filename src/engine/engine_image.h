/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An exact image of an engine. An engine made from an image decides as the
 * original would, to the last tie. Images are used for records of a round, and
 * for looking ahead with a copy. Only the same release can read an image. For
 * restarts there is astra_engine_save(), whose data other releases can read. */
#ifndef ASTRA_ENGINE_IMAGE_H
#define ASTRA_ENGINE_IMAGE_H

#include "src/common/bytes.h"
#include "src/engine/engine.h"

/* Append an image to out. Returns 0, or -1 when memory is out. */
int astra_engine_image(const struct astra_engine *engine,
		       struct astra_bytes *out);

/* Make an engine from an image. options: those of the original engine. Returns
 * NULL with err set when the image is damaged or memory is out. Free with
 * astra_engine_destroy(). */
struct astra_engine *astra_engine_of_image(const struct astra_options *options,
					   const void *data, size_t size,
					   struct astra_error *err);

#endif
