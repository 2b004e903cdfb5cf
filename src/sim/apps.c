/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finish-time fairness of whole apps. */
#include <math.h>
#include <stdlib.h>

#include "src/sim/metrics.h"

struct app {
	struct astra_span span; /* from its first submission to its last end */
	double work_gpu_sec;
	double gpus;	  /* of all its jobs */
	double least_sec; /* until its last job could be through at best */
	bool done;	  /* all of them */
};

static void apps_join(struct app *app, const struct astra_sim_result *r,
		      size_t job)
{
	const struct astra_trace_job *t = &r->trace->jobs[job];
	double end_sec = r->jobs[job].end_sec;
	bool first = !(app->gpus > 0);

	if (first)
		app->span.begin_sec = t->submit_sec;
	app->done = (first || app->done) && end_sec >= 0;
	app->span.end_sec =
		fmax(app->span.end_sec, end_sec < 0 ? r->stop_sec : end_sec);
	app->work_gpu_sec += t->duration_sec * t->gpus;
	app->gpus += t->gpus;
	app->least_sec =
		fmax(app->least_sec,
		     t->submit_sec - app->span.begin_sec + t->duration_sec);
}

/* The apps of several jobs by number, then those of one. Returns how many. */
static size_t apps_gather(const struct astra_sim_result *r, struct app *apps)
{
	size_t count = r->trace->app_count;

	for (size_t i = 0; i < r->trace->job_count; i++) {
		uint32_t app = r->trace->jobs[i].app;

		apps_join(app ? &apps[app - 1] : &apps[count++], r, i);
	}
	return count;
}

static double ideal_sec(const struct astra_sim_result *r, const struct app *app,
			bool divisible)
{
	double sec = app->work_gpu_sec / fmin((double)r->gpus, app->gpus);

	return divisible ? sec : fmax(app->least_sec, sec);
}

/* Those that nothing is left of, as all their jobs were too large. */
static size_t drop_empty(struct app *apps, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (apps[i].gpus > 0)
			apps[kept++] = apps[i];
	return kept;
}

static int apps_collect(const struct astra_sim_result *r,
			const struct app *apps, const double *mean,
			size_t count, bool divisible, struct astra_sample *out)
{
	for (size_t i = 0; i < count; i++) {
		const struct astra_span *s = &apps[i].span;
		double rho = (s->end_sec - s->begin_sec) /
			     (mean[i] * ideal_sec(r, &apps[i], divisible));

		if (apps[i].done && astra_sample_add(out, rho) < 0)
			return -1;
	}
	return 0;
}

int astra_app_ftf(const struct astra_sim_result *r, bool divisible,
		  struct astra_sample *out)
{
	size_t room = r->trace->job_count + r->trace->app_count + 1, count = 0;
	struct app *apps = calloc(room, sizeof(*apps));
	struct astra_span *spans = calloc(room, sizeof(*spans));
	double *mean = calloc(room, sizeof(*mean));
	int rc = -1;

	if (apps && spans && mean) {
		count = drop_empty(apps, apps_gather(r, apps));
		for (size_t i = 0; i < count; i++)
			spans[i] = apps[i].span;
		rc = astra_spans_overlap(spans, count, mean);
	}
	if (!rc)
		rc = apps_collect(r, apps, mean, count, divisible, out);
	free(apps);
	free(spans);
	free(mean);
	return rc;
}
