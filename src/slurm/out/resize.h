/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The size of an elastic job that waits: how many GPUs its record asks for.
 *
 * Limits are tested with the smallest size. Before a start on another size,
 * slurmctld's own update_job() changes the record, in the name of its user:
 * limits, TRES and accounting follow as for `scontrol update`. If a limit
 * refuses a size, the largest allowed size is found by bisection and tried at
 * once, else the smallest size. For an hour, the job is not requeued to get
 * more. The record of a running job keeps its size: it can only change by a
 * requeue. With --workers the tasks and CPUs change along: the number of
 * servers is proportional to the number of workers (OASiS: z = ceil(n b/B)), so
 * CPUs stay proportional to GPUs. */
#ifndef ASTRA_RESIZE_H
#define ASTRA_RESIZE_H

#include "src/model/stated.h"
#include "src/slurm/compat/compat.h"

/* Let the job ask for so many GPUs from now on, as root's `scontrol update`
 * would. Limits on a single job still apply, and its start obeys them. Does
 * nothing if the job asks for that many already, or if its nodes determine the
 * number. Returns a Slurm error number; on an error the record is unchanged.
 * Locks: caller holds job and node write, conf, part and fed read. */
int astra_resize(job_record_t *job, uint32_t gpus);

/* Let the job wait with its smallest size, with which limits are tested. Locks:
 * as above. */
void astra_resize_least(job_record_t *job);

/* Append "gres:gpu:TYPE:N" as this release writes it; type: "" for any. Free
 * *text with xfree(). */
void astra_resize_text(char **text, const char *type, uint32_t gpus);

/* Let a job ask for the tasks of so many workers and their parameter servers,
 * and for their CPUs. task_cpus: CPUs of each task; 0 or NO_VAL16: 1. */
void astra_resize_workers(job_desc_msg_t *desc,
			  const struct astra_stated *stated, uint32_t workers,
			  uint16_t task_cpus);

/* Hold the job with this reason, as `scontrol hold` of its user would: the user
 * may release it. Returns a Slurm error number. Locks: as above. */
int astra_hold(job_record_t *job, const char *text);

/* Whether slurmctld is making a change of a job that this module ordered,
 * rather than a user's. Locks: job write. */
bool astra_resize_goes_on(void);

#endif
