/* SPDX-License-Identifier: GPL-2.0-or-later */
/* LeaseTerm=auto: once a day a thread of its own reads the last days' jobs of a
 * pool from the history, simulates them under several terms (src/sim/term.h),
 * and takes the best one. It has the lowest priority and a bound on its time;
 * slurmctld's locks it never takes. What was taken is kept in a file, so that a
 * restart does not begin anew.
 *
 * There is one in a process.
 *
 * The thread stops between two rounds of a simulation when slurmctld ends or
 * reads a new configuration, and after ten minutes of CPU time. The engine's
 * thread takes the term before its next round, as at a reconfigure: leases
 * that run keep their ends. The file is astraea-terms. The simulator chooses
 * by the same measure at each midnight (src/sim/past.c).
 */
#ifndef ASTRA_TUNER_H
#define ASTRA_TUNER_H

#include "src/slurm/conf/config.h"
#include "src/slurm/in/snapshot.h"

struct astra_engine;
struct astra_report_pool;

/* Read earlier choices. folder: where they are kept; NULL: nowhere. Does I/O.
 * Call before the first configuration. */
void astra_tuner_open(const char *folder);

/* Start the thread; without it the terms stay. Returns 0, or -1 after logging
 * it. */
int astra_tuner_start(void);

/* End the thread, even during a simulation, and forget everything. */
void astra_tuner_stop(void);

/* Give each pool with LeaseTerm=auto its last chosen term, or the one to begin
 * with. Drop work for other options. Call before config is put in force.
 * Engine's thread, as for the functions below. */
void astra_tuner_configure(struct astra_config *config);

/* Start a choice for the pool if it is time. Does no I/O. */
void astra_tuner_look(const char *pool, const struct astra_engine *engine,
		      const struct astra_view *view);

/* Whether another term was chosen for the pool; says so once. term_sec: gets
 * the term. */
bool astra_tuner_take(const char *pool, double *term_sec);

/* Write what LeaseTerm=auto did last into the pool's record. The texts are
 * valid until the next call of any of these functions. */
void astra_tuner_show(struct astra_report_pool *record);

#endif
