/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of compat.h that commands need as well: they link libslurmfull, and
 * nothing of slurmctld's.
 */
#ifndef ASTRA_COMPAT_CLIENT_H
#define ASTRA_COMPAT_CLIENT_H

#include <config.h> /* Slurm's */

#include "slurm/slurm.h"
#include "slurm/slurm_errno.h"
#include "src/common/slurm_protocol_defs.h"

#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(24, 5, 0)
#include "src/common/job_state_reason.h"
#endif

/* The name of a reason as squeue writes it. Borrowed, never NULL. */
static inline const char *astra_reason_name(uint32_t reason)
{
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(24, 5, 0)
	return job_state_reason_string(reason);
#else
	return job_reason_string(reason);
#endif
}

#endif
