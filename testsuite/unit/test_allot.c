/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the engine makes of a policy that says itself who gets which GPUs: here
 * one that does what the test says. Times are relative to the begin, 1000. */
#include <math.h>
#include <string.h>

#include "testsuite/unit/unit.h"
#include "testsuite/unit/vcluster.h"

#define AT(t) (1000.0 + (t))
#define WISHES 8

/* Job `job` shall have these GPUs as long as the test says so. */
struct wish {
	uint32_t job;
	struct astra_share shares[4];
	size_t count;
	double until_sec;
};

static struct {
	struct wish wishes[WISHES];
	double spare_until_sec, lend_until_sec, wake_sec;
	bool stays;			  /* nobody moves without need */
	struct astra_demand seen[WISHES]; /* by job, of the last round */
	uint32_t free[8];
	double kept; /* what is saved */
} script;

static void *create(const struct astra_options *options,
		    struct astra_error *err)
{
	(void)options;
	(void)err;
	return &script;
}

static void destroy(void *self)
{
	(void)self;
}

static int allocate(void *self, const struct astra_offer *offer,
		    struct astra_allocation *out, struct astra_error *err)
{
	(void)self;
	(void)err;
	for (size_t n = 0; n < offer->node_count && n < 8; n++)
		script.free[n] = offer->free[n];
	out->spare_until_sec = script.spare_until_sec;
	out->lend_until_sec = script.lend_until_sec;
	out->moves = !script.stays;
	if (script.wake_sec > offer->now_sec)
		out->wake_sec = script.wake_sec;
	for (uint32_t i = 0; i < offer->demand_count; i++) {
		const struct astra_demand *d = &offer->demands[i];
		const struct wish *w = &script.wishes[d->job->id];

		script.seen[d->job->id] = *d;
		if (w->count && d->open)
			assert_int_equal(
				astra_allocation_add(out, i, w->until_sec,
						     w->shares, w->count),
				0);
	}
	return 0;
}

static void explain(const void *self, const struct astra_demand *demand,
		    struct astra_reason *reason)
{
	(void)self;
	reason->wait = ASTRA_WAIT_PLANNED;
	reason->start_sec = AT(500) + demand->job->id;
}

static int save(const void *self, struct astra_bytes *out)
{
	(void)self;
	astra_put_f64(out, script.kept);
	return 0;
}

static int restore(void *self, struct astra_reader *in)
{
	(void)self;
	script.kept = astra_get_f64(in);
	return in->failed ? -1 : 0;
}

static const struct astra_policy scripted = {
	.name = "ltgf", /* so that the state finds it again */
	.summary = "does as the test says",
	.create = create,
	.destroy = destroy,
	.allocate = allocate,
	.explain = explain,
	.save = save,
	.restore = restore,
};

static void begin(struct vcluster *vc, size_t nodes, uint32_t gpus)
{
	memset(&script, 0, sizeof(script));
	vc_init(vc, nodes, gpus);
	vc->options.lease_sec = 50;
	vc->options.grace_sec = 2;
	vc->options.round_sec = 5;
	vc->options.promise = false;
	vc->policy = &scripted;
	vc_begin(vc);
	vc_tenant(vc, "a", 1);
}

static void wish(const struct vjob *v, double until_sec, uint32_t node,
		 uint32_t gpus)
{
	struct wish *w = &script.wishes[v->job.id];

	*w = (struct wish){.job = v->job.id, .count = 1};
	w->until_sec = until_sec;
	w->shares[0] = (struct astra_share){.node = node, .gpus = gpus};
}

static void a_job_starts_where_and_until_when_it_was_awarded(void **state)
{
	struct vcluster vc;
	struct vjob *j;

	(void)state;
	begin(&vc, 4, 8);
	j = vc_submit(&vc, 0, 4, HUGE_VAL);
	vc_run(&vc, AT(10));
	assert_int_equal(j->job.state, ASTRA_JOB_PENDING);
	assert_int_equal(vc.plan.reasons[0].wait, ASTRA_WAIT_PLANNED);
	assert_close(vc.plan.reasons[0].start_sec, AT(501), 0);
	wish(j, AT(200), 2, 4);
	vc_run(&vc, AT(20));
	assert_int_equal(j->job.state, ASTRA_JOB_RUNNING);
	assert_int_equal(j->job.held[0].node, 2);
	/* Longer than LeaseTerm, which is not asked then. */
	assert_close(vc_view(&vc, j).lease_end_sec, AT(200), 0);
	assert_int_equal(script.free[2], 4);
	assert_false(script.seen[1].open);
	assert_close(script.seen[1].until_sec, AT(200), 0);
	vc_fini(&vc);
}

static void who_is_awarded_what_it_holds_goes_on(void **state)
{
	struct vcluster vc;
	struct vjob *j;

	(void)state;
	begin(&vc, 2, 8);
	j = vc_submit(&vc, 0, 4, HUGE_VAL);
	wish(j, AT(30), 1, 4);
	vc_run(&vc, AT(25));
	wish(j, AT(90), 1, 4);
	vc_run(&vc, AT(60));
	assert_int_equal(j->starts, 1);
	assert_close(vc_view(&vc, j).lease_end_sec, AT(90), 0);
	assert_int_equal(vc_view(&vc, j).leases, 2);
	vc_fini(&vc);
}

static void a_loser_leaves_to_the_winner(void **state)
{
	struct vcluster vc;
	struct vjob *j, *k;

	(void)state;
	begin(&vc, 1, 8);
	j = vc_submit(&vc, 0, 8, HUGE_VAL);
	wish(j, AT(30), 0, 8);
	vc_run(&vc, AT(20));
	k = vc_submit(&vc, 0, 2, HUGE_VAL);
	script.wishes[1].count = 0;
	wish(k, AT(100), 0, 2);
	vc_run(&vc, AT(29));
	assert_int_equal(j->job.state, ASTRA_JOB_RUNNING);
	assert_int_equal(k->job.state, ASTRA_JOB_PENDING);
	vc_run(&vc, AT(45));
	assert_int_equal(j->job.state, ASTRA_JOB_PENDING);
	assert_int_equal(j->job.restart_cnt, 1);
	assert_int_equal(k->job.state, ASTRA_JOB_RUNNING);
	vc_fini(&vc);
}

/* GPUs that nobody was awarded stay with who has them, as long as the policy
 * says. */
static void nobody_leaves_for_nobody(void **state)
{
	struct vcluster vc;
	struct vjob *j;

	(void)state;
	begin(&vc, 1, 8);
	j = vc_submit(&vc, 0, 8, HUGE_VAL);
	wish(j, AT(30), 0, 8);
	vc_run(&vc, AT(20));
	script.wishes[1].count = 0;
	script.spare_until_sec = AT(47);
	vc_run(&vc, AT(40));
	assert_int_equal(j->starts, 1);
	assert_int_equal(j->job.state, ASTRA_JOB_RUNNING);
	assert_close(vc_view(&vc, j).lease_end_sec, AT(47), 0);
	script.spare_until_sec = 0;
	vc_run(&vc, AT(55));
	assert_int_equal(j->job.state, ASTRA_JOB_RUNNING);
	assert_true(vc_view(&vc, j).lease_end_sec >= AT(47 + 50));
	vc_fini(&vc);
}

/* An elastic job goes from two GPUs to six, in part those it had, and back. */
static void a_job_moves_and_changes_its_size(void **state)
{
	struct vcluster vc;
	struct vjob *j;

	(void)state;
	begin(&vc, 2, 4);
	j = vc_submit(&vc, 0, 6, HUGE_VAL);
	j->job.request.gpus_min = 2;
	j->job.request.cpus = 6;
	wish(j, AT(30), 0, 2);
	vc_run(&vc, AT(20));
	assert_int_equal(j->job.state, ASTRA_JOB_RUNNING);
	assert_int_equal(vc.nodes[0].gpus_free, 2);
	wish(j, AT(60), 0, 4);
	script.wishes[1].shares[1] = (struct astra_share){.node = 1, .gpus = 2};
	script.wishes[1].count = 2;
	vc_run(&vc, AT(50));
	assert_int_equal(j->starts, 2);
	assert_int_equal(j->job.state, ASTRA_JOB_RUNNING);
	assert_int_equal(vc.nodes[0].gpus_free, 0);
	assert_int_equal(vc.nodes[1].gpus_free, 2);
	assert_close(vc_view(&vc, j).lease_end_sec, AT(60), 0);
	wish(j, AT(90), 1, 3);
	vc_run(&vc, AT(75));
	assert_int_equal(j->starts, 3);
	assert_int_equal(vc.nodes[0].gpus_free, 4);
	assert_int_equal(vc.nodes[1].gpus_free, 1);
	vc_fini(&vc);
}

/* Fewer GPUs, or others, where nobody needs those it has: it keeps them. */
static void nobody_shrinks_or_moves_without_need(void **state)
{
	struct vcluster vc;
	struct vjob *j, *k;

	(void)state;
	begin(&vc, 2, 4);
	script.stays = true;
	j = vc_submit(&vc, 0, 4, HUGE_VAL);
	j->job.request.gpus_min = 1;
	wish(j, AT(30), 0, 4);
	vc_run(&vc, AT(20));
	wish(j, AT(60), 0, 2);
	vc_run(&vc, AT(50));
	assert_int_equal(j->starts, 1);
	assert_int_equal(vc.nodes[0].gpus_free, 0);
	wish(j, AT(90), 1, 4);
	vc_run(&vc, AT(75));
	assert_int_equal(j->starts, 1);
	assert_close(vc_view(&vc, j).lease_end_sec, AT(90), 0);
	/* Another one is awarded what it would have left. */
	k = vc_submit(&vc, 0, 6, HUGE_VAL);
	k->job.request.cpus = 6;
	wish(k, AT(120), 1, 4);
	script.wishes[2].shares[1] = (struct astra_share){.node = 0, .gpus = 2};
	script.wishes[2].count = 2;
	wish(j, AT(120), 0, 2);
	vc_run(&vc, AT(110));
	assert_int_equal(j->starts, 2);
	assert_int_equal(k->starts, 1);
	assert_int_equal(vc.nodes[0].gpus_free, 0);
	vc_fini(&vc);
}

/* What nobody was awarded goes to who waits, until its owner comes. */
static void idle_gpus_are_lent(void **state)
{
	struct vcluster vc;
	struct vjob *j, *k, *l;

	(void)state;
	begin(&vc, 1, 4);
	j = vc_submit(&vc, 0, 4, HUGE_VAL);
	k = vc_submit(&vc, 0, 3, HUGE_VAL);
	l = vc_submit(&vc, 0, 3, HUGE_VAL);
	script.lend_until_sec = AT(20);
	vc_run(&vc, AT(10));
	assert_int_equal(j->job.state, ASTRA_JOB_RUNNING);
	assert_close(vc_view(&vc, j).lease_end_sec, AT(20), 0);
	assert_int_equal(k->job.state, ASTRA_JOB_PENDING);
	wish(k, AT(60), 0, 3);
	script.lend_until_sec = AT(40);
	vc_run(&vc, AT(35));
	assert_int_equal(k->job.state, ASTRA_JOB_RUNNING);
	assert_int_equal(j->job.state, ASTRA_JOB_PENDING);
	assert_int_equal(l->job.state, ASTRA_JOB_PENDING);
	vc_fini(&vc);
}

/* Two jobs change places; each waits for the other to have left. */
static void two_jobs_change_places(void **state)
{
	struct vcluster vc;
	struct vjob *j, *k;

	(void)state;
	begin(&vc, 2, 4);
	j = vc_submit(&vc, 0, 4, HUGE_VAL);
	k = vc_submit(&vc, 0, 4, HUGE_VAL);
	wish(j, AT(30), 0, 4);
	wish(k, AT(30), 1, 4);
	vc_run(&vc, AT(20));
	wish(j, AT(90), 1, 4);
	wish(k, AT(90), 0, 4);
	vc_run(&vc, AT(50));
	assert_int_equal(j->job.state, ASTRA_JOB_RUNNING);
	assert_int_equal(k->job.state, ASTRA_JOB_RUNNING);
	assert_int_equal(j->job.held[0].node, 1);
	assert_int_equal(k->job.held[0].node, 0);
	assert_int_equal(j->starts, 2);
	assert_int_equal(k->starts, 2);
	vc_fini(&vc);
}

/* A node that is full of others' CPUs: the job goes where it can. */
static void what_has_no_cpus_there_goes_elsewhere(void **state)
{
	struct vcluster vc;
	struct vjob *j;

	(void)state;
	begin(&vc, 2, 4);
	vc.nodes[0].cpus_free = 1;
	j = vc_submit(&vc, 0, 4, HUGE_VAL);
	wish(j, AT(90), 0, 4);
	vc_run(&vc, AT(10));
	assert_int_equal(j->job.state, ASTRA_JOB_RUNNING);
	assert_int_equal(j->job.held[0].node, 1);
	vc_fini(&vc);
}

/* In mid-lease nothing can be awarded: such a plan starts nothing at all. */
static void an_award_that_cannot_be_meant_is_an_error(void **state)
{
	struct vcluster vc;
	struct vjob *j;
	struct astra_snapshot snap;
	struct astra_error err = {""};

	(void)state;
	begin(&vc, 1, 4);
	j = vc_submit(&vc, 0, 4, HUGE_VAL);
	wish(j, AT(90), 0, 5);
	snap = (struct astra_snapshot){
		.now_sec = AT(1),
		.nodes = vc.nodes,
		.node_count = 1,
		.tenants = vc.tenants,
		.tenant_count = 1,
		.jobs = &j->job,
		.job_count = 1,
	};
	assert_int_equal(astra_engine_round(vc.engine, &snap, &vc.plan, &err),
			 -1);
	assert_non_null(strstr(err.text, "award 0 of 1 is not sound"));
	assert_int_equal(vc.plan.decision_count, 0);
	vc_fini(&vc);
}

static void the_policy_is_asked_again_when_it_wants(void **state)
{
	struct vcluster vc;

	(void)state;
	begin(&vc, 1, 4);
	script.wake_sec = AT(3);
	vc_step(&vc);
	assert_close(vc.plan.wake_sec, AT(3), 0);
	assert_close(vc.plan.due_sec, AT(3), 0);
	vc_fini(&vc);
}

static void its_state_goes_with_the_engines(void **state)
{
	struct vcluster vc;
	struct astra_bytes saved = {0};
	struct astra_engine *again;
	struct astra_error err = {""};

	(void)state;
	begin(&vc, 1, 4);
	script.kept = 42;
	assert_int_equal(astra_engine_save(vc.engine, &saved), 0);
	/* One of another kind passes it over. */
	again = astra_engine_restore(&vc.options, saved.data, saved.size, &err);
	assert_non_null(again);
	astra_engine_destroy(again);
	assert_close(script.kept, 42, 0);
	astra_bytes_clear(&saved);
	vc_fini(&vc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_job_starts_where_and_until_when_it_was_awarded),
		cmocka_unit_test(who_is_awarded_what_it_holds_goes_on),
		cmocka_unit_test(a_loser_leaves_to_the_winner),
		cmocka_unit_test(nobody_leaves_for_nobody),
		cmocka_unit_test(a_job_moves_and_changes_its_size),
		cmocka_unit_test(nobody_shrinks_or_moves_without_need),
		cmocka_unit_test(idle_gpus_are_lent),
		cmocka_unit_test(two_jobs_change_places),
		cmocka_unit_test(what_has_no_cpus_there_goes_elsewhere),
		cmocka_unit_test(an_award_that_cannot_be_meant_is_an_error),
		cmocka_unit_test(the_policy_is_asked_again_when_it_wants),
		cmocka_unit_test(its_state_goes_with_the_engines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
