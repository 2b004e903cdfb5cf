/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A made-up report for the tests of the protocol: two tenants, uids 1001
 * (alice, physics) and 1002 (bob, bio), a running job, a pinned one, an array
 * with one task running and the rest waiting. */
#ifndef PROTO_SAMPLE_H
#define PROTO_SAMPLE_H

#include <math.h>

#include "src/proto/report.h"
#include "src/proto/report_pool.h"

#define SAMPLE_NOW 1700000000.0

static const struct astra_report_job sample_rows[] = {
	{.pool = "gpu",
	 .tenant = "physics",
	 .of.id = 10,
	 .array_task = UINT32_MAX,
	 .id_text = "10",
	 .of.copies = 1,
	 .uid = 1001,
	 .user = "alice",
	 .account = "physics",
	 .partition = "gpu",
	 .name = "train",
	 .of.gpus = 8,
	 .nodes = "n[1-2]",
	 .state = "RUNNING",
	 .phase = ASTRA_REPORT_LEASED,
	 .of.revocable = true,
	 .signal = "USR1",
	 .of.weight = 1,
	 .of.submit_sec = SAMPLE_NOW - 5000,
	 .of.start_sec = SAMPLE_NOW - 1500,
	 .lease_sec = 900,
	 .of.lease_start_sec = SAMPLE_NOW - 600,
	 .of.lease_end_sec = SAMPLE_NOW + 300,
	 .grace_sec = 60,
	 .of.leases = 2,
	 .of.revoked = 1,
	 .of.lost_sec = 12.5,
	 .of.usage.alloc = 12000,
	 .of.usage.fair = 14400,
	 .of.rho = 12000 / 14400.0,
	 .of.user_rho = NAN},
	{.pool = "gpu",
	 .tenant = "bio",
	 .of.id = 11,
	 .array_task = UINT32_MAX,
	 .id_text = "11",
	 .of.copies = 1,
	 .uid = 1002,
	 .user = "bob",
	 .account = "bio",
	 .partition = "gpu",
	 .name = "esc\033[2J\xff",
	 .of.gpus = 4,
	 .nodes = "n3",
	 .state = "RUNNING",
	 .phase = ASTRA_REPORT_LEASED,
	 .pinned = "--no-requeue",
	 .of.weight = 1,
	 .of.start_sec = SAMPLE_NOW - 100,
	 .lease_sec = 900,
	 .of.lease_start_sec = SAMPLE_NOW - 100,
	 .of.lease_end_sec = SAMPLE_NOW + 800,
	 .of.leases = 1,
	 .of.usage.alloc = 400,
	 .of.rho = INFINITY,
	 .of.user_rho = NAN},
	{.pool = "gpu",
	 .tenant = "physics",
	 .of.id = 21,
	 .array_id = 20,
	 .array_task = 3,
	 .id_text = "20_3",
	 .of.copies = 1,
	 .uid = 1001,
	 .user = "alice",
	 .account = "physics",
	 .partition = "gpu",
	 .name = "sweep",
	 .of.gpus = 1,
	 .nodes = "n4",
	 .state = "RUNNING",
	 .phase = ASTRA_REPORT_GRACE,
	 .of.revocable = true,
	 .signal = "TERM",
	 .of.lease_end_sec = SAMPLE_NOW - 5,
	 .grace_sec = 60,
	 .of.grace_end_sec = SAMPLE_NOW + 55,
	 .of.leases = 1,
	 .of.rho = 1.25,
	 .of.user_rho = NAN},
	{.pool = "gpu",
	 .tenant = "physics",
	 .of.id = 20,
	 .array_id = 20,
	 .array_task = UINT32_MAX,
	 .id_text = "20_[4-9,12-20:4%2]",
	 .of.copies = 9,
	 .uid = 1001,
	 .user = "alice",
	 .account = "physics",
	 .partition = "gpu",
	 .name = "sweep",
	 .of.gpus = 1,
	 .state = "PENDING",
	 .phase = ASTRA_REPORT_WAITING,
	 .of.revocable = true,
	 .of.reason.rank = 3,
	 .of.reason.ranks = 17,
	 .of.reason.start_sec = SAMPLE_NOW + 700,
	 .reason = "Lease: rank 3 of 17",
	 .reason_long = "Needier jobs use up the GPUs"},
};

static void sample_jobs(struct astra_report *report)
{
	for (size_t i = 0; i < sizeof(sample_rows) / sizeof(*sample_rows); i++)
		astra_report_add_job(report, &sample_rows[i]);
}

/* n3 has a job that the report does not know. */
static void sample_nodes(struct astra_report *report)
{
	static const struct astra_report_holder holders[] = {
		{10, 4}, {11, 4}, {99, 1}, {21, 1}};
	const struct astra_report_node nodes[] = {
		{"gpu", "n1", "up", 8, 4, 1, holders},
		{"gpu", "n2", "up", 8, 4, 1, holders},
		{"gpu", "n3", "cleaning", 8, 3, 2, holders + 1},
		{"gpu", "n4", "drained", 8, 0, 1, holders + 3},
	};

	for (size_t i = 0; i < sizeof(nodes) / sizeof(*nodes); i++)
		astra_report_add_node(report, &nodes[i]);
}

static struct astra_report *sample_report(void)
{
	struct astra_report *report = astra_report_create();
	const struct astra_report_pool pool = {
		.name = "gpu",
		.partitions = "gpu,long",
		.policy = "ltgf",
		.variant = "eq8",
		.of.leases = true,
		.of.lease_sec = 900,
		.of.round_sec = 10,
		.of.grace_sec = 60,
		.gpus = 32,
		.gpus_usable = 24,
		.gpus_free = 11,
		.hold_job = 20,
		.hold_start_sec = SAMPLE_NOW + 700,
		.counters.granted = 5,
	};
	const struct astra_report_tenant physics = {
		.pool = "gpu",
		.of.name = "physics",
		.uid = ASTRA_REPORT_NO_UID,
		.of.listed = true,
		.of.weight = 2,
		.of.quota = 16,
		.of.demand_gpus = 18,
		.of.alloc_gpus = 9,
		.of.usage.alloc = 12000,
		.of.usage.fair = 16000,
		.of.rho = 0.75,
		.jobs_waiting = 9,
		.jobs_running = 2,
	};
	const struct astra_report_tenant bio = {
		.pool = "gpu",
		.of.name = "bio",
		.uid = ASTRA_REPORT_NO_UID,
		.of.listed = true,
		.of.weight = 1,
		.of.quota = 8,
		.of.usage.alloc = 400,
		.of.rho = INFINITY,
		.jobs_running = 1,
	};
	const struct astra_report_diag diag = {
		.started_sec = SAMPLE_NOW - 9000,
		.rounds = 900,
		.rounds_per_min = 6,
		.round = {120, 100, 400, 900, 90000},
		.write_lock = {30, 20, 90, 40, 800},
		.queue = 9,
		.config_error = "line 3: Lease=x",
		.config_warning = "there is no partition x",
	};

	report->time_sec = SAMPLE_NOW;
	astra_report_set_cluster(report, "test", "22.05.8");
	astra_report_add_pool(report, &pool);
	astra_report_add_tenant(report, &physics);
	astra_report_add_tenant(report, &bio);
	astra_report_set_diag(report, &diag);
	sample_jobs(report);
	sample_nodes(report);
	return report;
}

#endif
