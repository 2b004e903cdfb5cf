/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records as JSON by tables of their members, straight into a text: through a
 * tree of values, a report of 100,000 jobs would take three times as long. Each
 * function appends; out records failures. */
#ifndef ASTRA_MEMBER_JSON_H
#define ASTRA_MEMBER_JSON_H

#include "src/common/member.h"
#include "src/common/text.h"

/* How to write: the bits of enum astra_member_seen whose members are null, and
 * these. */
enum {
	ASTRA_ENCODE_HIDDEN = 7, /* all are null */
	ASTRA_ENCODE_TERSE = 16, /* without what is 0, false or "" */
	ASTRA_ENCODE_EXACT = 32, /* all bits of reals */
};

#define ASTRA_PICK_ALL UINT64_MAX

/* Append the members, the first one after the given separator, the others after
 * a comma. Returns whether there was any. */
bool astra_encode_members(struct astra_text *out, const void *record,
			  const struct astra_member *members, char separator,
			  unsigned how);

void astra_encode_object(struct astra_text *out, const void *record,
			 const struct astra_member *members);

/* Append an object of some members. picked: bits by row, of the first 64. */
void astra_encode_picked(struct astra_text *out, const void *record,
			 const struct astra_member *members, uint64_t picked,
			 unsigned how);

/* Return the bit of a key; 0: there is no such key to pick. size: of the
 * key. */
uint64_t astra_pick_one(const struct astra_member *members, const char *key,
			size_t size);

/* Return the bits of keys separated by commas. */
uint64_t astra_pick_keys(const struct astra_member *members, const char *keys);

#endif
