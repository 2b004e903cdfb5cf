/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who writes down what is published. */
#include <stdio.h>
#include <stdlib.h>

#include "src/history/history.h"
#include "src/history/read.h"
#include "src/history/schema.h"
#include "src/slurm/desk/publish.h"

static void publish_history_log_line(bool is_error, const char *text)
{
	if (is_error)
		error("astraea: %s", text);
	else
		info("astraea: %s", text);
}

void astra_publish_start_history(const struct astra_cycle *cycle)
{
	const struct astra_config *config = astra_config_active();
	struct astra_history_options options = {
		.cluster = slurm_conf.cluster_name,
		.log_line = publish_history_log_line,
	};
	struct astra_error err = {""};
	char *path = NULL;

	astra_history_read_from(NULL);
	if (!config || !config->history)
		return;
	options.keep = (struct astra_history_keep){
		.minute_sec = config->history_rounds_sec,
		.hour_sec = config->history_hours_sec,
		.day_sec = config->history_days_sec,
		.job_sec = config->history_leases_sec,
	};
	options.file = config->history_file;
	if (!options.file &&
	    asprintf(&path, "%s/" ASTRA_HISTORY_FILE, cycle->folder) < 0)
		path = NULL;
	if (!options.file)
		options.file = path;
	if (options.file && astra_history_start(&options, &err) < 0)
		error("astraea: no history: %s", err.text);
	astra_history_read_from(options.file);
	free(path);
}
