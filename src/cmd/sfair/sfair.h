/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sfair's parts among themselves: arguments, configuration, printing. */
#ifndef SFAIR_COMMAND_H
#define SFAIR_COMMAND_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "src/common/cli.h"
#include "src/common/error.h"
#include "src/proto/query.h"
#include "src/proto/report_members.h"

/* In which unit GPU time is shown. */
enum sfair_unit { SFAIR_SECONDS, SFAIR_MINUTES, SFAIR_HOURS };

enum sfair_style {
	SFAIR_TABLE,
	SFAIR_PARSABLE,	 /* "a|b|" */
	SFAIR_PARSABLE2, /* "a|b" */
	SFAIR_JSON,
};

struct sfair_args {
	struct astra_query query;
	enum sfair_style style;
	enum sfair_unit unit;
	bool no_header;
	bool no_unit; /* GPU time's is said elsewhere */
	bool command; /* one was given; it is in query.kind */
	bool help_format, where;
	bool verbose;
	const char *format; /* of argv; NULL: the default columns */
};

/* args.c: take the command line apart.
 * Returns as astra_cli_parse() does. */
int sfair_args_parse(int argc, char **argv, struct sfair_args *args,
		     struct astra_error *err);

/* Rows that several commands have (args.c, names.c): of a struct sfair_args how
 * a table is shown, and of a struct astra_query accounts, pools and users. */
extern const struct astra_cli_option sfair_style_options[];
extern const struct astra_cli_option sfair_which_options[];

#define SFAIR_EXIT_STATUS \
	"Exit status: 0, or 1 with one line on standard error."

/* Setters of rows: names; jobs; an enum sfair_unit; one pool; nothing, where
 * the only TRES there is was named. */
int sfair_set_names(const struct astra_cli_option *row, void *at,
		    const char *value, struct astra_error *err);
int sfair_set_jobs(const struct astra_cli_option *row, void *at,
		   const char *value, struct astra_error *err);
int sfair_set_unit(const struct astra_cli_option *row, void *at,
		   const char *value, struct astra_error *err);
int sfair_set_pool(const struct astra_cli_option *row, void *at,
		   const char *value, struct astra_error *err);
int sfair_check_tres(const struct astra_cli_option *row, void *at,
		     const char *value, struct astra_error *err);

/* Names separated by commas, to be destroyed; a job. Both return 0, or -1 with
 * err set. */
int sfair_parse_names(const char *text, struct astra_names *out,
		      struct astra_error *err);
int sfair_add_job(const char *text, struct astra_job_refs *out,
		  struct astra_error *err);

/* commands.c: those that are more than one question and its answer. argv[0] is
 * the name. Returns -1 with err set, else all is well. */
typedef int sfair_run(int argc, char **argv, struct astra_error *err);

sfair_run sfair_adopt; /* accounts that begin with the past */
sfair_run sfair_audit;
sfair_run sfair_check;	 /* an astraea.conf before it is used */
sfair_run sfair_doctor;	 /* a whole installation */
sfair_run sfair_metrics; /* numbers for a monitoring system */
sfair_run sfair_page;	 /* about past time */
sfair_run sfair_record;	 /* a round of production as JSON */
sfair_run sfair_report;	 /* what was, over past time */
sfair_run sfair_top;	 /* a live view */
sfair_run sfair_try;	 /* another astraea.conf on what runs */
sfair_run sfair_watch;	 /* leases, in a pool without any */
sfair_run sfair_web;	 /* a page that is live */
sfair_run sfair_when;	 /* a job is expected to start */

/* argv[0]: the name. NULL: none of them. */
sfair_run *sfair_command_find(int argc, char **argv);

/* Whether that is a question to the plugin. */
bool sfair_command_asks(const char *name);

/* Their names with ", " in between; the same for --help. */
void sfair_command_names(char *text, size_t size);
void sfair_list_commands(const struct astra_cli *cli);

/* ask.c: send a request to the plugin; verbose: say whom it asks.
 * Returns its reply, or NULL with err set: also when the plugin refuses. */
json_t *sfair_ask(const struct astra_query *query, bool verbose,
		  struct astra_error *err);

/* The same of what a round makes, and a ticket is given for meanwhile: asked
 * for until it is there. query: gets the ticket. key: of the reply.
 * Returns what is there, an object, or NULL with err set. */
json_t *sfair_ask_round(struct astra_query *query, const char *key,
			bool verbose, struct astra_error *err);

/* Whether the last refusal was of a job that the plugin does not know, or that
 * the user may not see. */
bool sfair_not_found(void);

/* slurm.c: read Slurm's configuration, in silence; the program ends where it
 * cannot be read.
 * otherwise: what its user can do instead. Returns 0, or -1 with err set. */
int sfair_load_slurm_conf(const char *otherwise, struct astra_error *err);

/* slurm.c: whether Slurm can be asked: its configuration is, or could be, read.
 */
bool sfair_slurm_known(void);

/* Where the plugin is asked, and who signs; all malloced. */
struct sfair_where {
	char *path;	     /* a socket's, or as astra_dial() takes it */
	char *auth;	     /* as in src/proto/sign.h */
	bool given;	     /* by SFAIR_SOCKET: no other is looked for */
	uint32_t slurm_user; /* who answers at a socket; may be unknown */
};

/* conf.c: look in the environment, in Slurm's configuration and in astraea.conf
 * where this host has it; where the plugin's socket is not on this host ask
 * slurmctld. where: to be cleared, either way.
 * Returns 0, or -1 with err set. */
int sfair_find(struct sfair_where *where, struct astra_error *err);
void sfair_where_clear(struct sfair_where *where);

/* conf.c: where slurmctld says, unless it is given.
 * Returns 0, or -1 with err set: out of memory. */
struct sfair_slurm;
int sfair_find_again(struct sfair_where *where, const struct sfair_slurm *slurm,
		     struct astra_error *err);

/* conf.c: nobody answers there: say why, as far as Slurm knows. err: what is
 * known of it; replaced where there is more to say. */
void sfair_explain_absent(const struct sfair_where *where,
			  const struct sfair_slurm *slurm,
			  struct astra_error *err);

/* Whether a host of this name is this one. */
bool sfair_is_here(const char *machine);

/* why.c: a reply about a job that the plugin does not manage, from Slurm.
 * Returns NULL when Slurm knows none either, or cannot be asked. */
json_t *sfair_why_other(const struct astra_query *query);

/* The same of a plugin that is known, as sfair_find() finds it; wait_sec: for
 * each part of the reply at most. Where it is being replaced, as in a
 * reconfigure, it has some seconds; where it has moved, where is replaced. */
json_t *sfair_ask_at(struct sfair_where *where, const struct astra_query *query,
		     int wait_sec, bool verbose, struct astra_error *err);

/* slurm.c: a point in time as Slurm's commands take it, in seconds from 1970.
 * Returns 0, or -1 with err naming key, text and what is allowed. */
int sfair_parse_time(const char *key, const char *text, double *sec,
		     struct astra_error *err);
/* A span of time: what is not said is the last whole day, as in sreport; what
 * begins after that goes on until now. start, end: NULL: not given.
 * Returns as above. */
int sfair_parse_window(const char *start, const char *end, double *start_sec,
		       double *end_sec, struct astra_error *err);

/* The fields of a table, for --helpformat. */
struct sfair_table;
void sfair_list_fields(const char *title, const struct sfair_table *table);

/* The cluster's name, where it is NULL: Slurm's ClusterName; not to be freed.
 * Either way Slurm's own log is silent afterwards.
 * otherwise: what its user can do where the configuration cannot be read.
 * Returns 0, or -1 with err set. */
int sfair_cluster_name(const char **name, const char *otherwise,
		       struct astra_error *err);

/* One column of a table: what users call it, and the reply's key. */
struct sfair_column {
	const char *name;
	const char *key;
	enum sfair_kind kind;
	const char *help;
};

struct sfair_table {
	const struct sfair_column *columns; /* ended by a NULL name */
	const char *format;		    /* the default columns */
};

/* columns.c: the table of a request; NULL for why and diag. */
const struct sfair_table *sfair_table_of(enum astra_query_kind kind);

/* cell.c: a value as text, control characters replaced; malloced. */
char *sfair_cell(enum sfair_kind kind, const json_t *value,
		 enum sfair_unit unit, double now_sec);
void sfair_span(double sec, char *text, size_t size);
void sfair_time(double sec, char *text, size_t size);

/* columns.c: those asked for. */
struct sfair_choice {
	const struct sfair_column *column;
	size_t width; /* 0: as wide as need be */
	bool left;
};

struct sfair_choices {
	struct sfair_choice *items;
	size_t count, room;
};

/* format: Field[%[-]N],…; free choices->items.
 * Returns 0, or -1 with err naming the field. */
int sfair_format_parse(const struct sfair_table *table, const char *format,
		       struct sfair_choices *choices, struct astra_error *err);

/* The keys of the records that the columns show, each once; an object's whole.
 * Returns 0, or -1 when out of memory. */
int sfair_choices_keys(const struct sfair_choices *choices,
		       struct astra_names *out);

/* Whether somebody is asked for whom neither a row nor this host knows.
 * (print_table.c) Returns 0, or -1 with err set. */
int sfair_check_users(const json_t *rows, const struct astra_names *users,
		      struct astra_error *err);

/* print_*.c: write a reply to standard output. */
int sfair_print_rows(const struct sfair_table *table, const json_t *rows,
		     const struct sfair_args *args, double now_sec,
		     struct astra_error *err);
/* Say on standard error why nothing is managed, if so: what is empty for a
 * reason must not look as if there were nothing. */
void sfair_tell_idle(const json_t *reply);
int sfair_print_table(const json_t *reply, const struct sfair_args *args,
		      struct astra_error *err);
/* The words of a reply on a job, joined: the reason and what would change it;
 * all: with the answer before and its GPU time and rho behind. Of an older
 * plugin all. malloced; NULL when out of memory. (why.c) */
char *sfair_why_words(const json_t *reply, bool all);
/* Words, in lines that can be read. */
void sfair_put_wrapped(const char *text);
void sfair_print_why(const json_t *reply, const struct sfair_args *args);
/* mine.c: a line for each of the user's waiting jobs; without a command a few
 * lines on all of them and their tenants. */
void sfair_print_mine(const json_t *reply, const struct sfair_args *args);
void sfair_print_diag(const json_t *reply, const struct sfair_args *args);

/* The width of the terminal, or 0 where the output is none. */
size_t sfair_terminal_width(void);

#endif
