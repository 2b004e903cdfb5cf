/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policies/themis/phase.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/number.h"

/* The limit of the search, in looks at a job. This takes some milliseconds, and
 * suffices for some 20 jobs whose work has nothing in common. */
#define LOOKS 4000000
#define JOBS 256

/* A search for a schedule with a makespan below `best`. */
struct search {
	const double *work;
	size_t count;
	uint32_t gpus;
	uint32_t gpu_of[JOBS]; /* its GPU, from gpus down to 1; 0: not placed */
	double unplaced;       /* work of the jobs not placed yet */
	double best, limit, bound;
	bool found;
	uint64_t looks;
};

/* Returns a lower bound of the makespan: the mean load, or more. Of the j *
 * gpus + 1 largest jobs, some GPU has at least j + 1. Its load is at least that
 * of the j + 1 shortest of these jobs. */
static double lower_bound(const double *work, size_t count, uint32_t gpus)
{
	double sum = 0, bound = 0;

	for (size_t i = 0; i < count; i++)
		sum += work[i];
	bound = sum / gpus;
	for (size_t last = 0, jobs = 1; last < count; last += gpus, jobs++) {
		double these = 0;

		for (size_t i = 0; i < jobs; i++)
			these += work[last - i];
		bound = fmax(bound, these);
	}
	return bound;
}

/* Places the longest job first, each on the GPU with the least load. Returns
 * the makespan. */
static double longest_first(const struct search *s, double *load)
{
	double makespan = 0;

	for (uint32_t g = 0; g < s->gpus; g++)
		load[g] = 0;
	for (size_t i = 0; i < s->count; i++) {
		uint32_t least = 0;

		for (uint32_t g = 1; g < s->gpus; g++)
			if (load[g] < load[least])
				least = g;
		load[least] += s->work[i];
		makespan = fmax(makespan, load[least]);
	}
	return makespan;
}

static bool over(const struct search *s)
{
	return s->found || s->looks >= LOOKS;
}

/* Returns the makespan below which a schedule is better than `best`, not tied
 * with it. */
static double partition_limit(double best)
{
	return best - ASTRA_TIE * fmax(1, best);
}

static void partition_place(struct search *s, size_t job, uint32_t gpu)
{
	s->gpu_of[job] = gpu;
	s->unplaced -= s->work[job];
	s->looks += s->count;
}

static void unplace(struct search *s, size_t job)
{
	s->gpu_of[job] = 0;
	s->unplaced += s->work[job];
}

/* Whether an unplaced job would fit on this GPU in addition to its jobs, or in
 * place of a shorter one. Then a schedule with that job there is as good, and
 * this one can be skipped. (Martello and Toth) */
static bool dominated(const struct search *s, uint32_t gpu, double load)
{
	double longer = HUGE_VAL;

	for (size_t i = 0; i < s->count; i++) {
		if (!s->gpu_of[i])
			longer = s->work[i];
		else if (s->gpu_of[i] == gpu && longer > s->work[i] &&
			 load - s->work[i] + longer < s->limit)
			return true;
	}
	return load + longer < s->limit;
}

static void partition_fill(struct search *s, uint32_t gpu, size_t from,
			   double load, double makespan);

/* Distributes the jobs not yet placed over the last `gpus` GPUs. The longest of
 * them has to go on one of these, so places it first. (Korf's sequential
 * partitioning.) */
static void next_gpu(struct search *s, uint32_t gpus, double makespan)
{
	size_t first = 0;

	while (first < s->count && s->gpu_of[first])
		first++;
	if (first == s->count || !gpus) {
		s->best = makespan;
		s->found = true;
		return;
	}
	partition_place(s, first, gpus);
	partition_fill(s, gpus, first + 1, s->work[first],
		       fmax(makespan, s->work[first]));
	unplace(s, first);
}

/* Adds to a GPU some of the unplaced jobs from index `from` on. The GPUs after
 * it must be able to do the remaining jobs before `best`. */
static void partition_fill(struct search *s, uint32_t gpu, size_t from,
			   double load, double makespan)
{
	double others = (gpu - 1) * s->best + ASTRA_TIE * s->bound;
	double tried = -1, rest = 0;

	for (size_t i = from; i < s->count; i++)
		rest += s->gpu_of[i] ? 0 : s->work[i];
	for (size_t i = from; i < s->count && !over(s); i++) {
		double work = s->work[i];

		if (s->gpu_of[i])
			continue;
		if (s->unplaced - rest > others)
			return;
		rest -= work;
		if (work == tried || load + work >= s->limit)
			continue;
		tried = work;
		partition_place(s, i, gpu);
		partition_fill(s, gpu, i + 1, load + work, makespan);
		unplace(s, i);
	}
	if (!over(s) && s->unplaced <= others && !dominated(s, gpu, load))
		next_gpu(s, gpu - 1, fmax(makespan, load));
}

double astra_themis_makespan(const double *work, size_t count, uint32_t gpus,
			     double *load)
{
	struct search s = {
		.work = work,
		.count = count,
		.gpus = gpus,
		.bound = lower_bound(work, count, gpus),
	};

	s.best = longest_first(&s, load);
	s.found = count <= JOBS;
	while (s.found && s.looks < LOOKS &&
	       astra_compare(s.best, s.bound) > 0) {
		s.found = false;
		s.limit = partition_limit(s.best);
		s.unplaced = 0;
		for (size_t i = 0; i < count; i++)
			s.unplaced += work[i];
		next_gpu(&s, gpus, 0);
	}
	return s.best;
}

static void add_fluid(const struct astra_themis_phase *phase, uint32_t from,
		      uint32_t to, const struct astra_themis_pace *paces,
		      double *seconds)
{
	double sum = phase->more_sec, most = 0;

	for (uint32_t i = 0; i < phase->job_count; i++) {
		sum += phase->work_sec[i];
		most = fmax(most, phase->work_sec[i]);
	}
	for (uint32_t k = from; k <= to; k++) {
		double d = k < phase->job_gpus_max ? k : phase->job_gpus_max;
		double gpus = k;

		if (paces) {
			gpus = paces[k - from].gpus;
			d = paces[k - from].fastest;
		}
		if (most > 0)
			seconds[k - from] += fmax(sum / gpus, most / d);
	}
}

static int longer_first(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x > y ? -1 : x < y;
}

double astra_themis_mean_slowdown(const struct astra_themis_phase *phase,
				  uint32_t k,
				  const struct astra_themis_pace *pace)
{
	double most = ((double)phase->job_count + phase->more_jobs) *
		      phase->job_gpus_max;

	return fmin(k, most) / pace->gpus;
}

static double slowdown_at(const struct astra_themis_phase *phase,
			  const struct astra_themis_pace *paces, uint32_t from,
			  uint32_t k)
{
	if (!paces)
		return 1;
	return astra_themis_mean_slowdown(phase, k, &paces[k - from]);
}

/* Adds the seconds of a phase if there is a GPU for each job. Each job gets one
 * GPU. Then GPUs are given one by one to the job that ends last, as long as it
 * can use more. gpus: scratch, one number for each job. */
static void add_bundles(const struct astra_themis_phase *phase,
			const double *work, uint32_t from, uint32_t to,
			const struct astra_themis_pace *paces, uint32_t *gpus,
			double *seconds)
{
	uint32_t last = 0;

	for (uint32_t i = 0; i < phase->job_count; i++)
		gpus[i] = 1;
	for (uint32_t k = phase->job_count; k <= to; k++) {
		for (uint32_t i = 0; i < phase->job_count; i++)
			if (work[i] / gpus[i] > work[last] / gpus[last])
				last = i;
		if (k >= from)
			seconds[k - from] +=
				slowdown_at(phase, paces, from, k) *
				(work[last] / gpus[last]);
		if (gpus[last] < phase->job_gpus_max)
			gpus[last]++;
	}
}

static int add_rigid(const struct astra_themis_phase *phase, uint32_t from,
		     uint32_t to, const struct astra_themis_pace *paces,
		     double *seconds)
{
	uint32_t count = phase->job_count;
	uint32_t queued = to < count ? to + 1 : count;
	double *work = malloc((2 * sizeof(*work) + sizeof(uint32_t)) * count);
	double *load = work + count, makespan, least = HUGE_VAL;

	if (!work)
		return -1;
	memcpy(work, phase->work_sec, count * sizeof(*work));
	qsort(work, count, sizeof(*work), longer_first);
	for (uint32_t k = from; k < queued; k++) {
		makespan = astra_themis_makespan(work, count, k, load);
		least = fmin(least, makespan);
		seconds[k - from] += least * slowdown_at(phase, paces, from, k);
	}
	add_bundles(phase, work, from, to, paces, (uint32_t *)(load + count),
		    seconds);
	free(work);
	return 0;
}

int astra_themis_phase_add(const struct astra_themis_phase *phase, bool rigid,
			   uint32_t from, uint32_t to,
			   const struct astra_themis_pace *paces,
			   double *seconds)
{
	if (!phase->job_count)
		return 0;
	if (rigid)
		return add_rigid(phase, from, to, paces, seconds);
	add_fluid(phase, from, to, paces, seconds);
	return 0;
}

double astra_themis_median(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), longer_first);
	return (values[(count - 1) / 2] + values[count / 2]) / 2;
}
