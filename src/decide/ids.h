/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The identifiers of the objects in the lists of an instance. */
#ifndef ASTRA_DECIDE_IDS_H
#define ASTRA_DECIDE_IDS_H

#include "src/decide/instance.h"

/* Read the required field "id" of an object in a list: a string or an integer,
 * which no other object of the list has. */
int astra_in_new_id(const struct astra_in *in);

/* Likewise, but "1" and 1 count as the same identifier. */
int astra_in_new_name(const struct astra_in *in);

/* A field that is an identifier of a list; out: its index there. */
int astra_in_known_id(const struct astra_in *in, const char *key,
		      const char *list, uint32_t *out);

/* The identifier of an object in a list of the instance, borrowed. */
const json_t *astra_id_find(const json_t *instance, const char *list,
			    size_t index);

/* The same as a text, which is that of the instance or in `text`. */
const char *astra_id_text(const json_t *id, char text[32]);

/* The identifier in a result. New reference. */
json_t *astra_out_id(const json_t *instance, const char *list, size_t index);

#endif
