/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of run, compare, tune and replay. */
#include <ctype.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/cmd/sfairsim/args.h"
#include "src/model/stated.h"
#include "src/policies/options.h"
#include "src/sim/field.h"

#define SPAN_MAX_SEC (10.0 * 365 * 86400) /* as in astraea.conf */

#define IN(member) ASTRA_CLI_IN(struct sfairsim_args, member)
#define SPAN(member) ASTRA_CLI_BY(set_span, struct sfairsim_args, sim.member)

/* Reads a time span, which may have fractions of a second. */
static int set_span(const struct astra_cli_option *row, void *at,
		    const char *value, struct astra_error *err)
{
	double *out = at;
	double sec;
	char *end;

	(void)row;
	if (astra_parse_time(value, 1, out) == 0)
		return 0;
	sec = strtod(value, &end);
	if (isdigit((unsigned char)*value) && !*end && sec <= SPAN_MAX_SEC) {
		*out = sec;
		return 0;
	}
	return astra_error_set(err,
			       "seconds, or a time as MM:SS, HH:MM:SS, D-HH, "
			       "at most 10 years");
}

static int set_elastic(const struct astra_cli_option *row, void *at,
		       const char *value, struct astra_error *err)
{
	struct sfairsim_args *args = at;
	struct astra_trace_elastic e = {.least = 0.25, .most = 2};
	int used = 0;

	(void)row;
	if (!value) {
		args->sim.elastic = true;
		return 0;
	}
	if (sscanf(value, "%lf%n", &e.part, &used) != 1)
		used = 0;
	used += used && value[used] == '%';
	if (used && value[used] &&
	    sscanf(value, "%*[^:]:%lf:%lf%n", &e.least, &e.most, &used) != 2)
		used = 0;
	if (!used || value[used] || !(e.part > 0 && e.part <= 100) ||
	    !(e.least > 0 && e.least <= 1) || !(e.most >= 1 && e.most <= 1024))
		return astra_error_set(
			err, "PERCENT%%, above 0, at most 100, or "
			     "PERCENT%%:LEAST:MOST, LEAST above 0, at "
			     "most 1, MOST from 1 to 1024");
	e.part /= 100;
	args->elastic = e;
	return 0;
}

/* Reads PERCENT% as a fraction. */
static int read_percent(const char *value, double *part,
			struct astra_error *err)
{
	int used = 0;

	if (sscanf(value, "%lf%%%n", part, &used) != 1 || !used ||
	    value[used] || !(*part >= 0 && *part <= 100))
		return astra_error_set(err, "PERCENT%%, from 0 to 100");
	*part /= 100;
	return 0;
}

static int set_unprepared(const struct astra_cli_option *row, void *at,
			  const char *value, struct astra_error *err)
{
	struct sfairsim_args *args = at;

	(void)row;
	return read_percent(value, &args->unprepared, err);
}

static int set_error(const struct astra_cli_option *row, void *at,
		     const char *value, struct astra_error *err)
{
	struct sfairsim_args *args = at;

	(void)row;
	if (read_percent(value, &args->sim.error, err) < 0)
		return -1;
	return args->sim.error < 1
		       ? 0
		       : astra_error_set(err, "PERCENT%%, below 100");
}

static int set_slowdown(const struct astra_cli_option *row, void *at,
			const char *value, struct astra_error *err)
{
	struct sfairsim_args *args = at;
	struct astra_profile profile;

	(void)row;
	if (astra_field_profile(value, ',', &profile) != ASTRA_FIELD_OK)
		return astra_error_set(
			err, "%s",
			astra_stated_options[ASTRA_STATED_SLOWDOWN].allowed);
	memcpy(args->sim.slowdown, profile.slowdown, sizeof(profile.slowdown));
	return 0;
}

static int arg_table_add_set(const struct astra_cli_option *row, void *at,
			     const char *value, struct astra_error *err)
{
	struct sfairsim_args *args = at;

	(void)row;
	if (!strchr(value, '=') || *value == '=')
		return astra_error_set(err, "KEY=VALUE, as in astraea.conf");
	if (args->set_count == SFAIRSIM_SETS_MAX)
		return astra_error_set(err, "at most %d of them",
				       SFAIRSIM_SETS_MAX);
	args->sets[args->set_count++] = value;
	return 0;
}

static int set_vary(const struct astra_cli_option *row, void *at,
		    const char *value, struct astra_error *err)
{
	if (!strchr(value, '=') || *value == '=')
		return astra_error_set(err, "KEY=VALUE,..., as in "
					    "astraea.conf");
	return astra_cli_text(row, at, value, err);
}

static const struct astra_cli_option common_options[] = {
	{"trace", 0, "FILE", "the jobs: CSV, sacct -P or SWF; - is stdin",
	 IN(trace)},
	{"format", 0, "NAME", "of the trace: auto, csv, sacct, swf [auto]",
	 IN(format)},
	{"lenient", 0, NULL, "go on without those of its lines that are bad",
	 IN(lenient)},
	{"procs-per-gpu", 0, "N", "SWF: so many processors are one GPU [1]",
	 IN(procs_per_gpu), .least = 1, .most = 1000000},
	{"generate", 'g', "KIND", "make the jobs up: venus, philly or apps",
	 IN(generate)},
	{"jobs", 'j', "N", "so many [as the kind has]", IN(jobs), .least = 1,
	 .most = 100000000},
	{"days", 0, "N", "in so many days [at the kind's pace]", IN(days),
	 .least = DBL_MIN, .most = 36525},
	{"seed", 's', "S", "of all that is random [1]", IN(seed)},
	{"from-slurmdbd", 0, NULL,
	 "the jobs of a live cluster, as sacct shows them", IN(slurmdbd)},
	{"start", 0, "TIME", "since when, as sacct takes it", IN(start),
	 .spelling = ASTRA_CLI_WORD},
	{"end", 0, "TIME", "until when [now]", IN(end),
	 .spelling = ASTRA_CLI_WORD},
	{"clusters", 'M', "NAME", "that cluster of slurmdbd's",
	 IN(slurm_cluster)},
	{"weights", 'w', "FILE",
	 "tenants' weights: CSV with the columns tenant and weight (or gpus); the mean where there are several",
	 IN(weights)},
	{"sum-weights", 0, NULL, "there: the sum", IN(sum_weights)},
	{"nodes", 'N', "N", "the cluster: so many nodes ...", IN(nodes),
	 .least = 1, .most = 1000000},
	{"gpus", 'G', "G", "... of so many GPUs [8]", IN(gpus), .least = 1,
	 .most = 1024},
	{"rack-nodes", 0, "R", "so many nodes are a rack [all]", IN(rack_nodes),
	 .least = 1, .most = 1000000},
	{"slot-gpus", 0, "S", "so many GPUs of a node are a slot [all]",
	 IN(slot_gpus), .least = 1, .most = 1024},
	{"cluster", 0, "FILE", "the nodes: CSV with node,gpus[,rack]",
	 IN(cluster_file)},
	{"config", 'c', "FILE", "the options of a pool in astraea.conf",
	 IN(config)},
	{"pool", 0, "NAME", "of that pool, where there are several", IN(pool)},
	{"set", 0, "KEY=VALUE", "an option of astraea.conf; may be repeated",
	 .set = arg_table_add_set},
	{"round", 0, "TIME", "from one round to the next [1]; 0: at each event",
	 SPAN(round_sec)},
	{"checkpoint", 0, "TIME", "what a checkpoint takes [10]",
	 SPAN(checkpoint_sec)},
	{"cold-start", 0, "TIME", "what a start takes [40]",
	 SPAN(cold_start_sec)},
	{"slowdown", 0, "A,B,C,D",
	 "of jobs within a slot, a machine, a rack, across racks [1,1,1,1]",
	 .set = set_slowdown},
	{"elastic", 0, "[=PERCENT%[:LEAST:MOST]]",
	 "jobs may run on fewer GPUs, and slower; so many of them on LEAST [0.25] to MOST [2] times theirs",
	 .set = set_elastic},
	{"unprepared", 0, "PERCENT%",
	 "so many of the jobs, but for elastic ones, start each run from the beginning [0]",
	 .set = set_unprepared},
	{"error", 0, "PERCENT%",
	 "policies are told the jobs' work and slowdowns wrong by up to so much [0]",
	 .set = set_error},
	{"overbid", 0, "APP:PERCENT[:KIND]",
	 "that app of the trace lies in its bids", IN(overbid)},
	{"interval", 0, "TIME", "of which a tenant has its share [1:00:00]",
	 SPAN(interval_sec)},
	{"until", 0, "TIME", "stop then [when all jobs are done]",
	 SPAN(until_sec)},
	{"quiet", 'q', NULL, "no progress, no warnings", IN(quiet)},
	ASTRA_CLI_HELP,
	ASTRA_CLI_END,
};

/* The options of commands that write a table. */
static const struct astra_cli_option table_options[] = {
	{"csv", 0, "FILE", "the table as CSV", IN(csv)},
	{"json", 0, "FILE", "the table as JSON", IN(json)},
	{"markdown", 0, "FILE", "the table as Markdown", IN(markdown)},
	{"html", 0, "FILE", "a page with charts", IN(html)},
	{"cores", 0, "N", "so many at the same time [all]", IN(cores),
	 .least = 1, .most = 1024},
	ASTRA_CLI_END,
};

const struct astra_cli_option sfairsim_run_options[] = {
	{"policy", 'p', "POLICY", "who goes next [Policy, or ltgf]",
	 IN(policies)},
	{"out", 'o', "FOLDER", "write all of the following there", IN(out)},
	{"jobs-csv", 0, "FILE", "what became of each job", IN(jobs_csv)},
	{"tenants-csv", 0, "FILE", "what each tenant had and was due",
	 IN(tenants_csv)},
	{"intervals-csv", 0, "FILE", "the same for each interval",
	 IN(intervals_csv)},
	{"runs-csv", 0, "FILE", "the schedule: which job ran when",
	 IN(runs_csv)},
	{"sizes-csv", 0, "FILE", "first waits by the size of jobs",
	 IN(sizes_csv)},
	{"json", 0, "FILE", "all in one file", IN(json)},
	{.rows = common_options},
	ASTRA_CLI_END,
};

const struct astra_cli_option sfairsim_compare_options[] = {
	{"policies", 'p', "A,B,C", "which, or all [all]", IN(policies)},
	{.rows = table_options},
	{.rows = common_options},
	ASTRA_CLI_END,
};

const struct astra_cli_option sfairsim_tune_options[] = {
	{"policy", 'p', "POLICY", "who goes next [Policy, or ltgf]",
	 IN(policies)},
	{"terms", 't', "A,B,C",
	 "the lease terms [5:00, 10:00, 15:00, 20:00, 30:00, 45:00, 1:00:00, 1:30:00, 2:00:00, 3:00:00, 4:00:00, 6:00:00, 8:00:00]",
	 IN(terms)},
	{"vary", 0, "KEY=A,B,C",
	 "another option of astraea.conf, and its values",
	 ASTRA_CLI_BY(set_vary, struct sfairsim_args, vary)},
	{.rows = table_options},
	{.rows = common_options},
	ASTRA_CLI_END,
};

const struct astra_cli_option sfairsim_replay_options[] = {
	{"scale", 0, "N", "one second stands for so many of the trace",
	 IN(scale), .least = DBL_MIN, .most = 1e6},
	{"partition", 0, "NAME", "of the jobs [Slurm's default]",
	 IN(partition)},
	{"folder", 0, "FOLDER",
	 "for the jobs' files; all nodes must reach it [.]", IN(folder)},
	{"policy", 'p', "POLICY", "of the simulation [Policy, or ltgf]",
	 IN(policies)},
	{"csv", 0, "FILE", "the table as CSV", IN(csv)},
	{"json", 0, "FILE", "the table as JSON", IN(json)},
	{.rows = common_options},
	ASTRA_CLI_END,
};
