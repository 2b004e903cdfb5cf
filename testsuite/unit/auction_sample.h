/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An auction for the made-up report: a pool of its own, alice's app of
 * --app=search, and bob's job 31. */
#ifndef AUCTION_SAMPLE_H
#define AUCTION_SAMPLE_H

#include "testsuite/unit/proto_sample.h"

#define SAMPLE_APP ((uint64_t)1 << 32 | 5) /* search */

static const double sample_left[] = {900, 500, 350, 300};

static const struct astra_report_job sample_app_jobs[] = {
	{.pool = "auc",
	 .tenant = "physics",
	 .id = 30,
	 .array_task = UINT32_MAX,
	 .id_text = "30",
	 .copies = 1,
	 .uid = 1001,
	 .user = "alice",
	 .gpus = 2,
	 .state = "RUNNING",
	 .phase = "leased",
	 .app = SAMPLE_APP},
	{.pool = "auc",
	 .tenant = "bio",
	 .id = 31,
	 .array_task = UINT32_MAX,
	 .id_text = "31",
	 .copies = 1,
	 .uid = 1002,
	 .user = "bob",
	 .gpus = 4,
	 .state = "PENDING",
	 .phase = "waiting",
	 .reason = "others won the auction",
	 .app = 31},
	{.pool = "auc",
	 .tenant = "physics",
	 .id = 33,
	 .array_id = 32,
	 .array_task = 1,
	 .id_text = "32_1",
	 .copies = 1,
	 .uid = 1001,
	 .user = "alice",
	 .gpus = 2,
	 .state = "PENDING",
	 .phase = "waiting",
	 .app = SAMPLE_APP},
};

static const struct astra_report_app sample_apps[] = {
	{.number = 31,
	 .job = 31,
	 .pool = "auc",
	 .tenant = "bio",
	 .account = "bio",
	 .uid = 1002,
	 .user = "bob",
	 .jobs = 1,
	 .rho = INFINITY,
	 .gpus_max = 4,
	 .slowdown = {1, 1, 1, 1},
	 .bid = "estimate"},
	{.number = SAMPLE_APP,
	 .app = "search",
	 .job = 30,
	 .pool = "auc",
	 .tenant = "physics",
	 .account = "physics",
	 .uid = 1001,
	 .user = "alice",
	 .jobs = 2,
	 .elapsed_sec = 600,
	 .apps_mean = 2,
	 .ideal_sec = 250,
	 .rho = 2.4,
	 .gpus_held = 2,
	 .gpus_max = 4,
	 .slowdown = {1, 1, 2, 3},
	 .left_sec = sample_left,
	 .left_count = 4,
	 .bid = "agent",
	 .bid_sec = SAMPLE_NOW - 30,
	 .auction = 7,
	 .rank = 1,
	 .ranks = 2,
	 .offered = true,
	 .won = 4,
	 .kept = 3,
	 .paid = 1,
	 .given = 1,
	 .factor = 0.8},
};

static void sample_report_auction(struct astra_report *report)
{
	const struct astra_report_pool pool = {
		.name = "auc",
		.partitions = "auc",
		.policy = "themis",
		.leases = true,
		.lease_sec = 600,
	};
	const struct astra_report_auction auction = {
		.pool = "auc",
		.number = 7,
		.time_sec = SAMPLE_NOW - 20,
		.gpus = 4,
		.bidders = 1,
		.exact = true,
	};

	astra_report_add_pool(report, &pool);
	astra_report_add_auction(report, &auction);
	for (size_t i = 0; i < sizeof(sample_apps) / sizeof(*sample_apps); i++)
		astra_report_add_app(report, &sample_apps[i]);
	for (size_t i = 0;
	     i < sizeof(sample_app_jobs) / sizeof(*sample_app_jobs); i++)
		astra_report_add_job(report, &sample_app_jobs[i]);
}

#endif
