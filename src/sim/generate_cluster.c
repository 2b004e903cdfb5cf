/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Workloads of whole clusters, calibrated on published statistics.
 *
 * Jobs come in bursts of one tenant and one count of GPUs. Counts of GPUs are
 * dealt like cards, so that their shares are the published ones for any seed;
 * durations fall into bands of the published shares, and are lognormal in each.
 */
#include <stdio.h>

#include "src/model/model.h"
#include "src/sim/generate_priv.h"

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
	uint32_t gpus; /* 0: there are no more */
	double share;
	uint32_t group; /* of durations */
};

struct model {
	struct size sizes[SIZES];
	struct band groups[3][BANDS];
	struct astra_rhythm rhythm;
	double cap_sec; /* the longest duration */
	uint32_t tenants;
	double nodes, power; /* of the tenants' quotas */
	double burst_power;  /* a burst has n or more jobs: n^-power */
	double sweep_share;  /* of bursts that are large */
	double sweep_median; /* jobs in one */
};

#define HOUR 3600.0
#define LONGEST (48 * HOUR) /* where Venus' trace is cut */
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
	uint64_t cards[SIZES], left; /* jobs that are to come */
	size_t size_count;
	double sums[SIZES][TENANTS]; /* of a size, how likely tenants are */
	uint64_t bursts;
};

/* As many jobs of each size as its share says; those that are over go to the
 * first. */
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

/* A tenant is as active as its quota says, give or take; some lean to large
 * jobs, and none asks for more than its quota. */
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

/* Returns 0, or -1 when out of memory. */
static int deal_burst(struct deal *deal)
{
	const struct model *model = deal->model;
	size_t at = draw_size(deal);
	const struct size *size = &model->sizes[at];
	struct astra_trace_job job = {.gpus = size->gpus};
	uint64_t jobs = draw_burst(deal, deal->cards[at]);
	double now =
		astra_random_time(&deal->random, deal->days, &model->rhythm);
	uint32_t user;
	char name[24];

	job.tenant = (uint32_t)astra_random_index(&deal->random, deal->sums[at],
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
		if (astra_generate_job(deal->trace, &job, user) < 0)
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

	if (astra_generate_tenants(trace, model->tenants, model->nodes,
				   model->power) < 0)
		return -1;
	cut_cards(&deal, options->jobs);
	know_tenants(&deal);
	while (deal.left)
		if (deal_burst(&deal) < 0)
			return -1;
	return 0;
}

int astra_generate_venus(struct astra_trace *trace,
			 const struct astra_generate_options *options)
{
	return generate_cluster_generate(trace, &venus, options);
}

int astra_generate_philly(struct astra_trace *trace,
			  const struct astra_generate_options *options)
{
	return generate_cluster_generate(trace, &philly, options);
}
