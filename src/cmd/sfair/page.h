/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page of sfair report: what the plugin's history says of a window, and its
 * drawing. Times are seconds from 1970, GPU time is in GPU seconds; what is not
 * known or hidden is NAN, or "". */
#ifndef SFAIR_PAGE_H
#define SFAIR_PAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "src/common/member_read.h"
#include "src/html/html.h"

#define PAGE_OTHERS 7	   /* tenants before that have a look of their own */
#define PAGE_SLOTS_MAX 200 /* points of a chart over time */
#define PAGE_ROWS_MAX 500  /* of the table of jobs, of users */

/* The reports a page is made of. */
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

/* Its name in a request. */
const char *page_part_name(enum page_part part);

struct page_cell {
	double used_sec, alloc_sec, fair_sec;
};

/* A reply's head or one of its rows. */
struct page_row {
	const char *cluster, *pool, *tenant, *account, *user;
	const char *id_text, *name, *state, *nodes, *how;
	double time_sec, step_sec, span_sec; /* step: NAN: as its reply's */
	double submit_sec, start_sec, end_sec, wait_sec, run_sec, lost_sec;
	double job, number, gpus, leases, revoked, slowdown, weight, rho;
	double alloc_gpu_sec, fair_gpu_sec, lack_gpu_sec, demand_gpu_sec;
	double used_gpu_sec, total_gpu_sec, down_gpu_sec, wanted_gpu_sec;
	double lost_gpu_sec;
	bool more;		/* there was more than a reply has */
	struct page_tenant *of; /* of a job or a lease; NULL: not known */
};

struct page_tenant {
	const char *pool, *name;
	struct page_row row; /* of PAGE_TENANTS */
	double used_sec;
	double before_sec,
		before_rho; /* alloc_gpu_sec and rho of the time before */
	size_t look;	    /* up to PAGE_OTHERS */
	size_t jobs;
	struct page_cell *cells; /* one a slot; NULL: never any */
};

/* GPU seconds of the time before the window, all pools together. */
struct page_before {
	double start_sec, end_sec; /* 0: there is none */
	double total_sec, used_sec, wanted_sec, fair_sec, lack_sec;
};

/* All tenants of a slot together. */
struct page_slot {
	double fair_sec, lack_sec;
};

struct page_data {
	const char *cluster;
	double now_sec, start_sec, end_sec; /* of the window */
	double known_sec; /* in it, from when on charts over time are drawn */
	double slot_sec;
	size_t slot_count;
	struct page_slot *slots;
	/* Of the window: GPU seconds, all pools together. */
	double total_sec, used_sec, down_sec, wanted_sec, lost_sec;
	double gpus; /* in the mean */
	size_t pool_count;
	struct page_before before;

	struct page_tenant **tenants; /* most used first */
	size_t tenant_count, tenant_room;
	size_t tenant_last; /* found, of use while they are read */
	struct page_row *users;
	size_t user_count;
	struct page_row *jobs; /* by number */
	size_t job_count;
	struct page_row *leases; /* by job, then by begin */
	size_t lease_count;

	json_t *replies[PAGE_PARTS]; /* the texts are theirs */
	struct page_row heads[PAGE_PARTS];
	struct astra_error wrong; /* the first value that is none; "" */
};

/* page_data.c: take replies apart.
 * replies: one of each part, NULL where there is none; taken in any case.
 * data: zeroed; clear it in any case. What is wrong with a row is not known,
 * and data->wrong says so. Returns 0, or -1 with err set. */
int page_data_load(struct page_data *data, json_t *replies[PAGE_PARTS],
		   struct astra_error *err);
void page_data_clear(struct page_data *data);

/* page_before.c: returns when the time before a window begins, which ends with
 * the window's begin. Before whole calendar months these are as many months,
 * before whole days as many days, else as many seconds. */
double page_before_start(double start_sec, double end_sec);

/* Whether the time before a window needs this part. */
bool page_before_needs(enum page_part part);

/* Adds the time before to data, which is loaded. A tenant that the window does
 * not have is left out. Nothing is added if the history knew no GPU then.
 * replies: of the parts that page_before_needs(), NULL if there is none; not
 * taken. Returns 0, or -1 with err set. */
int page_before_load(struct page_data *data, json_t *const replies[PAGE_PARTS],
		     struct astra_error *err);

/* page_data.c: returns the rows of a reply to a part, for free(), or NULL when
 * out of memory. wrong: set if a value is none. */
struct page_row *page_rows(const json_t *reply, enum page_part part,
			   size_t *count, struct astra_error *wrong);

/* When a slot begins; of slot_count: when the window ends. */
double page_slot_at(const struct page_data *data, size_t slot);

/* The mean number of GPUs that a look had in a slot. */
double page_gpus(const struct page_data *data, size_t look, size_t slot);

/* How many looks there are, the others' counted. */
size_t page_looks(const struct page_data *data);

/* page.c: the whole page. command: that makes it, for its foot.
 * Whether file has failed its owner finds out. Returns 0, or -1 when memory is
 * out. */
int page_write(const struct page_data *data, const char *command, FILE *file);

/* page.c: what a page begins with, up to its heading, and the script at its
 * end. live: of one that is renewed: its own rules, and the hashes of its own
 * scripts; NULL: it is not. */
struct page_live {
	const char *style, *scripts;
};

void page_head(const char *title, const struct page_live *live, FILE *file);
void page_script(FILE *file);

/* page_ask.c: ask for a part of the window of a query; verbose: say whom.
 * query: kind, window and filters; the rest is put into a copy.
 * reply: NULL before. Returns 0, or -1 with err set; reply is to be released
 * either way. */
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
/* The same for sums of the window: as coarse as one reply is. */
int page_ask_sums(const struct page_asked *whom,
		  const struct astra_query *query, enum page_part part,
		  json_t **reply, struct astra_error *err);

/* Its parts, one file each. */
void page_usage(const struct page_data *data, FILE *file);
void page_fairness(const struct page_data *data, FILE *file);
int page_waits(const struct page_data *data, FILE *file);
int page_gantt(const struct page_data *data, FILE *file);
int page_tables(const struct page_data *data, FILE *file);

/* page_tables.c: a table that a click on a heading sorts; title: one word, the
 * id of its section, too: its headings, ended by a NULL title, each with what
 * it means and whether its cells are texts; its cells; its end, and that of
 * what it scrolls in. */
struct page_heading {
	const char *title, *help;
	bool text;
};

void page_filter(
	FILE *file); /* the field by which a reader filters their rows */
void page_table_begin(FILE *file, const char *title,
		      const struct page_heading *heads);
void page_table_end(FILE *file);
void page_cell_text(FILE *file, const char *text);
void page_cell_fixed(FILE *file, double value, int digits);
void page_cell_span(FILE *file, double sec);

/* page_text.c: the length of the array's number in "20_4"; 0: it is no task. */
size_t page_array_of(const char *id_text);

/* page_text.c: a name, cut to so many characters, of which those are two that
 * take more than two bytes, for they are wide. */
void page_name(FILE *file, const char *name, size_t most);
/* A tenant's, with its pool's where there are several. */
void page_tenant_name(const struct page_data *data,
		      const struct page_tenant *tenant, size_t most,
		      FILE *file);
void page_look_name(const struct page_data *data, size_t look, FILE *file);
/* The tenant of a look; NULL: the others. */
const struct page_tenant *page_look_tenant(const struct page_data *data,
					   size_t look);
void page_gpu_hours(FILE *file, double gpu_sec);
void page_span(FILE *file, double sec);
void page_time(FILE *file, double sec);
void page_fixed(FILE *file, double value, int digits);
void page_percent(FILE *file, double share);
/* What each look means; kind: of the mark in it, "area" or "curve". */
void page_keys(const struct page_data *data, const char *kind, FILE *file);
/* A table that is shown on request, behind a chart: its begin up to the body.
 */
void page_details_begin(FILE *file, const char *title);
void page_details_end(FILE *file);

/* page_text.c: an axis of local time. */
struct page_axis {
	double ticks[HTML_TICKS_MAX];
	char texts[HTML_TICKS_MAX][24];
	const char *list[HTML_TICKS_MAX];
};

/* axis: holds what the returned one points to. */
struct html_axis page_time_axis(const struct page_data *data,
				struct page_axis *axis, double begin_px,
				double end_px);

#endif
