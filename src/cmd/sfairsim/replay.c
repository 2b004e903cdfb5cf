/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sfairsim replay: runs a trace on a live cluster, faster than the original,
 * and compares the results with a simulation. */
#include "src/cmd/sfairsim/replay.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "src/cmd/sfairsim/batch.h"
#include "src/cmd/sfairsim/sfairsim.h"
#include "src/common/clock.h"

/* A replayed job is a script. The script sleeps for the time of its remaining
 * work, resumes from checkpoints, and logs its runs. */

/* Arguments of the script: LOG MILLISECONDS. Lines of the log: "begin TIME" and
 * "end TIME WORK", with times in microseconds and work in milliseconds. */
static const char script[] =
	"#!/bin/bash\n"
	"export LC_ALL=C\n"
	"log=$1 left=$2 begin=${EPOCHREALTIME/./}\n"
	"while read -r what _ work; do\n"
	"\t[[ $what != end ]] || left=$((left - work))\n"
	"done 2>/dev/null <\"$log\"\n"
	"finish() {\n"
	"\tlocal now=${EPOCHREALTIME/./}\n"
	"\techo \"end $now ${1:-$(((now - begin) / 1000))}\" >>\"$log\"\n"
	"}\n"
	"trap 'kill $!; finish; exit 85' USR1\n"
	"echo \"begin $begin\" >>\"$log\"\n"
	"((left > 0)) || left=0\n"
	"printf -v sec '%d.%03d' $((left / 1000)) $((left % 1000))\n"
	"sleep \"$sec\" &\n"
	"wait $!\n"
	"trap '' USR1\n"
	"finish \"$left\"\n";

static int replay_folder_path(const struct replay *r, const char *name,
			      char *path, size_t size, struct astra_error *err)
{
	if ((size_t)snprintf(path, size, "%s/%s", r->folder, name) < size)
		return 0;
	return astra_error_set(err, "%s: the name is too long", r->folder);
}

static int write_script(const struct replay *r, struct astra_error *err)
{
	char path[PATH_MAX];
	FILE *file;
	int rc = 0;

	if (replay_folder_path(r, "job", path, sizeof(path), err) < 0)
		return -1;
	file = fopen(path, "we");
	if (!file)
		return astra_error_set(err, "%s: %s", path, strerror(errno));
	if (fputs(script, file) < 0 || fchmod(fileno(file), 0755) < 0)
		rc = -1;
	if (fclose(file) != 0 || rc < 0)
		return astra_error_set(err, "%s: %s", path, strerror(errno));
	return 0;
}

/* The folder with the jobs' script and their logs. (replay_job.c) All return 0,
 * or -1 with err set. */
static int replay_folder_make(struct replay *r, struct astra_error *err)
{
	const char *parent = r->args->folder ? r->args->folder : ".";
	char path[PATH_MAX - 32];
	char *real = realpath(parent, NULL);
	int used;

	if (!real)
		return astra_error_set(err, "%s: %s", parent, strerror(errno));
	used = snprintf(path, sizeof(path), "%s/sfairsim-replay.XXXXXX", real);
	free(real);
	if (used >= (int)sizeof(path))
		return astra_error_set(err, "%s: the name is too long", parent);
	if (!mkdtemp(path))
		return astra_error_set(err, "%s: %s", parent, strerror(errno));
	memcpy(r->folder, path, (size_t)used + 1);
	return write_script(r, err);
}

static void replay_folder_remove(struct replay *r)
{
	char path[PATH_MAX];
	DIR *dir = *r->folder ? opendir(r->folder) : NULL;
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (*entry->d_name != '.' &&
		    replay_folder_path(r, entry->d_name, path, sizeof(path),
				       NULL) == 0)
			unlink(path);
	if (dir)
		closedir(dir);
	if (*r->folder)
		rmdir(r->folder);
	*r->folder = '\0';
}

/* Reads a job's log. A killed run has no end in the log, and its work is
 * lost. */
static void read_log(struct replay *r, FILE *file, struct replay_job *job,
		     double duration_sec)
{
	char line[256];

	job->work_sec = job->last_sec = 0;
	job->runs = 0;
	job->end_sec = -1;
	while (fgets(line, sizeof(line), file)) {
		double usec, work_msec;

		if (sscanf(line, "begin %lf", &usec) == 1) {
			job->runs++;
			job->last_sec = 0;
		}
		if (sscanf(line, "end %lf %lf", &usec, &work_msec) != 2)
			continue;
		job->last_sec = work_msec / 1e3;
		job->work_sec += job->last_sec;
		if (job->work_sec >= duration_sec - 1e-3)
			job->end_sec = usec / 1e6 - r->begin_unix;
	}
}

/* Reads all logs into the jobs. After this only what sacct knows is missing. */
static int replay_read_logs(struct replay *r, struct astra_error *err)
{
	for (uint32_t i = 0; i < r->setup->trace.job_count; i++) {
		char name[32], path[PATH_MAX];
		FILE *file;

		snprintf(name, sizeof(name), "%u.log", i);
		if (replay_folder_path(r, name, path, sizeof(path), err) < 0)
			return -1;
		file = fopen(path, "re");
		if (file) {
			read_log(r, file, &r->jobs[i],
				 r->setup->trace.jobs[i].duration_sec);
			fclose(file);
		}
		if (r->jobs[i].end_sec < 0)
			return astra_error_set(
				err,
				"job %s (line %u of %s), Slurm's job %u, ended without having done its work",
				r->setup->trace.jobs[i].name,
				r->setup->trace.jobs[i].line,
				r->setup->trace.source, r->jobs[i].id);
	}
	return 0;
}

#define SILENCE_MAX_SEC 120 /* slurmctld may be restarted meanwhile */
#define CANCEL_SEC 60
#define LOOK_SEC 1

volatile sig_atomic_t replay_stop;

static void replay_on_signal(int number)
{
	(void)number;
	replay_stop = 1;
}

static void replay_catch_signals(void)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction action = {.sa_handler = replay_on_signal};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		sigaction(numbers[i], &action, NULL);
}

void replay_sleep(double sec)
{
	struct timespec span = {
		.tv_sec = (time_t)sec,
		.tv_nsec = (long)((sec - floor(sec)) * 1e9),
	};

	if (sec > 0)
		nanosleep(&span, NULL);
}

static int interrupted(struct astra_error *err)
{
	return astra_error_set(err, "interrupted");
}

/* Scales the times of a job's utility to the replay's speed. All jobs get the
 * user who replays them. */
static int scale_worth(struct replay *r, uint32_t job)
{
	struct sfairsim_setup *s = r->setup;
	struct astra_utility u;

	u = astra_trace_job_utility(&s->trace, job, s->sim.seed);
	u = astra_utility_scaled(&u, r->args->scale);
	s->trace.jobs[job].utility = astra_trace_utility(&s->trace, &u);
	s->trace.jobs[job].user = astra_trace_user(&s->trace, r->name);
	if (s->trace.jobs[job].utility == ASTRA_NONE ||
	    s->trace.jobs[job].user == ASTRA_NONE)
		return -1;
	return 0;
}

/* Scales the trace to the replay's speed and to the cluster's nodes. Removes
 * time limits, as these are for runs without interruptions. */
static void scale_trace(struct replay *r)
{
	struct sfairsim_setup *s = r->setup;
	uint32_t largest = 1;

	for (size_t i = 0; i < s->cluster.node_count; i++)
		if (s->cluster.nodes[i].gpus > largest)
			largest = s->cluster.nodes[i].gpus;
	for (size_t i = 0; i < s->trace.job_count; i++) {
		struct astra_trace_job *t = &s->trace.jobs[i];
		uint32_t least = (t->gpus + largest - 1) / largest;

		t->submit_sec /= r->args->scale;
		t->duration_sec =
			fmax(1, round(t->duration_sec / r->args->scale * 1e3)) /
			1e3;
		t->limit_sec = 0;
		if (t->nodes < least || t->nodes > t->gpus)
			t->nodes = least;
	}
}

/* Submits each job when it is due. */
static int submit_all(struct replay *r, struct astra_error *err)
{
	const struct astra_trace *trace = &r->setup->trace;

	r->begin_unix = astra_now_sec(CLOCK_REALTIME);
	for (uint32_t i = 0; i < trace->job_count; i++) {
		double due = r->begin_unix + trace->jobs[i].submit_sec;

		while (!replay_stop && due > astra_now_sec(CLOCK_REALTIME))
			replay_sleep(due - astra_now_sec(CLOCK_REALTIME));
		if (replay_stop)
			return interrupted(err);
		if (replay_submit(r, i, err) < 0)
			return -1;
	}
	return 0;
}

static int wait_for_all(struct replay *r, struct astra_error *err)
{
	struct sfairsim_progress progress;
	double heard = astra_now_sec(CLOCK_REALTIME);
	size_t active = r->submitted;
	int rc = 0;

	sfairsim_progress_begin(&progress, r->args->quiet);
	while (!rc && active) {
		replay_sleep(LOOK_SEC);
		if (replay_stop)
			rc = interrupted(err);
		else if (replay_count_active(r, &active, err) == 0)
			heard = astra_now_sec(CLOCK_REALTIME);
		else if (astra_now_sec(CLOCK_REALTIME) >
			 heard + SILENCE_MAX_SEC)
			rc = -1;
		sfairsim_progress_show(
			&progress, 1 - (double)active / (double)r->submitted);
	}
	sfairsim_progress_end(&progress);
	return rc;
}

/* Cancels all submitted jobs, and waits until Slurm has none of them. */
static void withdraw(struct replay *r)
{
	double until = astra_now_sec(CLOCK_REALTIME) + CANCEL_SEC;
	struct astra_error err = {""};
	size_t active = r->submitted;
	bool told = false;

	while (active && astra_now_sec(CLOCK_REALTIME) < until) {
		told = told || replay_cancel(r, &err) == 0;
		if (told && replay_count_active(r, &active, &err) == 0 &&
		    !active)
			return;
		replay_sleep(LOOK_SEC);
	}
	if (active)
		sfairsim_error("jobs may be left, end them by scancel "
			       "--name=%s%s%s",
			       r->name, *err.text ? ": " : "", err.text);
}

/* Collects GPU times and ends of jobs from the logs, sfair and sacct. Without
 * accounting sacct fails. */
static int look_back(struct replay *r, struct astra_error *err)
{
	if (replay_read_logs(r, err) < 0)
		return -1;
	/* Wait until the engine knows of the last job's end, too. */
	replay_sleep(r->setup->options.round_sec + LOOK_SEC);
	if (replay_ask_tenants(r, false, err) < 0)
		return -1;
	if (replay_ask_sacct(r, err) < 0) {
		if (!strstr(err->text, "disabled"))
			return -1;
		r->accounted = false;
	}
	replay_measure(r);
	return 0;
}

/* Simulates the same submissions at the same times, on the same cluster and
 * with the same options. */
static int replay_simulate(struct replay *r, struct astra_sim_result *result,
			   struct astra_error *err)
{
	struct sfairsim_setup *s = r->setup;

	for (size_t i = 0; i < s->trace.job_count; i++)
		s->trace.jobs[i].submit_sec =
			r->jobs[i].submit_sec - r->jobs[0].submit_sec;
	s->sim.cold_start_sec = fmax(0, r->start_sec);
	s->sim.checkpoint_sec = r->checkpoint_sec;
	s->sim.runs = true;
	return astra_simulate(&s->trace, &s->cluster, s->schedulers[0],
			      &s->options, &s->sim, result, err);
}

static int replay_play(struct replay *r, struct astra_error *err)
{
	struct astra_sim_result result;
	int rc;

	if (submit_all(r, err) < 0 || wait_for_all(r, err) < 0 ||
	    look_back(r, err) < 0 || replay_simulate(r, &result, err) < 0)
		return -1;
	rc = replay_report(r, &result, err);
	astra_sim_result_clear(&result);
	return rc;
}

/* Gets the cluster's nodes and its astraea.conf, unless the arguments name
 * others. */
static int ask_cluster(const struct replay *r, struct sfairsim_args *args,
		       char *nodes, char *conf, struct astra_error *err)
{
	if (!args->config) {
		if (replay_find_conf(conf, PATH_MAX, err) < 0)
			return -1;
		args->config = conf;
	}
	if (args->nodes || args->gpus || args->cluster_file)
		return 0;
	if (replay_folder_path(r, "cluster.csv", nodes, PATH_MAX, err) < 0 ||
	    replay_write_cluster(args->partition, nodes, err) < 0)
		return -1;
	args->cluster_file = nodes;
	return 0;
}

/* Warns of the trace's defects, after the cluster's weights are known. */
static int replay_warn(struct replay *r, struct astra_error *err)
{
	struct astra_trace *trace = &r->setup->trace;
	char *text;

	trace->defects[ASTRA_DEFECT_QUOTA] = (struct astra_defect_count){0};
	astra_trace_fit(trace, r->setup->cluster.gpus);
	text = astra_trace_defects_text(trace);
	if (!text)
		return astra_error_nomem(err);
	if (!r->args->quiet)
		fputs(text, stderr);
	free(text);
	return 0;
}

static int replay_prepare(struct replay *r, struct sfairsim_setup *s,
			  struct astra_error *err)
{
	r->setup = s;
	r->jobs = calloc(s->trace.job_count, sizeof(*r->jobs));
	r->tenants = calloc(s->trace.tenant_count, sizeof(*r->tenants));
	if (!r->jobs || !r->tenants)
		return astra_error_nomem(err);
	for (uint32_t i = 0; i < s->trace.job_count; i++)
		if (scale_worth(r, i) < 0)
			return astra_error_nomem(err);
	scale_trace(r);
	if (replay_ask_tenants(r, true, err) < 0)
		return -1;
	return replay_warn(r, err);
}

static int replay(const struct sfairsim_args *args, struct astra_error *err)
{
	struct sfairsim_args here = *args;
	const char *const files[] = {args->csv, args->json};
	struct replay r = {.args = args};
	struct sfairsim_setup setup = {.scheduler_count = 0};
	char nodes[PATH_MAX], conf[PATH_MAX];
	int rc = -1;

	here.quiet = true; /* replay_warn() warns later, once the weights are
			    * known */
	snprintf(r.name, sizeof(r.name), "sfairsim-replay-%ld-%.0f",
		 (long)getpid(), astra_now_sec(CLOCK_REALTIME));
	if (sfairsim_check_files(files, 2, err) == 0 &&
	    replay_folder_make(&r, err) == 0 &&
	    ask_cluster(&r, &here, nodes, conf, err) == 0 &&
	    sfairsim_setup_make(&setup, &here, false, err) == 0 &&
	    replay_prepare(&r, &setup, err) == 0)
		rc = replay_play(&r, err);
	if (rc < 0 && r.submitted)
		withdraw(&r);
	replay_folder_remove(&r);
	free(r.jobs);
	free(r.tenants);
	free(r.runs);
	astra_idmap_clear(&r.by_id);
	sfairsim_setup_clear(&setup);
	return rc;
}

int sfairsim_replay(int argc, char **argv)
{
	static const struct astra_cli cli = {
		.name = "sfairsim replay",
		.usage = "sfairsim replay [OPTION]...",
		.summary = "Run a trace on a live cluster, in a fraction of "
			   "its time, and compare.",
		.options = sfairsim_replay_options,
	};
	struct sfairsim_args args;
	struct astra_error err = {""};
	int rc;

	sfairsim_args_init(&args);
	rc = astra_cli_parse(&cli, argc, argv, &args, &err);
	if (rc)
		return rc < 0 ? sfairsim_error("%s", err.text) : 0;
	if (!(args.scale > 0))
		return sfairsim_error("how much faster? --scale=N");
	replay_catch_signals();
	return replay(&args, &err) < 0 ? sfairsim_error("%s", err.text) : 0;
}
