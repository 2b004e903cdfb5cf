/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "src/decide/decide_ltgf.h"
#include "src/decide/ids.h"

/* Most GPUs of a node: the placement keeps a bitmap of nodes for each count of
 * GPUs. */
#define NODE_GPUS_MAX 65536

static const char *const variants[] = {"eq8", "eq16", NULL};
static const char *const unfits[] = {"job", "tenant", NULL};
static const char *const placements[] = {"consolidated", "strict", NULL};

#define ROUND(kind, key, member, ...) \
	ASTRA_MEMBER_AS(key, ltgf_instance, kind, member, __VA_ARGS__)
#define CHOICE(key, member, of) \
	ROUND(WORD, key, member, .words = of, .optional = true)
/* Defines a member that is a time. */
#define TIME(key, type, member, ...)                                          \
	ASTRA_MEMBER_AS(key, type, REAL, member, .least = -ASTRA_IN_TIME_MAX, \
			.most = ASTRA_IN_TIME_MAX, __VA_ARGS__)

static const struct astra_member round_members[] = {
	CHOICE("variant", quota_entitlement, variants),
	CHOICE("on_unfit", on_unfit_tenant, unfits),
	CHOICE("placement", strict, placements),
	ROUND(FLAG, "prioritize_new", new_first),
	ROUND(U32, "gpus", gpus, .most = ASTRA_IN_GPUS_MAX),
	TIME("begin", ltgf_instance, begin_sec, .optional = true),
	TIME("now", ltgf_instance, now_sec),
	ROUND(REAL, "lease", lease_sec, .least = 1e-9,
	      .most = ASTRA_IN_TIME_MAX, .optional = true),
	ASTRA_MEMBERS_END,
};

static const struct astra_member tenant_members[] = {
	ASTRA_MEMBER(ltgf_tenant, REAL, weight, .most = ASTRA_IN_WEIGHT_MAX),
	ASTRA_MEMBERS_END,
};

#define JOB(kind, key, member, ...) \
	ASTRA_MEMBER_AS(key, ltgf_job, kind, member, __VA_ARGS__)

static const struct astra_member job_members[] = {
	JOB(REAL, "weight", weight, .most = ASTRA_IN_WEIGHT_MAX),
	JOB(U32, "gpus", gpus, .most = ASTRA_IN_GPUS_MAX),
	JOB(FLAG, "schedulable", schedulable),
	TIME("submit", ltgf_job, submit_sec),
	TIME("end", ltgf_job, end_sec, .optional = true),
	ASTRA_MEMBERS_END,
};

static int read_tenant(const struct astra_in *in, void *tenant)
{
	return astra_in_new_id(in) < 0
		       ? -1
		       : astra_in_members(in, tenant_members, tenant);
}

static int read_node(const struct astra_in *in, void *element)
{
	struct ltgf_node *n = element;

	if (astra_in_whole(in, "free", ASTRA_REQUIRED, NODE_GPUS_MAX,
			   &n->free) < 0)
		return -1;
	n->size = n->free;
	if (astra_in_whole(in, "size", ASTRA_OPTIONAL, NODE_GPUS_MAX,
			   &n->size) < 0)
		return -1;
	if (n->size < n->free)
		return astra_in_fail(in, "size", "%u is less than free, %u",
				     n->size, n->free);
	return 0;
}

static int compare_runs(const void *a, const void *b)
{
	const struct ltgf_run *x = a, *y = b;

	return x->start_sec < y->start_sec ? -1 : x->start_sec > y->start_sec;
}

/* Merges runs that overlap, as a job holds its GPUs only once. */
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

static int parse_run(const struct astra_in *in, const json_t *runs,
		     size_t index, struct ltgf_run *run)
{
	const json_t *start, *end;

	if (astra_in_pair(in, "runs", runs, index, &start, &end) < 0)
		return -1;
	if (!ltgf_parse_is_time(start) ||
	    (!json_is_null(end) && !ltgf_parse_is_time(end)))
		return astra_in_fail(in, "runs",
				     "run %zu must have a start and an end in "
				     "numbers, or a null end while it goes on",
				     index);
	run->start_sec = json_number_value(start);
	run->end_sec = json_is_null(end) ? HUGE_VAL : json_number_value(end);
	if (run->end_sec < run->start_sec)
		return astra_in_fail(in, "runs",
				     "run %zu ends before it starts", index);
	return 0;
}

static int parse_runs(const struct astra_in *in, struct ltgf_job *job)
{
	const json_t *array;
	size_t count;

	if (astra_in_array(in, "runs", ASTRA_REQUIRED, &array) < 0)
		return -1;
	count = json_array_size(array);
	job->fresh = !count;
	job->runs = astra_in_take(in, count, sizeof(*job->runs));
	if (!job->runs)
		return -1;
	for (size_t i = 0; i < count; i++)
		if (parse_run(in, array, i, &job->runs[i]) < 0)
			return -1;
	job->run_count = merge_runs(job->runs, count);
	return 0;
}

static int ltgf_parse_job(const struct astra_in *in, void *element)
{
	const struct ltgf_instance *whole = in->whole;
	uint64_t nodes = whole->lease_sec > 0 ? whole->node_count : UINT32_MAX;
	struct ltgf_job *job = element;

	job->schedulable = true;
	job->end_sec = HUGE_VAL;
	if (astra_in_new_id(in) < 0 ||
	    astra_in_known_id(in, "tenant", "tenants", &job->tenant) < 0 ||
	    astra_in_members(in, job_members, job) < 0)
		return -1;
	if (job->end_sec < job->submit_sec)
		return astra_in_fail(in, "end", "%g is before submit, %g",
				     job->end_sec, job->submit_sec);
	return parse_runs(in, job) < 0
		       ? -1
		       : astra_in_held(in, "node", whole->node_count, nodes,
				       NODE_GPUS_MAX, &job->held,
				       &job->held_count);
}

/* Checks that candidates hold no more GPUs of a node than its `free`, which
 * includes the GPUs of leases that expire now. */
static int ltgf_parse_check_held(const struct astra_in *in,
				 const struct ltgf_instance *out)
{
	uint64_t *held = astra_in_take(in, out->node_count, sizeof(*held));

	if (!held)
		return -1;
	for (size_t i = 0; i < out->job_count; i++) {
		const struct ltgf_job *job = &out->jobs[i];

		for (size_t k = 0; k < job->held_count; k++) {
			uint32_t node = job->held[k].node;

			if (!ltgf_is_candidate(out, job))
				break;
			held[node] += job->held[k].gpus;
			if (held[node] > out->nodes[node].free)
				return astra_error_set(
					in->err,
					"jobs[%zu].held: more than the %u "
					"GPUs that nodes[%u].free has",
					i, out->nodes[node].free, node);
		}
	}
	return 0;
}

int ltgf_parse(struct astra_in *in, struct ltgf_instance *out)
{
	*out = (struct ltgf_instance){.json = in->object};
	in->whole = out;
	if (astra_in_members(in, round_members, out) < 0)
		return -1;
	if (out->now_sec < out->begin_sec)
		return astra_in_fail(in, "now", "%g is before begin, %g",
				     out->now_sec, out->begin_sec);
	if (astra_in_list(in, "tenants", ASTRA_REQUIRED, sizeof(*out->tenants),
			  read_tenant, &out->tenants, &out->tenant_count) < 0 ||
	    astra_in_list(in, "nodes",
			  out->lease_sec > 0 ? ASTRA_REQUIRED : ASTRA_OPTIONAL,
			  sizeof(*out->nodes), read_node, &out->nodes,
			  &out->node_count) < 0 ||
	    astra_in_list(in, "jobs", ASTRA_REQUIRED, sizeof(*out->jobs),
			  ltgf_parse_job, &out->jobs, &out->job_count) < 0)
		return -1;
	return out->lease_sec > 0 ? ltgf_parse_check_held(in, out) : 0;
}
