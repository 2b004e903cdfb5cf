/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What squeue shows of a job that waits for a lease: one of a few fixed texts,
 * so that programs which count jobs by their reason get few kinds. Numbers,
 * times and names stand in `sfair why`.
 */
#ifndef ASTRA_BRIEF_H
#define ASTRA_BRIEF_H

#include "src/model/plan.h"

enum astra_brief {
	ASTRA_BRIEF_NEXT,     /* no round has decided about the job */
	ASTRA_BRIEF_TURN,     /* other jobs go first */
	ASTRA_BRIEF_COLLECT,  /* GPUs are being taken back for it */
	ASTRA_BRIEF_ROOM,     /* enough GPUs, but not where it could use them */
	ASTRA_BRIEF_LARGE,    /* not even the end of all leases would do */
	ASTRA_BRIEF_UNLEASED, /* jobs without leases have what it needs */
	ASTRA_BRIEF_PRICE,    /* its GPUs cost more than it is worth */
	ASTRA_BRIEF_DENIED,   /* the same, and it is held */
	ASTRA_BRIEF_CAP,     /* a cap of GPU hours, or of GPUs without leases */
	ASTRA_BRIEF_MAINT,   /* a maintenance has its nodes, or is too near */
	ASTRA_BRIEF_REFUSED, /* slurmctld refuses the start, without a reason */
	ASTRA_BRIEF_MIXED,   /* some of its partitions are in no pool */
	ASTRA_BRIEF_COUNT,
};

/* The text that squeue shows; static. */
const char *astra_brief_text(enum astra_brief brief);

/* Which of them tells of a policy's reason. */
enum astra_brief astra_brief_of(const struct astra_reason *reason);

#endif
