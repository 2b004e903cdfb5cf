/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/cmd/sfair-agent/where.h"

#include <stdlib.h>
#include <string.h>

#include "src/cmd/sfair-agent/program.h"

/* NAME=VALUE, a line each. */
static void set_variables(char *lines)
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

int agent_where(struct sfair_place *place, struct astra_error *err)
{
	static const struct agent_limits limits = {30, 8192};
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
	set_variables(output);
	free(output);
	sfair_place_read(place);
	return place->reaches
		       ? 0
		       : astra_error_set(err, "sfair --where does not say "
					      "where the plugin listens");
}
