/* SPDX-License-Identifier: GPL-2.0-or-later */
/* priority/ltgf publishes the engine's order as Slurm priorities, so that
 * squeue's order and sprio are right. All else is left to stock
 * priority/multifactor, which it loads as a child.
 *
 * A pending managed job of rank r has the priority
 *
 *   ASTRA_PRIORITY_TOP - r    (ranks from 1; those beyond 10 million are alike)
 *
 * so that the priority shows the rank. It is only in the job record. sprio
 * shows it in its SITE column, with all others 0. Some jobs have Slurm's own
 * priority: a managed job without a rank (it could not run if there were room,
 * or no round has seen it yet), a held job, and a job whose priority an
 * operator has set. multifactor's decay thread writes the priority of every
 * pending job each PriorityCalcPeriod; the next round writes ours again.
 *
 * In a pool without leases only the priority keeps Slurm from starting the
 * wrong job, at any moment. There the rank goes into the job's site factor,
 * which multifactor adds to its other factors whenever it calculates. The
 * priority and what sprio shows are multifactor's:
 *
 *   site = weight * (ranks - rank + 1) / ranks
 *   priority = site + age + fairshare + ... - nice
 *
 * At the end every job gets its priority from multifactor again, so that a
 * slurmctld without the plugin finds nothing of ours. */
#ifndef ASTRA_PRIORITY_H
#define ASTRA_PRIORITY_H

#include "src/slurm/compat/compat.h"

#define ASTRA_PRIORITY_TOP 2000000000U
#define ASTRA_PRIORITY_RANKS 10000000U

/* Show the rank of a pending managed job. Does nothing unless priority/ltgf is
 * loaded. Call it each round for each such job, whether its rank changed or
 * not: it costs a comparison, and repairs what the decay thread wrote. rank:
 * from 1; 0: none. Locks: caller holds job write. */
void astra_priority_publish(job_record_t *job, uint32_t rank);

/* Do the same for a pending job of a pool without leases. weight: the pool's
 * PriorityWeightLTGF. Locks: caller holds conf and part read, job write. */
void astra_priority_order(job_record_t *job, uint32_t rank, uint32_t ranks,
			  uint32_t weight);

/* Whether the job still has a rank in its site factor although it runs or has
 * left its pool. Locks: caller holds job and part read. */
bool astra_priority_is_stale(const job_record_t *job);

/* Remove the rank of such a job. Locks: caller holds job write, part read. */
void astra_priority_look(job_record_t *job);

/* Give all jobs their priority from multifactor. Locks: caller holds job write,
 * part read. */
void astra_priority_give_back(void);

/* Load and unload multifactor. Both return a Slurm error number. */
int astra_priority_load(void);
int astra_priority_unload(void);

/* Whether multifactor is loaded and this is slurmctld: then priorities are
 * published. */
bool astra_priority_publishes(void);

/* Entry points of priority/ltgf; its init and fini are in host.h. Also called
 * in sshare and sprio, where nothing of slurmctld may be touched. */
uint32_t astra_priority_set(uint32_t last, job_record_t *job);
void astra_priority_reconfig(bool assoc_clear);
void astra_priority_set_assoc_usage(slurmdb_assoc_rec_t *assoc);
double astra_priority_fs_factor(long double usage, long double shares);
list_t *astra_priority_factors(ASTRA_FACTORS_PARAMS);
void astra_priority_job_end(job_record_t *job);
uint32_t astra_priority_recover(uint32_t boost);
void astra_priority_thread_start(void);

#endif
