/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/agent/offer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/decide/instance.h"

#define TIME_MAX 1e12		     /* seconds */
#define COUNT_MAX 9007199254740992.0 /* 2^53 iterations */
#define ITER_SEC_MAX 1e9
#define LOSS_MAX 1e300
#define SLOWDOWN_MAX 1e6
#define REPORT_SEC 10

static int read_progress(const struct astra_in *in, struct agent_job *job)
{
	struct astra_in at;

	job->loss = (double)NAN;
	if (json_is_null(json_object_get(in->object, "progress")) ||
	    !json_object_get(in->object, "progress"))
		return 0;
	if (astra_in_object(in, "progress", &at) < 0 ||
	    astra_in_number(&at, "done", ASTRA_OPTIONAL, 0, COUNT_MAX,
			    &job->done) < 0 ||
	    astra_in_number(&at, "total", ASTRA_OPTIONAL, 0, COUNT_MAX,
			    &job->total) < 0 ||
	    astra_in_number(&at, "iter_sec", ASTRA_OPTIONAL, 0, ITER_SEC_MAX,
			    &job->iter_sec) < 0)
		return -1;
	return astra_in_number(&at, "loss", ASTRA_OPTIONAL, -LOSS_MAX, LOSS_MAX,
			       &job->loss);
}

/* Reads the job's id as squeue prints it. Leaves out the task limit (%N) of an
 * array. */
static void offer_read_name(const struct astra_in *in, struct agent_job *job)
{
	const char *text =
		json_string_value(json_object_get(in->object, "id_text"));
	size_t size;

	if (!text || *text < '1' || *text > '9')
		return;
	size = strspn(text, "0123456789_[,:-");
	if (text[size] == '%' || text[size] == ']') {
		if (size + 2 < AGENT_NAME_MAX)
			sprintf(job->name, "%.*s]", (int)size, text);
	} else if (!text[size] && size < AGENT_NAME_MAX) {
		memcpy(job->name, text, size + 1);
	}
}

static int offer_read_job(const struct astra_in *in, struct agent_job *job)
{
	*job = (struct agent_job){.copies = 1, .gpus = 1};
	if (astra_in_whole(in, "job", ASTRA_REQUIRED, UINT32_MAX - 2,
			   &job->id) < 0 ||
	    astra_in_whole(in, "copies", ASTRA_OPTIONAL, AGENT_JOBS_MAX,
			   &job->copies) < 0 ||
	    astra_in_whole(in, "gpus", ASTRA_OPTIONAL, ASTRA_IN_GPUS_MAX,
			   &job->gpus) < 0)
		return -1;
	if (!job->id)
		return astra_in_fail(in, "job", "must not be 0");
	if (!job->copies)
		job->copies = 1;
	if (!job->gpus)
		job->gpus = 1;
	offer_read_name(in, job);
	return read_progress(in, job);
}

static int offer_compare_jobs(const void *a, const void *b)
{
	const struct agent_job *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static int offer_check_jobs(const struct astra_in *in,
			    const struct agent_offer *offer)
{
	uint64_t copies = 0;

	for (size_t i = 0; i < offer->job_count; i++) {
		copies += offer->jobs[i].copies;
		if (i && offer->jobs[i].id == offer->jobs[i - 1].id)
			return astra_in_fail(in, "jobs",
					     "job %u is there twice",
					     offer->jobs[i].id);
	}
	return copies <= AGENT_JOBS_MAX
		       ? 0
		       : astra_in_fail(in, "jobs", "more than %d of one app",
				       AGENT_JOBS_MAX);
}

static int offer_read_jobs(const struct astra_in *in, struct agent_offer *offer)
{
	const json_t *json;

	if (astra_in_array(in, "jobs", ASTRA_REQUIRED, &json) < 0)
		return -1;
	offer->jobs = calloc(json_array_size(json) + 1, sizeof(*offer->jobs));
	if (!offer->jobs)
		return astra_error_nomem(in->err);
	offer->job_count = json_array_size(json);
	for (size_t i = 0; i < offer->job_count; i++) {
		struct astra_in at;

		if (astra_in_element(in, "jobs", json, i, &at) < 0 ||
		    offer_read_job(&at, &offer->jobs[i]) < 0)
			return -1;
	}
	if (offer->job_count)
		qsort(offer->jobs, offer->job_count, sizeof(*offer->jobs),
		      offer_compare_jobs);
	return offer_check_jobs(in, offer);
}

static int read_left(const struct astra_in *in, struct agent_offer *offer)
{
	const json_t *json;
	size_t count;

	if (astra_in_array(in, "left_sec", ASTRA_OPTIONAL, &json) < 0)
		return -1;
	count = json_array_size(json);
	if (count > ASTRA_BID_GPUS_MAX)
		count = ASTRA_BID_GPUS_MAX;
	offer->left_sec = malloc((count + 1) * sizeof(*offer->left_sec));
	if (!offer->left_sec)
		return astra_error_nomem(in->err);
	for (size_t i = 0; i < count; i++) {
		const json_t *item = json_array_get(json, i);
		const char *word = json_string_value(item);
		double sec = word && !strcmp(word, "inf")
				     ? HUGE_VAL
				     : json_number_value(item);

		if ((!json_is_number(item) && !isinf(sec)) || !(sec >= 0))
			return astra_in_fail(in, "left_sec",
					     "must hold numbers from 0 on or "
					     "\"inf\"");
		offer->left_sec[i] = sec;
	}
	offer->left_count = count;
	return 0;
}

static int read_slowdown(const struct astra_in *in, double *slowdown)
{
	for (int i = 0; i < ASTRA_LEVEL_COUNT; i++)
		slowdown[i] = 1;
	if (!json_object_get(in->object, "slowdown"))
		return 0;
	return astra_in_numbers(in, "slowdown", ASTRA_LEVEL_COUNT, 1e-6,
				SLOWDOWN_MAX, slowdown);
}

static void offer_read_owner(const struct astra_in *in,
			     struct agent_offer *offer)
{
	const char *name =
		json_string_value(json_object_get(in->object, "app"));

	offer->uid = UINT32_MAX;
	(void)astra_json_whole(json_object_get(in->object, "uid"), 0,
			       UINT32_MAX - 1, &offer->uid);
	if (name && strlen(name) < sizeof(offer->app))
		memcpy(offer->app, name, strlen(name) + 1);
}

static int offer_read_app(const struct astra_in *in, struct agent_offer *offer)
{
	offer_read_owner(in, offer);
	offer->navg = 1;
	if (astra_in_number(in, "elapsed_sec", ASTRA_REQUIRED, 0, TIME_MAX,
			    &offer->elapsed_sec) < 0 ||
	    astra_in_number(in, "apps_mean", ASTRA_OPTIONAL, 0, 1e9,
			    &offer->navg) < 0 ||
	    astra_in_number(in, "ideal_sec", ASTRA_OPTIONAL, 0, TIME_MAX,
			    &offer->ideal_sec) < 0 ||
	    astra_in_whole(in, "gpus_held", ASTRA_OPTIONAL, ASTRA_IN_GPUS_MAX,
			   &offer->gpus_held) < 0 ||
	    astra_in_whole(in, "gpus_max", ASTRA_REQUIRED, ASTRA_IN_GPUS_MAX,
			   &offer->gpus_max) < 0 ||
	    read_slowdown(in, offer->slowdown) < 0 || read_left(in, offer) < 0)
		return -1;
	if (!offer->gpus_max)
		offer->gpus_max = 1;
	if (offer->gpus_max > ASTRA_BID_GPUS_MAX)
		offer->gpus_max = ASTRA_BID_GPUS_MAX;
	return 0;
}

static int read_reply(const json_t *reply, struct agent_offer *offer,
		      struct astra_error *err)
{
	struct astra_in in = {.object = reply, .err = err}, app;

	offer->report_sec = REPORT_SEC;
	if (!json_is_object(reply))
		return astra_error_set(err, "the offer is no JSON object");
	if (astra_in_number(&in, "now_sec", ASTRA_REQUIRED, 0, TIME_MAX,
			    &offer->now_sec) < 0 ||
	    astra_in_number(&in, "report_sec", ASTRA_OPTIONAL, 1, 3600,
			    &offer->report_sec) < 0 ||
	    astra_in_object(&in, "app", &app) < 0 ||
	    offer_read_app(&app, offer) < 0)
		return -1;
	return offer_read_jobs(&in, offer);
}

int agent_offer_read(struct agent_offer *offer, const char *text,
		     struct astra_error *err)
{
	json_t *reply = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	int rc;

	*offer = (struct agent_offer){0};
	rc = read_reply(reply, offer, err);
	json_decref(reply);
	return rc;
}

void agent_offer_destroy(struct agent_offer *offer)
{
	free(offer->left_sec);
	free(offer->jobs);
	*offer = (struct agent_offer){0};
}

uint32_t agent_offer_array(const struct agent_offer *offer)
{
	const char *name = offer->job_count ? offer->jobs->name : "";

	return strchr(name, '_') ? (uint32_t)strtoul(name, NULL, 10) : 0;
}

const struct agent_job *agent_offer_job(const struct agent_offer *offer,
					uint32_t id)
{
	const struct agent_job key = {.id = id};

	return offer->job_count
		       ? bsearch(&key, offer->jobs, offer->job_count,
				 sizeof(*offer->jobs), offer_compare_jobs)
		       : NULL;
}
