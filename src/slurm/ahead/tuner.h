/* SPDX-License-Identifier: GPL-2.0-or-later */
/* LeaseTerm=auto: once a day a thread of its own reads the last days' jobs of a
 * pool from the history, simulates them under several terms (src/sim/term.h),
 * and chooses the best one. It has the lowest priority and a bound on its time,
 * and never takes slurmctld's locks. The choice is kept in a file, so that a
 * restart does not lose it. A process has one tuner.
 *
 * The thread stops between two rounds of a simulation when slurmctld ends or
 * reads a new configuration, and after ten minutes of CPU time. The engine's
 * thread takes the term before its next round, as at a reconfigure: present
 * leases keep their ends. The file is astraea-terms. The simulator chooses by
 * the same measure at each midnight (src/sim/past.c). */
#ifndef ASTRA_TUNER_H
#define ASTRA_TUNER_H

#include "src/slurm/conf/config.h"
#include "src/slurm/in/snapshot.h"

struct astra_engine;
struct astra_report_pool;

/* Read earlier choices. folder: where they are kept; NULL: they are not kept.
 * Does I/O. Call before the first configuration. */
void astra_tuner_open(const char *folder);

/* Start the thread. Without it the terms stay as they are. Returns 0, or -1
 * after logging the error. */
int astra_tuner_start(void);

/* End the thread, even during a simulation, and forget everything. */
void astra_tuner_stop(void);

/* Give each pool with LeaseTerm=auto the term that was chosen last or, if there
 * is none, its configured term. Ends a choice for other options. Call before
 * config is put in force. Engine's thread only, as for the functions below. */
void astra_tuner_configure(struct astra_config *config);

/* Start a choice for the pool if it is time. Does no I/O. */
void astra_tuner_look(const char *pool, const struct astra_engine *engine,
		      const struct astra_view *view);

/* Whether a new term was chosen for the pool; true only once for each choice.
 * term_sec: gets the term. */
bool astra_tuner_take(const char *pool, double *term_sec);

/* Write the last result of LeaseTerm=auto into the pool's record. The texts are
 * valid until the next call of any of these functions. */
void astra_tuner_show(struct astra_report_pool *record);

#endif
