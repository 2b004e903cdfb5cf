/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Telling people what becomes of leases: mail by Slurm's MailProg to those who
 * asked for it (sbatch --lease-mail), and LeaseProgram of astraea.conf, for all
 * jobs. Both are run by threads of their own (errands.h).
 */
#ifndef ASTRA_NOTIFY_H
#define ASTRA_NOTIFY_H

#include "src/model/stated.h"
#include "src/proto/report.h"
#include "src/slurm/compat/compat.h"

/* It has happened to a managed job of the pool. Runs nothing itself; whom
 * nobody asked about costs a look at the job's options. The engine's thread
 * only.
 * Locks: caller holds job and conf read. */
void astra_notify(const job_record_t *job, enum astra_news news,
		  const char *pool);

/* How many programs were run, failed, and were never run. */
void astra_notify_count(struct astra_report_diag *diag);

/* Kill what runs, and forget the rest: after this nothing is told. */
void astra_notify_stop(void);

#endif
