/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records from JSON by tables of their members: the reverse of member_json.h.
 * Input comes from outside, so it is checked here. */
#ifndef ASTRA_MEMBER_READ_H
#define ASTRA_MEMBER_READ_H

#include <jansson.h>

#include "src/common/error.h"
#include "src/common/member.h"

/* Read an object's members into a record; texts are borrowed from the object. A
 * member that is missing or wrong is left unchanged; null means none, for kinds
 * that have it. what[index]: the object's name in an error. Returns 0, or -1
 * with err naming the first wrong member; all others are read. */
int astra_members_read(const json_t *object, void *record,
		       const struct astra_member *members, const char *what,
		       size_t index, struct astra_error *err);

/* Set each member to none: NaN, "", or 0 if its kind has no none. */
void astra_members_clear(void *record, const struct astra_member *members);

/* Read an array of objects into records of a size; missing members are none.
 * Returns them, count of them with room for one more, for free(); NULL when
 * memory is out. err names the first wrong value, unless it has a text
 * already. */
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
