/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines of slurm.conf that astraea wants, and what the lack of one costs.
 */
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

/* Whether a list of plugins, separated by commas, has one; its kind, as
 * "sched/", may stand before it. list: may be NULL. */
bool astra_steps_have(const char *list, const char *kind, const char *name);

/* Add to out each line that is missing, with its cost. A line that a pool
 * without leases (Leases=no) does not want is not missing.
 * leases: some pool has them. */
void astra_steps_warn(const struct astra_steps *steps, bool leases,
		      struct astra_error *out);

#endif
