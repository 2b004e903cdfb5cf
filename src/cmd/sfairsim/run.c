/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sfairsim run: simulates one policy, with all outputs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "src/cmd/sfairsim/batch.h"
#include "src/cmd/sfairsim/sfairsim.h"
#include "src/cmd/sfairsim/table.h"
#include "src/sim/compare.h"
#include "src/sim/outfile.h"
#include "src/sim/output.h"

#define OUTPUTS 6

/* The output files; NULL: not written. The last one is JSON. */
struct outputs {
	const char *path[OUTPUTS];
	char *own[OUTPUTS]; /* names made for the folder of --out; owned */
};

static const char *const kinds[OUTPUTS] = {"jobs", "tenants", "intervals",
					   "runs", "sizes",   NULL};

/* Sets the names of files in the folder of --out. A file with an option of its
 * own keeps its name. */
static int fill_folder(struct outputs *o, const char *folder,
		       struct astra_error *err)
{
	if (mkdir(folder, 0777) < 0 && errno != EEXIST)
		return astra_error_set(err, "%s: %s", folder, strerror(errno));
	for (size_t i = 0; i < OUTPUTS; i++) {
		if (o->path[i])
			continue;
		if (asprintf(&o->own[i], "%s/%s.%s", folder,
			     kinds[i] ? kinds[i] : "result",
			     kinds[i] ? "csv" : "json") < 0) {
			o->own[i] = NULL;
			return astra_error_nomem(err);
		}
		o->path[i] = o->own[i];
	}
	return 0;
}

static int plan_outputs(struct outputs *o, const struct sfairsim_args *args,
			struct astra_error *err)
{
	*o = (struct outputs){
		.path = {args->jobs_csv, args->tenants_csv, args->intervals_csv,
			 args->runs_csv, args->sizes_csv, args->json},
	};
	if (args->out && fill_folder(o, args->out, err) < 0)
		return -1;
	return sfairsim_check_files(o->path, OUTPUTS, err);
}

static void outputs_clear(struct outputs *o)
{
	for (size_t i = 0; i < OUTPUTS; i++)
		free(o->own[i]);
}

static int write_one(struct astra_outfiles *files, const char *path,
		     const char *kind, const struct astra_sim_result *result,
		     const struct astra_metrics *metrics,
		     struct astra_error *err)
{
	FILE *file = astra_outfiles_open(files, path, err);

	if (!file)
		return -1;
	if (!kind)
		return astra_output_json(file, result, metrics, err);
	return astra_output_csv(file, astra_rows_find(kind), result, err);
}

static int run_write_all(const struct outputs *o,
			 const struct astra_sim_result *result,
			 const struct astra_metrics *metrics,
			 struct astra_error *err)
{
	struct astra_outfiles files = {0};
	bool to_stdout = false;
	int rc = 0;

	for (size_t i = 0; !rc && i < OUTPUTS; i++) {
		if (!o->path[i])
			continue;
		to_stdout = to_stdout || !strcmp(o->path[i], "-");
		rc = write_one(&files, o->path[i], kinds[i], result, metrics,
			       err);
	}
	if (!rc)
		rc = astra_outfiles_commit(&files, err);
	astra_outfiles_clear(&files);
	if (!rc && !to_stdout)
		rc = astra_output_summary(stdout, result, metrics, err);
	return rc;
}

static void run_tell(void *arg, double done, double now_sec)
{
	(void)now_sec;
	sfairsim_progress_show(arg, done);
}

static int run_simulate(struct sfairsim_setup *s, bool quiet,
			struct astra_sim_result *result,
			struct astra_error *err)
{
	struct sfairsim_progress progress;
	int rc;

	sfairsim_progress_begin(&progress, quiet);
	s->sim.progress = run_tell;
	s->sim.progress_arg = &progress;
	rc = astra_simulate(&s->trace, &s->cluster, s->schedulers[0],
			    &s->options, &s->sim, result, err);
	sfairsim_progress_end(&progress);
	return rc;
}

static int run_and_write(struct sfairsim_setup *s,
			 const struct sfairsim_args *args,
			 struct astra_error *err)
{
	struct astra_sim_result result;
	struct astra_metrics metrics;
	struct outputs outputs;
	int rc = plan_outputs(&outputs, args, err);

	s->sim.runs = outputs.path[3] || outputs.path[5];
	if (!rc)
		rc = run_simulate(s, args->quiet, &result, err);
	if (!rc) {
		if (astra_contention(&result) < 0 ||
		    astra_metrics_compute(&result, &metrics) < 0)
			rc = astra_error_nomem(err);
		else
			rc = run_write_all(&outputs, &result, &metrics, err);
		astra_sim_result_clear(&result);
	}
	outputs_clear(&outputs);
	return rc;
}

int sfairsim_run(int argc, char **argv)
{
	static const struct astra_cli cli = {
		.name = "sfairsim run",
		.usage = "sfairsim run [OPTION]...",
		.summary = "Simulate a trace under one policy.",
		.options = sfairsim_run_options,
	};

	return sfairsim_command(&cli, argc, argv, false, run_and_write);
}

/* sfairsim compare: simulates several policies, and shows them side by side. */

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
