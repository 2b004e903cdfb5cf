/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The size of a waiting elastic job: how many GPUs its record asks for. */
#ifndef ASTRA_RESIZE_H
#define ASTRA_RESIZE_H

#include "src/model/stated.h"
#include "src/slurm/compat/compat.h"

/* Let the job ask for so many GPUs from now on, as root's `scontrol update`
 * would. Limits on a single job stay, and its start obeys them. Does nothing if
 * it asks for that already, or if its nodes determine the number. Returns a
 * Slurm error number; then the record is unchanged. Locks: caller holds job and
 * node write, conf, part and fed read. */
int astra_resize(job_record_t *job, uint32_t gpus);

/* Let the job wait with its smallest size, with which limits are tested. Locks:
 * as above. */
void astra_resize_least(job_record_t *job);

/* Append "gres:gpu:TYPE:N" as this release writes it; type: "" for any. Free
 * *text with xfree(). */
void astra_resize_text(char **text, const char *type, uint32_t gpus);

/* Let a job ask for the tasks of so many workers and their parameter servers,
 * with their CPUs. task_cpus: of each; 0 or NO_VAL16: 1. */
void astra_resize_workers(job_desc_msg_t *desc,
			  const struct astra_stated *stated, uint32_t workers,
			  uint16_t task_cpus);

/* Hold the job with this reason, as `scontrol hold` of its user would: the user
 * may release it. Returns a Slurm error number. Locks: as above. */
int astra_hold(job_record_t *job, const char *text);

/* Whether one of these changes is being made, not a user's. Locks: job
 * write. */
bool astra_resize_goes_on(void);

#endif
