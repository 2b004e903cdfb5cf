/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Incentive's windows over a year: tau_l = 2^l (SPEC.md, section 3, Batches)
 * begins anew with each epoch. */
#include <math.h>
#include <stdlib.h>

#include "src/policies/incentive/policy.h"
#include "src/policies/options.h"
#include "testsuite/unit/incentive_pool.h"

#define DAY 86400
#define YEAR (365 * DAY)
#define LONG_SLOT 600

struct window {
	double origin_sec;
	uint32_t begin, slots;
};

static void *create(double epoch_sec, uint32_t batch_max)
{
	struct astra_options options;
	struct astra_error err;
	void *self;

	astra_options_init(&options);
	options.slot_sec = LONG_SLOT;
	options.batch_max = batch_max;
	options.epoch_sec = epoch_sec;
	options.lend_idle = false;
	self = astra_incentive.create(&options, &err);
	assert_non_null(self);
	return self;
}

static struct window window_of(const void *self)
{
	struct astra_bytes saved = {0};
	struct astra_reader in;
	struct window w;

	assert_int_equal(astra_incentive.save(self, &saved), 0);
	in = (struct astra_reader){.data = saved.data, .size = saved.size};
	assert_close(astra_get_f64(&in), LONG_SLOT, 0);
	w.origin_sec = astra_get_f64(&in);
	w.begin = astra_get_u32(&in);
	w.slots = astra_get_u32(&in);
	astra_bytes_clear(&saved);
	return w;
}

static void *restarted(void *self, double epoch_sec, uint32_t batch_max)
{
	struct astra_bytes saved = {0};
	struct astra_reader in;
	void *other = create(epoch_sec, batch_max);

	assert_int_equal(astra_incentive.save(self, &saved), 0);
	in = (struct astra_reader){.data = saved.data, .size = saved.size};
	assert_int_equal(astra_incentive.restore(other, &in), 0);
	astra_bytes_clear(&saved);
	astra_incentive.destroy(self);
	return other;
}

/* One job for one GPU and two slots, that came just before this time. */
static struct astra_allocation ask(void *self, double now_sec)
{
	static const uint32_t four = 4;
	const struct astra_node node = {.usable = true, .gpus = 4};
	const struct astra_contestant tenant = {.quota = 4, .entitled = true};
	const struct astra_job job = {
		.id = 1 + (uint32_t)(now_sec / LONG_SLOT),
		.copies = 1,
		.state = ASTRA_JOB_PENDING,
		.request = {.gpus = 1},
		.forecast = {.work_sec = 2 * LONG_SLOT - 20},
	};
	const struct astra_demand demand = {.job = &job,
					    .submit_sec = now_sec - 1,
					    .copies = 1,
					    .open = true};
	const struct astra_offer offer = {
		.now_sec = now_sec,
		.nodes = &node,
		.free = &four,
		.node_count = 1,
		.gpus = 4,
		.demands = &demand,
		.demand_count = 1,
		.tenants = &tenant,
		.tenant_count = 1,
	};
	struct astra_allocation out = {0};
	struct astra_error err;

	assert_int_equal(astra_incentive.allocate(self, &offer, &out, &err), 0);
	free(out.awards);
	free(out.shares);
	return out;
}

struct year {
	size_t count, epochs;
	struct {
		double begin_sec;
		uint32_t slots;
	} windows[YEAR / LONG_SLOT / 2];
	uint32_t latest; /* the last slot of a window */
	size_t awards;
};

/* The windows of a year of rounds, one a slot, with a restart after each
 * `every` of them. */
static struct year *live_a_year(double epoch_sec, uint32_t batch_max,
				uint32_t every)
{
	struct year *y = calloc(1, sizeof(*y));
	void *self = create(epoch_sec, batch_max);
	double begin_sec = -1;

	assert_non_null(y);
	for (uint32_t s = 0; s < YEAR / LONG_SLOT; s++) {
		struct window w;

		y->awards += ask(self, AT(s * LONG_SLOT)).award_count;
		w = window_of(self);
		if (w.origin_sec + w.begin * LONG_SLOT > begin_sec) {
			begin_sec = w.origin_sec + w.begin * LONG_SLOT;
			y->windows[y->count].begin_sec = begin_sec;
			y->windows[y->count++].slots = w.slots;
			y->epochs += w.begin == 2;
		}
		if (w.begin + w.slots > y->latest)
			y->latest = w.begin + w.slots;
		if (every && s % every == every - 1)
			self = restarted(self, epoch_sec, batch_max);
	}
	astra_incentive.destroy(self);
	return y;
}

/* From the first window to the last there is no slot that none has. */
static void expect_gapless(const struct year *y)
{
	for (size_t i = 1; i < y->count; i++)
		assert_close(y->windows[i].begin_sec,
			     y->windows[i - 1].begin_sec +
				     y->windows[i - 1].slots * LONG_SLOT,
			     1e-9);
}

/* Epochs of a week, 1008 slots: (2, 4], … (256, 512], (512, 768] and (768,
 * 1024], with which 1022 slots are over. */
static void tau_begins_anew_all_year(void **state)
{
	struct year *y = live_a_year(7 * DAY, 256, 0);
	const uint32_t epoch[] = {2, 4, 8, 16, 32, 64, 128, 256, 256, 256};

	(void)state;
	expect_gapless(y);
	assert_int_equal(y->latest, 1024);
	assert_int_equal(y->epochs, 1 + (YEAR / LONG_SLOT - 3) / 1022);
	for (size_t i = 1; i < y->count; i++)
		assert_int_equal(y->windows[i].slots,
				 epoch[(i - 1) % ASTRA_COUNT_OF(epoch)]);
	free(y);
}

/* An epoch that is never over in that time: as it was without epochs. */
static void a_long_epoch_counts_all_slots(void **state)
{
	struct year *y = live_a_year(2.0 * YEAR, 4, 0);

	(void)state;
	expect_gapless(y);
	assert_int_equal(y->latest, YEAR / LONG_SLOT);
	assert_int_equal(y->epochs, 1);
	free(y);
}

/* In any window: the same windows and as many awards. */
static void a_year_of_restarts_changes_no_window(void **state)
{
	struct year *y = live_a_year(DAY, 32, 0);
	struct year *z = live_a_year(DAY, 32, 97);

	(void)state;
	expect_gapless(y);
	assert_int_equal(y->count, z->count);
	assert_memory_equal(y->windows, z->windows, sizeof(y->windows));
	assert_true(y->awards > 0);
	assert_int_equal(y->awards, z->awards);
	free(y);
	free(z);
}

/* Nobody asked for a year: the window of then, near an epoch's begin, at once.
 */
static void a_year_of_nothing_is_passed_at_once(void **state)
{
	static const double epochs[] = {LONG_SLOT, DAY, 7 * DAY};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(epochs); i++) {
		void *self = create(epochs[i], 256);
		double now_sec = AT(YEAR + 50);
		struct window w;

		ask(self, AT(0));
		ask(self, now_sec);
		w = window_of(self);
		assert_true(w.begin <= 256 + epochs[i] / LONG_SLOT);
		assert_true(w.origin_sec + w.begin * LONG_SLOT <= now_sec);
		assert_true(w.origin_sec + (w.begin + w.slots) * LONG_SLOT >
			    now_sec);
		astra_incentive.destroy(self);
	}
}

/* What was sold in the last window is not awarded again in the next epoch's
 * slots of the same numbers, and whoever came in it is sold (2, 4]. */
static void jobs_go_on_from_epoch_to_epoch(void **state)
{
	struct vcluster vc;
	struct vjob *j, *k;

	(void)state;
	begin(&vc, 1, 4);
	vc.options.epoch_sec = 5 * SLOT; /* (2, 4], (4, 8]; the next at 800 */
	assert_int_equal(astra_engine_configure(vc.engine, &vc.options, NULL),
			 0);
	j = submit(&vc, 0, 2, 20, 10);
	vc_run(&vc, AT(450));
	k = submit(&vc, 0, 2, 1, 10);
	vc_run(&vc, AT(798));
	assert_int_equal(k->job.state, ASTRA_JOB_PENDING);
	vc_run(&vc, AT(805));
	assert_int_equal(k->job.state, ASTRA_JOB_RUNNING);
	assert_close(vc_view(&vc, j).lease_end_sec, AT(1000), 0);
	vc_restart(&vc);
	vc_run(&vc, AT(1005));
	assert_close(vc_view(&vc, j).lease_end_sec, AT(1400), 0);
	vc_run(&vc, AT(2300));
	assert_int_equal(j->job.state, ASTRA_JOB_ENDED);
	assert_int_equal(j->starts, 1);
	vc_fini(&vc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tau_begins_anew_all_year),
		cmocka_unit_test(a_long_epoch_counts_all_slots),
		cmocka_unit_test(a_year_of_restarts_changes_no_window),
		cmocka_unit_test(a_year_of_nothing_is_passed_at_once),
		cmocka_unit_test(jobs_go_on_from_epoch_to_epoch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
