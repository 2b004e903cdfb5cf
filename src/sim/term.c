/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sim/term.h"

#include <math.h>

#include "src/common/number.h"
#include "src/policies/options.h"
#include "src/policies/policy.h"

/* The simulation of a past whose work was all done may take this much longer
 * than the past. If it takes longer, the term loses too much time. */
#define DRAIN_TIMES 2
#define DRAIN_SEC 86400

/* A criterion of terms, and the distance from the best term that makes a
 * point. */
struct criterion {
	const char *key; /* of the metric */
	const char *name;
	size_t offset; /* in struct astra_term */
	double point;
	bool relative; /* relative to the best term */
};

static const struct criterion criteria[] = {
	{"job_loss", "job sharing loss", offsetof(struct astra_term, job_loss),
	 0.01, false},
	{"tenant_loss", "tenant sharing loss",
	 offsetof(struct astra_term, tenant_loss), 0.01, false},
	{"lost_share", "GPU time lost to overhead",
	 offsetof(struct astra_term, lost_share), 0.01, false},
	{"jct_mean_sec", "mean completion time",
	 offsetof(struct astra_term, jct_mean_sec), 0.05, true},
};

#define CRITERIA (sizeof(criteria) / sizeof(*criteria))

struct astra_term astra_term_of(double term_sec,
				const struct astra_metrics *metrics)
{
	return (struct astra_term){
		.term_sec = term_sec,
		.job_loss = metrics->job_loss,
		.tenant_loss = metrics->tenant_loss,
		.lost_share = metrics->lost_share,
		.jct_mean_sec = metrics->jct_mean_sec,
	};
}

static double term_value(const struct astra_term *term,
			 const struct criterion *criterion)
{
	return *(const double *)(const void *)((const char *)term +
					       criterion->offset);
}

static double term_points(const struct astra_term *terms, size_t count,
			  size_t index, const struct criterion *c)
{
	double best = HUGE_VAL, more;

	for (size_t i = 0; i < count; i++)
		best = fmin(best, term_value(&terms[i], c));
	more = term_value(&terms[index], c) - best;
	if (isnan(more) || (c->relative && !(best > 0)))
		return 0;
	return more / (c->relative ? best * c->point : c->point);
}

double astra_term_behind(const struct astra_term *terms, size_t count,
			 size_t index, const char **in)
{
	double most = -1;

	for (size_t i = 0; i < CRITERIA; i++) {
		double points = term_points(terms, count, index, &criteria[i]);

		if (!(points > most))
			continue;
		most = points;
		if (in)
			*in = criteria[i].name;
	}
	return most;
}

size_t astra_term_best(const struct astra_term *terms, size_t count)
{
	double least = HUGE_VAL;
	size_t best = 0;

	for (size_t i = 0; i < count; i++) {
		double points = astra_term_behind(terms, count, i, NULL);

		if (astra_compare(points, least) > 0)
			continue;
		least = points;
		best = i;
	}
	return best;
}

void astra_term_print(const struct astra_term *term, struct astra_text *out)
{
	char text[32];

	for (size_t i = 0; i < CRITERIA; i++)
		astra_text_printf(
			out, "%s%s %s", i ? ", " : "", criteria[i].name,
			astra_metric_text(astra_metric_find(criteria[i].key),
					  term_value(term, &criteria[i]),
					  text));
}

size_t astra_term_ladder(const struct astra_options *o,
			 double terms[ASTRA_TERM_RUNGS])
{
	double least = astra_auto_least_sec(o), most = astra_auto_most_sec(o);
	double step = fmax(2, pow(most / least, 1.0 / (ASTRA_TERM_RUNGS - 1)));
	size_t count = 0;

	for (double term = least;
	     count < ASTRA_TERM_RUNGS - 1 && round(term) < most; term *= step)
		terms[count++] = round(term);
	terms[count++] = most;
	return count;
}

/* Simulates the past under one term. Returns 0, or -1 with err set. */
static int term_try(const struct astra_term_past *past,
		    const struct astra_cluster *cluster,
		    const struct astra_options *options,
		    const struct astra_sim_options *sim, double term_sec,
		    struct astra_term *out, double *done,
		    struct astra_error *err)
{
	const struct astra_scheduler *scheduler =
		astra_scheduler_find(options->policy, err);
	struct astra_options own = *options;
	struct astra_sim_result result;
	struct astra_metrics metrics;
	int rc;

	own.lease_sec = term_sec;
	own.lease_said = true;
	own.lease_auto = false;
	/* The work that was done in the past was within the caps. */
	own.cap_hours = own.cap_user_hours = -1;
	own.cap_tenants.count = 0;
	if (!scheduler || astra_simulate(past->trace, cluster, scheduler, &own,
					 sim, &result, err) < 0)
		return -1;
	rc = astra_contention(&result) < 0 ||
			     astra_metrics_compute(&result, &metrics) < 0
		     ? astra_error_nomem(err)
		     : 0;
	if (!rc) {
		*out = astra_term_of(term_sec, &metrics);
		*done = metrics.done;
	}
	astra_sim_result_clear(&result);
	return rc;
}

/* Lists the terms to try: those of the ladder, and the present term. least_sec:
 * shorter terms of the ladder are skipped, except its longest. Returns their
 * count. */
static size_t term_list(const struct astra_options *o, double present_sec,
			double least_sec, double terms[ASTRA_TERM_RUNGS + 1],
			size_t *present)
{
	double ladder[ASTRA_TERM_RUNGS];
	size_t rungs = astra_term_ladder(o, ladder), count = 0;

	*present = SIZE_MAX;
	for (size_t i = 0; i < rungs; i++) {
		if (*present == SIZE_MAX && present_sec <= ladder[i]) {
			*present = count;
			terms[count++] = present_sec;
		}
		if ((ladder[i] > present_sec || ladder[i] < present_sec) &&
		    (ladder[i] >= least_sec || i + 1 == rungs))
			terms[count++] = ladder[i];
	}
	return count;
}

/* Rules out terms that leave more jobs undone than another term: their figures
 * miss these jobs. */
static void term_mark_undone(struct astra_term *terms, const double *done,
			     size_t count)
{
	double most = 0;

	for (size_t i = 0; i < count; i++)
		most = fmax(most, done[i]);
	for (size_t i = 0; i < count; i++)
		if (done[i] < most)
			terms[i].jct_mean_sec = HUGE_VAL;
}

static void term_decide(const struct astra_term *terms, size_t count,
			size_t present, struct astra_term_choice *out)
{
	size_t best = astra_term_best(terms, count);

	out->before = terms[present];
	out->before_points = astra_term_behind(terms, count, present, NULL);
	out->after_points = astra_term_behind(terms, count, best, NULL);
	if (out->before_points - out->after_points > ASTRA_TERM_BAND) {
		out->verdict = ASTRA_TERM_CHANGED;
	} else {
		out->verdict = ASTRA_TERM_KEPT;
		out->after_points = out->before_points;
		best = present;
	}
	out->after = terms[best];
	out->term_sec = terms[best].term_sec;
}

int astra_term_choose(const struct astra_term_past *past,
		      const struct astra_cluster *cluster,
		      const struct astra_options *options,
		      const struct astra_sim_options *sim,
		      struct astra_term_choice *out, struct astra_error *err)
{
	struct astra_sim_options own = *sim;
	double list[ASTRA_TERM_RUNGS + 1];
	struct astra_term terms[ASTRA_TERM_RUNGS + 1];
	double done[ASTRA_TERM_RUNGS + 1];
	size_t present, count;
	double now_sec = astra_auto_bound(options, options->lease_sec);

	*out = (struct astra_term_choice){
		.verdict = ASTRA_TERM_FEW,
		.before_sec = options->lease_sec,
		.term_sec = now_sec,
		.jobs = past->trace->job_count,
	};
	if (past->ended < ASTRA_TERM_JOBS_LEAST ||
	    (past->span_sec < ASTRA_TERM_SPAN_SEC &&
	     past->trace->job_count < ASTRA_TERM_JOBS_MOST))
		return 0;
	own.begin = NULL;
	own.runs = false;
	own.progress = NULL;
	own.until_sec = DRAIN_TIMES * past->span_sec + DRAIN_SEC;
	own.lies = (struct astra_lies){0};
	count = term_list(options, now_sec,
			  ASTRA_TERM_COSTS *
				  (sim->checkpoint_sec + sim->cold_start_sec),
			  list, &present);
	for (size_t i = 0; i < count; i++)
		if (term_try(past, cluster, options, &own, list[i], &terms[i],
			     &done[i], err) < 0)
			return -1;
	term_mark_undone(terms, done, count);
	term_decide(terms, count, present, out);
	return 0;
}

void astra_term_tell(const struct astra_term_choice *c, struct astra_text *out)
{
	char before[32], after[32];

	astra_print_time(c->before_sec, before, sizeof(before));
	astra_print_time(c->term_sec, after, sizeof(after));
	if (c->verdict == ASTRA_TERM_FEW) {
		astra_text_printf(out,
				  "LeaseTerm=auto keeps %s: fewer than %d jobs "
				  "have ended, or in less than a day",
				  after, ASTRA_TERM_JOBS_LEAST);
		return;
	}
	if (c->verdict == ASTRA_TERM_CHANGED)
		astra_text_printf(
			out, "LeaseTerm=auto takes %s instead of %s: ", after,
			before);
	else
		astra_text_printf(out, "LeaseTerm=auto keeps %s: ", after);
	astra_text_printf(out, "simulations of the last %zu jobs say ",
			  c->jobs);
	astra_term_print(&c->after, out);
	astra_text_printf(out, ", %.1f points behind the best",
			  c->after_points);
	if (c->verdict == ASTRA_TERM_CHANGED) {
		astra_text_printf(out, "; with %s ", before);
		astra_term_print(&c->before, out);
		astra_text_printf(out, ", %.1f points behind",
				  c->before_points);
	}
}
