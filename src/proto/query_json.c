/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "src/proto/query.h"

/* The deepest nesting in a text, strings skipped; says nothing of whether
 * it is JSON. It is asked before a parser that recurses sees the text. */
static size_t nesting(const char *text, size_t size)
{
	size_t depth = 0, deepest = 0;
	bool quoted = false;

	for (size_t i = 0; i < size; i++) {
		char c = text[i];

		if (quoted && c == '\\') {
			i++;
		} else if (c == '"') {
			quoted = !quoted;
		} else if (!quoted && (c == '[' || c == '{')) {
			if (++depth > deepest)
				deepest = depth;
		} else if (!quoted && (c == ']' || c == '}') && depth) {
			depth--;
		}
	}
	return deepest;
}

static enum astra_fault malformed(struct astra_error *err, const char *key,
				  const char *wanted)
{
	astra_error_set(err, "\"%s\": %s", key, wanted);
	return ASTRA_FAULT_MALFORMED;
}

static bool name_valid(const char *name, size_t size)
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
		return malformed(err, key, "must be an array");
	if (json_array_size(value) > ASTRA_QUERY_NAMES_MAX)
		return malformed(err, key, "has more than 500 entries");
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
		    !name_valid(json_string_value(item),
				json_string_length(item)))
			return malformed(err, key,
					 "must hold names of 1 to 256 bytes "
					 "without control characters");
		if (astra_names_add(out, json_string_value(item),
				    json_string_length(item)) < 0)
			return ASTRA_FAULT_INTERNAL;
	}
	return ASTRA_FAULT_NONE;
}

static enum astra_fault read_users(const json_t *value, struct astra_query *out,
				   struct astra_error *err)
{
	return read_names("users", value, &out->users, err);
}

static enum astra_fault read_accounts(const json_t *value,
				      struct astra_query *out,
				      struct astra_error *err)
{
	return read_names("accounts", value, &out->accounts, err);
}

static enum astra_fault read_pools(const json_t *value, struct astra_query *out,
				   struct astra_error *err)
{
	return read_names("pools", value, &out->pools, err);
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

static enum astra_fault read_job(const char *key, const json_t *item,
				 struct astra_query *out,
				 struct astra_error *err)
{
	struct astra_job_ref ref;

	if (read_ref(item, &ref) < 0)
		return malformed(err, key,
				 "a job is a number from 1 to 4294967294, or "
				 "a text like \"12\" or \"12_3\"");
	if (astra_job_refs_add(&out->jobs, ref) < 0)
		return ASTRA_FAULT_INTERNAL;
	return ASTRA_FAULT_NONE;
}

static enum astra_fault read_jobs(const json_t *value, struct astra_query *out,
				  struct astra_error *err)
{
	enum astra_fault fault = check_list("jobs", value, err);
	json_t *item;
	size_t i;

	json_array_foreach(value, i, item)
	{
		if (fault)
			break;
		fault = read_job("jobs", item, out, err);
	}
	return fault;
}

static enum astra_fault read_one_job(const json_t *value,
				     struct astra_query *out,
				     struct astra_error *err)
{
	return read_job("job", value, out, err);
}

static enum astra_fault read_reset(const json_t *value, struct astra_query *out,
				   struct astra_error *err)
{
	if (!json_is_boolean(value))
		return malformed(err, "reset", "must be true or false");
	out->reset = json_is_true(value);
	return ASTRA_FAULT_NONE;
}

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

static enum astra_fault read_run(const json_t *value, struct astra_query *out,
				 struct astra_error *err)
{
	uint64_t run = 0;
	enum astra_fault fault =
		read_count("run", value, 0, UINT32_MAX - 1, &run, err);

	out->said.run = (uint32_t)run;
	return fault;
}

#define COUNT_READER(key, least)                                       \
	static enum astra_fault read_##key(const json_t *value,        \
					   struct astra_query *out,    \
					   struct astra_error *err)    \
	{                                                              \
		return read_count(#key, value, least, ASTRA_COUNT_MAX, \
				  &out->said.key, err);                \
	}

COUNT_READER(done, 0)
COUNT_READER(total, 1)
COUNT_READER(step, 0)

static enum astra_fault read_iter(const json_t *value, struct astra_query *out,
				  struct astra_error *err)
{
	double sec = json_number_value(value);

	if (!json_is_number(value) || sec <= 0 || sec > ASTRA_ITER_SEC_MAX)
		return malformed(err, "iter_sec",
				 "must be a number of seconds above 0");
	out->said.iter_sec = sec;
	return ASTRA_FAULT_NONE;
}

/* JSON has no infinity and no NaN. */
static enum astra_fault read_loss(const json_t *value, struct astra_query *out,
				  struct astra_error *err)
{
	if (!json_is_number(value))
		return malformed(err, "loss", "must be a number");
	out->said.loss = json_number_value(value);
	return ASTRA_FAULT_NONE;
}

static enum astra_fault read_nothing(const json_t *value,
				     struct astra_query *out,
				     struct astra_error *err)
{
	(void)value;
	(void)out;
	(void)err;
	return ASTRA_FAULT_NONE;
}

#define ON(kind) (1u << ASTRA_QUERY_##kind)
#define ON_LISTS (ON(TENANT) | ON(JOB) | ON(LEASE))
#define ON_OWN (ON(REMAINING) | ON_SAID)
#define ON_SAID (ON(PROGRESS) | ON(CHECKPOINTED))
#define ON_ALL (ON_LISTS | ON(WHY) | ON(DIAG) | ON_OWN)

/* All keys of a request, and which requests may or must have them. */
static const struct key {
	const char *name;
	unsigned kinds, needed;
	enum astra_fault (*read)(const json_t *value, struct astra_query *out,
				 struct astra_error *err);
} keys[] = {
	{"astraea", ON_ALL, ON_ALL, read_nothing},
	{"request", ON_ALL, ON_ALL, read_nothing},
	{"users", ON_LISTS, 0, read_users},
	{"accounts", ON_LISTS, 0, read_accounts},
	{"pools", ON_LISTS | ON(DIAG), 0, read_pools},
	{"jobs", ON(JOB) | ON(LEASE), 0, read_jobs},
	{"job", ON(WHY) | ON_OWN, ON(WHY) | ON_OWN, read_one_job},
	{"reset", ON(DIAG), 0, read_reset},
	{"run", ON_SAID, ON_SAID, read_run},
	{"done", ON(PROGRESS), ON(PROGRESS), read_done},
	{"total", ON(PROGRESS), 0, read_total},
	{"iter_sec", ON(PROGRESS), 0, read_iter},
	{"loss", ON(PROGRESS), 0, read_loss},
	{"step", ON(CHECKPOINTED), ON(CHECKPOINTED), read_step},
};

static const struct key *find_key(const char *name)
{
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (!strcmp(name, keys[i].name))
			return &keys[i];
	return NULL;
}

/* Version and kind come first, so that a newer client learns that it is
 * newer, and not that one of its keys is unknown. */
static enum astra_fault read_head(const json_t *root, struct astra_query *out,
				  struct astra_error *err)
{
	const json_t *version = json_object_get(root, "astraea");
	const char *request =
		json_string_value(json_object_get(root, "request"));

	if (!json_is_integer(version))
		return malformed(err, "astraea",
				 "must be the protocol's version, a number");
	if (json_integer_value(version) != ASTRA_PROTOCOL) {
		astra_error_set(err,
				"the request has protocol version %lld, the "
				"plugin speaks %d: use an sfair of the "
				"plugin's release",
				(long long)json_integer_value(version),
				ASTRA_PROTOCOL);
		return ASTRA_FAULT_VERSION;
	}
	if (!request || astra_query_kind_find(request, &out->kind) < 0)
		return malformed(err, "request",
				 "must be tenant, job, lease, why, diag, "
				 "remaining, progress or checkpointed");
	return ASTRA_FAULT_NONE;
}

static enum astra_fault unknown_key(const char *name,
				    const struct astra_query *query,
				    struct astra_error *err)
{
	astra_error_set(err, "\"%.64s\": no key of a %s request", name,
			astra_query_kind_name(query->kind));
	return ASTRA_FAULT_MALFORMED;
}

static enum astra_fault check_whole(const json_t *root,
				    const struct astra_query *query,
				    struct astra_error *err)
{
	const struct astra_said *said = &query->said;

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if ((keys[i].needed & 1u << query->kind) &&
		    !json_object_get(root, keys[i].name))
			return malformed(err, keys[i].name, "is missing");
	if ((ON_OWN & 1u << query->kind) &&
	    query->jobs.refs[0].task != UINT32_MAX)
		return malformed(err, "job",
				 "must be the job's own number, as in "
				 "SLURM_JOB_ID");
	if (said->total && said->done > said->total)
		return malformed(err, "done", "is above \"total\"");
	return ASTRA_FAULT_NONE;
}

static enum astra_fault read_root(json_t *root, struct astra_query *out,
				  struct astra_error *err)
{
	enum astra_fault fault = read_head(root, out, err);
	const char *name;
	json_t *value;

	if (fault)
		return fault;
	json_object_foreach(root, name, value)
	{
		const struct key *key = find_key(name);

		if (!key || !(key->kinds & 1u << out->kind))
			return unknown_key(name, out, err);
		fault = key->read(value, out, err);
		if (fault)
			return fault;
	}
	return check_whole(root, out, err);
}

static json_t *parse(const char *text, size_t size, struct astra_error *err)
{
	json_error_t why;
	json_t *root;

	if (nesting(text, size) > ASTRA_QUERY_DEPTH_MAX) {
		astra_error_set(err, "JSON: nested deeper than %d",
				ASTRA_QUERY_DEPTH_MAX);
		return NULL;
	}
	root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &why);
	if (!root) {
		astra_error_set(err, "JSON: line %d column %d: %s", why.line,
				why.column, why.text);
		return NULL;
	}
	if (!json_is_object(root)) {
		astra_error_set(err, "JSON: a request is an object");
		json_decref(root);
		return NULL;
	}
	return root;
}

enum astra_fault astra_query_decode(const char *text, size_t size,
				    struct astra_query *out,
				    struct astra_error *err)
{
	struct astra_query query = {.said = {.loss = NAN}};
	enum astra_fault fault;
	json_t *root;

	if (size > ASTRA_REQUEST_MAX) {
		astra_error_set(err, "the request is above 1 MiB");
		return ASTRA_FAULT_TOO_LARGE;
	}
	root = parse(text, size, err);
	if (!root)
		return ASTRA_FAULT_MALFORMED;
	fault = read_root(root, &query, err);
	json_decref(root);
	if (fault == ASTRA_FAULT_INTERNAL)
		astra_error_nomem(err);
	if (fault) {
		astra_query_destroy(&query);
		return fault;
	}
	*out = query;
	return ASTRA_FAULT_NONE;
}
