/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of sfair share: arguments, configuration, printing. */
#ifndef SFAIR_COMMAND_H
#define SFAIR_COMMAND_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "src/common/arena.h"
#include "src/common/cli.h"
#include "src/common/error.h"
#include "src/proto/query.h"
#include "src/proto/report_members.h"

/* The unit in which GPU time is shown. */
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
	bool no_unit; /* the unit of GPU time is printed elsewhere */
	bool command; /* a command was given; query.kind has it */
	bool help_format, where;
	bool verbose;
	const char *format; /* of argv; NULL: the default columns */
};

/* args.c: reads the command line. Returns as astra_cli_parse() does. */
int sfair_args_parse(int argc, char **argv, struct sfair_args *args,
		     struct astra_error *err);

/* Rows that several commands have (args.c, names.c): how a table is shown, for
 * a struct sfair_args; and accounts, pools and users, for a struct
 * astra_query. */
extern const struct astra_cli_option sfair_style_options[];
extern const struct astra_cli_option sfair_which_options[];

#define SFAIR_EXIT_STATUS \
	"Exit status: 0, or 1 with one line on standard error."

/* Setters of rows: names; jobs; an enum sfair_unit; one pool.
 * sfair_check_tres() sets nothing: it checks that the value names the only TRES
 * there is. */
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

/* Read names separated by commas, to be destroyed, or add a job. Both return 0,
 * or -1 with err set. */
int sfair_parse_names(const char *text, struct astra_names *out,
		      struct astra_error *err);
int sfair_add_job(const char *text, struct astra_job_refs *out,
		  struct astra_error *err);

/* commands.c: commands that are more than one request and its reply. argv[0] is
 * the command's name. Returns -1 with err set on failure. */
typedef int sfair_run(int argc, char **argv, struct astra_error *err);

sfair_run sfair_adopt; /* makes accounts begin with the past */
sfair_run sfair_audit;
sfair_run sfair_check;	 /* checks an astraea.conf */
sfair_run sfair_doctor;	 /* checks an installation */
sfair_run sfair_metrics; /* metrics for a monitoring system */
sfair_run sfair_page;	 /* a page about past time */
sfair_run sfair_record;	 /* a round of the live cluster as JSON */
sfair_run sfair_report;	 /* reports over past time */
sfair_run sfair_top;	 /* a live view */
sfair_run sfair_try;	 /* tries another astraea.conf on the live cluster */
sfair_run sfair_watch;	 /* what leases would change in a pool without any */
sfair_run sfair_web;	 /* a live page */
sfair_run sfair_when;	 /* when a job is expected to start */

/* Returns the command that argv[0] names, or NULL. */
sfair_run *sfair_command_find(int argc, char **argv);

/* Whether the command is a request that prints its reply. */
bool sfair_command_asks(const char *name);

/* Write the names of all commands, separated by ", "; list them for --help. */
void sfair_command_names(char *text, size_t size);
void sfair_list_commands(const struct astra_cli *cli);

/* ask.c: sends a request to the plugin and returns its reply. Returns NULL with
 * err set on failure, also if the plugin refuses. verbose: prints the
 * request. */
json_t *sfair_ask(const struct astra_query *query, bool verbose,
		  struct astra_error *err);

/* rows.c: the rows of a reply, each parsed when it is looked at. */
struct sfair_slice;
struct sfair_rows {
	size_t count;
	json_t *list;		    /* if they are parsed; else: */
	char *text;		    /* of the whole reply */
	struct sfair_slice *slices; /* places of the rows in the text */
};

/* Splits a reply. text: malloced; taken. key: of the array of rows. Returns the
 * reply without its rows, or NULL if it is not JSON or memory is out; clear
 * rows in both cases. */
json_t *sfair_rows_split(char *text, const char *key, struct sfair_rows *rows);

/* Returns a row as a new reference, or NULL if it is not JSON or memory is
 * out. */
json_t *sfair_rows_get(const struct sfair_rows *rows, size_t index);

/* Says that sfair_rows_get() has failed. Returns -1. */
int sfair_rows_fail(size_t index, struct astra_error *err);

void sfair_rows_clear(struct sfair_rows *rows);

/* ask.c: as sfair_ask(), with the reply split. */
json_t *sfair_ask_rows(const struct astra_query *query, bool verbose,
		       const char *key, struct sfair_rows *rows,
		       struct astra_error *err);

/* Asks for something that the next round makes. The plugin gives a ticket for
 * it, and it is asked for until it is there. query: gets the ticket. key: of
 * the object in the reply. Returns the object, or NULL with err set. */
json_t *sfair_ask_round(struct astra_query *query, const char *key,
			bool verbose, struct astra_error *err);

/* Whether the last request was refused because the plugin does not know the
 * job, or the user may not see it. */
bool sfair_not_found(void);

/* slurm.c: reads Slurm's configuration without logging; the program ends if it
 * cannot be read. otherwise: what the user can do instead. Returns 0, or -1
 * with err set. */
int sfair_load_slurm_conf(const char *otherwise, struct astra_error *err);

/* slurm.c: whether Slurm can be asked. Reads its configuration and loads its
 * plugins if that was not done. */
bool sfair_slurm_known(void);

/* Where the plugin listens, and how messages are signed; all malloced. */
struct sfair_where {
	char *path;	     /* of a socket, or an address for astra_dial() */
	char *auth;	     /* as in src/proto/sign.h */
	bool given;	     /* by SFAIR_SOCKET: nothing else is tried */
	uint32_t slurm_user; /* owner of the plugin's socket; may be unknown */
};

/* conf.c: looks in the environment, in Slurm's configuration and in this host's
 * astraea.conf. If the plugin's socket is not on this host, asks slurmctld.
 * where: clear it in both cases. Returns 0, or -1 with err set. */
int sfair_find(struct sfair_where *where, struct astra_error *err);
void sfair_where_clear(struct sfair_where *where);

/* conf.c: replaces the path by the address that slurmctld named, unless
 * where->given. Returns 0, or -1 with err set: out of memory. */
struct sfair_slurm;
int sfair_find_again(struct sfair_where *where, const struct sfair_slurm *slurm,
		     struct astra_error *err);

/* conf.c: explains why the plugin does not answer, as far as Slurm knows. err:
 * what is known already; replaced if Slurm knows more. */
void sfair_explain_absent(const struct sfair_where *where,
			  const struct sfair_slurm *slurm,
			  struct astra_error *err);

/* Whether a host of this name is this host. */
bool sfair_is_here(const char *machine);

/* why.c: makes a reply about a job that the plugin does not manage, from Slurm.
 * Returns NULL if Slurm does not know the job either or cannot be asked. */
json_t *sfair_why_other(const struct astra_query *query);

/* As sfair_ask(), with the plugin that sfair_find() has found. wait_sec: at
 * most, for each part of the reply. A plugin that is being replaced, as in a
 * reconfigure, gets some seconds. If it has moved, `where` is replaced. */
json_t *sfair_ask_at(struct sfair_where *where, const struct astra_query *query,
		     int wait_sec, bool verbose, struct astra_error *err);

/* slurm.c: reads a point in time as Slurm's commands take it, in seconds from
 * 1970. Returns 0, or -1 with err naming key, text and what is allowed. */
int sfair_parse_time(const char *key, const char *text, double *sec,
		     struct astra_error *err);
/* Reads a span of time. By default it is the last whole day, as in sreport; if
 * it begins after that day, it ends now. start, end: NULL: not given. Returns
 * as above. */
int sfair_parse_window(const char *start, const char *end, double *start_sec,
		       double *end_sec, struct astra_error *err);

/* Lists the fields of a table, for --helpformat. */
struct sfair_table;
void sfair_list_fields(const char *title, const struct sfair_table *table);

/* Sets a NULL name to the cluster's, Slurm's ClusterName; not to be freed. In
 * any case Slurm's own log is silent afterwards. otherwise: what the user can
 * do if the configuration cannot be read. Returns 0, or -1 with err set. */
int sfair_cluster_name(const char **name, const char *otherwise,
		       struct astra_error *err);

/* One column of a table: its name for users, and the reply's key. */
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

/* columns.c: returns the table of a request; NULL for why and diag. */
const struct sfair_table *sfair_table_of(enum astra_query_kind kind);

/* cell.c: returns a value as text, malloced, with control characters
 * replaced. */
char *sfair_cell(enum sfair_kind kind, const json_t *value,
		 enum sfair_unit unit, double now_sec);
/* The same, in an arena. */
const char *sfair_cell_in(struct astra_arena *arena, enum sfair_kind kind,
			  const json_t *value, enum sfair_unit unit,
			  double now_sec);
void sfair_span(double sec, char *text, size_t size);
void sfair_time(double sec, char *text, size_t size);

/* columns.c: a column that was asked for. */
struct sfair_choice {
	const struct sfair_column *column;
	size_t width; /* 0: as wide as its cells */
	bool left;
};

struct sfair_choices {
	struct sfair_choice *items;
	size_t count, room;
};

/* Reads a format, Field[%[-]N],…; free choices->items. Returns 0, or -1 with
 * err naming the field. */
int sfair_format_parse(const struct sfair_table *table, const char *format,
		       struct sfair_choices *choices, struct astra_error *err);

/* Lists the keys of the records that the columns show, each once; of an
 * object's members only the object's key. Returns 0, or -1 when out of
 * memory. */
int sfair_choices_keys(const struct sfair_choices *choices,
		       struct astra_names *out);

/* Checks that each user asked for is in a row or known on this host.
 * (print_table.c) Returns 0, or -1 with err set. */
int sfair_check_users(size_t rows, const struct astra_names *users,
		      struct astra_error *err);

/* print_table.c: returns the key of the rows in the reply to a request, or
 * NULL if it has no table. */
const char *sfair_rows_key(enum astra_query_kind kind);

/* print_*.c: writes a reply to standard output. */
int sfair_print_rows(const struct sfair_table *table, json_t *rows,
		     const struct sfair_args *args, double now_sec,
		     struct astra_error *err);
/* Says on standard error why nothing is managed, if so; otherwise an empty
 * table would look as if there were no jobs. */
void sfair_tell_idle(const json_t *reply);
int sfair_print_table(const json_t *reply, const struct sfair_rows *rows,
		      const struct sfair_args *args, struct astra_error *err);
/* Returns the words of a reply on a job, joined, malloced: the reason and what
 * would change it. all: also the answer before them, and GPU time and rho after
 * them. An older plugin's words are all returned. NULL when out of memory.
 * (why.c) */
char *sfair_why_words(const json_t *reply, bool all);
/* Prints words, wrapped into readable lines. */
void sfair_put_wrapped(const char *text);
void sfair_print_why(const json_t *reply, const struct sfair_args *args);
/* mine.c: prints a line for each of the user's waiting jobs; without a command
 * a few lines on all the user's jobs and their tenants. */
void sfair_print_mine(const json_t *reply, const struct sfair_args *args);
void sfair_print_diag(const json_t *reply, const struct sfair_args *args);

/* Returns the width of the terminal, or 0 if the output is not a terminal. */
size_t sfair_terminal_width(void);

#endif
