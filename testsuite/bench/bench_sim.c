/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole simulations on one core: the fortnights of Venus and Philly, made up
 * and, where $ASTRAEA_TRACES has them, real; how time grows with jobs; a
 * million jobs on 10,000 GPUs. The peer in the same run is fifo in the same
 * loop, which decides next to nothing. Each runs in a process of its own, whose
 * peak memory is its own. Nothing is asserted. */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/policies/options.h"
#include "src/sim/generate.h"
#include "src/sim/read.h"
#include "src/sim/simulate.h"
#include "src/sim/trace_weights.h"
#include "testsuite/bench/bench.h"

enum { REPEATS = 3, NODE_GPUS = 8, MILLION = 1000000 };

struct load {
	const char *name;
	const char *kind; /* generated; or else */
	const char *file, *weights;
	uint64_t jobs;
	double days;
	uint32_t nodes;
	double published_sec; /* the ASTRAEA authors' simulator; 0: not known */
};

static const struct load fortnights[] = {
	{.name = "venus, made up",
	 .kind = "venus",
	 .nodes = 100,
	 .published_sec = 136},
	{.name = "venus, real",
	 .file = "venus_2weeks_2020-08-23.csv",
	 .weights = "venus_vc_quota_gpus.csv",
	 .nodes = 100,
	 .published_sec = 136},
	{.name = "philly, made up",
	 .kind = "philly",
	 .nodes = 210,
	 .published_sec = 623},
	{.name = "philly, real",
	 .file = "philly_recon_2weeks.csv",
	 .nodes = 210,
	 .published_sec = 623},
};

/* The published load, for longer and longer. */
static const uint64_t sizes[] = {5000, 20000, 80000, 320000};

enum {
	FORTNIGHTS = sizeof(fortnights) / sizeof(*fortnights),
	SIZES = sizeof(sizes) / sizeof(*sizes)
};

struct outcome {
	double sec;
	uint64_t rounds, jobs, done;
	double memory_mib; /* the peak of the process, trace included */
};

static void fail(const char *what)
{
	fprintf(stderr, "bench_sim: %s\n", what);
	_exit(1);
}

static const char *path_of(const char *file, char path[512])
{
	const char *folder = getenv("ASTRAEA_TRACES");

	snprintf(path, 512, "%s/%s", folder ? folder : ".", file);
	return path;
}

/* Of this process, so that others on the machine do not count. */
static double cpu_sec(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void load_trace(const struct load *load, struct astra_trace *trace)
{
	const struct astra_generate_options made = {
		.seed = 1,
		.jobs = load->jobs,
		.days = load->days,
	};
	const struct astra_read_options read = {.procs_per_gpu = 1};
	static char path[512], weights[512];
	struct astra_error err = {""};
	int rc;

	astra_trace_init(trace);
	if (load->kind)
		rc = astra_trace_generate(trace, load->kind, &made, &err);
	else
		rc = astra_trace_read(trace, path_of(load->file, path), &read,
				      &err);
	if (!rc && load->weights)
		rc = astra_trace_read_weights(
			trace, path_of(load->weights, weights), false, &err);
	if (rc < 0)
		fail(err.text);
}

static struct outcome simulate(const struct load *load, const char *name)
{
	const struct astra_sim_options sim = {
		.round_sec = 1,
		.checkpoint_sec = 10,
		.cold_start_sec = 40,
		.slowdown = {1, 1, 1, 1},
		.interval_sec = 3600,
		.seed = 1,
	};
	struct outcome out = {0};
	struct astra_error err = {""};
	struct astra_options policy;
	struct astra_sim_result result;
	struct astra_cluster cluster;
	struct astra_trace trace;
	double begin;

	load_trace(load, &trace);
	astra_options_init(&policy);
	if (astra_cluster_make(&cluster, load->nodes, NODE_GPUS, 0) < 0)
		fail("out of memory");
	astra_trace_fit(&trace, cluster.gpus);
	begin = cpu_sec();
	if (astra_simulate(&trace, &cluster, astra_scheduler_find(name, NULL),
			   &policy, &sim, &result, &err) < 0)
		fail(err.text);
	out.sec = cpu_sec() - begin;
	out.rounds = result.rounds;
	out.jobs = trace.job_count;
	for (size_t i = 0; i < trace.job_count; i++)
		out.done += result.jobs[i].end_sec >= 0;
	return out;
}

/* In a process of its own. */
static struct outcome apart(const struct load *load, const char *scheduler)
{
	struct outcome out = {0};
	struct rusage usage;
	int ends[2], status;
	pid_t pid;

	if (pipe(ends) < 0)
		fail("pipe");
	fflush(stdout);
	pid = fork();
	if (!pid) {
		out = simulate(load, scheduler);
		_exit(write(ends[1], &out, sizeof(out)) != sizeof(out));
	}
	close(ends[1]);
	if (read(ends[0], &out, sizeof(out)) != sizeof(out))
		out.sec = -1;
	close(ends[0]);
	if (wait4(pid, &status, 0, &usage) < 0 || status || out.sec < 0)
		exit(1);
	out.memory_mib = (double)usage.ru_maxrss / 1024;
	return out;
}

/* The median of several times. */
static struct outcome several(const struct load *load, const char *scheduler)
{
	double times[REPEATS];
	struct outcome out = {0};

	for (int i = 0; i < REPEATS; i++) {
		out = apart(load, scheduler);
		times[i] = out.sec;
	}
	out.sec = bench_median(times, REPEATS);
	return out;
}

static void print_row(const char *name, const struct outcome *ltgf,
		      const struct outcome *fifo)
{
	printf("%-18s %8ju %8ju %8.2f %9.0f %8.2f %6.1f", name,
	       (uintmax_t)ltgf->jobs, (uintmax_t)ltgf->rounds, ltgf->sec,
	       ltgf->memory_mib, fifo->sec, ltgf->sec / fifo->sec);
	if (ltgf->done != ltgf->jobs)
		printf(" (%ju jobs not done)",
		       (uintmax_t)(ltgf->jobs - ltgf->done));
}

static void bench_fortnights(void)
{
	for (int i = 0; i < FORTNIGHTS; i++) {
		const struct load *load = &fortnights[i];
		struct outcome ltgf, fifo;
		char path[512];

		if (load->file && access(path_of(load->file, path), R_OK) < 0)
			continue;
		ltgf = several(load, "ltgf");
		fifo = several(load, "fifo");
		print_row(load->name, &ltgf, &fifo);
		printf(" %7.0f %6.0f\n", load->published_sec,
		       load->published_sec / ltgf.sec);
	}
}

static void bench_growth(void)
{
	double jobs[SIZES], times[SIZES];

	for (int i = 0; i < SIZES; i++) {
		const struct load load = {
			.kind = "venus",
			.jobs = sizes[i],
			.nodes = 100,
		};
		struct outcome ltgf = apart(&load, "ltgf");
		struct outcome fifo = apart(&load, "fifo");

		jobs[i] = (double)sizes[i];
		times[i] = ltgf.sec;
		print_row("venus, longer", &ltgf, &fifo);
		putchar('\n');
	}
	printf("time ~ jobs^%.2f (n log n over these sizes: %.2f)\n\n",
	       bench_exponent(jobs, times, SIZES),
	       1 + log(log(320e3) / log(5e3)) / log(64));
}

int main(void)
{
	/* Venus offers 640 GPUs' worth; twelve times that, over 100 days. */
	static const struct load million = {
		.kind = "venus",
		.jobs = MILLION,
		.days = 100,
		.nodes = 10000 / NODE_GPUS,
	};
	struct outcome ltgf, fifo;

	printf("simulations under ltgf in CPU s, medians of %d; peers: fifo in "
	       "the same loop, and\nwhat the ASTRAEA authors published of their "
	       "simulator\n\n"
	       "%-18s %8s %8s %8s %9s %8s %6s %7s %6s\n",
	       REPEATS, "", "jobs", "rounds", "ltgf", "peak MiB", "fifo",
	       "x=", "publ.", "x=");
	bench_fortnights();
	putchar('\n');
	bench_growth();
	ltgf = apart(&million, "ltgf");
	fifo = apart(&million, "fifo");
	print_row("on 10,000 GPUs", &ltgf, &fifo);
	putchar('\n');
	return 0;
}
