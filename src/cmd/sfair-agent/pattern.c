/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/cmd/sfair-agent/pattern.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define COMPILE_SEC 1 /* seconds of CPU time */

#define NUMBER "(-?[0-9.]+([eE][-+]?[0-9]+)?|nan|inf)"
/* "10/100 [00:05<00:45, 2.00it/s, loss=0.3]" */
#define BAR "([0-9]+)/([0-9]+) \\[[^]<]*<[^],]*"

static const struct {
	const char *name, *regex, *fields;
} built_in[] = {
	{"tensorflow", "(global_)?step[ =:]+([0-9]+)", "none,done"},
	{"tensorflow", "loss[ =:]+" NUMBER, "loss"},
	{"tensorflow", "global_step/sec: ([0-9.]+)", "rate"},
	{"tensorflow", "([0-9.]+) sec/batch", "sec"},
	{"tqdm", BAR "(, *([0-9.]+)[[:alpha:]]+/s)?", "done,total,none,rate"},
	{"tqdm", BAR ", *([0-9.]+)s/[[:alpha:]]", "done,total,sec"},
	{"tqdm", "loss=" NUMBER, "loss"},
	{"lightning", "Epoch ([0-9]+):.* " BAR "(, *([0-9.]+)[[:alpha:]]+/s)?",
	 "epoch,done,total,none,rate"},
	{"lightning", "Epoch ([0-9]+):.* " BAR ", *([0-9.]+)s/[[:alpha:]]",
	 "epoch,done,total,sec"},
	{"lightning", "loss=" NUMBER, "loss"},
	{"huggingface", BAR "(, *([0-9.]+)[[:alpha:]]+/s)?",
	 "done,total,none,rate"},
	{"huggingface", BAR ", *([0-9.]+)s/[[:alpha:]]", "done,total,sec"},
	{"huggingface", "'loss': '?" NUMBER, "loss"},
};

static const char *const names[] = {
	[AGENT_DONE] = "done", [AGENT_TOTAL] = "total", [AGENT_LOSS] = "loss",
	[AGENT_SEC] = "sec",   [AGENT_EPOCH] = "epoch", [AGENT_SAVED] = "saved",
	[AGENT_RATE] = "rate", [AGENT_NONE] = "none",
};

static int find_field(const char *text, size_t size, enum agent_field *out)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!names[i] || strlen(names[i]) != size ||
		    strncmp(names[i], text, size) != 0)
			continue;
		*out = (enum agent_field)i;
		return 0;
	}
	return -1;
}

static int read_fields(struct agent_pattern *p, const char *text,
		       struct astra_error *err)
{
	for (;; text++) {
		size_t size = strcspn(text, ",");

		if (p->count == AGENT_GROUPS_MAX)
			return astra_error_set(err, "--fields: at most %d",
					       AGENT_GROUPS_MAX);
		if (find_field(text, size, &p->fields[p->count++]) < 0)
			return astra_error_set(
				err,
				"--fields: \"%.*s\" is none of done, total, loss, sec, rate, epoch, saved, none",
				size < 64 ? (int)size : 64, text);
		text += size;
		if (!*text)
			return 0;
	}
}

/* Kill this process. The signal may have interrupted malloc(), and _exit()
 * would allocate memory in a build with sanitizers. */
static void pattern_give_up(int signal)
{
	(void)signal;
	(void)kill(getpid(), SIGKILL);
}

/* Catch the signals for the end of the stack and of the CPU time. Without a
 * handler the kernel would log a crash. */
static void catch_limits(void)
{
	static char stack[1 << 16];
	const stack_t other = {.ss_sp = stack, .ss_size = sizeof(stack)};
	const struct sigaction action = {.sa_handler = pattern_give_up,
					 .sa_flags = SA_ONSTACK};
	const struct rlimit cpu = {COMPILE_SEC, COMPILE_SEC + 1};

	sigaltstack(&other, NULL);
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGXCPU, &action, NULL);
	setrlimit(RLIMIT_CPU, &cpu);
}

/* Whether the expression can be compiled quickly. With nested repetitions,
 * regcomp() may run out of stack or memory. So a child process tries it
 * first. */
static bool is_sane(const char *text)
{
	int status = 0;
	pid_t pid = fork();
	regex_t regex;

	if (!pid) {
		catch_limits();
		_exit(regcomp(&regex, text, REG_EXTENDED) == REG_ESPACE);
	}
	if (pid < 0)
		return true;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return !status;
}

static int compile(struct agent_pattern *p, const char *text,
		   const char *fields, struct astra_error *err)
{
	int error;
	char why[128];

	if (!is_sane(text))
		return astra_error_set(err,
				       "--progress=%.128s takes too much time "
				       "or memory: nest fewer repetitions",
				       text);
	error = regcomp(&p->regex, text, REG_EXTENDED);
	if (error) {
		regerror(error, &p->regex, why, sizeof(why));
		return astra_error_set(err, "--progress=%.128s: %s", text, why);
	}
	if (!fields)
		for (; p->count < p->regex.re_nsub && p->count <= AGENT_SEC;
		     p->count++)
			p->fields[p->count] = (enum agent_field)p->count;
	else if (read_fields(p, fields, err) < 0)
		goto fail;
	if (p->count && p->count <= p->regex.re_nsub)
		return 0;
	astra_error_set(err,
			"--progress=%.128s has %zu groups in parentheses, for "
			"%zu fields",
			text, p->regex.re_nsub, p->count);
fail:
	regfree(&p->regex);
	return -1;
}

static int add_one(struct agent_patterns *p, const char *text,
		   const char *fields, struct astra_error *err)
{
	if (p->count == AGENT_PATTERNS_MAX)
		return astra_error_set(
			err,
			"--progress: at most %d expressions, and a name "
			"stands for up to four",
			AGENT_PATTERNS_MAX);
	p->list[p->count].count = 0;
	if (compile(&p->list[p->count], text, fields, err) < 0)
		return -1;
	p->count++;
	return 0;
}

int agent_patterns_add(struct agent_patterns *p, const char *text,
		       const char *fields, struct astra_error *err)
{
	bool known = false;

	for (size_t i = 0; i < sizeof(built_in) / sizeof(*built_in); i++) {
		if (strcmp(built_in[i].name, text) != 0)
			continue;
		known = true;
		if (fields)
			return astra_error_set(
				err, "--fields does not go with --progress=%s",
				text);
		if (add_one(p, built_in[i].regex, built_in[i].fields, err) < 0)
			return -1;
	}
	return known ? 0 : add_one(p, text, fields, err);
}

void agent_patterns_destroy(struct agent_patterns *p)
{
	while (p->count)
		regfree(&p->list[--p->count].regex);
}

void agent_seen_clear(struct agent_seen *seen)
{
	for (size_t i = 0; i < AGENT_FIELDS; i++)
		seen->value[i] = (double)NAN;
}

static void pattern_take(struct agent_seen *seen, enum agent_field field,
			 double value)
{
	if (field == AGENT_RATE) {
		field = AGENT_SEC;
		value = value > 0 ? 1 / value : 0;
	}
	if (field < AGENT_FIELDS && isnan(seen->value[field]))
		seen->value[field] = value;
}

static void take_groups(const struct agent_pattern *p, const char *line,
			const regmatch_t *found, struct agent_seen *seen)
{
	for (size_t i = 0; i < p->count; i++)
		if (found[i + 1].rm_so >= 0)
			pattern_take(seen, p->fields[i],
				     strtod(line + found[i + 1].rm_so, NULL));
}

static bool pattern_wants(const struct agent_pattern *p,
			  const struct agent_seen *seen)
{
	for (size_t i = 0; i < p->count; i++) {
		enum agent_field field = p->fields[i];

		if (field == AGENT_RATE)
			field = AGENT_SEC;
		if (field < AGENT_FIELDS && isnan(seen->value[field]))
			return true;
	}
	return false;
}

bool agent_patterns_match(const struct agent_patterns *patterns,
			  const char *line, struct agent_seen *seen)
{
	regmatch_t found[AGENT_GROUPS_MAX + 1];
	bool complete = true;

	for (size_t i = 0; i < patterns->count; i++) {
		const struct agent_pattern *p = &patterns->list[i];

		if (!pattern_wants(p, seen))
			continue;
		if (!regexec(&p->regex, line, AGENT_GROUPS_MAX + 1, found, 0))
			take_groups(p, line, found, seen);
		complete &= !pattern_wants(p, seen);
	}
	return complete;
}
