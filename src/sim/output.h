/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A result as CSV, as JSON and for people. Numbers have up to 15 significant
 * digits; what is not known is empty in CSV and null in JSON. */
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

/* One of jobs, tenants, intervals (a row for each tenant in each), runs, sizes
 * (of jobs); ended by one whose key is NULL. (output_fields.c) */
struct astra_rows {
	const char *key;
	const struct astra_output_field *fields; /* ended by a NULL key */
	size_t (*count)(const struct astra_sim_result *result);
};
extern const struct astra_rows astra_rows_table[];

/* By key; NULL: there is none. */
const struct astra_rows *astra_rows_find(const char *key);

/* A cell of a CSV file (RFC 4180), quoted where need be. */
void astra_csv_text(struct astra_text *out, const char *text);
void astra_csv_number(struct astra_text *out, double value);

/* Each writes one file's contents. Returns 0, or -1 with err set when memory is
 * out or file has failed. */
int astra_output_csv(FILE *file, const struct astra_rows *rows,
		     const struct astra_sim_result *result,
		     struct astra_error *err);
int astra_output_json(FILE *file, const struct astra_sim_result *result,
		      const struct astra_metrics *metrics,
		      struct astra_error *err);

/* What a person wants to know of one run, without steering the terminal by
 * hostile names. (output_summary.c) */
int astra_output_summary(FILE *file, const struct astra_sim_result *result,
			 const struct astra_metrics *metrics,
			 struct astra_error *err);

#endif
