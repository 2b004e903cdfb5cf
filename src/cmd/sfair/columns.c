/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/cmd/sfair/sfair.h"

static const struct sfair_column tenant_columns[] = {
	{"Pool", "pool", SFAIR_TEXT, "the pool"},
	{"Tenant", "name", SFAIR_TEXT, "the tenant"},
	{"Weight", "weight", SFAIR_NUMBER, "its weight in the pool"},
	{"Quota", "quota_gpus", SFAIR_NUMBER, "its share, in GPUs"},
	{"Demand", "demand_gpus", SFAIR_NUMBER,
	 "GPUs that its active jobs ask for"},
	{"GPUs", "alloc_gpus", SFAIR_NUMBER, "GPUs that they hold now"},
	{"Alloc", "alloc_gpu_sec", SFAIR_GPU_TIME, "GPU time had so far"},
	{"Fair", "fair_gpu_sec", SFAIR_GPU_TIME,
	 "GPU time it was entitled to so far"},
	{"Rho", "rho", SFAIR_RATIO, "Alloc / Fair: the lowest goes first"},
	{"Waiting", "jobs_waiting", SFAIR_NUMBER, "jobs that wait"},
	{"Running", "jobs_running", SFAIR_NUMBER, "jobs that hold GPUs"},
	{"Credits", "credits", SFAIR_NUMBER,
	 "that it has left of Budget and of what it was paid"},
	{"Listed", "listed", SFAIR_FLAG,
	 "configured or with jobs; no: only remembered"},
	{NULL, NULL, SFAIR_TEXT, NULL},
};

static const struct sfair_column job_columns[] = {
	{"JobID", "id_text", SFAIR_TEXT, "as squeue writes it"},
	{"JobIDRaw", "id", SFAIR_NUMBER, "slurmctld's own number"},
	{"User", "user", SFAIR_TEXT, "who submitted it"},
	{"UID", "uid", SFAIR_NUMBER, "the user's number"},
	{"Account", "account", SFAIR_TEXT, "its account"},
	{"Tenant", "tenant", SFAIR_TEXT, "who is charged for it"},
	{"Pool", "pool", SFAIR_TEXT, "the pool"},
	{"Partition", "partition", SFAIR_TEXT, "its partition"},
	{"JobName", "name", SFAIR_TEXT, "its name"},
	{"GPUs", "gpus", SFAIR_NUMBER, "GPUs, of one array task"},
	{"Tasks", "copies", SFAIR_NUMBER, "array tasks this line stands for"},
	{"NodeList", "nodes", SFAIR_TEXT, "the nodes it holds"},
	{"State", "state", SFAIR_TEXT, "Slurm's state"},
	{"Phase", "phase", SFAIR_TEXT,
	 "waiting, leased, doomed, grace or leaving; running: without leases"},
	{"Revocable", "revocable", SFAIR_FLAG,
	 "whether its GPUs may be taken back"},
	{"Pinned", "pinned", SFAIR_TEXT, "why they may not"},
	{"Signal", "signal", SFAIR_TEXT, "its checkpoint signal"},
	{"Weight", "weight", SFAIR_NUMBER, "its weight in its tenant"},
	{"Submit", "submit_sec", SFAIR_TIME, "when it was first submitted"},
	{"Started", "start_sec", SFAIR_TIME, "when its present run began"},
	{"Term", "lease_sec", SFAIR_SPAN, "its lease term"},
	{"LeaseStart", "lease_start_sec", SFAIR_TIME, "its lease's begin"},
	{"LeaseEnd", "lease_end_sec", SFAIR_TIME, "its lease's end"},
	{"Left", "lease_end_sec", SFAIR_LEFT, "time to its lease's end"},
	{"Grace", "grace_sec", SFAIR_SPAN, "time it gets to checkpoint"},
	{"GraceEnd", "grace_end_sec", SFAIR_TIME, "when that is over"},
	{"Lent", "lent", SFAIR_FLAG,
	 "whether its GPUs are lent until collected GPUs are needed"},
	{"Leases", "leases", SFAIR_NUMBER,
	 "leases so far, renewed included, lent ones not"},
	{"Revoked", "revoked", SFAIR_NUMBER, "times it lost its GPUs"},
	{"Lost", "lost_sec", SFAIR_SPAN,
	 "from lease ends to its GPUs being free"},
	{"Done", "progress.done", SFAIR_NUMBER, "iterations, as it says"},
	{"Total", "progress.total", SFAIR_NUMBER, "of how many"},
	{"IterTime", "progress.iter_sec", SFAIR_NUMBER, "seconds of one"},
	{"Loss", "progress.loss", SFAIR_NUMBER, "its loss"},
	{"Saved", "checkpoint.step", SFAIR_NUMBER,
	 "the iteration of its newest checkpoint"},
	{"Level", "level", SFAIR_TEXT,
	 "where its GPUs are: slot, machine, rack or cross"},
	{"Slowdown", "slowdown", SFAIR_TEXT,
	 "times as long by level, as stated or measured"},
	{"SpeedUp", "speedup", SFAIR_TEXT,
	 "times as fast by GPUs as on the fewest, as measured"},
	{"Advice", "advice", SFAIR_TEXT, "why its lease is too short"},
	{"Alloc", "alloc_gpu_sec", SFAIR_GPU_TIME, "GPU time had so far"},
	{"Fair", "fair_gpu_sec", SFAIR_GPU_TIME,
	 "GPU time it was entitled to so far"},
	{"Rho", "rho", SFAIR_RATIO, "Alloc / Fair: the lowest goes first"},
	{"UserRho", "user_rho", SFAIR_RATIO,
	 "the same of its user within the tenant"},
	{"Rank", "rank", SFAIR_NUMBER, "its place in line"},
	{"Ranks", "ranks", SFAIR_NUMBER, "how many stand in line"},
	{"Start", "expected_start_sec", SFAIR_TIME,
	 "when it is expected to start"},
	{"Promised", "bound_sec", SFAIR_TIME,
	 "its first start is promised by then"},
	{"Reason", "reason", SFAIR_TEXT, "why it waits, in a few words"},
	{"ReasonLong", "reason_long", SFAIR_TEXT, "the same in sentences"},
	{NULL, NULL, SFAIR_TEXT, NULL},
};

static const struct sfair_column app_columns[] = {
	{"App", "app", SFAIR_TEXT, "its name, of --app"},
	{"Job", "job", SFAIR_NUMBER, "the lowest number of its jobs"},
	{"Jobs", "jobs", SFAIR_NUMBER, "how many wait or run"},
	{"Pool", "pool", SFAIR_TEXT, "the pool"},
	{"Tenant", "tenant", SFAIR_TEXT, "who is charged for it"},
	{"Account", "account", SFAIR_TEXT, "its account"},
	{"User", "user", SFAIR_TEXT, "who submitted it"},
	{"UID", "uid", SFAIR_NUMBER, "the user's number"},
	{"Elapsed", "elapsed_sec", SFAIR_SPAN, "time since its submission"},
	{"Apps", "apps_mean", SFAIR_NUMBER,
	 "apps at a time over its life, N_avg"},
	{"Ideal", "ideal_sec", SFAIR_SPAN,
	 "its time with a share of its own, T_id"},
	{"Rho", "rho", SFAIR_RATIO,
	 "its time when shared / Ideal: the highest is worst off"},
	{"Held", "gpus_held", SFAIR_NUMBER, "GPUs that it holds"},
	{"Demand", "gpus_max", SFAIR_NUMBER,
	 "GPUs, more of which are of no use to it"},
	{"Bid", "bid", SFAIR_TEXT, "estimate, agent, or file"},
	{"BidTime", "bid_sec", SFAIR_TIME, "when it was made"},
	{"Auction", "auction", SFAIR_NUMBER, "the last one that it was in"},
	{"Rank", "rank", SFAIR_NUMBER, "its place there, by rho"},
	{"Ranks", "ranks", SFAIR_NUMBER, "of how many"},
	{"Offered", "offered", SFAIR_FLAG,
	 "whether it was one of the worst off, which may bid"},
	{"Won", "won", SFAIR_NUMBER, "GPUs of the fair allocation"},
	{"Payment", "paid", SFAIR_NUMBER,
	 "GPUs of them that went to others: the hidden payment"},
	{"Factor", "factor", SFAIR_RATIO, "the part that it keeps"},
	{"Kept", "kept", SFAIR_NUMBER, "GPUs that it kept"},
	{"Given", "given", SFAIR_NUMBER, "GPUs of what was left over"},
	{NULL, NULL, SFAIR_TEXT, NULL},
};

static const struct sfair_column price_columns[] = {
	{"Pool", "pool", SFAIR_TEXT, "the pool"},
	{"Start", "start_sec", SFAIR_TIME, "the slot's begin"},
	{"End", "end_sec", SFAIR_TIME, "and its end"},
	{"Price", "price", SFAIR_CREDITS, "of a GPU for an hour"},
	{"PriceCPU", "price_cpu", SFAIR_CREDITS,
	 "beside it of a CPU for an hour, where that has one"},
	{"PriceGiB", "price_gib", SFAIR_CREDITS, "and of a GiB of memory"},
	{"Used", "gpus_used", SFAIR_NUMBER, "GPUs that are sold or planned"},
	{"GPUs", "gpus", SFAIR_NUMBER, "of how many"},
	{NULL, NULL, SFAIR_TEXT, NULL},
};

static const struct sfair_table price_table = {
	price_columns,
	"Pool,Start,End,Price,Used,GPUs",
};

static const struct sfair_column class_columns[] = {
	{"Pool", "pool", SFAIR_TEXT, "the pool"},
	{"Tenant", "tenant", SFAIR_TEXT, "whose jobs"},
	{"GPUs", "gpus", SFAIR_NUMBER,
	 "that a job asks for: so many, or more than half"},
	{"Type", "type", SFAIR_TEXT, "of GPUs that it names"},
	{"CPUs", "cpus", SFAIR_NUMBER,
	 "a GPU, at most; none: no more than goes with a GPU"},
	{"Memory", "mem_gib", SFAIR_NUMBER, "the same in GiB"},
	{"Jobs", "jobs", SFAIR_NUMBER, "that wait or run"},
	{"NodeType", "node_type", SFAIR_TEXT,
	 "GPUs of the nodes that what follows is of"},
	{"Share", "share_gpus", SFAIR_RATIO, "GPUs, as learned"},
	{"ShareCPUs", "share_cpus", SFAIR_RATIO, "CPUs, as learned"},
	{"ShareMemory", "share_mem_gib", SFAIR_RATIO, "GiB, as learned"},
	{"Granted", "granted", SFAIR_NUMBER, "whole GPUs in this slot"},
	{"Saved", "saved_gpus", SFAIR_RATIO,
	 "GPUs saved up for a job larger than that"},
	{"Nodes", "nodes", SFAIR_TEXT, "where they are, NODE:GPUs"},
	{NULL, NULL, SFAIR_TEXT, NULL},
};

static const struct sfair_table class_table = {
	class_columns,
	"Pool,Tenant,GPUs,Type,CPUs,Memory,Jobs,NodeType,Share,ShareCPUs,Granted,Saved,Nodes",
};

static const struct sfair_table tenant_table = {
	tenant_columns,
	"Pool,Tenant,Weight,Quota,Demand,GPUs,Alloc,Fair,Rho,Waiting,Running",
};

static const struct sfair_table job_table = {
	job_columns,
	"JobID,User,Tenant,GPUs,Phase,Leases,Revoked,Left,Alloc,Fair,Rho,Rank,Reason",
};

static const struct sfair_table lease_table = {
	job_columns,
	"JobID,User,Tenant,GPUs,NodeList,Phase,LeaseStart,LeaseEnd,Left,Leases,Revocable",
};

static const struct sfair_table app_table = {
	app_columns,
	"App,Job,Tenant,User,Rho,Rank,Held,Demand,Offered,Bid,Won,Payment,Kept,Given",
};

const struct sfair_table *sfair_table_of(enum astra_query_kind kind)
{
	switch (kind) {
	case ASTRA_QUERY_TENANT:
		return &tenant_table;
	case ASTRA_QUERY_JOB:
		return &job_table;
	case ASTRA_QUERY_LEASE:
		return &lease_table;
	case ASTRA_QUERY_AUCTION:
		return &app_table;
	case ASTRA_QUERY_PRICE:
		return &price_table;
	case ASTRA_QUERY_CLASS:
		return &class_table;
	default:
		return NULL;
	}
}
