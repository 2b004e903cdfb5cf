/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sfair audit: how fair the past was, and how fair other policies would have
 * been. */
#include "src/cmd/sfair/audit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "src/sim/field.h"
#include "src/sim/trace_weights.h"

/* The window. */

static int check_window(const struct sfair_audit *a, struct astra_error *err)
{
	if (a->window.end_sec > a->window.start_sec)
		return 0;
	return astra_error_set(err, "end=%s is not after start=%s",
			       a->args->end ? a->args->end : "",
			       a->args->start ? a->args->start : "");
}

static int read_window(struct sfair_audit *a, double now_sec,
		       struct astra_error *err)
{
	const struct sfair_audit_args *args = a->args;

	if (sfair_parse_window(args->start, args->end, &a->window.start_sec,
			       &a->window.end_sec, err) < 0)
		return -1;
	a->window.end_sec = fmin(a->window.end_sec, now_sec);
	return check_window(a, err);
}

/* Reads the start or end of the window, in the time that the trace uses. */
static int read_bound(const char *key, const char *text, double *sec,
		      struct astra_error *err)
{
	if (!text || astra_field_time(text, sec) == ASTRA_FIELD_OK)
		return 0;
	return astra_error_set(err,
			       "%s=%.64s: a trace's times are seconds, or "
			       "YYYY-MM-DDTHH:MM:SS",
			       key, text);
}

static int trace_window(struct sfair_audit *a, struct astra_error *err)
{
	a->window = astra_record_window(&a->record, 0);
	if (read_bound("start", a->args->start, &a->window.start_sec, err) <
		    0 ||
	    read_bound("end", a->args->end, &a->window.end_sec, err) < 0)
		return -1;
	return check_window(a, err);
}

/* Read the jobs, and the cluster that they ran on. */

static int audit_read_trace(struct sfair_audit *a, struct astra_error *err)
{
	const struct astra_read_options options = {0};

	if (astra_record_read(&a->record, a->args->trace, &options,
			      a->args->lenient, err) < 0)
		return -1;
	if (!a->args->quiet && *a->record.defects)
		fputs(a->record.defects, stderr);
	return trace_window(a, err);
}

static int read_records(struct sfair_audit *a, struct astra_error *err)
{
	char since[32], until[32];

	snprintf(since, sizeof(since), "uts%.0f", a->window.start_sec);
	snprintf(until, sizeof(until), "uts%.0f", a->window.end_sec);
	return astra_record_from_slurmdbd(&a->record, since, until,
					  a->args->cluster, NULL, err);
}

/* Whether sacct listed no jobs. After a failure of sacct there is no source. */
static bool audit_is_empty(const struct sfair_audit *a)
{
	return a->record.source && !a->record.job_count;
}

/* If there was no job yesterday, as on a cluster's first day, reads from
 * yesterday until now. Returns 0, or -1 with err set. */
static int read_today(struct sfair_audit *a, struct astra_error *err)
{
	astra_record_clear(&a->record);
	a->window.end_sec = (double)time(NULL);
	*err = (struct astra_error){""};
	if (read_records(a, err) == 0) {
		if (!a->args->quiet)
			fputs("sfair audit: no job asked for GPUs yesterday; this covers yesterday and today\n",
			      stderr);
		return 0;
	}
	if (audit_is_empty(a))
		astra_error_add(
			err,
			"yesterday and today; start= and end= name another time");
	return -1;
}

static int read_slurmdbd(struct sfair_audit *a, struct astra_error *err)
{
	int rc;

	if (read_window(a, (double)time(NULL), err) < 0)
		return -1;
	rc = read_records(a, err);
	if (rc < 0 && audit_is_empty(a) && !a->args->start && !a->args->end)
		rc = read_today(a, err);
	if (rc < 0)
		return -1;
	if (a->args->weights)
		return 0;
	if (sfair_accounts_ask(&a->accounts, a->cluster, HUGE_VAL, err) < 0)
		return -1;
	return sfair_audit_accounts(&a->record, &a->accounts, a->tenant_level,
				    err);
}

static int audit_weigh(struct sfair_audit *a, struct astra_error *err)
{
	if (a->args->weights)
		return astra_trace_read_weights(&a->trace, a->args->weights,
						false, err);
	return a->cluster ? sfair_audit_shares(&a->trace, &a->accounts,
					       a->tenant_level, a->shares_tree,
					       err)
			  : 0;
}

/* Returns how many jobs do not fit on `nodes` nodes of `each` GPUs. */
static size_t count_unfit(const struct astra_record *record, uint64_t nodes,
			  uint32_t each)
{
	size_t unfit = 0;

	for (size_t i = 0; i < record->job_count; i++) {
		const struct astra_record_job *job = &record->jobs[i];

		unfit +=
			job->nodes > nodes || job->gpus > nodes * each ||
			(job->nodes && job->gpus > (uint64_t)job->nodes * each);
	}
	return unfit;
}

/* Returns a number of GPUs per node, at most 8, that divides `gpus`: the one on
 * which most jobs fit, and the largest of these. */
static uint32_t audit_node_gpus(const struct astra_record *record,
				uint64_t gpus)
{
	uint32_t best = 1;
	size_t least = SIZE_MAX;

	for (uint32_t each = 8; each; each--) {
		size_t unfit = gpus % each
				       ? SIZE_MAX
				       : count_unfit(record, gpus / each, each);

		if (unfit < least) {
			least = unfit;
			best = each;
		}
	}
	return best;
}

static void warn_unfit(const struct sfair_audit *a, uint32_t nodes,
		       uint32_t each)
{
	size_t unfit = count_unfit(&a->record, nodes, each);

	if (unfit && a->args->policies && !a->args->quiet)
		fprintf(stderr,
			"sfair: %zu of %zu jobs fit nowhere on %u nodes of %u "
			"GPUs, and may keep others from running: give --nodes "
			"and --gpus\n",
			unfit, a->record.job_count, nodes, each);
}

static int make_machine(struct sfair_audit *a, struct astra_error *err)
{
	uint32_t nodes = a->args->nodes, each = a->args->gpus;
	uint64_t gpus;

	if (!nodes) {
		if (sfair_audit_gpus(a->cluster, &a->window, &gpus, err) < 0)
			return -1;
		each = audit_node_gpus(&a->record, gpus);
		nodes = (uint32_t)(gpus / each);
	}
	warn_unfit(a, nodes, each);
	return astra_cluster_make(&a->machine, nodes, each, 0) < 0
		       ? astra_error_nomem(err)
		       : 0;
}

/* Checks the names of policies before anything is read. */
static int check_policies(const char *names, struct astra_error *err)
{
	char *copy, *rest, *name;
	int rc = 0;

	if (!names || !strcmp(names, "all"))
		return 0;
	rest = copy = strdup(names);
	if (!copy)
		return astra_error_nomem(err);
	while (!rc && (name = strsep(&rest, ",")))
		rc = astra_scheduler_find(name, err) ? 0 : -1;
	free(copy);
	return rc;
}

static int audit_check_format(const struct sfair_audit_args *args,
			      struct astra_error *err)
{
	struct sfair_choices choices = {0};
	int rc = 0;

	if (args->show.format)
		rc = sfair_format_parse(sfair_audit_table_of(args->table),
					args->show.format, &choices, err);
	free(choices.items);
	return rc;
}

/* Accounts and users. */

static bool account_known(const struct sfair_audit *a, const char *name)
{
	for (size_t i = 0; i < a->trace.tenant_count; i++)
		if (!strcmp(a->trace.tenants[i].name, name))
			return true;
	for (size_t i = 0; i < a->record.job_count; i++)
		if (!strcmp(a->record.jobs[i].account, name))
			return true;
	return false;
}

static bool user_known(const struct sfair_audit *a, const char *name)
{
	for (size_t i = 0; i < a->trace.user_count; i++)
		if (!strcmp(a->trace.users[i], name))
			return true;
	return false;
}

static int check_names(const struct sfair_audit *a, struct astra_error *err)
{
	const struct astra_query *query = &a->args->show.query;

	for (size_t i = 0; i < query->accounts.count; i++) {
		if (account_known(a, query->accounts.names[i]))
			continue;
		astra_error_set(err, "unknown account %s: there are",
				query->accounts.names[i]);
		for (size_t k = 0; k < a->trace.tenant_count; k++) {
			size_t used = strlen(err->text);

			snprintf(err->text + used, sizeof(err->text) - used,
				 "%s %s", k ? "," : "",
				 a->trace.tenants[k].name);
		}
		return -1;
	}
	for (size_t i = 0; i < query->users.count; i++)
		if (!user_known(a, query->users.names[i]))
			return astra_error_set(
				err, "user %s had no GPU job in the window",
				query->users.names[i]);
	return 0;
}

/* The command. */

static int audit_check_args(struct sfair_audit *a, struct astra_error *err)
{
	if (audit_check_format(a->args, err) < 0 ||
	    check_policies(a->args->policies, err) < 0 ||
	    sfair_audit_set(a, err) < 0)
		return -1;
	if (!a->args->trace) {
		a->cluster = a->args->cluster;
		if (sfair_cluster_name(&a->cluster, "audit a --trace", err) < 0)
			return -1;
	}
	if ((a->args->trace ? audit_read_trace(a, err)
			    : read_slurmdbd(a, err)) < 0)
		return -1;
	if (astra_audit_trace(&a->record, &a->window, false, &a->trace) < 0)
		return astra_error_nomem(err);
	if (!a->trace.job_count)
		return astra_error_set(err,
				       "no job was there between start= and "
				       "end=");
	if (audit_weigh(a, err) < 0 || check_names(a, err) < 0)
		return -1;
	return make_machine(a, err);
}

int sfair_audit_measure(const struct sfair_audit *a,
			const struct astra_trace *trace,
			struct astra_sim_result *result,
			struct astra_error *err)
{
	const struct astra_audit_options options = {
		.gpus = a->machine.gpus,
		.quota_entitlement = a->options.quota_entitlement,
		.interval_sec = a->args->interval_sec,
		.term_sec = a->options.lease_sec,
		.grace_sec = a->options.grace_sec,
		.seed = 1,
	};

	return astra_audit_measure(&a->record, &a->window, trace, &options,
				   result, err);
}

static json_t *audit_describe(const struct sfair_audit *a)
{
	return json_pack("{s:s*, s:s, s:f, s:f, s:I, s:I, s:s, s:f}", "cluster",
			 a->cluster, "source", a->record.source, "start_sec",
			 a->window.start_sec, "end_sec", a->window.end_sec,
			 "gpus", (json_int_t)a->machine.gpus, "jobs",
			 (json_int_t)a->trace.job_count, "entitlement",
			 a->options.quota_entitlement ? "eq16" : "eq8",
			 "interval_sec", a->args->interval_sec);
}

/* Returns the document. For --json it always has the jobs; a table of jobs is
 * made only on request. */
static json_t *document(struct sfair_audit *a, struct astra_error *err)
{
	const struct sfair_audit_args *args = a->args;
	json_t *all = json_object();
	int rc;

	json_object_set_new(all, "audit", audit_describe(a));
	json_object_set_new(all, "metrics",
			    sfair_audit_metrics(&a->real, NULL));
	json_object_set_new(all, "tenants",
			    sfair_audit_tenants(a, &a->real, NULL));
	json_object_set_new(all, "sizes", sfair_audit_sizes(a, &a->real, NULL));
	json_object_set_new(all, "wronged", sfair_audit_jobs(a, args->top));
	if (args->table == SFAIR_AUDIT_JOBS || args->show.style == SFAIR_JSON)
		json_object_set_new(all, "jobs", sfair_audit_jobs(a, 0));
	rc = args->policies ? sfair_audit_policies(a, all, err) : 0;
	if (rc < 0) {
		json_decref(all);
		return NULL;
	}
	return all;
}

static int audit_show(struct sfair_audit *a, struct astra_error *err)
{
	json_t *all = document(a, err);
	int rc = 0;

	if (!all)
		return -1;
	if (a->args->show.style == SFAIR_JSON) {
		json_dumpf(all, stdout,
			   JSON_INDENT(2) | JSON_REAL_PRECISION(15));
		putchar('\n');
	} else {
		rc = sfair_audit_print(a, all, err);
	}
	json_decref(all);
	if (!rc && (fflush(stdout) || ferror(stdout)))
		rc = astra_error_set(err, "writing the output failed");
	return rc;
}

static int audit(const struct sfair_audit_args *args, struct astra_error *err)
{
	struct sfair_audit a = {.args = args};
	int rc;

	astra_trace_init(&a.trace);
	rc = audit_check_args(&a, err);
	if (!rc)
		rc = sfair_audit_measure(&a, &a.trace, &a.real, err);
	if (!rc)
		rc = audit_show(&a, err);
	astra_sim_result_clear(&a.real);
	astra_trace_clear(&a.trace);
	astra_cluster_clear(&a.machine);
	astra_record_clear(&a.record);
	sfair_accounts_clear(&a.accounts);
	return rc;
}

int sfair_audit(int argc, char **argv, struct astra_error *err)
{
	struct sfair_audit_args args;
	int rc = sfair_audit_parse(argc, argv, &args, err);

	if (!rc && args.show.help_format)
		sfair_audit_help_format();
	else if (!rc)
		rc = audit(&args, err);
	astra_query_destroy(&args.show.query);
	return rc;
}
