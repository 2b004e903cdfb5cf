/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <jansson.h>
#include <math.h>

#include "src/proto/query.h"

static json_t *write_number(double value)
{
	return isinf(value) ? json_string("inf") : json_real(value);
}

static json_t *write_rho(const struct astra_curves *rho)
{
	json_t *levels = json_object();

	for (int level = 0; level < ASTRA_LEVEL_COUNT; level++) {
		const double *values = rho->values + rho->first[level];
		json_t *list;

		if (!rho->gpus[level])
			continue;
		list = json_array();
		for (uint32_t k = 0; k < rho->gpus[level]; k++)
			json_array_append_new(list, write_number(values[k]));
		json_object_set_new(levels, astra_level_name(level), list);
	}
	return levels;
}

static json_t *write_order(const struct astra_job_refs *order)
{
	json_t *list = json_array();

	for (size_t i = 0; i < order->count; i++)
		json_array_append_new(list, json_integer(order->refs[i].id));
	return list;
}

/* Writes which app is meant and, for a bid, the bid of its agent. */
static void query_write_app(json_t *root, const struct astra_query *query)
{
	const struct astra_query_bid *bid = &query->bid;

	if (query->app)
		json_object_set_new(root, "app", json_string(query->app));
	if (query->user)
		json_object_set_new(root, "user", json_string(query->user));
	if (query->kind != ASTRA_QUERY_BID)
		return;
	if (bid->rho.count)
		json_object_set_new(root, "rho", write_rho(&bid->rho));
	if (bid->rho_now >= 0)
		json_object_set_new(root, "rho_now",
				    write_number(bid->rho_now));
	if (bid->order.count)
		json_object_set_new(root, "jobs", write_order(&bid->order));
}

static void write_names(json_t *root, const char *key,
			const struct astra_names *names)
{
	json_t *list;

	if (!names->count)
		return;
	list = json_array();
	for (size_t i = 0; i < names->count; i++)
		json_array_append_new(list, json_string(names->names[i]));
	json_object_set_new(root, key, list);
}

static json_t *write_ref(struct astra_job_ref ref)
{
	if (ref.task == UINT32_MAX)
		return json_integer(ref.id);
	return json_sprintf("%u_%u", ref.id, ref.task);
}

static void write_jobs(json_t *root, const struct astra_query *query)
{
	json_t *list;

	bool one = query->kind != ASTRA_QUERY_JOB &&
		   query->kind != ASTRA_QUERY_REPORT &&
		   query->kind != ASTRA_QUERY_LEASE;

	if (one && query->jobs.count)
		json_object_set_new(root, "job",
				    write_ref(query->jobs.refs[0]));
	if (one || !query->jobs.count)
		return;
	list = json_array();
	for (size_t i = 0; i < query->jobs.count; i++)
		json_array_append_new(list, write_ref(query->jobs.refs[i]));
	json_object_set_new(root, "jobs", list);
}

static void write_count(json_t *root, const char *key, uint64_t count)
{
	json_object_set_new(root, key, json_integer((json_int_t)count));
}

static void write_said(json_t *root, const struct astra_query *query)
{
	const struct astra_said *said = &query->said;

	if (!astra_query_says(query))
		return;
	write_count(root, "run", said->run);
	if (query->kind == ASTRA_QUERY_CHECKPOINTED) {
		write_count(root, "step", said->step);
		return;
	}
	write_count(root, "done", said->done);
	if (said->total)
		write_count(root, "total", said->total);
	if (said->iter_sec > 0)
		json_object_set_new(root, "iter_sec",
				    json_real(said->iter_sec));
	if (isfinite(said->loss))
		json_object_set_new(root, "loss", json_real(said->loss));
}

static void write_past(json_t *root, const struct astra_query_past *past)
{
	json_object_set_new(root, "report",
			    json_string(astra_report_row(past->report)->name));
	json_object_set_new(root, "start_sec", json_integer(past->start_sec));
	json_object_set_new(root, "end_sec", json_integer(past->end_sec));
	if (past->top)
		write_count(root, "top", past->top);
}

static void write_adopt(json_t *root, const struct astra_query_adopt *adopt)
{
	json_t *list;

	if (!adopt->given)
		return;
	list = json_array();
	for (size_t i = 0; i < adopt->count; i++) {
		const struct astra_adopted *a = &adopt->list[i];

		json_array_append_new(list, json_pack("[s, s, f, f]", a->tenant,
						      a->user, a->usage.alloc,
						      a->usage.fair));
	}
	json_object_set_new(root, "usage", list);
	if (adopt->replace)
		json_object_set_new(root, "replace", json_true());
}

char *astra_query_encode(const struct astra_query *query)
{
	json_t *root = json_object();
	char *text;

	json_object_set_new(root, "astraea", json_integer(ASTRA_PROTOCOL));
	json_object_set_new(root, "request",
			    json_string(astra_query_kind_name(query->kind)));
	write_names(root, "users", &query->users);
	write_names(root, "accounts", &query->accounts);
	write_names(root, "pools", &query->pools);
	write_names(root, "fields", &query->fields);
	write_jobs(root, query);
	write_said(root, query);
	query_write_app(root, query);
	if (query->kind == ASTRA_QUERY_REPORT)
		write_past(root, &query->past);
	write_adopt(root, &query->adopt);
	if (query->ticket)
		write_count(root, "ticket", query->ticket);
	if (query->mine)
		json_object_set_new(root, "mine", json_true());
	if (query->reset)
		json_object_set_new(root, "reset", json_true());
	if (query->public)
		json_object_set_new(root, "public", json_true());
	text = json_dumps(root, JSON_COMPACT);
	json_decref(root);
	return text;
}
