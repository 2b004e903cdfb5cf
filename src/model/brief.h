/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What squeue shows for a job that waits for a lease: one of a few fixed texts,
 * so that programs which count jobs by reason get few kinds. `sfair why` shows
 * numbers, times and names. */
#ifndef ASTRA_BRIEF_H
#define ASTRA_BRIEF_H

#include "src/model/plan.h"

enum astra_brief {
	ASTRA_BRIEF_NEXT,     /* no round has decided about the job yet */
	ASTRA_BRIEF_TURN,     /* other jobs go first */
	ASTRA_BRIEF_COLLECT,  /* GPUs are being taken back for it */
	ASTRA_BRIEF_ROOM,     /* there are enough GPUs, but not on the right
			       * nodes */
	ASTRA_BRIEF_LARGE,    /* it would not fit even if all leases ended */
	ASTRA_BRIEF_UNLEASED, /* jobs without leases hold what it needs */
	ASTRA_BRIEF_PRICE,    /* its GPUs cost more than it is worth */
	ASTRA_BRIEF_DENIED,   /* as PRICE, and the policy holds the job */
	ASTRA_BRIEF_CAP,      /* a cap is reached: on GPU hours, or on GPUs
			       * without leases */
	ASTRA_BRIEF_MAINT,    /* a maintenance has its nodes now, or begins too
			       * soon */
	ASTRA_BRIEF_REFUSED,  /* slurmctld refuses its start without naming a
			       * reason */
	ASTRA_BRIEF_MIXED,    /* some of its partitions are in no pool */
	ASTRA_BRIEF_COUNT,
};

/* Return the text that squeue shows; static. */
const char *astra_brief_text(enum astra_brief brief);

/* Return which text stands for a policy's reason. */
enum astra_brief astra_brief_of(const struct astra_reason *reason);

#endif
