/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records as JSON, by tables of their members. The JSON is written directly
 * into a text: with a tree of values a report of 100,000 jobs would take three
 * times as long. Each function appends to the text. Failures are recorded in
 * out. */
#ifndef ASTRA_MEMBER_JSON_H
#define ASTRA_MEMBER_JSON_H

#include "src/common/member.h"
#include "src/common/text.h"

/* How to write. A bit of enum astra_member_seen means that the members with
 * this bit are null. The values below are more such bits. */
enum {
	ASTRA_ENCODE_HIDDEN = 7, /* all bits of astra_member_seen */
	ASTRA_ENCODE_TERSE = 16, /* leave out members that are 0, false or "" */
	ASTRA_ENCODE_EXACT = 32, /* write all bits of real numbers */
};

#define ASTRA_PICK_ALL UINT64_MAX

/* Append the members. The first one comes after the given separator, each other
 * one after a comma. Returns whether there was any. */
bool astra_encode_members(struct astra_text *out, const void *record,
			  const struct astra_member *members, char separator,
			  unsigned how);

void astra_encode_object(struct astra_text *out, const void *record,
			 const struct astra_member *members);

/* Append an object of some members. picked: one bit per row, for the first 64
 * rows. */
void astra_encode_picked(struct astra_text *out, const void *record,
			 const struct astra_member *members, uint64_t picked,
			 unsigned how);

/* Return the bit of a key; 0: no row has this key, or it cannot be picked.
 * size: length of the key. */
uint64_t astra_pick_one(const struct astra_member *members, const char *key,
			size_t size);

/* Return the bits of keys separated by commas. */
uint64_t astra_pick_keys(const struct astra_member *members, const char *keys);

#endif
