/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sfair web: a live page for many readers.
 *
 *	web_page.c, web_lists.c	make a page of a state: pure
 *	web_state.c	a thread that asks the plugin; the documents
 *	web.c		the command; answers over HTTP
 */
#ifndef SFAIR_WEB_H
#define SFAIR_WEB_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "src/cmd/sfair/page.h"
#include "src/cmd/sfair/sfair.h"
#include "src/cmd/sfair/top.h"
#include "src/common/text.h"

/* The data that a page shows. */
struct web_view {
	const struct top_model *model; /* NULL: the plugin never answered */
	const struct page_data *past;  /* the last day, for charts; NULL: not
					* known */
	const char *no_past;	       /* why `past` is NULL, in words for
					* readers; or "" */
	double silent_sec; /* since when the plugin has been silent; 0: it
			    * answers */
	double every_sec;  /* how often the plugin is asked */
	bool idle;	   /* the plugin manages no job */
};

/* Writes the page. The caller checks `file` for errors. */
void web_page(const struct web_view *view, FILE *file);

/* Write its tables. (web_lists.c) */
void web_tenants(const struct web_view *view, FILE *file);
void web_leases(const struct web_view *view, FILE *file);
void web_queue(const struct web_view *view, FILE *file);

/* Shared by the tables. (web_page.c)
 *
 * web_look() returns a tenant's colour, the same as in the charts of the past.
 *
 * web_put_tenant() writes a tenant with its letter, behind an open tag.
 *
 * web_put_clock() writes a local time of day: with its day if it is far from
 * now, in full if now is NAN.
 *
 * web_put_rest() writes how many rows there are, if not all are shown. */
size_t web_look(const struct web_view *view, const char *pool,
		const char *tenant);
void web_put_tenant(const struct web_view *view, FILE *file, const char *tag,
		    const char *pool, const char *name, char letter);
void web_put_clock(FILE *file, double sec, double now_sec);
void web_put_rest(FILE *file, const char *what, size_t count, size_t most);

/* The forms of a document. web_state.c makes all of them at the same time. */
enum web_form { WEB_PAGE, WEB_JSON, WEB_FORMS };

struct web_body {
	struct astra_text text;
	struct web_documents *of;
};

struct web_document {
	struct web_body plain;
	struct web_body packed; /* compressed with gzip; empty if that is not
				 * smaller */
};

struct web_documents {
	struct web_state *state; /* where they are given back */
	uint64_t number;	 /* counts documents, from 1 on */
	bool answers;		 /* the plugin answered */
	struct web_document forms[WEB_FORMS];
	int users; /* count of users; under the lock of struct web_state */
};

struct web_state;

/* Starts asking every every_sec seconds, even if there are no readers. Asks for
 * the first time before it returns. where: stolen. Returns NULL with err set on
 * failure. */
struct web_state *web_state_start(struct sfair_where *where, double every_sec,
				  bool verbose, struct astra_error *err);
/* Stops asking. Accepts NULL. */
void web_state_stop(struct web_state *state);

/* Returns the newest documents; give them back with web_state_put(). NULL: out
 * of memory. */
struct web_documents *web_state_get(struct web_state *state);
void web_state_put(struct web_documents *documents);

#endif
