/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How often something slow may be done. A sync of the disk delays other threads
 * too, such as the one of slurmctld that writes a new job's script. So syncs
 * may take at most a tenth of the time, but need not be rarer than Slurm's own
 * saves. One thread at a time. */
#ifndef ASTRA_PACE_H
#define ASTRA_PACE_H

#include <stdbool.h>
#include <stdint.h>

#include "src/slurm/round/diag.h"

#define ASTRA_PACE_SHARE 10
#define ASTRA_PACE_MAX_USEC 5000000

struct astra_pace {
	uint64_t due_usec;
};

static inline bool astra_pace_due(const struct astra_pace *pace)
{
	return astra_usec() >= pace->due_usec;
}

/* Note that it was done. since_usec: when it began, a value of astra_usec(). */
static inline void astra_pace_done(struct astra_pace *pace, uint64_t since_usec)
{
	uint64_t now = astra_usec();
	uint64_t pause = ASTRA_PACE_SHARE * (now - since_usec);

	pace->due_usec =
		now +
		(pause < ASTRA_PACE_MAX_USEC ? pause : ASTRA_PACE_MAX_USEC);
}

#endif
