/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the members of what a record holds are read. */
#ifndef ASTRA_RECORD_MEMBERS_H
#define ASTRA_RECORD_MEMBERS_H

#include <jansson.h>

#include "src/common/error.h"
#include "src/policy/members.h"

/* Read members into a zeroed record; texts are borrowed. what, index: where it
 * stands, for the error. Returns 0, or -1 with err set. (value.c) */
int astra_round_get(const json_t *object, void *record,
		    const struct astra_member *members, const char *what,
		    size_t index, struct astra_error *err);

/* One value; say what is wrong with one, returns -1. (value.c) */
bool astra_round_real(const json_t *json, double *out);
bool astra_round_whole(const json_t *json, int64_t least, int64_t most,
		       int64_t *out);
int astra_round_wrong(const char *what, size_t index, const char *key,
		      struct astra_error *err);

/* The snapshot, into a record whose arena it takes. (read_snapshot.c) */
struct astra_round;
int astra_round_get_snapshot(const json_t *object, struct astra_round *round,
			     struct astra_error *err);

#endif
