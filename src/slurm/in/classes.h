/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which jobs Slurm preempts for which others: classes of jobs, by QOS
 * (preempt/qos) or by partition (preempt/partition_prio). A QOS or tier without
 * any preemption is class 0, which preempts nothing. Classes beyond
 * ASTRA_PREEMPT_CLASSES also count as class 0. */
#ifndef ASTRA_CLASSES_H
#define ASTRA_CLASSES_H

#include "src/model/model.h"
#include "src/slurm/compat/compat.h"

struct astra_classes {
	bool by_qos, by_part; /* neither: there is no preemption */
	uint32_t count;	      /* including class 0 */
	uint32_t keys[ASTRA_PREEMPT_CLASSES]; /* id of a QOS, or key of a
					       * partition */
	uint64_t preempts[ASTRA_PREEMPT_CLASSES];
};

/* Find the classes. Locks: caller holds conf and part read; takes assoc_mgr's
 * QOS read lock. */
void astra_classes_read(struct astra_classes *classes);

/* Set a job's class. Locks: caller holds job and part read. */
void astra_classes_tell(const struct astra_classes *classes,
			const job_record_t *record, struct astra_job *job);

#endif
