/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables of a try. */
#include <stdio.h>
#include <string.h>

#include "src/cmd/sfair/try.h"

static const struct sfair_column try_run_columns[] = {
	{"Run", "policy", SFAIR_TEXT,
	 "under what runs, and under what is tried"},
	{"Jobs", "jobs", SFAIR_NUMBER, "those there are, and those that come"},
	{"Never", "never", SFAIR_NUMBER, "those that never started"},
	{"Wait", "wait_mean_sec", SFAIR_SPAN,
	 "from now or its submission to its first start, mean"},
	{"Wait50", "wait_p50_sec", SFAIR_SPAN, "its median"},
	{"Wait95", "wait_p95_sec", SFAIR_SPAN, "its 95th percentile"},
	{"WaitMax", "wait_max_sec", SFAIR_SPAN, "the longest one"},
	{"JCT", "jct_mean_sec", SFAIR_SPAN,
	 "from now or its submission to its end, mean"},
	{"JCT50", "jct_p50_sec", SFAIR_SPAN, "its median"},
	{"JCT95", "jct_p95_sec", SFAIR_SPAN, "its 95th percentile"},
	{"OverBound", "over_bound", SFAIR_NUMBER,
	 "jobs that waited longer than promised"},
	{"JobLoss", "job_loss", SFAIR_RATIO,
	 "part of the jobs with rho below 0.95"},
	{"TenantLoss", "tenant_loss", SFAIR_RATIO,
	 "part of the tenants' hours with rho below 1"},
	{"RhoMin", "tenant_rho_min", SFAIR_RATIO, "of the worst off tenant"},
	{"RhoMax", "tenant_rho_max", SFAIR_RATIO, "of the best off tenant"},
	{"Jain", "jain", SFAIR_RATIO, "Jain's index of the tenants' rho"},
	{"FTF", "ftf_mean", SFAIR_RATIO,
	 "finish-time fairness of Themis, mean"},
	{"Slowdown", "slowdown_mean", SFAIR_RATIO,
	 "JCT over the time that it runs, mean"},
	{"Makespan", "makespan_sec", SFAIR_SPAN, "from now to the last end"},
	{"Used", "utilisation", SFAIR_RATIO,
	 "part of the GPU time used until the last submission"},
	{"Preempted", "preemptions", SFAIR_NUMBER, "times a job"},
	{"Leases", "leases", SFAIR_NUMBER, "leases a job"},
	{"Lost", "lost_share", SFAIR_RATIO,
	 "part of the GPU time lost to checkpoints and cold starts"},
	{NULL, NULL, SFAIR_TEXT, NULL},
};

#define CHANGE_COLUMN                                              \
	{                                                          \
		"Change", "change", SFAIR_TEXT,                    \
			"NewWait less Wait: -, if it is less then" \
	}

#define GROUP_COLUMNS                                                          \
	{"Jobs", "jobs", SFAIR_NUMBER,                                         \
	 "those there are, and those that come"},                              \
		{"Wait", "wait_mean_sec", SFAIR_SPAN,                          \
		 "mean wait until they first start, today"},                   \
		{"NewWait", "new_wait_mean_sec", SFAIR_SPAN,                   \
		 "the same under what is tried"},                              \
		CHANGE_COLUMN,                                                 \
		{"Less", "less", SFAIR_NUMBER, "jobs that wait less"},         \
		{"More", "more", SFAIR_NUMBER, "jobs that wait longer"},       \
		{"Never", "never", SFAIR_NUMBER, "jobs that never start"},     \
		{"NewNever", "new_never", SFAIR_NUMBER, "the same"},           \
		{"Wait50", "wait_p50_sec", SFAIR_SPAN, "median of Wait"},      \
		{"NewWait50", "new_wait_p50_sec", SFAIR_SPAN, "the same"},     \
		{"Wait95", "wait_p95_sec", SFAIR_SPAN,                         \
		 "95th percentile of Wait"},                                   \
		{"NewWait95", "new_wait_p95_sec", SFAIR_SPAN, "the same"},     \
		{"JCT", "jct_mean_sec", SFAIR_SPAN, "mean time to the end"},   \
		{"NewJCT", "new_jct_mean_sec", SFAIR_SPAN, "the same"},        \
		{"Alloc", "alloc_gpu_sec", SFAIR_GPU_TIME,                     \
		 "GPU time they have"},                                        \
		{"NewAlloc", "new_alloc_gpu_sec", SFAIR_GPU_TIME, "the same"}, \
		{"Fair", "fair_gpu_sec", SFAIR_GPU_TIME,                       \
		 "GPU time they are entitled to"},                             \
		{"NewFair", "new_fair_gpu_sec", SFAIR_GPU_TIME, "the same"},   \
		{"Rho", "rho", SFAIR_RATIO, "Alloc / Fair"},                   \
		{"NewRho", "new_rho", SFAIR_RATIO, "the same"},                \
		{"Preempted", "preemptions", SFAIR_NUMBER, "times a job"},     \
		{"NewPreempted", "new_preemptions", SFAIR_NUMBER, "the same"}, \
		{"Leases", "leases", SFAIR_NUMBER, "leases a job"},            \
		{"NewLeases", "new_leases", SFAIR_NUMBER, "the same"},         \
	{                                                                      \
		NULL, NULL, SFAIR_TEXT, NULL                                   \
	}

static const struct sfair_column try_tenant_columns[] = {
	{"Tenant", "tenant", SFAIR_TEXT, "the tenant"},
	{"Weight", "weight", SFAIR_NUMBER, "its weight"},
	{"NewWeight", "new_weight", SFAIR_NUMBER, "the same"},
	GROUP_COLUMNS};
static const struct sfair_column try_user_columns[] = {
	{"User", "user", SFAIR_TEXT, "the user"},
	{"Tenant", "tenant", SFAIR_TEXT, "in which tenant"},
	GROUP_COLUMNS};

static const struct sfair_column try_job_columns[] = {
	{"JobID", "id_text", SFAIR_TEXT, "its number, or that of long ago"},
	{"User", "user", SFAIR_TEXT, "who submitted it"},
	{"Tenant", "tenant", SFAIR_TEXT, "who is charged for it"},
	{"GPUs", "gpus", SFAIR_NUMBER, "GPUs that it asks for"},
	{"Present", "present", SFAIR_TEXT, "it is there already"},
	{"Submit", "submit_sec", SFAIR_TIME, "when it comes, or now"},
	{"Duration", "duration_sec", SFAIR_SPAN, "how long it has to run"},
	{"Wait", "wait_sec", SFAIR_SPAN, "until it first starts, today"},
	{"NewWait", "new_wait_sec", SFAIR_SPAN, "under what is tried"},
	CHANGE_COLUMN,
	{"JCT", "jct_sec", SFAIR_SPAN, "until its end, today"},
	{"NewJCT", "new_jct_sec", SFAIR_SPAN, "under what is tried"},
	{"Preempted", "preemptions", SFAIR_NUMBER, "times, today"},
	{"NewPreempted", "new_preemptions", SFAIR_NUMBER,
	 "under what is tried"},
	{"Leases", "leases", SFAIR_NUMBER, "how many, today"},
	{"NewLeases", "new_leases", SFAIR_NUMBER, "under what is tried"},
	{NULL, NULL, SFAIR_TEXT, NULL},
};

static const struct {
	const char *name, *key, *title;
	struct sfair_table table;
} tables[SFAIR_TRY_TABLES] = {
	{"Runs",
	 "runs",
	 "Today, and what is tried",
	 {try_run_columns,
	  "Run,Jobs,Wait,Wait50,Wait95,WaitMax,JCT,JobLoss,TenantLoss,RhoMin,"
	  "Jain,Used,Preempted,Leases,Lost"}},
	{"Tenants",
	 "tenants",
	 "Tenants: who would wait less, who more",
	 {try_tenant_columns, "Tenant,Jobs,Wait,NewWait,Change,Less,More,"
			      "Wait95,NewWait95,JCT,NewJCT,Rho,NewRho"}},
	{"Users",
	 "users",
	 "Users: who would wait less, who more",
	 {try_user_columns, "User,Tenant,Jobs,Wait,NewWait,Change,Less,More,"
			    "Wait95,NewWait95,JCT,NewJCT,Rho,NewRho"}},
	{"Jobs",
	 "jobs",
	 "Jobs",
	 {try_job_columns,
	  "JobID,User,Tenant,GPUs,Present,Submit,Duration,Wait,NewWait,Change,"
	  "JCT,NewJCT,Preempted,NewPreempted"}},
};

const char *sfair_try_table_name(enum sfair_try_table table)
{
	return tables[table].name;
}

const struct sfair_table *sfair_try_table_of(enum sfair_try_table table)
{
	return &tables[table].table;
}

void sfair_try_help_format(void)
{
	for (int i = 0; i < SFAIR_TRY_TABLES; i++)
		sfair_list_fields(tables[i].name, &tables[i].table);
}

static void try_put_heading(const struct sfair_try *t)
{
	const struct astra_forward *f = &t->forward;
	char now[64];
	json_t *row;
	size_t i;

	sfair_time(t->round->snapshot.now_sec, now, sizeof(now));
	printf("Pool %s of cluster %s at %s: %llu GPUs, %zu job%s running, %zu "
	       "waiting;\njobs of the last days (%u) that come once more: "
	       "%zu\n",
	       t->round->head.pool, t->round->head.cluster, now,
	       (unsigned long long)f->cluster.gpus, f->running,
	       f->running == 1 ? "" : "s", f->waiting, t->args->days, f->come);
	json_array_foreach(t->tried, i, row)
	{
		const char *from =
			json_string_value(json_object_get(row, "from"));

		printf("Tried: %s=%s%s%s\n",
		       json_string_value(json_object_get(row, "what")),
		       from ? from : "", from ? " becomes " : "",
		       json_string_value(json_object_get(row, "to")));
	}
}

/* Warns of assumptions in place of unknown facts. */
static void try_warn(const struct sfair_try *t)
{
	const struct astra_forward *f = &t->forward;
	const struct {
		size_t count;
		const char *what;
	} notes[] = {
		{f->blocked, "jobs that are held or wait for something else "
			     "than GPUs, left out"},
		{f->foreign_gpus,
		 "GPUs that others than the pool's jobs have, and keep"},
		{f->unended, "jobs of the last days that have not ended, and "
			     "come with the run time that is expected"},
		{f->large, "jobs of the last days that are larger than the "
			   "pool is now, left out"},
		{t->strangers, "jobs of the last days of accounts that are no "
			       "tenants, each user taken for one"},
		{sfair_try_never(t, 0), "jobs that never start today: their "
					"wait is inf"},
		{sfair_try_never(t, 1), "jobs that never start under what is "
					"tried: their wait is inf"},
	};

	for (size_t i = 0; i < sizeof(notes) / sizeof(*notes); i++)
		if (notes[i].count)
			fprintf(stderr, "sfair: %s: %zu\n", notes[i].what,
				notes[i].count);
	if (!f->come)
		fprintf(stderr,
			"sfair: nobody came in the last %u day%s: only "
			"what runs and waits goes on\n",
			t->args->days, t->args->days == 1 ? "" : "s");
	if (!t->args->trace && !t->file.config)
		fputs("sfair: astraea.conf is not on this host: the last days' "
		      "jobs are those of all partitions\n",
		      stderr);
}

/* Says so if nothing would change for any job. */
static void try_tell_same(const struct sfair_try *t)
{
	size_t jobs = t->forward.trace.job_count;
	const struct astra_sim_job *a = t->runs[0].result.jobs;
	const struct astra_sim_job *b = t->runs[1].result.jobs;

	for (size_t i = 0; i < jobs; i++)
		if (a[i].start_sec != b[i].start_sec ||
		    a[i].end_sec != b[i].end_sec)
			return;
	fputs("sfair: nothing is different: no job starts or ends earlier or "
	      "later\n",
	      stderr);
}

int sfair_try_print(const struct sfair_try *t, const json_t *document,
		    struct astra_error *err)
{
	const struct sfair_args *show = &t->args->show;
	bool heads = show->style == SFAIR_TABLE && !show->no_header;
	bool one = t->args->table != SFAIR_TRY_TABLES, first = true;

	if (heads)
		try_put_heading(t);
	for (int i = 0; i < SFAIR_TRY_TABLES; i++) {
		json_t *rows = json_object_get(document, tables[i].key);

		if (!rows || (one && i != (int)t->args->table))
			continue;
		if (heads || !first)
			putchar('\n');
		if (heads)
			printf("%s\n", tables[i].title);
		first = false;
		if (sfair_print_rows(&tables[i].table, rows, show,
				     t->round->snapshot.now_sec, err) < 0)
			return -1;
	}
	if (!t->args->quiet) {
		fflush(stdout);
		try_warn(t);
		try_tell_same(t);
	}
	return 0;
}
