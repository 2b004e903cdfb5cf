/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The arguments of run, compare, tune and replay. */
#ifndef ASTRA_SFAIRSIM_ARGS_H
#define ASTRA_SFAIRSIM_ARGS_H

#include <stdbool.h>

#include "src/common/cli.h"
#include "src/sim/simulate.h"
#include "src/sim/trace.h"

#define SFAIRSIM_SETS_MAX 64

/* Texts are borrowed from argv. */
struct sfairsim_args {
	/* the input */
	const char *trace, *format;
	const char *generate;
	uint32_t jobs; /* how many to generate; 0: the generator's default */
	double days;   /* days to generate; 0: the generator's default */
	uint64_t seed;
	bool lenient; /* skip invalid lines */
	bool slurmdbd;
	const char *start, *end, *slurm_cluster;
	const char *weights;
	bool sum_weights; /* add a tenant's weights up; otherwise their mean
			   * counts */
	uint32_t procs_per_gpu;
	/* the cluster */
	uint32_t nodes, gpus, rack_nodes, slot_gpus;
	const char *cluster_file;
	/* the policies */
	const char *config, *pool, *policies;
	const char *sets[SFAIRSIM_SETS_MAX];
	size_t set_count;
	const char *terms, *vary; /* of tune */
	double scale;		  /* of replay: how many times faster than the
				   * trace it runs */
	const char *partition, *folder; /* of replay's jobs */
	const char *overbid;		/* APP:PERCENT */
	struct astra_sim_options sim;
	struct astra_trace_elastic elastic; /* part 0: none */
	double unprepared;		    /* share of the jobs, 0 to 1 */
	/* the outputs */
	const char *out;
	const char *jobs_csv, *tenants_csv, *intervals_csv, *runs_csv;
	const char *sizes_csv;
	const char *json, *csv, *markdown, *html;
	uint32_t cores; /* 0: all */
	bool quiet;
	const char *command; /* as typed, for the page */
};

/* The options of the commands. */
extern const struct astra_cli_option sfairsim_run_options[];
extern const struct astra_cli_option sfairsim_compare_options[];
extern const struct astra_cli_option sfairsim_tune_options[];
extern const struct astra_cli_option sfairsim_replay_options[];

#endif
