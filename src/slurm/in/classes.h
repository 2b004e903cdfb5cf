/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which jobs Slurm preempts for which: classes of jobs, by their QOS
 * (preempt/qos) or by their partition (preempt/partition_prio). A QOS, or a
 * tier, that no preemption concerns is class 0, which has no rights; so is all
 * beyond ASTRA_PREEMPT_CLASSES.
 */
#ifndef ASTRA_CLASSES_H
#define ASTRA_CLASSES_H

#include "src/model/model.h"
#include "src/slurm/compat/compat.h"

struct astra_classes {
	bool by_qos, by_part; /* neither: nothing is preempted */
	uint32_t count;	      /* class 0 included */
	uint32_t keys[ASTRA_PREEMPT_CLASSES]; /* a QOS' number, or a tier's */
	uint64_t preempts[ASTRA_PREEMPT_CLASSES];
};

/* Find the classes. Locks: caller holds conf and part read; takes assoc_mgr's
 * QOS read lock. */
void astra_classes_read(struct astra_classes *classes);

/* A job's class. Locks: caller holds job and part read. */
void astra_classes_tell(const struct astra_classes *classes,
			const job_record_t *record, struct astra_job *job);

#endif
