/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads a program's progress from the lines of its log. Pure. */
#ifndef AGENT_PATTERN_H
#define AGENT_PATTERN_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#include "src/common/error.h"

enum agent_field {
	AGENT_DONE,  /* iterations done; if there are epochs, those of this
		      * epoch */
	AGENT_TOTAL, /* iterations of all */
	AGENT_LOSS,
	AGENT_SEC,   /* seconds an iteration */
	AGENT_EPOCH, /* whole epochs that are over */
	AGENT_SAVED, /* the iteration at which the last complete checkpoint was
		      * made */
	AGENT_FIELDS,
	AGENT_RATE, /* iterations per second; stored as AGENT_SEC */
	AGENT_NONE,
};

enum { AGENT_PATTERNS_MAX = 8, AGENT_GROUPS_MAX = 8 };

struct agent_pattern {
	regex_t regex;
	enum agent_field fields[AGENT_GROUPS_MAX]; /* what the pattern's groups
						    * are, in their order */
	size_t count;
};

struct agent_patterns {
	struct agent_pattern list[AGENT_PATTERNS_MAX];
	size_t count;
};

/* Add tensorflow, tqdm, lightning or huggingface, or an extended regular
 * expression of POSIX. fields: only for an expression: what its groups are,
 * separated by commas; NULL: done, total, loss and sec, as far as there are
 * groups. Returns 0, or -1 with err naming what is wrong. */
int agent_patterns_add(struct agent_patterns *patterns, const char *text,
		       const char *fields, struct astra_error *err);

void agent_patterns_destroy(struct agent_patterns *patterns);

/* Values seen; NAN: not seen yet. */
struct agent_seen {
	double value[AGENT_FIELDS];
};

void agent_seen_clear(struct agent_seen *seen);

/* Take from a line the values that are not known yet. Call it with the newest
 * line first. Returns whether all values are now known. */
bool agent_patterns_match(const struct agent_patterns *patterns,
			  const char *line, struct agent_seen *seen);

#endif
