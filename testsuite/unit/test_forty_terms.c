/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Forty terms of ltgf on 32 GPUs, in random worlds: three tenants of random
 * weights with two users each, one of them may flood the cluster with 1-GPU
 * jobs, the others have endless gangs; in every second world nodes drain and
 * come back; and a fourth tenant asks for what cannot run. Who always has work
 * that fits lacks no more than 4 % of the GPU time and one turn of the largest
 * job; where all nodes stay, no first start is over its bound; what cannot run
 * earns nothing. */
#include <math.h>
#include <stdlib.h>

#include "src/common/random.h"
#include "testsuite/unit/unit.h"
#include "testsuite/unit/vcluster.h"

#define AT(t) (1000.0 + (t))
#define SEEDS 12
#define NODES 4
#define NODE_GPUS 8
#define GPUS (NODES * NODE_GPUS)
#define TENANTS 3
#define TERM 90.0
#define TERMS 40
#define WAITING 12 /* jobs of the flood at a time, of each user */
#define SHARE_ERROR 0.04

struct fleet {
	struct vcluster vc;
	struct astra_random random;
	uint32_t gpus[TENANTS]; /* of a job */
	uint32_t flood;		/* a tenant; TENANTS: none */
	bool drains;
	double back_sec; /* the drained node is back; 0: none is */
	size_t drained;
};

static uint32_t below(struct fleet *w, uint32_t most)
{
	return (uint32_t)astra_random_below(&w->random, most);
}

static struct vjob *submit(struct fleet *w, uint32_t tenant, uint32_t user,
			   uint32_t gpus, double work_sec)
{
	struct vjob *v = vc_submit(&w->vc, tenant, gpus, work_sec);

	v->job.user = 2 * tenant + user;
	v->job.weight = 1;
	return v;
}

static void begin(struct fleet *w, uint64_t seed)
{
	static const char *const names[] = {"a", "b", "c", "d"};
	static const char *const users[] = {"a1", "a2", "b1", "b2",
					    "c1", "c2", "d1", "d2"};
	static const uint32_t sizes[] = {2, 4, 8, 16};

	w->random = astra_random_seed(seed);
	w->back_sec = 0;
	w->drains = seed % 2;
	vc_init(&w->vc, NODES, NODE_GPUS);
	w->vc.options.lease_sec = TERM;
	w->vc.options.grace_sec = 4;
	w->vc.options.recall_sec = TERM * 2 / 15;
	w->vc.options.round_sec = 5;
	vc_begin(&w->vc);
	w->flood = below(w, TENANTS + 1);
	for (uint32_t t = 0; t <= TENANTS; t++) {
		vc_tenant(&w->vc, names[t], 1 + below(w, 3));
		vc_user(&w->vc, t, users[2 * t]);
		vc_user(&w->vc, t, users[2 * t + 1]);
	}
	for (uint32_t t = 0; t < TENANTS; t++) {
		w->gpus[t] = t == w->flood ? 1 : sizes[below(w, 4)];
		for (uint32_t n = 0;
		     w->gpus[t] > 1 && n < 2 * GPUS / w->gpus[t]; n++)
			submit(w, t, n % 2, w->gpus[t], HUGE_VAL);
	}
	submit(w, TENANTS, 0, GPUS + 1, HUGE_VAL);
	submit(w, TENANTS, 1, 2 * GPUS, HUGE_VAL);
}

/* So many jobs of each user of the flood wait. */
static void keep_flooding(struct fleet *w)
{
	uint32_t waiting[2] = {0};

	if (w->flood == TENANTS)
		return;
	for (size_t i = 0; i < w->vc.job_count; i++) {
		const struct astra_job *job = &w->vc.jobs[i]->job;

		if (job->tenant == w->flood && job->state == ASTRA_JOB_PENDING)
			waiting[job->user % 2]++;
	}
	for (uint32_t user = 0; user < 2; user++)
		while (waiting[user]++ < WAITING && w->vc.job_count < VC_JOBS)
			submit(w, w->flood, user, 1,
			       TERM / 2 + below(w, (uint32_t)(2 * TERM)));
}

static void set_node(struct fleet *w, size_t node, bool usable)
{
	w->vc.nodes[node].usable = usable;
	w->vc.nodes[node].emptying = !usable;
	w->vc.due_sec = w->vc.now_sec;
}

/* Every eight terms a node drains for two. */
static void drain(struct fleet *w)
{
	double terms = (w->vc.now_sec - AT(0)) / TERM;

	if (w->back_sec > 0 && w->vc.now_sec >= w->back_sec) {
		set_node(w, w->drained, true);
		w->back_sec = 0;
	} else if (w->drains && !(w->back_sec > 0) && fmod(terms, 8) >= 5 &&
		   fmod(terms, 8) < 5.02) {
		w->drained = below(w, NODES);
		w->back_sec = w->vc.now_sec + 2 * TERM;
		set_node(w, w->drained, false);
	}
}

static void check(struct fleet *w, uint64_t seed)
{
	double largest = 0;

	for (uint32_t t = 0; t < TENANTS; t++)
		largest = fmax(largest, w->gpus[t]);
	for (uint32_t t = 0; t < TENANTS; t++) {
		struct astra_usage u = vc_tenant_view(&w->vc, t).usage;
		double most =
			SHARE_ERROR * GPUS * TERM * TERMS + largest * TERM;

		if (u.fair - u.alloc > most)
			fail_msg("seed %u: tenant %u with jobs of %u GPUs "
				 "lacks %.1f %% of the GPU time",
				 (unsigned)seed, t, w->gpus[t],
				 100 * (u.fair - u.alloc) /
					 (GPUS * TERM * TERMS));
	}
	assert_true(vc_tenant_view(&w->vc, TENANTS).usage.fair == 0);
	if (!w->drains)
		assert_int_equal(astra_engine_counters(w->vc.engine).over_bound,
				 0);
}

static void who_has_work_has_its_share(void **state)
{
	static struct fleet w;

	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		begin(&w, seed);
		while (w.vc.now_sec < AT(TERMS * TERM)) {
			keep_flooding(&w);
			drain(&w);
			vc_step(&w.vc);
		}
		check(&w, seed);
		vc_fini(&w.vc);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_has_work_has_its_share),
	};

	return cmocka_run_group_tests_name("forty_terms", tests, NULL, NULL);
}
