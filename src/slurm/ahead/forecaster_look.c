/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "src/common/clock.h"
#include "src/slurm/ahead/forecaster_priv.h"

#define PASS_CPU_SEC 2 /* CPU time of one pass */
#define HORIZON_SEC (14 * 86400.0)
#define CHECKPOINT_PART 0.5 /* of their grace, which jobs take on average */
#define MARGIN_PART 0.1	    /* part of a wait by which the bounds are widened */

/* What ends a pass. */
struct bound {
	const atomic_bool *stop;
	double cpu_sec;
};

static bool forecaster_look_go_on(void *arg)
{
	const struct bound *bound = arg;

	return !atomic_load(bound->stop) &&
	       astra_now_sec(CLOCK_THREAD_CPUTIME_ID) < bound->cpu_sec;
}

static int forecaster_look_one_pass(const struct look *look, int kind,
				    const atomic_bool *stop, double *start_sec,
				    double *until_sec)
{
	struct bound bound = {stop, astra_now_sec(CLOCK_THREAD_CPUTIME_ID) +
					    PASS_CPU_SEC};
	struct astra_error err = {""};
	struct astra_foresee q = {
		.options = &look->options,
		.image = look->image.data,
		.image_size = look->image.size,
		.snapshot = &look->snapshot,
		.guesses = look->guesses[kind],
		.releases = look->releases[kind],
		.release_count = look->release_count[kind],
		.horizon_sec = HORIZON_SEC,
		.checkpoint_part = CHECKPOINT_PART,
		.go_on = forecaster_look_go_on,
		.arg = &bound,
	};
	int rc = astra_foresee(&q, start_sec, until_sec, &err);

	if (rc < 0)
		debug("astraea: pool %s: nothing is foreseen: %s", look->pool,
		      err.text);
	return rc;
}

double astra_look_past(const struct astra_pause *pause, double sec)
{
	return pause->from_sec > 0 && sec >= pause->from_sec
		       ? sec + pause->until_sec - pause->from_sec
		       : sec;
}

static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return (x->job > y->job) - (x->job < y->job);
}

static double forecaster_look_least(double a, double b)
{
	return !(a > 0) ? b : !(b > 0) ? a : fmin(a, b);
}

/* Widen a bound, since unknown properties of the cluster also change a
 * start. */
static double wider(const struct look *look, double sec, double by_sec)
{
	double wait = sec - look->snapshot.now_sec;

	return sec > 0 ? sec + copysign(MARGIN_PART * wait, by_sec) + by_sec
		       : 0;
}

/* Merge the passes. If one job runs longer, another may start earlier, so the
 * bounds are the extremes of all three passes. If one pass did not reach the
 * start, there is no upper bound. */
static struct astra_forecast_time
forecaster_look_merge(const struct look *look,
		      const double *starts[ASTRA_GUESSES], size_t i,
		      double until_sec)
{
	double early = starts[ASTRA_GUESS_EARLY][i];
	double likely = starts[ASTRA_GUESS_LIKELY][i];
	double late = starts[ASTRA_GUESS_LATE][i];

	double first = forecaster_look_least(
		early, forecaster_look_least(likely, late));
	double last = early > 0 && likely > 0 && late > 0
			      ? fmax(early, fmax(likely, late))
			      : 0;

	return (struct astra_forecast_time){
		.made_sec = look->snapshot.now_sec,
		.start_sec = likely,
		.early_sec = fmax(wider(look, first, -1), 0),
		.late_sec = wider(look, last, look->options.round_sec),
		.until_sec = until_sec,
	};
}

static struct table
forecaster_look_make_table(const struct look *look,
			   const double *starts[ASTRA_GUESSES],
			   double until_sec)
{
	struct table t = {0};

	snprintf(t.pool, sizeof(t.pool), "%s", look->pool);
	t.entries = calloc(look->snapshot.job_count + 1, sizeof(*t.entries));
	for (size_t i = 0; t.entries && i < look->snapshot.job_count; i++) {
		const struct astra_job *job = &look->snapshot.jobs[i];

		if (job->state != ASTRA_JOB_PENDING &&
		    job->state != ASTRA_JOB_REQUEUED)
			continue;
		t.entries[t.count++] = (struct entry){
			.job = job->id,
			.time = forecaster_look_merge(look, starts, i,
						      until_sec),
		};
	}
	if (t.entries)
		qsort(t.entries, t.count, sizeof(*t.entries), compare_entries);
	return t;
}

int astra_look_ahead(const struct look *look, const atomic_bool *stop,
		     struct table *out)
{
	size_t count = look->snapshot.job_count;
	double *all = calloc(ASTRA_GUESSES * (count + 1), sizeof(*all));
	const double *starts[ASTRA_GUESSES];
	double until = HUGE_VAL;
	int rc = all ? 0 : -1;

	for (int kind = 0; !rc && kind < ASTRA_GUESSES; kind++) {
		double *own = all + (size_t)kind * (count + 1), to = 0;

		starts[kind] = own;
		rc = forecaster_look_one_pass(look, kind, stop, own, &to);
		for (size_t i = 0; i < count; i++)
			own[i] = astra_look_past(&look->pause, own[i]);
		until = fmin(until, to);
	}
	if (atomic_load(stop))
		rc = -1;
	if (!rc)
		*out = forecaster_look_make_table(look, starts, until);
	free(all);
	return rc;
}

void astra_look_free(struct look *look)
{
	if (!look)
		return;
	astra_bytes_clear(&look->image);
	astra_arena_free(&look->arena);
	for (int i = 0; i < ASTRA_GUESSES; i++) {
		free(look->guesses[i]);
		free(look->releases[i]);
	}
	free(look);
}

const struct entry *astra_look_find(const struct table *table, uint32_t job)
{
	const struct entry key = {.job = job};

	if (!table || !table->count)
		return NULL;
	return bsearch(&key, table->entries, table->count, sizeof(key),
		       compare_entries);
}
