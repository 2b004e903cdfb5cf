/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <string.h>

#include "src/decide/decide_themis.h"
#include "src/decide/ids.h"

/* Most iterations, seconds and GPU-seconds, so that products and sums stay
 * finite. */
#define AMOUNT_MAX 1e15
#define NAVG_MAX 1e9
/* Most jobs of a rigid phase, as a search finds the makespan on whole GPUs. */
#define RIGID_JOBS_MAX 1000

/* The phases of one app, while they are being read. */
struct phases {
	struct astra_themis_app *app;
	uint32_t job_gpus_max; /* default of the phases */
	double median_sec;     /* median seconds of an iteration in the first
				* phase with jobs; < 0: none yet */
};

static const char *const models[] = {"fluid", "rigid", NULL};

#define APP(kind, key, member, max, ...)                                  \
	ASTRA_MEMBER_AS(key, astra_themis_app, kind, member, .most = max, \
			__VA_ARGS__)

static const struct astra_member app_members[] = {
	/* has the start time until parse_claim() replaces it by the elapsed
	 * time */
	APP(REAL, "start", elapsed_sec, ASTRA_IN_TIME_MAX,
	    .least = -ASTRA_IN_TIME_MAX),
	APP(REAL, "navg", navg, NAVG_MAX),
	APP(U32, "demand_max", gpus_max, ASTRA_IN_GPUS_MAX),
	APP(U32, "quantum", quantum, ASTRA_IN_GPUS_MAX, .optional = true),
	ASTRA_MEMBER_ROW("S", astra_themis_app, REAL, slowdown, ALL,
			 ASTRA_LEVEL_COUNT, NULL, .least = 1e-6, .most = 1e6,
			 .optional = true),
	ASTRA_MEMBERS_END,
};

static const struct astra_member single_members[] = {
	APP(REAL, "iter_total", iter_total, AMOUNT_MAX),
	APP(REAL, "iter_left", iter_left, AMOUNT_MAX),
	APP(REAL, "iter_time", iter_sec, AMOUNT_MAX),
	ASTRA_MEMBERS_END,
};

static const struct astra_member work_members[] = {
	APP(REAL, "budget", budget_sec, AMOUNT_MAX),
	APP(WORD, "phase_model", rigid, 0, .words = models, .optional = true),
	ASTRA_MEMBERS_END,
};

static int themis_parse_app_parse_held(const struct astra_in *in,
				       struct astra_themis_shares *out)
{
	const struct themis_instance *whole = in->whole;
	size_t machines = whole->market.machine_count;
	struct astra_themis_share *shares;
	struct astra_share *held;
	uint64_t gpus = 0;

	if (astra_in_held(in, "machine", machines,
			  whole->mode == THEMIS_COUNTS ? machines : UINT64_MAX,
			  THEMIS_GPUS_MAX, &held, &out->count) < 0)
		return -1;
	out->share = shares = astra_in_take(in, out->count, sizeof(*shares));
	for (size_t i = 0; shares && i < out->count; i++) {
		shares[i] =
			(struct astra_themis_share){held[i].node, held[i].gpus};
		gpus += held[i].gpus;
	}
	if (gpus > THEMIS_GPUS_MAX)
		return astra_in_fail(in, "held", "may have up to %d GPUs",
				     THEMIS_GPUS_MAX);
	return shares ? 0 : -1;
}

/* Reads the iterations of a phase's jobs: one number for all jobs, or one for
 * each. */
static int parse_iters(const struct astra_in *in, size_t count, double **iters)
{
	if (json_is_array(json_object_get(in->object, "iters")))
		return astra_in_vector(in, "iters", count, 0, AMOUNT_MAX,
				       iters);
	*iters = astra_in_take(in, count, sizeof(**iters));
	if (!*iters || astra_in_number(in, "iters", ASTRA_REQUIRED, 0,
				       AMOUNT_MAX, *iters) < 0)
		return -1;
	for (size_t i = 1; i < count; i++)
		(*iters)[i] = **iters;
	return 0;
}

/* Reads the seconds of an iteration of each job. A null stands for a job that
 * is not chosen yet; it gets the median of the first phase with jobs. */
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

/* Reads a phase's jobs. work: set to the GPU-seconds of each job. */
static int themis_parse_app_parse_jobs(const struct astra_in *in,
				       const json_t *jobs, double *median_sec,
				       double **work)
{
	size_t count = json_array_size(jobs);
	double *seconds = astra_in_take(in, count, sizeof(*seconds));

	if (!seconds || parse_iters(in, count, work) < 0 ||
	    parse_seconds(in, jobs, *median_sec, seconds) < 0)
		return -1;
	for (size_t i = 0; i < count; i++)
		(*work)[i] *= seconds[i];
	if (*median_sec < 0 && count)
		*median_sec = astra_themis_median(seconds, count);
	return 0;
}

/* Reads a phase. A phase has either jobs with iterations, or the work of each
 * job. */
static int parse_phase(const struct astra_in *in, void *element)
{
	struct phases *phases = in->whole;
	struct astra_themis_phase *phase = element;
	const json_t *jobs, *works;
	double *work;

	phase->job_gpus_max = phases->job_gpus_max;
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
	phase->job_count = (uint32_t)json_array_size(jobs ? jobs : works);
	if (phases->app->rigid && phase->job_count > RIGID_JOBS_MAX)
		return astra_in_fail(in, NULL,
				     "may have up to %d jobs where "
				     "the model is rigid",
				     RIGID_JOBS_MAX);
	if ((jobs ? themis_parse_app_parse_jobs(in, jobs, &phases->median_sec,
						&work)
		  : astra_in_vector(in, "work", phase->job_count, 0, AMOUNT_MAX,
				    &work)) < 0)
		return -1;
	phase->work_sec = work;
	return 0;
}

static int parse_work(const struct astra_in *in, struct astra_themis_app *app)
{
	struct phases phases = {.app = app, .median_sec = -1};
	struct astra_in own = *in;

	own.whole = &phases;
	if (astra_in_members(in, work_members, app) < 0 ||
	    astra_in_whole(in, "job_demand_max", ASTRA_REQUIRED,
			   ASTRA_IN_GPUS_MAX, &phases.job_gpus_max) < 0)
		return -1;
	return astra_in_list(&own, "phases", ASTRA_REQUIRED,
			     sizeof(*app->phases), parse_phase, &app->phases,
			     &app->phase_count);
}

/* Reads the fields that apps of all kinds have. */
static int parse_claim(const struct astra_in *in, struct astra_themis_app *app)
{
	const struct themis_instance *whole = in->whole;
	double start_sec;

	app->rho_current = -1;
	app->rho_empty = HUGE_VAL;
	app->quantum = 1;
	memcpy(app->slowdown, whole->slowdown, sizeof(app->slowdown));
	if (astra_in_members(in, app_members, app) < 0)
		return -1;
	start_sec = app->elapsed_sec;
	app->elapsed_sec = whole->now_sec - start_sec;
	if (app->elapsed_sec < 0)
		return astra_in_fail(in, "start", "%g is after now, %g",
				     start_sec, whole->now_sec);
	if (!app->quantum)
		return astra_in_fail(in, "quantum", "must not be 0");
	if (themis_parse_app_parse_held(in, &app->held) < 0 ||
	    themis_parse_rho(in, "rho_current", ASTRA_OPTIONAL, 0,
			     &app->rho_current) < 0)
		return -1;
	return themis_parse_rho(in, "rho_empty", ASTRA_OPTIONAL, THEMIS_RHO_MIN,
				&app->rho_empty);
}

int themis_parse_app(const struct astra_in *in, void *element)
{
	static const char *const kinds[] = {"single", "sh", "curve", NULL};
	struct astra_themis_app *app = element;
	size_t kind;

	if (astra_in_new_id(in) < 0 ||
	    astra_in_word(in, "kind", ASTRA_REQUIRED, kinds, &kind) < 0 ||
	    parse_claim(in, app) < 0)
		return -1;
	app->kind = kind ? ASTRA_THEMIS_PHASES : ASTRA_THEMIS_SINGLE;
	return kind ? parse_work(in, app)
		    : astra_in_members(in, single_members, app);
}
