/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Declarations shared by the files of sfair watch. */
#ifndef SFAIR_WATCH_H
#define SFAIR_WATCH_H

#include "src/audit/replay.h"
#include "src/cmd/sfair/sfair.h"
#include "src/cmd/sfair/try.h"
#include "src/policies/options.h"
#include "src/record/round.h"

/* The tables, in the order in which they are shown. */
enum sfair_watch_table {
	SFAIR_WATCH_TENANTS,
	SFAIR_WATCH_USERS,
	SFAIR_WATCH_JOBS,   /* only on request */
	SFAIR_WATCH_TABLES, /* count of tables; as a choice: all tables */
};

struct sfair_watch_args {
	struct sfair_args show; /* style, unit, header, format, help */
	enum sfair_watch_table table;
	struct sfair_try_words words;
	const char *since; /* NULL: not given */
	double cold_start_sec, checkpoint_sec;
	bool quiet;
};

/* A watched pool and its results. */
struct sfair_watch {
	const struct sfair_watch_args *args;
	json_t *json; /* the round */
	struct astra_round *round;
	struct astra_options options; /* the pool's, with leases */
	double since_sec;	      /* since when the pool is watched; 0: not
				       * known */
	struct astra_window window;
	struct astra_record record;
	struct astra_replay replay;
	struct astra_sim_result real, leases; /* of the replay's trace */
};

/* watch_rows.c: reads from the history the pool's jobs, and since when the pool
 * is watched. The window begins no earlier than that. Returns 0, or -1 with err
 * set. */
int sfair_watch_rows(struct sfair_watch *watch, struct astra_error *err);

/* watch_json.c: returns the document; NULL: out of memory. */
json_t *sfair_watch_document(const struct sfair_watch *watch);

/* watch_print.c: prints its tables. */
const char *sfair_watch_table_name(enum sfair_watch_table table);
const struct sfair_table *sfair_watch_table_of(enum sfair_watch_table table);
void sfair_watch_help_format(void);
int sfair_watch_print(const struct sfair_watch *watch, const json_t *document,
		      struct astra_error *err);

#endif
