/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of compat.h that commands need too. Commands link libslurmfull, but
 * no code of slurmctld. */
#ifndef ASTRA_COMPAT_CLIENT_H
#define ASTRA_COMPAT_CLIENT_H

#include "astra_config.h"

#include <config.h> /* Slurm's */

#include "slurm/slurm.h"
#include "slurm/slurm_errno.h"
#include "src/common/slurm_protocol_defs.h"

#if __has_include("src/common/job_state_reason.h") /* 24.05 */
#include "src/common/job_state_reason.h"
#endif

/* Return the name of a reason as squeue writes it. Borrowed, never NULL. */
static inline const char *astra_reason_name(uint32_t reason)
{
#ifdef ASTRA_SLURM_STATE_REASON
	return job_state_reason_string(reason);
#else
	return job_reason_string(reason);
#endif
}

/* Ask slurmctld for a job and its array's tasks. jobs: free it with
 * slurm_free_job_info_msg(). Returns 0, or -1 with errno. */
static inline int astra_load_job(job_info_msg_t **jobs, uint32_t id)
{
#ifdef ASTRA_SLURM_LOAD_STEP
	slurm_step_id_t step = SLURM_STEP_ID_INITIALIZER;

	step.job_id = id;
	return slurm_load_job(jobs, step, SHOW_DETAIL);
#else
	return slurm_load_job(jobs, id, SHOW_DETAIL);
#endif
}

#endif
