/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every live query with 10,000 jobs of 100 tenants, end to end: signed, sent
 * over the socket, verified by munged, answered, received. Peer of the same
 * run: a bare round trip over a socket of the same kind, with nothing signed
 * and one byte each way. Needs root to start a munged of its own. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "src/proto/query.h"
#include "src/proto/report_pool.h"
#include "src/proto/sign.h"
#include "src/proto/wire.h"
#include "src/slurm/desk/server.h"
#include "testsuite/bench/bench.h"
#include "testsuite/unit/proto_munged.h"

#define JOBS 10000
#define TENANTS 100
#define RUNS 41
#define TARGET_MS 20

/* What sfair job asks for unless told otherwise. */
#define SHOWN                                                            \
	"{\"astraea\":1,\"request\":\"job\",\"fields\":["                \
	"\"id_text\",\"user\",\"tenant\",\"gpus\",\"phase\",\"leases\"," \
	"\"revoked\",\"lease_end_sec\",\"alloc_gpu_sec\","               \
	"\"fair_gpu_sec\",\"rho\",\"rank\",\"reason\"]}"

static struct test_munged munged;
static char path[100], bare_path[108];

static struct astra_report *make_report(void)
{
	struct astra_report *report = astra_report_create();
	char name[32], id[32];

	report->time_sec = 1700000000;
	astra_report_add_pool(
		report, &(struct astra_report_pool){
				.name = "gpu", .policy = "ltgf", .gpus = 4096});
	for (unsigned t = 0; t < TENANTS; t++) {
		snprintf(name, sizeof(name), "account%02u", t);
		astra_report_add_tenant(
			report,
			&(struct astra_report_tenant){.pool = "gpu",
						      .of.name = name,
						      .uid = UINT32_MAX,
						      .of.listed = true,
						      .of.weight = 1,
						      .of.rho = 1 + t / 100.0});
	}
	for (unsigned i = 1; i <= JOBS; i++) {
		snprintf(name, sizeof(name), "account%02u", i % TENANTS);
		snprintf(id, sizeof(id), "%u", i);
		astra_report_add_job(
			report,
			&(struct astra_report_job){
				.pool = "gpu",
				.tenant = name,
				.of.id = i,
				.array_task = UINT32_MAX,
				.id_text = id,
				.of.copies = 1,
				.uid = 1000 + i % 500,
				.user = "user",
				.account = name,
				.partition = "gpu",
				.name = "train",
				.of.gpus = 1 + i % 8,
				.state = i > 1000 ? "PENDING" : "RUNNING",
				.phase = i > 1000 ? ASTRA_REPORT_WAITING
						  : ASTRA_REPORT_LEASED,
				.of.revocable = true,
				.of.lease_end_sec = 1700000000.125 + i,
				.of.usage.alloc = i * 97.123456,
				.of.usage.fair = i * 101.654321,
				.of.rho = i * 97.123456 / (i * 101.654321),
				.of.leases = 1 + i % 7,
				.of.reason.rank = i > 1000 ? i - 1000 : 0,
				.of.reason.ranks = JOBS - 1000,
				.wait = "rank",
				.reason = "Lease: rank"});
	}
	return report;
}

static void *echo(void *arg)
{
	int fd = *(int *)arg, client;
	char byte;

	while ((client = accept(fd, NULL, NULL)) >= 0) {
		if (recv(client, &byte, 1, 0) == 1)
			(void)!send(client, &byte, 1, MSG_NOSIGNAL);
		close(client);
	}
	return NULL;
}

static double bare_ms(const struct sockaddr_un *addr)
{
	double begin = bench_now_ms();
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	char byte = 'x';

	if (connect(fd, (const struct sockaddr *)addr, sizeof(*addr)) < 0 ||
	    send(fd, &byte, 1, MSG_NOSIGNAL) != 1 || recv(fd, &byte, 1, 0) != 1)
		return NAN;
	close(fd);
	return bench_now_ms() - begin;
}

static double measure_bare(void)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	double samples[RUNS];
	pthread_t thread;

	memcpy(addr.sun_path, bare_path, strlen(bare_path));
	if (bind(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0 ||
	    listen(fd, 8) < 0 || pthread_create(&thread, NULL, echo, &fd))
		return NAN;
	for (int i = 0; i < RUNS; i++)
		samples[i] = bare_ms(&addr);
	shutdown(fd, SHUT_RDWR);
	pthread_join(thread, NULL);
	close(fd);
	return bench_median(samples, RUNS);
}

/* Median of one request, its reply's size, or NAN where it is refused. */
static double measure(const char *request, size_t *size)
{
	double samples[RUNS];
	struct astra_error err = {""};

	for (int i = 0; i < RUNS; i++) {
		double begin;
		char *reply = NULL;

		usleep(1000000 / 150); /* a user may ask 200 times a second */
		begin = bench_now_ms();
		if (astra_call(path, munged.socket, request, &reply, &err) <
		    0) {
			printf("%s: %s\n", request, err.text);
			return NAN;
		}
		samples[i] = bench_now_ms() - begin;
		*size = strlen(reply);
		if (strstr(reply, "\"error\":{"))
			printf("%s: %.200s\n", request, reply);
		free(reply);
	}
	return bench_median(samples, RUNS);
}

/* The same of a command, from its start to its end. */
static double measure_command(const char *command)
{
	double samples[RUNS];

	for (int i = 0; i < RUNS; i++) {
		double begin = bench_now_ms();

		if (system(command) != 0)
			return NAN;
		samples[i] = bench_now_ms() - begin;
	}
	return bench_median(samples, RUNS);
}

static void run_commands(double bare)
{
	static const char *const commands[] = {
		"./sfair --version >/dev/null",	 "./sfair tenant >/dev/null",
		"./sfair lease >/dev/null",	 "./sfair job >/dev/null",
		"./sfair job --json >/dev/null",
	};

	if (access("sfair", X_OK) < 0)
		return;
	setenv("SFAIR_SOCKET", path, 1);
	setenv("MUNGE_SOCKET", munged.socket, 1);
	puts("and as commands, with what they read and print:");
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		double ms = measure_command(commands[i]);

		printf("%8.3f ms  ratio %8.1f  %s\n", ms, ms / bare,
		       commands[i]);
	}
}

static int run(void)
{
	static const char *const requests[] = {
		"{\"astraea\":1,\"request\":\"tenant\"}",
		"{\"astraea\":1,\"request\":\"job\",\"jobs\":[5000]}",
		"{\"astraea\":1,\"request\":\"job\",\"accounts\":[\"account07\"]}",
		"{\"astraea\":1,\"request\":\"lease\"}",
		"{\"astraea\":1,\"request\":\"why\",\"job\":9000}",
		"{\"astraea\":1,\"request\":\"why\",\"job\":10}",
		"{\"astraea\":1,\"request\":\"diag\"}",
		"{\"astraea\":1,\"request\":\"auction\"}",
		"{\"astraea\":1,\"request\":\"metrics\"}",
		SHOWN,
		"{\"astraea\":1,\"request\":\"job\"}",
	};
	double bare = measure_bare();
	int missed = 0;

	printf("queries with %d jobs, medians of %d; a bare round trip %.3f ms\n",
	       JOBS, RUNS, bare);
	for (size_t i = 0; i < sizeof(requests) / sizeof(*requests); i++) {
		size_t size = 0;
		double ms = measure(requests[i], &size);

		printf("%8.3f ms  ratio %8.1f  %9zu bytes  %s\n", ms, ms / bare,
		       size,
		       requests[i] + strlen("{\"astraea\":1,\"request\":"));
		missed += !(ms < TARGET_MS);
	}
	printf("%d of %zu above the target of %d ms\n", missed,
	       sizeof(requests) / sizeof(*requests), TARGET_MS);
	run_commands(bare);
	return 0;
}

/* Ask a live plugin so often for so long; for bench-queries.sh. */
static int ask_on(const char *socket_path, const char *munge, double sec,
		  double rate)
{
	static const char *const requests[] = {
		"{\"astraea\":1,\"request\":\"tenant\"}",
		"{\"astraea\":1,\"request\":\"diag\"}",
		"{\"astraea\":1,\"request\":\"metrics\"}",
		"{\"astraea\":1,\"request\":\"job\",\"jobs\":[1]}",
		"{\"astraea\":1,\"request\":\"lease\"}",
		"{\"astraea\":1,\"request\":\"why\",\"job\":1}",
		"{\"astraea\":1,\"request\":\"why\",\"job\":20}",
		SHOWN,
	};
	const unsigned kinds = sizeof(requests) / sizeof(*requests);
	double begin = bench_now_ms(), now = begin, slowest = 0;
	unsigned asked = 0, failed = 0;

	while ((now = bench_now_ms()) - begin < sec * 1e3) {
		double due = begin + asked * 1e3 / rate, took;
		struct astra_error err = {""};
		char *reply = NULL;

		if (due > now)
			usleep((useconds_t)((due - now) * 1e3));
		now = bench_now_ms();
		failed += astra_call(socket_path, munge,
				     requests[asked++ % kinds], &reply,
				     &err) < 0 ||
			  strstr(reply, "\"error\":{");
		free(reply);
		took = bench_now_ms() - now;
		slowest = took > slowest ? took : slowest;
	}
	printf("%u queries in %.0f s, %.0f a second, %u failed, slowest %.1f ms\n",
	       asked, sec, asked / sec, failed, slowest);
	return failed > asked / 100;
}

/* bench_queries [SOCKET MUNGE SECONDS RATE] */
int main(int argc, char **argv)
{
	struct astra_server_options options = {.path = path};
	struct astra_error err = {""};
	int rc;

	if (argc == 5)
		return ask_on(argv[1], argv[2], atof(argv[3]), atof(argv[4]));
	if (test_munged_start(&munged) != 0) {
		puts("bench_queries: munged cannot be started; left out");
		return 0;
	}
	options.munge_socket = munged.socket;
	snprintf(path, sizeof(path), "%s/a.sock", munged.folder);
	snprintf(bare_path, sizeof(bare_path), "%s/bare", munged.folder);
	astra_server_publish(make_report());
	if (astra_server_start(&options, &err) < 0) {
		puts(err.text);
		return 1;
	}
	rc = run();
	astra_server_stop();
	test_munged_stop(&munged);
	return rc;
}
