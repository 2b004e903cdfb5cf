/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints a report as sreport would. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "src/cmd/sfair/reports.h"

/* The columns of each report. */

#define END                                  \
	{                                    \
		NULL, NULL, SFAIR_TEXT, NULL \
	}

/* clang-format off */
#define TIME {"Time", "time_sec", SFAIR_TIME, "when the row's time begins"}
#define POOL {"Pool", "pool", SFAIR_TEXT, "the pool"}
#define TENANT {"Tenant", "tenant", SFAIR_TEXT, "the tenant"}
#define ACCOUNT {"Account", "account", SFAIR_TEXT, "the jobs' account"}
#define USER {"User", "user", SFAIR_TEXT, "the jobs' user"}
#define TOTAL {"Total", "total_gpu_sec", SFAIR_GPU_TIME, \
	"GPU time that the pool had"}
#define USED {"Used", "used_gpu_sec", SFAIR_GPU_TIME, \
	"GPU time that jobs used, as sreport has it"}
#define HAD {"Alloc", "alloc_gpu_sec", SFAIR_GPU_TIME, \
	"GPU time it had, by GPUWeight"}
#define DUE {"Fair", "fair_gpu_sec", SFAIR_GPU_TIME, \
	"GPU time it was entitled to"}
#define RHO {"Rho", "rho", SFAIR_RATIO, "Alloc / Fair"}
#define LACK {"Lack", "lack_gpu_sec", SFAIR_GPU_TIME, \
	"GPU time due and not had, minute by minute"}
#define DEMAND {"Demand", "demand_gpu_sec", SFAIR_GPU_TIME, \
	"GPU time that its jobs asked for"}
#define WAITED {"Waited", "wait_gpu_sec", SFAIR_GPU_TIME, \
	"GPU time for which its jobs waited"}
#define JOBID {"JobID", "id_text", SFAIR_TEXT, "as squeue shows it"}
#define NUMBER {"Job", "job", SFAIR_NUMBER, "its number"}
#define GPUS {"GPUs", "gpus", SFAIR_NUMBER, "GPUs that it asked for"}
#define SUBMIT {"Submit", "submit_sec", SFAIR_TIME, "first submitted"}
#define START {"Start", "start_sec", SFAIR_TIME, "first started"}
#define OVER {"End", "end_sec", SFAIR_TIME, "when it was over"}
#define STATE {"State", "state", SFAIR_TEXT, "Slurm's word"}

static const struct sfair_column utilization[] = {
	POOL, TOTAL, USED,
	{"Down", "down_gpu_sec", SFAIR_GPU_TIME, "GPU time of nodes not there"},
	{"Idle", "idle_gpu_sec", SFAIR_GPU_TIME, "GPU time that nobody used"},
	{"Wanted", "wanted_gpu_sec", SFAIR_GPU_TIME,
	 "of it, while waiting jobs asked for that many"},
	{"Leaving", "lost_gpu_sec", SFAIR_GPU_TIME,
	 "held by jobs whose lease was over"},
	{"Seen", "span_sec", SFAIR_SPAN, "time of which there is history"},
	END};

static const struct sfair_column fairness[] = {
	TIME, POOL,
	{"Tenants", "tenants", SFAIR_NUMBER, "how many there were"},
	HAD, DUE, LACK,
	{"Loss", "loss", SFAIR_RATIO, "Lack / Fair"},
	{"RhoMin", "rho_min", SFAIR_RATIO, "of the worst off tenant"},
	{"RhoMax", "rho_max", SFAIR_RATIO, "of the best off tenant"},
	{"First", "first_starts", SFAIR_NUMBER,
	 "jobs that started for the first time"},
	{"Late", "over_bound", SFAIR_NUMBER,
	 "jobs that waited longer for it than their bound"},
	TOTAL, END};

static const struct sfair_column rounds[] = {
	TIME, POOL,
	{"Rounds", "rounds", SFAIR_NUMBER, "scheduling rounds"},
	{"MeanUsec", "round_mean_usec", SFAIR_NUMBER,
	 "of one, in microseconds"},
	{"MaxUsec", "round_max_usec", SFAIR_NUMBER, "the longest"},
	{"Granted", "granted", SFAIR_NUMBER, "leases"},
	{"Renewed", "renewed", SFAIR_NUMBER, "leases"},
	{"Revoked", "revoked", SFAIR_NUMBER, "leases"},
	{"Refused", "refused", SFAIR_NUMBER, "starts that slurmctld refused"},
	{"Capped", "capped", SFAIR_NUMBER, "rounds that MaxReclaim held back"},
	{"Slots", "slots", SFAIR_NUMBER, "that ogasched learned from"},
	{"Reward", "reward", SFAIR_RATIO, "of a slot, that it learns by"},
	END};

static const struct sfair_column tenants[] = {
	POOL, TENANT,
	{"Weight", "weight", SFAIR_NUMBER, "its weight now"},
	HAD, DUE, RHO, LACK, DEMAND, TOTAL, END};

static const struct sfair_column usage[] = {
	POOL, TENANT, ACCOUNT, USER, USED, WAITED,
	{"Starts", "jobs", SFAIR_NUMBER, "how often its jobs started"},
	TOTAL, END};

static const struct sfair_column timeline[] = {
	TIME, POOL, TENANT, HAD, DUE, RHO, DEMAND, USED, TOTAL, END};

static const struct sfair_column ledger[] = {
	TIME, POOL, TENANT,
	{"Paid", "paid", SFAIR_CREDITS,
	 "credits that it paid for GPUs of others' shares"},
	{"Income", "income", SFAIR_CREDITS,
	 "credits that it was given for GPUs of its share"},
	{"Balance", "balance", SFAIR_CREDITS,
	 "Income - Paid since the report's start"},
	END};

static const struct sfair_column users[] = {
	USER, ACCOUNT, TENANT, POOL, USED, HAD, DUE, RHO, WAITED, TOTAL, END};

static const struct sfair_column top[] = {
	USER, ACCOUNT, TENANT, POOL, USED, TOTAL, END};

static const struct sfair_column jobs[] = {
	JOBID, NUMBER, USER, ACCOUNT, TENANT, POOL,
	{"Name", "name", SFAIR_TEXT, "its name"},
	GPUS, SUBMIT, START, OVER, STATE, HAD, DUE, RHO,
	{"Leases", "leases", SFAIR_NUMBER, "granted, renewals included"},
	{"Revoked", "revoked", SFAIR_NUMBER, "times its GPUs were taken back"},
	{"Lost", "lost_sec", SFAIR_SPAN, "from lease ends to free GPUs"},
	END};

static const struct sfair_column leases[] = {
	JOBID, NUMBER, USER, TENANT, POOL,
	{"Lease", "number", SFAIR_NUMBER, "the job's first, second, ..."},
	{"Start", "start_sec", SFAIR_TIME, "when it began"},
	{"End", "end_sec", SFAIR_TIME, "when it ended"},
	{"GPUs", "gpus", SFAIR_NUMBER, "that it gave"},
	{"Nodes", "nodes", SFAIR_TEXT, "where they were"},
	{"How", "how", SFAIR_TEXT, "how it ended; nothing: it goes on"},
	END};

static const struct sfair_column slowdown[] = {
	JOBID, NUMBER, USER, TENANT, POOL, GPUS, SUBMIT, START, OVER, STATE,
	{"Wait", "wait_sec", SFAIR_SPAN, "from submission to its start"},
	{"Run", "run_sec", SFAIR_SPAN, "time in which it held GPUs"},
	{"Turnaround", "turnaround_sec", SFAIR_SPAN,
	 "from submission to its end"},
	{"Slowdown", "slowdown", SFAIR_RATIO, "Turnaround / Run"},
	END};

static const struct sfair_column requests[] = {
	JOBID, NUMBER, USER, ACCOUNT, TENANT, POOL, GPUS,
	{"MaxNodes", "nodes_asked", SFAIR_NUMBER, "at most so many; 0: any number"},
	{"TimeLimit", "limit_sec", SFAIR_SPAN, "its time limit; 0: none"},
	{"Unprepared", "unprepared", SFAIR_FLAG, "it declares no checkpoint"},
	{"Leasable", "leasable", SFAIR_FLAG,
	 "with leases it has some: its user did not ask for none"},
	SUBMIT,
	{"Ready", "ready_sec", SFAIR_TIME,
	 "since when it waited for GPUs only, before its first start"},
	START, OVER, STATE,
	{"Run", "run_sec", SFAIR_SPAN, "time in which it held GPUs"},
	{"Watched", "watch_sec", SFAIR_TIME, "since when its pool is (Leases=watch)"},
	END};

static const struct sfair_table tables[ASTRA_REPORT_KINDS] = {
	[ASTRA_CLUSTER_UTILIZATION] = {utilization,
		"Pool,Total,Used,Down,Idle,Wanted,Leaving,Seen"},
	[ASTRA_CLUSTER_FAIRNESS] = {fairness,
		"Time,Pool,Tenants,Alloc,Fair,Lack,Loss,RhoMin,RhoMax"},
	[ASTRA_CLUSTER_ROUNDS] = {rounds,
		"Time,Pool,Rounds,MeanUsec,MaxUsec,Granted,Renewed,Revoked,Refused,"
		"Capped,Reward"},
	[ASTRA_TENANT_FAIRNESS] = {tenants,
		"Pool,Tenant,Weight,Alloc,Fair,Rho,Lack,Demand"},
	[ASTRA_TENANT_USAGE] = {usage,
		"Pool,Tenant,Account,User,Used,Waited,Starts"},
	[ASTRA_TENANT_TIMELINE] = {timeline,
		"Time,Pool,Tenant,Alloc,Fair,Rho,Demand,Used"},
	[ASTRA_TENANT_LEDGER] = {ledger,
		"Time,Pool,Tenant,Paid,Income,Balance"},
	[ASTRA_USER_TOP] = {top, "User,Account,Tenant,Pool,Used"},
	[ASTRA_USER_FAIRNESS] = {users,
		"User,Account,Tenant,Pool,Used,Alloc,Fair,Rho,Waited"},
	[ASTRA_JOB_FAIRNESS] = {jobs,
		"JobID,User,Account,Pool,GPUs,Submit,End,State,Alloc,Fair,Rho,"
		"Leases,Revoked,Lost"},
	[ASTRA_JOB_LEASES] = {leases,
		"JobID,User,Tenant,Pool,Lease,Start,End,GPUs,Nodes,How"},
	[ASTRA_JOB_SLOWDOWN] = {slowdown,
		"JobID,User,Tenant,GPUs,Submit,Start,End,State,Wait,Run,"
		"Turnaround,Slowdown"},
	[ASTRA_JOB_REQUESTS] = {requests,
		"JobID,User,Tenant,GPUs,TimeLimit,Unprepared,Leasable,Submit,Ready,"
		"Start,End,State"},
};
/* clang-format on */

const struct sfair_table *sfair_report_table(enum astra_report_kind kind)
{
	return &tables[kind];
}

/* The tree of tenants, their accounts and their users. The row of a tenant or
 * an account has the sums of the rows below it. */

static const char *reports_tree_text_of(const json_t *row, const char *key)
{
	const char *text = json_string_value(json_object_get(row, key));

	return text ? text : "";
}

static bool same(const json_t *a, const json_t *b, const char *key)
{
	return a && !strcmp(reports_tree_text_of(a, key),
			    reports_tree_text_of(b, key));
}

static void reports_tree_add(json_t *sum, const json_t *row, const char *key)
{
	json_object_set_new(
		sum, key,
		json_real(json_number_value(json_object_get(sum, key)) +
			  json_number_value(json_object_get(row, key))));
}

static void reports_tree_add_row(json_t *sum, const json_t *row)
{
	static const char *const keys[] = {"used_gpu_sec", "wait_gpu_sec",
					   "jobs"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		reports_tree_add(sum, row, keys[i]);
}

/* Begins a row of sums, to which the values of the rows below are added.
 * Borrowed. */
static json_t *reports_tree_begin(json_t *tree, const json_t *row,
				  bool of_account)
{
	json_t *sum = json_object();

	json_object_set(sum, "pool", json_object_get(row, "pool"));
	json_object_set(sum, "tenant", json_object_get(row, "tenant"));
	json_object_set(sum, "total_gpu_sec",
			json_object_get(row, "total_gpu_sec"));
	json_object_set_new(sum, "user", json_string(""));
	json_object_set_new(
		sum, "account",
		of_account ? json_sprintf(" %s",
					  reports_tree_text_of(row, "account"))
			   : json_string(""));
	json_array_append_new(tree, sum);
	return sum;
}

static void add_leaf(json_t *tree, const json_t *row)
{
	json_t *leaf = json_copy((json_t *)(uintptr_t)row);

	json_object_set_new(
		leaf, "account",
		json_sprintf(" %s", reports_tree_text_of(row, "account")));
	json_object_set_new(
		leaf, "user",
		json_sprintf("  %s", reports_tree_text_of(row, "user")));
	json_array_append_new(tree, leaf);
}

/* Returns the rows of tenant usage as an indented tree with sums, in the order
 * tenant, account, user. The array is to be freed; NULL when out of memory. */
static json_t *sfair_report_tree(const json_t *rows)
{
	json_t *tree = json_array(), *tenant = NULL, *account = NULL;
	const json_t *last = NULL, *row;
	size_t i;

	for (i = 0; tree && i < json_array_size(rows); i++) {
		bool goes_on;

		row = json_array_get(rows, i);
		goes_on = same(last, row, "pool") && same(last, row, "tenant");
		if (!goes_on)
			tenant = reports_tree_begin(tree, row, false);
		if (!goes_on || !same(last, row, "account"))
			account = reports_tree_begin(tree, row, true);
		reports_tree_add_row(tenant, row);
		reports_tree_add_row(account, row);
		add_leaf(tree, row);
		last = row;
	}
	return tree;
}

#define RULE                                       \
	"----------------------------------------" \
	"----------------------------------------\n"

static const double unit_sec[] = {
	[SFAIR_SECONDS] = 1, [SFAIR_MINUTES] = 60, [SFAIR_HOURS] = 3600};
static const char *const unit_names[] = {"Seconds", "Minutes", "Hours"};

static double member_sec(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

static void put_unit(const struct sfair_report_args *args)
{
	const char *unit = unit_names[args->show.unit];

	if (args->share == SFAIR_PERCENT)
		puts("Usage reported in Percentage of Total");
	else
		printf("Usage reported in GPU %s%s\n", unit,
		       args->share == SFAIR_BOTH ? "/Percentage of Total" : "");
}

static bool reports_print_has(const struct sfair_table *table,
			      enum sfair_kind kind)
{
	for (const struct sfair_column *c = table->columns; c->name; c++)
		if (c->kind == kind)
			return true;
	return false;
}

/* Writes the heading. The end shown is the last second of the window, not the
 * first one after it. */
static void reports_print_put_heading(const json_t *reply,
				      const struct sfair_report_args *args,
				      const struct sfair_table *table)
{
	const struct astra_report_row *row =
		astra_report_row(args->show.query.past.report);
	double start = member_sec(reply, "start_sec");
	double end = member_sec(reply, "end_sec");
	char from[64], to[64];

	sfair_time(start, from, sizeof(from));
	sfair_time(end - 1, to, sizeof(to));
	fputs(RULE, stdout);
	printf("%c%s %c%s %s - %s (%.0f secs)\n",
	       toupper((unsigned char)*row->type), row->type + 1,
	       toupper((unsigned char)*row->report), row->report + 1, from, to,
	       end - start);
	if (reports_print_has(table, SFAIR_GPU_TIME))
		put_unit(args);
	if (reports_print_has(table, SFAIR_CREDITS))
		puts("Payments reported in Credits");
	fputs(RULE, stdout);
}

/* Turns a GPU time into a share of the GPU time of the row's pool. */
static void share_value(json_t *row, const char *key, double total,
			const struct sfair_report_args *args)
{
	const json_t *value = json_object_get(row, key);
	double part = json_number_value(value);
	double percent = total > 0 ? part / total * 100 : 0;
	char text[64];

	if (!json_is_number(value))
		return;
	/* runs count in full, but the pool's GPUs only while they were seen */
	if (!strcmp(key, "used_gpu_sec") && percent > 100)
		percent = 100;
	if (args->share == SFAIR_PERCENT)
		snprintf(text, sizeof(text), "%.2f%%", percent);
	else
		snprintf(text, sizeof(text), "%.1f(%.2f%%)",
			 part / unit_sec[args->show.unit], percent);
	json_object_set_new(row, key, json_string(text));
}

static void share_rows(json_t *rows, const struct sfair_table *table,
		       const struct sfair_report_args *args)
{
	json_t *row;
	size_t i;

	json_array_foreach(rows, i, row)
	{
		double total = member_sec(row, "total_gpu_sec");

		for (const struct sfair_column *c = table->columns; c->name;
		     c++)
			if (c->kind == SFAIR_GPU_TIME)
				share_value(row, c->key, total, args);
	}
}

static int reports_print_json(const json_t *reply)
{
	json_dumpf(reply, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
	putchar('\n');
	return 0;
}

static int reports_print_table(const json_t *reply,
			       const struct sfair_report_args *args,
			       json_t *rows, struct astra_error *err)
{
	const struct sfair_table *table =
		sfair_report_table(args->show.query.past.report);
	double now_sec = member_sec(reply, "time_sec");

	if (args->share != SFAIR_AMOUNT)
		share_rows(rows, table, args);
	if (args->show.style == SFAIR_TABLE && !args->show.no_header)
		reports_print_put_heading(reply, args, table);
	return sfair_print_rows(table, rows, &args->show, now_sec, err);
}

int sfair_report_print(const json_t *reply,
		       const struct sfair_report_args *args,
		       struct astra_error *err)
{
	const json_t *all = json_object_get(reply, "rows");
	json_t *rows;
	int rc;

	if (args->show.style == SFAIR_JSON)
		return reports_print_json(reply);
	rows = args->tree ? sfair_report_tree(all) : json_deep_copy(all);
	if (!rows)
		return astra_error_nomem(err);
	rc = reports_print_table(reply, args, rows, err);
	json_decref(rows);
	if (!rc && !args->quiet && args->show.style == SFAIR_TABLE &&
	    !json_array_size(all))
		fputs("sfair: there is nothing of this time; without start= it is yesterday: try start=today\n",
		      stderr);
	if (!rc && !args->quiet && json_is_true(json_object_get(reply, "more")))
		fprintf(stderr,
			"sfair: there are more than these %zu rows: ask for a shorter time, or fewer accounts, users or jobs\n",
			json_array_size(all));
	return rc;
}
