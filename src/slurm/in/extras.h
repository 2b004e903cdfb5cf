/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What Slurm checks when it starts a job and the engine does not know. */
#ifndef ASTRA_EXTRAS_H
#define ASTRA_EXTRAS_H

#include "src/slurm/compat/compat.h"

/* Return a hash of the limits, QOS, account, licences and other options of a
 * waiting job that scontrol can change. Never 0. Sizes of elastic jobs and sets
 * of nodes do not count: Slurm's record of them changes without the user.
 * Locks: caller holds job read. */
uint32_t astra_extras_of(const job_record_t *job);

#endif
