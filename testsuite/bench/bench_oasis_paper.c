/* SPDX-License-Identifier: GPL-2.0-or-later */
/* OASiS beside the four baselines of its paper (Bao et al., INFOCOM'18), with
 * several resources and parameter servers (PSs).
 *
 * usage: bench_oasis_paper TABLE SEEDS SPEED SLOTS JOBS...
 *   TABLE   methods, U (percent of the true one) or L
 *   SPEED   a batch takes so many times less than the paper prints
 *
 * It prints a row for each number of jobs and method: both, and the mean
 * utility of an instance. Then come four columns for the jobs that are
 * insensitive to time, four for sensitive and four for critical ones: all jobs,
 * those that end, those that end by their targets, and the median of the slots
 * after the target.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testsuite/bench/bench.h"
#include "testsuite/bench/oasis_rules.h"

/* rule: NULL is oasis. u_percent, l: estimates; 0: U and L as printed, of all
 * jobs that will come. */
static const struct method {
	const char *table, *name;
	oasis_rule *rule;
	double u_percent, l;
} methods[] = {
	{"methods", "oasis", .rule = NULL},
	{"methods", "FIFO", .rule = oasis_fifo},
	{"methods", "DRF", .rule = oasis_drf},
	{"methods", "RRH", .rule = oasis_rrh},
	{"methods", "Dorm", .rule = oasis_dorm},
	{"U", "25", .u_percent = 25},
	{"U", "50", .u_percent = 50},
	{"U", "80", .u_percent = 80},
	{"U", "100", .u_percent = 100},
	{"U", "125", .u_percent = 125},
	{"U", "200", .u_percent = 200},
	{"U", "400", .u_percent = 400},
	{"U", "1600", .u_percent = 1600},
	{"L", "1e-12", .l = 1e-12},
	{"L", "1e-9", .l = 1e-9},
	{"L", "1e-6", .l = 1e-6},
	{"L", "1e-5", .l = 1e-5},
	{"L", "1e-4", .l = 1e-4},
	{"L", "1e-3", .l = 1e-3},
	{"L", "1e-2", .l = 1e-2},
};

enum { METHODS = sizeof(methods) / sizeof(*methods) };

/* The jobs of one class. */
struct timeliness {
	uint32_t jobs, ended, in_time;
	double *late; /* slots after the target, of those that ended */
};

struct sums {
	double utility;
	struct timeliness of[OASIS_CLASSES];
};

/* Sum the capacity of a side over servers and types. */
static double sum_capacity(const struct oasis_instance *w, int side)
{
	double sum = 0;

	for (int r = 0; r < OASIS_TYPES; r++)
		sum += w->servers * oasis_capacity[side][r];
	return sum;
}

static struct astra_oasis_range find_range(const struct oasis_instance *w,
					   const struct method *method)
{
	struct astra_oasis_history history;
	struct astra_oasis_range range;

	astra_oasis_history_init(&history);
	for (uint32_t i = 0; i < w->count; i++)
		astra_oasis_history_add(
			&history, &w->jobs[i].job,
			w->slots - (double)w->jobs[i].job.arrival, OASIS_TYPES);
	astra_oasis_history_range(&history, OASIS_TYPES, w->slots,
				  sum_capacity(w, OASIS_WORKERS),
				  sum_capacity(w, OASIS_PS), &range);
	for (int r = 0; method->u_percent > 0 && r < OASIS_TYPES; r++) {
		range.u1[r] *= method->u_percent / 100;
		range.u2[r] *= method->u_percent / 100;
	}
	if (method->l > 0)
		range.l1 = range.l2 = method->l;
	return range;
}

/* Run all jobs under OASiS.
 * ended: by job; the slot, 0 for none. */
static void trade(const struct oasis_instance *w, const struct method *method,
		  int64_t *ended)
{
	double *workers = oasis_capacities(w, OASIS_WORKERS);
	double *ps = oasis_capacities(w, OASIS_PS);
	const struct astra_oasis_setup setup = {
		.resources = OASIS_TYPES,
		.slots = w->slots,
		.first = 1,
		.workers = {workers, w->servers},
		.ps = {ps, w->servers},
		.range = find_range(w, method),
	};
	struct astra_oasis_market *market =
		astra_oasis_market_create(&setup, NULL);
	struct astra_oasis_offer offer = {0};

	oasis_must(market);
	for (uint32_t i = 0; i < w->count; i++) {
		const struct astra_oasis_job *job = &w->jobs[i].job;

		oasis_must(
			!astra_oasis_market_offer(market, job, &offer, NULL));
		ended[i] = offer.accepted ? offer.t_hat : 0;
		if (offer.accepted)
			astra_oasis_market_commit(market, job, &offer.y,
						  &offer.z, false);
	}
	astra_oasis_offer_clear(&offer);
	astra_oasis_market_destroy(market);
	free(workers);
	free(ps);
}

static void add(const struct oasis_instance *w, const int64_t *ended,
		struct sums *sums)
{
	for (uint32_t i = 0; i < w->count; i++) {
		const struct astra_oasis_job *job = &w->jobs[i].job;
		struct timeliness *of = &sums->of[w->jobs[i].class];
		double took = (double)(ended[i] - job->arrival);
		double late = took - job->utility.sigmoid.g3;

		of->jobs++;
		if (!ended[i])
			continue;
		sums->utility += astra_utility_value(&job->utility, took);
		of->in_time += late <= 0;
		of->late[of->ended++] = late;
	}
}

static void print(const struct oasis_instance *w, const struct method *method,
		  uint64_t seeds, struct sums *sums)
{
	printf("%u %s %.1f", w->count, method->name,
	       sums->utility / (double)seeds);
	for (int i = 0; i < OASIS_CLASSES; i++) {
		struct timeliness *of = &sums->of[i];

		printf(" %u %u %u %.1f", of->jobs, of->ended, of->in_time,
		       of->ended ? bench_median(of->late, of->ended) : 0);
	}
	printf("\n");
	fflush(stdout);
}

static void measure(const struct oasis_instance *instance,
		    const struct method *method, uint64_t seeds)
{
	int64_t *ended = oasis_take(instance->count, sizeof(*ended));
	struct sums sums = {0};

	for (int i = 0; i < OASIS_CLASSES; i++)
		sums.of[i].late =
			oasis_take(instance->count * seeds, sizeof(double));
	for (uint64_t seed = 1; seed <= seeds; seed++) {
		struct oasis_instance w = *instance;

		oasis_instance_fill(&w, seed);
		if (method->rule)
			oasis_obey(&w, method->rule, ended);
		else
			trade(&w, method, ended);
		add(&w, ended, &sums);
		free(w.jobs);
	}
	print(instance, method, seeds, &sums);
	for (int i = 0; i < OASIS_CLASSES; i++)
		free(sums.of[i].late);
	free(ended);
}

int main(int argc, char **argv)
{
	/* For make bench. */
	static const char *const usual[] = {"",	  "methods", "1",
					    "34", "100",     "100"};
	const char *const *args = argc < 6 ? usual : (const char *const *)argv;
	int count = argc < 6 ? 6 : argc;
	struct oasis_instance w = {
		.servers = 50,
		.speed = atof(args[3]),
		.slots = (uint32_t)atoi(args[4]),
	};

	if (atoi(args[2]) < 1 || !(w.speed > 0) || !w.slots) {
		fputs("usage: bench_oasis_paper methods|U|L SEEDS SPEED SLOTS JOBS...\n",
		      stderr);
		return 1;
	}
	for (int i = 5; i < count; i++) {
		w.count = (uint32_t)atoi(args[i]);
		for (int m = 0; m < METHODS; m++)
			if (!strcmp(methods[m].table, args[1]))
				measure(&w, &methods[m],
					(uint64_t)atoi(args[2]));
	}
	return 0;
}
