/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the members of what a record holds are read. */
#ifndef ASTRA_RECORD_MEMBERS_H
#define ASTRA_RECORD_MEMBERS_H

#include "src/common/member_read.h"
#include "src/model/members.h"

/* The snapshot, into a record whose arena it takes. (read_snapshot.c) */
struct astra_round;
int astra_round_get_snapshot(const json_t *object, struct astra_round *round,
			     struct astra_error *err);

#endif
