/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What run, compare and tune need before they can begin. */
#ifndef ASTRA_SFAIRSIM_SETUP_H
#define ASTRA_SFAIRSIM_SETUP_H

#include "src/cmd/sfairsim/args.h"
#include "src/policies/options.h"

struct sfairsim_setup {
	struct astra_trace trace;
	struct astra_cluster cluster;
	struct astra_options options;
	struct astra_sim_options sim;
	const struct astra_scheduler **schedulers; /* those asked for */
	size_t scheduler_count;
};

/* The defaults of the arguments that have other ones than 0. */
void sfairsim_args_init(struct sfairsim_args *args);

/* Read and check all that the arguments name; warn of a trace's defects.
 * many: several policies may be asked for.
 * Returns 0, or -1 with err set. Either way sfairsim_setup_clear() it. */
int sfairsim_setup_make(struct sfairsim_setup *setup,
			const struct sfairsim_args *args, bool many,
			struct astra_error *err);
void sfairsim_setup_clear(struct sfairsim_setup *setup);

/* A whole command: parse the arguments, set up, do, clear up.
 * Returns its exit status. */
int sfairsim_command(const struct astra_cli *cli, int argc, char **argv,
		     bool many,
		     int (*act)(struct sfairsim_setup *setup,
				const struct sfairsim_args *args,
				struct astra_error *err));

/* Whether the files, NULL for none, could be written; ended by count.
 * Returns 0, or -1 with err set. */
int sfairsim_check_files(const char *const *paths, size_t count,
			 struct astra_error *err);

#endif
