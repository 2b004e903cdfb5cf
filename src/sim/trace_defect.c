/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was wrong with a trace's lines, counted and put into words. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/sim/trace.h"

static const struct kind {
	const char *what; /* became of the line */
	const char *reason;
	bool broken; /* the file is not what it should be */
} kinds[] = {
	[ASTRA_DEFECT_TEXT] = {"left out", "no line of UTF-8 text", true},
	[ASTRA_DEFECT_FIELDS] = {"left out", "wrong number of fields", true},
	[ASTRA_DEFECT_VALUE] = {"left out",
				"value missing, no number or out of range",
				true},
	[ASTRA_DEFECT_DURATION] = {"left out", "duration missing or negative",
				   true},
	[ASTRA_DEFECT_INSTANT] = {"left out", "ran for no time", false},
	[ASTRA_DEFECT_UNFINISHED] = {"left out", "had not ended", false},
	[ASTRA_DEFECT_NO_GPU] = {"left out", "no GPU asked for", false},
	[ASTRA_DEFECT_PART] = {"kept", "part of a GPU counted as a whole one",
			       false},
	[ASTRA_DEFECT_UNSORTED] = {"kept", "submitted before the line above",
				   true},
	[ASTRA_DEFECT_CLUSTER] = {"left out", "larger than the cluster", false},
	[ASTRA_DEFECT_QUOTA] = {"kept", "larger than its tenant's quota",
				false},
};

_Static_assert(sizeof(kinds) / sizeof(*kinds) == ASTRA_DEFECT_COUNT,
	       "a row for each");

void astra_trace_defect(struct astra_trace *trace, enum astra_defect kind,
			uint32_t line, const char *value)
{
	struct astra_defect_count *count = &trace->defects[kind];
	size_t length = 0;

	if (count->lines++)
		return;
	count->first_line = line;
	for (; *value && length + 1 < sizeof(count->value); value++) {
		unsigned char c = (unsigned char)*value;

		count->value[length++] = c < ' ' || c > '~' ? '?' : (char)c;
	}
	count->value[length] = '\0';
}

static void print_count(FILE *out, const struct astra_trace *trace,
			const struct astra_defect_count *count,
			const struct kind *kind)
{
	fprintf(out, "%s: %ju %s%s %s: %s (", trace->source,
		(uintmax_t)count->lines, count->first_line ? "line" : "job",
		count->lines == 1 ? "" : "s", kind->what, kind->reason);
	if (count->lines > 1)
		fputs("first: ", out);
	if (count->first_line)
		fprintf(out, "line %u: ", count->first_line);
	fprintf(out, "%s)\n", count->value);
}

char *astra_trace_defects_text(const struct astra_trace *trace)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (int i = 0; i < ASTRA_DEFECT_COUNT; i++)
		if (trace->defects[i].lines)
			print_count(out, trace, &trace->defects[i], &kinds[i]);
	if (fclose(out) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

int astra_trace_check(const struct astra_trace *trace, struct astra_error *err)
{
	const struct astra_defect_count *worst = NULL;
	const char *reason = "";

	for (int i = 0; i < ASTRA_DEFECT_COUNT; i++) {
		const struct astra_defect_count *count = &trace->defects[i];

		if (!kinds[i].broken || !count->lines ||
		    (worst && worst->first_line <= count->first_line))
			continue;
		worst = count;
		reason = kinds[i].reason;
	}
	if (!worst)
		return 0;
	return astra_error_set(err, "%s: line %u: %s: %s", trace->source,
			       worst->first_line, reason, worst->value);
}
