/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sfair top: a live view. Its files; each uses only those before it:
 *
 *	top_model.c	the plugin's reply as rows; letters of tenants
 *	top_columns.c	the columns of the lists; sorting
 *	top_sheet.c	lines of cells, as they are shown
 *	top_draw*.c	draw a model and a state on a sheet
 *	top_keys.c	changes the state for a key
 *	top_screen.c	shows a sheet and reads keys, with ncurses
 *	top_fetch.c	a thread that asks, so that keys never wait
 *	top_live.c, top.c	the command
 *
 * All except the last three lines are pure: no clock, no I/O.
 */
#ifndef SFAIR_TOP_H
#define SFAIR_TOP_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#include "src/common/member_read.h"
#include "src/proto/query.h"

#define TOP_DELAY_SEC 3.0
#define TOP_DELAY_LEAST 0.5
#define TOP_DELAY_MOST 3600.0

enum top_view {
	TOP_OVERVIEW,
	TOP_NODES,
	TOP_LEASES,
	TOP_QUEUE,
	TOP_VIEWS,
};

/* ---- Model. Texts belong to the reply; unknown numbers are NAN. ---- */

struct top_pool {
	const char *name;
	double gpus, usable, held, free, down;
	double hold_job, hold_start_sec;
};

struct top_tenant {
	const char *pool, *name;
	double weight, quota, demand, alloc, rho, waiting, running;
	char letter;
};

struct top_holder {
	const char *id_text, *tenant; /* "": hidden */
	double gpus;
	char letter;
};

struct top_node {
	const char *pool, *name, *state;
	double gpus, held, free;
	struct top_holder *holders;
	size_t holder_count;
};

struct top_job {
	const char *pool, *tenant, *id_text, *user, *account, *name;
	const char *nodes, *phase, *pinned, *reason;
	double id, copies, gpus, submit_sec, end_sec, leases, revoked;
	double grace_end_sec, rank, start_sec, rho;
	char letter;
};

/* Letters of tenants. A tenant keeps its letter as long as sfair runs. */
#define TOP_LETTERS 52

struct top_letters {
	char *names[TOP_LETTERS]; /* the name of the tenant of A-Z, a-z; NULL: a
				   * free letter */
};

/* The sorted rows of a view. */
struct top_list {
	const void **rows;
	size_t count;
};

struct top_model {
	json_t *reply;
	const char *cluster;
	double time_sec, rounds_per_min, round_usec, queue;
	struct top_pool *pools;
	struct top_tenant *tenants;
	struct top_node *nodes;
	struct top_job *jobs;
	size_t pool_count, tenant_count, node_count, job_count;
	struct top_list lists[TOP_VIEWS]; /* rows of tenants, of nodes, and
					   * twice of jobs */
};

/* Reads a reply to a request "top". Members that it lacks count as unknown.
 * reply: stolen, also on failure. letters: of the known tenants; new ones are
 * added. out: destroy with top_model_destroy(); untouched on failure. Returns
 * 0, or -1 when out of memory. */
int top_model_load(json_t *reply, struct top_letters *letters,
		   struct top_model *out);
void top_model_destroy(struct top_model *model);

/* Returns a tenant's letter, which is its initial if that was free. '*': no
 * letter is free. '?': tenant is "". */
char top_letter(struct top_letters *letters, const char *tenant);
void top_letters_clear(struct top_letters *letters);

/* ---- Columns. ---- */

enum top_kind {
	TOP_TEXT,
	TOP_COUNT, /* with one decimal unless it is a whole number */
	TOP_RATIO,
	TOP_LEFT,  /* a time, shown as the span from now */
	TOP_SINCE, /* a time, shown as the span until now */
	TOP_CLOCK, /* a time, shown as time of day or, if far away, as the
		    * day */
};

struct top_column {
	const char *name;
	enum top_kind kind;
	size_t offset; /* in the row */
	size_t key;    /* offset of the number by which a text is sorted; 0:
			* sorted as text */
	size_t width;  /* in characters; 0: the rest of the line, for the last
			* column */
	size_t from;   /* shown only if lines are at least this wide */
};

/* Returns the columns of a view; ends with a NULL name. */
const struct top_column *top_columns(enum top_view view);

/* Returns the index of the column whose name begins with this text, ignoring
 * case, or -1. */
int top_column_find(enum top_view view, const char *name);

/* Writes a row's value as text. */
void top_value(const struct top_column *column, const void *row, double now_sec,
	       char *text, size_t size);

struct top_sort {
	size_t column;
	bool reverse;
};

/* Sorts a view's rows. Unknown values come last in either direction; equal rows
 * stay in the reply's order. */
void top_sort(struct top_model *model, enum top_view view,
	      const struct top_sort *sort);

/* ---- Sheet. ---- */

enum top_style {
	TOP_PLAIN,
	TOP_BOLD,
	TOP_DIM,
	TOP_HEADER,
	TOP_SELECTED,
	TOP_ERROR,
	TOP_COLOUR, /* the first of TOP_COLOURS */
};

#define TOP_COLOURS 6

struct top_cell {
	wchar_t ch; /* 0: this cell is the right half of a wide character */
	uint8_t style;
};

struct top_sheet {
	struct top_cell *cells;
	size_t rows, columns;
	size_t room; /* of cells */
	size_t most; /* most lines; 0: no limit */
	bool utf8;   /* else ASCII only */
};

/* Removes all lines. */
void top_sheet_begin(struct top_sheet *sheet, size_t columns, size_t most);
/* Begins a line. Returns whether the sheet had room for it. */
bool top_sheet_line(struct top_sheet *sheet);
/* Writes UTF-8 to the last line. A text wider than `width` is cut, with a + at
 * its end. Characters that could control the terminal become ?. Returns the
 * column after the text. */
size_t top_put(struct top_sheet *sheet, size_t at, size_t width,
	       enum top_style style, const char *text);
/* Writes like top_put(), but aligned to the right. */
void top_put_right(struct top_sheet *sheet, size_t at, size_t width,
		   enum top_style style, const char *text);
/* Writes formatted text, cut at the end of the line. */
size_t top_putf(struct top_sheet *sheet, size_t at, enum top_style style,
		const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* Gives the whole last line a style. */
void top_style_line(struct top_sheet *sheet, enum top_style style);
void top_sheet_free(struct top_sheet *sheet);
/* Returns a letter's colour; TOP_DIM if it is not a letter. */
enum top_style top_letter_style(char letter);

/* ---- State: what the user has chosen. ---- */

enum top_prompt {
	TOP_NO_PROMPT,
	TOP_ASK_DELAY,
	TOP_ASK_USERS,
	TOP_ASK_ACCOUNTS,
	TOP_ASK_POOLS,
	TOP_ASK_SORT,
	TOP_ASK_WHY,
};

#define TOP_PROMPT_MAX 256

struct top_state {
	enum top_view view;
	struct top_sort sort[TOP_VIEWS];
	size_t scroll[TOP_VIEWS]; /* first row shown */
	size_t cursor[TOP_VIEWS]; /* the row chosen, in the views of leases and
				   * of the queue */
	double chosen[TOP_VIEWS]; /* the job that the cursor is on, to find it
				   * again; 0: none */
	size_t page;		  /* how many rows of the list the screen has */
	size_t width;		  /* columns of the screen */
	double delay_sec;
	struct astra_query query; /* of kind TOP, with the user's filters */
	bool help;
	char *why; /* paragraph about a job, shown instead of a view; NULL:
		    * none */
	char why_of[64];
	size_t text_scroll; /* of help and why */
	enum top_prompt prompt;
	char typed[TOP_PROMPT_MAX];
	struct astra_error error;   /* error of the last refresh; "": there was
				     * none */
	struct astra_error message; /* message on the last key; "": none */
	struct astra_job_ref ask;   /* of TOP_DO_WHY */
};

void top_state_init(struct top_state *state);
void top_state_destroy(struct top_state *state);

/* Moves cursor and scroll position into range, after new rows or a change of
 * order. fresh: rows are new, so that the cursor follows the chosen job. */
void top_state_settle(struct top_state *state, const struct top_model *model,
		      bool fresh);

/* ---- Drawing. ---- */

#define TOP_LEAST_COLUMNS 40
#define TOP_LEAST_ROWS 8

/* Draws a screen of this many rows and columns. */
void top_draw(struct top_sheet *sheet, const struct top_model *model,
	      struct top_state *state, double now_sec, size_t rows,
	      size_t columns);
/* Draws all lines, without a limit on their number. */
void top_draw_batch(struct top_sheet *sheet, const struct top_model *model,
		    const struct top_state *state, double now_sec,
		    size_t columns);

void top_draw_list(struct top_sheet *sheet, const struct top_model *model,
		   const struct top_state *state, enum top_view view,
		   double now_sec, size_t first, size_t rows);
void top_draw_overview(struct top_sheet *sheet, const struct top_model *model,
		       struct top_state *state, double now_sec, size_t rows);

/* ---- Keys. ---- */

/* Keys: characters, and these. */
enum top_key {
	TOP_KEY_NONE = -1,
	TOP_KEY_UP = 0x200000,
	TOP_KEY_DOWN,
	TOP_KEY_LEFT,
	TOP_KEY_RIGHT,
	TOP_KEY_PAGE_UP,
	TOP_KEY_PAGE_DOWN,
	TOP_KEY_HOME,
	TOP_KEY_END,
	TOP_KEY_BACKTAB,
	TOP_KEY_ERASE,
	TOP_KEY_RESIZE,
};

enum top_action {
	TOP_DO_NOTHING,
	TOP_DO_DRAW,
	TOP_DO_SORT,
	TOP_DO_REFRESH,
	TOP_DO_WHY, /* ask about state->ask */
	TOP_DO_QUIT,
};

/* Changes the state for a key. Returns what the caller has to do next. */
enum top_action top_key(struct top_state *state, const struct top_model *model,
			int key);
const char *top_prompt_text(enum top_prompt prompt);

/* Reads a delay. Returns 0, or -1 with err naming what is allowed. */
int top_parse_delay(const char *text, double *out, struct astra_error *err);

/* ---- Screen. ---- */

/* Checks whether the terminal can show the screen. Returns 0, or -1 with err
 * naming what it lacks. */
int top_screen_check(struct astra_error *err);
int top_screen_open(struct astra_error *err);
void top_screen_close(void);
void top_screen_size(size_t *rows, size_t *columns);
void top_screen_show(const struct top_sheet *sheet);
/* Returns the next key typed, or TOP_KEY_NONE if there is none. */
int top_screen_key(void);

/* ---- Fetching. ---- */

struct top_fetch;

/* Starts the thread. where: the plugin; stolen. Returns NULL with err set on
 * failure. */
struct sfair_where;
struct top_fetch *top_fetch_start(struct sfair_where *where,
				  struct astra_error *err);
/* Returns a descriptor that is readable when there is a reply to take. */
int top_fetch_fd(const struct top_fetch *fetch);
/* Sends a query, as soon as the one before is answered. Replaces a query that
 * is still waiting to be sent. query: stolen. */
void top_fetch_ask(struct top_fetch *fetch, struct astra_query *query);
/* Takes the newest reply. kind: of the reply's request. reply: set to NULL with
 * err saying why, if there is none. Returns whether a request was finished
 * since the last call. */
bool top_fetch_take(struct top_fetch *fetch, enum astra_query_kind *kind,
		    json_t **reply, struct astra_error *err);
/* Stops the thread, without waiting for an answer. */
void top_fetch_stop(struct top_fetch *fetch);

/* ---- The command. ---- */

struct top_args {
	struct top_state state;
	bool batch;
	uint32_t count;	  /* 0: no limit */
	uint32_t width;	  /* with --batch: columns; 0: those of the terminal, or
			   * 100 */
	const char *sort; /* from argv; read once the view is known */
};

int top_copy_query(const struct astra_query *from, struct astra_query *to);
int top_live(struct top_state *state, struct astra_error *err);
bool top_is_utf8(void);

#endif
