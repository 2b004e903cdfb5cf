/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sim/compare.h"

#include <math.h>
#include <stdlib.h>

#include "src/common/encode.h"
#include "src/common/number.h"
#include "src/sim/grid.h"
#include "src/sim/output.h"

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
	astra_compare_waits_json(c->cases[index].digest, text);
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
