/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records as JSON by tables of their members, straight into a text: by way of a
 * tree of values, a report of 100,000 jobs takes three times as long. Each
 * appends; out says whether that failed. */
#ifndef ASTRA_MEMBER_JSON_H
#define ASTRA_MEMBER_JSON_H

#include "src/common/member.h"
#include "src/common/text.h"

/* How to write: the bits of enum astra_member_seen to whose members is written
 * null, and of these. */
enum {
	ASTRA_ENCODE_HIDDEN = 7, /* all are null */
	ASTRA_ENCODE_TERSE = 16, /* without what is 0, false or "" */
	ASTRA_ENCODE_EXACT = 32, /* all bits of reals */
};

#define ASTRA_PICK_ALL UINT64_MAX

/* The members, the first one after the separator given, the others after a
 * comma. Returns whether there was any. */
bool astra_encode_members(struct astra_text *out, const void *record,
			  const struct astra_member *members, char separator,
			  unsigned how);

void astra_encode_object(struct astra_text *out, const void *record,
			 const struct astra_member *members);

/* An object of some of the members. picked: bits by row, of the first 64. */
void astra_encode_picked(struct astra_text *out, const void *record,
			 const struct astra_member *members, uint64_t picked,
			 unsigned how);

/* The bit of a key; 0: there is no such key that can be picked. size: of it. */
uint64_t astra_pick_one(const struct astra_member *members, const char *key,
			size_t size);

/* Those of keys with commas between them. */
uint64_t astra_pick_keys(const struct astra_member *members, const char *keys);

#endif
