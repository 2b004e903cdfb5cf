/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What squeue shows for a job that waits for a lease: one of a few fixed texts,
 * so that programs which count jobs by reason get few kinds. Numbers, times and
 * names are in `sfair why`. */
#ifndef ASTRA_BRIEF_H
#define ASTRA_BRIEF_H

#include "src/model/plan.h"

enum astra_brief {
	ASTRA_BRIEF_NEXT,     /* no round has decided about the job */
	ASTRA_BRIEF_TURN,     /* other jobs go first */
	ASTRA_BRIEF_COLLECT,  /* GPUs are being taken back for it */
	ASTRA_BRIEF_ROOM,     /* there are enough GPUs, but not in the right
			       * places */
	ASTRA_BRIEF_LARGE,    /* even the end of all leases would not be
			       * enough */
	ASTRA_BRIEF_UNLEASED, /* jobs without leases have what it needs */
	ASTRA_BRIEF_PRICE,    /* its GPUs cost more than it is worth */
	ASTRA_BRIEF_DENIED,   /* as PRICE, and the job is held */
	ASTRA_BRIEF_CAP,     /* a cap of GPU hours, or of GPUs without leases */
	ASTRA_BRIEF_MAINT,   /* a maintenance has its nodes, or begins too
			      * soon */
	ASTRA_BRIEF_REFUSED, /* slurmctld refuses the start, without a reason */
	ASTRA_BRIEF_MIXED,   /* some of its partitions are in no pool */
	ASTRA_BRIEF_COUNT,
};

/* Return the text that squeue shows; static. */
const char *astra_brief_text(enum astra_brief brief);

/* Return which of the texts tells a policy's reason. */
enum astra_brief astra_brief_of(const struct astra_reason *reason);

#endif
