/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes a comparison as one self-contained page: inline SVG, a little CSS and
 * JavaScript, no network. The page has a light, a dark and a print style. */
#ifndef ASTRA_HTML_H
#define ASTRA_HTML_H

#include "src/sim/compare.h"

struct astra_page {
	const struct astra_comparison *comparison;
	const char *title;
	const char *command; /* command that makes this page, for its foot */
	bool is_sweep;	     /* the cases are values of one option */
	/* For a comparison of lease terms: the term of each case, ascending,
	 * and the index of the recommended term. For others, terms_sec is
	 * NULL. */
	const double *terms_sec;
	size_t recommended;
	const char *why; /* why that one */
};

/* Writes the page. Returns 0, or -1 with err set if out of memory. The owner of
 * file checks it for write errors. */
int astra_html_write(const struct astra_page *page, FILE *file,
		     struct astra_error *err);

#endif
