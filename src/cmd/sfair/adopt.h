/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Declarations shared by the files of sfair adopt. */
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

/* A tenant or one of its users, with the present usage, and the past usage to
 * begin with. Names are borrowed. */
struct sfair_adopt_row {
	const char *tenant, *user; /* "": the tenant itself */
	struct astra_usage now, past;
};

struct sfair_adopt_rows {
	struct sfair_adopt_row *list; /* a tenant before its users */
	size_t count, room;
};

/* adopt_rows.c: makes rows from the plugin's accounts and the measured past:
 * one for each tenant of the pool, and one for each user with an account or a
 * past. accounts, result: must outlive the rows. each: the weight of a GPU.
 * Returns 0, or -1 when out of memory. */
int sfair_adopt_rows_make(const json_t *accounts,
			  const struct astra_sim_result *result, double each,
			  struct sfair_adopt_rows *out);
void sfair_adopt_rows_clear(struct sfair_adopt_rows *rows);

/* Whether any tenant's present account is above 0. */
bool sfair_adopt_has_begun(const struct sfair_adopt_rows *rows);
/* Fills the request to the plugin. Returns 0, or -1 when out of memory. */
int sfair_adopt_rows_say(const struct sfair_adopt_rows *rows,
			 struct astra_query_adopt *out);
json_t *sfair_adopt_rows_json(const struct sfair_adopt_rows *rows);
extern const struct sfair_table sfair_adopt_table;

#endif
