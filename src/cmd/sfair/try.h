/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Declarations shared by the files of sfair try. */
#ifndef SFAIR_TRY_H
#define SFAIR_TRY_H

#include "src/audit/forward.h"
#include "src/cmd/sfair/accounts.h"
#include "src/cmd/sfair/sfair.h"
#include "src/cmd/sfair/try_file.h"
#include "src/policies/options.h"
#include "src/record/round.h"

/* The tables, in the order in which they are shown. */
enum sfair_try_table {
	SFAIR_TRY_RUNS,
	SFAIR_TRY_TENANTS,
	SFAIR_TRY_USERS,
	SFAIR_TRY_JOBS,	  /* only on request */
	SFAIR_TRY_TABLES, /* count of tables; as a choice: all tables */
};

/* A KEY=VALUE of the command line; free() each member. */
struct sfair_try_word {
	char *key, *value;
	const char *tenant; /* the tenant of a Weight, borrowed from an earlier
			     * word; or NULL */
};

struct sfair_try_words {
	struct sfair_try_word *items;
	size_t count, room;
	const char *pool; /* borrowed from a word; NULL: not given */
};

struct sfair_try_args {
	struct sfair_args show; /* style, header, format, help */
	enum sfair_try_table table;
	struct sfair_try_words words;
	uint32_t days;
	const char *conf, *slurm_conf, *record, *trace; /* NULL: not given */
	double cold_start_sec, checkpoint_sec;
	bool lenient, quiet;
};

/* One of the two runs. */
struct sfair_try_run {
	const char *name; /* "today", "changed" */
	struct astra_options options;
	struct astra_trace trace; /* the forward trace, with the run's
				   * weights */
	const struct astra_scheduler *scheduler;
	const struct astra_cluster *cluster;
	struct astra_sim_options sim;
	struct astra_sim_result result;
	struct astra_error err;
	int rc;
};

/* A try and its results. */
struct sfair_try {
	const struct sfair_try_args *args;
	struct sfair_try_file file;
	struct astra_options options; /* the pool's options to try */
	json_t *tried;		      /* how the options tried differ from those
				       * in force */
	json_t *json;		      /* the round */
	struct astra_round *round;
	struct astra_record record; /* of the last days */
	struct astra_window window;
	struct sfair_accounts accounts; /* if they were asked for */
	size_t strangers;		/* jobs whose account is not a known
					 * tenant */
	struct astra_forward forward;
	struct sfair_try_run runs[2];
};

/* try_words.c: adds a word of the command line. Like the next functions,
 * returns 0, or -1 with err set. */
int sfair_try_word(struct sfair_try_words *words, const char *text,
		   struct astra_error *err);
void sfair_try_words_clear(struct sfair_try_words *words);
/* Checks whether the words can be tried; called before anything is read. */
int sfair_try_words_check(const struct sfair_try_words *words,
			  struct astra_error *err);
/* Changes options as the words say, and checks the options as a whole. */
int sfair_try_words_apply(struct sfair_try_words *words, const char *pool,
			  struct astra_options *options,
			  struct astra_error *err);
/* Sets the weights that the words give to tenants of a trace. */
int sfair_try_words_weigh(const struct sfair_try_words *words,
			  struct astra_trace *trace, struct astra_error *err);
/* Returns how the words differ from what is in force, as an array of {what,
 * from, to}. from is null if the present text is not known. Returns NULL if out
 * of memory. */
json_t *sfair_try_words_tell(const struct sfair_try *t);

/* Returns how many jobs never start. run: 0: with the options in force, 1: with
 * those tried. */
size_t sfair_try_never(const struct sfair_try *t, size_t run);

/* try_json.c: returns the document; NULL: out of memory.
 *
 * try_print.c: prints its tables. */
json_t *sfair_try_document(const struct sfair_try *t);
const char *sfair_try_table_name(enum sfair_try_table table);
const struct sfair_table *sfair_try_table_of(enum sfair_try_table table);
void sfair_try_help_format(void);
int sfair_try_print(const struct sfair_try *t, const json_t *document,
		    struct astra_error *err);

#endif
