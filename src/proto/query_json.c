/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "src/proto/encode.h"
#include "src/proto/query.h"
#include "src/proto/query_read.h"

/* Returns how deeply brackets are nested in a text, outside of strings. The
 * text need not be JSON. Called before a recursive parser sees the text. */
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

#define ON(kind) (1u << ASTRA_QUERY_##kind)
#define ON_LISTS                                                       \
	(ON(TENANT) | ON(JOB) | ON(LEASE) | ON(AUCTION) | ON(REPORT) | \
	 ON(TOP) | ON(CLASS))
#define ON_RECORDS \
	(ON(TENANT) | ON(JOB) | ON(LEASE) | ON(AUCTION) | ON(PRICE) | ON(CLASS))
#define ON_OWN (ON(REMAINING) | ON_SAID)
#define ON_SAID (ON(PROGRESS) | ON(CHECKPOINTED))
#define ON_APP (ON(OFFER) | ON(BID))
#define ON_ALL                                                               \
	(ON_LISTS | ON(WHY) | ON(DIAG) | ON(METRICS) | ON(RECORD) | ON_OWN | \
	 ON_APP | ON(ADOPT) | ON(PRICE))

/* All keys of a request, and which requests may or must have them. */
static const struct key {
	const char *name;
	unsigned kinds, needed;
	astra_read_key *read;
} keys[] = {
	{"astraea", ON_ALL, ON_ALL, astra_read_nothing},
	{"request", ON_ALL, ON_ALL, astra_read_nothing},
	{"users", ON_LISTS, 0, astra_read_users},
	{"accounts", ON_LISTS, 0, astra_read_accounts},
	{"pools", ON_LISTS | ON(DIAG) | ON(RECORD) | ON(ADOPT) | ON(PRICE), 0,
	 astra_read_pools},
	{"fields", ON_RECORDS, 0, astra_read_fields},
	{"jobs", ON(JOB) | ON(LEASE) | ON(BID) | ON(REPORT), 0,
	 astra_read_jobs},
	{"job", ON(WHY) | ON_OWN | ON_APP, ON_OWN, astra_read_one_job},
	{"mine", ON(WHY), 0, astra_read_mine},
	{"reset", ON(DIAG), 0, astra_read_reset},
	{"public", ON(TOP) | ON(REPORT), 0, astra_read_public},
	{"ticket", ON(RECORD) | ON(ADOPT), 0, astra_read_ticket},
	{"usage", ON(ADOPT), 0, astra_read_adopt},
	{"replace", ON(ADOPT), 0, astra_read_replace},
	{"run", ON_SAID, ON_SAID, astra_read_run},
	{"done", ON(PROGRESS), ON(PROGRESS), astra_read_done},
	{"total", ON(PROGRESS), 0, astra_read_total},
	{"iter_sec", ON(PROGRESS), 0, astra_read_iter},
	{"loss", ON(PROGRESS), 0, astra_read_loss},
	{"step", ON(CHECKPOINTED), ON(CHECKPOINTED), astra_read_step},
	{"app", ON_APP, 0, astra_read_app},
	{"user", ON_APP, 0, astra_read_user},
	{"rho", ON(BID), 0, astra_read_rho},
	{"rho_now", ON(BID), 0, astra_read_rho_now},
	{"report", ON(REPORT), ON(REPORT), astra_read_report},
	{"start_sec", ON(REPORT), ON(REPORT), astra_read_start},
	{"end_sec", ON(REPORT), ON(REPORT), astra_read_end},
	{"top", ON(REPORT), 0, astra_read_top},
};

static const struct key *query_json_find_key(const char *name)
{
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (!strcmp(name, keys[i].name))
			return &keys[i];
	return NULL;
}

/* Reads version and kind first. So a newer client learns that its version is
 * unknown, rather than one of its keys. */
static enum astra_fault query_json_read_head(const json_t *root,
					     struct astra_query *out,
					     struct astra_error *err)
{
	const json_t *version = json_object_get(root, "astraea");
	const char *request =
		json_string_value(json_object_get(root, "request"));

	if (!json_is_integer(version))
		return astra_malformed(
			err, "astraea",
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
		return astra_malformed(
			err, "request",
			"must be tenant, job, lease, why, diag, "
			"remaining, progress, checkpointed, offer, bid, "
			"auction, price, class, metrics, record, report, top or "
			"adopt");
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
	uint64_t picked;

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if ((keys[i].needed & 1u << query->kind) &&
		    !json_object_get(root, keys[i].name))
			return astra_malformed(err, keys[i].name, "is missing");
	if (query->kind == ASTRA_QUERY_WHY && !query->jobs.count &&
	    !query->mine)
		return astra_malformed(err, "job", "is missing");
	if (query->mine && query->jobs.count)
		return astra_malformed(err, "mine", "does not go with \"job\"");
	if (ON_RECORDS & 1u << query->kind)
		return astra_pick(query, &picked, err);
	if (ON_APP & 1u << query->kind)
		return astra_check_app(query, err);
	if (query->kind == ASTRA_QUERY_REPORT)
		return astra_check_past(query, err);
	if (query->kind == ASTRA_QUERY_ADOPT)
		return astra_check_adopt(query, err);
	if ((ON_OWN & 1u << query->kind) &&
	    query->jobs.refs[0].task != UINT32_MAX)
		return astra_malformed(err, "job",
				       "must be the job's own number, as in "
				       "SLURM_JOB_ID");
	if (said->total && said->done > said->total)
		return astra_malformed(err, "done", "is above \"total\"");
	return ASTRA_FAULT_NONE;
}

static enum astra_fault read_root(json_t *root, struct astra_query *out,
				  struct astra_error *err)
{
	enum astra_fault fault = query_json_read_head(root, out, err);
	const char *name;
	json_t *value;

	if (fault)
		return fault;
	json_object_foreach(root, name, value)
	{
		const struct key *key = query_json_find_key(name);

		if (!key || !(key->kinds & 1u << out->kind))
			return unknown_key(name, out, err);
		fault = key->read(value, out, err);
		if (fault)
			return fault;
	}
	return check_whole(root, out, err);
}

static json_t *query_json_parse(const char *text, size_t size,
				struct astra_error *err)
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
	struct astra_query query = {.said = {.loss = NAN},
				    .bid = {.rho_now = -1}};
	enum astra_fault fault;
	json_t *root;

	if (size > ASTRA_REQUEST_MAX) {
		astra_error_set(err, "the request is above 1 MiB");
		return ASTRA_FAULT_TOO_LARGE;
	}
	root = query_json_parse(text, size, err);
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
