/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What users of sacct see of leases. At each end of a run the job's
 * AdminComment gets the word
 *
 *   astraea:submit=2026-11-21T13:00:00,leases=3,lost=12
 *
 * with the time of the first submission, the number of leases including
 * renewals, and the seconds lost at lease ends. The rest of the comment is left
 * alone. */
#ifndef ASTRA_LEDGER_END_H
#define ASTRA_LEDGER_END_H

#include "src/slurm/compat/compat.h"

/* Update the comment when a run has ended, before accounting hears of it. Jobs
 * without an entry in the ledger stay unchanged. Locks: caller holds job
 * write. */
void astra_ledger_end(job_record_t *job);

#endif
