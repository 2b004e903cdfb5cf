/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SFAIR_PAGE_ASK_H
#define SFAIR_PAGE_ASK_H

#include "src/cmd/sfair/page.h"
#include "src/proto/query.h"

/* Ask the plugin for all that a page is made of.
 * query: kind, window and filters; the rest is put into a copy.
 * replies: all NULL; to be released in any case.
 * Returns 0, or -1 with err set. */
int page_ask(const struct astra_query *query, bool verbose,
	     json_t *replies[PAGE_PARTS], struct astra_error *err);

/* The same from a file that has an array of replies; "-": standard input. */
int page_read(const char *path, json_t *replies[PAGE_PARTS],
	      struct astra_error *err);

#endif
