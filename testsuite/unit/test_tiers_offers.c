/* SPDX-License-Identifier: GPL-2.0-or-later */
/* LTGF with each inner policy and random offers: what must hold for each. */
#include "src/common/random.h"
#include "src/placement/placement.h"
#include "testsuite/unit/tiers_offer.h"

static uint32_t below(struct astra_random *random, uint32_t count)
{
	return (uint32_t)astra_random_below(random, count);
}

/* Let a job run where it finds room. Returns whether it does. */
static bool run(struct tiers_offer *in, uint32_t i, uint32_t *room)
{
	uint32_t left = in->jobs[i].request.gpus;
	struct astra_job *job = &in->jobs[i];

	for (uint32_t n = 0; n < in->offer.node_count && left; n++) {
		uint32_t gpus = room[n] < left ? room[n] : left;

		if (!gpus || !astra_node_allowed(&job->request, n))
			continue;
		in->held[i][job->held_count++] =
			(struct astra_share){.node = n, .gpus = gpus};
		left -= gpus;
	}
	if (left) {
		job->held_count = 0;
		return false;
	}
	for (size_t k = 0; k < job->held_count; k++)
		room[in->held[i][k].node] -= in->held[i][k].gpus;
	return true;
}

static void make_job(struct tiers_offer *in, struct astra_random *random,
		     uint32_t i, uint32_t *room)
{
	struct astra_job *job = &in->jobs[i];
	struct astra_demand *d = &in->demands[i];
	uint32_t gpus = 1 + below(random, below(random, 4) ? 4 : 10);
	bool runs, over = below(random, 3) > 0;

	*job = (struct astra_job){
		.id = i + 1,
		.request = {.gpus = gpus, .cpus = gpus},
		.held = in->held[i],
		.weight = 1,
	};
	job->forecast.app = 1 + below(random, 6);
	job->forecast.work_sec = 100 + below(random, 5000);
	if (!below(random, 5))
		job->request.gpus_min = 1 + below(random, gpus);
	in->allowed[i] = astra_random_bits(random);
	if (!below(random, 5))
		job->request.allowed = &in->allowed[i];
	job->request.whole_node = !below(random, 8);
	runs = !job->request.whole_node && below(random, 2) && run(in, i, room);
	job->state = runs ? ASTRA_JOB_RUNNING : ASTRA_JOB_PENDING;
	*d = (struct astra_demand){
		.job = job,
		.tenant = below(random, (uint32_t)in->offer.tenant_count),
		.submit_sec = 10 * below(random, 100),
		.ran_sec = below(random, 500),
		.copies = runs ? over : 1 + below(random, 4) / 3,
		.open = !runs || over,
		.until_sec = 1000 + (runs && !over ? 600 : 0),
		.held = job->held,
		.held_count = job->held_count,
	};
	d->tenant_name = tenant_names[d->tenant];
	d->candidate = (struct astra_candidate){
		.job = i,
		.tenant = d->tenant,
		.gpus = gpus,
		.charge = gpus,
		.submit_sec = d->submit_sec,
		.rho = astra_random_uniform(random),
		.latest_start_sec = HUGE_VAL,
	};
	for (size_t k = 0; runs && over && k < job->held_count; k++)
		in->free[job->held[k].node] += job->held[k].gpus;
}

static void make(struct tiers_offer *in, uint64_t seed)
{
	struct astra_random random = astra_random_seed(seed);
	uint32_t room[NODES_MAX];

	memset(in, 0, sizeof(*in));
	in->offer = (struct astra_offer){
		.now_sec = 1000,
		.lease_sec = 600,
		.nodes = in->nodes,
		.free = in->free,
		.node_count = 1 + below(&random, NODES_MAX),
		.demands = in->demands,
		.demand_count = below(&random, JOBS_MAX + 1),
		.tenants = in->tenants,
		.tenant_count = 1 + below(&random, TENANTS_MAX),
	};
	for (uint32_t n = 0; n < in->offer.node_count; n++) {
		in->nodes[n] = (struct astra_node){
			.usable = true,
			.gpus = 1 + below(&random, 8),
			.rack = n / 4,
		};
		in->offer.gpus += in->nodes[n].gpus;
		room[n] = in->nodes[n].gpus;
	}
	for (size_t t = 0; t < in->offer.tenant_count; t++)
		in->tenants[t] = (struct astra_contestant){
			.usage = {astra_random_uniform(&random) * 1e4,
				  astra_random_uniform(&random) * 1e4},
			.quota = (double)in->offer.gpus /
				 (double)in->offer.tenant_count,
			.entitled = true,
		};
	for (uint32_t i = 0; i < in->offer.demand_count; i++)
		make_job(in, &random, i, room);
	for (uint32_t n = 0; n < in->offer.node_count; n++)
		in->free[n] += room[n];
}

/* Each award is to an open demand, of as many GPUs as it asks for, from what is
 * free. left: gets what is not awarded. */
static void check_awards(const struct tiers_offer *in,
			 const struct astra_allocation *out, uint32_t *left,
			 uint32_t *awarded)
{
	memcpy(left, in->free, sizeof(in->free));
	for (size_t i = 0; i < out->award_count; i++) {
		const struct astra_award *w = &out->awards[i];
		const struct astra_demand *d = &in->demands[w->demand];
		uint32_t gpus = 0;

		assert_true(w->demand < in->offer.demand_count);
		assert_true(d->open);
		assert_true(w->until_sec > 1000);
		awarded[w->demand]++;
		for (size_t k = 0; k < w->share_count; k++) {
			const struct astra_share *s =
				&out->shares[w->first_share + k];

			assert_true(left[s->node] >= s->gpus);
			assert_true(
				astra_node_allowed(&d->job->request, s->node));
			left[s->node] -= s->gpus;
			if (d->job->request.whole_node) /* nobody beside it */
				left[s->node] = 0;
			gpus += s->gpus;
		}
		assert_in_range(gpus, astra_request_least(&d->job->request),
				d->job->request.gpus);
		assert_true(awarded[w->demand] <= d->copies);
	}
}

/* No job that waits could have what is left. */
static void check_nothing_idles(const struct tiers_offer *in,
				const uint32_t *left, const uint32_t *awarded)
{
	struct astra_space *space = astra_space_create(NODES_MAX, 8);
	struct astra_share shares[NODES_MAX + 1];

	for (uint32_t n = 0; n < in->offer.node_count; n++)
		astra_space_set(space, n,
				&(struct astra_room){
					.gpus = left[n],
					.cpus = left[n] ? 1000 : 0,
					.whole = left[n] == in->nodes[n].gpus,
				});
	for (size_t i = 0; i < in->offer.demand_count; i++) {
		struct astra_request q = in->jobs[i].request;

		q.gpus = astra_request_least(&q);
		if (in->demands[i].open && awarded[i] < in->demands[i].copies)
			assert_int_equal(
				astra_place(space, &q, NULL, 0, shares), 0);
	}
	astra_space_destroy(space);
}

static void share_out(const struct astra_policy *policy)
{
	for (uint64_t seed = 0; seed < 400; seed++) {
		struct astra_allocation out[2] = {{.wake_sec = HUGE_VAL},
						  {.wake_sec = HUGE_VAL}};
		void *selves[2];
		uint32_t left[NODES_MAX], copies[JOBS_MAX] = {0};
		struct tiers_offer in;

		make(&in, seed);
		for (int i = 0; i < 2; i++) {
			selves[i] =
				new_tiers_of(policy, (double)(seed % 6) / 5);
			assert_int_equal(policy->allocate(selves[i], &in.offer,
							  &out[i], NULL),
					 0);
		}
		check_awards(&in, &out[0], left, copies);
		check_nothing_idles(&in, left, copies);
		/* The same question, the same answer. */
		assert_int_equal(out[0].award_count, out[1].award_count);
		assert_int_equal(out[0].share_count, out[1].share_count);
		for (size_t i = 0; i < out[0].award_count; i++)
			assert_int_equal(out[0].awards[i].demand,
					 out[1].awards[i].demand);
		for (size_t i = 0; i < out[0].share_count; i++) {
			assert_int_equal(out[0].shares[i].node,
					 out[1].shares[i].node);
			assert_int_equal(out[0].shares[i].gpus,
					 out[1].shares[i].gpus);
		}
		clear_allocation(&out[0]);
		clear_allocation(&out[1]);
		policy->destroy(selves[0]);
		policy->destroy(selves[1]);
	}
}

static void any_offer_is_shared_out(void **state)
{
	const struct astra_policy *const all[] = {
		&astra_ltgf_themis, &astra_ltgf_incentive, &astra_ltgf_oasis,
		&astra_ltgf_ogasched};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(all); i++)
		share_out(all[i]);
}

static size_t saved_size(const void *self)
{
	struct astra_bytes saved = {0};
	size_t size;

	assert_int_equal(astra_ltgf_themis.save(self, &saved), 0);
	size = saved.size;
	astra_bytes_clear(&saved);
	return size;
}

/* What is kept does not grow with the tenants that ever were. */
static void tenants_without_jobs_are_forgotten(void **state)
{
	void *self = new_tiers(.8);
	struct astra_allocation out = {.wake_sec = HUGE_VAL};
	struct tiers_offer in;
	size_t empty = saved_size(self);

	(void)state;
	for (uint64_t seed = 0; seed < 10; seed++) {
		make(&in, seed);
		assert_int_equal(
			astra_ltgf_themis.allocate(self, &in.offer, &out, NULL),
			0);
		assert_true(!in.offer.demand_count || saved_size(self) > empty);
		clear_allocation(&out);
	}
	in.offer.demand_count = 0;
	assert_int_equal(
		astra_ltgf_themis.allocate(self, &in.offer, &out, NULL), 0);
	assert_int_equal(saved_size(self), empty);
	clear_allocation(&out);
	astra_ltgf_themis.destroy(self);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_offer_is_shared_out),
		cmocka_unit_test(tenants_without_jobs_are_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
