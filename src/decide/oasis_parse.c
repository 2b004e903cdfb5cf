/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/decide/decide_oasis.h"
#include "src/decide/ids.h"

/* Bounds within which no formula overflows. A value is either 0 or at least
 * LEAST. */
#define LEAST 1e-9
#define MOST 1e9
#define SIZE_MOST 1e12 /* of gradients, bandwidths, utilities */
#define PRICE_LEAST 1e-15
#define PRICE_MOST 1e15
#define WORK_MOST 1e15

static const char *const modes[] = {"exact", "alg2", NULL};

static const struct astra_member market_members[] = {
	ASTRA_MEMBER_AS("T", oasis_instance, U32, slots,
			.most = ASTRA_OASIS_SLOTS_MAX),
	ASTRA_MEMBER_AS("mode", oasis_instance, WORD, whole_chunks,
			.words = modes, .optional = true),
	ASTRA_MEMBERS_END,
};

#define UTILITY(key, member, min, max)                                  \
	ASTRA_MEMBER_AS(key, astra_utility, REAL, member, .least = min, \
			.most = max)

static const struct astra_member utility_members[] = {
	UTILITY("g1", sigmoid.g1, 0, SIZE_MOST),
	UTILITY("g2", sigmoid.g2, 0, MOST),
	UTILITY("g3", sigmoid.g3, -SIZE_MOST, SIZE_MOST),
	ASTRA_MEMBERS_END,
};

#define JOB(kind, key, member, ...) \
	ASTRA_MEMBER_AS(key, astra_oasis_job, kind, member, .most = __VA_ARGS__)

static const struct astra_member job_members[] = {
	JOB(U64, "a", arrival, UINT32_MAX - 1),
	JOB(U32, "N", workers, ASTRA_OASIS_WORKERS_MAX),
	JOB(U32, "n_min", workers_min, ASTRA_OASIS_WORKERS_MAX,
	    .optional = true),
	JOB(REAL, "E", epochs, MOST),
	JOB(REAL, "M", batches, MOST),
	JOB(REAL, "tau", batch_slots, MOST),
	JOB(REAL, "e", gradient, SIZE_MOST),
	JOB(REAL, "b", bandwidth, SIZE_MOST),
	JOB(REAL, "B", ps_bandwidth, SIZE_MOST),
	ASTRA_MEMBER_ROW("utility", astra_oasis_job, PART, utility, ALL, 0,
			 utility_members),
	ASTRA_MEMBERS_END,
};

#define LOWER(key, member)                                        \
	ASTRA_MEMBER_AS(key, astra_oasis_range, REAL, member,     \
			.least = PRICE_LEAST, .most = PRICE_MOST, \
			.optional = true)

static const struct astra_member lower_members[] = {
	LOWER("L1", l1),
	LOWER("L2", l2),
	ASTRA_MEMBERS_END,
};

/* Sets the count of resources: the length of the first vector in the
 * instance. */
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

/* Checks that each value is 0 or at least LEAST. */
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
			       const struct oasis_instance *out,
			       double **capacity, size_t *count)
{
	const json_t *array;

	if (astra_in_array(in, key, ASTRA_REQUIRED, &array) < 0)
		return -1;
	*count = json_array_size(array);
	if (*count * out->resources * out->slots > ASTRA_OASIS_TABLE_MAX)
		return astra_in_fail(in, key,
				     "%zu servers of %zu resources "
				     "in %u slots are too many",
				     *count, out->resources, out->slots);
	if (astra_in_matrix(in, key, *count, out->resources, 0, SIZE_MOST,
			    capacity) < 0)
		return -1;
	return check_least(in, key, *capacity, *count * out->resources);
}

static int parse_demand(const struct astra_in *in, const char *key,
			const double **out)
{
	const struct oasis_instance *whole = in->whole;
	double *demand;

	if (astra_in_vector(in, key, whole->resources, 0, MOST, &demand) < 0)
		return -1;
	*out = demand;
	return check_least(in, key, demand, whole->resources);
}

static int oasis_parse_check_job(const struct astra_in *in,
				 const struct astra_oasis_job *job)
{
	if (job->workers && job->workers_min > job->workers)
		return astra_in_fail(in, "n_min", "%u is more than N, %u",
				     job->workers_min, job->workers);
	if (job->bandwidth <= 0 && job->gradient > 0)
		return astra_in_fail(in, "b", "must be above 0, as e is");
	if (job->bandwidth > 0 && job->ps_bandwidth <= 0)
		return astra_in_fail(in, "B", "must be above 0, as b is");
	if (astra_oasis_work(job) > WORK_MOST)
		return astra_in_fail(in, NULL,
				     "E N M (tau + 2e/b) is more than %g "
				     "worker-slots",
				     WORK_MOST);
	if (!job->arrival)
		return astra_in_fail(in, "a",
				     "must be 1 or more: slots are "
				     "counted from 1");
	return 0;
}

static int oasis_parse_job(const struct astra_in *in, void *element)
{
	struct astra_oasis_job *job = element;

	job->utility.kind = ASTRA_UTILITY_SIGMOID;
	if (astra_in_new_id(in) < 0 ||
	    astra_in_members(in, job_members, job) < 0 ||
	    parse_demand(in, "w", &job->worker) < 0 ||
	    parse_demand(in, "s", &job->ps) < 0)
		return -1;
	if (!job->workers_min)
		job->workers_min = 1;
	return oasis_parse_check_job(in, job);
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

/* Reads the price range. Limits that are not given are computed from the
 * jobs. */
static int oasis_parse_range(const struct astra_in *in,
			     struct oasis_instance *out)
{
	struct astra_oasis_history history;
	struct astra_oasis_range *range = &out->range;
	size_t resources = out->resources;

	astra_oasis_history_init(&history);
	for (size_t i = 0; i < out->job_count; i++) {
		const struct astra_oasis_job *job = &out->jobs[i];

		astra_oasis_history_add(
			&history, job,
			(double)out->slots - (double)job->arrival, resources);
	}
	astra_oasis_history_range(
		&history, resources, out->slots,
		oasis_parse_sum(out->h, out->h_count * resources),
		oasis_parse_sum(out->k, out->k_count * resources), range);
	return parse_upper(in, "U1", resources, range->u1) < 0 ||
			       parse_upper(in, "U2", resources, range->u2) < 0
		       ? -1
		       : astra_in_members(in, lower_members, range);
}

int oasis_parse(struct astra_in *in, struct oasis_instance *out)
{
	*out = (struct oasis_instance){.json = in->object};
	in->whole = out;
	if (astra_in_members(in, market_members, out) < 0 ||
	    count_resources(in, out) < 0 ||
	    oasis_parse_servers(in, "H", out, &out->h, &out->h_count) < 0 ||
	    oasis_parse_servers(in, "K", out, &out->k, &out->k_count) < 0 ||
	    astra_in_list(in, "jobs", ASTRA_REQUIRED, sizeof(*out->jobs),
			  oasis_parse_job, &out->jobs, &out->job_count) < 0)
		return -1;
	return oasis_parse_range(in, out);
}
