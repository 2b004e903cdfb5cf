/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/cmd/sfair-agent/log.h"

#include <float.h>

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

const struct astra_cli_option agent_log_options[] = {
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
