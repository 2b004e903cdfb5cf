/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What users said with --bid, by job (all tasks of an array say the same, and
 * have the array's number here): read once, kept until the job ends. All of it
 * belongs to the engine's thread. Pure: no Slurm, no I/O.
 *
 * There is one in a process.
 */
#ifndef ASTRA_BID_FILES_H
#define ASTRA_BID_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/model/model.h"

#define ASTRA_BID_FILES_MAX 65536	      /* jobs */
#define ASTRA_BID_FILES_NUMBERS_MAX (1 << 20) /* of all of them */
#define ASTRA_BID_FILES_ROUND 64	      /* that are read in a round */

struct astra_bid_file {
	uint32_t job;
	uint32_t uid;
	uint32_t gpus_max; /* 0: it was of no use */
	double *table;	   /* see struct astra_bid */
	bool seen;	   /* since astra_bid_files_begin() */
};

/* Whether a job's text is to be handed to learn: it is not known yet, and this
 * round has time for it. Cheap: it is asked under slurmctld's locks. */
bool astra_bid_files_want(uint32_t job);

/* Read a job's text. What is wrong with it, or too much for one user (a fourth
 * of all) or for all, counts as not said. slowdown: see astra_curves_table().
 */
void astra_bid_files_learn(uint32_t job, uint32_t uid, const char *text,
			   const double slowdown[ASTRA_LEVEL_COUNT]);

/* What a job's user said, or NULL. It is marked as seen. Valid until the next
 * learn or end. */
const struct astra_bid_file *astra_bid_files_find(uint32_t job);

/* A round begins; it ends: jobs that were not asked for since then are
 * forgotten. */
void astra_bid_files_begin(void);
void astra_bid_files_end(void);

void astra_bid_files_free(void);

#endif
