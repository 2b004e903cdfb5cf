/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sim/trace_weights.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "src/common/grow.h"
#include "src/model/model.h"
#include "src/sim/field.h"
#include "src/sim/lines.h"

#define FIELDS 64
#define WEIGHT_MAX 1e9

struct sum {
	double weight;
	uint32_t lines;
};

struct reader {
	struct astra_trace *trace;
	struct astra_lines lines;
	struct sum *sums; /* by tenant */
	size_t room;
	size_t tenant, weight, count; /* column indices and count */
};

static int trace_weights_complain(const struct reader *reader, const char *what,
				  const char *value, struct astra_error *err)
{
	return astra_error_set(err, "%s: line %u: %s: %s", reader->lines.name,
			       reader->lines.number, what, value);
}

static int read_header(struct reader *reader, char *line,
		       struct astra_error *err)
{
	char *fields[FIELDS];

	reader->tenant = reader->weight = FIELDS;
	reader->count = astra_field_split(line, ',', true, fields, FIELDS);
	for (size_t i = 0; i < reader->count && i < FIELDS; i++) {
		if (!strcasecmp(fields[i], "tenant"))
			reader->tenant = i;
		else if (!strcasecmp(fields[i], "weight") ||
			 !strcasecmp(fields[i], "gpus"))
			reader->weight = i;
	}
	if (reader->count <= FIELDS && reader->tenant < FIELDS &&
	    reader->weight < FIELDS)
		return 0;
	return astra_error_set(err,
			       "%s: line %u has no columns tenant and weight "
			       "(or gpus)",
			       reader->lines.name, reader->lines.number);
}

static int trace_weights_read_row(struct reader *reader, char *line,
				  struct astra_error *err)
{
	char *fields[FIELDS];
	uint32_t tenant;
	double weight;

	if (astra_field_split(line, ',', true, fields, FIELDS) != reader->count)
		return trace_weights_complain(reader, "wrong number of fields",
					      line, err);
	if (!*fields[reader->tenant])
		return trace_weights_complain(reader, "no tenant", line, err);
	if (astra_field_number(fields[reader->weight], &weight) !=
		    ASTRA_FIELD_OK ||
	    weight < 0 || weight > WEIGHT_MAX)
		return trace_weights_complain(reader, "no weight from 0 to 1e9",
					      fields[reader->weight], err);
	tenant = astra_trace_tenant(reader->trace, fields[reader->tenant]);
	if (tenant == ASTRA_NONE ||
	    astra_grow(&reader->sums, &reader->room, (size_t)tenant + 1,
		       sizeof(*reader->sums)) < 0)
		return astra_error_nomem(err);
	reader->sums[tenant].weight += weight;
	reader->sums[tenant].lines++;
	return 0;
}

static int read_lines(struct reader *reader, struct astra_error *err)
{
	bool text, header = true;
	char *line;
	int rc;

	while ((rc = astra_lines_next(&reader->lines, &line, &text, err)) > 0) {
		if (!text)
			return trace_weights_complain(
				reader, "no line of UTF-8 text", line, err);
		if (!line[strspn(line, " \t")])
			continue;
		rc = header ? read_header(reader, line, err)
			    : trace_weights_read_row(reader, line, err);
		if (rc < 0)
			return -1;
		header = false;
	}
	if (!rc && header)
		return astra_error_set(err, "%s is empty", reader->lines.name);
	return rc;
}

/* Gives each tenant the mean of its lines or, if add, their sum. Returns 0, or
 * -1 with err naming tenants that the file does not have. */
static int take_weights(const struct reader *reader, bool add,
			struct astra_error *err)
{
	struct astra_trace *trace = reader->trace;
	double sum = 0;
	size_t unknown = 0;

	for (size_t i = 0; i < trace->tenant_count; i++) {
		if (i < reader->room && reader->sums[i].lines) {
			trace->tenants[i].weight =
				reader->sums[i].weight /
				(add ? 1 : reader->sums[i].lines);
			sum += trace->tenants[i].weight;
			continue;
		}
		if (!unknown++)
			astra_error_set(err, "%s has no weight of tenant %s",
					reader->lines.name,
					trace->tenants[i].name);
		else
			astra_error_add(err, "of %s", trace->tenants[i].name);
	}
	if (unknown)
		return -1;
	if (sum > 0)
		return 0;
	return astra_error_set(err, "%s: all weights are 0",
			       reader->lines.name);
}

int astra_trace_read_weights(struct astra_trace *trace, const char *path,
			     bool add, struct astra_error *err)
{
	struct reader reader = {.trace = trace};
	int rc;

	if (astra_lines_open(&reader.lines, path, err) < 0)
		return -1;
	rc = read_lines(&reader, err);
	if (!rc)
		rc = take_weights(&reader, add, err);
	astra_lines_close(&reader.lines);
	free(reader.sums);
	return rc;
}
