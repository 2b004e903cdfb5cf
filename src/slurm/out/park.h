/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parked jobs. A pending managed job has the reason FAIL_BURST_BUFFER_OP and a
 * text of ours, so that Slurm's schedulers skip it and make no reservations for
 * it, and squeue shows why it waits. Whatever changes the job removes the
 * reason; the gate or the next round parks the job again. Nothing else uses
 * that reason, since only one burst buffer plugin is loaded. */
#ifndef ASTRA_PARK_H
#define ASTRA_PARK_H

#include "src/model/brief.h"
#include "src/slurm/compat/compat.h"
#include "src/slurm/note/parked.h"

#define ASTRA_PARK_NEW astra_brief_text(ASTRA_BRIEF_NEXT)

/* Park a job, or change the text of a parked one. Locks: caller holds job
 * write. */
void astra_park(job_record_t *job, const char *text);

/* Give a job back to Slurm. Locks: caller holds job write. */
void astra_unpark(job_record_t *job);

/* Whether the limits of the job's partition and QOS let it run now. If false,
 * its state_reason names the limit. Locks: caller holds job and node write,
 * conf, part and fed read. */
bool astra_within_limits(job_record_t *job);

/* Whether the job passes the checks that Slurm makes before it looks for nodes.
 * A job that names several partitions or QOS gets a pair that lets it run. job:
 * not parked. If false, its state_reason says why. Locks: caller holds job and
 * node write, conf, part and fed read. */
bool astra_runnable(job_record_t *job);

/* Which jobs a round looks at. Zeroed at first. */
struct astra_park_turn {
	uint32_t seen, looked;
	uint32_t from; /* index of the managed job to begin with */
};

/* Whether a round should look at this job. Call for each job of job_list, in
 * its order. Locks: caller holds job and part read. */
bool astra_park_is_due(struct astra_park_turn *turn, const job_record_t *job);

/* End the turn, once astra_park_is_due() was called for all jobs: in the next
 * round, the jobs after these are due. */
void astra_park_next_turn(struct astra_park_turn *turn);

/* Look at a job again. A job that is managed and pending is un-parked, checked
 * as Slurm would, and parked again or left with Slurm's own reason. Locks:
 * caller holds job and node write, conf, part and fed read; not that of
 * job_list, in which a singleton's dependency is looked up. */
void astra_park_look(job_record_t *job);

/* Park a job whose start Slurm refused, with the refusal in its state_reason.
 * Locks: caller holds job write; rounds' thread only. */
void astra_park_refuse(job_record_t *job);

/* Un-park all jobs. Locks: caller holds job write. Returns how many there
 * were. */
uint32_t astra_unpark_all(void);

#endif
