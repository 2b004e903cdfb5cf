/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables of an audit. */
#include <stdio.h>
#include <string.h>

#include "src/cmd/sfair/audit.h"

#define POLICY_COLUMN                                        \
	{                                                    \
		"Policy", "policy", SFAIR_TEXT,              \
			"reality, or who would have decided" \
	}

#define TENANT_COLUMNS                                                         \
	{"Tenant", "name", SFAIR_TEXT, "the tenant"},                          \
		{"Weight", "weight", SFAIR_NUMBER, "its weight"},              \
		{"Quota", "quota_gpus", SFAIR_NUMBER, "its share, in GPUs"},   \
		{"Jobs", "jobs", SFAIR_NUMBER, "its jobs in the window"},      \
		{"Alloc", "alloc_gpu_sec", SFAIR_GPU_TIME, "GPU time it had"}, \
		{"Fair", "fair_gpu_sec", SFAIR_GPU_TIME,                       \
		 "GPU time it was entitled to"},                               \
		{"Rho", "rho", SFAIR_RATIO, "Alloc / Fair"},                   \
		{"Loss", "loss", SFAIR_RATIO,                                  \
		 "part of its intervals with Alloc / Fair below 1"},           \
		{"JobsLost", "lost_gpu_sec", SFAIR_GPU_TIME,                   \
		 "GPU time its wronged jobs were due and did not have"},       \
		{"Wait", "wait_mean_sec", SFAIR_SPAN,                          \
		 "mean wait of its jobs until they started"},                  \
	{                                                                      \
		NULL, NULL, SFAIR_TEXT, NULL                                   \
	}

#define SIZE_COLUMNS                                                           \
	{"GPUs", "gpus", SFAIR_TEXT, "GPUs of a job"},                         \
		{"Jobs", "jobs", SFAIR_NUMBER, "how many there were"},         \
		{"Never", "never", SFAIR_NUMBER, "those that never started"},  \
		{"Alloc", "gpu_sec", SFAIR_GPU_TIME, "GPU time they had"},     \
		{"Wait", "wait_mean_sec", SFAIR_SPAN,                          \
		 "mean wait until the start"},                                 \
		{"Wait50", "wait_p50_sec", SFAIR_SPAN, "its median"},          \
		{"Wait95", "wait_p95_sec", SFAIR_SPAN, "its 95th percentile"}, \
		{"WaitMax", "wait_max_sec", SFAIR_SPAN, "the longest one"},    \
		{"Slowdown", "slowdown_mean", SFAIR_RATIO,                     \
		 "time from submission to the end over time run, mean"},       \
		{"Slow50", "slowdown_p50", SFAIR_RATIO, "its median"},         \
		{"Slow95", "slowdown_p95", SFAIR_RATIO,                        \
		 "its 95th percentile"},                                       \
		{"SlowMax", "slowdown_max", SFAIR_RATIO, "the largest one"},   \
	{                                                                      \
		NULL, NULL, SFAIR_TEXT, NULL                                   \
	}

static const struct sfair_column tenant_columns[] = {TENANT_COLUMNS};
static const struct sfair_column size_columns[] = {SIZE_COLUMNS};
static const struct sfair_column policy_tenant_columns[] = {POLICY_COLUMN,
							    TENANT_COLUMNS};
static const struct sfair_column policy_size_columns[] = {POLICY_COLUMN,
							  SIZE_COLUMNS};

static const struct sfair_column job_columns[] = {
	{"JobID", "id_text", SFAIR_TEXT, "as sacct writes it"},
	{"User", "user", SFAIR_TEXT, "who submitted it"},
	{"Account", "account", SFAIR_TEXT, "its account"},
	{"Tenant", "tenant", SFAIR_TEXT, "who is charged for it"},
	{"GPUs", "gpus", SFAIR_NUMBER, "GPUs that it asked for"},
	{"Submit", "submit_sec", SFAIR_TIME, "when it was first submitted"},
	{"Start", "start_sec", SFAIR_TIME, "when it first started"},
	{"End", "end_sec", SFAIR_TIME, "when it was over"},
	{"Wait", "wait_sec", SFAIR_SPAN, "from submission to its start"},
	{"Slowdown", "slowdown", SFAIR_RATIO,
	 "time from submission to the end over time run"},
	{"Runs", "runs", SFAIR_NUMBER, "how often it started"},
	{"Alloc", "alloc_gpu_sec", SFAIR_GPU_TIME, "GPU time it had"},
	{"Fair", "fair_gpu_sec", SFAIR_GPU_TIME, "GPU time it was entitled to"},
	{"Rho", "rho", SFAIR_RATIO, "Alloc / Fair"},
	{"Lost", "lost_gpu_sec", SFAIR_GPU_TIME,
	 "Fair - Alloc where Rho is below 0.95"},
	{NULL, NULL, SFAIR_TEXT, NULL},
};

static const struct sfair_column policy_columns[] = {
	POLICY_COLUMN,
	{"Jobs", "done", SFAIR_NUMBER, "jobs that were done"},
	{"JobLoss", "job_loss", SFAIR_RATIO,
	 "part of the jobs with rho below 0.95"},
	{"TenantLoss", "tenant_loss", SFAIR_RATIO,
	 "part of the tenants' intervals with rho below 1"},
	{"RhoMin", "tenant_rho_min", SFAIR_RATIO, "of the worst off tenant"},
	{"RhoMax", "tenant_rho_max", SFAIR_RATIO, "of the best off tenant"},
	{"Jain", "jain", SFAIR_RATIO, "Jain's index of the tenants' rho"},
	{"FTF", "ftf_mean", SFAIR_RATIO,
	 "finish-time fairness of Themis, mean"},
	{"FTFMax", "ftf_max", SFAIR_RATIO, "its largest"},
	{"Slowdown", "slowdown_mean", SFAIR_RATIO,
	 "time from submission to the end over time run, mean"},
	{"Slow50", "slowdown_p50", SFAIR_RATIO, "its median"},
	{"Slow95", "slowdown_p95", SFAIR_RATIO, "its 95th percentile"},
	{"Wait", "wait_mean_sec", SFAIR_SPAN, "mean wait until the start"},
	{"JCT", "jct_mean_sec", SFAIR_SPAN,
	 "mean time from submission to the end"},
	{"Makespan", "makespan_sec", SFAIR_SPAN,
	 "from the window's start to the last end"},
	{"Used", "utilisation", SFAIR_RATIO,
	 "part of the GPU time used until the last submission"},
	{"Preempted", "preemptions", SFAIR_NUMBER, "times a job"},
	{"Lost", "lost_share", SFAIR_RATIO,
	 "part of the GPU time lost to checkpoints and cold starts"},
	{NULL, NULL, SFAIR_TEXT, NULL},
};

static const struct {
	const char *name, *key, *title;
	struct sfair_table table;
} tables[SFAIR_AUDIT_TABLES] = {
	{"Tenants",
	 "tenants",
	 "Tenants",
	 {tenant_columns,
	  "Tenant,Weight,Quota,Jobs,Alloc,Fair,Rho,Loss,JobsLost,Wait"}},
	{"Sizes",
	 "sizes",
	 "Jobs by size",
	 {size_columns, "GPUs,Jobs,Never,Alloc,Wait,Wait50,Wait95,WaitMax,"
			"Slowdown,Slow50,Slow95"}},
	{"Wronged",
	 "wronged",
	 "The most wronged jobs",
	 {job_columns,
	  "JobID,User,Account,GPUs,Submit,Wait,Slowdown,Alloc,Fair,Rho,Lost"}},
	{"Jobs",
	 "jobs",
	 "Jobs",
	 {job_columns, "JobID,User,Account,GPUs,Submit,Start,End,Wait,"
		       "Slowdown,Runs,Alloc,Fair,Rho"}},
	{"Policies",
	 "policies",
	 "What each policy would have given",
	 {policy_columns, "Policy,Jobs,JobLoss,TenantLoss,RhoMin,RhoMax,Jain,"
			  "Slowdown,Slow95,Wait,JCT,Makespan,Used,Preempted"}},
	{"PolicyTenants",
	 "policy_tenants",
	 "To tenants",
	 {policy_tenant_columns,
	  "Policy,Tenant,Alloc,Fair,Rho,Loss,JobsLost,Wait"}},
	{"PolicySizes",
	 "policy_sizes",
	 "To jobs by size",
	 {policy_size_columns, "Policy,GPUs,Jobs,Wait,Wait95,Slowdown,Slow95"}},
};

const char *sfair_audit_table_name(enum sfair_audit_table table)
{
	return tables[table].name;
}

const struct sfair_table *sfair_audit_table_of(enum sfair_audit_table table)
{
	return &tables[table].table;
}

void sfair_audit_help_format(void)
{
	for (int i = 0; i < SFAIR_AUDIT_TABLES; i++)
		sfair_list_fields(tables[i].name, &tables[i].table);
}

static void audit_print_put_heading(const struct sfair_audit *audit)
{
	char start[64], end[64];

	sfair_time(audit->window.start_sec, start, sizeof(start));
	sfair_time(audit->window.end_sec, end, sizeof(end));
	printf("%s %s from %s to %s: %llu GPUs, %zu job%s\n",
	       audit->cluster ? "Cluster" : "Trace",
	       audit->cluster ? audit->cluster : audit->record.source, start,
	       end, (unsigned long long)audit->machine.gpus,
	       audit->trace.job_count, audit->trace.job_count == 1 ? "" : "s");
}

int sfair_audit_print(const struct sfair_audit *audit, const json_t *document,
		      struct astra_error *err)
{
	const struct sfair_args *show = &audit->args->show;
	bool heads = show->style == SFAIR_TABLE && !show->no_header;
	bool one = audit->args->table != SFAIR_AUDIT_TABLES;
	bool first = true;

	if (heads)
		audit_print_put_heading(audit);
	for (int i = 0; i < SFAIR_AUDIT_TABLES; i++) {
		json_t *rows = json_object_get(document, tables[i].key);

		if (!rows || (one && i != (int)audit->args->table))
			continue;
		if (heads || !first)
			putchar('\n');
		if (heads)
			printf("%s\n", tables[i].title);
		first = false;
		if (sfair_print_rows(&tables[i].table, rows, show,
				     audit->window.end_sec, err) < 0)
			return -1;
	}
	return 0;
}
