/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A comparison as one self-contained page: inline SVG, a little CSS and
 * JavaScript, no network; light and dark as the reader has it, and on paper.
 */
#ifndef ASTRA_HTML_H
#define ASTRA_HTML_H

#include "src/sim/compare.h"

struct astra_page {
	const struct astra_comparison *comparison;
	const char *title;
	const char *command; /* that makes this page, for its foot */
	bool is_sweep;	     /* the cases are values of one option */
	/* Of lease terms, else NULL: of each case, ascending; and the one that
	 * is recommended. */
	const double *terms_sec;
	size_t recommended;
	const char *why; /* it is */
};

/* Returns 0; whether file has failed its owner finds out. */
int astra_html_write(const struct astra_page *page, FILE *file,
		     struct astra_error *err);

#endif
