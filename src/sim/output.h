/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes a result as CSV, as JSON, or for people. Numbers have up to 15
 * significant digits; an unknown value is empty in CSV and null in JSON. */
#ifndef ASTRA_OUTPUT_H
#define ASTRA_OUTPUT_H

#include <stdio.h>

#include "src/common/text.h"
#include "src/sim/metrics.h"

/* A column has either a text or a number. */
struct astra_output_field {
	const char *key;
	const char *(*text)(const struct astra_sim_result *result, size_t row);
	double (*number)(const struct astra_sim_result *result, size_t row);
};

/* A table: jobs, tenants, intervals (one row for each tenant in each interval),
 * runs, or sizes of jobs. The list of tables ends with a NULL key.
 * (output_fields.c) */
struct astra_rows {
	const char *key;
	const struct astra_output_field *fields; /* ends with a NULL key */
	size_t (*count)(const struct astra_sim_result *result);
};
extern const struct astra_rows astra_rows_table[];

/* Returns the table of this key, or NULL. */
const struct astra_rows *astra_rows_find(const char *key);

/* Append a cell of a CSV file (RFC 4180), quoted if needed. */
void astra_csv_text(struct astra_text *out, const char *text);
void astra_csv_number(struct astra_text *out, double value);

/* Write a table, or all tables, to a file. Return 0, or -1 with err set if out
 * of memory or if writing failed. */
int astra_output_csv(FILE *file, const struct astra_rows *rows,
		     const struct astra_sim_result *result,
		     struct astra_error *err);
int astra_output_json(FILE *file, const struct astra_sim_result *result,
		      const struct astra_metrics *metrics,
		      struct astra_error *err);

/* Writes the summary of a run, for people. Control characters in names are
 * replaced. (output_summary.c) */
int astra_output_summary(FILE *file, const struct astra_sim_result *result,
			 const struct astra_metrics *metrics,
			 struct astra_error *err);

#endif
