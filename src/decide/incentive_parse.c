/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>

#include "src/decide/decide_incentive.h"
#include "src/decide/instance.h"

/* Bounds that keep every sum finite, and precise enough. */
#define THETA_MAX 1e6
#define RATE_MAX 1e12
#define WORK_MAX 1e15
#define KAPPA_MAX 16
#define LAMBDA_MAX 100
#define INTERVALS_MAX 20
#define SERVER_MAX 65536
/* Slots of the last window by servers or users: some 150 MB. */
#define CELLS_MAX (1u << 20)

void incentive_instance_clear(struct incentive_instance *instance)
{
	free(instance->servers);
	free(instance->quotas);
	free(instance->user_ids);
	free(instance->jobs);
	free(instance->job_ids);
	*instance = (struct incentive_instance){0};
}

const char *incentive_user_name(const json_t *id, char text[32])
{
	if (json_is_string(id))
		return json_string_value(id);
	snprintf(text, 32, "%" JSON_INTEGER_FORMAT, json_integer_value(id));
	return text;
}

static int parse_rules(const struct astra_in *in,
		       struct incentive_instance *out)
{
	static const char *const prices[] = {"cluster", "share", NULL};
	struct astra_market_setup *setup = &out->setup;
	size_t price = 0;

	if (astra_in_whole(in, "lambda", ASTRA_REQUIRED, LAMBDA_MAX,
			   &out->batches.lambda) < 0 ||
	    astra_in_whole(in, "L", ASTRA_REQUIRED, INTERVALS_MAX,
			   &out->batches.intervals) < 0 ||
	    astra_in_number(in, "theta_w", ASTRA_REQUIRED, 1, THETA_MAX,
			    &setup->theta_w) < 0 ||
	    astra_in_number(in, "theta_p", ASTRA_REQUIRED, 1, THETA_MAX,
			    &setup->theta_p) < 0 ||
	    astra_in_number(in, "b_w", ASTRA_REQUIRED, 0, RATE_MAX,
			    &setup->b_w) < 0 ||
	    astra_in_number(in, "b_p", ASTRA_REQUIRED, 0, RATE_MAX,
			    &setup->b_p) < 0 ||
	    astra_in_word(in, "own_price", prices, &price) < 0)
		return -1;
	if (!out->batches.lambda)
		return astra_in_fail(in, "lambda", "must be 1 at least");
	setup->own_share = price == 1;
	return 0;
}

static int incentive_parse_servers(const struct astra_in *in,
				   struct incentive_instance *out)
{
	const json_t *array;
	void *memory;

	if (astra_in_objects(in, "servers", ASTRA_REQUIRED,
			     sizeof(*out->servers), &array, &memory,
			     &out->setup.server_count) < 0)
		return -1;
	out->servers = memory;
	out->setup.servers = memory;
	for (size_t i = 0; i < out->setup.server_count; i++) {
		struct astra_market_room *room = &out->servers[i];
		struct astra_in at;

		if (astra_in_element(in, "servers", array, i, &at) < 0 ||
		    astra_in_whole(&at, "w", ASTRA_REQUIRED, SERVER_MAX,
				   &room->workers) < 0 ||
		    astra_in_whole(&at, "p", ASTRA_REQUIRED, SERVER_MAX,
				   &room->ps) < 0)
			return -1;
	}
	return 0;
}

/* Users are keys of the result, where 1 and "1" are the same. */
static int parse_user_id(const struct astra_in *in, json_t *ids, json_t *names,
			 size_t index, const json_t **id)
{
	char text[32];
	const char *name;

	if (astra_in_new_id(in, ids, index, id) < 0)
		return -1;
	name = incentive_user_name(*id, text);
	if (json_object_get(names, name))
		return astra_in_fail(in, "id",
				     "is used twice, as text and as a number");
	return json_object_set_new_nocheck(names, name, json_true()) < 0
		       ? astra_error_nomem(in->err)
		       : 0;
}

static int parse_users(const struct astra_in *in,
		       struct incentive_instance *out, json_t *ids,
		       json_t *names)
{
	const json_t *array;
	void *memory;

	if (astra_in_objects(in, "users", ASTRA_REQUIRED, sizeof(*out->quotas),
			     &array, &memory, &out->setup.user_count) < 0)
		return -1;
	out->quotas = memory;
	out->setup.quotas = memory;
	out->user_ids =
		calloc(out->setup.user_count + 1, sizeof(*out->user_ids));
	if (!out->user_ids)
		return astra_error_nomem(in->err);
	for (size_t i = 0; i < out->setup.user_count; i++) {
		struct astra_market_room *quota = &out->quotas[i];
		struct astra_in at;

		if (astra_in_element(in, "users", array, i, &at) < 0 ||
		    parse_user_id(&at, ids, names, i, &out->user_ids[i]) < 0 ||
		    astra_in_whole(&at, "q_w", ASTRA_REQUIRED,
				   ASTRA_IN_GPUS_MAX, &quota->workers) < 0 ||
		    astra_in_whole(&at, "q_p", ASTRA_REQUIRED,
				   ASTRA_IN_GPUS_MAX, &quota->ps) < 0)
			return -1;
	}
	return 0;
}

static int incentive_parse_utility(const struct astra_in *job,
				   struct astra_utility *out)
{
	static const char *const types[] = {"linear", "convex", NULL};
	size_t type = 2;
	struct astra_in in;

	if (astra_in_object(job, "utility", &in) < 0 ||
	    astra_in_word(&in, "type", types, &type) < 0)
		return -1;
	if (type == 2)
		return astra_in_fail(&in, "type", "is missing");
	if (type == 1) {
		out->kind = ASTRA_UTILITY_CONVEX;
		return astra_in_number(&in, "e", ASTRA_REQUIRED, 0, RATE_MAX,
				       &out->convex.e) < 0 ||
				       astra_in_number(&in, "kappa",
						       ASTRA_REQUIRED, 0,
						       KAPPA_MAX,
						       &out->convex.kappa) < 0
			       ? -1
			       : 0;
	}
	out->kind = ASTRA_UTILITY_LINEAR;
	return astra_in_number(&in, "k", ASTRA_REQUIRED, -RATE_MAX, RATE_MAX,
			       &out->linear.k) < 0 ||
			       astra_in_number(&in, "g", ASTRA_REQUIRED,
					       -RATE_MAX, RATE_MAX,
					       &out->linear.g) < 0
		       ? -1
		       : 0;
}

static int incentive_parse_job(const struct astra_in *in,
			       struct astra_market_job *job,
			       const json_t *user_ids)
{
	job->d_min = 1;
	if (astra_in_known_id(in, "user", "users", user_ids, &job->user) < 0 ||
	    astra_in_number(in, "arrival", ASTRA_REQUIRED, 0, ASTRA_IN_TIME_MAX,
			    &job->arrival) < 0 ||
	    astra_in_number(in, "work", ASTRA_REQUIRED, 0, WORK_MAX,
			    &job->work) < 0 ||
	    astra_in_whole(in, "D", ASTRA_REQUIRED, ASTRA_IN_GPUS_MAX,
			   &job->d_max) < 0 ||
	    astra_in_number(in, "n_dist", ASTRA_REQUIRED, 0, RATE_MAX,
			    &job->n_dist) < 0 ||
	    astra_in_number(in, "n_cent", ASTRA_REQUIRED, 0, RATE_MAX,
			    &job->n_cent) < 0)
		return -1;
	return incentive_parse_utility(in, &job->utility);
}

static int incentive_parse_jobs(const struct astra_in *in,
				struct incentive_instance *out,
				const json_t *user_ids, json_t *ids)
{
	const json_t *array;
	void *memory;

	if (astra_in_objects(in, "jobs", ASTRA_REQUIRED, sizeof(*out->jobs),
			     &array, &memory, &out->job_count) < 0)
		return -1;
	out->jobs = memory;
	out->job_ids = calloc(out->job_count + 1, sizeof(*out->job_ids));
	if (!out->job_ids)
		return astra_error_nomem(in->err);
	for (size_t i = 0; i < out->job_count; i++) {
		struct astra_in at;

		if (astra_in_element(in, "jobs", array, i, &at) < 0 ||
		    astra_in_new_id(&at, ids, i, &out->job_ids[i]) < 0 ||
		    incentive_parse_job(&at, &out->jobs[i], user_ids) < 0)
			return -1;
	}
	return 0;
}

static int incentive_parse_check_size(const struct astra_in *in,
				      const struct incentive_instance *out)
{
	size_t widest = out->setup.server_count > out->setup.user_count
				? out->setup.server_count
				: out->setup.user_count;

	if (widest << out->batches.intervals > CELLS_MAX)
		return astra_in_fail(in, "L",
				     "2^%u slots by %zu servers or users are "
				     "more than %u",
				     out->batches.intervals, widest, CELLS_MAX);
	return 0;
}

int incentive_parse(const json_t *json, struct incentive_instance *out,
		    struct astra_error *err)
{
	struct astra_in in = {.object = json, .err = err};
	json_t *user_ids = astra_ids_create(), *names = json_object();
	json_t *ids = astra_ids_create();
	int rc = 0;

	*out = (struct incentive_instance){0};
	if (!user_ids || !names || !ids)
		rc = astra_error_nomem(err);
	else if (parse_rules(&in, out) < 0 ||
		 incentive_parse_servers(&in, out) < 0 ||
		 parse_users(&in, out, user_ids, names) < 0 ||
		 incentive_parse_jobs(&in, out, user_ids, ids) < 0 ||
		 incentive_parse_check_size(&in, out) < 0)
		rc = -1;
	json_decref(user_ids);
	json_decref(names);
	json_decref(ids);
	return rc;
}
