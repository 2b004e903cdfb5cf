/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of candidates, one for each tenant or one for all. Each line is a heap,
 * so that only candidates that may get GPUs are sorted. */
#ifndef ASTRA_BASELINES_LINES_H
#define ASTRA_BASELINES_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The smaller major goes first, then the smaller minor. */
struct astra_rank {
	double major, minor;
};

struct astra_entry {
	struct astra_rank rank; /* ties are broken by the next members: */
	bool behind;		/* it goes after entries where this is false */
	double submit_sec;
	uint32_t id;
	uint32_t index; /* of the job */
	uint32_t line;
	uint32_t gpus;
	bool running;
};

struct astra_line {
	size_t begin, count; /* position and number of its entries, which are a
			      * heap */
};

struct astra_baseline_lines {
	struct astra_entry *added, *sorted;
	size_t count, added_room, sorted_room;
	struct astra_line *lines;
	size_t line_count;
};

/* Make empty lines. Returns 0, or -1 when memory is out. */
int astra_lines_init(struct astra_baseline_lines *lines, size_t line_count);
void astra_lines_destroy(struct astra_baseline_lines *lines);

/* Forget all entries. */
void astra_lines_clear(struct astra_baseline_lines *lines);
/* Add an entry to line entry->line. Returns 0, or -1 when memory is out. */
int astra_lines_add(struct astra_baseline_lines *lines,
		    const struct astra_entry *entry);
/* Form the heaps once all entries are added. Returns 0, or -1 when memory is
 * out. */
int astra_lines_form(struct astra_baseline_lines *lines);

/* Take the first entry of a line. Returns false if there is none. */
bool astra_lines_take(struct astra_baseline_lines *lines, uint32_t line,
		      struct astra_entry *out);

#endif
