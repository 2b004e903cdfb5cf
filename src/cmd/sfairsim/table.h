/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of several runs, in all the ways it can be had. */
#ifndef ASTRA_SFAIRSIM_TABLE_H
#define ASTRA_SFAIRSIM_TABLE_H

#include "src/cmd/sfairsim/batch.h"
#include "src/common/text.h"
#include "src/sim/compare.h"

struct sfairsim_table {
	const char *what;  /* its rows are */
	const char *title; /* of the page */
	bool is_sweep;	   /* the rows are values of an option */
	/* Of lease terms, else NULL: the term of each row, ascending; and which
	 * of them is the best one. why: gets the reason in words. */
	const double *terms_sec;
	size_t (*recommend)(const struct astra_comparison *comparison,
			    struct astra_text *why);
};

/* Write the files that args name and, unless one of them is stdout, the table
 * to stdout. Returns 0, or -1 with err set; no file is there then. */
int sfairsim_table_write(const struct sfairsim_table *table,
			 const struct sfairsim_setup *setup,
			 const struct sfairsim_args *args,
			 const struct sfairsim_case *cases, size_t count,
			 struct astra_error *err);

#endif
