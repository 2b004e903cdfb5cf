/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sfairsim compare: several policies side by side. */
#include "src/sim/compare.h"

#include <stdlib.h>
#include <string.h>

#include "src/cmd/sfairsim/sfairsim.h"
#include "src/cmd/sfairsim/table.h"

static int compare_compare(struct sfairsim_setup *s,
			   const struct sfairsim_args *args,
			   struct astra_error *err)
{
	size_t count = s->scheduler_count;
	struct sfairsim_case *cases = calloc(count, sizeof(*cases));
	const struct sfairsim_table table = {
		.what = "policy",
		.title = "Policies side by side",
	};
	int rc;

	if (!cases)
		return astra_error_nomem(err);
	for (size_t i = 0; i < count; i++)
		cases[i] = (struct sfairsim_case){
			.name = s->schedulers[i]->name,
			.scheduler = s->schedulers[i],
			.options = s->options,
		};
	rc = sfairsim_batch(s, cases, count, args->cores, args->quiet, err);
	if (!rc)
		rc = sfairsim_table_write(&table, s, args, cases, count, err);
	sfairsim_batch_clear(s, cases, count);
	free(cases);
	return rc;
}

int sfairsim_compare(int argc, char **argv)
{
	static const struct astra_cli cli = {
		.name = "sfairsim compare",
		.usage = "sfairsim compare [OPTION]...",
		.summary = "Simulate a trace under several policies, on all "
			   "cores.",
		.options = sfairsim_compare_options,
	};

	return sfairsim_command(&cli, argc, argv, true, compare_compare);
}
