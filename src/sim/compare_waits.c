/* SPDX-License-Identifier: GPL-2.0-or-later */
/* First waits by the size of jobs, of several runs side by side. */
#include <math.h>
#include <stdio.h>

#include "src/common/encode.h"
#include "src/sim/compare.h"

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

void astra_compare_waits_json(const struct astra_digest *digest,
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
