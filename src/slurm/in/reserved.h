/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reservations that a job names. Of several Slurm keeps one at a time in
 * resv_ptr, which its own loops change; here all of them count.
 * Locks: caller holds job and node read; job write to choose. */
#ifndef ASTRA_RESERVED_H
#define ASTRA_RESERVED_H

#include "src/slurm/compat/compat.h"

bool astra_reserved_own(const job_record_t *job, slurmctld_resv_t *resv);

/* From when on a node that a running job holds is reserved for others: now
 * where it is, 0 if no reservation is known. Parts of nodes do not count.
 * Locks: as above. */
time_t astra_reserved_from(const job_record_t *job, time_t now);

/* Leave only their nodes, where the job has to stay inside. */
void astra_reserved_keep(const job_record_t *job, bitstr_t *nodes);

/* Take the first that has all these nodes. */
void astra_reserved_choose(job_record_t *job, bitstr_t *nodes);

#endif
