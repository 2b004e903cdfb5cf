/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What job_submit/astraea refuses: requests for managed GPUs that could never
 * run, or that would evade the leases. */
#ifndef ASTRA_SUBMIT_H
#define ASTRA_SUBMIT_H

#include "src/slurm/compat/compat.h"

/* Check a new job. It is changed in one way only: GPUs that follow from
 * --ntasks-per-gpu alone are written out, so that everybody sees them.
 * desc: het_job_offset is NO_VAL except in a component of a heterogeneous job.
 * err_msg: a text for the user is appended, allocated for xfree().
 * Locks: caller holds config, job, node and partition read (job_submit()).
 * Returns SLURM_SUCCESS or an error of Slurm's. */
int astra_submit_check(job_desc_msg_t *desc, char **err_msg);

/* Check a change of a job. Called before Slurm has checked whether uid may
 * change the job: so nothing is changed, and other users learn nothing.
 * err_msg: as above, or NULL if Slurm has no such argument.
 * Locks: caller holds job and node write (job_modify()).
 * Returns SLURM_SUCCESS or an error of Slurm's. */
int astra_submit_check_change(const job_desc_msg_t *desc,
			      const job_record_t *job, uint32_t uid,
			      char **err_msg);

#endif
