/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sim/generate.h"

#include <stdio.h>
#include <string.h>

#include "src/common/random.h"
#include "src/model/model.h"

#define DAY_SEC 86400.0

/* How submissions are spread over days and weeks. */
struct astra_rhythm {
	double peak_hour; /* of the day */
	double swing;	  /* 0: all hours are equal; 1: no submissions 12 h from
			   * the peak */
	double sunday; /* rate on a weekend day relative to other days, at most
			* 1 */
};

/* Draws a time in the first `days` days, by the rhythm. The first day is a
 * Monday. */
static double random_time(struct astra_random *random, double days,
			  const struct astra_rhythm *rhythm)
{
	for (;;) {
		double sec = astra_random_uniform(random) * days * DAY_SEC;
		double day = sec / DAY_SEC;
		double angle = 2 * M_PI * (day - rhythm->peak_hour / 24);
		double rate =
			(1 + rhythm->swing * cos(angle)) / (1 + rhythm->swing);

		if (fmod(day, 7) >= 5)
			rate *= rhythm->sunday;
		if (astra_random_uniform(random) < rate)
			return sec;
	}
}

/* Draws an index by weight. sums: running sums of weights; the last is > 0. */
static size_t random_index(struct astra_random *random, const double *sums,
			   size_t count)
{
	double at = astra_random_uniform(random) * sums[count - 1];
	size_t i = 0;

	while (i + 1 < count && sums[i] <= at)
		i++;
	return i;
}

/* Adds a generated job, whose name is its number. user: index in its tenant.
 * Returns 0, or -1 if out of memory. */
static int generate_job(struct astra_trace *trace, struct astra_trace_job *job,
			uint32_t user)
{
	char name[64];

	snprintf(name, sizeof(name), "%s-u%02u",
		 trace->tenants[job->tenant].name, user + 1);
	job->user = astra_trace_user(trace, name);
	if (job->user == ASTRA_NONE)
		return -1;
	job->start_sec = -1;
	snprintf(name, sizeof(name), "%zu", trace->job_count + 1);
	return astra_trace_add(trace, job, name);
}

/* Adds tenants "t01" and so on, with their quotas as weights. A quota is a
 * whole number of nodes of 8 GPUs. Quotas fall off by a power law, as in real
 * clusters. Returns 0, or -1 if out of memory. */
static int generate_tenants(struct astra_trace *trace, uint32_t count,
			    double nodes, double power)
{
	char name[16];

	for (uint32_t i = 0; i < count; i++) {
		uint32_t at;

		snprintf(name, sizeof(name), "t%02u", i + 1);
		at = astra_trace_tenant(trace, name);
		if (at == ASTRA_NONE)
			return -1;
		trace->tenants[at].weight =
			8 * fmax(1, round(nodes * pow(i + 1, -power)));
	}
	return 0;
}

/* Workloads of whole clusters, calibrated on published statistics. Jobs come in
 * bursts; all jobs of a burst have one tenant and the same count of GPUs.
 * Counts of GPUs are dealt like cards, so their shares are the published ones
 * for any seed. Durations fall into bands with the published shares, and are
 * lognormal within a band. */

#define SIZES 24
#define BANDS 3
#define TENANTS 32
#define SWEEP_MOST 1000
#define USERS 12 /* of a tenant */

/* Lognormal durations between two limits. */
struct band {
	double share;
	double least_sec, most_sec;
	double median_sec, sigma;
};

struct size {
	uint32_t gpus; /* 0: end of the list */
	double share;
	uint32_t group; /* index of its durations */
};

struct model {
	struct size sizes[SIZES];
	struct band groups[3][BANDS];
	struct astra_rhythm rhythm;
	double cap_sec; /* the longest duration */
	uint32_t tenants;
	double nodes, power; /* of the tenants' quotas */
	double burst_power;  /* P(a burst has at least n jobs) = n^-power */
	double sweep_share;  /* share of bursts that are large */
	double sweep_median; /* jobs in a large burst */
};

#define HOUR 3600.0
#define LONGEST (48 * HOUR) /* the trace of Venus is cut off there */
#define PHILLY_LONGEST (14 * 24 * HOUR)

/* Sizes: Hu et al., Characterization and Prediction of Deep Learning Workloads
 * in Large-Scale GPU Datacenters, SC'21, as ASTRAEA (TPDS'22) sums them up:
 * 52.5 % with one GPU, 22.6 % with 8, 10.3 % with more; 67.3 % run for less
 * than 10 minutes. */
static const struct model venus = {
	.sizes = {{1, .525, 0},
		  {2, .068, 1},
		  {3, .004, 1},
		  {4, .069, 1},
		  {6, .005, 1},
		  {8, .226, 1},
		  {16, .0345, 2},
		  {24, .009, 2},
		  {32, .043, 2},
		  {40, .005, 2},
		  {48, .002, 2},
		  {64, .0035, 2},
		  {96, .0025, 2},
		  {128, .002, 2},
		  {160, .0015, 2}},
	.groups = {{{.775, 1, 600, 100, 1.2}, {.225, 600, LONGEST, 2400, 1.9}},
		   {{.560, 1, 600, 130, 1.4}, {.440, 600, LONGEST, 6500, 1.9}},
		   {{.560, 1, 600, 110, 1.5}, {.440, 600, LONGEST, 6500, 1.9}}},
	.rhythm = {15.5, .8, .7},
	.cap_sec = LONGEST,
	.tenants = 17,
	.nodes = 30,
	.power = .8,
	.burst_power = 2.2,
	.sweep_share = .001,
	.sweep_median = 60,
};

/* Durations: 40.8 % run for less than 10 minutes, 71.6 % for less than an hour
 * (ASTRAEA's account of Philly). Sizes: most jobs have one GPU (Jeon et al.,
 * Analysis of Large-Scale Multi-Tenant GPU Clusters, ATC'19). */
static const struct model philly = {
	.sizes = {{1, .92, 0},
		  {2, .015, 1},
		  {4, .034, 1},
		  {8, .028, 1},
		  {16, .0027, 1},
		  {32, .0003, 1}},
	.groups = {{{.425, 1, 600, 90, 1.1},
		    {.320, 600, HOUR, 1700, .5},
		    {.255, HOUR, PHILLY_LONGEST, 8500, 1.3}},
		   {{.210, 1, 600, 100, 1.2},
		    {.170, 600, HOUR, 1200, .5},
		    {.620, HOUR, PHILLY_LONGEST, 60000, 1.3}}},
	.rhythm = {12, .4, .6},
	.cap_sec = PHILLY_LONGEST,
	.tenants = 11,
	.nodes = 56.5,
	.power = .8,
	.burst_power = 2.2,
	.sweep_share = .02,
	.sweep_median = 100,
};

struct deal {
	const struct model *model;
	struct astra_trace *trace;
	struct astra_random random;
	double days;
	uint64_t cards[SIZES], left; /* jobs still to come */
	size_t size_count;
	double sums[SIZES][TENANTS]; /* running sums over tenants, by size */
	uint64_t bursts;
};

/* Divides the jobs among the sizes by their shares. Jobs that are left get the
 * first size. */
static void cut_cards(struct deal *deal, uint64_t jobs)
{
	const struct size *sizes = deal->model->sizes;
	uint64_t left = jobs;

	while (deal->size_count < SIZES && sizes[deal->size_count].gpus)
		deal->size_count++;
	for (size_t i = deal->size_count; i-- > 1;) {
		uint64_t n = (uint64_t)(sizes[i].share * (double)jobs + .5);

		deal->cards[i] = n < left ? n : left;
		left -= deal->cards[i];
	}
	deal->cards[0] = left;
	deal->left = jobs;
}

/* Sets, for each size of jobs, how likely each tenant is. A tenant's activity
 * is its quota with some noise. Some tenants prefer large jobs; no tenant asks
 * for more than its quota. */
static void know_tenants(struct deal *deal)
{
	double active[TENANTS], lean[TENANTS];
	uint32_t count = deal->model->tenants;

	for (uint32_t t = 0; t < count; t++) {
		active[t] = deal->trace->tenants[t].weight *
			    astra_random_lognormal(&deal->random, 1, .35);
		lean[t] = astra_random_lognormal(&deal->random, 1, .12);
	}
	for (size_t i = 0; i < deal->size_count; i++) {
		uint32_t gpus = deal->model->sizes[i].gpus;
		double sum = 0;

		for (uint32_t t = 0; t < count; t++) {
			if (gpus <= deal->trace->tenants[t].weight)
				sum += active[t] * pow(lean[t], log2(gpus));
			deal->sums[i][t] = sum;
		}
	}
}

static size_t draw_size(struct deal *deal)
{
	uint64_t card = astra_random_below(&deal->random, deal->left);
	size_t i = 0;

	while (card >= deal->cards[i])
		card -= deal->cards[i++];
	return i;
}

static uint64_t draw_burst(struct deal *deal, uint64_t most)
{
	const struct model *model = deal->model;
	double jobs;

	if (astra_random_uniform(&deal->random) < model->sweep_share)
		jobs = fmin(SWEEP_MOST,
			    astra_random_lognormal(&deal->random,
						   model->sweep_median, .9));
	else
		jobs = pow(1 - astra_random_uniform(&deal->random),
			   -1 / model->burst_power);
	return jobs < 1 ? 1 : jobs < (double)most ? (uint64_t)jobs : most;
}

static double draw_duration(struct deal *deal, const struct band *bands)
{
	double at = astra_random_uniform(&deal->random), sec;

	while (at >= bands->share && bands[1].share > 0)
		at -= bands++->share;
	do
		sec = floor(astra_random_lognormal(
			&deal->random, bands->median_sec, bands->sigma));
	while (sec < bands->least_sec ||
	       (sec >= bands->most_sec &&
		bands->most_sec < deal->model->cap_sec));
	return fmin(sec, deal->model->cap_sec);
}

/* Adds a burst of jobs. Returns 0, or -1 if out of memory. */
static int deal_burst(struct deal *deal)
{
	const struct model *model = deal->model;
	size_t at = draw_size(deal);
	const struct size *size = &model->sizes[at];
	struct astra_trace_job job = {.gpus = size->gpus};
	uint64_t jobs = draw_burst(deal, deal->cards[at]);
	double now = random_time(&deal->random, deal->days, &model->rhythm);
	uint32_t user;
	char name[24];

	job.tenant = (uint32_t)random_index(&deal->random, deal->sums[at],
					    model->tenants);
	user = (uint32_t)(USERS * pow(astra_random_uniform(&deal->random), 2));
	snprintf(name, sizeof(name), "%ju", (uintmax_t)++deal->bursts);
	job.app = astra_trace_app(deal->trace, name);
	if (job.app == ASTRA_NONE)
		return -1;
	deal->cards[at] -= jobs;
	deal->left -= jobs;
	for (; jobs; jobs--) {
		job.submit_sec = floor(now);
		job.duration_sec =
			draw_duration(deal, model->groups[size->group]);
		if (generate_job(deal->trace, &job, user) < 0)
			return -1;
		now += astra_random_exponential(&deal->random, 8);
	}
	return 0;
}

static int
generate_cluster_generate(struct astra_trace *trace, const struct model *model,
			  const struct astra_generate_options *options)
{
	struct deal deal = {
		.model = model,
		.trace = trace,
		.random = astra_random_seed(options->seed),
		.days = options->days,
	};

	if (generate_tenants(trace, model->tenants, model->nodes,
			     model->power) < 0)
		return -1;
	cut_cards(&deal, options->jobs);
	know_tenants(&deal);
	while (deal.left)
		if (deal_burst(&deal) < 0)
			return -1;
	return 0;
}

static int generate_venus(struct astra_trace *trace,
			  const struct astra_generate_options *options)
{
	return generate_cluster_generate(trace, &venus, options);
}

static int generate_philly(struct astra_trace *trace,
			   const struct astra_generate_options *options)
{
	return generate_cluster_generate(trace, &philly, options);
}

/* Hyper-parameter searches by successive halving (Jamieson, Talwalkar:
 * Non-stochastic best arm identification and hyperparameter optimization,
 * AISTATS 2016), the apps of Themis (NSDI'20, section 5.2). After each rung the
 * better half of an app's jobs goes on, for twice as many iterations. Here all
 * jobs of an app are submitted together, and a job that is given up at a rung
 * ends with that rung. */

#define APPS_TENANTS 8
#define APPS_USERS 6	     /* users of a tenant */
#define RUNG_MEDIAN_SEC 1500 /* first rung of a job */
#define LEAST_LOG2 2	     /* 4 jobs in an app */
#define MOST_LOG2 6	     /* 64 jobs in an app */

/* Apps arrive day and night. */
static const struct astra_rhythm apps_rhythm = {15, .5, .8};

/* Returns how long the job of this rank runs, in units of the first rung: 1, 3,
 * 7 and so on, since each rung is twice as long as the one before it. */
static double rungs(uint32_t rank, uint32_t jobs)
{
	double length = 1, sum = 1;

	for (uint32_t stay = jobs / 2; rank < stay; stay /= 2) {
		length *= 2;
		sum += length;
	}
	return sum;
}

/* Draws 1, 2 or 4 GPUs, for all jobs of an app. */
static uint32_t draw_gpus(struct astra_random *random)
{
	static const double sums[] = {.5, .75, 1};

	return 1U << random_index(random, sums, 3);
}

static uint32_t draw_jobs(struct astra_random *random, uint64_t most)
{
	uint32_t jobs =
		1U << (LEAST_LOG2 +
		       astra_random_below(random, MOST_LOG2 - LEAST_LOG2 + 1));

	return jobs < most ? jobs : (uint32_t)most;
}

/* Shuffles the ranks 0 to count - 1: nobody knows beforehand which job is
 * best. */
static void generate_apps_shuffle(struct astra_random *random, uint32_t *ranks,
				  uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t j = (uint32_t)astra_random_below(random, i + 1);

		ranks[i] = ranks[j];
		ranks[j] = i;
	}
}

/* Adds an app with its jobs. Returns 0, or -1 if out of memory. */
static int generate_apps_add_app(struct astra_trace *trace,
				 struct astra_random *random, uint32_t jobs,
				 double days)
{
	struct astra_trace_job job = {
		.tenant = (uint32_t)astra_random_below(random, APPS_TENANTS),
		.gpus = draw_gpus(random),
	};
	double rung_sec = astra_random_lognormal(random, RUNG_MEDIAN_SEC, .8);
	uint32_t user = (uint32_t)astra_random_below(random, APPS_USERS);
	uint32_t ranks[1 << MOST_LOG2];
	char name[24];

	job.submit_sec = floor(random_time(random, days, &apps_rhythm));
	snprintf(name, sizeof(name), "%u", trace->app_count + 1);
	job.app = astra_trace_app(trace, name);
	if (job.app == ASTRA_NONE)
		return -1;
	generate_apps_shuffle(random, ranks, jobs);
	for (uint32_t i = 0; i < jobs; i++) {
		/* Configurations are not equally fast. */
		double sec = rung_sec * rungs(ranks[i], jobs) *
			     astra_random_lognormal(random, 1, .15);

		job.duration_sec = fmax(1, floor(sec));
		if (generate_job(trace, &job, user) < 0)
			return -1;
	}
	return 0;
}

static int generate_apps(struct astra_trace *trace,
			 const struct astra_generate_options *options)
{
	struct astra_random random = astra_random_seed(options->seed);

	if (generate_tenants(trace, APPS_TENANTS, 4, 0) < 0)
		return -1;
	while (trace->job_count < options->jobs) {
		uint64_t left = options->jobs - trace->job_count;

		if (generate_apps_add_app(trace, &random,
					  draw_jobs(&random, left),
					  options->days) < 0)
			return -1;
	}
	return 0;
}

#define JOBS_MAX 100000000

const struct astra_generator astra_generators[] = {
	{"venus",
	 "like SenseTime's Venus cluster: two weeks, GPU counts from 1 to 160",
	 11308, 14, generate_venus},
	{"philly",
	 "like Microsoft's Philly: two weeks, most jobs of one GPU, long tail",
	 33390, 14, generate_philly},
	{"apps", "hyper-parameter searches by successive halving, as in Themis",
	 3000, 7, generate_apps},
	{0},
};

static const struct astra_generator *generate_find(const char *name,
						   struct astra_error *err)
{
	const struct astra_generator *g = astra_generators;

	while (g->name && strcmp(g->name, name) != 0)
		g++;
	if (g->name)
		return g;
	astra_error_set(err, "there is no generator %s; there are", name);
	for (g = astra_generators; g->name; g++) {
		size_t length = strlen(err->text);

		snprintf(err->text + length, sizeof(err->text) - length,
			 "%s %s", g == astra_generators ? "" : ",", g->name);
	}
	return NULL;
}

int astra_trace_generate(struct astra_trace *trace, const char *name,
			 const struct astra_generate_options *options,
			 struct astra_error *err)
{
	const struct astra_generator *generator = generate_find(name, err);
	struct astra_generate_options all = *options;

	if (!generator)
		return -1;
	trace->source = generator->name;
	if (!all.jobs && all.days > 0)
		all.jobs = (uint64_t)((double)generator->jobs * all.days /
					      generator->days +
				      0.5);
	if (!all.jobs)
		all.jobs = generator->jobs;
	if (!(all.days > 0))
		all.days = generator->days * (double)all.jobs /
			   (double)generator->jobs;
	if (all.jobs > JOBS_MAX)
		return astra_error_set(err, "%s: more than %d jobs", name,
				       JOBS_MAX);
	if (generator->generate(trace, &all) < 0)
		return astra_error_nomem(err);
	return astra_trace_finish(trace, err);
}
