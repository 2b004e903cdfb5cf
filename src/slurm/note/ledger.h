/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the engine knows of each job's leases. Its thread publishes that each
 * round; a job's end looks it up (hooks/ledger_end.h). */
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

/* Copy the entry of a job, if there is one. Returns whether there is. */
bool astra_ledger_find(uint32_t job, struct astra_ledger_entry *out);

void astra_ledger_free(void);

#endif
