/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/agent/scheduler.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/agent/work.h"
#include "src/model/stated.h"

#define COUNT_MAX 9007199254740992.0 /* 2^53 */
#define VALUE_MAX 400
#define STOP_SEC 60 /* between two stops of a job that is still listed */

static const struct agent_scheduler *const schedulers[] = {
	&agent_single, &agent_halving, &agent_curve, &agent_exec};

static int scheduler_read_number(const char *key, const char *text, double low,
				 double high, double *out,
				 struct astra_error *err)
{
	if (astra_stated_number(text, high, out) && *out >= low)
		return 0;
	return astra_error_set(err, "%s=%.40s: a number from %g to %g", key,
			       text, low, high);
}

static int scheduler_read_count(const char *key, const char *text, uint32_t low,
				uint32_t *out, struct astra_error *err)
{
	double number;

	if (scheduler_read_number(key, text, low, AGENT_JOBS_MAX, &number,
				  err) < 0)
		return -1;
	if (number != floor(number))
		return astra_error_set(err, "%s=%.40s: a whole number", key,
				       text);
	*out = (uint32_t)number;
	return 0;
}

/* Reads rungs such as 8/24/60. */
static int read_rungs(struct agent_settings *settings, char *text,
		      struct astra_error *err)
{
	char *next, *word;

	settings->rung_count = 0;
	for (word = strtok_r(text, "/", &next); word;
	     word = strtok_r(NULL, "/", &next)) {
		double *rung = &settings->rungs[settings->rung_count];

		if (settings->rung_count == AGENT_RUNGS_MAX)
			return astra_error_set(err, "rungs: more than %d",
					       AGENT_RUNGS_MAX);
		if (scheduler_read_number("rungs", word, 1, COUNT_MAX, rung,
					  err) < 0)
			return -1;
		if (settings->rung_count++ && !(*rung > rung[-1]))
			return astra_error_set(
				err,
				"rungs: each must be above the one before");
	}
	return settings->rung_count ? 0
				    : astra_error_set(err, "rungs: is empty");
}

static int scheduler_read_value(struct agent_settings *s, const char *key,
				char *text, struct astra_error *err)
{
	if (!strcmp(key, "eta"))
		return scheduler_read_number(key, text, 1.1, 1000, &s->eta,
					     err);
	if (!strcmp(key, "first"))
		return scheduler_read_number(key, text, 1, COUNT_MAX, &s->first,
					     err);
	if (!strcmp(key, "total"))
		return scheduler_read_number(key, text, 1, COUNT_MAX, &s->total,
					     err);
	if (!strcmp(key, "jobs"))
		return scheduler_read_count(key, text, 1, &s->jobs, err);
	if (!strcmp(key, "rungs"))
		return read_rungs(s, text, err);
	if (!strcmp(key, "target"))
		return scheduler_read_number(key, text, -1e300, 1e300,
					     &s->target, err);
	if (!strcmp(key, "margin"))
		return scheduler_read_number(key, text, 0, 1000, &s->margin,
					     err);
	return scheduler_read_count(key, text, 3, &s->points, err);
}

static int read_pair(struct agent_settings *s, char *pair,
		     struct astra_error *err)
{
	char *value = strchr(pair, '=');
	const char *const *key = s->scheduler->keys;

	if (!value)
		return astra_error_set(err, "\"%.40s\": is not KEY=VALUE",
				       pair);
	*value++ = '\0';
	while (*key && strcmp(*key, pair) != 0)
		key++;
	if (!*key)
		return astra_error_set(err, "%s has no setting \"%.40s\"",
				       s->scheduler->name, pair);
	return scheduler_read_value(s, pair, value, err);
}

static int read_pairs(struct agent_settings *s, const char *text,
		      struct astra_error *err)
{
	char buffer[VALUE_MAX], *next, *pair;

	size_t size = strlen(text);

	if (size >= sizeof(buffer))
		return astra_error_set(err, "the settings are too long");
	memcpy(buffer, text, size + 1);
	for (pair = strtok_r(buffer, ",", &next); pair;
	     pair = strtok_r(NULL, ",", &next))
		if (read_pair(s, pair, err) < 0)
			return -1;
	return 0;
}

int agent_settings_read(struct agent_settings *settings, const char *text,
			struct astra_error *err)
{
	size_t size = strcspn(text, ":"), i = 0;
	const char *rest = text[size] ? text + size + 1 : "";

	*settings = (struct agent_settings){
		.eta = 3, .target = (double)NAN, .margin = 0.1, .points = 8};
	while (i < 4 && (strlen(schedulers[i]->name) != size ||
			 strncmp(schedulers[i]->name, text, size) != 0))
		i++;
	if (i == 4)
		return astra_error_set(
			err, "single, halving, curve or exec:PROGRAM");
	settings->scheduler = schedulers[i];
	if (settings->scheduler != &agent_exec)
		return read_pairs(settings, rest, err);
	settings->program = rest + strspn(rest, " ");
	return *settings->program
		       ? 0
		       : astra_error_set(err, "exec: needs a program");
}

static void list_stopped(struct agent_memory *memory,
			 const struct agent_offer *offer, struct agent_bid *bid)
{
	for (size_t i = 0; i < memory->count; i++) {
		struct agent_record *r = &memory->records[i];

		if (r->stopped && r->listed &&
		    offer->now_sec - r->stop_sec >= STOP_SEC) {
			r->stop_sec = offer->now_sec;
			bid->stop[bid->stop_count++] = r->job;
		}
	}
}

int agent_decide(const struct agent_settings *settings,
		 struct agent_memory *memory, const struct agent_offer *offer,
		 struct agent_bid *bid, struct astra_error *err)
{
	if (agent_bid_init(bid, offer, err) < 0 ||
	    agent_memory_see(memory, offer, err) < 0 ||
	    settings->scheduler->decide(settings, memory, offer, bid, err) < 0)
		return -1;
	list_stopped(memory, offer, bid);
	return 0;
}

int agent_take_answer(struct agent_memory *memory,
		      const struct agent_offer *offer, struct agent_bid *bid,
		      struct astra_error *err)
{
	if (agent_memory_see(memory, offer, err) < 0)
		return -1;
	for (size_t i = 0; i < bid->stop_count; i++) {
		struct agent_record *r =
			agent_memory_find(memory, bid->stop[i]);

		if (!r->stopped)
			agent_record_stop(r);
	}
	bid->stop_count = 0;
	list_stopped(memory, offer, bid);
	return 0;
}

/* An app that needs all of its jobs. Uses Eq. 1 for one job, and one phase of
 * Eq. 2 for several. (Mahajan et al.) */

static int single_decide(const struct agent_settings *settings,
			 struct agent_memory *memory,
			 const struct agent_offer *offer, struct agent_bid *bid,
			 struct astra_error *err)
{
	double median_sec = agent_median_gpu_sec(memory, offer);
	double longest = agent_longest_total(offer);
	struct agent_work work;
	int rc;

	(void)settings;
	if (median_sec < 0)
		return astra_error_nomem(err);
	if (!(median_sec > 0) || !(longest > 0))
		return agent_left_bid(offer, bid, err);
	agent_work_init(&work, offer);
	agent_work_phase(&work);
	for (size_t i = 0; i < offer->job_count; i++) {
		const struct agent_job *job = &offer->jobs[i];
		double total = job->total > 0 ? job->total : longest;

		agent_work_add(
			&work,
			fmax(0, total - job->done) *
				agent_job_gpu_sec(memory, job, median_sec),
			job->copies);
	}
	rc = agent_work_bid(&work, memory, offer, bid, err);
	agent_work_destroy(&work);
	return rc;
}

const struct agent_scheduler agent_single = {
	.name = "single",
	.decide = single_decide,
};

const struct agent_scheduler agent_exec = {
	.name = "exec",
	.decide = single_decide,
};
