/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page of sfair report: a window of the plugin's history, and how it is
 * drawn. Times are seconds since 1970; GPU time is in GPU seconds. Unknown or
 * hidden values are NAN, or "". */
#ifndef SFAIR_PAGE_H
#define SFAIR_PAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "src/common/member_read.h"
#include "src/html/html.h"

#define PAGE_OTHERS 7	   /* most tenants with a look of their own */
#define PAGE_SLOTS_MAX 200 /* most points of a chart over time */
#define PAGE_ROWS_MAX 500  /* most rows in the tables of jobs and of users */

/* The reports that make up a page. */
enum page_part {
	PAGE_UTILIZATION,
	PAGE_LOSS,
	PAGE_TENANTS,
	PAGE_TIMELINE,
	PAGE_USERS,
	PAGE_FAIRNESS,
	PAGE_SLOWDOWN,
	PAGE_LEASES,
	PAGE_PARTS
};

/* Returns the part's name in a request. */
const char *page_part_name(enum page_part part);

struct page_cell {
	double used_sec, alloc_sec, fair_sec;
};

/* The head of a reply, or one of its rows. */
struct page_row {
	const char *cluster, *pool, *tenant, *account, *user;
	const char *id_text, *name, *state, *nodes, *how;
	double time_sec, step_sec, span_sec; /* step: NAN: as its reply's */
	double submit_sec, start_sec, end_sec, wait_sec, run_sec, lost_sec;
	double job, number, gpus, leases, revoked, slowdown, weight, rho;
	double alloc_gpu_sec, fair_gpu_sec, lack_gpu_sec, demand_gpu_sec;
	double used_gpu_sec, total_gpu_sec, down_gpu_sec, wanted_gpu_sec;
	double lost_gpu_sec;
	bool more;		/* the reply was cut */
	struct page_tenant *of; /* tenant of a job or lease; NULL: not known */
};

struct page_tenant {
	const char *pool, *name;
	struct page_row row; /* of PAGE_TENANTS */
	double used_sec;
	double before_sec, before_rho; /* in the time before the window; NAN:
					* unknown */
	size_t look; /* index of its look; PAGE_OTHERS: the one shared by all
		      * other tenants */
	size_t jobs;
	struct page_cell *cells; /* one for each slot; NULL: the tenant never
				  * used GPUs */
};

/* GPU seconds of the time before the window, over all pools. */
struct page_before {
	double start_sec, end_sec; /* 0: there is none */
	double known_sec;	   /* how much of that time the history has */
	double total_sec, used_sec, wanted_sec, fair_sec, lack_sec;
};

/* The sums over all tenants in a slot. */
struct page_slot {
	double fair_sec, lack_sec;
};

struct page_data {
	const char *cluster;
	double now_sec, start_sec, end_sec; /* of the window */
	double known_sec; /* charts begin at this time of the window */
	double slot_sec;
	size_t slot_count;
	struct page_slot *slots;
	/* Sums over the window and all pools, in GPU seconds. */
	double total_sec, used_sec, down_sec, wanted_sec, lost_sec;
	double gpus; /* mean number */
	size_t pool_count;
	struct page_before before;

	struct page_tenant **tenants; /* most used first */
	size_t tenant_count, tenant_room;
	size_t tenant_last; /* index of the tenant found last; used while rows
			     * are read */
	struct page_row *users;
	size_t user_count;
	struct page_row *jobs; /* sorted by id */
	size_t job_count;
	struct page_row *leases; /* sorted by job, then by start */
	size_t lease_count;

	const json_t *accounts;	     /* borrowed: sacctmgr's tree, an array of
				      * objects {account, parent}; NULL: not known */
	json_t *replies[PAGE_PARTS]; /* the texts point into these */
	struct page_row heads[PAGE_PARTS];
	struct astra_error wrong; /* names the first invalid value; "": there is
				   * none */
};

/* page_data.c: reads replies. replies: one for each part, NULL if there is
 * none; taken in any case. data: zeroed; clear it in any case. An invalid value
 * in a row counts as unknown, and data->wrong names it. Returns 0, or -1 with
 * err set. */
int page_data_load(struct page_data *data, json_t *replies[PAGE_PARTS],
		   struct astra_error *err);
void page_data_clear(struct page_data *data);

/* page_before.c: returns the start of the time before a window; that time ends
 * where the window starts. For a window of whole calendar months, it is as many
 * months; for whole days, as many days; else as many seconds. */
double page_before_start(double start_sec, double end_sec);

/* page.c: whether the local time of day is 0:00:00. */
bool page_at_midnight(double sec);

/* Whether this part is needed for the time before a window. */
bool page_before_needs(enum page_part part);

/* Adds the time before the window to data, which is loaded. Leaves out tenants
 * that the window does not have. Adds nothing if the history had no GPUs at
 * that time. replies: the parts that page_before_needs(), NULL if there is
 * none; not taken. Returns 0, or -1 with err set. */
int page_before_load(struct page_data *data, json_t *const replies[PAGE_PARTS],
		     struct astra_error *err);

/* page_data.c: returns the rows of a reply to a part, for free(), or NULL when
 * out of memory. wrong: set to the first invalid value. */
struct page_row *page_rows(const json_t *reply, enum page_part part,
			   size_t *count, struct astra_error *wrong);

/* Returns when a slot begins. For slot_count, returns when the window ends. */
double page_slot_at(const struct page_data *data, size_t slot);

/* Returns the mean number of GPUs that the tenants of a look had in a slot. */
double page_gpus(const struct page_data *data, size_t look, size_t slot);

/* Returns the number of looks, including the one of the other tenants. */
size_t page_looks(const struct page_data *data);

/* page.c: writes the whole page. command: the command that makes the page, for
 * its foot. The caller checks `file` for errors. Returns 0, or -1 when out of
 * memory. */
int page_write(const struct page_data *data, const char *command, FILE *file);

/* page.c: write the beginning of a page, up to its heading, and the script at
 * its end. live: for a page that reloads itself, its own style and the hashes
 * of its own scripts; NULL for any other page. */
struct page_live {
	const char *style, *scripts;
};

void page_head(const char *title, const struct page_live *live, FILE *file);
void page_script(FILE *file);

/* page_ask.c: asks for a part of the window of a query. query: its kind, window
 * and filters are used, in a copy. verbose: prints the requests. reply: must be
 * NULL. Returns 0, or -1 with err set; release reply in both cases. */
struct astra_query;
struct sfair_where;
struct page_asked {
	struct sfair_where *where;
	int wait_sec;
	bool verbose;
};

int page_ask_part(const struct page_asked *whom,
		  const struct astra_query *query, enum page_part part,
		  json_t **reply, struct astra_error *err);
/* Asks like page_ask_part(), but for sums over the window: as few rows as fit
 * one reply. */
int page_ask_sums(const struct page_asked *whom,
		  const struct astra_query *query, enum page_part part,
		  json_t **reply, struct astra_error *err);

/* Write the parts of a page. Each is in a file of its own. */
void page_usage(const struct page_data *data, FILE *file);
void page_fairness(const struct page_data *data, FILE *file);
int page_waits(const struct page_data *data, FILE *file);
int page_gantt(const struct page_data *data, FILE *file);
int page_tables(const struct page_data *data, FILE *file);
/* Writes nothing if no account is below another account. */
int page_tree(const struct page_data *data, FILE *file);

/* page_tables.c: write a table; a click on a heading sorts it. title: one word,
 * also the id of its section. heads: end with a NULL title; each has its
 * meaning and whether its cells are texts. page_table_end() also ends the box
 * in which the table scrolls. */
struct page_heading {
	const char *title, *help;
	bool text;
};

void page_filter(
	FILE *file); /* writes the field for filtering the tables' rows */
void page_table_begin(FILE *file, const char *title,
		      const struct page_heading *heads);
void page_table_end(FILE *file);
void page_cell_text(FILE *file, const char *text);
void page_cell_fixed(FILE *file, double value, int digits);
void page_cell_hours(FILE *file, double gpu_sec);
void page_cell_span(FILE *file, double sec);

/* page_text.c: returns the length of the array's id in a task's id such as
 * "20_4"; 0 if id_text is not a task's. */
size_t page_array_of(const char *id_text);

/* page_text.c: writes a name, cut to `most` characters. Characters of three or
 * more bytes are wide and count as two. */
void page_name(FILE *file, const char *name, size_t most);
/* Writes a tenant's name. If there are several pools, adds the pool's name. */
void page_tenant_name(const struct page_data *data,
		      const struct page_tenant *tenant, size_t most,
		      FILE *file);
void page_look_name(const struct page_data *data, size_t look, FILE *file);
/* Returns the tenant that has a look; NULL for the look of the other
 * tenants. */
const struct page_tenant *page_look_tenant(const struct page_data *data,
					   size_t look);
void page_gpu_hours(FILE *file, double gpu_sec);
void page_span(FILE *file, double sec);
void page_time(FILE *file, double sec);
void page_fixed(FILE *file, double value, int digits);
void page_percent(FILE *file, double share);
/* Writes the legend of the looks. kind: how it shows them, "area" or
 * "curve". */
void page_keys(const struct page_data *data, const char *kind, FILE *file);
/* Begins a table for a chart, hidden until the reader opens it. Writes up to
 * the table's body. */
void page_details_begin(FILE *file, const char *title);
void page_details_end(FILE *file);

/* page_text.c: an axis of local time. */
struct page_axis {
	double ticks[HTML_TICKS_MAX];
	char texts[HTML_TICKS_MAX][24];
	const char *list[HTML_TICKS_MAX];
};

/* Makes the axis. axis: storage for the data that the returned axis points
 * to. */
struct html_axis page_time_axis(const struct page_data *data,
				struct page_axis *axis, double begin_px,
				double end_px);

#endif
