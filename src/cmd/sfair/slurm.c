/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The uses of Slurm's library: it finds the configuration for this host, and
 * asks slurmctld where the plugin listens. */
#include "src/cmd/sfair/slurm.h"

#include <config.h> /* Slurm's */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "slurm/slurm.h"
#include "slurm/slurm_errno.h"
#include "src/cmd/sfair/sfair.h"
#include "src/common/log.h"
#include "src/common/parse_time.h"
#include "src/common/read_config.h"
#include "src/common/xmalloc.h"

/* Shorter than Slurm's own timeouts, as a user waits here. */
#define MESSAGE_SEC 5
#define STANDBY_SEC 2

#define SLURM_AGAIN "SFAIR_CONFIGURATION_AGAIN" /* in the environment */
#define AGAIN_USEC 500000

char **sfair_argv;

/* Set while the configuration is being read: what the user can do if that
 * fails. */
static const char *loading;
static pid_t loader; /* the process that reads the configuration; Slurm may fork
		      * a child for it */

/* Starts the program again with the same arguments, but only once. */
static void slurm_begin_again(void)
{
	if (!sfair_argv || getenv(SLURM_AGAIN) || setenv(SLURM_AGAIN, "1", 1))
		return;
	usleep(AGAIN_USEC);
	execv("/proc/self/exe", sfair_argv);
}

/* Explains why Slurm ended the program: its configuration is missing or wrong.
 * Slurm's own messages do not help a user of sfair.
 *
 * First starts the program again: a slurmctld that is being reconfigured may
 * fail for a moment to send the configuration. */
static void explain_exit(void)
{
	if (!loading || loader != getpid())
		return;
	slurm_begin_again();
	fprintf(stderr,
		"sfair: error: Slurm's configuration cannot be read on this host: sinfo says why; or %s\n",
		loading);
}

static void slurm_begin(const char *otherwise)
{
	loading = otherwise;
	loader = getpid();
}

int sfair_load_slurm_conf(const char *otherwise, struct astra_error *err)
{
	static bool loaded;
	log_options_t quiet = LOG_OPTS_INITIALIZER;
	const char *named = getenv("SLURM_CONF");
	char name[] = "sfair";

	if (loaded)
		return 0;
	if (named && access(named, R_OK) < 0)
		return astra_error_set(
			err,
			"SLURM_CONF=%s: %s: unset it, name the cluster's slurm.conf, or %s",
			named, strerror(errno), otherwise);
	quiet.stderr_level = LOG_LEVEL_QUIET;
	quiet.syslog_level = LOG_LEVEL_QUIET;
	quiet.logfile_level = LOG_LEVEL_QUIET;
	log_init(name, quiet, 0, NULL);
	atexit(explain_exit);
	slurm_begin(otherwise);
	slurm_conf_init(NULL);
	loading = NULL;
	loaded = true;
	return 0;
}

/* Also loads Slurm's plugins, which are needed from 23.11 on to ask slurmctld.
 * They are loaded only here, so that our own plugin can be asked even if they
 * are missing. Returns whether Slurm can be asked. */
bool sfair_slurm_known(void)
{
	static const char *const otherwise = "unset SLURM_CONF";
	static bool ready;
	const char *named = getenv("SLURM_CONF");
	struct astra_error err;

	/* Read the configuration only if SLURM_CONF names it: a failure would
	 * end the program. */
	if (!slurm_conf.control_addr &&
	    (!named || access(named, R_OK) < 0 ||
	     sfair_load_slurm_conf(otherwise, &err) < 0))
		return false;
	if (ready)
		return true;
	slurm_begin(otherwise);
	slurm_init(NULL);
	loading = NULL;
	if (slurm_conf.msg_timeout > MESSAGE_SEC)
		slurm_conf.msg_timeout = MESSAGE_SEC;
	if (slurm_conf.slurmctld_timeout > STANDBY_SEC)
		slurm_conf.slurmctld_timeout = STANDBY_SEC;
	return ready = true;
}

int sfair_cluster_name(const char **name, const char *otherwise,
		       struct astra_error *err)
{
	if (sfair_load_slurm_conf(otherwise, err) < 0)
		return -1;
	if (!*name)
		*name = slurm_conf.cluster_name;
	return 0;
}

/* Whether a controller answers a ping. If a controller answers with an error,
 * the state is SFAIR_SLURM_REFUSES. This is also the state if a controller
 * closes the connection without an answer, as it does for a credential that it
 * cannot read. */
static bool slurm_ping_all(struct sfair_slurm *out)
{
	out->state = SFAIR_SLURM_SILENT;
	for (uint32_t i = 0; i < slurm_conf.control_cnt; i++) {
		errno = 0;
		if (slurm_ping((int)i) == SLURM_SUCCESS) {
			out->index = i;
			return true;
		}
		if (out->state == SFAIR_SLURM_SILENT)
			out->index = i;
		if (errno != SLURMCTLD_COMMUNICATIONS_CONNECTION_ERROR)
			out->state = SFAIR_SLURM_REFUSES;
		out->why = slurm_strerror(errno);
	}
	return false;
}

static size_t slurm_index_of(const char *host, size_t otherwise)
{
	for (uint32_t i = 0; i < slurm_conf.control_cnt; i++)
		if (!strcmp(slurm_conf.control_machine[i], host))
			return i;
	return otherwise;
}

/* Asks for the status of the plugin. Only the controller in charge answers
 * this; others answer only pings. */
static void slurm_ask_status(struct sfair_slurm *out)
{
	char *text = NULL;

	errno = 0;
	if (slurm_load_burst_buffer_stat(0, NULL, &text) != SLURM_SUCCESS) {
		out->state = errno == SLURMCTLD_COMMUNICATIONS_CONNECTION_ERROR
				     ? SFAIR_SLURM_SILENT
				     : SFAIR_SLURM_REFUSES;
		out->why = slurm_strerror(errno);
	} else if (!astra_status_read(text, &out->status)) {
		out->state = SFAIR_SLURM_WITHOUT;
	} else {
		out->state = SFAIR_SLURM_PLUGIN;
		out->index = slurm_index_of(out->status.host, out->index);
	}
	xfree(text);
}

/* Pings first, unless the controllers share an address: a ping goes to each
 * host's own address, which may then be blocked. */
void sfair_slurm_ask(struct sfair_slurm *out)
{
	*out = (struct sfair_slurm){.state = SFAIR_SLURM_UNKNOWN};
	if (sfair_slurm_known() &&
	    (slurm_conf.slurmctld_addr || slurm_ping_all(out)))
		slurm_ask_status(out);
}

bool sfair_on_controller(void)
{
	for (uint32_t i = 0; i < slurm_conf.control_cnt; i++)
		if (sfair_is_here(slurm_conf.control_machine[i]))
			return true;
	return false;
}

const char *sfair_slurm_host(size_t index)
{
	return index < slurm_conf.control_cnt
		       ? slurm_conf.control_machine[index]
		       : "?";
}

/* Reads times in the formats of Slurm's commands, with Slurm's own parser. */

/* Parses a time without output from Slurm: our own error has more details. */
static time_t parse_quietly(const char *text)
{
	int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	int saved = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	time_t when;

	fflush(stderr);
	if (saved >= 0 && nowhere >= 0)
		dup2(nowhere, STDERR_FILENO);
	when = parse_time(text, 1);
	fflush(stderr);
	if (saved >= 0 && nowhere >= 0)
		dup2(saved, STDERR_FILENO);
	if (saved >= 0)
		close(saved);
	if (nowhere >= 0)
		close(nowhere);
	return when;
}

int sfair_parse_time(const char *key, const char *text, double *sec,
		     struct astra_error *err)
{
	*sec = (double)parse_quietly(text);
	if (*sec > 0)
		return 0;
	return astra_error_set(err,
			       "%s=%.64s: is no time; allowed: HH:MM[:SS], "
			       "MM/DD[/YY], YYYY-MM-DD[THH:MM[:SS]], "
			       "now[-COUNT[days|hours|minutes]], today, "
			       "midnight",
			       key, text);
}

static void find_yesterday(double *start_sec, double *end_sec)
{
	time_t now = time(NULL);
	struct tm day;

	localtime_r(&now, &day);
	day.tm_hour = day.tm_min = day.tm_sec = 0;
	day.tm_isdst = -1;
	*end_sec = (double)mktime(&day);
	day.tm_mday--;
	day.tm_isdst = -1;
	*start_sec = (double)mktime(&day);
}

int sfair_parse_window(const char *start, const char *end, double *start_sec,
		       double *end_sec, struct astra_error *err)
{
	find_yesterday(start_sec, end_sec);
	if (start && sfair_parse_time("start", start, start_sec, err) < 0)
		return -1;
	if (*start_sec >= *end_sec)
		*end_sec = (double)time(NULL);
	if (end && sfair_parse_time("end", end, end_sec, err) < 0)
		return -1;
	if (*start_sec < *end_sec)
		return 0;
	return astra_error_set(err, "end=%.64s is not after start=%.64s",
			       end ? end : "now", start ? start : "yesterday");
}
