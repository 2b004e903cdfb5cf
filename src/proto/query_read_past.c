/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The keys of a report over past time. */
#include <string.h>

#include "src/proto/query_read.h"

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

static enum astra_fault query_read_past_read_sec(const char *key,
						 const json_t *value,
						 int64_t *out,
						 struct astra_error *err)
{
	uint64_t sec = 0;
	enum astra_fault fault = astra_read_count(
		key, value, 0, (uint64_t)ASTRA_PAST_SEC_MAX, &sec, err);

	*out = (int64_t)sec;
	return fault;
}

enum astra_fault astra_read_start(const json_t *value, struct astra_query *out,
				  struct astra_error *err)
{
	return query_read_past_read_sec("start_sec", value,
					&out->past.start_sec, err);
}

enum astra_fault astra_read_end(const json_t *value, struct astra_query *out,
				struct astra_error *err)
{
	return query_read_past_read_sec("end_sec", value, &out->past.end_sec,
					err);
}

enum astra_fault astra_read_top(const json_t *value, struct astra_query *out,
				struct astra_error *err)
{
	uint64_t top = 0;
	enum astra_fault fault = astra_read_count(
		"top", value, 1, ASTRA_PAST_TOP_MAX, &top, err);

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
