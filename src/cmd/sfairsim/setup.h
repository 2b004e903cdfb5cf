/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The setup shared by run, compare and tune. */
#ifndef ASTRA_SFAIRSIM_SETUP_H
#define ASTRA_SFAIRSIM_SETUP_H

#include "src/cmd/sfairsim/args.h"
#include "src/policies/options.h"

struct sfairsim_setup {
	struct astra_trace trace;
	struct astra_cluster cluster;
	struct astra_options options;
	struct astra_sim_options sim;
	const struct astra_scheduler **schedulers; /* the policies asked for */
	size_t scheduler_count;
};

/* Sets the arguments whose default is not 0. */
void sfairsim_args_init(struct sfairsim_args *args);

/* Reads and checks all files and values that the arguments name, and warns of
 * the trace's defects. many: several policies are allowed. Returns 0, or -1
 * with err set; call sfairsim_setup_clear() in both cases. */
int sfairsim_setup_make(struct sfairsim_setup *setup,
			const struct sfairsim_args *args, bool many,
			struct astra_error *err);
void sfairsim_setup_clear(struct sfairsim_setup *setup);

/* Runs a whole command: parses the arguments, sets up, calls act() and clears
 * up. Returns the exit status. */
int sfairsim_command(const struct astra_cli *cli, int argc, char **argv,
		     bool many,
		     int (*act)(struct sfairsim_setup *setup,
				const struct sfairsim_args *args,
				struct astra_error *err));

/* Checks that the files can be written. paths: NULL in place of a file that is
 * not wanted. Returns 0, or -1 with err set. */
int sfairsim_check_files(const char *const *paths, size_t count,
			 struct astra_error *err);

#endif
