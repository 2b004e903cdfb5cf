/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One LTGF round: read every candidate's rho from the account, rank, place.
 * Peers in the same run: qsort() of as many entries as there are candidates,
 * and the paper's loop as written, which scans all for each grant.
 * All numbers are medians; nothing is asserted. */
#include <float.h>
#include <stdio.h>
#include <string.h>

#include "src/placement/placement.h"
#include "src/policies/ltgf/ltgf.h"
#include "src/policies/options.h"
#include "testsuite/bench/bench.h"

enum { REPEATS = 9, TENANTS = 50, NODE_GPUS = 8, RESCAN_MAX = 10000 };

static const size_t sizes[][2] = {
	{1000, 100}, {10000, 1000}, {30000, 3000}, {100000, 10000}};

enum { SIZES = sizeof(sizes) / sizeof(*sizes) };

struct world {
	size_t nodes, jobs;
	struct astra_fairness *account;
	uint32_t *numbers; /* of the jobs in the account */
	struct astra_candidate *candidates;
	struct astra_contestant tenants[TENANTS];
	struct astra_contest contest;
	struct astra_ranking ranking;
	struct astra_space *space;
	void *policy;
};

struct sample {
	double read, rank, place, sort, rescan;
};

static uint32_t pick(uint32_t below)
{
	return (uint32_t)rand() % below;
}

static void *must(void *memory)
{
	if (!memory) {
		fputs("bench_round: out of memory\n", stderr);
		exit(1);
	}
	return memory;
}

static void add_jobs(struct world *w)
{
	static const uint32_t gpus[] = {1, 1, 1, 1, 2, 2, 4, 4, 8, 16, 64};

	for (uint32_t i = 0; i < w->jobs; i++) {
		struct astra_candidate *c = &w->candidates[i];

		*c = (struct astra_candidate){
			.job = i,
			.tenant = pick(TENANTS),
			.gpus = gpus[pick(sizeof(gpus) / sizeof(*gpus))],
			.submit_sec = pick(3600),
			.latest_start_sec = HUGE_VAL,
		};
		c->charge = c->gpus;
		w->numbers[i] = astra_fairness_add_job(w->account, c->tenant, 1,
						       c->gpus);
		astra_fairness_set_active(w->account, pick(3600), w->numbers[i],
					  1);
		if (pick(3))
			continue;
		astra_fairness_set_alloc(w->account, 3600, w->numbers[i],
					 c->gpus);
		astra_fairness_set_alloc(w->account, 3600 + pick(900),
					 w->numbers[i], 0);
	}
}

static void world_init(struct world *w, size_t jobs, size_t nodes)
{
	const struct astra_fairness_options eq16 = {
		.quota_entitlement = true,
	};
	struct astra_options options;

	astra_options_init(&options);
	*w = (struct world){.nodes = nodes, .jobs = jobs};
	w->account = must(astra_fairness_create(&eq16, 0));
	w->numbers = must(calloc(jobs, sizeof(*w->numbers)));
	w->candidates = must(calloc(jobs, sizeof(*w->candidates)));
	w->ranking.choices = must(calloc(jobs, sizeof(*w->ranking.choices)));
	w->space = must(astra_space_create(nodes, NODE_GPUS));
	w->policy = must(astra_ltgf.create(&options, NULL));
	astra_fairness_set_capacity(w->account, 0, (double)nodes * NODE_GPUS);
	for (uint32_t i = 0; i < TENANTS; i++)
		astra_fairness_add_tenant(w->account, 0, 1 + i % 4);
	add_jobs(w);
	for (uint32_t i = 0; i < nodes; i++)
		astra_space_set(w->space, i,
				&(struct astra_room){.gpus = NODE_GPUS,
						     .cpus = 64,
						     .mem_mib = 1 << 19,
						     .whole = true});
	w->contest = (struct astra_contest){
		.now_sec = 5000,
		.lease_sec = 900,
		.gpus = astra_space_gpus(w->space),
		.candidates = w->candidates,
		.candidate_count = jobs,
		.tenants = w->tenants,
		.tenant_count = TENANTS,
	};
}

static void world_fini(struct world *w)
{
	astra_ltgf.destroy(w->policy);
	astra_space_destroy(w->space);
	astra_fairness_destroy(w->account);
	free(w->numbers);
	free(w->candidates);
	free(w->ranking.choices);
}

static void read_rhos(struct world *w)
{
	double now = w->contest.now_sec;

	for (uint32_t i = 0; i < TENANTS; i++)
		w->tenants[i] = (struct astra_contestant){
			.usage = astra_fairness_tenant(w->account, now, i),
			.quota = astra_fairness_quota(w->account, i),
			.entitled = true,
		};
	for (size_t i = 0; i < w->jobs; i++)
		w->candidates[i].rho = astra_rho(
			astra_fairness_job(w->account, now, w->numbers[i]),
			true);
}

/* Returns how many jobs were placed. */
static size_t place(struct world *w)
{
	struct astra_space *space = must(astra_space_copy(w->space));
	struct astra_share shares[64];
	size_t placed = 0;

	for (size_t i = 0; i < w->ranking.count; i++) {
		const struct astra_choice *c = &w->ranking.choices[i];
		const uint32_t gpus = w->candidates[c->candidate].gpus;
		const struct astra_request request = {
			.gpus = gpus, .cpus = 4 * gpus, .mem_gpu_mib = 1 << 15};
		size_t count;

		if (!c->granted)
			continue;
		count = astra_place(space, &request, NULL, 0, shares);
		for (size_t k = 0; k < count; k++)
			astra_space_take(space, &shares[k]);
		placed += count > 0;
	}
	astra_space_destroy(space);
	return placed;
}

/* The peers. */

static int compare_rhos(const void *a, const void *b)
{
	const struct astra_candidate *x = a, *y = b;

	if (x->rho != y->rho)
		return x->rho < y->rho ? -1 : 1;
	return x->job < y->job ? -1 : x->job > y->job;
}

static void sort_only(const struct world *w)
{
	size_t bytes = w->jobs * sizeof(*w->candidates);
	struct astra_candidate *copy = must(malloc(bytes));

	memcpy(copy, w->candidates, bytes);
	qsort(copy, w->jobs, sizeof(*copy), compare_rhos);
	free(copy);
}

/* The tenant with the smallest A/F among those with candidates left, then its
 * job with the smallest rho; one look at all candidates for each. */
static uint32_t scan(const struct world *w, const double *alloc,
		     const bool *gone)
{
	uint32_t best = ASTRA_NONE;
	double best_key = DBL_MAX;

	for (uint32_t i = 0; i < w->jobs; i++) {
		const struct astra_candidate *c = &w->candidates[i];
		double key;

		if (gone[i])
			continue;
		key = alloc[c->tenant] / w->tenants[c->tenant].usage.fair;
		if (best != ASTRA_NONE &&
		    (key > best_key ||
		     (key == best_key && c->rho >= w->candidates[best].rho)))
			continue;
		best = i;
		best_key = key;
	}
	return best;
}

static void rescan(const struct world *w)
{
	bool *gone = must(calloc(w->jobs, sizeof(*gone)));
	uint64_t gpus_free = w->contest.gpus;
	double alloc[TENANTS];
	uint32_t i;

	for (int t = 0; t < TENANTS; t++)
		alloc[t] = w->tenants[t].usage.alloc;
	while ((i = scan(w, alloc, gone)) != ASTRA_NONE) {
		const struct astra_candidate *c = &w->candidates[i];

		gone[i] = true;
		if (c->gpus > gpus_free)
			continue;
		gpus_free -= c->gpus;
		alloc[c->tenant] += c->gpus * w->contest.lease_sec;
	}
	free(gone);
}

static double lap(double *since)
{
	double now = bench_now_ms(), spent = now - *since;

	*since = now;
	return spent;
}

static struct sample run_once(struct world *w, size_t *placed)
{
	struct sample s = {0};
	double since = bench_now_ms();

	read_rhos(w);
	s.read = lap(&since);
	astra_ltgf.decide(w->policy, &w->contest, &w->ranking, NULL);
	s.rank = lap(&since);
	*placed = place(w);
	s.place = lap(&since);
	sort_only(w);
	s.sort = lap(&since);
	return s;
}

static double run_size(size_t jobs, size_t nodes)
{
	double read[REPEATS], rank[REPEATS], spot[REPEATS], sort[REPEATS];
	double round[REPEATS], all, peer, since;
	struct world w;
	size_t placed;

	world_init(&w, jobs, nodes);
	for (int i = 0; i < REPEATS; i++) {
		struct sample s = run_once(&w, &placed);

		read[i] = s.read;
		rank[i] = s.rank;
		spot[i] = s.place;
		sort[i] = s.sort;
		round[i] = s.read + s.rank + s.place;
	}
	all = bench_median(round, REPEATS);
	peer = bench_median(sort, REPEATS);
	printf("%7zu %6zu %7zu %8.2f %8.2f %8.2f %9.2f %8.2f %7.1f", jobs,
	       nodes, placed, bench_median(read, REPEATS),
	       bench_median(rank, REPEATS), bench_median(spot, REPEATS), all,
	       peer, all / peer);
	since = bench_now_ms();
	if (jobs <= RESCAN_MAX) {
		rescan(&w);
		peer = lap(&since);
		printf(" %9.1f %7.1f", peer, peer / all);
	}
	putchar('\n');
	world_fini(&w);
	return all;
}

int main(void)
{
	double jobs[SIZES], times[SIZES];

	srand(1);
	printf("one LTGF round in ms, medians of %d; peers: qsort() of the "
	       "candidates, and the\nliteral loop that scans all of them for "
	       "each choice\n\n"
	       "   jobs  nodes  placed     read     rank    place     round"
	       "    qsort     x=      scan      x=\n",
	       REPEATS);
	for (int i = 0; i < SIZES; i++) {
		jobs[i] = (double)sizes[i][0];
		times[i] = run_size(sizes[i][0], sizes[i][1]);
	}
	printf("\nround ~ jobs^%.2f (n log n over these sizes: %.2f)\n",
	       bench_exponent(jobs, times, SIZES),
	       1 + log(log(1e5) / log(1e3)) / log(100));
	return 0;
}
