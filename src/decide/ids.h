/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Identifiers of objects in the lists of an instance. */
#ifndef ASTRA_DECIDE_IDS_H
#define ASTRA_DECIDE_IDS_H

#include "src/decide/instance.h"

/* Reads the required field "id" of an object in a list. This is a string or an
 * integer that no other object of the list has. */
int astra_in_new_id(const struct astra_in *in);

/* Reads the id like astra_in_new_id(), but counts "1" and 1 as equal. */
int astra_in_new_name(const struct astra_in *in);

/* Reads a field with the identifier of an object in a list. out: set to the
 * object's index in the list. */
int astra_in_known_id(const struct astra_in *in, const char *key,
		      const char *list, uint32_t *out);

/* Returns the identifier of an object in a list of the instance, borrowed. */
const json_t *astra_id_find(const json_t *instance, const char *list,
			    size_t index);

/* Returns an identifier as text: the instance's own string, or `text` with the
 * integer. */
const char *astra_id_text(const json_t *id, char text[32]);

/* Returns an identifier for use in the result, a new reference. */
json_t *astra_out_id(const json_t *instance, const char *list, size_t index);

#endif
