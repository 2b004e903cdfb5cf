/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Notify people about leases: by mail, through Slurm's MailProg, the users who
 * asked for it (sbatch --lease-mail); and by LeaseProgram of astraea.conf, for
 * all jobs. Both run in threads of their own (errands.h). */
#ifndef ASTRA_NOTIFY_H
#define ASTRA_NOTIFY_H

#include "src/model/stated.h"
#include "src/proto/report.h"
#include "src/slurm/compat/compat.h"

/* Notify of news about a managed job of the pool. Starts no program itself. If
 * nobody asked for the news, it only reads the job's options. Engine's thread
 * only. Locks: caller holds job and conf read. */
void astra_notify(const job_record_t *job, enum astra_news news,
		  const char *pool);

/* Count how many programs were run, failed, and were never run. */
void astra_notify_count(struct astra_report_diag *diag);

/* Kill running programs and forget the rest: nothing is notified afterwards. */
void astra_notify_stop(void);

#endif
