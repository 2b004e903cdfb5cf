/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options --lease, --app, --bid, --agent and those on a job's work for
 * sbatch, srun and salloc. The file of --bid is read at submission.
 *
 * What the user gives goes into the job's SPANK environment as ASTRAEA_LEASE
 * and so on. job_submit/astraea checks it there against the pool's bounds. Here
 * only the syntax is checked.
 *
 * slurmd and slurmstepd load this file too. There the options exist only so
 * that they are known, except that slurmstepd uses --agent and
 * --checkpoint-with. For a batch script without --signal=B:, slurmstepd also
 * starts the forwarder of the checkpoint signal. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <slurm/slurm.h>
#include <slurm/spank.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/common/forwarder.h"
#include "src/model/stated.h"
#include "src/proto/bid_text.h"

/* --agent: sfair-agent becomes the parent of a task. The task's command line
 * stays as it is. */

#define TASK_AGENT_MAX 1024 /* characters of the agent's options */

enum { WORDS_MAX = 64, STREAMS = 2 };

/* What a task and its agent share. */
struct pair {
	int ready[2];	   /* closed when the agent starts */
	int streams[2][2]; /* the task's output and error, to the agent */
	bool prints;	   /* the task's output is read */
	sigset_t mask;	   /* signal mask of the task */
	char text[TASK_AGENT_MAX + 1];
	char child[64];
	char *words[WORDS_MAX + 1];
};

static bool is_leased(char **env)
{
	static const char name[] = "ASTRAEA_POOL=";

	for (; *env; env++)
		if (!strncmp(*env, name, sizeof(name) - 1))
			return true;
	return false;
}

/* Note an option of the agent: whether the agent reads what the task prints. By
 * default it does so if it follows progress at all. */
static void note_word(struct pair *p, const char *word, bool *elsewhere)
{
	if (!strncmp(word, "--progress", 10))
		p->prints = true;
	if (!strncmp(word, "--log=", 6))
		*elsewhere = strcmp(word, "--log=-") != 0;
}

static void task_agent_split(struct pair *p, const char *path,
			     const char *options)
{
	bool elsewhere = false;
	size_t count = 0;
	char *rest;

	snprintf(p->text, sizeof(p->text), "%s", options);
	p->words[count++] = (char *)(uintptr_t)path;
	p->words[count++] = p->child;
	for (char *word = strtok_r(p->text, " \t", &rest);
	     word && count < WORDS_MAX; word = strtok_r(NULL, " \t", &rest)) {
		note_word(p, word, &elsewhere);
		p->words[count++] = word;
	}
	p->words[count] = NULL;
	p->prints = p->prints && !elsewhere;
}

static int open_pipes(struct pair *p)
{
	if (pipe2(p->ready, O_CLOEXEC) < 0)
		return -1;
	for (int i = 0; p->prints && i < STREAMS; i++)
		if (pipe2(p->streams[i], O_CLOEXEC) < 0)
			return -1;
	return 0;
}

/* Run as the child: wait until the agent runs, then become the task. If the
 * agent cannot run, exit: the parent then goes on as the task. */
static void be_task(spank_t spank, struct pair *p, pid_t agent)
{
	char text[16], byte;

	/* For Slurm the task ends when its agent ends. So the task must not run
	 * on then: its GPUs may have another holder. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close(p->ready[1]);
	if (read(p->ready[0], &byte, 1) > 0 || getppid() != agent)
		_exit(0);
	close(p->ready[0]);
	for (int i = 0; p->prints && i < STREAMS; i++) {
		dup2(p->streams[i][1], STDOUT_FILENO + i);
		close(p->streams[i][0]);
		close(p->streams[i][1]);
	}
	snprintf(text, sizeof(text), "%ld", (long)getpid());
	(void)spank_setenv(spank, "SLURM_TASK_PID", text, 1);
	sigprocmask(SIG_SETMASK, &p->mask, NULL);
}

/* Run as the parent. Returns only if the agent cannot run, with all as it was
 * before. */
static void be_agent(struct pair *p, pid_t child, char **env)
{
	const char *path = *p->words;

	snprintf(p->child, sizeof(p->child), "--child=%ld,%d,%d", (long)child,
		 p->prints ? p->streams[0][0] : -1,
		 p->prints ? p->streams[1][0] : -1);
	for (int i = 0; p->prints && i < STREAMS; i++) {
		fcntl(p->streams[i][0], F_SETFD, 0);
		close(p->streams[i][1]);
	}
	close(p->ready[0]);
	execve(path, p->words, env);
	slurm_error("--agent: %s: %m; the task runs without it", path);
	for (int i = 0; p->prints && i < STREAMS; i++)
		close(p->streams[i][0]);
	if (write(p->ready[1], "", 1) < 0)
		kill(child, SIGKILL);
	close(p->ready[1]);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	sigprocmask(SIG_SETMASK, &p->mask, NULL);
}

/* Called in the task's process before its program is executed. The task goes on
 * in a child. This process becomes the agent, since slurmstepd waits for its
 * end. The agent gets the signals, whatever tracks the processes. Without a
 * lease nothing happens. If the agent cannot be executed, the task goes on
 * without it.
 * path: the agent's file. options: for its command line, separated by
 * blanks. */
static void task_agent_start(spank_t spank, const char *path,
			     const char *options)
{
	struct pair p = {.prints = false};
	char **env = NULL;
	pid_t agent = getpid(), child;
	sigset_t all;

	if (spank_get_item(spank, S_JOB_ENV, &env) != ESPANK_SUCCESS ||
	    !is_leased(env))
		return;
	task_agent_split(&p, path, options);
	if (open_pipes(&p) < 0) {
		slurm_error("--agent: %m; the task runs without it");
		return;
	}
	/* A signal that comes before the agent listens must not be lost. */
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &p.mask);
	child = fork();
	if (!child)
		be_task(spank, &p, agent);
	else if (child > 0)
		be_agent(&p, child, env);
	else
		sigprocmask(SIG_SETMASK, &p.mask, NULL);
}

/* Put the agent in the place of the task's program: slurmstepd then executes
 * argv[0]. The agent starts the program or restores it from a dump. with,
 * options: as for the agent. */
static int task_agent_replace(spank_t spank, const char *path, const char *with,
			      const char *options)
{
	char text[2 * TASK_AGENT_MAX], **env = NULL, **argv = NULL;
	int argc = 0;

	if (spank_get_item(spank, S_JOB_ENV, &env) != ESPANK_SUCCESS ||
	    !is_leased(env))
		return 0;
	snprintf(text, sizeof(text), "%s%s %s",
		 *with ? "--checkpoint-with=" : "", with, options);
	if (spank_get_item(spank, S_JOB_ARGV, &argc, &argv) == ESPANK_SUCCESS &&
	    argc > 0 &&
	    spank_setenv(spank, "SFAIR_TASK", argv[0], 1) == ESPANK_SUCCESS &&
	    spank_setenv(spank, "SFAIR_TASK_OPTIONS", text, 1) ==
		    ESPANK_SUCCESS) {
		argv[0] = (char *)(uintptr_t)path;
		return 0;
	}
	slurm_error("--checkpoint-with: this task's command is not known");
	return -1;
}

SPANK_PLUGIN(astraea, 1)

#define APP_MAX 64
#define LEASE_MAX 32
#define WITH_MAX 512
#define BID_FILE_MAX (256 * 1024) /* including white space */
#define BID_WAIT_MSEC 10000

int slurm_spank_init(spank_t spank, int argc, char *argv[]);
int slurm_spank_init_post_opt(spank_t spank, int argc, char *argv[]);
int slurm_spank_task_init(spank_t spank, int argc, char *argv[]);

static char lease[LEASE_MAX + 1];
static char app[APP_MAX + 1];
static char bid[ASTRA_BID_TEXT_MAX + 1];
static char agent[TASK_AGENT_MAX + 1];
static char with[WITH_MAX + 1];
static bool has_agent;
static char stated[ASTRA_STATED_COUNT][ASTRA_STATED_MAX + 1];

/* Skip digits. Returns whether there were any; sets *nonzero if one of them is
 * not 0. */
static bool spank_astraea_take_number(const char **text, bool *nonzero)
{
	const char *start = *text;

	for (; isdigit((unsigned char)**text); (*text)++)
		if (**text != '0')
			*nonzero = true;
	return *text > start;
}

/* Whether the text is a time limit as for sbatch, and not zero: MINUTES, MM:SS,
 * HH:MM:SS, D-HH, D-HH:MM or D-HH:MM:SS. */
static bool spank_astraea_is_time(const char *text)
{
	bool nonzero = false;

	if (!spank_astraea_take_number(&text, &nonzero))
		return false;
	if (*text == '-') {
		text++;
		if (!spank_astraea_take_number(&text, &nonzero))
			return false;
	}
	for (int colons = 0; *text == ':' && colons < 2; colons++) {
		text++;
		if (!spank_astraea_take_number(&text, &nonzero))
			return false;
	}
	return !*text && nonzero;
}

static bool spank_astraea_is_app(const char *text)
{
	size_t len = strlen(text);

	if (!len || len > APP_MAX)
		return false;
	for (; *text; text++)
		if (!isalnum((unsigned char)*text) && !strchr("._+-", *text))
			return false;
	return true;
}

static int spank_astraea_set_lease(int val, const char *text, int remote)
{
	(void)val;
	if (remote)
		return 0;
	if (strlen(text) > LEASE_MAX ||
	    (strcasecmp(text, "none") && !spank_astraea_is_time(text))) {
		slurm_error("--lease=%.64s: a lease is none or a time: "
			    "MINUTES, MM:SS, HH:MM:SS, D-HH, D-HH:MM or "
			    "D-HH:MM:SS",
			    text);
		return -1;
	}
	snprintf(lease, sizeof(lease), "%s", text);
	return 0;
}

static int spank_astraea_set_app(int val, const char *text, int remote)
{
	(void)val;
	if (remote)
		return 0;
	if (!spank_astraea_is_app(text)) {
		slurm_error("--app=%.80s: a name has 1 to %d letters, digits "
			    "and . _ + -",
			    text, APP_MAX);
		return -1;
	}
	snprintf(app, sizeof(app), "%s", text);
	return 0;
}

/* Set an option on a job's work. val: enum astra_stated_id. */
static int set_stated(int val, const char *text, int remote)
{
	struct astra_stated ignored = {0};
	struct astra_error err;

	if (remote)
		return 0;
	if (astra_stated_read(&ignored, (enum astra_stated_id)val, text, &err) <
	    0) {
		slurm_error("%s", err.text);
		return -1;
	}
	snprintf(stated[val], sizeof(stated[val]), "%s", text);
	return 0;
}

/* Open a file. If it is a pipe to which nobody writes, give up after a
 * while. */
static FILE *spank_astraea_open_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct pollfd wait = {.fd = fd, .events = POLLIN};

	if (fd < 0)
		return NULL;
	if (poll(&wait, 1, BID_WAIT_MSEC) == 0) {
		close(fd);
		errno = ETIMEDOUT;
		return NULL;
	}
	fcntl(fd, F_SETFL, 0);
	return fdopen(fd, "r");
}

/* Read a whole file. Returns NULL, after an error message, if that fails. */
static char *spank_astraea_read_file(const char *path)
{
	FILE *file = spank_astraea_open_file(path);
	char *text = file ? malloc(BID_FILE_MAX + 1) : NULL;
	size_t size;

	if (!text) {
		slurm_error("--bid=%s: %m", path);
		if (file)
			fclose(file);
		return NULL;
	}
	size = fread(text, 1, BID_FILE_MAX + 1, file);
	if (size > BID_FILE_MAX || ferror(file) || memchr(text, '\0', size)) {
		slurm_error("--bid=%s: %s", path,
			    ferror(file) ? "cannot be read"
					 : "is no JSON of a bid");
		free(text);
		text = NULL;
	} else {
		text[size] = '\0';
	}
	fclose(file);
	return text;
}

static int set_bid(int val, const char *path, int remote)
{
	struct astra_curves curves;
	struct astra_error err;
	size_t size;
	char *text;
	int rc;

	(void)val;
	if (remote)
		return 0;
	text = spank_astraea_read_file(path);
	if (!text)
		return -1;
	size = astra_bid_text_compact(text, bid, sizeof(bid));
	free(text);
	rc = size < sizeof(bid) ? astra_bid_text_read(bid, &curves, &err)
				: astra_error_set(&err,
						  "--bid: more than %d bytes, "
						  "spaces not counted",
						  ASTRA_BID_TEXT_MAX);
	if (rc < 0) {
		slurm_error("%s: %s", path, err.text);
		*bid = '\0';
		return -1;
	}
	astra_curves_clear(&curves);
	return 0;
}

/* Set --agent, here and in slurmstepd. text: the agent's options; NULL:
 * none. */
static int set_agent(int val, const char *text, int remote)
{
	(void)val, (void)remote;
	if (text && strlen(text) > TASK_AGENT_MAX) {
		slurm_error("--agent: more than %d characters", TASK_AGENT_MAX);
		return -1;
	}
	has_agent = true;
	snprintf(agent, sizeof(agent), "%s", text ? text : "");
	return 0;
}

/* Set --checkpoint-with, here and in slurmstepd. */
static int set_with(int val, const char *text, int remote)
{
	(void)val, (void)remote;
	if (strlen(text) > WITH_MAX || strpbrk(text, " \t\n") ||
	    (strcmp(text, "criu") != 0 && *text != '/')) {
		slurm_error("--checkpoint-with=%.80s: criu, or the absolute "
			    "path of a program, without blanks",
			    text);
		return -1;
	}
	snprintf(with, sizeof(with), "%s", text);
	return 0;
}

static char lease_name[] = "lease", lease_arg[] = "TIME|none",
	    lease_help[] = "how long the job holds its GPUs before it "
			   "competes for them again; none: until it ends",
	    agent_name[] = "agent", agent_arg[] = "OPTIONS",
	    agent_help[] = "run sfair-agent, with these options, beside each "
			   "task",
	    with_name[] = "checkpoint-with", with_arg[] = "criu|PROGRAM",
	    with_help[] = "dump each task's processes when the lease ends and "
			  "restore them when the job starts again",
	    app_name[] = "app", app_arg[] = "NAME",
	    app_help[] = "the application this job is a part of",
	    bid_name[] = "bid", bid_arg[] = "FILE",
	    bid_help[] = "how long all of its work takes on so many GPUs",
	    iterations_name[] = "iterations", iterations_arg[] = "N",
	    iterations_help[] = "how many iterations the job's work has",
	    iter_time_name[] = "iter-time", iter_time_arg[] = "SECONDS",
	    iter_time_help[] = "what one takes on all GPUs of the job",
	    slowdown_name[] = "slowdown", slowdown_arg[] = "A,B,C,D",
	    slowdown_help[] = "how many times as long the job takes within a "
			      "slot, a machine, a rack, across racks",
	    utility_name[] = "utility", utility_arg[] = "KIND:NUMBERS",
	    utility_help[] = "what it is worth by hours from submission to "
			     "end: sigmoid:G1,G2,G3, linear:K,G or "
			     "convex:E,KAPPA",
	    range_name[] = "gpu-range", range_arg[] = "MIN-MAX",
	    range_help[] = "run on any number of GPUs from MIN to MAX, each "
			   "lease anew",
	    workers_name[] = "workers", workers_arg[] = "MIN-MAX",
	    workers_help[] = "run any number of workers from MIN to MAX, one "
			     "GPU each, each lease anew",
	    ps_name[] = "ps", ps_arg[] = "N",
	    ps_help[] = "parameter servers of MAX workers; fewer have as many "
			"in proportion",
	    mail_name[] = "lease-mail", mail_arg[] = "over,resumed,starved|all",
	    mail_help[] = "mail to --mail-user when a lease is over, when the "
			  "job has GPUs again, when it has none by the time "
			  "that was promised";

static struct spank_option options[] = {
	{lease_name, lease_arg, lease_help, 1, 0, spank_astraea_set_lease},
	{agent_name, agent_arg, agent_help, 2, 0, set_agent},
	{with_name, with_arg, with_help, 1, 0, set_with},
	{app_name, app_arg, app_help, 1, 0, spank_astraea_set_app},
	{bid_name, bid_arg, bid_help, 1, 0, set_bid},
	{iterations_name, iterations_arg, iterations_help, 1,
	 ASTRA_STATED_ITERATIONS, set_stated},
	{iter_time_name, iter_time_arg, iter_time_help, 1,
	 ASTRA_STATED_ITER_TIME, set_stated},
	{slowdown_name, slowdown_arg, slowdown_help, 1, ASTRA_STATED_SLOWDOWN,
	 set_stated},
	{utility_name, utility_arg, utility_help, 1, ASTRA_STATED_UTILITY,
	 set_stated},
	{range_name, range_arg, range_help, 1, ASTRA_STATED_GPU_RANGE,
	 set_stated},
	{workers_name, workers_arg, workers_help, 1, ASTRA_STATED_WORKERS,
	 set_stated},
	{ps_name, ps_arg, ps_help, 1, ASTRA_STATED_PS, set_stated},
	{mail_name, mail_arg, mail_help, 1, ASTRA_STATED_MAIL, set_stated},
};

static int register_options(spank_t spank)
{
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
		if (spank_option_register(spank, &options[i]))
			slurm_error("astraea: cannot add the option --%s",
				    options[i].name);
	return 0;
}

/* Send an option in the job's environment. text: "" if the user did not give
 * the option. */
static int send_option(spank_t spank, const char *variable, const char *text)
{
	if (!*text || !spank_job_control_setenv(spank, variable, text, 1))
		return 0;
	slurm_error("astraea: cannot hand %s on to slurmctld", variable);
	return -1;
}

static int send_options(spank_t spank)
{
	if (send_option(spank, "ASTRAEA_LEASE", lease) < 0 ||
	    send_option(spank, "ASTRAEA_APP", app) < 0 ||
	    send_option(spank, "ASTRAEA_DUMPS", *with ? "yes" : "") < 0 ||
	    send_option(spank, "ASTRAEA_AGENT", has_agent ? "yes" : "") < 0 ||
	    send_option(spank, "ASTRAEA_BID", bid) < 0)
		return -1;
	for (size_t i = 0; i < ASTRA_STATED_COUNT; i++)
		if (send_option(spank, astra_stated_options[i].variable,
				stated[i]) < 0)
			return -1;
	return 0;
}

int slurm_spank_init(spank_t spank, int argc, char *argv[])
{
	(void)argc, (void)argv;
	switch (spank_context()) {
	case S_CTX_LOCAL:
	case S_CTX_ALLOCATOR:
	case S_CTX_REMOTE:
		return register_options(spank);
	default:
		return 0;
	}
}

int slurm_spank_init_post_opt(spank_t spank, int argc, char *argv[])
{
	(void)argc, (void)argv;
	switch (spank_context()) {
	case S_CTX_LOCAL:
	case S_CTX_ALLOCATOR:
		return send_options(spank);
	default:
		return 0;
	}
}

/* Return the signal of this name or number; 0: there is no such signal. */
static int signal_of(const char *name)
{
	for (int number = 1; number < NSIG; number++) {
		const char *other = sigabbrev_np(number);

		if (other && !strcmp(name, other))
			return number;
	}
	return (int)strtol(name, NULL, 10);
}

/* Called in a batch script's process before the script is executed. Starts the
 * forwarder, unless the signal is for the batch shell alone. */
static void forward_signal(spank_t spank)
{
	char to[16], name[32];
	uint32_t step;
	int number;

	if (spank_get_item(spank, S_JOB_STEPID, &step) != ESPANK_SUCCESS ||
	    step != SLURM_BATCH_SCRIPT ||
	    spank_getenv(spank, "ASTRAEA_CHECKPOINT_TO", to, sizeof(to)) !=
		    ESPANK_SUCCESS ||
	    strcmp(to, "steps") != 0 ||
	    spank_getenv(spank, "ASTRAEA_CHECKPOINT_SIGNAL", name,
			 sizeof(name)) != ESPANK_SUCCESS)
		return;
	number = signal_of(name);
	if (number > 0 && number < NSIG && astra_forwarder_start(number) < 0)
		slurm_error("astraea: the checkpoint signal will not reach "
			    "this script: %m");
}

/* argv: the arguments in plugstack.conf, such as agent=PATH. */
int slurm_spank_task_init(spank_t spank, int argc, char *argv[])
{
	const char *path = ASTRA_AGENT;

	forward_signal(spank);
	if (!has_agent && !*with)
		return 0;
	for (int i = 0; i < argc; i++)
		if (!strncmp(argv[i], "agent=", 6))
			path = argv[i] + 6;
	if (*with || strstr(agent, "--checkpoint-with"))
		return task_agent_replace(spank, path, with, agent);
	task_agent_start(spank, path, agent);
	return 0;
}
