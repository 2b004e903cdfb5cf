/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sim/compare.h"

#include <math.h>
#include <stdlib.h>

#include "src/common/encode.h"
#include "src/common/number.h"
#include "src/sim/output.h"

/* Tables of first waits by the size of jobs, for several runs side by side. */

static bool waits_known(const struct astra_comparison *c, size_t class)
{
	for (size_t i = 0; i < c->count; i++)
		if (c->cases[i].digest->waits[class].jobs > 0)
			return true;
	return false;
}

static void waits_head(const struct astra_comparison *c,
		       struct astra_grid *grid)
{
	char text[32], head[40];

	grid->columns = 1;
	astra_grid_add(grid, c->what);
	for (size_t k = 0; k < ASTRA_WAIT_SIZES; k++) {
		if (!waits_known(c, k))
			continue;
		astra_wait_size_text(&c->cases[0].digest->waits[k], text);
		snprintf(head, sizeof(head), "%s GPU%s", text, k ? "s" : "");
		astra_grid_add(grid, head);
		grid->columns++;
	}
}

static void waits_row(const struct astra_comparison *c, size_t index,
		      struct astra_grid *grid)
{
	const struct astra_compared *one = &c->cases[index];
	char text[64];

	astra_grid_add(grid, one->label);
	for (size_t k = 0; k < ASTRA_WAIT_SIZES; k++) {
		const struct astra_wait_size *s = &one->digest->waits[k];

		if (!waits_known(c, k))
			continue;
		snprintf(text, sizeof(text), "%.0f / %.0f", s->mean_sec,
			 s->max_sec);
		astra_grid_add(grid, s->jobs > 0 ? text : "-");
	}
}

int astra_compare_waits(const struct astra_comparison *c,
			struct astra_grid *grid, struct astra_error *err)
{
	*grid = (struct astra_grid){0};
	waits_head(c, grid);
	for (size_t i = 0; i < c->count; i++)
		waits_row(c, i, grid);
	if (!grid->failed)
		return 0;
	astra_grid_clear(grid);
	return astra_error_nomem(err);
}

static void waits_real(struct astra_text *text, const char *key, double value)
{
	astra_text_printf(text, ", \"%s\": ", key);
	astra_encode_real(text, value);
}

/* Appends the first waits of a run to the run's object, as the member
 * "sizes". */
static void compare_waits_json(const struct astra_digest *digest,
			       struct astra_text *text)
{
	astra_text_printf(text, ",\n   \"sizes\": [");
	for (size_t k = 0; k < ASTRA_WAIT_SIZES; k++) {
		const struct astra_wait_size *s = &digest->waits[k];

		astra_text_printf(text, "%s\n    {\"gpus_min\": %.0f",
				  k ? "," : "", s->gpus_min);
		waits_real(text, "gpus_max",
			   isinf(s->gpus_max) ? (double)NAN : s->gpus_max);
		waits_real(text, "jobs", s->jobs);
		waits_real(text, "never", s->never);
		waits_real(text, "over_bound", s->over);
		waits_real(text, "wait_mean_sec", s->mean_sec);
		waits_real(text, "wait_max_sec", s->max_sec);
		astra_text_add(text, "}", 1);
	}
	astra_text_add(text, "]", 1);
}

static double compare_value_of(const struct astra_comparison *c,
			       const struct astra_metric *metric, size_t index)
{
	return astra_metric_value(&c->cases[index].digest->metrics, metric);
}

bool astra_compare_best(const struct astra_comparison *c,
			const struct astra_metric *metric, size_t index)
{
	double mine = compare_value_of(c, metric, index);
	bool worse = false;

	if (!metric->better || isnan(mine))
		return false;
	for (size_t i = 0; i < c->count; i++) {
		double other = compare_value_of(c, metric, i);
		int order = isnan(other) ? 0 : astra_compare(mine, other);

		if (order * metric->better < 0)
			return false;
		worse = worse || order;
	}
	return worse;
}

bool astra_compare_known(const struct astra_comparison *c,
			 const struct astra_metric *metric)
{
	for (size_t i = 0; i < c->count; i++)
		if (!isnan(compare_value_of(c, metric, i)))
			return true;
	return false;
}

static void compare_add_row(const struct astra_comparison *c, size_t index,
			    struct astra_grid *grid)
{
	astra_grid_add(grid, c->cases[index].label);
	for (const struct astra_metric *m = astra_metric_table; m->key; m++) {
		bool best = astra_compare_best(c, m, index);
		char text[32], cell[40];

		if (!astra_compare_known(c, m))
			continue;
		astra_metric_text(m, compare_value_of(c, m, index), text);
		snprintf(cell, sizeof(cell), "%s%s", text, best ? "*" : " ");
		astra_grid_add(grid, cell);
	}
}

static int compare_make_grid(const struct astra_comparison *c,
			     struct astra_grid *grid, struct astra_error *err)
{
	*grid = (struct astra_grid){.columns = 1};
	astra_grid_add(grid, c->what);
	for (const struct astra_metric *m = astra_metric_table; m->key; m++) {
		if (!astra_compare_known(c, m))
			continue;
		astra_grid_add(grid, m->head);
		grid->columns++;
	}
	for (size_t i = 0; i < c->count; i++)
		compare_add_row(c, i, grid);
	if (!grid->failed)
		return 0;
	astra_grid_clear(grid);
	return astra_error_nomem(err);
}

int astra_compare_print(const struct astra_comparison *c, FILE *file,
			size_t width, struct astra_error *err)
{
	struct astra_grid grid;

	if (compare_make_grid(c, &grid, err) < 0)
		return -1;
	astra_grid_print(&grid, file, width);
	astra_grid_clear(&grid);
	if (astra_compare_waits(c, &grid, err) < 0)
		return -1;
	fputs("\n" ASTRA_COMPARE_WAITS_TITLE ":\n\n", file);
	astra_grid_print(&grid, file, width);
	astra_grid_clear(&grid);
	return 0;
}

int astra_compare_markdown(const struct astra_comparison *c, FILE *file,
			   struct astra_error *err)
{
	struct astra_grid grid;

	if (compare_make_grid(c, &grid, err) < 0)
		return -1;
	astra_grid_markdown(&grid, file);
	astra_grid_clear(&grid);
	if (astra_compare_waits(c, &grid, err) < 0)
		return -1;
	fputs("\n" ASTRA_COMPARE_WAITS_TITLE ":\n\n", file);
	astra_grid_markdown(&grid, file);
	astra_grid_clear(&grid);
	return 0;
}

static int compare_put(FILE *file, struct astra_text *text,
		       struct astra_error *err)
{
	int rc = text->failed ? astra_error_nomem(err) : 0;

	if (!rc)
		fwrite(text->bytes, 1, text->size, file);
	astra_text_clear(text);
	return rc;
}

int astra_compare_csv(const struct astra_comparison *c, FILE *file,
		      struct astra_error *err)
{
	struct astra_text text = {0};

	astra_csv_text(&text, c->what);
	for (const struct astra_metric *m = astra_metric_table; m->key; m++)
		astra_text_printf(&text, ",%s", m->key);
	for (size_t i = 0; i < c->count; i++) {
		astra_text_add(&text, "\n", 1);
		astra_csv_text(&text, c->cases[i].label);
		for (const struct astra_metric *m = astra_metric_table; m->key;
		     m++) {
			astra_text_add(&text, ",", 1);
			astra_csv_number(&text, compare_value_of(c, m, i));
		}
	}
	astra_text_add(&text, "\n", 1);
	return compare_put(file, &text, err);
}

static void json_case(const struct astra_comparison *c, size_t index,
		      struct astra_text *text)
{
	astra_text_printf(text, "%s\n  {\"%s\": ", index ? "," : "", c->what);
	astra_encode_text(text, c->cases[index].label);
	for (const struct astra_metric *m = astra_metric_table; m->key; m++) {
		astra_text_printf(text, ",\n   \"%s\": ", m->key);
		astra_encode_real(text, compare_value_of(c, m, index));
	}
	compare_waits_json(c->cases[index].digest, text);
	astra_text_add(text, "}", 1);
}

int astra_compare_json(const struct astra_comparison *c, FILE *file,
		       struct astra_error *err)
{
	struct astra_text text = {0};

	astra_text_printf(&text, "{\n \"trace\": ");
	astra_encode_text(&text, c->trace->source);
	astra_text_printf(&text, ",\n \"gpus\": %llu,\n \"runs\": [",
			  (unsigned long long)c->gpus);
	for (size_t i = 0; i < c->count; i++)
		json_case(c, i, &text);
	astra_text_printf(&text, "\n ]\n}\n");
	return compare_put(file, &text, err);
}
