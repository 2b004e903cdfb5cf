/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/cmd/sfairsim/setup.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/cmd/sfairsim/sfairsim.h"
#include "src/common/conf_scan.h"
#include "src/common/text.h"
#include "src/model/stated.h"
#include "src/policies/conf_keys.h"
#include "src/policies/options.h"
#include "src/sim/conf.h"
#include "src/sim/generate.h"
#include "src/sim/outfile.h"
#include "src/sim/read.h"
#include "src/sim/trace_weights.h"

#define NODE_GPUS 8

void sfairsim_args_init(struct sfairsim_args *args)
{
	*args = (struct sfairsim_args){
		.seed = 1,
		.format = "auto",
		.sim = {.checkpoint_sec = 10,
			.round_sec = 1, /* slurmctld also has at most one round
					 * a second */
			.cold_start_sec = 40,
			.slowdown = {1, 1, 1, 1},
			.interval_sec = 3600},
	};
}

/* The trace. */

static int setup_generate(struct sfairsim_setup *s,
			  const struct sfairsim_args *args,
			  struct astra_error *err)
{
	const struct astra_generate_options options = {
		.seed = args->seed,
		.jobs = args->jobs,
		.days = args->days,
	};

	return astra_trace_generate(&s->trace, args->generate, &options, err);
}

static int setup_read_trace(struct sfairsim_setup *s,
			    const struct sfairsim_args *args,
			    struct astra_error *err)
{
	struct astra_read_options options = {
		.procs_per_gpu = args->procs_per_gpu,
	};
	int sources = (args->trace != NULL) + (args->generate != NULL) +
		      args->slurmdbd;

	if (sources != 1)
		return astra_error_set(
			err, "one of --trace, --generate and --from-slurmdbd");
	if (!args->slurmdbd && (args->start || args->end))
		return astra_error_set(
			err, "start= and end= go with --from-slurmdbd");
	if (args->generate)
		return setup_generate(s, args, err);
	if (args->slurmdbd)
		return astra_trace_from_slurmdbd(&s->trace, args->start,
						 args->end, args->slurm_cluster,
						 NULL, err);
	if (astra_trace_format(args->format, &options.format, err) < 0 ||
	    astra_trace_read(&s->trace, args->trace, &options, err) < 0)
		return -1;
	if (args->lenient || astra_trace_check(&s->trace, err) == 0)
		return 0;
	astra_error_add(err, "--lenient goes on without such lines");
	return -1;
}

/* Returns the count of nodes for a generated trace. The weights of its tenants
 * are their quotas in GPUs. */
static uint32_t default_nodes(const struct sfairsim_setup *s, uint32_t gpus)
{
	double sum = 0;

	for (size_t i = 0; i < s->trace.tenant_count; i++)
		sum += s->trace.tenants[i].weight;
	return (uint32_t)fmin(1e6, ceil(sum / gpus));
}

static int make_cluster(struct sfairsim_setup *s,
			const struct sfairsim_args *args,
			struct astra_error *err)
{
	uint32_t gpus = args->gpus ? args->gpus : NODE_GPUS;
	uint32_t nodes = args->nodes;

	if (args->cluster_file && (args->nodes || args->gpus))
		return astra_error_set(
			err, "either --cluster or --nodes and --gpus");
	if (args->cluster_file)
		return astra_cluster_read(&s->cluster, args->cluster_file, err);
	if (!nodes && args->generate)
		nodes = default_nodes(s, gpus);
	if (!nodes)
		return astra_error_set(err, "how large is the cluster? "
					    "--nodes=N and --gpus=G, or "
					    "--cluster=FILE");
	if (astra_cluster_make(&s->cluster, nodes, gpus, args->rack_nodes) < 0)
		return astra_error_nomem(err);
	return 0;
}

static int setup_weigh(struct sfairsim_setup *s,
		       const struct sfairsim_args *args,
		       struct astra_error *err)
{
	if (args->config &&
	    astra_conf_weights(args->config, &s->trace, err) < 0)
		return -1;
	if (args->weights &&
	    astra_trace_read_weights(&s->trace, args->weights,
				     args->sum_weights, err) < 0)
		return -1;
	return 0;
}

static int setup_warn(const struct sfairsim_setup *s, bool quiet,
		      struct astra_error *err)
{
	char *text = astra_trace_defects_text(&s->trace);

	if (!text)
		return astra_error_nomem(err);
	if (!quiet)
		fputs(text, stderr);
	free(text);
	return 0;
}

/* The options. */

static int setup_set_option(struct sfairsim_setup *s, const char *pair,
			    struct astra_error *err)
{
	const char *equal = strchr(pair, '=');
	char *key = strndup(pair, (size_t)(equal - pair));
	int rc;

	if (!key)
		return astra_error_nomem(err);
	rc = astra_options_set(&s->options, key, equal + 1, err);
	free(key);
	return rc;
}

static int setup_warn_key(void *arg, const struct astra_conf_pair *pair,
			  struct astra_error *err)
{
	(void)arg;
	(void)err;
	if (astra_conf_is_gone(pair->key))
		fprintf(stderr,
			"sfairsim: warning: %s: line %d: %s: this release has "
			"no such option, and ignores it\n",
			pair->path, pair->line, pair->key);
	return 0;
}

static int read_options(struct sfairsim_setup *s,
			const struct sfairsim_args *args,
			struct astra_error *err)
{
	astra_options_init(&s->options);
	if (args->pool && !args->config)
		return astra_error_set(err, "--pool goes with --config");
	if (args->config &&
	    (astra_conf_options(args->config, args->pool, &s->options, err) <
		     0 ||
	     (!args->quiet &&
	      astra_conf_each(args->config, setup_warn_key, NULL, err) < 0)))
		return -1;
	for (size_t i = 0; i < args->set_count; i++)
		if (setup_set_option(s, args->sets[i], err) < 0)
			return -1;
	s->sim = args->sim;
	s->sim.seed = args->seed;
	if (!(s->sim.interval_sec > 0))
		return astra_error_set(err, "--interval: a time above 0");
	return astra_options_check(&s->options, err);
}

static int bad_overbid(const char *text, const char *why,
		       struct astra_error *err)
{
	return astra_error_set(err, "--overbid=%.80s: %s", text, why);
}

/* Reads PERCENT[:KIND]. Returns false if it is invalid. */
static bool parse_lie(char *text, struct astra_lies *lies)
{
	static const char *const kinds[] = {
		[ASTRA_LIE_WORSE] = "worse",
		[ASTRA_LIE_GAIN] = "gain",
		[ASTRA_LIE_SPREAD] = "spread",
	};
	const size_t count = sizeof(kinds) / sizeof(*kinds);
	char *name = strchr(text, ':');
	size_t kind = ASTRA_LIE_WORSE;

	if (name) {
		*name++ = '\0';
		while (kind < count && strcmp(name, kinds[kind]) != 0)
			kind++;
		if (kind == count)
			return false;
	}
	lies->kind = (enum astra_lie)kind;
	if (!astra_stated_number(text, 1000, &lies->part) || lies->part < 0)
		return false;
	lies->part /= 100;
	return true;
}

/* Reads APP:PERCENT[:KIND]: which app lies, and how. */
static int read_overbid(struct sfairsim_setup *s, const char *text,
			struct astra_error *err)
{
	uint32_t known = s->trace.app_count;
	char *name = strdup(text), *lie;
	bool valid;

	if (!name)
		return astra_error_nomem(err);
	lie = strchr(name, ':');
	if (lie)
		*lie++ = '\0';
	valid = lie && *name && parse_lie(lie, &s->sim.lies);
	if (valid)
		s->sim.lies.app = astra_trace_app(&s->trace, name);
	free(name);
	if (!valid)
		return bad_overbid(text,
				   "APP:PERCENT or APP:PERCENT:KIND, KIND "
				   "worse, gain or spread, at most 1000 %",
				   err);
	if (s->sim.lies.app == ASTRA_NONE)
		return astra_error_nomem(err);
	if (s->sim.lies.app > known)
		return bad_overbid(text, "no job of the trace is of that app",
				   err);
	return 0;
}

/* The policies. */

static int add_policy(struct sfairsim_setup *s, const char *name,
		      struct astra_error *err)
{
	const struct astra_scheduler *scheduler =
		astra_scheduler_find(name, err);

	if (!scheduler)
		return -1;
	for (size_t i = 0; i < s->scheduler_count; i++)
		if (s->schedulers[i] == scheduler)
			return astra_error_set(err, "policy %s is named twice",
					       name);
	s->schedulers[s->scheduler_count++] = scheduler;
	return 0;
}

static int setup_add_named(struct sfairsim_setup *s, const char *names,
			   struct astra_error *err)
{
	char *copy = strdup(names), *rest = copy, *name;
	int rc = 0;

	if (!copy)
		return astra_error_nomem(err);
	while (!rc && (name = strsep(&rest, ",")))
		rc = add_policy(s, name, err);
	free(copy);
	return rc;
}

static int find_policies(struct sfairsim_setup *s, const char *names, bool many,
			 struct astra_error *err)
{
	const struct astra_scheduler *const *all = astra_scheduler_all();
	size_t count = 0;

	while (all[count])
		count++;
	s->schedulers = calloc(count + 1, sizeof(*s->schedulers));
	if (!s->schedulers)
		return astra_error_nomem(err);
	if (many && (!names || !strcmp(names, "all"))) {
		for (size_t i = 0; i < count; i++)
			s->schedulers[s->scheduler_count++] = all[i];
		return 0;
	}
	if (!many)
		return add_policy(s, names ? names : s->options.policy, err);
	return setup_add_named(s, names, err);
}

static void make_elastic(struct sfairsim_setup *s,
			 const struct sfairsim_args *args)
{
	uint32_t most = 0;

	for (size_t i = 0; i < s->cluster.node_count; i++)
		if (s->cluster.nodes[i].gpus > most)
			most = s->cluster.nodes[i].gpus;
	astra_trace_make_elastic(&s->trace, &args->elastic, s->cluster.gpus,
				 most);
}

int sfairsim_setup_make(struct sfairsim_setup *s,
			const struct sfairsim_args *args, bool many,
			struct astra_error *err)
{
	*s = (struct sfairsim_setup){0};
	astra_trace_init(&s->trace);
	if (read_options(s, args, err) < 0 ||
	    find_policies(s, args->policies, many, err) < 0 ||
	    setup_read_trace(s, args, err) < 0 ||
	    setup_weigh(s, args, err) < 0 || make_cluster(s, args, err) < 0)
		return -1;
	astra_cluster_set_slots(&s->cluster, args->slot_gpus);
	astra_trace_fit(&s->trace, s->cluster.gpus);
	if (args->elastic.part > 0)
		make_elastic(s, args);
	astra_trace_make_unprepared(&s->trace, args->unprepared);
	if (setup_warn(s, args->quiet, err) < 0)
		return -1;
	if (args->overbid && read_overbid(s, args->overbid, err) < 0)
		return -1;
	if (!s->trace.job_count)
		return astra_error_set(err, "%s: no job fits the cluster",
				       s->trace.source);
	return 0;
}

void sfairsim_setup_clear(struct sfairsim_setup *s)
{
	astra_trace_clear(&s->trace);
	astra_cluster_clear(&s->cluster);
	free(s->schedulers);
}

int sfairsim_check_files(const char *const *paths, size_t count,
			 struct astra_error *err)
{
	for (size_t i = 0; i < count; i++)
		if (paths[i] && astra_outfile_check(paths[i], err) < 0)
			return -1;
	return 0;
}

/* Returns the command line, nearly as it was typed; for free(). */
static char *command_line(int argc, char **argv)
{
	struct astra_text text = {0};

	astra_text_printf(&text, "sfairsim");
	for (int i = 0; i < argc; i++)
		astra_text_printf(&text, " %s", argv[i]);
	return text.bytes;
}

static int check_outputs(const struct sfairsim_args *args,
			 struct astra_error *err)
{
	const char *const paths[] = {
		args->jobs_csv, args->tenants_csv, args->intervals_csv,
		args->runs_csv, args->sizes_csv,   args->csv,
		args->json,	args->markdown,	   args->html,
	};
	const size_t count = sizeof(paths) / sizeof(*paths);

	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < i; k++)
			if (paths[i] && paths[k] && !strcmp(paths[i], paths[k]))
				return astra_error_set(
					err, "two outputs go to %s", paths[i]);
	return sfairsim_check_files(paths, count, err);
}

int sfairsim_command(const struct astra_cli *cli, int argc, char **argv,
		     bool many,
		     int (*act)(struct sfairsim_setup *setup,
				const struct sfairsim_args *args,
				struct astra_error *err))
{
	struct sfairsim_setup setup;
	struct sfairsim_args args;
	struct astra_error err = {""};
	char *command = command_line(argc, argv);
	int rc;

	sfairsim_args_init(&args);
	args.command = command ? command : "";
	rc = astra_cli_parse(cli, argc, argv, &args, &err);
	if (!rc)
		rc = check_outputs(&args, &err);
	if (!rc) {
		rc = sfairsim_setup_make(&setup, &args, many, &err);
		if (!rc)
			rc = act(&setup, &args, &err);
		if (!rc && (fflush(stdout) != 0 || ferror(stdout)))
			rc = astra_error_set(&err, "cannot write: %m");
		sfairsim_setup_clear(&setup);
	}
	free(command);
	return rc < 0 ? sfairsim_error("%s", err.text) : 0;
}
