/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The gate: Slurm asks burst_buffer/astraea before it starts any job. A
 * managed job is let through only while the engine itself starts it.
 *
 * Called by slurmctld with its locks and the burst buffer mutex held: nothing
 * here blocks, takes locks of slurmctld or calls bb_g_ functions.
 */
#ifndef ASTRA_GATE_H
#define ASTRA_GATE_H

#include "src/slurm/compat/compat.h"

/* The answer to bb_p_job_test_stage_in(): 1: may start, -1: not now. A job that
 * is turned away gets our reason and leaves Slurm's queues.
 * test_only: nothing is started, whatever the answer. */
int astra_gate_test(job_record_t *job, bool test_only);

/* Whether this thread is about to make a managed job: then Slurm may test it,
 * so that it is refused at once if no nodes will ever do; with --immediate it
 * has to hear that it can't start at once. One of which somebody waits at the
 * terminal may start (arrival.h). */
void astra_gate_submitting(bool managed, bool immediate);

/* Slurm has found nodes for a job, which runs in a moment. */
void astra_gate_begun(job_record_t *job);

/* When it may start, for squeue --start. */
time_t astra_gate_start_time(const job_record_t *job);

/* From now on jobs are turned away without our reason, so that a slurmctld
 * without the plugin finds none. For the end. */
void astra_gate_stop(void);
void astra_gate_begin(void);

/* Whether slurmctld was started with the gate. Where it was not, nothing keeps
 * Slurm from starting a job, and there are no leases. Call it at the start:
 * slurm.conf may have changed since, and the plugins have not. */
bool astra_gate_loaded(void);

#endif
