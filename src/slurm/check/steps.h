/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines of slurm.conf that astraea needs, and what does not work without
 * each of them. */
#ifndef ASTRA_STEPS_H
#define ASTRA_STEPS_H

#include <stdbool.h>

#include "src/common/error.h"

/* Values of slurm.conf; NULL if it does not set them. Borrowed. */
struct astra_steps {
	const char *scheduler;	  /* SchedulerType */
	const char *burst_buffer; /* BurstBufferType */
	const char *priority;	  /* PriorityType */
	const char *job_submit;	  /* JobSubmitPlugins, a list */
};

/* Whether a comma-separated list of plugins has a name, alone or with its kind,
 * such as "sched/", before it. list may be NULL. */
bool astra_steps_have(const char *list, const char *kind, const char *name);

/* Add to out each missing line, and what does not work without it. Lines that
 * only pools with leases need are not missing if there is none. leases: some
 * pool has leases. */
void astra_steps_warn(const struct astra_steps *steps, bool leases,
		      struct astra_error *out);

#endif
