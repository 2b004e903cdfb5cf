/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What reports of running jobs cost: 1,000 jobs among 10,000 that say every 10
 * seconds how far they are. The server as slurmctld runs it is in this process,
 * the jobs are in another, munged is a third. A peer in the same run: as many
 * questions of sfair for one job's lease. And what the bids of 40 apps' agents
 * cost. Nothing is asserted. */
#include <math.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "src/policies/options.h"
#include "src/proto/answer.h"
#include "src/slurm/desk/server.h"
#include "src/slurm/note/bids.h"
#include "src/slurm/note/progress.h"
#include "testsuite/bench/bench.h"
#include "testsuite/unit/proto_munged.h"

enum { JOBS = 10000, REPORTING = 1000, EVERY_SEC = 10 };

static struct test_munged munged;
static char path[100];

static double cpu_sec(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static struct astra_report *make_report(void)
{
	struct astra_report *report = astra_report_create();

	if (!report)
		exit(1);
	for (uint32_t i = 1; i <= JOBS; i++) {
		const struct astra_report_job job = {
			.pool = "gpu",
			.tenant = "physics",
			.of.id = i,
			.array_task = UINT32_MAX,
			.of.copies = 1,
			.uid = geteuid(),
			.user = "alice",
			.state = "RUNNING",
			.phase = ASTRA_REPORT_LEASED,
			.of.revocable = true,
			.of.lease_end_sec = 4e9,
		};

		if (astra_report_add_job(report, &job) < 0)
			exit(1);
	}
	return report;
}

static struct astra_query query_of(enum astra_query_kind kind, uint32_t job)
{
	struct astra_query query = {
		.kind = kind,
		.said = {.done = job,
			 .total = 1 << 20,
			 .iter_sec = .5,
			 .loss = (double)NAN},
	};

	astra_job_refs_add(&query.jobs,
			   (struct astra_job_ref){job, UINT32_MAX});
	return query;
}

/* In the other process: all jobs, spread over the ten seconds. */
static void talk(enum astra_query_kind kind)
{
	double begin = bench_now_ms(), cpu = cpu_sec();
	int failed = 0;

	for (uint32_t i = 0; i < REPORTING; i++) {
		double due = begin + i * 1e3 * EVERY_SEC / REPORTING;
		struct astra_query query = query_of(kind, 1 + i * 10);
		char *request = astra_query_encode(&query), *reply = NULL;
		struct astra_error err;

		if (bench_now_ms() < due)
			usleep((useconds_t)((due - bench_now_ms()) * 1e3));
		if (!request ||
		    astra_call(path, munged.socket, request, &reply, &err) <
			    0 ||
		    strstr(reply, "\"error\""))
			failed++;
		free(reply);
		free(request);
		astra_query_destroy(&query);
	}
	printf("  sender: %.0f us of CPU each, %.1f s in all, %d failed\n",
	       1e6 * (cpu_sec() - cpu) / REPORTING,
	       (bench_now_ms() - begin) / 1e3, failed);
}

static void measure(const char *name, enum astra_query_kind kind)
{
	double begin, cpu = cpu_sec();
	pid_t pid;

	printf("%d %s in %d s:\n", REPORTING, name, EVERY_SEC);
	fflush(stdout);
	begin = bench_now_ms();
	pid = fork();
	if (!pid) {
		talk(kind);
		exit(0);
	}
	waitpid(pid, NULL, 0);
	printf("  plugin: %.0f us of CPU each, %.2f %% of a core\n",
	       1e6 * (cpu_sec() - cpu) / REPORTING,
	       1e5 * (cpu_sec() - cpu) / (bench_now_ms() - begin));
}

/* What a round does with them. */
static void measure_round(void)
{
	static struct astra_job jobs[JOBS];
	struct astra_options options;
	const struct astra_progress_pool pool = {.options = &options,
						 .now_sec = 1000};
	double samples[101];

	astra_options_init(&options);
	for (uint32_t i = 0; i < JOBS; i++)
		jobs[i] = (struct astra_job){.id = i + 1,
					     .revocable = true,
					     .state = ASTRA_JOB_RUNNING};
	for (size_t i = 0; i < 101; i++) {
		double begin = bench_now_ms();

		astra_progress_begin();
		astra_progress_fill(&pool, jobs, JOBS);
		astra_progress_end();
		samples[i] = bench_now_ms() - begin;
	}
	printf("into the forecasts of %d jobs: %.3f ms a round\n", JOBS,
	       bench_median(samples, 101));
}

/* Bids of 40 apps for up to 256 GPUs, among as many jobs. */

enum { APPS = 40, GPUS = 256 };

static struct astra_report *make_auction(void)
{
	static const struct astra_report_auction auction = {.pool = "gpu"};
	struct astra_report *report = astra_report_create();

	if (!report || astra_report_add_auction(report, &auction) < 0)
		exit(1);
	for (uint32_t i = 1; i <= APPS; i++) {
		const struct astra_report_app app = {
			.of.app = i,
			.of.job = i,
			.pool = "gpu",
			.of.gpus_max = GPUS,
			.of.slowdown = {1, 1, 1.1, 1.3}};

		if (astra_report_add_app(report, &app) < 0)
			exit(1);
	}
	for (uint32_t i = 1; i <= APPS; i++) {
		const struct astra_report_job job = {
			.pool = "gpu", .of.id = i, .app = i};

		if (astra_report_add_job(report, &job) < 0)
			exit(1);
	}
	return report;
}

static void bid_all(const struct astra_report *report)
{
	const struct astra_viewer viewer = {.all = true, .now_sec = 1};
	double begin;
	struct astra_error err;
	struct astra_query query = query_of(ASTRA_QUERY_BID, 1);

	for (uint32_t k = 1; k <= GPUS; k++)
		if (astra_curves_add(&query.bid.rho, ASTRA_LEVEL_SLOT,
				     1000. / k) < 0)
			exit(1);
	begin = bench_now_ms();
	for (uint32_t i = 1; i <= APPS; i++) {
		query.jobs.refs[0].id = i;
		if (astra_bids_note(report, &query, &viewer, &err) < 0)
			exit(1);
	}
	printf("bids of %d apps for %d GPUs: %.1f us each to keep\n", APPS,
	       GPUS, 1e3 * (bench_now_ms() - begin) / APPS);
	astra_query_destroy(&query);
}

static void measure_bids(void)
{
	static struct astra_job jobs[JOBS];
	struct astra_report *report = make_auction();
	struct astra_arena arena = {0};
	double samples[101];

	for (uint32_t i = 0; i < JOBS; i++)
		jobs[i] = (struct astra_job){.id = i + 1,
					     .state = ASTRA_JOB_RUNNING};
	bid_all(report);
	for (size_t i = 0; i < 101; i++) {
		struct astra_bids_view view = {.pool = "gpu",
					       .lease_sec = 600,
					       .now_sec = 2,
					       .jobs = jobs,
					       .job_count = JOBS,
					       .arena = &arena};
		double begin = bench_now_ms();

		astra_arena_reset(&arena);
		astra_bids_begin();
		astra_bids_fill(&view);
		astra_bids_end();
		samples[i] = bench_now_ms() - begin;
	}
	printf("to the engine, with %d jobs: %.3f ms a round\n", JOBS,
	       bench_median(samples, 101));
	astra_arena_free(&arena);
	astra_bids_free();
	astra_report_put(report);
}

int main(void)
{
	const struct astra_server_options options = {
		.path = path,
		.munge_socket = munged.socket,
		.slurm_uid = geteuid(),
		.note = astra_progress_note,
	};
	struct astra_error err;

	if (test_munged_start(&munged) < 0) {
		fputs("bench_progress: munged cannot be started here\n",
		      stderr);
		return 0;
	}
	snprintf(path, sizeof(path), "%s/a.sock", munged.folder);
	astra_server_publish(make_report());
	if (astra_server_start(&options, &err) < 0) {
		fprintf(stderr, "bench_progress: %s\n", err.text);
		test_munged_stop(&munged);
		return 1;
	}
	measure("reports", ASTRA_QUERY_PROGRESS);
	measure_round();
	measure("questions of sfair", ASTRA_QUERY_LEASE);
	measure_bids();
	astra_server_stop();
	test_munged_stop(&munged);
	astra_progress_free();
	return 0;
}
