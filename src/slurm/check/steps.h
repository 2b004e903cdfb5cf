/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines of slurm.conf that astraea needs, and what goes wrong without
 * each. */
#ifndef ASTRA_STEPS_H
#define ASTRA_STEPS_H

#include <stdbool.h>

#include "src/common/error.h"

/* What slurm.conf says; NULL where it says nothing. Borrowed. */
struct astra_steps {
	const char *scheduler;	  /* SchedulerType */
	const char *burst_buffer; /* BurstBufferType */
	const char *priority;	  /* PriorityType */
	const char *job_submit;	  /* JobSubmitPlugins, a list */
};

/* Whether a comma-separated list of plugins has a name, alone or with its kind,
 * such as "sched/", before it. list may be NULL. */
bool astra_steps_have(const char *list, const char *kind, const char *name);

/* Add to out each missing line and what that costs. A line that pools without
 * leases (Leases=no) do not need is not missing. leases: some pool has
 * leases. */
void astra_steps_warn(const struct astra_steps *steps, bool leases,
		      struct astra_error *out);

#endif
