/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sfair-agent: the companion of a job. Outside a lease it becomes the command;
 * else it stays beside it. */
#include <stdio.h>

#include "src/cmd/sfair-agent/run.h"
#include "src/cmd/sfair-agent/spawn.h"
#include "src/cmd/sfair-agent/where.h"

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

	if (!agent_where(&place, err))
		status = agent_watch_run(&options->watch, &place, err);
	return status ? main_fail(status, err) : 0;
}

/* Beside a task that the SPANK plugin has started, whatever the options are. */
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
	if (place.leased && (place.signal || agent_follows(options, &place)))
		return main_fail(agent_run(options, &place, err), err);
	return main_fail(agent_become(options->words, err), err);
}

int main(int argc, char **argv)
{
	struct agent_options options;
	struct astra_error err = {""};
	int rc = agent_options_read(argc, argv, &options, &err);

	if (options.task.pid)
		return accompany(&options, rc == 0, &err);
	if (rc)
		return rc < 0 ? main_fail(AGENT_BAD_USE, &err) : 0;
	if (agent_watches(&options))
		return main_watch(&options, &err);
	return run_command(&options, &err);
}
