/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/cmd/sfair/top.h"

#define AMOUNT_MOST 1e6

static const char *top_model_text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

/* Infinity is the text "inf". */
static double top_model_number_of(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	if (json_is_number(value))
		return json_number_value(value);
	if (json_is_string(value) && !strcmp(json_string_value(value), "inf"))
		return INFINITY;
	return NAN;
}

/* The same of a number of GPUs or jobs; what is not known counts nothing. */
static double amount_of(const json_t *object, const char *key)
{
	double value = top_model_number_of(object, key);

	return isfinite(value) && value > 0 ? fmin(value, AMOUNT_MOST) : 0;
}

/* ---- Letters. ---- */

static char letter_at(size_t place)
{
	return (char)(place < 26 ? 'A' + place : 'a' + place - 26);
}

static bool take_letter(struct top_letters *letters, size_t place,
			const char *tenant)
{
	if (letters->names[place])
		return false;
	letters->names[place] = strdup(tenant);
	return letters->names[place] != NULL;
}

char top_letter(struct top_letters *letters, const char *tenant)
{
	int initial = tolower((unsigned char)*tenant);

	if (!*tenant)
		return '?';
	for (size_t i = 0; i < TOP_LETTERS; i++)
		if (letters->names[i] && !strcmp(letters->names[i], tenant))
			return letter_at(i);
	if (initial >= 'a' && initial <= 'z') {
		size_t place = (size_t)(initial - 'a');

		if (take_letter(letters, place, tenant))
			return letter_at(place);
		if (take_letter(letters, place + 26, tenant))
			return letter_at(place + 26);
	}
	for (size_t i = 0; i < TOP_LETTERS; i++)
		if (take_letter(letters, i, tenant))
			return letter_at(i);
	return '*';
}

void top_letters_clear(struct top_letters *letters)
{
	for (size_t i = 0; i < TOP_LETTERS; i++) {
		free(letters->names[i]);
		letters->names[i] = NULL;
	}
}

/* ---- Rows. ---- */

static struct top_pool top_model_read_pool(const json_t *o)
{
	return (struct top_pool){
		.name = top_model_text_of(o, "name"),
		.gpus = amount_of(o, "gpus"),
		.free = amount_of(o, "gpus_free"),
		.hold_job = top_model_number_of(o, "hold_job"),
		.hold_start_sec = top_model_number_of(o, "hold_start_sec"),
	};
}

static struct top_tenant top_model_read_tenant(const json_t *o,
					       struct top_letters *letters)
{
	struct top_tenant t = {
		.pool = top_model_text_of(o, "pool"),
		.name = top_model_text_of(o, "name"),
		.weight = top_model_number_of(o, "weight"),
		.quota = top_model_number_of(o, "quota_gpus"),
		.demand = top_model_number_of(o, "demand_gpus"),
		.alloc = top_model_number_of(o, "alloc_gpus"),
		.rho = top_model_number_of(o, "rho"),
		.waiting = top_model_number_of(o, "jobs_waiting"),
		.running = top_model_number_of(o, "jobs_running"),
	};

	t.letter = top_letter(letters, t.name);
	return t;
}

/* All jobs here are under leases: that each says so is of no use. */
static const char *short_reason(const char *reason)
{
	static const char prefix[] = "Lease: ";
	size_t size = sizeof(prefix) - 1;

	return strncmp(reason, prefix, size) != 0 ? reason : reason + size;
}

static struct top_job top_model_read_job(const json_t *o,
					 struct top_letters *letters)
{
	struct top_job j = {
		.pool = top_model_text_of(o, "pool"),
		.tenant = top_model_text_of(o, "tenant"),
		.id_text = top_model_text_of(o, "id_text"),
		.user = top_model_text_of(o, "user"),
		.account = top_model_text_of(o, "account"),
		.name = top_model_text_of(o, "name"),
		.nodes = top_model_text_of(o, "nodes"),
		.phase = top_model_text_of(o, "phase"),
		.reason = short_reason(top_model_text_of(o, "reason")),
		.id = top_model_number_of(o, "id"),
		.copies = amount_of(o, "copies"),
		.gpus = top_model_number_of(o, "gpus"),
		.submit_sec = top_model_number_of(o, "submit_sec"),
		.end_sec = top_model_number_of(o, "lease_end_sec"),
		.leases = top_model_number_of(o, "leases"),
		.revoked = top_model_number_of(o, "revoked"),
		.rank = top_model_number_of(o, "rank"),
		.start_sec = top_model_number_of(o, "expected_start_sec"),
		.rho = top_model_number_of(o, "rho"),
	};

	if (!strcmp(j.phase, "grace"))
		j.end_sec = top_model_number_of(o, "grace_end_sec");
	j.letter = top_letter(letters, j.tenant);
	return j;
}

/* holders: room for its holders. */
static struct top_node read_node(const json_t *o, struct top_holder *holders,
				 struct top_letters *letters)
{
	const json_t *list = json_object_get(o, "holders");
	struct top_node n = {
		.pool = top_model_text_of(o, "pool"),
		.name = top_model_text_of(o, "name"),
		.state = top_model_text_of(o, "state"),
		.gpus = amount_of(o, "gpus"),
		.free = amount_of(o, "gpus_free"),
		.holders = holders,
		.holder_count = json_array_size(list),
	};

	for (size_t i = 0; i < n.holder_count; i++) {
		const json_t *h = json_array_get(list, i);

		holders[i] = (struct top_holder){
			.id_text = top_model_text_of(h, "id_text"),
			.tenant = top_model_text_of(h, "tenant"),
			.gpus = (uint32_t)amount_of(h, "gpus"),
		};
		holders[i].letter = top_letter(letters, holders[i].tenant);
		n.held += holders[i].gpus;
	}
	return n;
}

/* What jobs hold that are no pool's is held, too; what is neither held nor
 * free is down. */
static void sum_pool(struct top_model *m, struct top_pool *pool)
{
	for (size_t i = 0; i < m->node_count; i++) {
		const struct top_node *n = &m->nodes[i];
		bool up = !strcmp(n->state, "up") ||
			  !strcmp(n->state, "cleaning");

		if (strcmp(n->pool, pool->name) != 0)
			continue;
		pool->held += up ? n->gpus - n->free : n->held;
	}
	pool->held = fmin(pool->held, pool->gpus);
	pool->down = fmax(pool->gpus - pool->held - pool->free, 0);
}

static int make_lists(struct top_model *m)
{
	size_t counts[TOP_VIEWS] = {m->tenant_count, m->node_count,
				    m->job_count, m->job_count};
	struct top_list *leases = &m->lists[TOP_LEASES];
	struct top_list *queue = &m->lists[TOP_QUEUE];

	for (size_t v = 0; v < TOP_VIEWS; v++) {
		m->lists[v].rows =
			calloc(counts[v] + 1, sizeof(*m->lists[v].rows));
		if (!m->lists[v].rows)
			return -1;
	}
	for (size_t i = 0; i < m->tenant_count; i++)
		m->lists[TOP_OVERVIEW].rows[i] = &m->tenants[i];
	m->lists[TOP_OVERVIEW].count = m->tenant_count;
	for (size_t i = 0; i < m->node_count; i++)
		m->lists[TOP_NODES].rows[i] = &m->nodes[i];
	m->lists[TOP_NODES].count = m->node_count;
	for (size_t i = 0; i < m->job_count; i++) {
		const struct top_job *job = &m->jobs[i];

		if (strcmp(job->phase, "waiting") != 0)
			leases->rows[leases->count++] = job;
		else
			queue->rows[queue->count++] = job;
	}
	return 0;
}

static int top_model_make_room(struct top_model *m)
{
	const json_t *nodes = json_object_get(m->reply, "nodes");

	m->pool_count = json_array_size(json_object_get(m->reply, "pools"));
	m->tenant_count = json_array_size(json_object_get(m->reply, "tenants"));
	m->node_count = json_array_size(nodes);
	m->job_count = json_array_size(json_object_get(m->reply, "jobs"));
	for (size_t i = 0; i < m->node_count; i++)
		m->holder_count += json_array_size(
			json_object_get(json_array_get(nodes, i), "holders"));
	m->pools = calloc(m->pool_count + 1, sizeof(*m->pools));
	m->tenants = calloc(m->tenant_count + 1, sizeof(*m->tenants));
	m->nodes = calloc(m->node_count + 1, sizeof(*m->nodes));
	m->holders = calloc(m->holder_count + 1, sizeof(*m->holders));
	m->jobs = calloc(m->job_count + 1, sizeof(*m->jobs));
	return m->pools && m->tenants && m->nodes && m->holders && m->jobs ? 0
									   : -1;
}

static void top_model_read_head(struct top_model *m)
{
	const json_t *diag = json_object_get(m->reply, "diag");

	m->cluster = top_model_text_of(m->reply, "cluster");
	m->time_sec = top_model_number_of(m->reply, "time_sec");
	m->rounds_per_min = top_model_number_of(diag, "rounds_per_min");
	m->round_usec = top_model_number_of(json_object_get(diag, "round"),
					    "last_usec");
	m->queue = top_model_number_of(diag, "queue");
}

/* Tenants first: the letters are theirs before they are a holder's. */
static void top_model_read_rows(struct top_model *m,
				struct top_letters *letters)
{
	const json_t *tenants = json_object_get(m->reply, "tenants");
	const json_t *nodes = json_object_get(m->reply, "nodes");
	const json_t *pools = json_object_get(m->reply, "pools");
	const json_t *jobs = json_object_get(m->reply, "jobs");
	struct top_holder *holders = m->holders;

	for (size_t i = 0; i < m->tenant_count; i++)
		m->tenants[i] = top_model_read_tenant(
			json_array_get(tenants, i), letters);
	for (size_t i = 0; i < m->job_count; i++)
		m->jobs[i] =
			top_model_read_job(json_array_get(jobs, i), letters);
	for (size_t i = 0; i < m->node_count; i++) {
		m->nodes[i] =
			read_node(json_array_get(nodes, i), holders, letters);
		holders += m->nodes[i].holder_count;
	}
	for (size_t i = 0; i < m->pool_count; i++) {
		m->pools[i] = top_model_read_pool(json_array_get(pools, i));
		sum_pool(m, &m->pools[i]);
	}
}

int top_model_load(json_t *reply, struct top_letters *letters,
		   struct top_model *out)
{
	struct top_model m = {.reply = reply};

	if (top_model_make_room(&m) < 0) {
		top_model_destroy(&m);
		return -1;
	}
	top_model_read_head(&m);
	top_model_read_rows(&m, letters);
	if (make_lists(&m) < 0) {
		top_model_destroy(&m);
		return -1;
	}
	*out = m;
	return 0;
}

void top_model_destroy(struct top_model *model)
{
	for (size_t v = 0; v < TOP_VIEWS; v++)
		free(model->lists[v].rows);
	free(model->pools);
	free(model->tenants);
	free(model->nodes);
	free(model->holders);
	free(model->jobs);
	json_decref(model->reply);
	*model = (struct top_model){0};
}
