/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sfair adopt's parts among themselves. */
#ifndef SFAIR_ADOPT_H
#define SFAIR_ADOPT_H

#include "src/audit/audit.h"
#include "src/cmd/sfair/sfair.h"

/* Texts are borrowed from argv. */
struct sfair_adopt_args {
	struct sfair_args show; /* its query has the pool */
	const char *start;
	bool slurmdbd, immediate, replace, quiet;
};

/* A tenant, or a user of it: what its account is, and what it would begin
 * with. Names are borrowed. */
struct sfair_adopt_row {
	const char *tenant, *user; /* "": the tenant itself */
	struct astra_usage now, past;
};

struct sfair_adopt_rows {
	struct sfair_adopt_row *list; /* a tenant before its users */
	size_t count, room;
};

/* adopt_rows.c: rows from the plugin's accounts, and from what was measured;
 * one for each tenant of the pool, and each user of it who has or had any.
 * accounts, result: to outlive them. each: what a GPU counts.
 * Returns 0, or -1 when out of memory. */
int sfair_adopt_rows_make(const json_t *accounts,
			  const struct astra_sim_result *result, double each,
			  struct sfair_adopt_rows *out);
void sfair_adopt_rows_clear(struct sfair_adopt_rows *rows);

/* Whether a tenant's account is more than nothing. */
bool sfair_adopt_has_begun(const struct sfair_adopt_rows *rows);
/* What the plugin is to be told. Returns 0, or -1 when out of memory. */
int sfair_adopt_rows_say(const struct sfair_adopt_rows *rows,
			 struct astra_query_adopt *out);
json_t *sfair_adopt_rows_json(const struct sfair_adopt_rows *rows);
extern const struct sfair_table sfair_adopt_table;

#endif
