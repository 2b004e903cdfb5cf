/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CPUs and memory beside GPUs in OASiS' market of a pool: what a worker demands
 * of them, what they cost, and that nothing is booked that the pool has not. */
#include <math.h>
#include <stdio.h>

#include "src/common/random.h"
#include "src/policies/oasis/book.h"
#include "src/policies/oasis/policy.h"
#include "testsuite/unit/oasis_pool.h"

#define GIB 1024

/* Two nodes of 4 GPUs, 32 CPUs, 256 GiB: a unit is a GPU, 8 CPUs, 64 GiB. */
static void a_worker_has_its_part_of_what_the_job_takes(void **state)
{
	static const struct {
		struct astra_request request;
		double cpus, memory;
	} cases[] = {
		{{.gpus = 1}, 0, 0},
		{{.gpus = 1, .cpus = 8, .mem_gpu_mib = 64 * GIB}, 1, 1},
		/* Spread in proportion. */
		{{.gpus = 2, .cpus = 4, .mem_cpu_mib = 8 * GIB}, .25, .25},
		/* Of an elastic one with all it can use; with --ps=4 beside 4
		 * workers of 2 CPUs the request has 16. */
		{{.gpus = 4, .gpus_min = 1, .cpus = 16}, .5, 0},
		/* 8 GPUs are on two nodes at least, or as many as it says. */
		{{.gpus = 8, .cpus_per_node = 16, .mem_node_mib = 128 * GIB},
		 .5,
		 .5},
		{{.gpus = 8, .gpus_per_node = 2, .cpus_per_node = 16}, 1, 0},
		{{.gpus = 2, .nodes_min = 2, .mem_node_mib = 64 * GIB}, 0, 1},
		/* The larger of two that it says. */
		{{.gpus = 1, .cpus = 4, .cpus_per_node = 32}, 4, 0},
		{{.gpus = 2, .mem_node_mib = 64 * GIB, .mem_gpu_mib = GIB},
		 0,
		 .5},
		/* One that shares its node with nobody takes all of it. */
		{{.gpus = 1, .cpus = 1, .whole_node = true}, 4, 4},
		{{.gpus = 8, .cpus = 8, .whole_node = true}, 1, 1},
		/* Rounded down to 2^-30. */
		{{.gpus = 3, .cpus = 8}, 357913941 * 0x1p-30, 0},
	};
	const struct astra_node node = {
		.usable = true, .gpus = 4, .cpus = 32, .mem_mib = 256 * GIB};
	const struct astra_node nodes[] = {node, node};
	const struct astra_offer offer = {
		.nodes = nodes, .node_count = 2, .gpus = 8};
	struct oasis_amounts amounts = {.unit = {0}};

	(void)state;
	assert_false(oasis_amounts_see(&amounts, &offer));
	for (size_t r = 0; r < OASIS_POOL_RESOURCES; r++)
		assert_close(amounts.capacity[r], 8, 0);
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		double demand[OASIS_POOL_RESOURCES];

		oasis_amounts_demand(&amounts, &cases[i].request, demand);
		assert_close(demand[OASIS_GPUS], 1, 0);
		assert_close(demand[OASIS_CPUS], cases[i].cpus, 0);
		assert_close(demand[OASIS_MEMORY], cases[i].memory, 0);
	}
}

/* A node that is down has nothing, and is in the units all the same; a part of
 * a pool has that part of all; units stay until they are more than twice off.
 */
static void amounts_follow_the_nodes(void **state)
{
	struct astra_node nodes[] = {
		{.usable = true, .gpus = 4, .cpus = 32, .mem_mib = 256 * GIB},
		{.usable = true, .gpus = 4, .cpus = 96, .mem_mib = 256 * GIB},
		{.usable = true, .cpus = 96}, /* no GPUs */
	};
	struct astra_offer offer = {.nodes = nodes, .node_count = 3, .gpus = 8};
	struct oasis_amounts amounts = {.unit = {0}};

	(void)state;
	assert_false(oasis_amounts_see(&amounts, &offer));
	assert_close(amounts.unit[OASIS_CPUS], 16, 0);
	nodes[1].usable = false;
	offer.gpus = 4;
	assert_false(oasis_amounts_see(&amounts, &offer));
	assert_close(amounts.unit[OASIS_CPUS], 16, 0);
	assert_close(amounts.capacity[OASIS_CPUS], 2, 0);
	assert_close(amounts.capacity[OASIS_MEMORY], 4, 0);
	offer.gpus = 1;
	offer.part = true;
	assert_false(oasis_amounts_see(&amounts, &offer));
	assert_close(amounts.capacity[OASIS_CPUS], .5, 0);
	assert_close(amounts.capacity[OASIS_MEMORY], 1, 0);
	nodes[1].cpus = 32; /* 8 a GPU: half */
	assert_false(oasis_amounts_see(&amounts, &offer));
	assert_close(amounts.unit[OASIS_CPUS], 16, 0);
	nodes[1].cpus = 28;
	assert_true(oasis_amounts_see(&amounts, &offer));
	assert_close(amounts.unit[OASIS_CPUS], 7.5, 0);
	nodes[1].cpus = UINT32_MAX;
	assert_false(oasis_amounts_see(&amounts, &offer));
	assert_close(amounts.capacity[OASIS_CPUS], 0, 0);
}

/* f of submit(): of a job worth so much that ends after so many slots. */
static double worth_after(double worth, double slots)
{
	return worth / (1 + exp(20 * (slots * 100 / 3600 - .5)));
}

static struct astra_policy_price price_in(struct vcluster *vc, size_t slot)
{
	struct astra_policy_price price;

	assert_true(astra_engine_price(vc->engine, slot, &price));
	return price;
}

/* 4 GPUs and 16 CPUs, a unit being 4, for T = 20 slots. A job of 2 GPUs and 12
 * CPUs: w = (1, 1.5), D = 9, W = 18.
 *   U = (f(8) / 1, f(8) / 1.5)
 *   eta = W sum w / (T sum c) = 18 2.5 / (20 8)
 *   L = eta / 4 f(19) / (W sum w) = f(19) / 640
 * In its slots g = (2, 3) of (4, 4):
 *   P = (L (U/L)^(1/2), L (U/L)^(3/4)), L where nothing is booked. */
static void each_resource_has_its_price(void **state)
{
	double low = worth_after(10, 19) / 640, high = worth_after(10, 8);
	struct astra_policy_price price;
	struct vcluster vc;
	struct vjob *v;

	(void)state;
	begin(&vc, 1, 4, false);
	vc.nodes[0].cpus = vc.nodes[0].cpus_free = 16;
	v = submit(&vc, 2, 900, 10);
	v->job.request.cpus = 12;
	vc_run(&vc, AT(10));
	for (unsigned restarts = 0; restarts < 2; restarts++) {
		price = price_in(&vc, 8);
		assert_close(price.price, 36 * low * sqrt(high / low), 1e-12);
		assert_close(price.cpu,
			     36 * low * pow(high / 1.5 / low, .75) / 4, 1e-12);
		assert_true(isnan(price.gib));
		assert_int_equal(price.used, 2);
		price = price_in(&vc, 9);
		assert_close(price.price, 36 * low, 1e-12);
		assert_close(price.cpu, 36 * low / 4, 1e-12);
		vc_restart(&vc);
		vc_run(&vc, AT(20));
	}
	vc_fini(&vc);
}

/* A job that takes all CPUs with one GPU: nobody else is promised its slots,
 * though GPUs are free in them. */
static void who_has_all_cpus_has_the_slot(void **state)
{
	struct astra_reason r;
	struct vcluster vc;
	struct vjob *v, *w;

	(void)state;
	begin(&vc, 1, 8, true);
	v = submit(&vc, 1, 250, 100);
	v->job.request.cpus = 64;
	vc_run(&vc, AT(10));
	w = submit(&vc, 4, 100, 100);
	vc_run(&vc, AT(20));
	assert_int_equal(v->job.state, ASTRA_JOB_RUNNING);
	r = reason_of(&vc, w);
	assert_int_equal(r.wait, ASTRA_WAIT_PLANNED);
	assert_close(r.start_sec, AT(300), 0);
	vc_run(&vc, AT(310));
	assert_int_equal(w->job.state, ASTRA_JOB_RUNNING);
	vc_fini(&vc);
}

/* (scontrol update) What it has booked costs others less. */
static void what_asks_for_less_has_booked_less(void **state)
{
	struct vcluster vc;
	struct vjob *v;
	double before;

	(void)state;
	begin(&vc, 1, 8, true);
	v = submit(&vc, 1, 450, 100);
	v->job.request.cpus = 48;
	vc_run(&vc, AT(10));
	before = price_in(&vc, 2).cpu;
	assert_true(before > 2 * price_in(&vc, 6).cpu);
	v->job.request.cpus = 8;
	vc_run(&vc, AT(20));
	assert_true(price_in(&vc, 2).cpu < before);
	v->job.request.cpus = 48;
	vc_run(&vc, AT(30));
	assert_close(price_in(&vc, 2).cpu, before, 0);
	vc_fini(&vc);
}

/* Nodes that have three times as many CPUs: what jobs of before were worth is
 * by another unit, and who comes sets the prices. */
static void with_other_units_prices_begin_anew(void **state)
{
	struct astra_policy_price price;
	struct vcluster vc;
	struct vjob *v;

	(void)state;
	begin(&vc, 1, 8, false);
	submit(&vc, 4, 900, 1e6);
	vc_run(&vc, AT(10));
	vc.nodes[0].cpus = 192;
	vc.nodes[0].cpus_free += 128;
	v = submit(&vc, 2, 900, 10);
	v->job.request.cpus = 48;
	vc_run(&vc, AT(20));
	assert_int_equal(v->job.state, ASTRA_JOB_RUNNING);
	price = price_in(&vc, 1);
	assert_int_equal(price.used, 6);
	assert_true(price.price > 0 && price.price < 36 * 10);
	vc_fini(&vc);
}

/* Of nodes one of which does not tell its CPUs: whatever jobs take of them. */
static double price_where_not_told(uint32_t cpus)
{
	struct astra_reason r;
	struct vcluster vc;
	struct vjob *v;

	begin(&vc, 2, 4, false);
	vc.nodes[1].cpus = vc.nodes[1].cpus_free = UINT32_MAX;
	v = submit(&vc, 7, 1450, 1000);
	v->job.request.cpus = 7 * cpus;
	vc_run(&vc, AT(10));
	assert_true(isnan(price_in(&vc, 0).cpu));
	v = submit(&vc, 1, 1900, 1e-3);
	v->job.request.cpus = cpus;
	vc_run(&vc, AT(20));
	r = reason_of(&vc, v);
	assert_int_equal(r.wait, ASTRA_WAIT_PRICE);
	vc_fini(&vc);
	return r.price;
}

static void what_is_not_told_is_in_no_price(void **state)
{
	(void)state;
	assert_close(price_where_not_told(1), price_where_not_told(6), 0);
}

/* Scenes: pools of nodes that are alike, jobs with what goes with their GPUs,
 * and such as take a node's CPUs or most of its memory with one GPU, or run on
 * how many GPUs there are. */

#define SEEDS 40
#define END_SEC 6000
#define NODE_CPUS 32
#define NODE_MIB (256 * GIB)

struct scene {
	struct astra_random random;
	bool told; /* the book sees what nodes have beside GPUs */
	struct vcluster *vc;
	unsigned ahead, lost; /* slots booked in a round before, of jobs that
			       * wait, and those of them without a place */
	unsigned slots, over; /* that are booked, and beyond what there is */
	double utility, most; /* of all jobs, and had each ended at once */
};

static struct scene *playing; /* for the policy's witness */

static uint32_t below(struct scene *s, uint32_t n)
{
	return (uint32_t)astra_random_below(&s->random, n);
}

static void submit_one(struct scene *s)
{
	static const uint32_t sizes[] = {1, 1, 2, 2, 4, 8};
	struct vjob *v = submit(s->vc, sizes[below(s, 6)],
				50 + 900 * astra_random_uniform(&s->random),
				1 + 9 * astra_random_uniform(&s->random));
	struct astra_request *q = &v->job.request;

	q->cpus = q->gpus * (2 + below(s, 7));
	q->mem_gpu_mib = (8 + below(s, 50)) * GIB;
	switch (below(s, 10)) {
	case 0:
	case 1:
		*q = (struct astra_request){.gpus = 1, .cpus = NODE_CPUS};
		break;
	case 2:
		*q = (struct astra_request){
			.gpus = 1, .cpus = 1, .mem_node_mib = NODE_MIB / 2};
		break;
	case 3:
		q->gpus_min = 1;
		break;
	}
	v->checkpoint_sec = 1;
	s->most += worth_after(v->job.forecast.utility.sigmoid.g1,
			       v->work_sec / 100);
}

/* Of a slot of the window. */
static void check_slot(const struct oasis_book *book, int64_t slot)
{
	double cpus = 0, mem_mib = 0;
	bool any = false;

	for (size_t i = 0; i < book->count; i++) {
		const struct oasis_booking *b = &book->bookings[i];
		const struct astra_request *q =
			&playing->vc->jobs[b->job - 1]->job.request;
		double gpus = oasis_booked(b, slot), part = gpus / q->gpus;

		any |= gpus > 0;
		cpus += part * q->cpus;
		mem_mib += gpus * (double)q->mem_gpu_mib +
			   part * (double)q->mem_node_mib;
	}
	playing->slots += any;
	playing->over +=
		cpus > (double)playing->vc->node_count * NODE_CPUS + 1e-3 ||
		mem_mib > (double)playing->vc->node_count * NODE_MIB + 1e-3;
}

static void count_ahead(const struct astra_offer *offer, const bool *booked,
			const struct astra_allocation *out)
{
	for (uint32_t i = 0; i < offer->demand_count; i++) {
		size_t awards = 0;

		for (size_t k = 0; k < out->award_count; k++)
			awards += out->awards[k].demand == i;
		playing->ahead += booked[i];
		playing->lost += booked[i] && !awards;
	}
}

static int witness(void *self, const struct astra_offer *offer,
		   struct astra_allocation *out, struct astra_error *err)
{
	const struct oasis_book *book = self;
	struct astra_node nodes[VC_NODES];
	struct astra_offer blind = *offer;
	bool booked[VC_JOBS] = {false};
	int64_t slot = oasis_slot_of(book, offer->now_sec);
	int rc;

	for (size_t i = 0; i < offer->demand_count; i++) {
		const struct astra_job *job = offer->demands[i].job;
		const struct oasis_booking *b = oasis_book_find(book, job->id);

		booked[i] = b && offer->demands[i].open && !job->held_count &&
			    oasis_booked(b, slot);
	}
	memcpy(nodes, offer->nodes, offer->node_count * sizeof(*nodes));
	for (size_t n = 0; n < offer->node_count; n++) {
		nodes[n].cpus = playing->told ? NODE_CPUS : 0;
		nodes[n].mem_mib = playing->told ? NODE_MIB : 0;
	}
	blind.nodes = nodes;
	rc = astra_oasis.allocate(self, &blind, out, err);
	count_ahead(offer, booked, out);
	for (int64_t t = 0; t < book->slots; t++)
		check_slot(book, book->now + t);
	return rc;
}

static void play(struct scene *s)
{
	static struct astra_policy witnessed;
	struct astra_policy_report sums;
	struct vcluster vc;

	witnessed = astra_oasis;
	witnessed.allocate = witness;
	vc_init(&vc, 2 + below(s, 3), 4);
	for (size_t n = 0; n < vc.node_count; n++) {
		vc.nodes[n].cpus = vc.nodes[n].cpus_free = NODE_CPUS;
		vc.nodes[n].mem_mib = vc.nodes[n].mem_free_mib = NODE_MIB;
	}
	strcpy(vc.options.policy, "oasis");
	vc.options.grace_sec = 2;
	vc.options.round_sec = 20;
	vc.options.slot_sec = 100;
	vc.options.horizon_sec = 2000;
	vc.options.promise = false; /* its leases are in nobody's plan */
	vc.policy = &witnessed;
	s->vc = &vc;
	playing = s;
	vc_begin(&vc);
	vc_tenant(&vc, "a", 1);
	for (double t = 0; t < END_SEC; t += 50) {
		if (t < END_SEC / 2)
			submit_one(s);
		vc_run(&vc, AT(t));
		if (!below(s, 20))
			vc_restart(&vc);
	}
	assert_true(astra_engine_policy_report(vc.engine, "a", &sums));
	s->utility += sums.utility;
	vc_fini(&vc);
}

static struct scene play_all(bool told)
{
	struct scene sum = {.told = told};

	for (unsigned seed = 1; seed <= SEEDS; seed++) {
		sum.random = astra_random_seed(seed);
		play(&sum);
	}
	printf("%s: %u slots booked ahead, %u of them without a place; %u slots planned, %u beyond the pool's CPUs or memory; utility %.1f %%\n",
	       told ? "GPUs, CPUs and memory" : "GPUs alone", sum.ahead,
	       sum.lost, sum.slots, sum.over, 100 * sum.utility / sum.most);
	return sum;
}

static void nothing_is_booked_that_the_pool_has_not(void **state)
{
	struct scene all = play_all(true), gpus = play_all(false);

	(void)state;
	assert_int_equal(all.over, 0);
	assert_true(gpus.over > 1000);
	assert_true(all.slots > gpus.slots / 2);
	assert_true(2 * all.lost < gpus.lost);
	assert_true(all.utility > gpus.utility);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_worker_has_its_part_of_what_the_job_takes),
		cmocka_unit_test(amounts_follow_the_nodes),
		cmocka_unit_test(each_resource_has_its_price),
		cmocka_unit_test(who_has_all_cpus_has_the_slot),
		cmocka_unit_test(what_asks_for_less_has_booked_less),
		cmocka_unit_test(with_other_units_prices_begin_anew),
		cmocka_unit_test(what_is_not_told_is_in_no_price),
		cmocka_unit_test(nothing_is_booked_that_the_pool_has_not),
	};

	return cmocka_run_group_tests_name("oasis_beside", tests, NULL, NULL);
}
