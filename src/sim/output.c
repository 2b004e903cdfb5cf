/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sim/output.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "src/common/encode.h"

void astra_csv_text(struct astra_text *out, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		astra_text_add(out, text, strlen(text));
		return;
	}
	astra_text_add(out, "\"", 1);
	for (; *text; text++)
		astra_text_add(out, *text == '"' ? "\"\"" : text,
			       *text == '"' ? 2 : 1);
	astra_text_add(out, "\"", 1);
}

void astra_csv_number(struct astra_text *out, double value)
{
	if (isinf(value))
		astra_text_printf(out, value > 0 ? "inf" : "-inf");
	else if (!isnan(value))
		astra_encode_real(out, value);
}

/* Writes the collected line to the file, and empties the line. Returns 0, or -1
 * with err set. */
static int flush_line(FILE *file, struct astra_text *line,
		      struct astra_error *err)
{
	if (line->failed)
		return astra_error_nomem(err);
	if (line->size && fwrite(line->bytes, 1, line->size, file) < line->size)
		return astra_error_set(err, "cannot write: %s",
				       strerror(errno));
	line->size = 0;
	return 0;
}

static void csv_head(struct astra_text *line,
		     const struct astra_output_field *fields)
{
	for (const struct astra_output_field *f = fields; f->key; f++)
		astra_text_printf(line, "%s%s", f == fields ? "" : ",", f->key);
	astra_text_add(line, "\n", 1);
}

static void output_csv_row(struct astra_text *line,
			   const struct astra_output_field *fields,
			   const struct astra_sim_result *result, size_t row)
{
	for (const struct astra_output_field *f = fields; f->key; f++) {
		if (f != fields)
			astra_text_add(line, ",", 1);
		if (f->text)
			astra_csv_text(line, f->text(result, row));
		else
			astra_csv_number(line, f->number(result, row));
	}
	astra_text_add(line, "\n", 1);
}

int astra_output_csv(FILE *file, const struct astra_rows *rows,
		     const struct astra_sim_result *result,
		     struct astra_error *err)
{
	struct astra_text line = {0};
	size_t count = rows->count(result);
	int rc;

	csv_head(&line, rows->fields);
	rc = flush_line(file, &line, err);
	for (size_t i = 0; !rc && i < count; i++) {
		output_csv_row(&line, rows->fields, result, i);
		rc = flush_line(file, &line, err);
	}
	astra_text_clear(&line);
	return rc;
}

static void output_json_row(struct astra_text *line,
			    const struct astra_output_field *fields,
			    const struct astra_sim_result *result, size_t row)
{
	for (const struct astra_output_field *f = fields; f->key; f++) {
		astra_text_printf(line, "%s\"%s\": ", f == fields ? "{" : ", ",
				  f->key);
		if (f->text)
			astra_encode_text(line, f->text(result, row));
		else
			astra_encode_real(line, f->number(result, row));
	}
	astra_text_add(line, "}", 1);
}

static int json_rows(FILE *file, struct astra_text *line,
		     const struct astra_rows *rows,
		     const struct astra_sim_result *result,
		     struct astra_error *err)
{
	size_t count = rows->count(result);
	int rc = 0;

	astra_text_printf(line, ",\n \"%s\": [", rows->key);
	for (size_t i = 0; !rc && i < count; i++) {
		astra_text_printf(line, "%s\n  ", i ? "," : "");
		output_json_row(line, rows->fields, result, i);
		rc = flush_line(file, line, err);
	}
	astra_text_printf(line, "%s]", count ? "\n " : "");
	return rc;
}

static void json_real(struct astra_text *line, const char *key, double value)
{
	astra_text_printf(line, ",\n \"%s\": ", key);
	astra_encode_real(line, value);
}

static void json_head(struct astra_text *line,
		      const struct astra_sim_result *result,
		      const struct astra_metrics *metrics)
{
	astra_text_printf(line, "{\n \"trace\": ");
	astra_encode_text(line, result->trace->source);
	astra_text_printf(line, ",\n \"policy\": ");
	astra_encode_text(line, result->scheduler->name);
	json_real(line, "gpus", (double)result->gpus);
	json_real(line, "end_sec", result->end_sec);
	json_real(line, "interval_sec", result->interval_sec);
	json_real(line, "rounds", (double)result->rounds);
	json_real(line, "events", (double)result->events);
	astra_text_printf(line, ",\n \"metrics\": {");
	for (const struct astra_metric *m = astra_metric_table; m->key; m++) {
		astra_text_printf(line, "%s\n  \"%s\": ",
				  m == astra_metric_table ? "" : ",", m->key);
		astra_encode_real(line, astra_metric_value(metrics, m));
	}
	astra_text_printf(line, "\n }");
}

int astra_output_json(FILE *file, const struct astra_sim_result *result,
		      const struct astra_metrics *metrics,
		      struct astra_error *err)
{
	struct astra_text line = {0};
	int rc = 0;

	json_head(&line, result, metrics);
	for (const struct astra_rows *t = astra_rows_table; !rc && t->key; t++)
		rc = json_rows(file, &line, t, result, err);
	astra_text_printf(&line, "\n}\n");
	if (!rc)
		rc = flush_line(file, &line, err);
	astra_text_clear(&line);
	return rc;
}
