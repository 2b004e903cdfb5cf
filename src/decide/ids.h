/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The identifiers of the objects in the lists of an instance. */
#ifndef ASTRA_DECIDE_IDS_H
#define ASTRA_DECIDE_IDS_H

#include "src/decide/instance.h"

/* Reads the required field "id" of an object in a list: a string or an integer
 * that no other object of the list has. */
int astra_in_new_id(const struct astra_in *in);

/* Reads the id as astra_in_new_id() does, but takes "1" and 1 for the same. */
int astra_in_new_name(const struct astra_in *in);

/* Reads a field that holds an identifier of a list; out: its index in the list.
 */
int astra_in_known_id(const struct astra_in *in, const char *key,
		      const char *list, uint32_t *out);

/* Returns the identifier of an object in a list of the instance, borrowed. */
const json_t *astra_id_find(const json_t *instance, const char *list,
			    size_t index);

/* Returns an identifier as text: the instance's own string, or `text`. */
const char *astra_id_text(const json_t *id, char text[32]);

/* Returns an identifier for the result, a new reference. */
json_t *astra_out_id(const json_t *instance, const char *list, size_t index);

#endif
