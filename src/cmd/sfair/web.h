/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sfair web: a page that is live, for many readers.
 *
 *	web_page.c, web_lists.c	a state becomes a page: pure
 *	web_state.c	a thread that asks the plugin, and what readers get
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

/* What a page is drawn from. */
struct web_view {
	const struct top_model *model; /* NULL: the plugin never answered */
	const struct page_data *past;  /* of the last day; NULL: none */
	const char *no_past;	       /* then why, for readers; "" */
	double silent_sec; /* since when it does not answer; 0: it does */
	double every_sec;  /* how often it is asked */
	bool idle;	   /* it manages no job */
};

/* Whether file has failed its owner finds out. */
void web_page(const struct web_view *view, FILE *file);

/* Its tables. (web_lists.c) */
void web_tenants(const struct web_view *view, FILE *file);
void web_leases(const struct web_view *view, FILE *file);
void web_queue(const struct web_view *view, FILE *file);

/* What they share. (web_page.c) The colour of a tenant, as in the charts of the
 * past; a tenant with its letter behind an open tag; a local time of day, with
 * its day where it is far from now, and in full where now is NAN; and how many
 * there are, where not all are shown. */
size_t web_look(const struct web_view *view, const char *pool,
		const char *tenant);
void web_put_tenant(const struct web_view *view, FILE *file, const char *tag,
		    const char *pool, const char *name, char letter);
void web_put_clock(FILE *file, double sec, double now_sec);
void web_put_rest(FILE *file, const char *what, size_t count, size_t most);

/* A document as readers get it; web_state.c makes them, all at a time. */
enum web_form { WEB_PAGE, WEB_JSON, WEB_FORMS };

struct web_body {
	struct astra_text text;
	struct web_documents *of;
};

struct web_document {
	struct web_body plain;
	struct web_body packed; /* by gzip; empty: not smaller */
};

struct web_documents {
	struct web_state *state; /* that they are given back to */
	uint64_t number;	 /* of these, from 1 on */
	bool answers;		 /* the plugin does */
	struct web_document forms[WEB_FORMS];
	int users; /* under the lock of struct web_state */
};

struct web_state;

/* Ask from now on, once in every_sec whoever reads; the first time before it
 * returns. where: stolen. Returns NULL with err set on failure. */
struct web_state *web_state_start(struct sfair_where *where, double every_sec,
				  bool verbose, struct astra_error *err);
/* Ask no more. NULL is taken. */
void web_state_stop(struct web_state *state);

/* What there is now: to be given back. NULL: out of memory. */
struct web_documents *web_state_get(struct web_state *state);
void web_state_put(struct web_documents *documents);

#endif
