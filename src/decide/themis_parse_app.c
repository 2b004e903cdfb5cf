/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/decide/decide_themis.h"

/* Iterations, seconds, GPU-seconds: their product and sums stay finite. */
#define AMOUNT_MAX 1e15
#define NAVG_MAX 1e9
/* A makespan of whole GPUs is a matter of trying. */
#define RIGID_JOBS_MAX 1000

static int themis_parse_app_compare_shares(const void *a, const void *b)
{
	const struct astra_themis_share *x = a, *y = b;

	return x->machine < y->machine ? -1 : x->machine > y->machine;
}

static int themis_parse_app_check_held(const struct astra_in *in,
				       struct astra_themis_share *shares,
				       size_t count)
{
	uint64_t gpus = 0;

	qsort(shares, count, sizeof(*shares), themis_parse_app_compare_shares);
	for (size_t i = 0; i < count; i++) {
		gpus += shares[i].gpus;
		if (i && shares[i].machine == shares[i - 1].machine)
			return astra_in_fail(in, "held",
					     "names machine %u twice",
					     shares[i].machine);
	}
	if (gpus > THEMIS_GPUS_MAX)
		return astra_in_fail(in, "held", "may have up to %d GPUs",
				     THEMIS_GPUS_MAX);
	return 0;
}

static int themis_parse_app_parse_held(const struct astra_in *in,
				       struct themis_instance *instance,
				       struct astra_themis_shares *held)
{
	const json_t *array, *machine, *gpus;
	struct astra_themis_share *shares;

	if (astra_in_array(in, "held", ASTRA_OPTIONAL, &array) < 0)
		return -1;
	shares = themis_take(in, instance, json_array_size(array),
			     sizeof(*shares));
	if (!shares)
		return -1;
	for (size_t i = 0; i < json_array_size(array); i++) {
		struct astra_themis_share *s = &shares[held->count];

		if (astra_in_pair(in, "held", array, i, &machine, &gpus) < 0)
			return -1;
		if (!astra_json_whole(machine, 0, UINT32_MAX, &s->machine) ||
		    (instance->mode == THEMIS_COUNTS &&
		     s->machine >= instance->market.machine_count))
			return astra_in_fail(in, "held",
					     "pair %zu must name one of the "
					     "%zu machines",
					     i, instance->market.machine_count);
		if (!astra_json_whole(gpus, 0, THEMIS_GPUS_MAX, &s->gpus))
			return astra_in_fail(in, "held",
					     "pair %zu must have a whole "
					     "number of GPUs up to %d",
					     i, THEMIS_GPUS_MAX);
		held->count += s->gpus > 0;
	}
	held->share = shares;
	return themis_parse_app_check_held(in, shares, held->count);
}

static int parse_single(const struct astra_in *in, struct astra_themis_app *app)
{
	if (astra_in_number(in, "iter_total", ASTRA_REQUIRED, 0, AMOUNT_MAX,
			    &app->iter_total) < 0 ||
	    astra_in_number(in, "iter_left", ASTRA_REQUIRED, 0, AMOUNT_MAX,
			    &app->iter_left) < 0 ||
	    astra_in_number(in, "iter_time", ASTRA_REQUIRED, 0, AMOUNT_MAX,
			    &app->iter_sec) < 0)
		return -1;
	return 0;
}

/* Iterations of each job: one number for all, or one for each. */
static int parse_iters(const struct astra_in *in, size_t count, double *iters)
{
	if (json_is_array(json_object_get(in->object, "iters")))
		return astra_in_numbers(in, "iters", count, 0, AMOUNT_MAX,
					iters);
	if (astra_in_number(in, "iters", ASTRA_REQUIRED, 0, AMOUNT_MAX,
			    &iters[0]) < 0)
		return -1;
	for (size_t i = 1; i < count; i++)
		iters[i] = iters[0];
	return 0;
}

/* Seconds of an iteration of each job. A null stands for a job that is not
 * chosen yet: it takes the median of the first phase with jobs. */
static int parse_seconds(const struct astra_in *in, const json_t *jobs,
			 double median_sec, double *seconds)
{
	for (size_t i = 0; i < json_array_size(jobs); i++) {
		const json_t *job = json_array_get(jobs, i);

		seconds[i] =
			json_is_null(job) ? median_sec : json_number_value(job);
		if (json_is_null(job) && median_sec < 0)
			return astra_in_fail(in, "jobs",
					     "job %zu may be null only after a "
					     "phase whose jobs are not",
					     i);
		if (!(seconds[i] >= 0 && seconds[i] <= AMOUNT_MAX) ||
		    (!json_is_null(job) && !json_is_number(job)))
			return astra_in_fail(in, "jobs",
					     "job %zu must be a number from 0 "
					     "to %g",
					     i, AMOUNT_MAX);
	}
	return 0;
}

/* work: of json_array_size(jobs); median_sec: < 0 if there is none yet. */
static int themis_parse_app_parse_jobs(const struct astra_in *in,
				       struct themis_instance *instance,
				       const json_t *jobs, double *median_sec,
				       double *work)
{
	size_t count = json_array_size(jobs);
	double *seconds = themis_take(in, instance, count, sizeof(*seconds));

	if (!seconds || parse_iters(in, count, work) < 0 ||
	    parse_seconds(in, jobs, *median_sec, seconds) < 0)
		return -1;
	for (size_t i = 0; i < count; i++)
		work[i] *= seconds[i];
	if (*median_sec < 0 && count)
		*median_sec = astra_themis_median(seconds, count);
	return 0;
}

/* Either iterations of jobs, or the work of each. */
static int parse_phase(const struct astra_in *in,
		       struct themis_instance *instance, double *median_sec,
		       struct astra_themis_phase *phase)
{
	const json_t *jobs, *works, *array;
	double *work;

	if (astra_in_array(in, "jobs", ASTRA_OPTIONAL, &jobs) < 0 ||
	    astra_in_array(in, "work", ASTRA_OPTIONAL, &works) < 0 ||
	    astra_in_whole(in, "demand_max", ASTRA_OPTIONAL, ASTRA_IN_GPUS_MAX,
			   &phase->job_gpus_max) < 0)
		return -1;
	if (!jobs == !works)
		return astra_in_fail(in, NULL,
				     "must have either \"jobs\" or \"work\"");
	if (!phase->job_gpus_max)
		return astra_in_fail(in, "demand_max", "must not be 0");
	array = jobs ? jobs : works;
	phase->job_count = (uint32_t)json_array_size(array);
	phase->work_sec = work =
		themis_take(in, instance, phase->job_count, sizeof(*work));
	if (!work)
		return -1;
	if (jobs)
		return themis_parse_app_parse_jobs(in, instance, jobs,
						   median_sec, work);
	return astra_in_numbers(in, "work", phase->job_count, 0, AMOUNT_MAX,
				work);
}

static int parse_phases(const struct astra_in *in,
			struct themis_instance *instance, uint32_t job_gpus_max,
			struct astra_themis_app *app)
{
	struct astra_themis_phase *phases;
	const json_t *array;
	double median_sec = -1;

	if (astra_in_array(in, "phases", ASTRA_REQUIRED, &array) < 0)
		return -1;
	app->phase_count = json_array_size(array);
	app->phases = phases =
		themis_take(in, instance, app->phase_count, sizeof(*phases));
	if (!phases)
		return -1;
	for (size_t i = 0; i < app->phase_count; i++) {
		struct astra_in at;

		phases[i].job_gpus_max = job_gpus_max;
		if (astra_in_element(in, "phases", array, i, &at) < 0 ||
		    parse_phase(&at, instance, &median_sec, &phases[i]) < 0)
			return -1;
		if (app->rigid && phases[i].job_count > RIGID_JOBS_MAX)
			return astra_in_fail(&at, NULL,
					     "may have up to %d jobs where "
					     "the model is rigid",
					     RIGID_JOBS_MAX);
	}
	return 0;
}

static int parse_work(const struct astra_in *in,
		      struct themis_instance *instance,
		      struct astra_themis_app *app)
{
	static const char *const models[] = {"fluid", "rigid", NULL};
	uint32_t job_gpus_max = 0;
	size_t model = 0;

	if (astra_in_number(in, "budget", ASTRA_REQUIRED, 0, AMOUNT_MAX,
			    &app->budget_sec) < 0 ||
	    astra_in_whole(in, "job_demand_max", ASTRA_REQUIRED,
			   ASTRA_IN_GPUS_MAX, &job_gpus_max) < 0 ||
	    astra_in_word(in, "phase_model", models, &model) < 0)
		return -1;
	app->rigid = model == 1;
	return parse_phases(in, instance, job_gpus_max, app);
}

static int parse_quantum(const struct astra_in *in,
			 struct astra_themis_app *app)
{
	app->quantum = 1;
	if (astra_in_whole(in, "quantum", ASTRA_OPTIONAL, ASTRA_IN_GPUS_MAX,
			   &app->quantum) < 0)
		return -1;
	return app->quantum ? 0 : astra_in_fail(in, "quantum", "must not be 0");
}

static int parse_start(const struct astra_in *in,
		       const struct themis_instance *instance,
		       struct astra_themis_app *app)
{
	double start_sec;

	if (astra_in_number(in, "start", ASTRA_REQUIRED, -ASTRA_IN_TIME_MAX,
			    ASTRA_IN_TIME_MAX, &start_sec) < 0 ||
	    astra_in_number(in, "navg", ASTRA_REQUIRED, 0, NAVG_MAX,
			    &app->navg) < 0)
		return -1;
	app->elapsed_sec = instance->now_sec - start_sec;
	if (app->elapsed_sec < 0)
		return astra_in_fail(in, "start", "%g is after now, %g",
				     start_sec, instance->now_sec);
	return 0;
}

int themis_parse_app(const struct astra_in *in, struct themis_instance *out,
		     size_t index)
{
	static const char *const kinds[] = {"single", "sh", "curve", NULL};
	struct astra_themis_app *app = &out->apps[index];
	size_t kind;

	app->rho_current = -1;
	app->rho_empty = HUGE_VAL;
	memcpy(app->slowdown, out->slowdown, sizeof(app->slowdown));
	if (themis_parse_word(in, "kind", kinds, &kind) < 0 ||
	    parse_start(in, out, app) < 0 ||
	    astra_in_whole(in, "demand_max", ASTRA_REQUIRED, ASTRA_IN_GPUS_MAX,
			   &app->gpus_max) < 0 ||
	    parse_quantum(in, app) < 0 ||
	    themis_parse_app_parse_held(in, out, &app->held) < 0 ||
	    themis_parse_slowdown(in, "S", app->slowdown) < 0 ||
	    themis_parse_rho(in, "rho_current", ASTRA_OPTIONAL, 0,
			     &app->rho_current) < 0 ||
	    themis_parse_rho(in, "rho_empty", ASTRA_OPTIONAL, THEMIS_RHO_MIN,
			     &app->rho_empty) < 0)
		return -1;
	app->kind = kind ? ASTRA_THEMIS_PHASES : ASTRA_THEMIS_SINGLE;
	return kind ? parse_work(in, out, app) : parse_single(in, app);
}
