/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/agent/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"

#define C_MIN 0.05
#define C_MAX 4.0
#define C_STEPS 24
#define POINTS_LEAST 3
#define REFINEMENTS 40

struct sample {
	const struct agent_point *points;
	size_t count;
	double last;
};

/* Computes a, b and the error for a given c, and returns the mean square of the
 * residuals. n is in units of the last iteration, so that n^-c is 1 at that
 * iteration. */
static double fit_solve(const struct sample *s, double c, struct agent_fit *fit)
{
	double n = (double)s->count, x_mean = 0, y_mean = 0, xx = 0, xy = 0,
	       rest = 0;

	for (size_t i = 0; i < s->count; i++) {
		x_mean += pow(s->points[i].done / s->last, -c) / n;
		y_mean += s->points[i].loss / n;
	}
	for (size_t i = 0; i < s->count; i++) {
		double x = pow(s->points[i].done / s->last, -c) - x_mean;

		xx += x * x;
		xy += x * (s->points[i].loss - y_mean);
	}
	fit->c = c;
	fit->b = xx > 0 && xy > 0 ? xy / xx : 0;
	fit->a = y_mean - fit->b * x_mean;
	for (size_t i = 0; i < s->count; i++) {
		double x = pow(s->points[i].done / s->last, -c);
		double d = s->points[i].loss - fit->a - fit->b * x;

		rest += d * d / n;
	}
	fit->error = sqrt(rest);
	return rest;
}

static double c_of(int step)
{
	return C_MIN * pow(C_MAX / C_MIN, (double)step / C_STEPS);
}

/* Finds the best c between two values, by golden section search. */
static void refine(const struct sample *s, double low, double high,
		   struct agent_fit *fit)
{
	const double part = (sqrt(5) - 1) / 2;
	struct agent_fit tried = *fit;
	double x = high - part * (high - low), y = low + part * (high - low);
	double at_x = fit_solve(s, x, &tried), at_y = fit_solve(s, y, &tried);

	for (int i = 0; i < REFINEMENTS; i++) {
		if (at_x <= at_y) {
			high = y;
			y = x;
			at_y = at_x;
			x = high - part * (high - low);
			at_x = fit_solve(s, x, &tried);
		} else {
			low = x;
			x = y;
			at_x = at_y;
			y = low + part * (high - low);
			at_y = fit_solve(s, y, &tried);
		}
	}
	(void)fit_solve(s, (low + high) / 2, fit);
}

bool agent_fit_curve(struct agent_fit *fit, const struct agent_point *points,
		     size_t count)
{
	struct sample s = {points, count, 0};
	double least = HUGE_VAL;
	int best = 0;

	while (s.count && !(s.points->done > 0)) {
		s.points++;
		s.count--;
	}
	if (s.count < POINTS_LEAST)
		return false;
	s.last = s.points[s.count - 1].done;
	for (int step = 0; step <= C_STEPS; step++) {
		double rest = fit_solve(&s, c_of(step), fit);

		if (rest < least) {
			least = rest;
			best = step;
		}
	}
	refine(&s, c_of(best > 0 ? best - 1 : 0),
	       c_of(best < C_STEPS ? best + 1 : C_STEPS), fit);
	fit->last = s.last;
	return true;
}

double agent_fit_loss(const struct agent_fit *fit, double iteration)
{
	return fit->a + fit->b * pow(iteration / fit->last, -fit->c);
}

double agent_fit_reaches(const struct agent_fit *fit, double loss)
{
	if (!(loss > fit->a) || !(fit->b > 0))
		return loss >= fit->a ? 0 : HUGE_VAL;
	return fit->last * pow((loss - fit->a) / fit->b, -1 / fit->c);
}

static int compare_records(const void *a, const void *b)
{
	const struct agent_record *x = a, *y = b;

	return x->job < y->job ? -1 : x->job > y->job;
}

static struct agent_record *memory_find(const struct agent_memory *memory,
					size_t count, uint32_t job)
{
	const struct agent_record key = {.job = job};

	return count ? bsearch(&key, memory->records, count, sizeof(key),
			       compare_records)
		     : NULL;
}

struct agent_record *agent_memory_find(const struct agent_memory *memory,
				       uint32_t job)
{
	return memory_find(memory, memory->count, job);
}

/* Keeps every second point, beginning with the first. */
static void thin(struct agent_record *r)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->count; i += 2)
		r->points[kept++] = r->points[i];
	r->count = kept;
	r->spacing = 2 * (r->points[kept - 1].done - r->points[0].done) /
		     AGENT_POINTS_MAX;
}

/* Adds a point. Skips it if the job repeats iterations after a requeue, or if
 * the point is too close to the last one. */
static int add_point(struct agent_record *r, double done, double loss)
{
	if (!isfinite(loss))
		return 0;
	if (r->count && !(done > r->points[r->count - 1].done &&
			  done >= r->points[r->count - 1].done + r->spacing))
		return 0;
	if (r->count == AGENT_POINTS_MAX)
		thin(r);
	if (astra_grow(&r->points, &r->room, r->count + 1, sizeof(*r->points)) <
	    0)
		return -1;
	r->points[r->count++] = (struct agent_point){done, loss};
	return 0;
}

static int see_job(struct agent_memory *memory, struct agent_record *r,
		   const struct agent_job *job)
{
	r->listed = true;
	r->copies = job->copies; /* tasks that were split off have records of
				  * their own */
	r->done = fmax(r->done, job->done);
	if (job->iter_sec > 0)
		r->gpu_sec = job->iter_sec * job->gpus;
	r->best = fmin(r->best, job->loss);
	memory->best = fmin(memory->best, job->loss);
	return add_point(r, job->done, job->loss);
}

/* Drops the records of ended jobs; their GPU time stays in the sums. */
static void memory_forget(struct agent_memory *memory)
{
	size_t kept = 0;

	for (size_t i = 0; i < memory->count; i++) {
		struct agent_record *r = &memory->records[i];

		if (r->listed) {
			memory->records[kept++] = *r;
			continue;
		}
		memory->forgotten_sec += r->done * r->gpu_sec;
		memory->forgotten += r->copies;
		free(r->points);
	}
	memory->count = kept;
}

static int see_jobs(struct agent_memory *memory,
		    const struct agent_offer *offer)
{
	size_t known = memory->count;

	for (size_t i = 0; i < offer->job_count; i++) {
		const struct agent_job *job = &offer->jobs[i];
		struct agent_record *r = memory_find(memory, known, job->id);

		if (!r) {
			r = &memory->records[memory->count++];
			*r = (struct agent_record){.job = job->id,
						   .best = (double)NAN};
		}
		if (see_job(memory, r, job) < 0)
			return -1;
	}
	if (memory->count)
		qsort(memory->records, memory->count, sizeof(*memory->records),
		      compare_records);
	return 0;
}

int agent_memory_see(struct agent_memory *memory,
		     const struct agent_offer *offer, struct astra_error *err)
{
	uint32_t jobs = 0;
	size_t need;

	if (!memory->begun)
		memory->best = memory->rung = (double)NAN;
	memory->begun = true;
	for (size_t i = 0; i < memory->count; i++)
		memory->records[i].listed = false;
	need = memory->count + offer->job_count + 1;
	if (astra_grow(&memory->records, &memory->room, need,
		       sizeof(*memory->records)) < 0 ||
	    see_jobs(memory, offer) < 0)
		return astra_error_nomem(err);
	if (memory->count > AGENT_JOBS_MAX)
		memory_forget(memory);
	for (size_t i = 0; i < memory->count; i++)
		jobs += memory->records[i].copies;
	if (jobs + memory->forgotten > memory->jobs)
		memory->jobs = jobs + memory->forgotten;
	if (offer->gpus_max > memory->gpus)
		memory->gpus = offer->gpus_max;
	return 0;
}

double agent_memory_spent(const struct agent_memory *memory)
{
	double sum = memory->forgotten_sec;

	for (size_t i = 0; i < memory->count; i++)
		sum += memory->records[i].done * memory->records[i].gpu_sec;
	return sum;
}

double agent_record_loss(const struct agent_record *record, double iteration)
{
	for (size_t i = 0; i < record->count; i++)
		if (record->points[i].done >= iteration)
			return record->points[i].loss;
	return (double)NAN;
}

void agent_record_stop(struct agent_record *record)
{
	record->stopped = true;
	record->stop_sec = -HUGE_VAL;
}

void agent_memory_clear(struct agent_memory *memory)
{
	for (size_t i = 0; i < memory->count; i++)
		free(memory->records[i].points);
	free(memory->records);
	*memory = (struct agent_memory){0};
}
