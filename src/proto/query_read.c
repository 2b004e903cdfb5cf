/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/proto/query_read.h"

#include <string.h>

enum astra_fault astra_malformed(struct astra_error *err, const char *key,
				 const char *wanted)
{
	astra_error_set(err, "\"%s\": %s", key, wanted);
	return ASTRA_FAULT_MALFORMED;
}

bool astra_name_valid(const char *name, size_t size)
{
	if (!size || size > ASTRA_QUERY_NAME_MAX)
		return false;
	for (size_t i = 0; i < size; i++)
		if ((unsigned char)name[i] < ' ' || name[i] == 0x7f)
			return false;
	return true;
}

static enum astra_fault check_list(const char *key, const json_t *value,
				   struct astra_error *err)
{
	if (!json_is_array(value))
		return astra_malformed(err, key, "must be an array");
	if (json_array_size(value) > ASTRA_QUERY_NAMES_MAX)
		return astra_malformed(err, key, "has more than 500 entries");
	return ASTRA_FAULT_NONE;
}

static enum astra_fault read_names(const char *key, const json_t *value,
				   struct astra_names *out,
				   struct astra_error *err)
{
	enum astra_fault fault = check_list(key, value, err);
	json_t *item;
	size_t i;

	if (fault)
		return fault;
	json_array_foreach(value, i, item)
	{
		if (!json_is_string(item) ||
		    !astra_name_valid(json_string_value(item),
				      json_string_length(item)))
			return astra_malformed(
				err, key,
				"must hold names of 1 to 256 bytes "
				"without control characters");
		if (astra_names_add(out, json_string_value(item),
				    json_string_length(item)) < 0)
			return ASTRA_FAULT_INTERNAL;
	}
	return ASTRA_FAULT_NONE;
}

enum astra_fault astra_read_users(const json_t *value, struct astra_query *out,
				  struct astra_error *err)
{
	return read_names("users", value, &out->users, err);
}

enum astra_fault astra_read_accounts(const json_t *value,
				     struct astra_query *out,
				     struct astra_error *err)
{
	return read_names("accounts", value, &out->accounts, err);
}

enum astra_fault astra_read_pools(const json_t *value, struct astra_query *out,
				  struct astra_error *err)
{
	return read_names("pools", value, &out->pools, err);
}

/* Reads "fields". Whether these keys exist is checked once the kind of request
 * is known. */
enum astra_fault astra_read_fields(const json_t *value, struct astra_query *out,
				   struct astra_error *err)
{
	if (json_array_size(value) > ASTRA_QUERY_FIELDS_MAX)
		return astra_malformed(err, "fields",
				       "has more than 64 entries");
	return read_names("fields", value, &out->fields, err);
}

static int read_ref(const json_t *item, struct astra_job_ref *ref)
{
	json_int_t id = json_integer_value(item);

	if (json_is_string(item))
		return astra_job_ref_parse(json_string_value(item), ref);
	if (!json_is_integer(item) || id < 1 || id >= UINT32_MAX)
		return -1;
	*ref = (struct astra_job_ref){.id = (uint32_t)id, .task = UINT32_MAX};
	return 0;
}

static enum astra_fault query_read_job(const char *key, const json_t *item,
				       struct astra_query *out,
				       struct astra_error *err)
{
	struct astra_job_ref ref;

	if (read_ref(item, &ref) < 0)
		return astra_malformed(
			err, key,
			"a job is a number from 1 to 4294967294, or "
			"a text like \"12\" or \"12_3\"");
	if (astra_job_refs_add(&out->jobs, ref) < 0)
		return ASTRA_FAULT_INTERNAL;
	return ASTRA_FAULT_NONE;
}

enum astra_fault astra_read_jobs(const json_t *value, struct astra_query *out,
				 struct astra_error *err)
{
	enum astra_fault fault;
	json_t *item;
	size_t i;

	if (out->kind == ASTRA_QUERY_BID)
		return astra_read_order(value, out, err);
	fault = check_list("jobs", value, err);
	json_array_foreach(value, i, item)
	{
		if (fault)
			break;
		fault = query_read_job("jobs", item, out, err);
	}
	return fault;
}

enum astra_fault astra_read_one_job(const json_t *value,
				    struct astra_query *out,
				    struct astra_error *err)
{
	return query_read_job("job", value, out, err);
}

enum astra_fault astra_read_mine(const json_t *value, struct astra_query *out,
				 struct astra_error *err)
{
	if (!json_is_true(value))
		return astra_malformed(err, "mine", "must be true");
	out->mine = true;
	return ASTRA_FAULT_NONE;
}

enum astra_fault astra_read_reset(const json_t *value, struct astra_query *out,
				  struct astra_error *err)
{
	if (!json_is_boolean(value))
		return astra_malformed(err, "reset", "must be true or false");
	out->reset = json_is_true(value);
	return ASTRA_FAULT_NONE;
}

enum astra_fault astra_read_public(const json_t *value, struct astra_query *out,
				   struct astra_error *err)
{
	if (!json_is_boolean(value))
		return astra_malformed(err, "public", "must be true or false");
	out->public = json_is_true(value);
	return ASTRA_FAULT_NONE;
}

/* Reads a whole number from least to most. Returns a fault, or
 * ASTRA_FAULT_NONE. */
static enum astra_fault read_count(const char *key, const json_t *value,
				   uint64_t least, uint64_t most, uint64_t *out,
				   struct astra_error *err)
{
	json_int_t count = json_integer_value(value);

	if (!json_is_integer(value) || count < 0 || (uint64_t)count < least ||
	    (uint64_t)count > most) {
		astra_error_set(
			err, "\"%s\": must be a whole number from %llu to %llu",
			key, (unsigned long long)least,
			(unsigned long long)most);
		return ASTRA_FAULT_MALFORMED;
	}
	*out = (uint64_t)count;
	return ASTRA_FAULT_NONE;
}

enum astra_fault astra_read_run(const json_t *value, struct astra_query *out,
				struct astra_error *err)
{
	uint64_t run = 0;
	enum astra_fault fault =
		read_count("run", value, 0, UINT32_MAX - 1, &run, err);

	out->said.run = (uint32_t)run;
	return fault;
}

#define COUNT_READER(key, least)                                       \
	enum astra_fault astra_read_##key(const json_t *value,         \
					  struct astra_query *out,     \
					  struct astra_error *err)     \
	{                                                              \
		return read_count(#key, value, least, ASTRA_COUNT_MAX, \
				  &out->said.key, err);                \
	}

COUNT_READER(done, 0)
COUNT_READER(total, 1)
COUNT_READER(step, 0)

enum astra_fault astra_read_iter(const json_t *value, struct astra_query *out,
				 struct astra_error *err)
{
	double sec = json_number_value(value);

	if (!json_is_number(value) || sec <= 0 || sec > ASTRA_ITER_SEC_MAX)
		return astra_malformed(err, "iter_sec",
				       "must be a number of seconds above 0");
	out->said.iter_sec = sec;
	return ASTRA_FAULT_NONE;
}

/* Reads "loss". JSON has no infinity and no NaN. */
enum astra_fault astra_read_loss(const json_t *value, struct astra_query *out,
				 struct astra_error *err)
{
	if (!json_is_number(value))
		return astra_malformed(err, "loss", "must be a number");
	out->said.loss = json_number_value(value);
	return ASTRA_FAULT_NONE;
}

enum astra_fault astra_read_nothing(const json_t *value,
				    struct astra_query *out,
				    struct astra_error *err)
{
	(void)value;
	(void)out;
	(void)err;
	return ASTRA_FAULT_NONE;
}

enum astra_fault astra_read_ticket(const json_t *value, struct astra_query *out,
				   struct astra_error *err)
{
	return read_count("ticket", value, 1, ASTRA_COUNT_MAX, &out->ticket,
			  err);
}

/* Usage to adopt: [tenant, user, A, F]. If user is "", it is the tenant's
 * own. */

static const char adopt_key[] = "usage";

static bool adopt_name(const json_t *value, bool may_be_empty)
{
	size_t size = json_string_length(value);

	return json_is_string(value) &&
	       ((may_be_empty && !size) ||
		astra_name_valid(json_string_value(value), size));
}

/* Whether the value is a valid number of GPU seconds. JSON has no infinity and
 * no NaN. */
static bool adopt_gpu_sec(const json_t *value)
{
	return json_is_number(value) && json_number_value(value) >= 0 &&
	       json_number_value(value) <= ASTRA_ADOPT_GPU_SEC_MAX;
}

static enum astra_fault adopt_entry(const json_t *entry,
				    struct astra_query_adopt *out,
				    struct astra_error *err)
{
	const json_t *tenant = json_array_get(entry, 0);
	const json_t *user = json_array_get(entry, 1);
	const json_t *alloc = json_array_get(entry, 2);
	const json_t *fair = json_array_get(entry, 3);

	if (json_array_size(entry) != 4 || !adopt_name(tenant, false) ||
	    !adopt_name(user, true) || !adopt_gpu_sec(alloc) ||
	    !adopt_gpu_sec(fair))
		return astra_malformed(
			err, adopt_key,
			"an entry is [tenant, user or \"\", A, F], A and F in "
			"GPU seconds from 0 to 1e15");
	return astra_adopt_add(
		       out, json_string_value(tenant), json_string_value(user),
		       (struct astra_usage){json_number_value(alloc),
					    json_number_value(fair)}) < 0
		       ? ASTRA_FAULT_INTERNAL
		       : ASTRA_FAULT_NONE;
}

enum astra_fault astra_read_adopt(const json_t *value, struct astra_query *out,
				  struct astra_error *err)
{
	enum astra_fault fault = ASTRA_FAULT_NONE;
	json_t *entry;
	size_t i;

	if (!json_is_array(value))
		return astra_malformed(err, adopt_key, "must be an array");
	if (json_array_size(value) > ASTRA_ADOPT_MAX)
		return astra_malformed(err, adopt_key,
				       "has more than 10000 entries");
	out->adopt.given = true;
	json_array_foreach(value, i, entry)
	{
		if (fault)
			break;
		fault = adopt_entry(entry, &out->adopt, err);
	}
	return fault;
}

enum astra_fault astra_read_replace(const json_t *value,
				    struct astra_query *out,
				    struct astra_error *err)
{
	if (!json_is_boolean(value))
		return astra_malformed(err, "replace", "must be true or false");
	out->adopt.replace = json_is_true(value);
	return ASTRA_FAULT_NONE;
}

/* Checks the keys of an adopt request. A request with a ticket must not have
 * "usage". */
enum astra_fault astra_check_adopt(const struct astra_query *query,
				   struct astra_error *err)
{
	if (query->ticket && query->adopt.given)
		return astra_malformed(err, adopt_key,
				       "does not go with \"ticket\"");
	if (query->adopt.replace && !query->adopt.given)
		return astra_malformed(err, "replace", "goes with \"usage\"");
	return ASTRA_FAULT_NONE;
}

/* The keys of a report on past time. */

enum astra_fault astra_read_report(const json_t *value, struct astra_query *out,
				   struct astra_error *err)
{
	const char *name = json_string_value(value);
	char names[300];

	if (name && !astra_report_kind_find(name, &out->past.report))
		return ASTRA_FAULT_NONE;
	astra_report_kind_names(NULL, names, sizeof(names));
	astra_error_set(err, "\"report\": must be one of %s", names);
	return ASTRA_FAULT_MALFORMED;
}

static enum astra_fault past_read_sec(const char *key, const json_t *value,
				      int64_t *out, struct astra_error *err)
{
	uint64_t sec = 0;
	enum astra_fault fault = read_count(
		key, value, 0, (uint64_t)ASTRA_PAST_SEC_MAX, &sec, err);

	*out = (int64_t)sec;
	return fault;
}

enum astra_fault astra_read_start(const json_t *value, struct astra_query *out,
				  struct astra_error *err)
{
	return past_read_sec("start_sec", value, &out->past.start_sec, err);
}

enum astra_fault astra_read_end(const json_t *value, struct astra_query *out,
				struct astra_error *err)
{
	return past_read_sec("end_sec", value, &out->past.end_sec, err);
}

enum astra_fault astra_read_top(const json_t *value, struct astra_query *out,
				struct astra_error *err)
{
	uint64_t top = 0;
	enum astra_fault fault =
		read_count("top", value, 1, ASTRA_PAST_TOP_MAX, &top, err);

	out->past.top = (uint32_t)top;
	return fault;
}

static enum astra_fault no_key(const char *key,
			       const struct astra_report_row *row,
			       struct astra_error *err)
{
	astra_error_set(err, "\"%s\": no key of the report %s", key, row->name);
	return ASTRA_FAULT_MALFORMED;
}

enum astra_fault astra_check_past(const struct astra_query *query,
				  struct astra_error *err)
{
	const struct astra_report_row *row =
		astra_report_row(query->past.report);

	if (query->past.start_sec >= query->past.end_sec)
		return astra_malformed(err, "end_sec",
				       "must be after \"start_sec\"");
	if (query->users.count && !row->accounts)
		return no_key("users", row, err);
	if (query->accounts.count && !row->accounts)
		return no_key("accounts", row, err);
	if (query->jobs.count && !row->jobs)
		return no_key("jobs", row, err);
	if (query->past.top && !row->top)
		return no_key("top", row, err);
	return ASTRA_FAULT_NONE;
}
