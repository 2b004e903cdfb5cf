/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Performance curve stopping: a curve is fitted to each job's losses. It
 * forecasts the job's final loss and the iterations to the target loss. A job
 * is given up if it will end worse than the best loss of any job so far: if its
 * forecast, less twice the curve's error, is above that loss plus a margin. A
 * job is also given up if another has reached the target.
 * (Themis, section 5.2; Domhan et al., IJCAI'15)
 *
 * The app is one phase: the remaining work of its jobs. A job without a
 * forecast is taken to run as long as the longest job with one. */
#include <math.h>
#include <stdlib.h>

#include "src/agent/scheduler.h"
#include "src/agent/work.h"

/* Fit a curve again once the iterations are this many times those of the last
 * fit. */
#define REFIT 1.1
/* A curve is fitted only if the last iteration is this many times the first
 * one. */
#define SPAN 2
#define ERRORS 2

static void curve_fit(struct agent_record *r, const struct agent_settings *s)
{
	double first, last;
	struct agent_fit fitted;

	if (r->count < s->points)
		return;
	first = r->points[0].done;
	last = r->points[r->count - 1].done;
	if (last < SPAN * first || last < REFIT * r->fit.last)
		return;
	if (agent_fit_curve(&fitted, r->points, r->count))
		r->fit = fitted;
}

static double total_of(const struct agent_job *job,
		       const struct agent_settings *s, double longest)
{
	if (s->total > 0)
		return s->total;
	return job->total > 0 ? job->total : longest;
}

/* Returns the iteration at which a job ends: its total, or an earlier one at
 * which it reaches the target loss. NAN if it is not known. */
static double curve_end_of(const struct agent_record *r,
			   const struct agent_settings *s, double total)
{
	double at;

	if (isnan(s->target))
		return total > 0 ? total : (double)NAN;
	if (!(r->fit.last > 0))
		return (double)NAN;
	at = agent_fit_reaches(&r->fit, s->target);
	if (total > 0)
		at = fmin(at, total);
	return isinf(at) ? (double)NAN : at;
}

/* Returns a job's final loss by its curve; -infinite if it is not known. */
static double forecast(const struct agent_record *r, double total)
{
	if (!(r->fit.last > 0) || !(total > 0))
		return -HUGE_VAL;
	return agent_fit_loss(&r->fit, fmax(total, r->fit.last));
}

static bool hopeless(const struct agent_record *r,
		     const struct agent_settings *s,
		     const struct agent_memory *memory, double total)
{
	return forecast(r, total) - ERRORS * r->fit.error >
	       memory->best + s->margin * fabs(memory->best);
}

/* Whether some job has reached the target loss, which ends the search for all
 * other jobs. */
static bool curve_found(const struct agent_memory *memory,
			const struct agent_settings *s)
{
	return !isnan(s->target) && memory->best <= s->target;
}

/* Returns the live job with the least loss; it is never given up. NULL if no
 * live job has a loss. */
static const struct agent_record *leader(const struct agent_memory *memory)
{
	const struct agent_record *best = NULL;

	for (size_t i = 0; i < memory->count; i++) {
		const struct agent_record *r = &memory->records[i];

		if (agent_record_lives(r) && !isnan(r->best) &&
		    (!best || r->best < best->best))
			best = r;
	}
	return best;
}

static void stop_jobs(const struct agent_settings *s,
		      struct agent_memory *memory,
		      const struct agent_offer *offer)
{
	double longest = agent_longest_total(offer);
	const struct agent_record *first = leader(memory);
	bool over = curve_found(memory, s);

	for (size_t i = 0; i < offer->job_count; i++) {
		const struct agent_job *job = &offer->jobs[i];
		struct agent_record *r = agent_memory_find(memory, job->id);

		if (!agent_record_lives(r))
			continue;
		curve_fit(r, s);
		if (over ? !(r->best <= s->target)
			 : r != first && hopeless(r, s, memory,
						  total_of(job, s, longest)))
			agent_record_stop(r);
	}
}

/* Returns the latest known end among the live jobs, in iterations; 0 if none is
 * known. */
static double longest_end(const struct agent_settings *s,
			  const struct agent_memory *memory,
			  const struct agent_offer *offer)
{
	double total = agent_longest_total(offer), longest = 0;

	for (size_t i = 0; i < offer->job_count; i++) {
		const struct agent_job *job = &offer->jobs[i];
		const struct agent_record *r =
			agent_memory_find(memory, job->id);
		double end = curve_end_of(r, s, total_of(job, s, total));

		if (agent_record_lives(r))
			longest = fmax(longest, end);
	}
	return longest;
}

static void curve_add_jobs(struct agent_work *work,
			   const struct agent_settings *s,
			   const struct agent_memory *memory,
			   const struct agent_offer *offer, double median_sec,
			   double longest)
{
	double most = agent_longest_total(offer);

	for (size_t i = 0; i < offer->job_count; i++) {
		const struct agent_job *job = &offer->jobs[i];
		const struct agent_record *r =
			agent_memory_find(memory, job->id);
		double total = total_of(job, s, most);
		double end = curve_end_of(r, s, total);

		if (isnan(end))
			end = total > 0 ? fmin(longest, total) : longest;
		if (agent_record_lives(r))
			agent_work_add(work,
				       fmax(0, end - job->done) *
					       agent_job_gpu_sec(memory, job,
								 median_sec),
				       job->copies);
	}
}

/* Orders the live jobs: first those without a forecast, then the others by
 * their forecast loss. */
static int curve_order_jobs(const struct agent_settings *s,
			    const struct agent_memory *memory,
			    const struct agent_offer *offer,
			    struct agent_bid *bid, struct astra_error *err)
{
	struct agent_turn *turns =
		malloc((offer->job_count + 1) * sizeof(*turns));
	double longest = agent_longest_total(offer);
	size_t count = 0;

	if (!turns)
		return astra_error_nomem(err);
	for (size_t i = 0; i < offer->job_count; i++) {
		const struct agent_job *job = &offer->jobs[i];
		const struct agent_record *r =
			agent_memory_find(memory, job->id);
		double total = total_of(job, s, longest);

		if (agent_record_lives(r))
			turns[count++] = (struct agent_turn){
				job->id, forecast(r, total), job->done};
	}
	agent_bid_order(bid, turns, count);
	free(turns);
	return 0;
}

static int curve_decide(const struct agent_settings *settings,
			struct agent_memory *memory,
			const struct agent_offer *offer, struct agent_bid *bid,
			struct astra_error *err)
{
	double median_sec = agent_median_gpu_sec(memory, offer), longest;
	struct agent_work work;
	int rc;

	if (median_sec < 0)
		return astra_error_nomem(err);
	stop_jobs(settings, memory, offer);
	if (curve_order_jobs(settings, memory, offer, bid, err) < 0)
		return -1;
	longest = longest_end(settings, memory, offer);
	if (!(median_sec > 0) || !(longest > 0))
		return agent_left_bid(offer, bid, err);
	agent_work_init(&work, offer);
	agent_work_phase(&work);
	curve_add_jobs(&work, settings, memory, offer, median_sec, longest);
	rc = agent_work_bid(&work, memory, offer, bid, err);
	agent_work_destroy(&work);
	return rc;
}

const struct agent_scheduler agent_curve = {
	.name = "curve",
	.keys = {"target", "margin", "points", "total"},
	.decide = curve_decide,
};
