/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The texts of users' --bid, by job. All tasks of an array have the same text,
 * so the array's id stands for them here. A text is read once and kept until
 * the job ends. Used by the engine's thread only. Pure: no Slurm, no I/O. A
 * process has one table. */
#ifndef ASTRA_BID_FILES_H
#define ASTRA_BID_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/model/model.h"

#define ASTRA_BID_FILES_MAX 65536	      /* jobs */
#define ASTRA_BID_FILES_NUMBERS_MAX (1 << 20) /* of all jobs together */
#define ASTRA_BID_FILES_ROUND 64	      /* texts read in a round */

struct astra_bid_file {
	uint32_t job;
	uint32_t uid;
	uint32_t gpus_max; /* 0: the text could not be used */
	double *table;	   /* see struct astra_bid */
	bool seen;	   /* looked up since astra_bid_files_begin() */
};

/* Whether to copy a job's text for astra_bid_files_learn(): it is not known
 * yet, and this round may read more texts. Cheap, as it is called under
 * slurmctld's locks. */
bool astra_bid_files_want(uint32_t job);

/* Read a job's text. An invalid text counts as none; so does one with which its
 * user would have more than a quarter of all numbers, or all users too many.
 * slowdown: see astra_curves_table(). */
void astra_bid_files_learn(uint32_t job, uint32_t uid, const char *text,
			   const double slowdown[ASTRA_LEVEL_COUNT]);

/* Return the bid of a job's user, or NULL. Marks the job as seen. Valid until
 * the next learn or end. */
const struct astra_bid_file *astra_bid_files_find(uint32_t job);

/* Call at the begin and end of a round. Jobs that were not looked up in between
 * are forgotten. */
void astra_bid_files_begin(void);
void astra_bid_files_end(void);

void astra_bid_files_free(void);

#endif
