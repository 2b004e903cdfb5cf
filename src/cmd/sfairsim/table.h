/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the table of several runs, in all its forms. */
#ifndef ASTRA_SFAIRSIM_TABLE_H
#define ASTRA_SFAIRSIM_TABLE_H

#include "src/cmd/sfairsim/batch.h"
#include "src/common/text.h"
#include "src/sim/compare.h"

struct sfairsim_table {
	const char *what;  /* what its rows are */
	const char *title; /* of the page */
	bool is_sweep;	   /* the rows are values of one option */
	/* If the rows are lease terms: the term of each row, ascending, and a
	 * function that returns the recommended row. why: set to the reason.
	 * Otherwise both are NULL. */
	const double *terms_sec;
	size_t (*recommend)(const struct astra_comparison *comparison,
			    struct astra_text *why);
};

/* Writes the files that args name. Also writes the table to stdout, unless one
 * of the files is stdout. Returns 0, or -1 with err set; then no file is
 * written. */
int sfairsim_table_write(const struct sfairsim_table *table,
			 const struct sfairsim_setup *setup,
			 const struct sfairsim_args *args,
			 const struct sfairsim_case *cases, size_t count,
			 struct astra_error *err);

#endif
