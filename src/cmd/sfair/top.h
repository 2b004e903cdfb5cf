/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sfair top: a live view. Its parts, each knowing those before it only:
 *
 *	top_model.c	what the plugin replied, as rows; who has which letter
 *	top_columns.c	the columns of the lists; sorting
 *	top_sheet.c	lines of cells, as they are to be shown
 *	top_draw*.c	a model and a state become a sheet
 *	top_keys.c	a key changes the state
 *	top_screen.c	a sheet on the terminal, and keys from it: ncurses
 *	top_fetch.c	a thread that asks, so that keys never wait
 *	top_live.c, top.c	the command
 *
 * All but the last three lines are pure: no clock, no I/O.
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

/* ---- Model. Texts are the reply's; numbers not known are NAN. ---- */

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

/* Each tenant keeps its letter as long as sfair runs. */
#define TOP_LETTERS 52

struct top_letters {
	char *names[TOP_LETTERS]; /* by place in A-Z, a-z; NULL: free */
};

/* Rows of a view, sorted. */
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
	struct top_list lists[TOP_VIEWS]; /* tenants, nodes, jobs, jobs */
};

/* Take a reply to a request "top" apart. Whatever it lacks is not known.
 * reply: stolen, also on failure. letters: of tenants that it knows; new ones
 *   are added.
 * out: destroy with top_model_destroy(); untouched on failure.
 * Returns 0, or -1 when out of memory. */
int top_model_load(json_t *reply, struct top_letters *letters,
		   struct top_model *out);
void top_model_destroy(struct top_model *model);

/* A tenant's letter, by its initial if that is free: '*' when there are no
 * more, '?' for "". */
char top_letter(struct top_letters *letters, const char *tenant);
void top_letters_clear(struct top_letters *letters);

/* ---- Columns. ---- */

enum top_kind {
	TOP_TEXT,
	TOP_COUNT, /* one decimal where it is no whole number */
	TOP_RATIO,
	TOP_LEFT,  /* a time, as a span from now on */
	TOP_SINCE, /* a time, as a span until now */
	TOP_CLOCK, /* a time of day, or the day */
};

struct top_column {
	const char *name;
	enum top_kind kind;
	size_t offset; /* in the row */
	size_t key;    /* a number to sort a text by; 0: none */
	size_t width;  /* 0: the rest of the line; the last one only */
	size_t from;   /* shown on lines of so many columns or more */
};

/* The columns of a view; ended by a NULL name. */
const struct top_column *top_columns(enum top_view view);

/* The column whose name begins so, in any case of letters; -1: none. */
int top_column_find(enum top_view view, const char *name);

/* A row's value as text. */
void top_value(const struct top_column *column, const void *row, double now_sec,
	       char *text, size_t size);

struct top_sort {
	size_t column;
	bool reverse;
};

/* Sort a view's rows. What is not known comes last either way; equal ones stay
 * in the reply's order. */
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
	TOP_COLOUR, /* and TOP_COLOURS of them */
};

#define TOP_COLOURS 6

struct top_cell {
	wchar_t ch; /* 0: the right half of a wide one */
	uint8_t style;
};

struct top_sheet {
	struct top_cell *cells;
	size_t rows, columns;
	size_t room; /* of cells */
	size_t most; /* rows at most; 0: no limit */
	bool utf8;   /* else ASCII only */
};

/* Forget all lines. */
void top_sheet_begin(struct top_sheet *sheet, size_t columns, size_t most);
/* Begin a line. Returns whether there is room for it. */
bool top_sheet_line(struct top_sheet *sheet);
/* Write UTF-8 to the last line, cut to width with a + at its end. What could
 * steer a terminal becomes ?. Returns the column after it. */
size_t top_put(struct top_sheet *sheet, size_t at, size_t width,
	       enum top_style style, const char *text);
/* The same, aligned to the right. */
void top_put_right(struct top_sheet *sheet, size_t at, size_t width,
		   enum top_style style, const char *text);
/* Formatted, and as wide as there is room. */
size_t top_putf(struct top_sheet *sheet, size_t at, enum top_style style,
		const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* Give the whole last line a style. */
void top_style_line(struct top_sheet *sheet, enum top_style style);
void top_sheet_free(struct top_sheet *sheet);
/* A letter's colour; TOP_DIM for what is none. */
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
	size_t cursor[TOP_VIEWS]; /* of leases and queue: the row chosen */
	double chosen[TOP_VIEWS]; /* its job, to find it again; 0: none */
	size_t page;		  /* rows of the list that the screen has */
	size_t width;		  /* columns of the screen */
	double delay_sec;
	struct astra_query query; /* TOP with its filters */
	bool help;
	char *why; /* the paragraph shown instead of a view; NULL: none */
	char why_of[64];
	size_t text_scroll; /* of help and why */
	enum top_prompt prompt;
	char typed[TOP_PROMPT_MAX];
	struct astra_error error;   /* of the last refresh; "": none */
	struct astra_error message; /* of the last key; "": none */
	struct astra_job_ref ask;   /* for TOP_DO_WHY */
};

void top_state_init(struct top_state *state);
void top_state_destroy(struct top_state *state);

/* After new rows or another order: put cursor and scroll where they belong.
 * fresh: rows are new, so look for the job that was chosen. */
void top_state_settle(struct top_state *state, const struct top_model *model,
		      bool fresh);

/* ---- Drawing. ---- */

#define TOP_LEAST_COLUMNS 40
#define TOP_LEAST_ROWS 8

/* A screen of so many rows and columns. */
void top_draw(struct top_sheet *sheet, const struct top_model *model,
	      struct top_state *state, double now_sec, size_t rows,
	      size_t columns);
/* All of it, as long as it is. */
void top_draw_batch(struct top_sheet *sheet, const struct top_model *model,
		    const struct top_state *state, double now_sec,
		    size_t columns);

void top_draw_list(struct top_sheet *sheet, const struct top_model *model,
		   const struct top_state *state, enum top_view view,
		   double now_sec, size_t first, size_t rows);
void top_draw_overview(struct top_sheet *sheet, const struct top_model *model,
		       struct top_state *state, double now_sec, size_t rows);

/* ---- Keys. ---- */

/* A character, or one of these. */
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
	TOP_DO_WHY, /* of state->ask */
	TOP_DO_QUIT,
};

/* Change the state as a key demands; says what is left to do. */
enum top_action top_key(struct top_state *state, const struct top_model *model,
			int key);
const char *top_prompt_text(enum top_prompt prompt);

/* Returns 0, or -1 with err naming what is allowed. */
int top_parse_delay(const char *text, double *out, struct astra_error *err);

/* ---- Screen. ---- */

/* Whether there can be one. Returns 0, or -1 with err saying what it lacks. */
int top_screen_check(struct astra_error *err);
int top_screen_open(struct astra_error *err);
void top_screen_close(void);
void top_screen_size(size_t *rows, size_t *columns);
void top_screen_show(const struct top_sheet *sheet);
/* The next key that was typed, or TOP_KEY_NONE. */
int top_screen_key(void);

/* ---- Fetching. ---- */

struct top_fetch;

/* where: the plugin is; stolen. Returns NULL with err set. */
struct sfair_where;
struct top_fetch *top_fetch_start(struct sfair_where *where,
				  struct astra_error *err);
/* Readable when there is something to take. */
int top_fetch_fd(const struct top_fetch *fetch);
/* Ask as soon as the question before it is answered; a question that is still
 * waiting for its turn is forgotten. query: stolen. */
void top_fetch_ask(struct top_fetch *fetch, struct astra_query *query);
/* Take what came last. kind: of its request.
 * reply: set, or NULL with err saying why there is none.
 * Returns whether there was anything. */
bool top_fetch_take(struct top_fetch *fetch, enum astra_query_kind *kind,
		    json_t **reply, struct astra_error *err);
/* Does not wait for an answer that is under way. */
void top_fetch_stop(struct top_fetch *fetch);

/* ---- The command. ---- */

struct top_args {
	struct top_state state;
	bool batch;
	uint32_t count;	  /* 0: for ever */
	uint32_t width;	  /* of batch; 0: the terminal's, or 100 */
	const char *sort; /* of argv: needs the view */
};

int top_copy_query(const struct astra_query *from, struct astra_query *to);
int top_live(struct top_state *state, struct astra_error *err);
bool top_is_utf8(void);

#endif
