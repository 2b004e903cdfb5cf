/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of the self-check: what structures must look like
 * (selfcheck_tables.c), and what slurmctld says about them
 * (selfcheck_answer.c). */
#ifndef ASTRA_SELFCHECK_PRIV_H
#define ASTRA_SELFCHECK_PRIV_H

#include "src/common/error.h"
#include "src/slurm/compat/compat.h"

/* Check variables and the configuration. Returns 0, or -1 with err set. Locks:
 * caller holds conf read, or slurmctld's. */
int astra_selfcheck_variables(struct astra_error *err);

/* Check that a record, and everything that it points to, has the right sizes,
 * magic numbers and kinds of members; values may still be wrong. Locks: caller
 * holds job, node, part read. Each returns 0, or -1 with err set. */
int astra_selfcheck_job_record(const job_record_t *job,
			       struct astra_error *err);
int astra_selfcheck_node_record(const node_record_t *node, int index,
				struct astra_error *err);
int astra_selfcheck_part_record(const part_record_t *part,
				struct astra_error *err);
int astra_selfcheck_job_desc(const job_desc_msg_t *desc,
			     struct astra_error *err);

/* Compare a record's members with what slurmctld answers to clients. The record
 * must have passed the check above. Locks: caller holds conf, node, part read;
 * and for a job, job write. Returns 0, or -1 with err set. */
int astra_selfcheck_job_answer(const job_record_t *job,
			       struct astra_error *err);
int astra_selfcheck_node_answer(const node_record_t *node,
				struct astra_error *err);
int astra_selfcheck_part_answer(const part_record_t *part,
				struct astra_error *err);

#endif
