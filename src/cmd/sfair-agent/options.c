/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/cmd/sfair-agent/options.h"

#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/client/place.h"
#include "src/policy/stated.h"

/* Seconds between offers. */
#define INTERVAL_MIN 0.1
#define INTERVAL_MAX 86400

enum {
	OPT_SEND = 256,
	OPT_APP,
	OPT_CHILD,
	OPT_DRY_RUN,
	OPT_EXIT,
	OPT_INTERVAL,
	OPT_JOB,
	OPT_LOG,
	OPT_ONCE,
	OPT_SCHEDULER,
};

/* "+": what follows the first word that is no option is the command's. */
static const char short_options[] = "+:hvV";

static const struct option long_options[] = {
	{"app", required_argument, NULL, OPT_APP},
	{"child", required_argument, NULL, OPT_CHILD},
	{"dry-run", no_argument, NULL, OPT_DRY_RUN},
	{"epochs", required_argument, NULL, OPT_LOG},
	{"exit", required_argument, NULL, OPT_EXIT},
	{"fields", required_argument, NULL, OPT_LOG},
	{"help", no_argument, NULL, 'h'},
	{"interval", required_argument, NULL, OPT_INTERVAL},
	{"job", required_argument, NULL, OPT_JOB},
	{"log", required_argument, NULL, OPT_LOG},
	{"once", no_argument, NULL, OPT_ONCE},
	{"progress", required_argument, NULL, OPT_LOG},
	{"scheduler", required_argument, NULL, OPT_SCHEDULER},
	{"send", required_argument, NULL, OPT_SEND},
	{"verbose", no_argument, NULL, 'v'},
	{"version", no_argument, NULL, 'V'},
	{NULL, 0, NULL, 0},
};

static int bad_option(int option, char **argv, struct astra_error *err)
{
	const char *word = argv[optind - 1];

	if (option == ':')
		return astra_error_set(
			err, "%.64s needs a value: see sfair-agent --help",
			word);
	if (optopt && !strncmp(word, "--", 2))
		return astra_error_set(err, "%.64s: the option takes no value",
				       word);
	return astra_error_set(
		err, "unknown option %.64s: see sfair-agent --help", word);
}

static int read_send(const char *text, int *out, struct astra_error *err)
{
	const char *name = strncmp(text, "SIG", 3) ? text : text + 3;

	*out = sfair_place_signal(name);
	if (!*out || *out == SIGKILL || *out == SIGSTOP)
		return astra_error_set(
			err,
			"--send=%.64s: a signal that can be caught, as TERM or USR1",
			text);
	return 0;
}

static int read_exit(const char *text, int *out, struct astra_error *err)
{
	char *end;
	long code = strtol(text, &end, 10);

	if (end == text || *end || code < 1 || code > 255)
		return astra_error_set(
			err, "--exit=%.64s: a number from 1 to 255", text);
	*out = (int)code;
	return 0;
}

static int read_number(const char *name, const char *text, double low,
		       double high, double *out, struct astra_error *err)
{
	if (astra_stated_number(text, high, out) && *out >= low)
		return 0;
	return astra_error_set(err, "--%s=%.64s: a number from %g to %g", name,
			       text, low, high);
}

static int read_job(const char *text, uint32_t *out, struct astra_error *err)
{
	char *end;
	unsigned long number = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || !number ||
	    number >= UINT32_MAX)
		return astra_error_set(err, "--job=%.64s: the number of a job",
				       text);
	*out = (uint32_t)number;
	return 0;
}

/* What the SPANK plugin says: PID,FD,FD. */
static int read_child(const char *text, struct agent_task *out,
		      struct astra_error *err)
{
	if (sscanf(text, "%d,%d,%d", &out->pid, &out->outputs[0],
		   &out->outputs[1]) == 3 &&
	    out->pid > 0)
		return 0;
	return astra_error_set(err, "--child=%.64s: the SPANK plugin says it",
			       text);
}

/* The options of the agent of an app. */
static int apply_watch(int option, char **argv, struct agent_watch *w,
		       struct astra_error *err)
{
	switch (option) {
	case OPT_APP:
		w->app = optarg;
		if (*optarg && strlen(optarg) < AGENT_NAME_MAX)
			return 0;
		return astra_error_set(err,
				       "--app=%.64s: a name as in "
				       "sbatch --app",
				       optarg);
	case OPT_DRY_RUN:
		w->dry_run = true;
		return 0;
	case OPT_INTERVAL:
		return read_number("interval", optarg, INTERVAL_MIN,
				   INTERVAL_MAX, &w->interval_sec, err);
	case OPT_JOB:
		return read_job(optarg, &w->job, err);
	case OPT_ONCE:
		w->once = true;
		return 0;
	case OPT_SCHEDULER:
		return agent_settings_read(&w->settings, optarg, err);
	default:
		return bad_option(option, argv, err);
	}
}

static int apply(int option, const char *name, char **argv,
		 struct agent_options *o, struct astra_error *err)
{
	switch (option) {
	case 'h':
		o->help = true;
		return 0;
	case 'v':
		o->verbose = true;
		return 0;
	case 'V':
		o->version = true;
		return 0;
	case OPT_SEND:
		return read_send(optarg, &o->send, err);
	case OPT_EXIT:
		return read_exit(optarg, &o->exit, err);
	case OPT_CHILD:
		return read_child(optarg, &o->task, err);
	case OPT_LOG:
		return agent_log_option(&o->log, name, optarg, err);
	default:
		return apply_watch(option, argv, &o->watch, err);
	}
}

static int check_alone(const struct agent_options *o, struct astra_error *err)
{
	const char *extra = *o->words	  ? *o->words
			    : o->send	  ? "--send"
			    : o->exit	  ? "--exit"
			    : o->log.path ? "--log"
					  : NULL;

	if (!extra)
		return 0;
	return astra_error_set(
		err, "the agent of an app runs no command: %.64s is too much",
		extra);
}

/* Which of the two it is: the agent of an app, or the companion of a job. */
static int check(const struct agent_options *o, struct astra_error *err)
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
	if (!*o->words && !o->task.pid)
		return astra_error_set(
			err, "which command? sfair-agent [OPTION]... -- CMD "
			     "[ARG]...: see sfair-agent --help");
	return 0;
}

int agent_options_read(int argc, char **argv, struct agent_options *o,
		       struct astra_error *err)
{
	int option, which = 0;

	*o = (struct agent_options){0};
	opterr = 0;
	optind = 0; /* anew, with "+" */
	while ((option = getopt_long(argc, argv, short_options, long_options,
				     &which)) != -1)
		if (apply(option, long_options[which].name, argv, o, err) < 0)
			return -1;
	o->words = argv + optind;
	if (o->help || o->version)
		return 0;
	if (agent_log_complete(&o->log, err) < 0 || check(o, err) < 0)
		return -1;
	o->watch.verbose = o->verbose;
	return o->watch.settings.scheduler
		       ? 0
		       : agent_settings_read(&o->watch.settings, "single", err);
}
