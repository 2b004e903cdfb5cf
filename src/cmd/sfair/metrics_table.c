/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All metrics, row by row, for the text and for the manual page. */
#include <stdio.h>
#include <string.h>

#include "src/cmd/sfair/metrics.h"

#define USEC 1e-6

static const struct metric_part build[] = {
	{"version", "version"},
	{NULL, NULL},
};

static const struct metric_part cluster[] = {
	{"cluster", "cluster"},
	{"slurm_version", "slurm_version"},
	{NULL, NULL},
};

static const struct metric_part parts[] = {
	{"all", "round"},	{"snapshot", "snapshot"},
	{"decision", "decide"}, {"write_lock", "write_lock"},
	{NULL, NULL},
};

static const struct metric_part faults[] = {
	{"aside", "aside"},
	{"configuration", "config_error"},
	{"policy", "policy_error"},
	{"state", "state_error"},
	{"warning", "config_warning"},
	{NULL, NULL},
};

static const struct metric_part history_faults[] = {
	{"error", "error"},
	{NULL, NULL},
};

static const struct metric_part history_results[] = {
	{"written", "reports"},
	{"dropped", "dropped"},
	{"lost", "lost"},
	{NULL, NULL},
};

static const struct metric_part history_parts[] = {
	{"note", "note"},
	{"write", "write"},
	{NULL, NULL},
};

static const struct metric_part results[] = {
	{"answered", "answered"},
	{"malformed", "malformed"},
	{"refused", "refused"},
	{"unauthenticated", "unauthenticated"},
	{"limited", "limited"},
	{"too_large", "too_large"},
	{"timed_out", "timed_out"},
	{"turned_away", "turned_away"},
	{NULL, NULL},
};

static const struct metric_part pool_words[] = {
	{"policy", "policy"},
	{"variant", "variant"},
	{"partitions", "partitions"},
	{NULL, NULL},
};

static const struct metric_part states[] = {
	{"waiting", "jobs_waiting"},
	{"running", "jobs_running"},
	{NULL, NULL},
};

#define GAUGE .type = METRIC_GAUGE
#define COUNTER .type = METRIC_COUNTER

const struct metric metric_table[] = {
	{"astraea_up", GAUGE, METRIC_EXPORTER, "up",
	 .help = "1 if the plugin answered; else 0, and the metrics of the "
		 "cluster are missing"},
	{"astraea_scrape_duration_seconds", GAUGE, METRIC_EXPORTER, "took_sec",
	 .help = "How long the query of the plugin took"},
	{"astraea_scrapes", COUNTER, METRIC_EXPORTER, "scrapes",
	 .help = "How often this sfair queried the plugin; only with --listen"},
	{"astraea_scrape_failures", COUNTER, METRIC_EXPORTER, "failures",
	 .help = "How often the plugin did not answer this sfair; only with "
		 "--listen"},
	{"astraea_tenants_left_out", GAUGE, METRIC_EXPORTER, "left_out",
	 .help = "Number of tenants without metrics: all beyond the first 1000"},
	{"astraea_exporter", METRIC_INFO, METRIC_EXPORTER, .parts = build,
	 .help = "The version of this sfair"},
	{"astraea_cluster", METRIC_INFO, METRIC_REPLY, .parts = cluster,
	 .help = "The cluster, and its version of Slurm"},
	{"astraea_start_time_seconds", GAUGE, METRIC_DIAG, "started_sec",
	 .help = "When the engine started"},
	{"astraea_reset_time_seconds", GAUGE, METRIC_DIAG, "reset_sec",
	 .help = "When sfair diag --reset last set rounds, their times, starts "
		 "and saves to 0"},
	{"astraea_config_time_seconds", GAUGE, METRIC_DIAG, "config_sec",
	 .help = "When astraea.conf was last read"},
	{"astraea_fault", GAUGE, METRIC_DIAG, .label = "kind", .parts = faults,
	 .help = "1 if sfair diag shows an error or warning of this kind, else 0"},
	{"astraea_rounds", COUNTER, METRIC_DIAG, "rounds",
	 .help = "Rounds of the engine"},
	{"astraea_last_round_time_seconds", GAUGE, METRIC_DIAG, "round_sec",
	 .help = "When the last round ended"},
	{"astraea_round_duration_seconds", METRIC_SUMMARY, METRIC_DIAG,
	 .label = "part", .parts = parts, .scale = USEC,
	 .help = "How long rounds and their parts took. The snapshot holds "
		 "slurmctld's read locks, write_lock its write locks"},
	{"astraea_round_duration_last_seconds", GAUGE, METRIC_DIAG,
	 .label = "part", .parts = parts, .member = "last_usec", .scale = USEC,
	 .help = "How long the last round and its parts took"},
	{"astraea_round_duration_max_seconds", GAUGE, METRIC_DIAG,
	 .label = "part", .parts = parts, .member = "max_usec", .scale = USEC,
	 .help = "How long the longest round took, and the longest time of "
		 "each part"},
	{"astraea_round_depth", GAUGE, METRIC_DIAG, "depth",
	 .help = "Jobs that the last round considered"},
	{"astraea_queue_length", GAUGE, METRIC_DIAG, "queue",
	 .help = "Managed jobs that wait"},
	{"astraea_jobs_started", COUNTER, METRIC_DIAG, "started",
	 .help = "Jobs started"},
	{"astraea_decisions_skipped", COUNTER, METRIC_DIAG, "skipped",
	 .help = "Decisions that were out of date before they could be applied"},
	{"astraea_notices", COUNTER, METRIC_DIAG, "notices",
	 .help = "How often MailProg or LeaseProgram was run because of a lease"},
	{"astraea_notices_failed", COUNTER, METRIC_DIAG, "notices_failed",
	 .help = "How often MailProg or LeaseProgram failed, or was killed "
		 "after 10 seconds"},
	{"astraea_notices_lost", COUNTER, METRIC_DIAG, "notices_lost",
	 .help = "How often MailProg or LeaseProgram was not run, because too "
		 "many notices were waiting"},
	{"astraea_state_saves", COUNTER, METRIC_DIAG, "state_saves",
	 .help = "How often the state file was saved"},
	{"astraea_state_saved_time_seconds", GAUGE, METRIC_DIAG,
	 "state_saved_sec", .help = "When the state file was last saved"},
	{"astraea_history_fault", GAUGE, METRIC_HISTORY, .label = "kind",
	 .parts = history_faults,
	 .help = "1 while the history is paused, else 0; sfair diag shows the "
		 "reason"},
	{"astraea_history_transactions", COUNTER, METRIC_HISTORY,
	 "transactions", .help = "Transactions written to the history's file"},
	{"astraea_history_rows", COUNTER, METRIC_HISTORY, "rows",
	 .help = "Rows written to the history's file"},
	{"astraea_history_rows_dropped", COUNTER, METRIC_HISTORY,
	 "rows_dropped",
	 .help = "Rows left out, because a transaction had too many"},
	{"astraea_history_written_time_seconds", GAUGE, METRIC_HISTORY,
	 "written_sec", .help = "When the history was last written"},
	{"astraea_history_file_bytes", GAUGE, METRIC_HISTORY, "file_bytes",
	 .help = "Size of the history's file, including SQLite's journal"},
	{"astraea_history_reports", COUNTER, METRIC_HISTORY, .label = "result",
	 .parts = history_results,
	 .help = "Reports of rounds to the history, by result. dropped: the "
		 "next report covers the time; lost: the history was paused"},
	{"astraea_history_duration_seconds", METRIC_SUMMARY, METRIC_HISTORY,
	 .label = "part", .parts = history_parts, .scale = USEC,
	 .help = "How long the history took. note: the engine's thread queues "
		 "a report; write: the history's thread writes a transaction"},
	{"astraea_query_clients", GAUGE, METRIC_SOCKET, "clients",
	 .help = "Present clients of the query socket"},
	{"astraea_queries", COUNTER, METRIC_SOCKET, .label = "result",
	 .parts = results, .help = "Queries by result, as in sfair diag"},
	{"astraea_pool", METRIC_INFO, METRIC_POOL, .parts = pool_words,
	 .help = "The pool's policy, variant and partitions"},
	{"astraea_pool_gpus", GAUGE, METRIC_POOL, "gpus",
	 .help = "GPUs of the pool's nodes"},
	{"astraea_pool_gpus_usable", GAUGE, METRIC_POOL, "gpus_usable",
	 .help = "GPUs of the pool's nodes that are up and not drained"},
	{"astraea_pool_gpus_free", GAUGE, METRIC_POOL, "gpus_free",
	 .help = "Usable GPUs of the pool that no job holds"},
	{"astraea_pool_lease_term_seconds", GAUGE, METRIC_POOL, "lease_sec",
	 .help = "The pool's LeaseTerm"},
	{"astraea_pool_hold_time_seconds", GAUGE, METRIC_POOL, "hold_start_sec",
	 .help = "When the GPUs that are being collected for a job will all be "
		 "free"},
	{"astraea_pool_rounds", COUNTER, METRIC_POOL, "rounds",
	 .help = "Rounds of the pool"},
	{"astraea_pool_leases_granted", COUNTER, METRIC_POOL, "granted",
	 .help = "Leases granted"},
	{"astraea_pool_leases_renewed", COUNTER, METRIC_POOL, "renewed",
	 .help = "Leases renewed"},
	{"astraea_pool_leases_revoked", COUNTER, METRIC_POOL, "revoked",
	 .help = "Leases revoked"},
	{"astraea_pool_leases_lent", COUNTER, METRIC_POOL, "lent",
	 .help = "Leases shortened to end when collected GPUs are needed"},
	{"astraea_pool_starts_refused", COUNTER, METRIC_POOL, "refused",
	 .help = "Starts that slurmctld refused"},
	{"astraea_pool_jobs_refused", GAUGE, METRIC_POOL, "refused_jobs",
	 .help = "Jobs whose start slurmctld has refused so often that no "
		 "lease ends for them"},
	{"astraea_pool_reclaims_capped", COUNTER, METRIC_POOL, "reclaim_capped",
	 .help = "Rounds in which MaxReclaim kept leases from being ended"},
	{"astraea_pool_first_starts", COUNTER, METRIC_POOL, "first_starts",
	 .help = "Jobs that started for the first time"},
	{"astraea_pool_first_starts_late", COUNTER, METRIC_POOL, "over_bound",
	 .help = "Jobs whose first start came later than the bound: (2 + (own "
		 "GPUs + GPUs of their tenant's jobs before them) / quota) x "
		 "LeaseTerm, plus the time that jobs may take to leave"},
	{"astraea_pool_leases_ended_early", COUNTER, METRIC_POOL, "recalled",
	 .help = "Leases that ended early for another job"},
	{"astraea_pool_early_ends_gpu_seconds", COUNTER, METRIC_POOL,
	 "recall_gpu_sec",
	 .help = "GPU time that the early ends of leases cost, as MaxOverhead "
		 "counts it"},
	{"astraea_pool_jobs", GAUGE, METRIC_JOBS, "jobs",
	 .help = "Jobs by phase; each task of an array counts"},
	{"astraea_pool_job_gpus", GAUGE, METRIC_JOBS, "gpus",
	 .help = "GPUs that the jobs in a phase hold or ask for"},
	{"astraea_pool_auctions", COUNTER, METRIC_AUCTION, "number",
	 .help = "Auctions held"},
	{"astraea_pool_auction_time_seconds", GAUGE, METRIC_AUCTION, "time_sec",
	 .help = "When the pool's last auction was"},
	{"astraea_pool_auction_gpus", GAUGE, METRIC_AUCTION, "gpus",
	 .help = "GPUs on offer in the pool's last auction"},
	{"astraea_pool_auction_bidders", GAUGE, METRIC_AUCTION, "bidders",
	 .help = "Apps to which the pool's last auction offered GPUs"},
	{"astraea_tenant_weight", GAUGE, METRIC_TENANT, "weight",
	 .help = "The tenant's weight in the pool"},
	{"astraea_tenant_quota_gpus", GAUGE, METRIC_TENANT, "quota_gpus",
	 .help = "The tenant's share of the pool, in GPUs"},
	{"astraea_tenant_demand_gpus", GAUGE, METRIC_TENANT, "demand_gpus",
	 .help = "GPUs that the tenant's active jobs ask for"},
	{"astraea_tenant_gpus", GAUGE, METRIC_TENANT, "alloc_gpus",
	 .help = "GPUs that the tenant's jobs hold"},
	{"astraea_tenant_allocated_gpu_seconds", GAUGE, METRIC_TENANT,
	 "alloc_gpu_sec",
	 .help = "GPU time that the tenant had; it decreases if the pool has a "
		 "half-life"},
	{"astraea_tenant_entitled_gpu_seconds", GAUGE, METRIC_TENANT,
	 "fair_gpu_sec", .help = "GPU time that the tenant was entitled to"},
	{"astraea_tenant_rho", GAUGE, METRIC_TENANT, "rho",
	 .help = "GPU time that the tenant had, divided by the GPU time due to "
		 "it: 1 is exactly fair, the lowest goes first"},
	{"astraea_tenant_period_gpu_seconds", GAUGE, METRIC_TENANT,
	 "used_gpu_sec",
	 .help = "GPU time that the tenant had in this CapPeriod"},
	{"astraea_tenant_period_cap_gpu_seconds", GAUGE, METRIC_TENANT,
	 "cap_gpu_sec",
	 .help = "GPU time that the tenant may have in a CapPeriod; +Inf means "
		 "no cap"},
	{"astraea_tenant_jobs", GAUGE, METRIC_TENANT, .label = "state",
	 .parts = states, .help = "The tenant's jobs, by state"},
	{NULL},
};

const struct metric_part *metric_labels(enum metric_source source)
{
	static const struct metric_part none[] = {{NULL, NULL}};
	static const struct metric_part pool[] = {
		{"pool", "name"},
		{NULL, NULL},
	};
	static const struct metric_part auction[] = {
		{"pool", "pool"},
		{NULL, NULL},
	};
	static const struct metric_part jobs[] = {
		{"pool", "pool"},
		{"phase", "phase"},
		{NULL, NULL},
	};
	static const struct metric_part tenant[] = {
		{"pool", "pool"},
		{"tenant", "name"},
		{NULL, NULL},
	};

	switch (source) {
	case METRIC_POOL:
		return pool;
	case METRIC_JOBS:
		return jobs;
	case METRIC_AUCTION:
		return auction;
	case METRIC_TENANT:
		return tenant;
	default:
		return none;
	}
}

const char *metric_type_name(enum metric_type type)
{
	static const char *const names[] = {"gauge", "counter", "summary",
					    "info"};

	return names[type];
}

const char *metric_suffix(enum metric_type type)
{
	static const char *const suffixes[] = {"", "_total", "", "_info"};

	return suffixes[type];
}

const char *metric_unit(const struct metric *metric)
{
	static const char unit[] = "seconds";
	size_t size = strlen(metric->name), tail = strlen(unit);

	return size > tail && !strcmp(metric->name + size - tail, unit) ? unit
									: NULL;
}

static void metrics_doc_put_labels(const struct metric_part *label)
{
	for (; label->key; label++)
		printf(" Ar %s", label->value);
}

static void put_values(const struct metric *m)
{
	printf(".Ar %s :\n", m->label);
	for (const struct metric_part *p = m->parts; p->key; p++)
		printf("%s%s", p->value, p[1].key ? ", " : ".\n");
}

void metrics_mdoc(void)
{
	puts(".Bl -tag -width Ds");
	for (const struct metric *m = metric_table; m->name; m++) {
		printf(".It Li %s%s No %s", m->name, metric_suffix(m->type),
		       metric_type_name(m->type));
		metrics_doc_put_labels(metric_labels(m->source));
		if (m->type == METRIC_INFO)
			metrics_doc_put_labels(m->parts);
		if (m->label)
			printf(" Ar %s", m->label);
		printf("\n%s.\n", m->help);
		if (m->label)
			put_values(m);
	}
	puts(".El");
}
