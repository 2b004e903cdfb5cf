/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sfair-agent: the companion of a job. Outside a lease it becomes the command.
 * In a lease it runs beside the command. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/client/place.h"
#include "src/cmd/sfair-agent/program.h"
#include "src/cmd/sfair-agent/run.h"
#include "src/common/error.h"

/* Set variables from lines NAME=VALUE. Other lines, and names that do not begin
 * with SFAIR_, are ignored. */
static void main_set_variables(char *lines)
{
	char *next, *line;

	for (line = strtok_r(lines, "\n", &next); line;
	     line = strtok_r(NULL, "\n", &next)) {
		char *value = strchr(line, '=');

		if (!value || strncmp(line, "SFAIR_", strlen("SFAIR_")) != 0)
			continue;
		*value++ = '\0';
		setenv(line, value, 1);
	}
}

/* Find where the plugin listens, for an agent outside a job. The environment
 * says so, or else "sfair --where", which reads Slurm's configuration. Returns
 * 0, or -1 with err set. */
static int main_find_plugin(struct sfair_place *place, struct astra_error *err)
{
	static const struct agent_limits limits = {30, 8192, 0};
	char sfair[] = "sfair", where[] = "--where", *output;
	char *words[] = {sfair, where, NULL};
	struct astra_error why = {""};

	sfair_place_read(place);
	if (place->reaches)
		return 0;
	if (agent_program_run(words, "", &limits, &output, &why) < 0)
		return astra_error_set(err,
				       "SFAIR_SOCKET does not say where the "
				       "plugin listens, and %s",
				       why.text);
	main_set_variables(output);
	free(output);
	sfair_place_read(place);
	return place->reaches
		       ? 0
		       : astra_error_set(err, "sfair --where does not say "
					      "where the plugin listens");
}

static int main_fail(int status, const struct astra_error *err)
{
	fprintf(stderr, "sfair-agent: error: %s\n", err->text);
	return status;
}

static int main_watch(const struct agent_options *options,
		      struct astra_error *err)
{
	struct sfair_place place;
	int status = 1;

	if (!main_find_plugin(&place, err))
		status = agent_watch_run(&options->watch, &place, err);
	return status ? main_fail(status, err) : 0;
}

/* Run beside a task that the SPANK plugin has started. Invalid options are
 * reported, and all options are then ignored. */
static int accompany(struct agent_options *options, bool valid,
		     struct astra_error *err)
{
	struct sfair_place place;

	if (!valid) {
		main_fail(AGENT_BAD_USE, err);
		*options = (struct agent_options){.task = options->task};
	}
	sfair_place_read(&place);
	return main_fail(agent_run(options, &place, err), err);
}

static int run_command(const struct agent_options *options,
		       struct astra_error *err)
{
	struct sfair_place place;

	sfair_place_read(&place);
	if (place.leased &&
	    (place.signal || options->with || agent_follows(options, &place)))
		return main_fail(agent_run(options, &place, err), err);
	return main_fail(agent_become(options->words, err), err);
}

/* Return the agent's own command line, not to be freed. The SPANK plugin may
 * have started the agent in place of a task's program. Then argv has the
 * program's arguments, SFAIR_TASK the program, and SFAIR_TASK_OPTIONS the
 * agent's options. Returns argv if there is no task, or if memory is out. */
static char **main_read_task(int *argc, char **argv)
{
	static char **words, *program, *options, end[] = "--"; /* never freed */
	const char *task = getenv("SFAIR_TASK");
	const char *text = getenv("SFAIR_TASK_OPTIONS");
	int count = 1;

	if (!task)
		return argv;
	program = strdup(task);
	options = strdup(text ? text : "");
	words = calloc((size_t)*argc + AGENT_WORDS_MAX + 3, sizeof(*words));
	if (!words || !options || !program)
		return argv;
	*words = *argv;
	agent_program_split(options, words + 1);
	while (words[count])
		count++;
	words[count++] = end;
	words[count++] = program;
	for (int i = 1; i < *argc; i++)
		words[count++] = argv[i];
	unsetenv("SFAIR_TASK");
	unsetenv("SFAIR_TASK_OPTIONS");
	*argc = count;
	return words;
}

int main(int argc, char **argv)
{
	struct agent_options options;
	struct astra_error err = {""};
	char **words = main_read_task(&argc, argv);
	int rc = agent_options_read(argc, words, &options, &err);

	if (options.task.pid)
		return accompany(&options, rc == 0, &err);
	if (rc)
		return rc < 0 ? main_fail(AGENT_BAD_USE, &err) : 0;
	if (agent_watches(&options))
		return main_watch(&options, &err);
	return run_command(&options, &err);
}
