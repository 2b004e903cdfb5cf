/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/model/brief.h"

#include <math.h>

/* astraea(7) has the same list, and a test compares the two. */
static const char *const brief_texts[] = {
	[ASTRA_BRIEF_NEXT] = "Lease: next round",
	[ASTRA_BRIEF_TURN] = "Lease: waits for its turn",
	[ASTRA_BRIEF_COLLECT] = "Lease: GPUs are being collected",
	[ASTRA_BRIEF_ROOM] = "Lease: no node has room",
	[ASTRA_BRIEF_LARGE] = "Lease: would not fit if all leases ended",
	[ASTRA_BRIEF_UNLEASED] = "Lease: needs what jobs without leases have",
	[ASTRA_BRIEF_PRICE] = "Lease: costs more than it is worth",
	[ASTRA_BRIEF_DENIED] = "Lease: refused by the policy",
	[ASTRA_BRIEF_CAP] = "Lease: a cap is reached",
	[ASTRA_BRIEF_MAINT] = "Lease: maintenance",
	[ASTRA_BRIEF_REFUSED] = "Lease: Slurm refuses the start",
	[ASTRA_BRIEF_MIXED] = "Lease: partitions in and outside of a pool",
};

static const enum astra_brief brief_waits[] = {
	[ASTRA_WAIT_NONE] = ASTRA_BRIEF_NEXT,
	[ASTRA_WAIT_BLOCKED] = ASTRA_BRIEF_NEXT,
	[ASTRA_WAIT_RANK] = ASTRA_BRIEF_TURN,
	[ASTRA_WAIT_HOLD] = ASTRA_BRIEF_COLLECT,
	[ASTRA_WAIT_GRANTED] = ASTRA_BRIEF_COLLECT,
	[ASTRA_WAIT_PLACE] = ASTRA_BRIEF_ROOM,
	[ASTRA_WAIT_RECLAIM] = ASTRA_BRIEF_TURN,
	[ASTRA_WAIT_REFUSED] = ASTRA_BRIEF_REFUSED,
	[ASTRA_WAIT_CLEANUP] = ASTRA_BRIEF_NEXT,
	[ASTRA_WAIT_TOO_BIG] = ASTRA_BRIEF_LARGE,
	[ASTRA_WAIT_PINNED] = ASTRA_BRIEF_UNLEASED,
	[ASTRA_WAIT_AUCTION] = ASTRA_BRIEF_TURN,
	[ASTRA_WAIT_BATCH] = ASTRA_BRIEF_TURN,
	[ASTRA_WAIT_PLANNED] = ASTRA_BRIEF_TURN,
	[ASTRA_WAIT_PRICE] = ASTRA_BRIEF_PRICE,
	[ASTRA_WAIT_LEARNED] = ASTRA_BRIEF_TURN,
	[ASTRA_WAIT_CPUS] = ASTRA_BRIEF_UNLEASED,
	[ASTRA_WAIT_DENIED] = ASTRA_BRIEF_DENIED,
	[ASTRA_WAIT_CAP] = ASTRA_BRIEF_CAP,
};

const char *astra_brief_text(enum astra_brief brief)
{
	return brief_texts[brief];
}

enum astra_brief astra_brief_of(const struct astra_reason *reason)
{
	/* No planned slot has room for the job, at any price. */
	if (reason->wait == ASTRA_WAIT_PRICE && isinf(reason->price))
		return ASTRA_BRIEF_ROOM;
	return brief_waits[reason->wait];
}
