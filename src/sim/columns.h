/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the columns of a text by the names in its first line: names of our
 * traces, or of sacct. */
#ifndef ASTRA_COLUMNS_H
#define ASTRA_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include "src/sim/lines.h"

#define ASTRA_COLUMN_MAX 256 /* columns in a line */

enum astra_column {
	ASTRA_COLUMN_ID,
	ASTRA_COLUMN_RAW_ID, /* of sacct: unlike ID, different for each task of
			      * an array */
	ASTRA_COLUMN_TENANT,
	ASTRA_COLUMN_USER,
	ASTRA_COLUMN_SUBMIT,
	ASTRA_COLUMN_ELIGIBLE,
	ASTRA_COLUMN_START,
	ASTRA_COLUMN_END,
	ASTRA_COLUMN_DURATION, /* seconds */
	ASTRA_COLUMN_ELAPSED,  /* [DD-]HH:MM:SS */
	ASTRA_COLUMN_GPUS,
	ASTRA_COLUMN_ALLOC_TRES,
	ASTRA_COLUMN_REQ_TRES,
	ASTRA_COLUMN_NODES,
	ASTRA_COLUMN_LIMIT,	/* seconds or [DD-]HH:MM:SS */
	ASTRA_COLUMN_LIMIT_MIN, /* minutes */
	ASTRA_COLUMN_STATE,
	ASTRA_COLUMN_APP,
	ASTRA_COLUMN_SLOWDOWN, /* factors by level: A/B/C/D */
	ASTRA_COLUMN_GPUS_MIN,
	ASTRA_COLUMN_UTILITY, /* sigmoid:G1,G2,G3 and the like */
	ASTRA_COLUMN_COUNT,
};

struct astra_columns {
	int at[ASTRA_COLUMN_COUNT]; /* index of each column in the line; < 0:
				     * not there */
	size_t count;		    /* columns in a line, including unknown
				     * ones */
	char separator;
	bool accounting; /* from sacct: a line may be one run of a job, or a
			  * step */
};

/* Returns the name of a column in our traces. */
const char *astra_column_name(enum astra_column column);

/* Parses the first line, and cuts it into fields. Returns 0, or -1 with err
 * naming the missing column. */
int astra_columns_parse(struct astra_columns *columns, char *line,
			const struct astra_lines *lines,
			struct astra_error *err);

/* Whether a job's state, in the words of sacct and other sources, means that
 * the job has not ended. */
bool astra_state_open(const char *state);

#endif
