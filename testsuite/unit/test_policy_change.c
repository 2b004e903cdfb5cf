/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A pool's policy is changed in mid-lease and in mid-window, between two rounds
 * or over a restart: no job stops for it, leases and accounts go on, and a
 * policy that comes back knows what it knew. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/engine/engine_priv.h"
#include "testsuite/unit/unit.h"
#include "testsuite/unit/vcluster.h"

#define JOBS 14
#define USERS 3

enum way {
	RECONFIGURED, /* in the running host */
	RESTARTED,    /* saved, and loaded with the other policy */
	WAYS
};

static const char *const policies[] = {
	"ltgf",	      "themis",		"incentive",
	"oasis",      "ogasched",	"ltgf+themis",
	"ltgf+oasis", "ltgf+incentive", "ltgf+ogasched",
};

static void set_policy(struct vcluster *vc, const char *name)
{
	snprintf(vc->options.policy, sizeof(vc->options.policy), "%s", name);
	vc->policy = astra_policy_find(name);
}

static void change(struct vcluster *vc, const char *name, enum way way)
{
	struct astra_bytes saved = {0};
	struct astra_error err = {""};

	set_policy(vc, name);
	assert_int_equal(astra_options_check(&vc->options, &err), 0);
	if (way == RECONFIGURED) {
		if (astra_engine_configure(vc->engine, &vc->options, &err) < 0)
			fail_msg("%s: %s", name, err.text);
		return;
	}
	assert_int_equal(astra_engine_save(vc->engine, &saved), 0);
	astra_engine_destroy(vc->engine);
	vc->engine = astra_engine_restore(&vc->options, saved.data, saved.size,
					  &err);
	astra_bytes_clear(&saved);
	if (!vc->engine)
		fail_msg("%s: %s", name, err.text);
}

/* All that is not the policy's own. */
struct facts {
	struct astra_job_view jobs[64];
	size_t job_count;
	struct astra_tenant_view tenants[4];
	struct astra_user_view users[USERS];
	struct astra_counters counters;
};

static void note(struct vcluster *vc, struct facts *f)
{
	const struct astra_engine *e = vc->engine;

	*f = (struct facts){.counters = astra_engine_counters(e)};
	for (size_t i = 0; i < astra_engine_job_count(e); i++) {
		astra_engine_job_view(e, i, vc->now_sec,
				      &f->jobs[f->job_count]);
		f->job_count += f->jobs[f->job_count].id != 0;
	}
	for (size_t i = 0; i < astra_engine_tenant_count(e); i++)
		astra_engine_tenant_view(e, i, vc->now_sec, &f->tenants[i]);
	assert_int_equal(astra_engine_user_count(e), USERS);
	for (size_t i = 0; i < USERS; i++)
		astra_engine_user_view(e, i, vc->now_sec, &f->users[i]);
}

static void same_usage(struct astra_usage a, struct astra_usage b)
{
	assert_true(fabs(a.alloc - b.alloc) < 1e-6);
	assert_true(fabs(a.fair - b.fair) < 1e-6);
}

static void same_job(const struct astra_job_view *a,
		     const struct astra_job_view *b)
{
	assert_int_equal(a->id, b->id);
	assert_int_equal(a->state, b->state);
	assert_int_equal(a->gpus, b->gpus);
	assert_int_equal(a->leases, b->leases);
	assert_int_equal(a->revoked, b->revoked);
	assert_true(a->submit_sec == b->submit_sec);
	assert_true(a->start_sec == b->start_sec);
	assert_true(a->lease_start_sec == b->lease_start_sec);
	assert_true(a->lease_end_sec == b->lease_end_sec);
	assert_true(a->bound_sec == b->bound_sec);
	assert_true(a->lost_sec == b->lost_sec);
	same_usage(a->usage, b->usage);
}

static void nothing_is_lost(struct vcluster *vc, const struct facts *before)
{
	struct facts now;

	note(vc, &now);
	assert_int_equal(now.job_count, before->job_count);
	for (size_t i = 0; i < now.job_count; i++)
		same_job(&now.jobs[i], &before->jobs[i]);
	for (size_t i = 0; i < vc->tenant_count; i++) {
		assert_true(now.tenants[i].alloc_gpus ==
			    before->tenants[i].alloc_gpus);
		same_usage(now.tenants[i].usage, before->tenants[i].usage);
	}
	for (size_t i = 0; i < USERS; i++)
		same_usage(now.users[i].usage, before->users[i].usage);
	assert_int_equal(now.counters.granted, before->counters.granted);
	assert_int_equal(now.counters.renewed, before->counters.renewed);
	assert_int_equal(now.counters.revoked, before->counters.revoked);
	assert_int_equal(now.counters.first_starts,
			 before->counters.first_starts);
}

static struct vcluster *pool(const char *policy)
{
	static const uint32_t gpus[JOBS] = {1, 2, 4, 1, 8, 1, 2,
					    4, 1, 1, 2, 8, 1, 4};
	struct vcluster *vc = calloc(1, sizeof(*vc));
	uint32_t users[USERS];

	assert_non_null(vc);
	vc_init(vc, 3, 4);
	vc->options.lease_sec = 60;
	vc->options.lease_said = true;
	vc->options.slot_sec = 20;
	vc->options.horizon_sec = 1200;
	vc->options.recall_sec = 0; /* it would take running leases */
	vc->options.grace_sec = 5;
	vc->options.round_sec = 1;
	set_policy(vc, policy);
	vc_tenant(vc, "red", 2);
	vc_tenant(vc, "blue", 1);
	users[0] = vc_user(vc, 0, "ada");
	users[1] = vc_user(vc, 0, "bob");
	users[2] = vc_user(vc, 1, "eve");
	vc_begin(vc);
	for (uint32_t i = 0; i < JOBS; i++) {
		struct vjob *v =
			vc_submit(vc, i % USERS == 2, gpus[i], 80 + 13 * i);

		v->job.user = users[i % USERS];
		v->job.forecast.work_sec = v->work_sec;
	}
	return vc;
}

static void drop(struct vcluster *vc)
{
	vc_fini(vc);
	free(vc);
}

static size_t count_running(const struct vcluster *vc)
{
	size_t count = 0;

	for (size_t i = 0; i < vc->job_count; i++)
		count += vc->jobs[i]->job.state == ASTRA_JOB_RUNNING;
	return count;
}

/* What is held is accounted, whoever ruled when; and all that was to be run was
 * run. */
static void all_come_to_their_end(struct vcluster *vc, const char *from,
				  const char *to)
{
	double had = 0, run = 0;

	for (int i = 0; i < 8000; i++) {
		size_t ended = 0;

		for (size_t k = 0; k < vc->job_count; k++)
			ended += vc->jobs[k]->job.state == ASTRA_JOB_ENDED;
		if (ended == vc->job_count)
			break;
		if (i == 7999)
			fail_msg("%s to %s: %zu of %zu jobs end", from, to,
				 ended, vc->job_count);
		vc_step(vc);
	}
	vc_run(vc, vc->now_sec + 10);
	for (uint32_t i = 0; i < vc->tenant_count; i++)
		had += vc_tenant_view(vc, i).usage.alloc;
	for (size_t i = 0; i < vc->job_count; i++)
		run += vc->jobs[i]->done_sec * vc->jobs[i]->job.request.gpus;
	assert_true(fabs(had - run) <= 0.1 * run);
}

static void change_at(const char *from, const char *to, double at_sec,
		      enum way way)
{
	struct vcluster *vc = pool(from);
	struct facts before;
	size_t running;

	vc_run(vc, 1000 + at_sec);
	running = count_running(vc);
	assert_true(running > 0);
	note(vc, &before);
	change(vc, to, way);
	nothing_is_lost(vc, &before);
	/* Leases go on to their ends. */
	vc->due_sec = vc->now_sec;
	vc_step(vc);
	assert_true(count_running(vc) + 2 >= running);
	for (size_t i = 0; i < before.job_count; i++) {
		const struct vjob *v = vc->jobs[before.jobs[i].id - 1];

		if (before.jobs[i].phase == ASTRA_PHASE_LEASED &&
		    before.jobs[i].lease_end_sec > vc->now_sec + 2 &&
		    v->done_sec < v->work_sec &&
		    v->job.state != ASTRA_JOB_RUNNING)
			fail_msg("%s to %s: job %u stops in mid-lease", from,
				 to, before.jobs[i].id);
	}
	all_come_to_their_end(vc, from, to);
	drop(vc);
}

/* Leases begin within the first seconds under ltgf, with a slot under the
 * policies of slots, whose windows are of 20, 40, 80 ... s. */
static void leases_and_accounts_go_on_under_any_other_policy(void **state)
{
	static const double at_sec[] = {47, 73, 131};

	(void)state;
	for (size_t a = 0; a < ASTRA_COUNT_OF(policies); a++)
		for (size_t b = 0; b < ASTRA_COUNT_OF(policies); b++)
			for (size_t k = 0; k < draws(ASTRA_COUNT_OF(at_sec)); k++)
				for (int way = 0; way < WAYS; way++)
					change_at(policies[a], policies[b],
						  at_sec[k], (enum way)way);
}

static void same_sum(double a, double b)
{
	assert_int_equal(isnan(a), isnan(b));
	assert_true(isnan(a) || fabs(a - b) < 1e-9);
}

static void same_sums(const struct vcluster *vc,
		      struct astra_policy_report before[3])
{
	for (size_t i = 0; i < 3; i++) {
		struct astra_policy_report now;

		(void)astra_engine_policy_report(
			vc->engine, i < 2 ? vc->tenants[i].name : NULL, &now);
		same_sum(now.paid, before[i].paid);
		same_sum(now.income, before[i].income);
		same_sum(now.utility, before[i].utility);
		same_sum(now.reward, before[i].reward);
	}
}

static void come_back(const char *own, const char *other, enum way way)
{
	struct vcluster *vc = pool(own);
	struct astra_policy_report sums[3];

	vc_run(vc, 1191);
	for (size_t i = 0; i < 3; i++)
		(void)astra_engine_policy_report(
			vc->engine, i < 2 ? vc->tenants[i].name : NULL,
			&sums[i]);
	change(vc, other, way);
	vc->due_sec = vc->now_sec;
	vc_run(vc, 1231);
	vc_restart(vc);
	change(vc, own, way);
	same_sums(vc, sums);
	vc_restart(vc);
	same_sums(vc, sums);
	vc->due_sec = vc->now_sec;
	all_come_to_their_end(vc, other, own);
	drop(vc);
}

static void who_comes_back_has_its_ledger(void **state)
{
	(void)state;
	for (size_t a = 0; a < ASTRA_COUNT_OF(policies); a++)
		for (size_t b = 0; b < ASTRA_COUNT_OF(policies); b++)
			for (int way = 0; a != b && way < WAYS; way++)
				come_back(policies[a], policies[b],
					  (enum way)way);
}

/* Under fifo a job has its GPUs until it ends; under one that has terms, for a
 * term from then on. */
static void leases_without_an_end_get_one(void **state)
{
	(void)state;
	for (int way = 0; way < WAYS; way++) {
		struct vcluster *vc = pool("fifo");
		const struct vjob *v = vc->jobs[0];

		vc_run(vc, 1070);
		assert_int_equal(v->job.state, ASTRA_JOB_RUNNING);
		assert_true(isinf(vc_view(vc, v).lease_end_sec));
		vc_restart(vc);
		assert_true(isinf(vc_view(vc, v).lease_end_sec));
		change(vc, "ltgf", (enum way)way);
		assert_true(vc_view(vc, v).lease_end_sec ==
			    astra_engine_time(vc->engine) + 60);
		change(vc, "fifo", (enum way)way);
		vc->due_sec = vc->now_sec;
		all_come_to_their_end(vc, "ltgf", "fifo");
		for (size_t i = 0; i < vc->job_count; i++)
			assert_int_equal(vc->jobs[i]->starts, 1);
		drop(vc);
	}
}

/* Its nodes are for others from 1060 on. */
static void who_has_no_lease_end_leaves_in_time(void **state)
{
	struct vcluster *vc = pool("fifo");
	struct vjob *v = vc->jobs[0];

	(void)state;
	v->work_sec = 1000;
	vc_run(vc, 1010);
	assert_int_equal(v->job.state, ASTRA_JOB_RUNNING);
	v->job.leave_sec = 1060;
	vc->due_sec = vc->now_sec;
	vc_run(vc, 1058);
	assert_int_equal(v->job.restart_cnt, 0);
	assert_true(vc_view(vc, v).lease_end_sec == 1060);
	vc_run(vc, 1062);
	assert_int_equal(v->job.restart_cnt, 1);
	drop(vc);
}

/* There must be sums to lose. */
static void sums_are_not_all_zero(void **state)
{
	static const char *const owners[] = {"incentive",  "oasis",
					     "ogasched",   "ltgf+incentive",
					     "ltgf+oasis", "ltgf+ogasched"};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(owners); i++) {
		struct vcluster *vc = pool(owners[i]);
		struct astra_policy_report s;

		vc_run(vc, 1191);
		assert_true(astra_engine_policy_report(vc->engine, NULL, &s));
		assert_true(s.utility > 0 || s.reward > 0);
		drop(vc);
	}
}

/* Both at once, and both while what is kept of incentive has their numbers. */
static void nodes_may_change_places_meanwhile(void **state)
{
	static const char *const names[] = {"n0", "n1", "n2"};

	(void)state;
	for (int way = 0; way < WAYS; way++) {
		struct vcluster *vc = pool("incentive");
		struct facts before;

		for (size_t i = 0; i < 3; i++)
			vc->nodes[i].name = names[i];
		vc_run(vc, 1191);
		change(vc, "themis", (enum way)way);
		vc->due_sec = vc->now_sec;
		vc_run(vc, 1200);
		vc->nodes[0].name = names[2];
		vc->nodes[2].name = names[0];
		for (size_t i = 0; i < vc->job_count; i++)
			for (size_t k = 0; k < vc->jobs[i]->job.held_count; k++)
				vc->world.jobs[i].held[k].node =
					2 - vc->jobs[i]->job.held[k].node;
		{
			struct astra_node first = vc->nodes[0];

			vc->nodes[0] = vc->nodes[2];
			vc->nodes[2] = first;
			vc->nodes[0].name = names[2];
			vc->nodes[2].name = names[0];
		}
		vc_run(vc, 1210);
		note(vc, &before);
		change(vc, "incentive", (enum way)way);
		nothing_is_lost(vc, &before);
		vc_restart(vc);
		nothing_is_lost(vc, &before);
		vc->due_sec = vc->now_sec;
		all_come_to_their_end(vc, "themis", "incentive");
		drop(vc);
	}
}

/* The clock is set by a day while it is aside: its window is where it was. */
static void the_clock_may_be_set_meanwhile(void **state)
{
	(void)state;
	for (int way = 0; way < WAYS; way++) {
		struct vcluster *vc = pool("incentive");

		vc_run(vc, 1191);
		change(vc, "ltgf", (enum way)way);
		vc_set_clock(vc, 86400);
		change(vc, "incentive", (enum way)way);
		vc->due_sec = vc->now_sec;
		all_come_to_their_end(vc, "ltgf", "incentive");
		drop(vc);
	}
}

/* What is aside cannot be read: that policy begins anew, all else goes on. */
static void a_damaged_one_begins_anew(void **state)
{
	(void)state;
	for (size_t a = 0; a < ASTRA_COUNT_OF(policies); a++)
		for (int way = 0; way < WAYS; way++) {
			struct vcluster *vc = pool(policies[a]);
			const char *other = a ? "ltgf" : "themis";
			struct facts before;

			vc_run(vc, 1191);
			change(vc, other, (enum way)way);
			for (size_t i = 0; i < vc->engine->asides.count; i++)
				vc->engine->asides.list[i].state.size /= 2;
			note(vc, &before);
			change(vc, policies[a], (enum way)way);
			nothing_is_lost(vc, &before);
			vc->due_sec = vc->now_sec;
			all_come_to_their_end(vc, other, policies[a]);
			drop(vc);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			leases_and_accounts_go_on_under_any_other_policy),
		cmocka_unit_test(sums_are_not_all_zero),
		cmocka_unit_test(who_comes_back_has_its_ledger),
		cmocka_unit_test(leases_without_an_end_get_one),
		cmocka_unit_test(who_has_no_lease_end_leaves_in_time),
		cmocka_unit_test(nodes_may_change_places_meanwhile),
		cmocka_unit_test(the_clock_may_be_set_meanwhile),
		cmocka_unit_test(a_damaged_one_begins_anew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
