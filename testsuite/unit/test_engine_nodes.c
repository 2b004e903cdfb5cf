/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nodes come, go, change their places and get other names from one snapshot to
 * the next. Whatever the policy, what the engine remembers follows the nodes
 * by name, over a restart and in copies too. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/random.h"
#include "src/engine/engine_image.h"
#include "src/policies/options.h"
#include "src/policies/policy.h"
#include "testsuite/unit/unit.h"

#define NODES 260
#define SERIALS 2048 /* of all nodes that there ever are */
#define JOBS 50
#define ROUNDS 120
#define GPUS 4

/* What a job of the test has, on nodes by serial. */
struct holder {
	struct astra_job job;
	uint32_t serials[NODES];
	struct astra_share held[NODES];
	uint64_t allowed[(NODES + 63) / 64];
	double refused_until_sec[SERIALS]; /* on this node */
	double barred_until_sec;	   /* anywhere */
};

struct world {
	struct astra_random random;
	struct astra_options options;
	struct astra_engine *engine;
	struct astra_plan plan;
	uint32_t serials[NODES]; /* of the nodes, in the snapshot's order */
	size_t count;
	uint32_t last_serial, last_job;
	char names[SERIALS][8];
	uint32_t place[SERIALS]; /* in the snapshot, or ASTRA_NONE */
	struct astra_node nodes[NODES];
	struct astra_job jobs[JOBS];
	struct holder holders[JOBS];
	unsigned starts, refusals;
};

static const struct astra_tenant tenants[] = {
	{.name = "a", .weight = 1},
	{.name = "b", .weight = 2},
	{.name = "c", .weight = 1},
};

static uint32_t below(struct world *w, uint32_t n)
{
	return (uint32_t)astra_random_below(&w->random, n);
}

static uint32_t new_serial(struct world *w)
{
	assert_true(w->last_serial + 1 < SERIALS);
	return ++w->last_serial;
}

static void shuffle(struct world *w)
{
	for (size_t i = w->count; i > 1; i--) {
		size_t k = below(w, (uint32_t)i);
		uint32_t serial = w->serials[i - 1];

		w->serials[i - 1] = w->serials[k];
		w->serials[k] = serial;
	}
}

/* Grow past 64 and 128, shrink, rename, swap. */
static void change_nodes(struct world *w)
{
	size_t count =
		below(w, 3) ? 1 + below(w, NODES / 4) : 1 + below(w, NODES - 1);

	switch (below(w, 4)) {
	case 0:
		while (w->count < count)
			w->serials[w->count++] = new_serial(w);
		w->count = count;
		break;
	case 1:
		w->serials[below(w, (uint32_t)w->count)] = new_serial(w);
		break;
	case 2:
		memmove(w->serials, w->serials + 1,
			(w->count - 1) * sizeof(*w->serials));
		w->serials[w->count - 1] = new_serial(w);
		break;
	default:
		shuffle(w);
	}
}

static void show_nodes(struct world *w)
{
	for (size_t i = 0; i < SERIALS; i++)
		w->place[i] = ASTRA_NONE;
	for (uint32_t i = 0; i < w->count; i++) {
		w->place[w->serials[i]] = i;
		w->nodes[i] = (struct astra_node){
			.name = w->names[w->serials[i]],
			.usable = below(w, 20) != 0,
			.gpus = GPUS,
			.gpus_free = GPUS,
			.cpus = 16 * GPUS,
			.cpus_free = 16 * GPUS,
			.mem_free_mib = ASTRA_UNCOUNTED_MIB,
			.rack = w->serials[i] / 8,
		};
	}
}

static void begin_job(struct world *w, struct holder *h, double now_sec)
{
	*h = (struct holder){.job = {
				     .id = ++w->last_job,
				     .tenant = below(w, 3),
				     .copies = 1,
				     .weight = 1,
				     .request.gpus = 1 + below(w, 12),
				     .submit_sec = now_sec,
				     .time_limit_sec = 600,
				     .revocable = below(w, 5) != 0,
				     .checkpoints = below(w, 2),
				     .state = ASTRA_JOB_PENDING,
			     }};
	h->job.forecast.app = below(w, 3) ? 0 : 1 + below(w, 5);
}

static void requeue(struct astra_job *job, double now_sec)
{
	job->state = ASTRA_JOB_PENDING;
	job->held_count = 0;
	job->restart_cnt++;
	job->end_sec = now_sec;
	job->start_sec = 0;
}

/* Where its nodes are now; a job loses its GPUs with any of its nodes. */
static void show_held(struct world *w, struct holder *h, double now_sec)
{
	struct astra_job *job = &h->job;

	job->held = h->held;
	for (size_t i = 0; i < job->held_count; i++)
		if (w->place[h->serials[i]] == ASTRA_NONE) {
			requeue(job, now_sec);
			return;
		}
	for (size_t i = 0; i < job->held_count; i++) {
		struct astra_share *s = &h->held[i];

		s->node = w->place[h->serials[i]];
		w->nodes[s->node].gpus_free -= s->gpus;
		w->nodes[s->node].cpus_free -= s->cpus;
	}
}

static void show_allowed(struct world *w, struct holder *h)
{
	h->job.request.allowed = h->job.id % 4 ? NULL : h->allowed;
	memset(h->allowed, 0, sizeof(h->allowed));
	for (size_t i = 0; i < w->count; i++)
		if ((w->serials[i] + h->job.id) % 3)
			h->allowed[i / 64] |= UINT64_C(1) << (i % 64);
}

static struct astra_snapshot show(struct world *w, double now_sec)
{
	show_nodes(w);
	for (size_t i = 0; i < JOBS; i++) {
		struct holder *h = &w->holders[i];

		if (!h->job.id || !below(w, 40))
			begin_job(w, h, now_sec);
		show_held(w, h, now_sec);
		show_allowed(w, h);
		w->jobs[i] = h->job;
	}
	return (struct astra_snapshot){
		.now_sec = now_sec,
		.nodes = w->nodes,
		.node_count = w->count,
		.tenants = tenants,
		.tenant_count = ASTRA_COUNT_OF(tenants),
		.jobs = w->jobs,
		.job_count = JOBS,
	};
}

static struct holder *holder_of(struct world *w, uint32_t id)
{
	for (size_t i = 0; i < JOBS; i++)
		if (w->holders[i].job.id == id)
			return &w->holders[i];
	fail_msg("a decision about job %u, which is not there", id);
	return NULL;
}

/* Usable nodes of this snapshot, once each, with as many free GPUs, and none
 * that was refused. */
static void check_start(struct world *w, const struct holder *h,
			const struct astra_share *shares, size_t count,
			double now_sec)
{
	uint32_t gpus = 0;

	assert_int_equal(h->job.state, ASTRA_JOB_PENDING);
	assert_true(h->barred_until_sec <= now_sec);
	for (size_t i = 0; i < count; i++) {
		struct astra_node *n = &w->nodes[shares[i].node];

		assert_true(shares[i].node < w->count);
		assert_true(i == 0 || shares[i].node > shares[i - 1].node);
		assert_true(n->usable);
		assert_true(
			astra_node_allowed(&h->job.request, shares[i].node));
		assert_true(shares[i].gpus && shares[i].gpus <= n->gpus_free);
		assert_true(h->refused_until_sec[w->serials[shares[i].node]] <=
			    now_sec);
		n->gpus_free -= shares[i].gpus;
		gpus += shares[i].gpus;
	}
	assert_int_equal(gpus, h->job.request.gpus);
}

static void refuse(struct world *w, struct holder *h,
		   const struct astra_share *shares, size_t count,
		   double now_sec)
{
	double until_sec = now_sec + w->options.round_sec;
	bool nodes = below(w, 3) != 0;

	astra_engine_refuse(w->engine, h->job.id, shares, count, nodes,
			    now_sec);
	for (size_t i = 0; nodes && i < count; i++)
		h->refused_until_sec[w->serials[shares[i].node]] = until_sec;
	if (!nodes)
		h->barred_until_sec = until_sec;
	w->refusals++;
}

static void carry_out(struct world *w, const struct astra_decision *d,
		      double now_sec)
{
	const struct astra_share *shares = w->plan.shares + d->first_share;
	struct holder *h = holder_of(w, d->job);

	if (d->action == ASTRA_REQUEUE)
		requeue(&h->job, now_sec);
	if (d->action != ASTRA_START)
		return;
	check_start(w, h, shares, d->share_count, now_sec);
	if (!below(w, 4)) {
		refuse(w, h, shares, d->share_count, now_sec);
		return;
	}
	for (size_t i = 0; i < d->share_count; i++) {
		h->held[i] = shares[i];
		h->serials[i] = w->serials[shares[i].node];
	}
	h->job.held_count = d->share_count;
	h->job.state = ASTRA_JOB_RUNNING;
	h->job.start_sec = now_sec;
	h->job.end_sec = 0;
	w->starts++;
}

/* What was refused is forgotten. */
static void restart(struct world *w)
{
	struct astra_bytes state = {0};
	struct astra_error err = {""};

	assert_int_equal(astra_engine_save(w->engine, &state), 0);
	astra_engine_destroy(w->engine);
	w->engine =
		astra_engine_restore(&w->options, state.data, state.size, &err);
	if (!w->engine)
		fail_msg("%s", err.text);
	astra_bytes_clear(&state);
	for (size_t i = 0; i < JOBS; i++) {
		memset(w->holders[i].refused_until_sec, 0,
		       sizeof(w->holders[i].refused_until_sec));
		w->holders[i].barred_until_sec = 0;
	}
}

/* A copy of the engine as it was before a round decides the same. */
static void check_copy(struct world *w, const struct astra_bytes *image,
		       const struct astra_snapshot *snap)
{
	struct astra_error err = {""};
	struct astra_engine *copy = astra_engine_of_image(
		&w->options, image->data, image->size, &err);
	struct astra_plan plan;

	if (!copy)
		fail_msg("%s", err.text);
	astra_plan_init(&plan);
	assert_int_equal(astra_engine_round(copy, snap, &plan, &err), 0);
	assert_int_equal(plan.decision_count, w->plan.decision_count);
	assert_int_equal(plan.share_count, w->plan.share_count);
	for (size_t i = 0; i < plan.share_count; i++)
		assert_int_equal(plan.shares[i].node, w->plan.shares[i].node);
	astra_plan_destroy(&plan);
	astra_engine_destroy(copy);
}

static void hold_round(struct world *w, double now_sec)
{
	struct astra_snapshot snap = show(w, now_sec);
	struct astra_bytes image = {0};
	struct astra_error err = {""};

	assert_int_equal(astra_engine_image(w->engine, &image), 0);
	if (astra_engine_round(w->engine, &snap, &w->plan, &err) < 0)
		fail_msg("%s", err.text);
	check_copy(w, &image, &snap);
	astra_bytes_clear(&image);
	for (size_t i = 0; i < w->plan.decision_count; i++)
		carry_out(w, &w->plan.decisions[i], now_sec);
}

static void set(struct world *w, const char *key, const char *value)
{
	struct astra_error err = {""};

	if (astra_options_set(&w->options, key, value, &err) < 0)
		fail_msg("%s", err.text);
}

static void live(const char *policy, uint64_t seed)
{
	struct world *w = calloc(1, sizeof(*w));
	struct astra_error err = {""};

	assert_non_null(w);
	w->random = astra_random_seed(seed);
	astra_options_init(&w->options);
	set(w, "Policy", policy);
	set(w, "LeaseTerm", "60");
	set(w, "CheckpointGrace", "5");
	set(w, "SlotLength", "30");
	set(w, "PlanHorizon", "600");
	set(w, "BatchMax", "4");
	astra_plan_init(&w->plan);
	for (uint32_t i = 0; i < SERIALS; i++)
		snprintf(w->names[i], sizeof(w->names[i]), "n%u", i);
	while (w->count < 60)
		w->serials[w->count++] = new_serial(w);
	w->engine = astra_engine_create(&w->options, 1000, &err);
	assert_non_null(w->engine);
	for (unsigned r = 0; r < ROUNDS; r++) {
		if (!below(w, 6))
			change_nodes(w);
		if (!below(w, 25))
			restart(w);
		hold_round(w, 1000 + 4 * r);
	}
	print_message("%s: %u starts, %u refused\n", policy, w->starts,
		      w->refusals);
	assert_true(w->starts > 20 && w->refusals > 5);
	astra_plan_destroy(&w->plan);
	astra_engine_destroy(w->engine);
	free(w);
}

static void any_change_of_nodes_is_followed(void **state)
{
	const struct astra_policy *const *p = astra_policy_all();

	(void)state;
	for (size_t i = 0; p[i]; i++)
		for (uint64_t seed = 1; seed <= draws(2); seed++)
			live(p[i]->name, seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_change_of_nodes_is_followed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
