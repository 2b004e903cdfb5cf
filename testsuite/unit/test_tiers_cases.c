/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which GPUs tenants and their jobs get by ltgf+themis: small offers. */
#include "testsuite/unit/tiers_offer.h"

/* Two nodes; tenants a and b are as far behind, and c is furthest. */
static void make_pair(struct tiers_offer *in, uint32_t first, uint32_t second)
{
	memset(in, 0, sizeof(*in));
	in->offer = (struct astra_offer){
		.now_sec = 1000,
		.lease_sec = 600,
		.nodes = in->nodes,
		.free = in->free,
		.node_count = 2,
		.gpus = first + second,
		.demands = in->demands,
		.tenants = in->tenants,
		.tenant_count = 3,
	};
	in->nodes[0] = (struct astra_node){.usable = true, .gpus = first};
	in->nodes[1] = (struct astra_node){.usable = true, .gpus = second};
	for (uint32_t n = 0; n < 2; n++)
		in->free[n] = in->nodes[n].gpus;
	for (uint32_t t = 0; t < 3; t++)
		in->tenants[t] = (struct astra_contestant){
			.usage = {t < 2 ? 1e4 : 0, 1e4},
			.quota = (first + second) / 3.0,
			.entitled = true,
		};
}

/* A job that waits. */
static struct astra_job *add_job(struct tiers_offer *in, uint32_t tenant,
				 uint32_t gpus, double rho)
{
	uint32_t i = (uint32_t)in->offer.demand_count++;

	in->jobs[i] = (struct astra_job){
		.id = i + 1,
		.request = {.gpus = gpus, .cpus = gpus},
		.held = in->held[i],
		.state = ASTRA_JOB_PENDING,
		.forecast = {.work_sec = 1000},
	};
	in->demands[i] = (struct astra_demand){
		.job = &in->jobs[i],
		.tenant = tenant,
		.tenant_name = tenant_names[tenant],
		.copies = 1,
		.open = true,
		.held = in->held[i],
		.candidate = {.gpus = gpus,
			      .charge = gpus,
			      .rho = rho,
			      .latest_start_sec = HUGE_VAL},
	};
	return &in->jobs[i];
}

/* It runs there; its lease is over, or goes on for half a term. */
static void runs(struct tiers_offer *in, struct astra_job *job, uint32_t node,
		 uint32_t gpus, bool over)
{
	struct astra_demand *d = &in->demands[job->id - 1];

	in->held[job->id - 1][job->held_count++] =
		(struct astra_share){.node = node, .gpus = gpus};
	d->held_count = job->held_count;
	job->state = ASTRA_JOB_RUNNING;
	d->open = over;
	d->copies = over;
	d->until_sec = over ? 1000 : 1300;
	if (!over)
		in->free[node] -= gpus;
}

/* What a job is awarded of a node. */
static uint32_t awarded(struct tiers_offer *in, const struct astra_job *job,
			uint32_t node)
{
	struct astra_allocation out = {.wake_sec = HUGE_VAL};
	void *self = new_tiers(0);
	uint32_t gpus = 0;

	assert_int_equal(
		astra_ltgf_themis.allocate(self, &in->offer, &out, NULL), 0);
	for (size_t i = 0; i < out.award_count; i++)
		for (size_t k = 0; k < out.awards[i].share_count; k++) {
			const struct astra_share *s =
				&out.shares[out.awards[i].first_share + k];

			if (out.awards[i].demand == job->id - 1 &&
			    s->node == node)
				gpus += s->gpus;
		}
	clear_allocation(&out);
	astra_ltgf_themis.destroy(self);
	return gpus;
}

/* Equal accounts, but what a's job will have had by its lease's end counts. */
static void leases_that_go_on_are_charged(void **state)
{
	struct tiers_offer in;
	struct astra_job *other;

	(void)state;
	make_pair(&in, 1, 1);
	runs(&in, add_job(&in, 0, 1, 1), 0, 1, false);
	add_job(&in, 0, 1, 0);
	other = add_job(&in, 1, 1, 0);
	assert_int_equal(awarded(&in, other, 1), 1);
}

/* c's job that waits is first, and could have either node; c has node 1 again,
 * whichever of its jobs gets it. */
static void a_tenant_stays_where_it_is(void **state)
{
	struct tiers_offer in;
	struct astra_job *job;

	(void)state;
	make_pair(&in, 1, 1);
	in.tenants[2].usage.alloc = 9.9e3; /* behind by less than a lease */
	runs(&in, add_job(&in, 2, 1, 1), 1, 1, true);
	add_job(&in, 2, 1, 0);
	job = add_job(&in, 0, 1, 0);
	assert_int_equal(awarded(&in, job, 0), 1);
}

/* It could have one node to itself, but its GPUs are where they are. */
static void a_granted_job_stays_where_it_is(void **state)
{
	struct tiers_offer in;
	struct astra_job *job;

	(void)state;
	make_pair(&in, 4, 4);
	job = add_job(&in, 0, 4, 0);
	runs(&in, job, 0, 2, true);
	runs(&in, job, 1, 2, true);
	add_job(&in, 2, 2, 0);
	assert_int_equal(awarded(&in, job, 0), 2);
	assert_int_equal(awarded(&in, job, 1), 2);
}

/* LTGF grants c's job two GPUs by count, but no node has them: a's job, which
 * was not granted any, goes on, and an elastic one takes all that there is. */
static void what_has_no_place_is_left_to_others(void **state)
{
	struct tiers_offer in;
	struct astra_job *job;

	(void)state;
	for (uint32_t elastic = 0; elastic < 2; elastic++) {
		make_pair(&in, 1, 1);
		add_job(&in, 2, 2, 0)->request.nodes_max = 1;
		job = add_job(&in, 0, 1 + 3 * elastic, 0);
		job->request.gpus_min = elastic;
		if (!elastic)
			runs(&in, job, 1, 1, true);
		assert_int_equal(awarded(&in, job, 0), elastic);
		assert_int_equal(awarded(&in, job, 1), 1);
	}
}

/* A tenant comes twice, or the end is missing. */
static void damaged_memories_are_refused(void **state)
{
	struct astra_bytes saved = {0};

	(void)state;
	astra_put_u32(&saved, 2);
	for (int i = 0; i < 2; i++) {
		astra_put_text(&saved, "a");
		astra_put_f64(&saved, 1000);
		astra_put_f64(&saved, 1);
		astra_put_u32(&saved, 1);
		astra_put_u32(&saved, 0);
	}
	for (size_t size = 0; size <= saved.size; size++) {
		void *self = new_tiers(.8);

		assert_int_equal(
			astra_ltgf_themis.restore(self,
						  &(struct astra_reader){
							  .data = saved.data,
							  .size = size,
						  }),
			-1);
		astra_ltgf_themis.destroy(self);
	}
	astra_bytes_clear(&saved);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(leases_that_go_on_are_charged),
		cmocka_unit_test(a_tenant_stays_where_it_is),
		cmocka_unit_test(a_granted_job_stays_where_it_is),
		cmocka_unit_test(what_has_no_place_is_left_to_others),
		cmocka_unit_test(damaged_memories_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
