/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/cmd/sfairsim/args.h"
#include "src/policy/options.h"
#include "src/policy/stated.h"
#include "src/sim/field.h"

/* What values look like. */

#define SPAN_MAX_SEC (10.0 * 365 * 86400) /* as in astraea.conf */

static int parse_count(const char *text, unsigned long long min,
		       unsigned long long max, unsigned long long *out,
		       struct astra_error *err)
{
	char *end;

	errno = 0;
	if (isdigit((unsigned char)*text)) {
		*out = strtoull(text, &end, 10);
		if (!*end && !errno && *out >= min && *out <= max)
			return 0;
	}
	return astra_error_set(err, "a whole number from %llu to %llu", min,
			       max);
}

static int parse_u32(const char *text, uint32_t max, uint32_t *out,
		     struct astra_error *err)
{
	unsigned long long number;

	if (parse_count(text, 1, max, &number, err) < 0)
		return -1;
	*out = (uint32_t)number;
	return 0;
}

/* A span that may have a fraction of seconds. */
static int parse_span(const char *text, double *out, struct astra_error *err)
{
	char *end;
	double sec;

	if (astra_parse_time(text, 1, out) == 0)
		return 0;
	sec = strtod(text, &end);
	if (isdigit((unsigned char)*text) && !*end && sec <= SPAN_MAX_SEC) {
		*out = sec;
		return 0;
	}
	return astra_error_set(err,
			       "seconds, or a time as MM:SS, HH:MM:SS, D-HH, "
			       "at most 10 years");
}

/* A setter that keeps the text, or parses it, into one member. */
#define TEXT(member)                                                           \
	static int set_##member(struct sfairsim_args *args, const char *value, \
				struct astra_error *err)                       \
	{                                                                      \
		(void)err;                                                     \
		args->member = value;                                          \
		return 0;                                                      \
	}
#define FLAG(member)                                                           \
	static int set_##member(struct sfairsim_args *args, const char *value, \
				struct astra_error *err)                       \
	{                                                                      \
		(void)value;                                                   \
		(void)err;                                                     \
		args->member = true;                                           \
		return 0;                                                      \
	}
#define COUNT(member, max)                                                     \
	static int set_##member(struct sfairsim_args *args, const char *value, \
				struct astra_error *err)                       \
	{                                                                      \
		return parse_u32(value, max, &args->member, err);              \
	}
#define SPAN(member)                                                           \
	static int set_##member(struct sfairsim_args *args, const char *value, \
				struct astra_error *err)                       \
	{                                                                      \
		return parse_span(value, &args->sim.member##_sec, err);        \
	}

TEXT(trace)
TEXT(overbid)
TEXT(format)
TEXT(generate)
TEXT(slurm_cluster)
TEXT(weights)
TEXT(cluster_file)
TEXT(config)
TEXT(pool)
TEXT(policies)
TEXT(terms)
TEXT(out)
TEXT(jobs_csv)
TEXT(tenants_csv)
TEXT(intervals_csv)
TEXT(runs_csv)
TEXT(sizes_csv)
TEXT(json)
TEXT(csv)
TEXT(markdown)
TEXT(html)
FLAG(lenient)
FLAG(sum_weights)
TEXT(partition)
TEXT(folder)
FLAG(slurmdbd)
FLAG(quiet)
FLAG(help)
COUNT(jobs, 100000000)
COUNT(procs_per_gpu, 1000000)
COUNT(nodes, 1000000)
COUNT(gpus, 1024)
COUNT(rack_nodes, 1000000)
COUNT(slot_gpus, 1024)
COUNT(cores, 1024)
SPAN(checkpoint)
SPAN(cold_start)
SPAN(interval)
SPAN(until)

static int set_round(struct sfairsim_args *args, const char *value,
		     struct astra_error *err)
{
	return parse_span(value, &args->sim.round_sec, err);
}

static int set_elastic(struct sfairsim_args *args, const char *value,
		       struct astra_error *err)
{
	struct astra_trace_elastic e = {.least = 0.25, .most = 2};
	int used = 0;

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

static int set_days(struct sfairsim_args *args, const char *value,
		    struct astra_error *err)
{
	char *end;

	args->days = strtod(value, &end);
	if (isdigit((unsigned char)*value) && !*end && args->days > 0 &&
	    args->days <= 36525)
		return 0;
	return astra_error_set(err, "a number of days, above 0");
}

static int set_scale(struct sfairsim_args *args, const char *value,
		     struct astra_error *err)
{
	char *end;

	args->scale = strtod(value, &end);
	if (isdigit((unsigned char)*value) && !*end && args->scale > 0 &&
	    args->scale <= 1e6)
		return 0;
	return astra_error_set(err, "how many times faster, above 0");
}

static int set_seed(struct sfairsim_args *args, const char *value,
		    struct astra_error *err)
{
	unsigned long long number;

	if (parse_count(value, 0, UINT64_MAX, &number, err) < 0)
		return -1;
	args->seed = number;
	return 0;
}

static int set_slowdown(struct sfairsim_args *args, const char *value,
			struct astra_error *err)
{
	struct astra_profile profile;

	if (astra_field_profile(value, ',', &profile) != ASTRA_FIELD_OK)
		return astra_error_set(
			err, "%s",
			astra_stated_options[ASTRA_STATED_SLOWDOWN].allowed);
	memcpy(args->sim.slowdown, profile.slowdown, sizeof(profile.slowdown));
	return 0;
}

static int add_set(struct sfairsim_args *args, const char *value,
		   struct astra_error *err)
{
	if (!strchr(value, '=') || *value == '=')
		return astra_error_set(err, "KEY=VALUE, as in astraea.conf");
	if (args->set_count == SFAIRSIM_SETS_MAX)
		return astra_error_set(err, "at most %d of them",
				       SFAIRSIM_SETS_MAX);
	args->sets[args->set_count++] = value;
	return 0;
}

static int set_vary(struct sfairsim_args *args, const char *value,
		    struct astra_error *err)
{
	if (!strchr(value, '=') || *value == '=')
		return astra_error_set(err, "KEY=VALUE,..., as in "
					    "astraea.conf");
	args->vary = value;
	return 0;
}

const struct sfairsim_option sfairsim_common_options[] = {
	{"trace", 0, "FILE", "the jobs: CSV, sacct -P or SWF; - is stdin",
	 set_trace},
	{"format", 0, "NAME", "of the trace: auto, csv, sacct, swf [auto]",
	 set_format},
	{"lenient", 0, NULL, "go on without those of its lines that are bad",
	 set_lenient},
	{"procs-per-gpu", 0, "N", "SWF: so many processors are one GPU [1]",
	 set_procs_per_gpu},
	{"generate", 'g', "KIND", "make the jobs up: venus, philly or apps",
	 set_generate},
	{"jobs", 'j', "N", "so many [as the kind has]", set_jobs},
	{"days", 0, "N", "in so many days [at the kind's pace]", set_days},
	{"seed", 's', "S", "of all that is random [1]", set_seed},
	{"from-slurmdbd", 0, NULL,
	 "the jobs of a live cluster, as sacct shows them\n"
	 "between start=TIME and end=TIME",
	 set_slurmdbd},
	{"clusters", 'M', "NAME", "that cluster of slurmdbd's",
	 set_slurm_cluster},
	{"weights", 'w', "FILE",
	 "tenants' weights: CSV with the columns tenant and\n"
	 "weight (or gpus); the mean where there are several",
	 set_weights},
	{"sum-weights", 0, NULL, "there: the sum", set_sum_weights},
	{"nodes", 'N', "N", "the cluster: so many nodes ...", set_nodes},
	{"gpus", 'G', "G", "... of so many GPUs [8]", set_gpus},
	{"rack-nodes", 0, "R", "so many nodes are a rack [all]",
	 set_rack_nodes},
	{"slot-gpus", 0, "S", "so many GPUs of a node are a slot [all]",
	 set_slot_gpus},
	{"cluster", 0, "FILE", "the nodes: CSV with node,gpus[,rack]",
	 set_cluster_file},
	{"config", 'c', "FILE", "the options of a pool in astraea.conf",
	 set_config},
	{"pool", 0, "NAME", "of that pool, where there are several", set_pool},
	{"set", 0, "KEY=VALUE", "an option of astraea.conf; may be repeated",
	 add_set},
	{"round", 0, "TIME", "from one round to the next [1]; 0: at each event",
	 set_round},
	{"checkpoint", 0, "TIME", "what a checkpoint takes [10]",
	 set_checkpoint},
	{"cold-start", 0, "TIME", "what a start takes [40]", set_cold_start},
	{"slowdown", 0, "A,B,C,D",
	 "of jobs within a slot, a machine, a rack, across\n"
	 "racks [1,1,1,1]",
	 set_slowdown},
	{"elastic", 0, "[=PERCENT%[:LEAST:MOST]]",
	 "jobs may run on fewer GPUs, and slower; so many of\n"
	 "them on LEAST [0.25] to MOST [2] times theirs",
	 set_elastic},
	{"overbid", 0, "APP:PERCENT[:KIND]",
	 "that app of the trace lies in its bids", set_overbid},
	{"interval", 0, "TIME", "of which a tenant has its share [1:00:00]",
	 set_interval},
	{"until", 0, "TIME", "stop then [when all jobs are done]", set_until},
	{"quiet", 'q', NULL, "no progress, no warnings", set_quiet},
	{"help", 'h', NULL, "print this help", set_help},
	{NULL, 0, NULL, NULL, NULL},
};

const struct sfairsim_option sfairsim_run_options[] = {
	{"policy", 'p', "POLICY", "who goes next [Policy, or ltgf]",
	 set_policies},
	{"out", 'o', "FOLDER", "write all of the following there", set_out},
	{"jobs-csv", 0, "FILE", "what became of each job", set_jobs_csv},
	{"tenants-csv", 0, "FILE", "what each tenant had and was due",
	 set_tenants_csv},
	{"intervals-csv", 0, "FILE", "the same for each interval",
	 set_intervals_csv},
	{"runs-csv", 0, "FILE", "the schedule: which job ran when",
	 set_runs_csv},
	{"sizes-csv", 0, "FILE", "first waits by the size of jobs",
	 set_sizes_csv},
	{"json", 0, "FILE", "all in one file", set_json},
	{NULL, 0, NULL, NULL, NULL},
};

const struct sfairsim_option sfairsim_compare_options[] = {
	{"policies", 'p', "A,B,C", "which, or all [all]", set_policies},
	{"csv", 0, "FILE", "the table as CSV", set_csv},
	{"json", 0, "FILE", "the table as JSON", set_json},
	{"markdown", 0, "FILE", "the table as Markdown", set_markdown},
	{"html", 0, "FILE", "a page with charts", set_html},
	{"cores", 0, "N", "so many at the same time [all]", set_cores},
	{NULL, 0, NULL, NULL, NULL},
};

const struct sfairsim_option sfairsim_tune_options[] = {
	{"policy", 'p', "POLICY", "who goes next [Policy, or ltgf]",
	 set_policies},
	{"terms", 't', "A,B,C",
	 "the lease terms [5:00,10:00,15:00,20:00,30:00,\n"
	 "45:00,1:00:00,1:30:00,2:00:00,3:00:00,4:00:00,\n"
	 "6:00:00,8:00:00]",
	 set_terms},
	{"vary", 0, "KEY=A,B,C",
	 "another option of astraea.conf, and its values", set_vary},
	{"csv", 0, "FILE", "the table as CSV", set_csv},
	{"json", 0, "FILE", "the table as JSON", set_json},
	{"markdown", 0, "FILE", "the table as Markdown", set_markdown},
	{"html", 0, "FILE", "a page with charts", set_html},
	{"cores", 0, "N", "so many at the same time [all]", set_cores},
	{NULL, 0, NULL, NULL, NULL},
};

const struct sfairsim_option sfairsim_replay_options[] = {
	{"scale", 0, "N", "one second stands for so many of the trace",
	 set_scale},
	{"partition", 0, "NAME", "of the jobs [Slurm's default]",
	 set_partition},
	{"folder", 0, "FOLDER",
	 "for the jobs' files; all nodes must reach it [.]", set_folder},
	{"policy", 'p', "POLICY", "of the simulation [Policy, or ltgf]",
	 set_policies},
	{"csv", 0, "FILE", "the table as CSV", set_csv},
	{"json", 0, "FILE", "the table as JSON", set_json},
	{NULL, 0, NULL, NULL, NULL},
};
