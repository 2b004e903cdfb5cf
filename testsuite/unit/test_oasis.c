/* SPDX-License-Identifier: GPL-2.0-or-later */
/* OASiS (Bao et al., INFOCOM 2018; SPEC section 4): prices, the best schedule
 * against the plain dynamic programme and against trying everything, admission,
 * and the estimates of U and L. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/number.h"
#include "testsuite/unit/oasis_plain.h"
#include "testsuite/unit/unit.h"

static const struct plain_size small = {
	.slots = 4,
	.servers = 3,
	.ps_servers = 2,
	.jobs = 4,
	.workers = 3,
	.epochs = 4,
	.capacity = 8,
};
static const struct plain_size large = {
	.slots = 30,
	.servers = 8,
	.ps_servers = 5,
	.jobs = 30,
	.workers = 20,
	.epochs = 30,
	.capacity = 40,
};

static struct astra_oasis_market *create(const struct astra_oasis_setup *setup)
{
	struct astra_error err = {""};
	struct astra_oasis_market *market =
		astra_oasis_market_create(setup, &err);

	assert_non_null(market);
	return market;
}

static void ask(struct astra_oasis_market *market,
		const struct astra_oasis_job *job,
		struct astra_oasis_offer *offer)
{
	struct astra_error err = {""};

	if (astra_oasis_market_offer(market, job, offer, &err))
		fail_msg("%s", err.text);
}

static void accept(struct astra_oasis_market *market,
		   const struct astra_oasis_job *job,
		   const struct astra_oasis_offer *offer)
{
	astra_oasis_market_commit(market, job, &offer->y, &offer->z, false);
}

/* A job of so many GPUs' worth of workers, without PSs. */
static const double one_gpu[] = {1}, nothing[] = {0};

static struct astra_oasis_job gpu_job(uint32_t workers, double slots)
{
	struct astra_oasis_job job = {
		.arrival = 1,
		.epochs = slots,
		.workers = workers,
		.workers_min = 1,
		.batches = 1,
		.batch_slots = 1,
		.worker = one_gpu,
		.ps = nothing,
		.utility = {.kind = ASTRA_UTILITY_SIGMOID},
	};

	job.utility.sigmoid.g1 = 100;
	job.utility.sigmoid.g2 = 1;
	job.utility.sigmoid.g3 = 10;
	return job;
}

static struct astra_oasis_setup gpu_setup(const double *capacity, size_t nodes,
					  uint32_t slots)
{
	return (struct astra_oasis_setup){
		.resources = 1,
		.slots = slots,
		.first = 1,
		.workers = {capacity, nodes},
		.range = {.u1 = {8}, .u2 = {8}, .l1 = .5, .l2 = .5},
	};
}

static void a_price_rises_from_l_to_u(void **state)
{
	static const double four[] = {4}, expected[] = {.5, 1, 2, 4, 8};
	const struct astra_oasis_setup setup = gpu_setup(four, 1, 1);
	struct astra_oasis_market *market = create(&setup);
	const struct astra_oasis_job job = gpu_job(1, 1);
	struct astra_oasis_offer offer = {0};

	(void)state;
	for (size_t g = 0; g < ASTRA_COUNT_OF(expected); g++) {
		assert_close(astra_oasis_market_price(market, false, 1, 0, 0),
			     expected[g], 1e-12);
		ask(market, &job, &offer);
		assert_int_equal(offer.accepted, g < 4);
		if (offer.accepted)
			accept(market, &job, &offer);
	}
	assert_true(isinf(offer.payoff));
	astra_oasis_offer_clear(&offer);
	astra_oasis_market_destroy(market);
}

static void a_server_without_a_resource_costs_u(void **state)
{
	static const double none[] = {0};
	const struct astra_oasis_setup setup = gpu_setup(none, 1, 2);
	struct astra_oasis_market *market = create(&setup);

	(void)state;
	assert_close(astra_oasis_market_price(market, false, 2, 0, 0), 8, 0);
	astra_oasis_market_destroy(market);
}

/* What a schedule is, whoever found it. */
static void check_schedule(const struct plain_world *w,
			   const struct astra_oasis_job *job,
			   const struct astra_oasis_offer *offer)
{
	uint32_t *workers = calloc(w->slots + 1, sizeof(*workers));
	uint32_t *ps = calloc(w->slots + 1, sizeof(*ps)), last = 0;
	double done = 0, cost = 0;

	for (size_t i = 0; i < offer->y.count; i++)
		workers[offer->y.list[i].slot - 1] += offer->y.list[i].count;
	for (size_t i = 0; i < offer->z.count; i++)
		ps[offer->z.list[i].slot - 1] += offer->z.list[i].count;
	for (uint32_t t = 0; t < w->slots; t++) {
		if (!workers[t]) {
			assert_int_equal(ps[t], 0);
			continue;
		}
		last = t + 1;
		assert_in_range(workers[t], job->workers_min, job->workers);
		assert_true(ps[t] <= workers[t]);
		if (job->bandwidth > 0 && w->ps.count)
			assert_true(ps[t] * job->ps_bandwidth >=
				    workers[t] * job->bandwidth - 1e-6);
		assert_true(last >= job->arrival);
		cost += plain_cost(w, job, t, workers[t]);
		done += workers[t];
	}
	assert_int_equal(offer->t_hat, last);
	if (!w->whole_chunks)
		assert_true(done >= astra_oasis_work(job));
	assert_close(cost, offer->cost, 1e-9);
	assert_close(offer->utility,
		     astra_utility_value(&job->utility,
					 (double)(last - job->arrival)),
		     1e-9);
	free(workers);
	free(ps);
}

/* As many workers in each slot as the plain programme has, which does as much
 * as it can in the earlier slots where costs are equal. */
static void check_counts(const struct plain_world *w,
			 const struct astra_oasis_offer *offer,
			 uint32_t *counts)
{
	for (size_t i = 0; i < offer->y.count; i++)
		counts[offer->y.list[i].slot - 1] -= offer->y.list[i].count;
	for (uint32_t t = 0; t < w->slots; t++)
		assert_int_equal(counts[t], 0);
}

struct tally {
	unsigned offers, accepted, refused, impossible;
};

/* All of an instance, each offer beside the plain one. */
static void replay(struct plain_world *w, struct tally *tally)
{
	const struct astra_oasis_setup setup = plain_setup(w);
	struct astra_oasis_market *market = create(&setup);
	struct plain_best best = {
		.counts = calloc(w->slots, sizeof(uint32_t)),
	};
	struct astra_oasis_offer offer = {0};

	for (size_t i = 0; i < w->job_count; i++) {
		const struct astra_oasis_job *job = &w->jobs[i];

		ask(market, job, &offer);
		plain_offer(w, job, &best);
		assert_close(offer.payoff, best.payoff, 1e-9);
		tally->offers++;
		tally->impossible += isinf(best.payoff) ? 1 : 0;
		if (!offer.accepted) {
			assert_true(best.payoff <= 1e-8);
			assert_int_equal(offer.y.count, 0);
			tally->refused += isinf(best.payoff) ? 0 : 1;
			continue;
		}
		tally->accepted++;
		assert_int_equal(offer.t_hat, best.ending + 1);
		check_schedule(w, job, &offer);
		if (!w->whole_chunks && offer.cost > 0)
			check_counts(w, &offer, best.counts);
		accept(market, job, &offer);
		assert_int_equal(plain_commit(w, job, &offer), 0);
	}
	free(best.counts);
	astra_oasis_offer_clear(&offer);
	astra_oasis_market_destroy(market);
}

static void replay_all(const struct plain_size *size, uint64_t seeds,
		       bool whole_chunks)
{
	struct tally tally = {0};

	for (uint64_t seed = 1; seed <= seeds; seed++) {
		struct plain_world w;

		plain_world_random(&w, size, seed);
		plain_world_raise(&w, pow(10, (double)(seed % 6)));
		w.whole_chunks = whole_chunks;
		for (size_t i = 0; whole_chunks && i < w.job_count; i++)
			w.jobs[i].workers_min = 1;
		replay(&w, &tally);
		plain_world_free(&w);
	}
	printf("%u offers: %u accepted, %u refused, %u impossible\n",
	       tally.offers, tally.accepted, tally.refused, tally.impossible);
	assert_true(tally.accepted > tally.offers / 5);
	assert_true(tally.refused > tally.offers / 50);
	assert_true(tally.impossible > 0);
}

static void every_offer_is_that_of_the_plain_programme(void **state)
{
	(void)state;
	replay_all(&small, 10000, false);
	replay_all(&large, 600, false);
}

/* Two markets that differ by a server that has nothing: with it all is
 * searched, without it slots are taken by runs. */
static void compare_with_search(struct plain_world *w, struct tally *tally)
{
	double capacity[2 * PLAIN_RESOURCES] = {0};
	struct astra_oasis_setup setup = plain_setup(w);
	struct astra_oasis_market *runs = create(&setup), *search;
	struct astra_oasis_offer a = {0}, b = {0};

	memcpy(capacity, w->workers.capacity, sizeof(capacity) / 2);
	setup.workers = (struct astra_oasis_servers){capacity, 2};
	search = create(&setup);
	for (size_t i = 0; i < w->job_count; i++) {
		const struct astra_oasis_job *job = &w->jobs[i];

		ask(runs, job, &a);
		ask(search, job, &b);
		tally->offers++;
		tally->accepted += a.accepted;
		tally->impossible += isinf(a.payoff) ? 1 : 0;
		assert_int_equal(a.accepted, b.accepted);
		assert_close(a.payoff, b.payoff, 1e-9);
		assert_close(a.cost, b.cost, 1e-9);
		assert_close(a.utility, b.utility, 0);
		assert_int_equal(a.t_hat, b.t_hat);
		assert_int_equal(a.y.count, b.y.count);
		for (size_t k = 0; k < a.y.count; k++) {
			assert_int_equal(a.y.list[k].slot, b.y.list[k].slot);
			assert_int_equal(a.y.list[k].count, b.y.list[k].count);
		}
		accept(runs, job, &a);
		accept(search, job, &b);
	}
	astra_oasis_offer_clear(&a);
	astra_oasis_offer_clear(&b);
	astra_oasis_market_destroy(runs);
	astra_oasis_market_destroy(search);
}

/* One server, no PSs: gangs, and jobs of any number of workers. */
static void runs_of_slots_are_what_a_search_finds(void **state)
{
	static const struct plain_size one = {
		.slots = 150,
		.servers = 1,
		.ps_servers = 1,
		.jobs = 60,
		.workers = 12,
		.epochs = 60,
		.capacity = 60,
	};
	struct tally tally = {0};

	(void)state;
	for (uint64_t seed = 1; seed <= 2000; seed++) {
		struct plain_world w;

		plain_world_random(&w, &one, seed);
		plain_world_raise(&w, pow(10, (double)(seed % 6)));
		for (size_t i = 0; i < w.job_count; i++) {
			struct astra_oasis_job *job = &w.jobs[i];

			job->gradient = job->bandwidth = 0;
			job->workers_min = seed % 2 ? job->workers : 1;
		}
		compare_with_search(&w, &tally);
		plain_world_free(&w);
	}
	printf("%u offers: %u accepted, %u impossible\n", tally.offers,
	       tally.accepted, tally.impossible);
	assert_true(tally.accepted > tally.offers / 5);
	assert_true(tally.impossible < tally.offers * 3 / 4);
}

static void whole_chunks_are_those_of_algorithm_2(void **state)
{
	(void)state;
	replay_all(&small, 1000, true);
	replay_all(&large, 200, true);
}

static void whole_chunks_are_never_better(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 1000; seed++) {
		struct astra_oasis_offer exact = {0}, chunks = {0};
		struct astra_oasis_market *market;
		struct astra_oasis_setup setup;
		struct plain_world w;

		plain_world_random(&w, &small, seed);
		w.jobs[0].workers_min = 1;
		setup = plain_setup(&w);
		market = create(&setup);
		ask(market, &w.jobs[0], &exact);
		astra_oasis_market_destroy(market);
		setup.whole_chunks = true;
		market = create(&setup);
		ask(market, &w.jobs[0], &chunks);
		astra_oasis_market_destroy(market);
		assert_true(astra_compare(chunks.payoff, exact.payoff) <= 0);
		astra_oasis_offer_clear(&exact);
		astra_oasis_offer_clear(&chunks);
		plain_world_free(&w);
	}
}

/* Every number of workers in every slot. */
static double try_all(const struct plain_world *w,
		      const struct astra_oasis_job *job, uint32_t slot,
		      double missing, double cost)
{
	double best = -HUGE_VAL;

	if (missing <= 0)
		return astra_utility_value(&job->utility,
					   (double)slot -
						   (double)job->arrival) -
		       cost;
	if (slot >= w->slots)
		return best;
	for (uint32_t n = 0; n <= job->workers; n++)
		if (!n || n >= job->workers_min)
			best = fmax(best, try_all(w, job, slot + 1, missing - n,
						  cost + plain_cost(w, job,
								    slot, n)));
	return best;
}

static void no_schedule_is_better(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 2000; seed++) {
		struct astra_oasis_offer offer = {0};
		struct plain_world w;
		struct astra_oasis_setup setup;
		struct astra_oasis_market *market;

		plain_world_random(&w, &small, seed);
		setup = plain_setup(&w);
		market = create(&setup);
		for (size_t i = 0; i < w.job_count; i++) {
			const struct astra_oasis_job *job = &w.jobs[i];
			uint32_t from = (uint32_t)job->arrival - 1;

			ask(market, job, &offer);
			assert_close(offer.payoff,
				     try_all(&w, job, from,
					     astra_oasis_work(job), 0),
				     1e-9);
			if (!offer.accepted)
				continue;
			accept(market, job, &offer);
			assert_int_equal(plain_commit(&w, job, &offer), 0);
		}
		astra_oasis_offer_clear(&offer);
		astra_oasis_market_destroy(market);
		plain_world_free(&w);
	}
}

/* Slots that are alike: the work is done as early as it can be. */
static void ties_go_to_the_earlier_slots(void **state)
{
	static const double eight[] = {8, 8};
	const struct astra_oasis_setup setup = gpu_setup(eight, 2, 10);
	struct astra_oasis_market *market = create(&setup);
	struct astra_oasis_job job = gpu_job(4, 2.5);
	struct astra_oasis_offer offer = {0};

	(void)state;
	job.utility.sigmoid.g2 = 0;
	ask(market, &job, &offer);
	assert_true(offer.accepted);
	assert_int_equal(offer.t_hat, 3);
	assert_int_equal(offer.y.count, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(offer.y.list[i].slot, i + 1);
		assert_int_equal(offer.y.list[i].server, 0);
		assert_int_equal(offer.y.list[i].count, i < 2 ? 4 : 2);
	}
	assert_close(offer.payoff, 50 - 10 * .5, 1e-12);
	astra_oasis_offer_clear(&offer);
	astra_oasis_market_destroy(market);
}

static void a_gang_has_all_its_workers_or_none(void **state)
{
	static const double four[] = {4};
	const struct astra_oasis_setup setup = gpu_setup(four, 1, 5);
	struct astra_oasis_market *market = create(&setup);
	struct astra_oasis_job small_job = gpu_job(1, 2),
			       gang = gpu_job(4, 2.25);
	struct astra_oasis_offer offer = {0};

	(void)state;
	ask(market, &small_job, &offer);
	accept(market, &small_job, &offer);
	gang.workers_min = 4;
	ask(market, &gang, &offer);
	assert_true(offer.accepted);
	assert_int_equal(offer.y.count, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(offer.y.list[i].slot, i + 3);
		assert_int_equal(offer.y.list[i].count, 4);
	}
	astra_oasis_offer_clear(&offer);
	astra_oasis_market_destroy(market);
}

static void the_window_moves_on(void **state)
{
	static const double four[] = {4};
	const struct astra_oasis_setup setup = gpu_setup(four, 1, 4);
	struct astra_oasis_market *market = create(&setup);
	struct astra_oasis_job job = gpu_job(2, 3);
	struct astra_oasis_offer offer = {0};

	(void)state;
	ask(market, &job, &offer);
	accept(market, &job, &offer);
	assert_int_equal(offer.t_hat, 3);
	astra_oasis_market_advance(market, 3);
	assert_int_equal(astra_oasis_market_first(market), 3);
	assert_close(astra_oasis_market_price(market, false, 3, 0, 0), 2, 0);
	for (int64_t slot = 4; slot < 7; slot++)
		assert_close(
			astra_oasis_market_price(market, false, slot, 0, 0), .5,
			0);
	/* It came in slot 1 and is worth what it would have been from then. */
	ask(market, &job, &offer);
	assert_int_equal(offer.y.list[0].slot, 4);
	assert_int_equal(offer.t_hat, 6);
	assert_close(offer.utility,
		     astra_utility_value(&job.utility, (double)offer.t_hat - 1),
		     1e-12);
	astra_oasis_market_advance(market, 1000);
	assert_close(astra_oasis_market_price(market, false, 1003, 0, 0), .5,
		     0);
	ask(market, &job, &offer);
	assert_int_equal(offer.accepted, offer.payoff > 0);
	job.arrival = 1004;
	ask(market, &job, &offer);
	assert_false(offer.accepted);
	assert_true(isinf(offer.payoff));
	astra_oasis_offer_clear(&offer);
	astra_oasis_market_destroy(market);
}

static void what_is_given_back_can_be_had_again(void **state)
{
	static const double four[] = {4};
	const struct astra_oasis_setup setup = gpu_setup(four, 1, 4);
	struct astra_oasis_market *market = create(&setup);
	struct astra_oasis_job job = gpu_job(3, 3);
	struct astra_oasis_offer offer = {0}, again = {0};

	(void)state;
	ask(market, &job, &offer);
	accept(market, &job, &offer);
	astra_oasis_market_commit(market, &job, &offer.y, &offer.z, true);
	ask(market, &job, &again);
	assert_close(offer.payoff, again.payoff, 0);
	assert_close(astra_oasis_market_price(market, false, 1, 0, 0), .5, 0);
	astra_oasis_market_set_capacity(market, 0, one_gpu);
	ask(market, &job, &again);
	assert_true(isinf(again.payoff));
	astra_oasis_offer_clear(&offer);
	astra_oasis_offer_clear(&again);
	astra_oasis_market_destroy(market);
}

/* Two jobs by hand: W = 4 and 1, D = 2 and 1. */
static void estimates_follow_the_formulas(void **state)
{
	struct astra_oasis_job a = gpu_job(2, 2), b = gpu_job(1, .5);
	struct astra_oasis_history history;
	struct astra_oasis_range range;

	(void)state;
	astra_oasis_history_init(&history);
	astra_oasis_history_range(&history, 1, 10, 8, 0, &range);
	assert_close(range.l1, 1e-12, 0);
	assert_close(range.u1[0], 1e-12, 0);
	assert_close(astra_oasis_alpha(&range, 1), 1, 0);
	astra_oasis_history_add(&history, &a, 9, 1);
	astra_oasis_history_add(&history, &b, 7, 1);
	astra_oasis_history_range(&history, 1, 10, 8, 0, &range);
	/* eta = 1/80; the least is a's: 100 / (1 + 1/e) / 4. */
	assert_close(range.l1, 100 / (1 + exp(-1)) / 4 / 4 / 80, 1e-12);
	assert_close(range.u1[0], 100 / (1 + exp(-10)), 1e-12);
	assert_close(range.l2, 1e-12, 0);
	assert_close(range.u2[0], 1e-12, 0);
	assert_close(astra_oasis_alpha(&range, 1), log(range.u1[0] / range.l1),
		     1e-12);
}

static void estimates_survive_a_restart(void **state)
{
	struct astra_oasis_history history, other;
	struct astra_oasis_job job = gpu_job(2, 2);
	struct astra_bytes bytes = {0};
	struct astra_reader reader;

	(void)state;
	astra_oasis_history_init(&history);
	astra_oasis_history_add(&history, &job, 9, 1);
	astra_oasis_history_save(&history, &bytes);
	assert_false(bytes.failed);
	reader = (struct astra_reader){.data = bytes.data, .size = bytes.size};
	assert_int_equal(astra_oasis_history_restore(&other, &reader), 0);
	assert_memory_equal(&history, &other, sizeof(other));
	for (size_t size = 0; size < bytes.size; size++) {
		reader =
			(struct astra_reader){.data = bytes.data, .size = size};
		assert_int_equal(astra_oasis_history_restore(&other, &reader),
				 -1);
		assert_int_equal(other.jobs, 0);
	}
	memset(bytes.data + 12, 0xff, 8); /* NaN */
	reader = (struct astra_reader){.data = bytes.data, .size = bytes.size};
	assert_int_equal(astra_oasis_history_restore(&other, &reader), -1);
	astra_bytes_clear(&bytes);
}

static void what_can_never_be_is_refused(void **state)
{
	static const double four[] = {4};
	const struct astra_oasis_setup setup = gpu_setup(four, 1, 4);
	struct astra_oasis_market *market = create(&setup);
	struct astra_oasis_job jobs[] = {
		gpu_job(0, 1), gpu_job(1, 5), gpu_job(5, 1),
		gpu_job(1, 1), gpu_job(1, 1), gpu_job(1, 1),
	};
	struct astra_oasis_offer offer = {0};

	(void)state;
	jobs[2].workers_min = 5;
	jobs[3].gradient = 1; /* and no bandwidth */
	jobs[4].bandwidth = 2;
	jobs[4].ps_bandwidth = 1; /* more PSs than workers */
	jobs[4].ps = one_gpu;
	jobs[5].arrival = 5;
	for (size_t i = 0; i < ASTRA_COUNT_OF(jobs); i++) {
		ask(market, &jobs[i], &offer);
		assert_false(offer.accepted);
		assert_true(isinf(offer.payoff));
	}
	astra_oasis_offer_clear(&offer);
	astra_oasis_market_destroy(market);
}

static void too_large_a_search_is_an_error(void **state)
{
	static const double many[] = {1e9};
	const struct astra_oasis_setup setup = gpu_setup(many, 1, 10000);
	struct astra_oasis_market *market = create(&setup);
	struct astra_oasis_job job = gpu_job(100000, 1);
	struct astra_oasis_offer offer = {0};
	struct astra_error err = {""};

	(void)state;
	job.workers_min = 2; /* else it is no search */
	assert_int_equal(astra_oasis_market_offer(market, &job, &offer, &err),
			 1);
	assert_false(offer.accepted);
	assert_non_null(strstr(err.text, "too much"));
	astra_oasis_offer_clear(&offer);
	astra_oasis_market_destroy(market);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_price_rises_from_l_to_u),
		cmocka_unit_test(a_server_without_a_resource_costs_u),
		cmocka_unit_test(every_offer_is_that_of_the_plain_programme),
		cmocka_unit_test(runs_of_slots_are_what_a_search_finds),
		cmocka_unit_test(whole_chunks_are_those_of_algorithm_2),
		cmocka_unit_test(whole_chunks_are_never_better),
		cmocka_unit_test(no_schedule_is_better),
		cmocka_unit_test(ties_go_to_the_earlier_slots),
		cmocka_unit_test(a_gang_has_all_its_workers_or_none),
		cmocka_unit_test(the_window_moves_on),
		cmocka_unit_test(what_is_given_back_can_be_had_again),
		cmocka_unit_test(estimates_follow_the_formulas),
		cmocka_unit_test(estimates_survive_a_restart),
		cmocka_unit_test(what_can_never_be_is_refused),
		cmocka_unit_test(too_large_a_search_is_an_error),
	};

	return cmocka_run_group_tests_name("oasis", tests, NULL, NULL);
}
