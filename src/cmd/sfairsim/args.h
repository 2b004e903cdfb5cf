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
	/* what runs */
	const char *trace, *format;
	const char *generate;
	uint32_t jobs; /* to generate; 0: as many as the kind has */
	double days;   /* of them; 0: likewise */
	uint64_t seed;
	bool lenient; /* go on without bad lines */
	bool slurmdbd;
	const char *start, *end, *slurm_cluster;
	const char *weights;
	bool sum_weights; /* of a tenant with several, not the mean */
	uint32_t procs_per_gpu;
	/* where */
	uint32_t nodes, gpus, rack_nodes, slot_gpus;
	const char *cluster_file;
	/* how */
	const char *config, *pool, *policies;
	const char *sets[SFAIRSIM_SETS_MAX];
	size_t set_count;
	const char *terms, *vary; /* of tune */
	double scale;		  /* of replay: so much faster than the trace */
	const char *partition, *folder; /* of replay's jobs */
	const char *overbid;		/* APP:PERCENT */
	struct astra_sim_options sim;
	struct astra_trace_elastic elastic; /* part 0: none */
	double unprepared;		    /* of the jobs, 0 to 1 */
	/* what comes of it */
	const char *out;
	const char *jobs_csv, *tenants_csv, *intervals_csv, *runs_csv;
	const char *sizes_csv;
	const char *json, *csv, *markdown, *html;
	uint32_t cores; /* 0: all */
	bool quiet;
	const char *command; /* the command line, for the page */
};

/* Their tables. */
extern const struct astra_cli_option sfairsim_run_options[];
extern const struct astra_cli_option sfairsim_compare_options[];
extern const struct astra_cli_option sfairsim_tune_options[];
extern const struct astra_cli_option sfairsim_replay_options[];

#endif
