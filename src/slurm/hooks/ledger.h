/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What sacct's users see of leases: at each end of a run the job's AdminComment
 * gets the word
 *	astraea:submit=2026-11-21T13:00:00,leases=3,lost=12
 * with the time of the first submission, the leases granted so far, renewals
 * included, and the seconds lost at lease ends. What else stands there is left
 * alone. The engine's thread publishes what it knows each round; a job's end
 * looks it up.
 */
#ifndef ASTRA_LEDGER_H
#define ASTRA_LEDGER_H

#include "src/engine/engine.h"
#include "src/slurm/compat/compat.h"

#define ASTRA_LEDGER_ANY_RUN UINT32_MAX

struct astra_ledger_entry {
	uint32_t job;
	uint32_t run;	 /* restart_cnt of the run whose lease is counted;
			  * NO_VAL: none; ANY_RUN: not known after a restart */
	uint32_t leases; /* before that run, and in it */
	double submit_sec, lost_sec;
	double lease_end_sec; /* of that run; 0: it has none */
};

/* What the engine knows of a job. run: restart_cnt of the record. */
struct astra_ledger_entry astra_ledger_of(const struct astra_job_view *view,
					  uint32_t run);

/* Replace all entries by these; copied. Locks: a tiny one of its own. */
void astra_ledger_set(const struct astra_ledger_entry *list, size_t count);

/* Add one. */
void astra_ledger_add(const struct astra_ledger_entry *entry);

/* A run has ended, and accounting has not been told yet. Jobs without an entry
 * are left alone. Locks: caller holds job write. */
void astra_ledger_end(job_record_t *job);

void astra_ledger_free(void);

#endif
