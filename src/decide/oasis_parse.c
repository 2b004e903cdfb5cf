/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/decide/decide_oasis.h"
#include "src/decide/instance.h"

/* Within these no formula overflows. What is not 0 is no less than LEAST. */
#define LEAST 1e-9
#define MOST 1e9
#define SIZE_MOST 1e12 /* of gradients, bandwidths, utilities */
#define PRICE_LEAST 1e-15
#define PRICE_MOST 1e15
#define WORK_MOST 1e15

void oasis_instance_clear(struct oasis_instance *instance)
{
	for (size_t i = 0; instance->jobs && i < instance->job_count; i++)
		free(instance->jobs[i].demand);
	free(instance->jobs);
	free(instance->h);
	free(instance->k);
	*instance = (struct oasis_instance){0};
}

/* How many resources there are: as many as the first vector has. */
static int count_resources(const struct astra_in *in,
			   struct oasis_instance *out)
{
	static const char *const keys[] = {"H", "K", "jobs", "U1", "U2"};
	const json_t *first = NULL;

	for (size_t i = 0; !first && i < sizeof(keys) / sizeof(*keys); i++) {
		const json_t *value = json_object_get(in->object, keys[i]);

		if (!json_array_size(value))
			continue;
		first = i < 3 ? json_array_get(value, 0) : value;
		if (i == 2)
			first = json_object_get(first, "w");
	}
	out->resources = json_array_size(first);
	if (out->resources > ASTRA_OASIS_RESOURCES)
		return astra_in_fail(in, NULL,
				     "there are more than %d resources",
				     ASTRA_OASIS_RESOURCES);
	return 0;
}

/* What is not 0 is no less than LEAST. */
static int check_least(const struct astra_in *in, const char *key,
		       const double *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (values[i] > 0 && values[i] < LEAST)
			return astra_in_fail(in, key,
					     "%g is neither 0 nor at least %g",
					     values[i], LEAST);
	return 0;
}

static int oasis_parse_servers(const struct astra_in *in, const char *key,
			       struct oasis_instance *out, double **capacity,
			       size_t *count)
{
	const json_t *array;
	size_t cells;

	if (astra_in_array(in, key, ASTRA_REQUIRED, &array) < 0)
		return -1;
	*count = json_array_size(array);
	cells = *count * out->resources;
	if (cells * out->slots > ASTRA_OASIS_TABLE_MAX)
		return astra_in_fail(in, key,
				     "%zu servers of %zu resources "
				     "in %u slots are too many",
				     *count, out->resources, out->slots);
	*capacity = calloc(cells + 1, sizeof(double));
	if (!*capacity)
		return astra_error_nomem(in->err);
	if (astra_in_matrix(in, key, *count, out->resources, 0, SIZE_MOST,
			    *capacity) < 0)
		return -1;
	return check_least(in, key, *capacity, cells);
}

static int parse_demand(const struct astra_in *in, const char *key,
			size_t resources, double *out)
{
	if (astra_in_numbers(in, key, resources, 0, MOST, out) < 0)
		return -1;
	return check_least(in, key, out, resources);
}

static int oasis_parse_utility(const struct astra_in *in,
			       struct astra_utility *out)
{
	struct astra_in at;

	out->kind = ASTRA_UTILITY_SIGMOID;
	if (astra_in_object(in, "utility", &at) < 0 ||
	    astra_in_number(&at, "g1", ASTRA_REQUIRED, 0, SIZE_MOST,
			    &out->sigmoid.g1) < 0 ||
	    astra_in_number(&at, "g2", ASTRA_REQUIRED, 0, MOST,
			    &out->sigmoid.g2) < 0)
		return -1;
	return astra_in_number(&at, "g3", ASTRA_REQUIRED, -SIZE_MOST, SIZE_MOST,
			       &out->sigmoid.g3);
}

static int parse_training(const struct astra_in *in,
			  struct astra_oasis_job *job)
{
	if (astra_in_number(in, "E", ASTRA_REQUIRED, 0, MOST, &job->epochs) <
		    0 ||
	    astra_in_number(in, "M", ASTRA_REQUIRED, 0, MOST, &job->batches) <
		    0 ||
	    astra_in_number(in, "tau", ASTRA_REQUIRED, 0, MOST,
			    &job->batch_slots) < 0 ||
	    astra_in_number(in, "e", ASTRA_REQUIRED, 0, SIZE_MOST,
			    &job->gradient) < 0 ||
	    astra_in_number(in, "b", ASTRA_REQUIRED, 0, SIZE_MOST,
			    &job->bandwidth) < 0 ||
	    astra_in_number(in, "B", ASTRA_REQUIRED, 0, SIZE_MOST,
			    &job->ps_bandwidth) < 0)
		return -1;
	if (job->bandwidth <= 0 && job->gradient > 0)
		return astra_in_fail(in, "b", "must be above 0, as e is");
	if (job->bandwidth > 0 && job->ps_bandwidth <= 0)
		return astra_in_fail(in, "B", "must be above 0, as b is");
	if (astra_oasis_work(job) > WORK_MOST)
		return astra_in_fail(in, NULL,
				     "E N M (tau + 2e/b) is more than %g "
				     "worker-slots",
				     WORK_MOST);
	return 0;
}

static int parse_workers(const struct astra_in *in, struct astra_oasis_job *job)
{
	job->workers_min = 1;
	if (astra_in_whole(in, "N", ASTRA_REQUIRED, ASTRA_OASIS_WORKERS_MAX,
			   &job->workers) < 0 ||
	    astra_in_whole(in, "n_min", ASTRA_OPTIONAL, ASTRA_OASIS_WORKERS_MAX,
			   &job->workers_min) < 0)
		return -1;
	if (!job->workers_min)
		job->workers_min = 1;
	if (job->workers && job->workers_min > job->workers)
		return astra_in_fail(in, "n_min", "%u is more than N, %u",
				     job->workers_min, job->workers);
	return 0;
}

static int oasis_parse_job(const struct astra_in *in, size_t resources,
			   struct oasis_entry *out)
{
	struct astra_oasis_job *job = &out->job;
	uint32_t arrival;

	out->demand = calloc(2 * resources + 1, sizeof(double));
	if (!out->demand)
		return astra_error_nomem(in->err);
	job->worker = out->demand;
	job->ps = out->demand + resources;
	if (astra_in_whole(in, "a", ASTRA_REQUIRED, UINT32_MAX - 1, &arrival) <
		    0 ||
	    parse_workers(in, job) < 0 || parse_training(in, job) < 0 ||
	    parse_demand(in, "w", resources, out->demand) < 0 ||
	    parse_demand(in, "s", resources, out->demand + resources) < 0 ||
	    oasis_parse_utility(in, &job->utility) < 0)
		return -1;
	if (!arrival)
		return astra_in_fail(in, "a",
				     "must be 1 or more: slots are "
				     "counted from 1");
	job->arrival = arrival;
	return 0;
}

static int oasis_parse_jobs(const struct astra_in *in,
			    struct oasis_instance *out)
{
	json_t *ids = astra_ids_create();
	const json_t *array;
	void *memory;
	int rc = 0;

	if (!ids)
		return astra_error_nomem(in->err);
	rc = astra_in_objects(in, "jobs", ASTRA_REQUIRED, sizeof(*out->jobs),
			      &array, &memory, &out->job_count);
	if (!rc)
		out->jobs = memory;
	for (size_t i = 0; !rc && i < out->job_count; i++) {
		struct oasis_entry *entry = &out->jobs[i];
		struct astra_in at;

		if (astra_in_element(in, "jobs", array, i, &at) < 0 ||
		    astra_in_new_id(&at, ids, i, &entry->id) < 0 ||
		    oasis_parse_job(&at, out->resources, entry) < 0)
			rc = -1;
	}
	json_decref(ids);
	return rc;
}

static double oasis_parse_sum(const double *values, size_t count)
{
	double total = 0;

	for (size_t i = 0; i < count; i++)
		total += values[i];
	return total;
}

static int parse_upper(const struct astra_in *in, const char *key,
		       size_t resources, double *out)
{
	const json_t *array;

	if (astra_in_array(in, key, ASTRA_OPTIONAL, &array) < 0)
		return -1;
	return array ? astra_in_numbers(in, key, resources, PRICE_LEAST,
					PRICE_MOST, out)
		     : 0;
}

/* What is not given is computed from the jobs. */
static int oasis_parse_range(const struct astra_in *in,
			     struct oasis_instance *out)
{
	struct astra_oasis_history history;
	struct astra_oasis_range *range = &out->range;
	size_t resources = out->resources;

	astra_oasis_history_init(&history);
	for (size_t i = 0; i < out->job_count; i++) {
		const struct astra_oasis_job *job = &out->jobs[i].job;

		astra_oasis_history_add(
			&history, job,
			(double)out->slots - (double)job->arrival, resources);
	}
	astra_oasis_history_range(
		&history, resources, out->slots,
		oasis_parse_sum(out->h, out->h_count * resources),
		oasis_parse_sum(out->k, out->k_count * resources), range);
	if (parse_upper(in, "U1", resources, range->u1) < 0 ||
	    parse_upper(in, "U2", resources, range->u2) < 0 ||
	    astra_in_number(in, "L1", ASTRA_OPTIONAL, PRICE_LEAST, PRICE_MOST,
			    &range->l1) < 0)
		return -1;
	return astra_in_number(in, "L2", ASTRA_OPTIONAL, PRICE_LEAST,
			       PRICE_MOST, &range->l2);
}

int oasis_parse(const json_t *json, struct oasis_instance *out,
		struct astra_error *err)
{
	static const char *const modes[] = {"exact", "alg2", NULL};
	struct astra_in in = {.object = json, .err = err};
	size_t mode = 0;

	*out = (struct oasis_instance){0};
	if (astra_in_whole(&in, "T", ASTRA_REQUIRED, ASTRA_OASIS_SLOTS_MAX,
			   &out->slots) < 0 ||
	    astra_in_word(&in, "mode", modes, &mode) < 0 ||
	    count_resources(&in, out) < 0 ||
	    oasis_parse_servers(&in, "H", out, &out->h, &out->h_count) < 0 ||
	    oasis_parse_servers(&in, "K", out, &out->k, &out->k_count) < 0 ||
	    oasis_parse_jobs(&in, out) < 0)
		return -1;
	out->whole_chunks = mode == 1;
	return oasis_parse_range(&in, out);
}
