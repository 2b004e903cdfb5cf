/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For libFuzzer: any bytes as a request, decoded as the server does once it
 * knows the sender, answered and kept. What is accepted must come back the same
 * when it is written and read again. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/policies/options.h"
#include "src/proto/answer.h"
#include "src/proto/bid_text.h"
#include "src/slurm/note/bids.h"
#include "src/slurm/note/progress.h"
#include "testsuite/unit/auction_sample.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void insist(bool condition)
{
	if (!condition)
		abort();
}

static void expect_same_names(const struct astra_names *a,
			      const struct astra_names *b)
{
	insist(a->count == b->count);
	for (size_t i = 0; i < a->count; i++)
		insist(!strcmp(a->names[i], b->names[i]));
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static void expect_same_bid(const struct astra_query_bid *a,
			    const struct astra_query_bid *b)
{
	insist(a->rho_now == b->rho_now && a->rho.count == b->rho.count);
	for (size_t i = 0; i < a->rho.count; i++)
		insist(a->rho.values[i] == b->rho.values[i]);
	insist(!memcmp(a->rho.gpus, b->rho.gpus, sizeof(a->rho.gpus)) &&
	       !memcmp(a->rho.first, b->rho.first, sizeof(a->rho.first)));
	insist(a->order.count == b->order.count);
	for (size_t i = 0; i < a->order.count; i++)
		insist(a->order.refs[i].id == b->order.refs[i].id);
}

static void expect_same_adopt(const struct astra_query_adopt *a,
			      const struct astra_query_adopt *b)
{
	insist(a->given == b->given && a->replace == b->replace &&
	       a->count == b->count);
	for (size_t i = 0; i < a->count; i++)
		insist(!strcmp(a->list[i].tenant, b->list[i].tenant) &&
		       !strcmp(a->list[i].user, b->list[i].user) &&
		       a->list[i].usage.alloc == b->list[i].usage.alloc &&
		       a->list[i].usage.fair == b->list[i].usage.fair);
}

static void expect_same(const struct astra_query *a,
			const struct astra_query *b)
{
	insist(a->kind == b->kind && a->reset == b->reset);
	expect_same_names(&a->users, &b->users);
	expect_same_names(&a->accounts, &b->accounts);
	expect_same_names(&a->pools, &b->pools);
	expect_same_names(&a->fields, &b->fields);
	expect_same_adopt(&a->adopt, &b->adopt);
	insist(a->jobs.count == b->jobs.count);
	for (size_t i = 0; i < a->jobs.count; i++)
		insist(a->jobs.refs[i].id == b->jobs.refs[i].id &&
		       a->jobs.refs[i].task == b->jobs.refs[i].task);
	insist(a->said.run == b->said.run && a->said.done == b->said.done &&
	       a->said.total == b->said.total && a->said.step == b->said.step);
	insist(a->said.iter_sec == b->said.iter_sec);
	insist(same_text(a->app, b->app) && same_text(a->user, b->user));
	expect_same_bid(&a->bid, &b->bid);
	insist(a->past.report == b->past.report && a->past.top == b->past.top &&
	       a->past.start_sec == b->past.start_sec &&
	       a->past.end_sec == b->past.end_sec);
	insist(a->said.loss == b->said.loss ||
	       (isnan(a->said.loss) && isnan(b->said.loss)));
}

static void write_and_read(const struct astra_query *query)
{
	struct astra_query again;
	struct astra_error err;
	char *text = astra_query_encode(query);

	insist(text && astra_query_decode(text, strlen(text), &again, &err) ==
			       ASTRA_FAULT_NONE);
	expect_same(query, &again);
	astra_query_destroy(&again);
	free(text);
}

/* Whose numbers reach the engine are in its bounds. */
static void keep(const struct astra_query *query)
{
	struct astra_job job = {.id = query->jobs.refs[0].id,
				.state = ASTRA_JOB_RUNNING};
	const struct astra_options options = {.lease_sec = 600};
	const struct astra_progress_pool pool = {.options = &options,
						 .now_sec = 1};
	struct astra_error err;

	insist(astra_progress_note(query, 1, &err) == 0);
	astra_progress_begin();
	astra_progress_fill(&pool, &job, 1);
	astra_progress_end();
	insist(job.forecast.work_sec >= 0 && job.forecast.work_sec < 1e9);
	insist(job.forecast.done_sec >= 0 && job.forecast.done_sec < 1e9);
}

/* No bid tells the engine of NaN, or of less than nothing. */
static void keep_bid(const struct astra_report *report,
		     const struct astra_query *query,
		     const struct astra_viewer *viewer)
{
	struct astra_job jobs[] = {
		{.id = 30, .state = ASTRA_JOB_RUNNING, .forecast = {.app = 5}},
		{.id = 31, .state = ASTRA_JOB_PENDING},
	};
	static struct astra_arena arena;
	struct astra_bids_view view = {.pool = "auc",
				       .lease_sec = 600,
				       .now_sec = SAMPLE_NOW,
				       .jobs = jobs,
				       .job_count = 2,
				       .arena = &arena};
	struct astra_error err;

	insist(astra_bids_note(report, query, viewer, &err) == 0);
	astra_bids_begin();
	astra_bids_fill(&view);
	astra_bids_end();
	for (size_t i = 0; i < view.bid_count; i++)
		for (size_t k = 0;
		     k < ASTRA_LEVEL_COUNT * (size_t)view.bids[i].gpus_max; k++)
			insist(view.bids[i].table[k] >= 0);
	astra_arena_reset(&arena);
}

/* The same bytes as the file of --bid. */
static void read_file(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	struct astra_curves curves;
	struct astra_error err = {""};

	insist(text);
	if (astra_bid_text_read(text, &curves, &err) < 0)
		insist(*err.text && !curves.values);
	else
		insist(curves.count && curves.gpus[ASTRA_LEVEL_SLOT]);
	astra_curves_clear(&curves);
	free(text);
}

static void answer(const struct astra_query *query)
{
	static struct astra_report *report;
	const struct astra_viewer alice = {.uid = 1001, .now_sec = SAMPLE_NOW};
	const struct astra_socket_stats stats = {0};
	struct astra_text out = {.limit = 1 << 20};
	struct astra_error err;
	enum astra_fault fault;

	if (!report) {
		report = sample_report();
		sample_report_auction(report);
	}
	fault = astra_answer(report, query, &alice, &stats, &out, &err);
	if (!fault && astra_query_says(query))
		keep(query);
	if (!fault && query->kind == ASTRA_QUERY_BID)
		keep_bid(report, query, &alice);
	astra_text_clear(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct astra_query query;
	struct astra_error err = {""};

	read_file(data, size);
	if (astra_query_decode((const char *)data, size, &query, &err)) {
		insist(*err.text);
		return 0;
	}
	write_and_read(&query);
	answer(&query);
	astra_query_destroy(&query);
	return 0;
}
