/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For libFuzzer: any bytes as a request, decoded as the server does once it
 * knows the sender, answered and kept. What is accepted must come back the same
 * when it is written and read again. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/proto/answer.h"
#include "src/slurm/progress.h"
#include "testsuite/unit/proto_sample.h"

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

static void expect_same(const struct astra_query *a,
			const struct astra_query *b)
{
	insist(a->kind == b->kind && a->reset == b->reset);
	expect_same_names(&a->users, &b->users);
	expect_same_names(&a->accounts, &b->accounts);
	expect_same_names(&a->pools, &b->pools);
	insist(a->jobs.count == b->jobs.count);
	for (size_t i = 0; i < a->jobs.count; i++)
		insist(a->jobs.refs[i].id == b->jobs.refs[i].id &&
		       a->jobs.refs[i].task == b->jobs.refs[i].task);
	insist(a->said.run == b->said.run && a->said.done == b->said.done &&
	       a->said.total == b->said.total && a->said.step == b->said.step);
	insist(a->said.iter_sec == b->said.iter_sec);
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
	struct astra_error err;

	insist(astra_progress_note(query, 1, &err) == 0);
	astra_progress_begin();
	astra_progress_fill(&job, 1);
	astra_progress_end();
	insist(job.forecast.work_sec >= 0 && job.forecast.work_sec < 1e9);
	insist(job.forecast.done_sec >= 0 && job.forecast.done_sec < 1e9);
}

static void answer(const struct astra_query *query)
{
	static struct astra_report *report;
	const struct astra_viewer alice = {.uid = 1001, .now_sec = SAMPLE_NOW};
	const struct astra_socket_stats stats = {0};
	struct astra_text out = {.limit = 1 << 20};
	struct astra_error err;
	enum astra_fault fault;

	if (!report)
		report = sample_report();
	fault = astra_answer(report, query, &alice, &stats, &out, &err);
	if (!fault && astra_query_says(query))
		keep(query);
	astra_text_clear(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct astra_query query;
	struct astra_error err = {""};

	if (astra_query_decode((const char *)data, size, &query, &err)) {
		insist(*err.text);
		return 0;
	}
	write_and_read(&query);
	answer(&query);
	astra_query_destroy(&query);
	return 0;
}
