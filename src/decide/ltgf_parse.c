/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "src/decide/decide_ltgf.h"
#include "src/decide/instance.h"

/* A node's GPUs; a space keeps a bitmap of nodes for each number of them. */
#define NODE_GPUS_MAX 65536

void ltgf_instance_clear(struct ltgf_instance *instance)
{
	for (size_t i = 0; instance->jobs && i < instance->job_count; i++) {
		free(instance->jobs[i].runs);
		free(instance->jobs[i].held);
	}
	free(instance->tenants);
	free(instance->jobs);
	free(instance->nodes);
	*instance = (struct ltgf_instance){0};
}

static int parse_tenants(const struct astra_in *in, struct ltgf_instance *out,
			 json_t *ids)
{
	const json_t *array;
	void *memory;

	if (astra_in_objects(in, "tenants", ASTRA_REQUIRED,
			     sizeof(*out->tenants), &array, &memory,
			     &out->tenant_count) < 0)
		return -1;
	out->tenants = memory;
	for (size_t i = 0; i < out->tenant_count; i++) {
		struct ltgf_tenant *t = &out->tenants[i];
		struct astra_in at;

		if (astra_in_element(in, "tenants", array, i, &at) < 0 ||
		    astra_in_new_id(&at, ids, i, &t->id) < 0 ||
		    astra_in_number(&at, "weight", ASTRA_REQUIRED, 0,
				    ASTRA_IN_WEIGHT_MAX, &t->weight) < 0)
			return -1;
	}
	return 0;
}

static int ltgf_parse_nodes(const struct astra_in *in,
			    struct ltgf_instance *out)
{
	enum astra_need need =
		out->lease_sec > 0 ? ASTRA_REQUIRED : ASTRA_OPTIONAL;
	const json_t *array;
	void *memory;

	if (astra_in_objects(in, "nodes", need, sizeof(*out->nodes), &array,
			     &memory, &out->node_count) < 0)
		return -1;
	out->nodes = memory;
	for (size_t i = 0; i < out->node_count; i++) {
		struct ltgf_node *n = &out->nodes[i];
		struct astra_in at;

		if (astra_in_element(in, "nodes", array, i, &at) < 0 ||
		    astra_in_whole(&at, "free", ASTRA_REQUIRED, NODE_GPUS_MAX,
				   &n->free) < 0)
			return -1;
		n->size = n->free;
		if (astra_in_whole(&at, "size", ASTRA_OPTIONAL, NODE_GPUS_MAX,
				   &n->size) < 0)
			return -1;
		if (n->size < n->free)
			return astra_in_fail(&at, "size",
					     "%u is less than free, %u",
					     n->size, n->free);
	}
	return 0;
}

static int compare_runs(const void *a, const void *b)
{
	const struct ltgf_run *x = a, *y = b;

	return x->start_sec < y->start_sec ? -1 : x->start_sec > y->start_sec;
}

/* A job has its GPUs once, even where its runs overlap. */
static size_t merge_runs(struct ltgf_run *runs, size_t count)
{
	size_t kept = 0;

	qsort(runs, count, sizeof(*runs), compare_runs);
	for (size_t i = 0; i < count; i++) {
		if (runs[i].start_sec >= runs[i].end_sec)
			continue;
		if (kept && runs[i].start_sec <= runs[kept - 1].end_sec)
			runs[kept - 1].end_sec =
				fmax(runs[kept - 1].end_sec, runs[i].end_sec);
		else
			runs[kept++] = runs[i];
	}
	return kept;
}

static bool ltgf_parse_is_time(const json_t *value)
{
	return json_is_number(value) &&
	       fabs(json_number_value(value)) <= ASTRA_IN_TIME_MAX;
}

static int parse_runs(const struct astra_in *in, struct ltgf_job *job)
{
	const json_t *array, *start, *end;
	size_t count;

	if (astra_in_array(in, "runs", ASTRA_REQUIRED, &array) < 0)
		return -1;
	count = json_array_size(array);
	job->fresh = !count;
	job->runs = calloc(count + 1, sizeof(*job->runs));
	if (!job->runs)
		return astra_error_nomem(in->err);
	for (size_t i = 0; i < count; i++) {
		struct ltgf_run *run = &job->runs[i];

		if (astra_in_pair(in, "runs", array, i, &start, &end) < 0)
			return -1;
		if (!ltgf_parse_is_time(start) ||
		    (!json_is_null(end) && !ltgf_parse_is_time(end)))
			return astra_in_fail(in, "runs",
					     "run %zu must have a start and "
					     "an end in numbers, or a null "
					     "end while it goes on",
					     i);
		run->start_sec = json_number_value(start);
		run->end_sec =
			json_is_null(end) ? HUGE_VAL : json_number_value(end);
		if (run->end_sec < run->start_sec)
			return astra_in_fail(
				in, "runs", "run %zu ends before it starts", i);
	}
	job->run_count = merge_runs(job->runs, count);
	return 0;
}

static int ltgf_parse_compare_shares(const void *a, const void *b)
{
	const struct astra_share *x = a, *y = b;

	return x->node < y->node ? -1 : x->node > y->node;
}

static int ltgf_parse_held(const struct astra_in *in,
			   const struct ltgf_instance *instance,
			   struct ltgf_job *job)
{
	const json_t *array, *node, *gpus;
	size_t count;

	if (astra_in_array(in, "held", ASTRA_OPTIONAL, &array) < 0)
		return -1;
	count = json_array_size(array);
	job->held = calloc(count + 1, sizeof(*job->held));
	if (!job->held)
		return astra_error_nomem(in->err);
	for (size_t i = 0; i < count; i++) {
		uint32_t index, n;

		if (astra_in_pair(in, "held", array, i, &node, &gpus) < 0)
			return -1;
		if (!astra_json_whole(node, 0, UINT32_MAX - 1, &index) ||
		    (instance->lease_sec > 0 && index >= instance->node_count))
			return astra_in_fail(in, "held",
					     "pair %zu must name one of the "
					     "%zu nodes",
					     i, instance->node_count);
		if (!astra_json_whole(gpus, 0, NODE_GPUS_MAX, &n))
			return astra_in_fail(in, "held",
					     "pair %zu must have a whole "
					     "number of GPUs up to %d",
					     i, NODE_GPUS_MAX);
		if (n)
			job->held[job->held_count++] =
				(struct astra_share){.node = index, .gpus = n};
	}
	qsort(job->held, job->held_count, sizeof(*job->held),
	      ltgf_parse_compare_shares);
	for (size_t i = 1; i < job->held_count; i++)
		if (job->held[i].node == job->held[i - 1].node)
			return astra_in_fail(in, "held", "names node %u twice",
					     job->held[i].node);
	return 0;
}

static int parse_times(const struct astra_in *in, struct ltgf_job *job)
{
	job->end_sec = HUGE_VAL;
	if (astra_in_number(in, "submit", ASTRA_REQUIRED, -ASTRA_IN_TIME_MAX,
			    ASTRA_IN_TIME_MAX, &job->submit_sec) < 0 ||
	    astra_in_number(in, "end", ASTRA_OPTIONAL, -ASTRA_IN_TIME_MAX,
			    ASTRA_IN_TIME_MAX, &job->end_sec) < 0)
		return -1;
	if (job->end_sec < job->submit_sec)
		return astra_in_fail(in, "end", "%g is before submit, %g",
				     job->end_sec, job->submit_sec);
	return parse_runs(in, job);
}

static int ltgf_parse_job(const struct astra_in *in,
			  const struct ltgf_instance *instance,
			  struct ltgf_job *job, const json_t *tenant_ids)
{
	job->schedulable = true;
	if (astra_in_known_id(in, "tenant", "tenants", tenant_ids,
			      &job->tenant) < 0 ||
	    astra_in_number(in, "weight", ASTRA_REQUIRED, 0,
			    ASTRA_IN_WEIGHT_MAX, &job->weight) < 0 ||
	    astra_in_whole(in, "gpus", ASTRA_REQUIRED, ASTRA_IN_GPUS_MAX,
			   &job->gpus) < 0 ||
	    astra_in_bool(in, "schedulable", &job->schedulable) < 0 ||
	    parse_times(in, job) < 0)
		return -1;
	return ltgf_parse_held(in, instance, job);
}

static int ltgf_parse_jobs(const struct astra_in *in, struct ltgf_instance *out,
			   const json_t *tenant_ids, json_t *ids)
{
	const json_t *array;
	void *memory;

	if (astra_in_objects(in, "jobs", ASTRA_REQUIRED, sizeof(*out->jobs),
			     &array, &memory, &out->job_count) < 0)
		return -1;
	out->jobs = memory;
	for (size_t i = 0; i < out->job_count; i++) {
		struct astra_in at;

		if (astra_in_element(in, "jobs", array, i, &at) < 0 ||
		    astra_in_new_id(&at, ids, i, &out->jobs[i].id) < 0 ||
		    ltgf_parse_job(&at, out, &out->jobs[i], tenant_ids) < 0)
			return -1;
	}
	return 0;
}

/* `free` includes the GPUs of jobs whose lease expires now. */
static int ltgf_parse_check_held(const struct astra_in *in,
				 const struct ltgf_instance *out)
{
	uint64_t *held = calloc(out->node_count + 1, sizeof(*held));
	int rc = 0;

	if (!held)
		return astra_error_nomem(in->err);
	for (size_t i = 0; !rc && i < out->job_count; i++) {
		const struct ltgf_job *job = &out->jobs[i];

		for (size_t k = 0; !rc && k < job->held_count; k++) {
			uint32_t node = job->held[k].node;

			if (!ltgf_is_candidate(out, job))
				break;
			held[node] += job->held[k].gpus;
			if (held[node] > out->nodes[node].free)
				rc = astra_error_set(
					in->err,
					"jobs[%zu].held: more than the %u "
					"GPUs that nodes[%u].free has",
					i, out->nodes[node].free, node);
		}
	}
	free(held);
	return rc;
}

static int parse_times_of_round(const struct astra_in *in,
				struct ltgf_instance *out)
{
	if (astra_in_number(in, "begin", ASTRA_OPTIONAL, -ASTRA_IN_TIME_MAX,
			    ASTRA_IN_TIME_MAX, &out->begin_sec) < 0 ||
	    astra_in_number(in, "now", ASTRA_REQUIRED, -ASTRA_IN_TIME_MAX,
			    ASTRA_IN_TIME_MAX, &out->now_sec) < 0 ||
	    astra_in_number(in, "lease", ASTRA_OPTIONAL, 1e-9,
			    ASTRA_IN_TIME_MAX, &out->lease_sec) < 0)
		return -1;
	if (out->now_sec < out->begin_sec)
		return astra_in_fail(in, "now", "%g is before begin, %g",
				     out->now_sec, out->begin_sec);
	return 0;
}

static int ltgf_parse_options(const struct astra_in *in,
			      struct ltgf_instance *out)
{
	static const char *const variants[] = {"eq8", "eq16", NULL};
	static const char *const unfits[] = {"job", "tenant", NULL};
	static const char *const places[] = {"consolidated", "strict", NULL};
	size_t variant = 0, unfit = 0, placement = 0;

	if (astra_in_word(in, "variant", variants, &variant) < 0 ||
	    astra_in_word(in, "on_unfit", unfits, &unfit) < 0 ||
	    astra_in_word(in, "placement", places, &placement) < 0 ||
	    astra_in_bool(in, "prioritize_new", &out->new_first) < 0)
		return -1;
	out->quota_entitlement = variant == 1;
	out->on_unfit_tenant = unfit == 1;
	out->strict = placement == 1;
	return 0;
}

int ltgf_parse(const json_t *json, struct ltgf_instance *out,
	       struct astra_error *err)
{
	struct astra_in in = {.object = json, .err = err};
	json_t *tenant_ids = astra_ids_create(), *ids = astra_ids_create();
	int rc = 0;

	*out = (struct ltgf_instance){0};
	if (!tenant_ids || !ids)
		rc = astra_error_nomem(err);
	else if (ltgf_parse_options(&in, out) < 0 ||
		 astra_in_whole(&in, "gpus", ASTRA_REQUIRED, ASTRA_IN_GPUS_MAX,
				&out->gpus) < 0 ||
		 parse_times_of_round(&in, out) < 0 ||
		 parse_tenants(&in, out, tenant_ids) < 0 ||
		 ltgf_parse_nodes(&in, out) < 0 ||
		 ltgf_parse_jobs(&in, out, tenant_ids, ids) < 0 ||
		 (out->lease_sec > 0 && ltgf_parse_check_held(&in, out) < 0))
		rc = -1;
	json_decref(tenant_ids);
	json_decref(ids);
	return rc;
}
