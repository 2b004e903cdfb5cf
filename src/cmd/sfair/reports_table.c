/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The columns of each report. */
#include "src/cmd/sfair/reports.h"

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
};
/* clang-format on */

const struct sfair_table *sfair_report_table(enum astra_report_kind kind)
{
	return &tables[kind];
}
