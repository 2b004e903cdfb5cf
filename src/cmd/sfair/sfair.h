/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Declarations shared by all of sfair: arguments, configuration, printing. */
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
	bool no_unit; /* print no unit with GPU time: it is shown elsewhere */
	bool command; /* a command was given; it is in query.kind */
	bool help_format, where;
	bool verbose;
	const char *format; /* from argv; NULL: the default columns */
};

/* args.c: reads the command line. Returns as astra_cli_parse() does. */
int sfair_args_parse(int argc, char **argv, struct sfair_args *args,
		     struct astra_error *err);

/* Options that several commands have. sfair_style_options (args.c) is for a
 * struct sfair_args: how a table is shown. sfair_which_options (names.c) is for
 * a struct astra_query: accounts, pools and users. */
extern const struct astra_cli_option sfair_style_options[];
extern const struct astra_cli_option sfair_which_options[];

#define SFAIR_EXIT_STATUS \
	"Exit status: 0, or 1 with one line on standard error."

/* Set the value of an option: names; jobs; an enum sfair_unit; one pool.
 * sfair_check_tres() sets nothing: it checks that the value names gres/gpu, the
 * only TRES there is. */
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

/* Read names separated by commas (the caller destroys them), or add a job. Both
 * return 0, or -1 with err set. */
int sfair_parse_names(const char *text, struct astra_names *out,
		      struct astra_error *err);
int sfair_add_job(const char *text, struct astra_job_refs *out,
		  struct astra_error *err);

/* commands.c: a command that takes more than one request and its reply. argv[0]
 * is the command's name. Returns -1 with err set on failure. */
typedef int sfair_run(int argc, char **argv, struct astra_error *err);

sfair_run sfair_adopt; /* makes accounts begin with past usage */
sfair_run sfair_audit;
sfair_run sfair_check;	 /* checks an astraea.conf */
sfair_run sfair_doctor;	 /* checks an installation */
sfair_run sfair_metrics; /* metrics for a monitoring system */
sfair_run sfair_page;	 /* a page about past time */
sfair_run sfair_record;	 /* saves a round of the live cluster as JSON */
sfair_run sfair_report;	 /* reports over past time */
sfair_run sfair_top;	 /* a live view */
sfair_run sfair_try;	 /* tries another astraea.conf on the live cluster's
			  * jobs */
sfair_run sfair_watch;	 /* shows what leases would change in a pool without
			  * leases */
sfair_run sfair_web;	 /* a live page */
sfair_run sfair_when;	 /* tells when a job is expected to start */

/* Returns the command that argv[0] names, or NULL. */
sfair_run *sfair_command_find(int argc, char **argv);

/* Whether the command is one request whose reply is printed. */
bool sfair_command_asks(const char *name);

/* sfair_command_names() writes the names of all commands, separated by ", ".
 * sfair_list_commands() lists the commands for --help. */
void sfair_command_names(char *text, size_t size);
void sfair_list_commands(const struct astra_cli *cli);

/* ask.c: sends a request to the plugin and returns its reply. Returns NULL with
 * err set on failure, including a refusal by the plugin. verbose: prints the
 * request. */
json_t *sfair_ask(const struct astra_query *query, bool verbose,
		  struct astra_error *err);

/* rows.c: the rows of a reply. A row is parsed only when it is read. */
struct sfair_slice;
struct sfair_rows {
	size_t count;
	json_t *list;		    /* if they are parsed; else: */
	char *text;		    /* of the whole reply */
	struct sfair_slice *slices; /* places of the rows in the text */
};

/* Splits a reply. text: malloced; taken. key: of the array of rows. Returns the
 * reply without its rows, or NULL if it is not JSON or out of memory. Clear
 * rows in both cases. */
json_t *sfair_rows_split(char *text, const char *key, struct sfair_rows *rows);

/* Returns a row as a new reference, or NULL if it is not JSON or out of
 * memory. */
json_t *sfair_rows_get(const struct sfair_rows *rows, size_t index);

/* Sets err after sfair_rows_get() has failed. Returns -1. */
int sfair_rows_fail(size_t index, struct astra_error *err);

void sfair_rows_clear(struct sfair_rows *rows);

/* ask.c: like sfair_ask(), but splits the reply into rows. */
json_t *sfair_ask_rows(const struct astra_query *query, bool verbose,
		       const char *key, struct sfair_rows *rows,
		       struct astra_error *err);

/* Asks for something that the next round makes. The plugin first returns a
 * ticket; the request is repeated with the ticket until the result is there.
 * query: gets the ticket. key: of the object in the reply. Returns the object,
 * or NULL with err set. */
json_t *sfair_ask_round(struct astra_query *query, const char *key,
			bool verbose, struct astra_error *err);

/* Whether the last request was refused because the plugin does not know the
 * job, or because the user may not see it. */
bool sfair_not_found(void);

/* slurm.c: reads Slurm's configuration without logging; the program ends if the
 * file cannot be read. otherwise: what the user can do instead. Returns 0, or
 * -1 with err set. */
int sfair_load_slurm_conf(const char *otherwise, struct astra_error *err);

/* slurm.c: whether requests to Slurm are possible. Reads Slurm's configuration
 * and loads its plugins, unless that was done before. */
bool sfair_slurm_known(void);

/* Where the plugin listens, and how messages are signed; all malloced. */
struct sfair_where {
	char *path;	     /* path of a socket, or an address for
			      * astra_dial() */
	char *auth;	     /* as in src/proto/sign.h */
	bool given;	     /* set by SFAIR_SOCKET: nothing else is tried */
	uint32_t slurm_user; /* owner of the plugin's socket; may be unknown */
};

/* conf.c: finds the plugin by the environment, Slurm's configuration and this
 * host's astraea.conf. If the plugin's socket is not on this host, asks
 * slurmctld for it. where: clear it in both cases. Returns 0, or -1 with err
 * set. */
int sfair_find(struct sfair_where *where, struct astra_error *err);
void sfair_where_clear(struct sfair_where *where);

/* conf.c: replaces the path by the address that slurmctld named, unless
 * where->given. Returns 0, or -1 with err set if out of memory. */
struct sfair_slurm;
int sfair_find_again(struct sfair_where *where, const struct sfair_slurm *slurm,
		     struct astra_error *err);

/* conf.c: explains why the plugin does not answer, as far as Slurm knows. err:
 * the cause known so far; replaced if Slurm knows more. */
void sfair_explain_absent(const struct sfair_where *where,
			  const struct sfair_slurm *slurm,
			  struct astra_error *err);

/* Whether a host of this name is this host. */
bool sfair_is_here(const char *machine);

/* why.c: makes a reply about a job that the plugin does not manage, with what
 * Slurm knows of it. Returns NULL if Slurm does not know the job either, or
 * cannot be asked. */
json_t *sfair_why_other(const struct astra_query *query);

/* Like sfair_ask(), with the plugin that sfair_find() has found. wait_sec: the
 * longest wait for each part of the reply. A plugin that is being replaced, as
 * in a reconfigure, gets some more seconds. If the plugin has moved, `where` is
 * replaced. */
json_t *sfair_ask_at(struct sfair_where *where, const struct astra_query *query,
		     int wait_sec, bool verbose, struct astra_error *err);

/* slurm.c: reads a point in time in the formats of Slurm's commands; gives
 * seconds since 1970. Returns 0, or -1 with err naming key, text and what is
 * allowed. */
int sfair_parse_time(const char *key, const char *text, double *sec,
		     struct astra_error *err);
/* Reads a span of time. The default is the last whole day, as in sreport. If
 * only a start is given and lies after that day, the span ends now. start, end:
 * NULL if not given. Returns as sfair_parse_time(). */
int sfair_parse_window(const char *start, const char *end, double *start_sec,
		       double *end_sec, struct astra_error *err);

/* Lists the fields of a table, for --helpformat. */
struct sfair_table;
void sfair_list_fields(const char *title, const struct sfair_table *table);

/* Sets a NULL name to the cluster's name (Slurm's ClusterName); do not free it.
 * In any case silences Slurm's own log. otherwise: what the user can do if the
 * configuration cannot be read. Returns 0, or -1 with err set. */
int sfair_cluster_name(const char **name, const char *otherwise,
		       struct astra_error *err);

/* One column of a table: its name for users, and its key in the reply. */
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

/* columns.c: returns the table that shows a request's reply; NULL for why and
 * diag. */
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

/* columns.c: a column that the user asked for. */
struct sfair_choice {
	const struct sfair_column *column;
	size_t width; /* in characters; 0: as wide as its cells */
	bool left;
};

struct sfair_choices {
	struct sfair_choice *items;
	size_t count, room;
};

/* Reads a format: a list of Field[%[-]N], separated by commas. Free
 * choices->items. Returns 0, or -1 with err naming the invalid field. */
int sfair_format_parse(const struct sfair_table *table, const char *format,
		       struct sfair_choices *choices, struct astra_error *err);

/* Lists the keys in the records that the columns show, each key once. For a
 * member of an object, lists only the object's key. Returns 0, or -1 when out
 * of memory. */
int sfair_choices_keys(const struct sfair_choices *choices,
		       struct astra_names *out);

/* Checks that each user asked for has a row, or is known on this host.
 * (print_table.c) Returns 0, or -1 with err set. */
int sfair_check_users(size_t rows, const struct astra_names *users,
		      struct astra_error *err);

/* print_table.c: returns the key of the rows in a request's reply, or NULL if
 * there is no table. */
const char *sfair_rows_key(enum astra_query_kind kind);

/* print_*.c: writes a reply to standard output. */
int sfair_print_rows(const struct sfair_table *table, json_t *rows,
		     const struct sfair_args *args, double now_sec,
		     struct astra_error *err);
/* If nothing is managed, says why on standard error. Without this an empty
 * table would look as if there were no jobs. */
void sfair_tell_idle(const json_t *reply);
int sfair_print_table(const json_t *reply, const struct sfair_rows *rows,
		      const struct sfair_args *args, struct astra_error *err);
/* Returns the words of a reply about a job as one text, malloced: the reason
 * and what would change it. all: also the answer before these, and GPU time and
 * rho after these. The words of an older plugin are all returned. Returns NULL
 * when out of memory. (why.c) */
char *sfair_why_words(const json_t *reply, bool all);
/* Prints words, wrapped into readable lines. */
void sfair_put_wrapped(const char *text);
void sfair_print_why(const json_t *reply, const struct sfair_args *args);
/* mine.c: prints a line for each waiting job of the user. Without a command,
 * prints a few lines about all jobs of the user and their tenants. */
void sfair_print_mine(const json_t *reply, const struct sfair_args *args);
void sfair_print_diag(const json_t *reply, const struct sfair_args *args);

/* Returns the width of the terminal, or 0 if the output is not a terminal. */
size_t sfair_terminal_width(void);

#endif
