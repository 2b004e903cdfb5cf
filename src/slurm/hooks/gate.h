/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The gate: Slurm asks burst_buffer/astraea before it starts any job. A managed
 * job passes only while the engine itself starts it. slurmctld calls with its
 * locks and the burst buffer mutex held: nothing here blocks, takes locks of
 * slurmctld or calls bb_g_ functions. */
#ifndef ASTRA_GATE_H
#define ASTRA_GATE_H

#include "src/slurm/compat/compat.h"

/* Answer bb_p_job_test_stage_in(). 1: the job may start; -1: not now. A job
 * that is turned away gets our reason and leaves Slurm's queues. test_only:
 * nothing starts, whatever the answer. */
int astra_gate_test(job_record_t *job, bool test_only);

/* Note whether this thread is about to create a managed job. If so, Slurm may
 * test the job, so that it is refused at once if no nodes will ever suit it.
 * With --immediate there is no such test, as the user must hear that the job
 * cannot start at once. A job whose user waits at the terminal may start
 * (arrival.h). */
void astra_gate_submitting(bool managed, bool immediate);

/* Note that Slurm has found nodes for a job, which is about to run. */
void astra_gate_begun(job_record_t *job);

/* Return when the job may start, for squeue --start. */
time_t astra_gate_start_time(const job_record_t *job);

/* From now on, turn jobs away without our reason (stop), so that a slurmctld
 * without the plugin finds no such reason; or with it again (begin). */
void astra_gate_stop(void);
void astra_gate_begin(void);

/* Whether slurmctld was started with the gate. If not, nothing keeps Slurm from
 * starting a job, and there are no leases. Call it at the start: slurm.conf may
 * have changed since, but the plugins have not. */
bool astra_gate_loaded(void);

#endif
