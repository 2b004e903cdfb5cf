/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An auction for the made-up report: a pool of its own, alice's app of
 * --app=search, and bob's job 31. */
#ifndef AUCTION_SAMPLE_H
#define AUCTION_SAMPLE_H

#include "src/proto/report_pool.h"
#include "testsuite/unit/proto_sample.h"

#define SAMPLE_APP ((uint64_t)1 << 32 | 5) /* search */

static const double sample_left[] = {900, 500, 350, 300};

static const struct astra_report_job sample_app_jobs[] = {
	{.pool = "auc",
	 .tenant = "physics",
	 .of.id = 30,
	 .array_task = UINT32_MAX,
	 .id_text = "30",
	 .of.copies = 1,
	 .uid = 1001,
	 .user = "alice",
	 .of.gpus = 2,
	 .state = "RUNNING",
	 .phase = ASTRA_REPORT_LEASED,
	 .app = SAMPLE_APP},
	{.pool = "auc",
	 .tenant = "bio",
	 .of.id = 31,
	 .array_task = UINT32_MAX,
	 .id_text = "31",
	 .of.copies = 1,
	 .uid = 1002,
	 .user = "bob",
	 .of.gpus = 4,
	 .state = "PENDING",
	 .phase = ASTRA_REPORT_WAITING,
	 .reason = "others won the auction",
	 .app = 31},
	{.pool = "auc",
	 .tenant = "physics",
	 .of.id = 33,
	 .array_id = 32,
	 .array_task = 1,
	 .id_text = "32_1",
	 .of.copies = 1,
	 .uid = 1001,
	 .user = "alice",
	 .of.gpus = 2,
	 .state = "PENDING",
	 .phase = ASTRA_REPORT_WAITING,
	 .app = SAMPLE_APP},
};

static const struct astra_report_app sample_apps[] = {
	{.of.app = 31,
	 .of.job = 31,
	 .pool = "auc",
	 .tenant = "bio",
	 .account = "bio",
	 .uid = 1002,
	 .user = "bob",
	 .of.job_count = 1,
	 .of.rho = INFINITY,
	 .of.gpus_max = 4,
	 .of.slowdown = {1, 1, 1, 1},
	 .bid = "estimate"},
	{.of.app = SAMPLE_APP,
	 .app = "search",
	 .of.job = 30,
	 .pool = "auc",
	 .tenant = "physics",
	 .account = "physics",
	 .uid = 1001,
	 .user = "alice",
	 .of.job_count = 2,
	 .of.elapsed_sec = 600,
	 .of.navg = 2,
	 .of.ideal_sec = 250,
	 .of.rho = 2.4,
	 .of.gpus_held = 2,
	 .of.gpus_max = 4,
	 .of.slowdown = {1, 1, 2, 3},
	 .of.left_sec = sample_left,
	 .of.left_count = 4,
	 .bid = "agent",
	 .of.bid_sec = SAMPLE_NOW - 30,
	 .of.auction = 7,
	 .of.rank = 1,
	 .of.ranks = 2,
	 .of.offered = true,
	 .of.won = 4,
	 .of.kept = 3,
	 .paid = 1,
	 .of.given = 1,
	 .of.factor = 0.8},
};

static void sample_report_auction(struct astra_report *report)
{
	const struct astra_report_pool pool = {
		.name = "auc",
		.partitions = "auc",
		.policy = "themis",
		.of.leases = true,
		.of.lease_sec = 600,
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
