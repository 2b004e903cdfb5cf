/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/cmd/sfair-agent/log.h"

#include <stdlib.h>
#include <string.h>

#define EPOCHS_MAX 1e9

static int compile_last(struct agent_log *log, struct astra_error *err)
{
	const char *text = log->text, *fields = log->fields;

	log->text = log->fields = NULL;
	return text ? agent_patterns_add(&log->patterns, text, fields, err) : 0;
}

static int read_epochs(const char *text, double *out, struct astra_error *err)
{
	char *end;

	*out = strtod(text, &end);
	if (end != text && !*end && *out > 0 && *out <= EPOCHS_MAX)
		return 0;
	return astra_error_set(err, "--epochs=%.64s: a number up to 1e9", text);
}

int agent_log_option(struct agent_log *log, const char *name, const char *text,
		     struct astra_error *err)
{
	if (!strcmp(name, "log")) {
		log->path = text;
		return *text ? 0 : astra_error_set(err, "--log: is empty");
	}
	if (!strcmp(name, "epochs"))
		return read_epochs(text, &log->epochs, err);
	if (!strcmp(name, "progress")) {
		if (compile_last(log, err) < 0)
			return -1;
		log->text = text;
		return 0;
	}
	if (!log->text || log->fields)
		return astra_error_set(err,
				       "--fields: goes behind its --progress");
	log->fields = text;
	return 0;
}

int agent_log_complete(struct agent_log *log, struct astra_error *err)
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
