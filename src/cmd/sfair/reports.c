/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports over past time: parse, ask, print. */
#include "astra_config.h"

#include "src/cmd/sfair/reports.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The plugin answers for its own cluster. */
static int check_cluster(const struct sfair_report_args *args,
			 struct astra_error *err)
{
	const char *own = NULL;

	if (!args->cluster)
		return 0;
	if (sfair_cluster_name(&own, "ask on slurmctld's host", err) < 0)
		return -1;
	if (!strcmp(own, args->cluster))
		return 0;
	return astra_error_set(
		err,
		"-M %.64s: a history is kept by each cluster's plugin, and this is cluster %.64s: ask with that cluster's slurm.conf (SLURM_CONF=), or slurmdbd with sfair audit -M %.64s",
		args->cluster, own, args->cluster);
}

static int reports_check_format(const struct sfair_report_args *args,
				struct astra_error *err)
{
	struct sfair_choices choices = {0};
	int rc = 0;

	if (args->show.format)
		rc = sfair_format_parse(
			sfair_report_table(args->show.query.past.report),
			args->show.format, &choices, err);
	free(choices.items);
	return rc;
}

static int check_share(const struct sfair_report_args *args,
		       struct astra_error *err)
{
	if (args->share == SFAIR_AMOUNT || strcmp(args->type, "job") != 0)
		return 0;
	return astra_error_set(err, "--time: a job's GPU time is no part of "
				    "the window's: Seconds, Minutes or Hours");
}

static int reports_report(const struct sfair_report_args *args,
			  struct astra_error *err)
{
	json_t *reply;
	int rc;

	if (reports_check_format(args, err) < 0 || check_share(args, err) < 0 ||
	    check_cluster(args, err) < 0)
		return -1;
	reply = sfair_ask(&args->show.query, args->show.verbose, err);
	if (!reply)
		return -1;
	rc = sfair_report_print(reply, args, err);
	json_decref(reply);
	if (!rc && (fflush(stdout) || ferror(stdout)))
		rc = astra_error_set(err, "writing the output failed");
	return rc;
}

int sfair_report(int argc, char **argv, struct astra_error *err)
{
	struct sfair_report_args args;
	int rc = sfair_report_parse(argc, argv, &args, err);

	if (!rc && args.show.help_format)
		sfair_report_help_format(&args);
	else if (!rc)
		rc = reports_report(&args, err);
	astra_query_destroy(&args.show.query);
	return rc;
}
