/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The size of an elastic job that waits: how many GPUs its record asks for.
 *
 * Limits are tested with the smallest size. Before a start on another size
 * slurmctld's own update_job() changes the record, in the name of its user:
 * limits, TRES and accounting follow as for `scontrol update`. If a limit
 * refuses a size, the largest one that it allows is found by bisection and
 * tried at once, else the smallest; the job is not requeued for more within an
 * hour. The record of a running job keeps its size: what is decided for it is
 * a requeue. With --workers the tasks and CPUs change along: the number of
 * servers is proportional to the number of workers (OASiS: z = ceil(n b/B)),
 * so CPUs stay proportional to GPUs.
 */
#ifndef ASTRA_RESIZE_H
#define ASTRA_RESIZE_H

#include "src/model/stated.h"
#include "src/slurm/compat/compat.h"

/* Let it ask for so many GPUs from now on, as root's `scontrol update` would;
 * limits on what one job may have stay, for its start to heed. Nothing is done
 * where it does already, nor to a job whose nodes say how many it has. Returns
 * a Slurm error number; the record is as before then. Locks: caller holds job
 * and node write, conf, part and fed read. */
int astra_resize(job_record_t *job, uint32_t gpus);

/* An elastic job waits as one of its smallest size: that is what limits are
 * tested with. Locks: as above. */
void astra_resize_least(job_record_t *job);

/* Add "gres:gpu:TYPE:N" as this release writes it; type: "" for any. *text is
 * to be xfreed. */
void astra_resize_text(char **text, const char *type, uint32_t gpus);

/* Let a job ask for the tasks of so many workers and their parameter servers,
 * and the CPUs of these. task_cpus: of each; 0 or NO_VAL16: 1. */
void astra_resize_workers(job_desc_msg_t *desc,
			  const struct astra_stated *stated, uint32_t workers,
			  uint16_t task_cpus);

/* Hold it, as its user's `scontrol hold` would, with this reason: its user may
 * release it. Returns a Slurm error number. Locks: as above. */
int astra_hold(job_record_t *job, const char *text);

/* Whether any of these is going on, and no user's change. Locks: job write. */
bool astra_resize_goes_on(void);

#endif
