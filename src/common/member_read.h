/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records from JSON by tables of their members: the reverse of member_json.h.
 * Input comes from outside, so it is checked here. */
#ifndef ASTRA_MEMBER_READ_H
#define ASTRA_MEMBER_READ_H

#include <jansson.h>

#include "src/common/error.h"
#include "src/common/member.h"

/* Read an object's members into a record. Texts are borrowed from the object. A
 * member that is missing or wrong is left unchanged. For kinds that have a
 * value for none, null means that value. what[index]: the object's name in an
 * error. Returns 0, or -1 with err naming the first wrong member; all others
 * are read. */
int astra_members_read(const json_t *object, void *record,
		       const struct astra_member *members, const char *what,
		       size_t index, struct astra_error *err);

/* Set each member to its value for none: NaN, "", or 0 if its kind has no such
 * value. */
void astra_members_clear(void *record, const struct astra_member *members);

/* Read an array of objects into records of `size` bytes. A missing member gets
 * its value for none. Returns an array of `count` records with room for one
 * more, for free(), or NULL when memory is out. err names the first wrong
 * value, unless err has a text already. */
void *astra_rows_read(const json_t *array, size_t size,
		      const struct astra_member *members, const char *what,
		      size_t *count, struct astra_error *err);

/* Read one value. Returns whether it is valid. */
bool astra_read_real(const json_t *json, double *out);
bool astra_read_whole(const json_t *json, int64_t least, int64_t most,
		      int64_t *out);

/* Say what is wrong with a member. Returns -1. */
int astra_read_wrong(const char *what, size_t index, const char *key,
		     struct astra_error *err);

#endif
