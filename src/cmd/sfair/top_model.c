/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/cmd/sfair/top.h"

#define AMOUNT_MOST 1e6

/* Replaces an unknown number of GPUs or jobs by 0. */
static void top_model_clamp(double *value)
{
	*value = isfinite(*value) && *value > 0 ? fmin(*value, AMOUNT_MOST) : 0;
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

#define TEXT(type, key, member) \
	ASTRA_MEMBER_AS(key, top_##type, TEXT_OR_NULL, member)
#define REAL(type, key, member) ASTRA_MEMBER_AS(key, top_##type, REAL, member)

/* clang-format off */
static const struct astra_member pool_members[] = {
	TEXT(pool, "name", name), REAL(pool, "gpus", gpus),
	REAL(pool, "gpus_free", free), REAL(pool, "gpus_usable", usable),
	REAL(pool, "hold_job", hold_job),
	REAL(pool, "hold_start_sec", hold_start_sec), ASTRA_MEMBERS_END,
};

static const struct astra_member tenant_members[] = {
	TEXT(tenant, "pool", pool), TEXT(tenant, "name", name),
	REAL(tenant, "weight", weight), REAL(tenant, "quota_gpus", quota),
	REAL(tenant, "demand_gpus", demand), REAL(tenant, "alloc_gpus", alloc),
	REAL(tenant, "rho", rho), REAL(tenant, "jobs_waiting", waiting),
	REAL(tenant, "jobs_running", running), ASTRA_MEMBERS_END,
};

static const struct astra_member node_members[] = {
	TEXT(node, "pool", pool), TEXT(node, "name", name),
	TEXT(node, "state", state), REAL(node, "gpus", gpus),
	REAL(node, "gpus_free", free), ASTRA_MEMBERS_END,
};

static const struct astra_member holder_members[] = {
	TEXT(holder, "id_text", id_text), TEXT(holder, "tenant", tenant),
	REAL(holder, "gpus", gpus), ASTRA_MEMBERS_END,
};

static const struct astra_member job_members[] = {
	TEXT(job, "pool", pool), TEXT(job, "tenant", tenant),
	TEXT(job, "id_text", id_text), TEXT(job, "user", user),
	TEXT(job, "account", account), TEXT(job, "name", name),
	TEXT(job, "nodes", nodes), TEXT(job, "phase", phase),
	TEXT(job, "pinned", pinned), TEXT(job, "reason", reason),
	REAL(job, "id", id), REAL(job, "copies", copies),
	REAL(job, "gpus", gpus), REAL(job, "submit_sec", submit_sec),
	REAL(job, "lease_end_sec", end_sec),
	REAL(job, "grace_end_sec", grace_end_sec), REAL(job, "leases", leases),
	REAL(job, "revoked", revoked), REAL(job, "rank", rank),
	REAL(job, "expected_start_sec", start_sec), REAL(job, "rho", rho),
	ASTRA_MEMBERS_END,
};

static const struct astra_member round_members[] = {
	REAL(model, "last_usec", round_usec), ASTRA_MEMBERS_END,
};

static const struct astra_member diag_members[] = {
	REAL(model, "rounds_per_min", rounds_per_min),
	REAL(model, "queue", queue), ASTRA_MEMBERS_END,
};

static const struct astra_member head_members[] = {
	TEXT(model, "cluster", cluster), REAL(model, "time_sec", time_sec),
	ASTRA_MEMBERS_END,
};
/* clang-format on */

/* Removes "Lease: " from a reason, as all jobs here have leases. */
static const char *short_reason(const char *reason)
{
	static const char prefix[] = "Lease: ";
	size_t size = sizeof(prefix) - 1;

	return strncmp(reason, prefix, size) != 0 ? reason : reason + size;
}

static void finish_job(struct top_job *j, struct top_letters *letters)
{
	top_model_clamp(&j->copies);
	j->reason = short_reason(j->reason);
	if (!strcmp(j->phase, "grace"))
		j->end_sec = j->grace_end_sec;
	j->letter = top_letter(letters, j->tenant);
}

static int read_holders(struct top_node *n, const json_t *object,
			struct top_letters *letters, struct astra_error *wrong)
{
	top_model_clamp(&n->gpus);
	top_model_clamp(&n->free);
	n->holders = astra_rows_read(json_object_get(object, "holders"),
				     sizeof(*n->holders), holder_members,
				     "holders", &n->holder_count, wrong);
	for (size_t i = 0; i < n->holder_count; i++) {
		struct top_holder *h = &n->holders[i];

		top_model_clamp(&h->gpus);
		h->gpus = floor(h->gpus);
		h->letter = top_letter(letters, h->tenant);
		n->held += h->gpus;
	}
	return n->holders ? 0 : -1;
}

/* Sums up a pool's GPUs. GPUs held by jobs outside the pool count as held. GPUs
 * neither held nor free are down. If PrivateData hides the nodes, the GPUs that
 * jobs still hold on drained nodes count as down, too. */
static void sum_pool(struct top_model *m, struct top_pool *pool)
{
	if (!m->node_count)
		pool->held = fmax(pool->usable - pool->free, 0);
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

static void read_object(const json_t *object, struct top_model *m,
			const struct astra_member *members)
{
	astra_members_clear(m, members);
	(void)astra_members_read(object, m, members, "reply", 0, NULL);
}

static void top_model_read_head(struct top_model *m)
{
	const json_t *diag = json_object_get(m->reply, "diag");

	read_object(m->reply, m, head_members);
	read_object(diag, m, diag_members);
	read_object(json_object_get(diag, "round"), m, round_members);
}

/* Completes the rows: tenants first, so that they get their letters before the
 * tenants that hold nodes. */
static int finish_rows(struct top_model *m, struct top_letters *letters)
{
	const json_t *nodes = json_object_get(m->reply, "nodes");
	struct astra_error wrong = {""};
	int rc = 0;

	for (size_t i = 0; i < m->tenant_count; i++)
		m->tenants[i].letter = top_letter(letters, m->tenants[i].name);
	for (size_t i = 0; i < m->job_count; i++)
		finish_job(&m->jobs[i], letters);
	for (size_t i = 0; i < m->node_count && !rc; i++)
		rc = read_holders(&m->nodes[i], json_array_get(nodes, i),
				  letters, &wrong);
	for (size_t i = 0; i < m->pool_count; i++) {
		top_model_clamp(&m->pools[i].gpus);
		top_model_clamp(&m->pools[i].free);
		top_model_clamp(&m->pools[i].usable);
		sum_pool(m, &m->pools[i]);
	}
	return rc;
}

#define ROWS(m, one, members)                                                 \
	((m)->one##s = astra_rows_read(                                       \
		 json_object_get((m)->reply, #one "s"), sizeof(*(m)->one##s), \
		 members, #one, &(m)->one##_count, &(struct astra_error){""}))

int top_model_load(json_t *reply, struct top_letters *letters,
		   struct top_model *out)
{
	struct top_model m = {.reply = reply};

	if (!ROWS(&m, pool, pool_members) ||
	    !ROWS(&m, tenant, tenant_members) ||
	    !ROWS(&m, node, node_members) || !ROWS(&m, job, job_members) ||
	    finish_rows(&m, letters) < 0 || make_lists(&m) < 0) {
		top_model_destroy(&m);
		return -1;
	}
	top_model_read_head(&m);
	*out = m;
	return 0;
}

void top_model_destroy(struct top_model *model)
{
	for (size_t v = 0; v < TOP_VIEWS; v++)
		free(model->lists[v].rows);
	for (size_t i = 0; i < model->node_count; i++)
		free(model->nodes[i].holders);
	free(model->pools);
	free(model->tenants);
	free(model->nodes);
	free(model->jobs);
	json_decref(model->reply);
	*model = (struct top_model){0};
}
