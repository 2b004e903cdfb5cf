/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the agent of an app may send. */
#include <math.h>
#include <string.h>

#include "src/model/auction.h"
#include "src/proto/query_read.h"

static enum astra_fault read_bid_name(const char *key, const json_t *value,
				      char **out, struct astra_error *err)
{
	if (!json_is_string(value) ||
	    !astra_name_valid(json_string_value(value),
			      json_string_length(value)))
		return astra_malformed(err, key,
				       "must be a name of 1 to 256 bytes "
				       "without control characters");
	*out = strndup(json_string_value(value), json_string_length(value));
	return *out ? ASTRA_FAULT_NONE : ASTRA_FAULT_INTERNAL;
}

enum astra_fault astra_read_app(const json_t *value, struct astra_query *out,
				struct astra_error *err)
{
	return read_bid_name("app", value, &out->app, err);
}

enum astra_fault astra_read_user(const json_t *value, struct astra_query *out,
				 struct astra_error *err)
{
	return read_bid_name("user", value, &out->user, err);
}

/* Reads a number of at least 0, or "inf", as JSON has no infinity. Returns 0 or
 * -1. */
static int read_bid_number(const json_t *value, double *out)
{
	const char *text = json_string_value(value);

	*out = json_number_value(value);
	if (text && !strcmp(text, "inf"))
		*out = (double)INFINITY;
	else if (!json_is_number(value) || *out < 0)
		return -1;
	return 0;
}

static enum astra_fault read_bid_level(enum astra_level level,
				       const json_t *value,
				       struct astra_curves *out,
				       struct astra_error *err)
{
	json_t *item;
	double number;
	size_t i;

	if (!json_is_array(value) || !json_array_size(value) ||
	    json_array_size(value) > ASTRA_BID_GPUS_MAX)
		return astra_malformed(err, astra_level_name(level),
				       "must be an array of 1 to 4096 numbers");
	json_array_foreach(value, i, item)
	{
		if (read_bid_number(item, &number) < 0)
			return astra_malformed(err, astra_level_name(level),
					       "a rho is a number from 0 on, "
					       "or \"inf\"");
		if (astra_curves_add(out, level, number) < 0)
			return ASTRA_FAULT_INTERNAL;
	}
	return ASTRA_FAULT_NONE;
}

enum astra_fault astra_read_rho(const json_t *value, struct astra_query *out,
				struct astra_error *err)
{
	enum astra_fault fault = ASTRA_FAULT_NONE;
	size_t known = 0;

	for (int i = 0; i < ASTRA_LEVEL_COUNT && !fault; i++) {
		enum astra_level level = (enum astra_level)i;
		const json_t *item =
			json_object_get(value, astra_level_name(level));

		if (!item)
			continue;
		known++;
		fault = read_bid_level(level, item, &out->bid.rho, err);
	}
	if (fault)
		return fault;
	if (known != json_object_size(value))
		return astra_malformed(err, "rho",
				       "its keys are slot, machine, rack and "
				       "cross");
	if (!out->bid.rho.gpus[ASTRA_LEVEL_SLOT])
		return astra_malformed(err, "rho",
				       "must be an object with \"slot\"");
	return ASTRA_FAULT_NONE;
}

enum astra_fault astra_read_rho_now(const json_t *value,
				    struct astra_query *out,
				    struct astra_error *err)
{
	if (read_bid_number(value, &out->bid.rho_now) < 0)
		return astra_malformed(err, "rho_now",
				       "must be a number from 0 on, or "
				       "\"inf\"");
	return ASTRA_FAULT_NONE;
}

enum astra_fault astra_read_order(const json_t *value, struct astra_query *out,
				  struct astra_error *err)
{
	json_t *item;
	size_t i;

	if (!json_is_array(value) ||
	    json_array_size(value) > ASTRA_BID_JOBS_MAX)
		return astra_malformed(err, "jobs",
				       "must be an array of at most 4096 jobs");
	json_array_foreach(value, i, item)
	{
		json_int_t id = json_integer_value(item);

		if (!json_is_integer(item) || id < 1 || id >= UINT32_MAX)
			return astra_malformed(err, "jobs",
					       "of a bid are numbers, as "
					       "\"job\" in the offer");
		if (astra_job_refs_add(&out->bid.order,
				       (struct astra_job_ref){(uint32_t)id,
							      UINT32_MAX}) < 0)
			return ASTRA_FAULT_INTERNAL;
	}
	return ASTRA_FAULT_NONE;
}

enum astra_fault astra_check_app(const struct astra_query *query,
				 struct astra_error *err)
{
	const struct astra_query_bid *bid = &query->bid;

	if (!query->app == !query->jobs.count)
		return astra_malformed(err, "app",
				       "name an app by it, or by one \"job\"");
	if (query->jobs.count && query->jobs.refs[0].task != UINT32_MAX)
		return astra_malformed(err, "job",
				       "must be the number of a job, or of an "
				       "array");
	if (query->user && !query->app)
		return astra_malformed(err, "user", "goes with \"app\" only");
	if (query->kind != ASTRA_QUERY_BID)
		return ASTRA_FAULT_NONE;
	if (bid->rho_now >= 0 && !bid->rho.count)
		return astra_malformed(err, "rho_now", "goes with \"rho\"");
	if (!bid->rho.count && !bid->order.count)
		return astra_malformed(err, "rho",
				       "or \"jobs\": one of them must be "
				       "there");
	return ASTRA_FAULT_NONE;
}
