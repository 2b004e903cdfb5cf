/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/cmd/sfair-agent/options.h"

#include <float.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/client/place.h"

static int compile_last(struct agent_log *log, struct astra_error *err)
{
	const char *text = log->text, *fields = log->fields;

	log->text = log->fields = NULL;
	return text ? agent_patterns_add(&log->patterns, text, fields, err) : 0;
}

static int set_path(const struct astra_cli_option *row, void *at,
		    const char *value, struct astra_error *err)
{
	return *value ? astra_cli_text(row, at, value, err)
		      : astra_error_set(err, "is empty");
}

static int log_add_progress(const struct astra_cli_option *row, void *at,
			    const char *value, struct astra_error *err)
{
	struct agent_log *log = at;

	(void)row;
	if (compile_last(log, err) < 0)
		return -1;
	log->text = value;
	return 0;
}

static int set_fields(const struct astra_cli_option *row, void *at,
		      const char *value, struct astra_error *err)
{
	struct agent_log *log = at;

	(void)row;
	if (!log->text || log->fields)
		return astra_error_set(err, "goes behind its --progress");
	log->fields = value;
	return 0;
}

/* The options that fill a struct agent_log. */
static const struct astra_cli_option log_options[] = {
	{"progress", 0, "REGEX",
	 "lines that tell it, or one of tensorflow, tqdm, lightning, huggingface; several may be given",
	 .set = log_add_progress},
	{"fields", 0, "NAME,...",
	 "what the groups of the last REGEX are: done, total, loss, sec, rate, epoch, saved, none [done,total,loss,sec]",
	 .set = set_fields},
	{"log", 0, "FILE", "where the lines are; -: what CMD prints [-]",
	 ASTRA_CLI_BY(set_path, struct agent_log, path)},
	{"epochs", 0, "N", "how many epochs all its work has",
	 ASTRA_CLI_IN(struct agent_log, epochs), .least = DBL_MIN, .most = 1e9},
	ASTRA_CLI_END,
};

/* Compile the last pattern once all options were read, and check that the
 * options are consistent. Returns 0, or -1 with err set. */
static int agent_log_complete(struct agent_log *log, struct astra_error *err)
{
	if (compile_last(log, err) < 0)
		return -1;
	if (log->patterns.count) {
		if (!log->path)
			log->path = "-";
		return 0;
	}
	if (log->path || log->epochs > 0)
		return astra_error_set(
			err, "--%s goes with --progress: what is to be read?",
			log->path ? "log" : "epochs");
	return 0;
}

#define IN(member) ASTRA_CLI_IN(struct agent_options, member)
#define BY(setter, member) ASTRA_CLI_BY(setter, struct agent_options, member)

static int set_send(const struct astra_cli_option *row, void *at,
		    const char *value, struct astra_error *err)
{
	const char *name = strncmp(value, "SIG", 3) ? value : value + 3;
	int *out = at;

	(void)row;
	*out = sfair_place_signal(name);
	if (!*out || *out == SIGKILL || *out == SIGSTOP)
		return astra_error_set(
			err, "a signal that can be caught, as TERM or USR1");
	return 0;
}

static int set_job(const struct astra_cli_option *row, void *at,
		   const char *value, struct astra_error *err)
{
	if (astra_cli_u32(row, at, value, err) < 0)
		return astra_error_set(err, "the number of a job");
	return 0;
}

static int set_checkpointer(const struct astra_cli_option *row, void *at,
			    const char *value, struct astra_error *err)
{
	if (strcmp(value, "criu") != 0 && *value != '/')
		return astra_error_set(
			err, "criu, or the absolute path of a program");
	return astra_cli_text(row, at, value, err);
}

/* Read the value that the SPANK plugin gives: PID,FD,FD. */
static int set_child(const struct astra_cli_option *row, void *at,
		     const char *value, struct astra_error *err)
{
	struct agent_task *out = at;

	(void)row;
	if (sscanf(value, "%d,%d,%d", &out->pid, &out->outputs[0],
		   &out->outputs[1]) == 3 &&
	    out->pid > 0)
		return 0;
	return astra_error_set(err, "the SPANK plugin says it");
}

static int options_set_app(const struct astra_cli_option *row, void *at,
			   const char *value, struct astra_error *err)
{
	if (!*value || strlen(value) >= AGENT_NAME_MAX)
		return astra_error_set(err, "a name as in sbatch --app");
	return astra_cli_text(row, at, value, err);
}

static int set_scheduler(const struct astra_cli_option *row, void *at,
			 const char *value, struct astra_error *err)
{
	(void)row;
	return agent_settings_read(at, value, err);
}

static const struct astra_cli_option options[] = {
	ASTRA_CLI_HEADING("Signals"),
	{"send", 0, "SIGNAL", "send them this one in its place, as TERM",
	 BY(set_send, send)},
	{"exit", 0, "CODE",
	 "and once it was sent, end with this code if CMD fails", IN(exit),
	 .least = 1, .most = 255},
	{"child", 0, "TASK", NULL, BY(set_child, task)},
	ASTRA_CLI_HEADING("Programs that cannot checkpoint"),
	{"checkpoint-with", 0, "NAME",
	 "dump CMD's processes when the lease ends and restore them when the job starts again: criu, or a PROGRAM of one's own",
	 BY(set_checkpointer, with)},
	{"checkpoint-dir", 0, "DIR", "where dumps are kept [.]",
	 BY(set_path, checkpoint_dir)},
	ASTRA_CLI_HEADING("Progress, of what CMD writes"),
	{.rows = log_options, .offset = offsetof(struct agent_options, log)},
	ASTRA_CLI_HEADING("Apps"),
	{"app", 0, "NAME", "of that sbatch --app",
	 BY(options_set_app, watch.app)},
	{"job", 0, "NUMBER", "of that job, or of its array",
	 BY(set_job, watch.job), .least = 1, .most = UINT32_MAX - 1},
	{"scheduler", 0, "NAME",
	 "single, halving[:KEY=VALUE,...], curve[:...] or exec:PROGRAM [single]",
	 BY(set_scheduler, watch.settings)},
	{"interval", 0, "SECONDS", "ask so often [10, or as the plugin wishes]",
	 IN(watch.interval_sec), .least = 0.1, .most = 86400},
	{"once", 0, NULL, "ask and bid once", IN(watch.once)},
	{"dry-run", 0, NULL, "print what it would do", IN(watch.dry_run)},
	ASTRA_CLI_HEADING("Others"),
	ASTRA_CLI_HELP,
	{"verbose", 'v', NULL, "say on standard error what it does",
	 IN(verbose)},
	ASTRA_CLI_VERSION,
	ASTRA_CLI_END,
};

static const struct astra_cli cli = {
	.name = "sfair-agent",
	.usage = "sfair-agent [OPTION]... -- CMD [ARG]...\n"
		 "       sfair-agent --app=NAME|--job=NUMBER [OPTION]...",
	.summary =
		"Run CMD and hand the job's checkpoint signal on to all processes below it that\n"
		"catch it. Or watch over an app: bid for GPUs, say which of its jobs are to have\n"
		"them, and end those that the search gives up.",
	.options = options,
	.end = "Exit status: CMD's; 127 if it is not found, 126 if it cannot be run, 125 for a\n"
	       "wrong option, 124 if --checkpoint-with cannot work here. Of an app: 0 when its\n"
	       "jobs are over, else 1.",
	.stop = true,
};

static int check_alone(const struct agent_options *o, struct astra_error *err)
{
	const char *extra = *o->words	  ? *o->words
			    : o->send	  ? "--send"
			    : o->exit	  ? "--exit"
			    : o->with	  ? "--checkpoint-with"
			    : o->log.path ? "--log"
					  : NULL;

	if (!extra)
		return 0;
	return astra_error_set(
		err, "the agent of an app runs no command: %.64s is too much",
		extra);
}

/* Check the options for the agent's role: either the agent of an app, or the
 * companion of a job. */
static int options_check(const struct agent_options *o, struct astra_error *err)
{
	const struct agent_watch *w = &o->watch;

	if (w->app && w->job)
		return astra_error_set(err, "name the app by --app or by "
					    "--job, not by both");
	if (agent_watches(o))
		return check_alone(o, err);
	if (w->settings.scheduler || w->interval_sec > 0 || w->once ||
	    w->dry_run)
		return astra_error_set(err, "which app? --app=NAME or "
					    "--job=NUMBER");
	if (o->checkpoint_dir && !o->with)
		return astra_error_set(err, "--checkpoint-dir goes with "
					    "--checkpoint-with");
	if (o->with && o->send)
		return astra_error_set(err, "--send and --checkpoint-with do "
					    "not go together: the program "
					    "gets no signal");
	if (!*o->words && !o->task.pid)
		return astra_error_set(
			err, "which command? sfair-agent [OPTION]... -- CMD "
			     "[ARG]...: see sfair-agent --help");
	return 0;
}

int agent_options_read(int argc, char **argv, struct agent_options *o,
		       struct astra_error *err)
{
	int rc;

	*o = (struct agent_options){0};
	rc = astra_cli_parse(&cli, argc, argv, o, err);
	o->words = argv + optind;
	if (rc > 0 && o->task.pid)
		return astra_error_set(err, "its help goes beside no task");
	if (rc)
		return rc;
	if (agent_log_complete(&o->log, err) < 0 || options_check(o, err) < 0)
		return -1;
	o->watch.verbose = o->verbose;
	return o->watch.settings.scheduler
		       ? 0
		       : agent_settings_read(&o->watch.settings, "single", err);
}
