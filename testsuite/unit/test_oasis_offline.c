/* SPDX-License-Identifier: GPL-2.0-or-later */
/* OASiS beside the offline optimum, problem (1) to (9) of the paper, which GLPK
 * finds for small instances: the ratio that Theorem 4 bounds by 2 alpha where
 * single workers are small beside a server. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef ASTRA_GLPK
#include <glpk.h>

#include "src/common/number.h"
#include "testsuite/unit/oasis_plain.h"
#include "testsuite/unit/unit.h"

enum { INSTANCES = 120, TERMS_MAX = 4096 };

static const struct plain_size size = {
	.slots = 4,
	.servers = 2,
	.ps_servers = 2,
	.jobs = 10,
	.workers = 3,
	.epochs = 3,
	.capacity = 4,
};

static const struct plain_size pool_size = {
	.slots = 6,
	.servers = 1,
	.ps_servers = 1,
	.jobs = 20,
	.workers = 16,
	.epochs = 3,
	.capacity = 4,
};

/* A row that is being written. GLPK counts from 1. */
struct row {
	int columns[TERMS_MAX + 1];
	double factors[TERMS_MAX + 1];
	int count;
};

/* Of each job and slot: workers by server, PSs by server, and whether it ends
 * there. */
struct model {
	const struct plain_world *w;
	glp_prob *problem;
	struct row row;
};

static int column_of(const struct model *m, size_t job, uint32_t slot,
		     size_t which)
{
	size_t each = m->w->workers.count + m->w->ps.count + 1;

	return (int)((job * m->w->slots + slot) * each + which) + 1;
}

static int worker(const struct model *m, size_t job, uint32_t slot, size_t h)
{
	return column_of(m, job, slot, h);
}

static int ps(const struct model *m, size_t job, uint32_t slot, size_t k)
{
	return column_of(m, job, slot, m->w->workers.count + k);
}

static int ending(const struct model *m, size_t job, uint32_t slot)
{
	return column_of(m, job, slot, m->w->workers.count + m->w->ps.count);
}

static void term(struct model *m, int column, double factor)
{
	assert_true(m->row.count < TERMS_MAX);
	m->row.count++;
	m->row.columns[m->row.count] = column;
	m->row.factors[m->row.count] = factor;
}

static void end_row(struct model *m, double most)
{
	int row = glp_add_rows(m->problem, 1);

	glp_set_row_bnds(m->problem, row, GLP_UP, 0, most);
	glp_set_mat_row(m->problem, row, m->row.count, m->row.columns,
			m->row.factors);
	m->row.count = 0;
}

static void add_columns(struct model *m)
{
	const struct plain_world *w = m->w;
	size_t each = w->workers.count + w->ps.count + 1;

	glp_add_cols(m->problem, (int)(w->job_count * w->slots * each));
	for (size_t i = 0; i < w->job_count; i++)
		for (uint32_t t = 0; t < w->slots; t++) {
			const struct astra_oasis_job *job = &w->jobs[i];
			bool early = t + 1 < job->arrival;

			for (size_t k = 0; k < each; k++) {
				int c = column_of(m, i, t, k);

				glp_set_col_kind(m->problem, c, GLP_IV);
				glp_set_col_bnds(m->problem, c,
						 early ? GLP_FX : GLP_DB, 0,
						 early ? 0 : job->workers);
			}
			if (early)
				continue;
			glp_set_col_kind(m->problem, ending(m, i, t), GLP_BV);
			glp_set_obj_coef(
				m->problem, ending(m, i, t),
				astra_utility_value(
					&job->utility,
					(double)(t + 1 - job->arrival)));
		}
}

/* It ends once at most; then it has all its work, and none after its end. */
static void add_job(struct model *m, size_t i)
{
	const struct astra_oasis_job *job = &m->w->jobs[i];
	uint32_t slots = m->w->slots;

	for (uint32_t t = 0; t < slots; t++)
		term(m, ending(m, i, t), 1);
	end_row(m, 1);
	for (uint32_t t = 0; t < slots; t++) {
		term(m, ending(m, i, t), astra_oasis_work(job));
		for (size_t h = 0; h < m->w->workers.count; h++)
			term(m, worker(m, i, t, h), -1);
	}
	end_row(m, 0);
	for (uint32_t t = 0; t < slots; t++) {
		for (size_t h = 0; h < m->w->workers.count; h++)
			term(m, worker(m, i, t, h), 1);
		for (uint32_t end = t; end < slots; end++)
			term(m, ending(m, i, end), -(double)job->workers);
		end_row(m, 0);
	}
}

/* PSs: enough bandwidth, and no more of them than workers. */
static void add_exchange(struct model *m, size_t i)
{
	const struct astra_oasis_job *job = &m->w->jobs[i];

	if (job->bandwidth <= 0)
		return;
	for (uint32_t t = 0; t < m->w->slots; t++) {
		for (size_t h = 0; h < m->w->workers.count; h++)
			term(m, worker(m, i, t, h), job->bandwidth);
		for (size_t k = 0; k < m->w->ps.count; k++)
			term(m, ps(m, i, t, k), -job->ps_bandwidth);
		end_row(m, 0);
		for (size_t h = 0; h < m->w->workers.count; h++)
			term(m, worker(m, i, t, h), -1);
		for (size_t k = 0; k < m->w->ps.count; k++)
			term(m, ps(m, i, t, k), 1);
		end_row(m, 0);
	}
}

static void add_capacity(struct model *m, bool of_ps)
{
	const struct plain_world *w = m->w;
	const struct plain_side *side = of_ps ? &w->ps : &w->workers;

	for (uint32_t t = 0; t < w->slots; t++)
		for (size_t h = 0; h < side->count; h++)
			for (size_t r = 0; r < PLAIN_RESOURCES; r++) {
				for (size_t i = 0; i < w->job_count; i++)
					term(m,
					     of_ps ? ps(m, i, t, h)
						   : worker(m, i, t, h),
					     w->demand[i][of_ps][r]);
				end_row(m, side->capacity[h * PLAIN_RESOURCES +
							  r]);
			}
}

static double offline(const struct plain_world *w)
{
	struct model *m = calloc(1, sizeof(*m));
	glp_iocp options;
	double best;

	assert_non_null(m);
	m->w = w;
	m->problem = glp_create_prob();
	glp_set_obj_dir(m->problem, GLP_MAX);
	add_columns(m);
	for (size_t i = 0; i < w->job_count; i++) {
		add_job(m, i);
		add_exchange(m, i);
	}
	add_capacity(m, false);
	add_capacity(m, true);
	glp_init_iocp(&options);
	options.presolve = GLP_ON;
	options.msg_lev = GLP_MSG_OFF;
	assert_int_equal(glp_intopt(m->problem, &options), 0);
	assert_int_equal(glp_mip_status(m->problem), GLP_OPT);
	best = glp_mip_obj_val(m->problem);
	glp_delete_prob(m->problem);
	free(m);
	return best;
}

static double online(const struct plain_world *w)
{
	struct astra_oasis_setup setup = plain_setup(w);
	struct astra_oasis_market *market =
		astra_oasis_market_create(&setup, NULL);
	struct astra_oasis_offer offer = {0};
	double total = 0;

	assert_non_null(market);
	for (size_t i = 0; i < w->job_count; i++) {
		assert_int_equal(astra_oasis_market_offer(market, &w->jobs[i],
							  &offer, NULL),
				 0);
		if (!offer.accepted)
			continue;
		astra_oasis_market_commit(market, &w->jobs[i], &offer.y,
					  &offer.z, false);
		total += offer.utility;
	}
	astra_oasis_offer_clear(&offer);
	astra_oasis_market_destroy(market);
	return total;
}

/* SPEC's three jobs, whose total by OASiS is golden. */
static void the_worked_example_has_its_optimum(void **state)
{
	static double h[] = {2, 4, 0, 1, 4, 0}, k[] = {0, 2, 0};
	static const double g1[] = {10, 40, 20};
	struct plain_world w = {
		.slots = 4,
		.workers = {.count = 2, .capacity = h},
		.ps = {.count = 1, .capacity = k},
		.job_count = 3,
	};

	(void)state;
	for (int i = 0; i < 3; i++) {
		w.jobs[i] = (struct astra_oasis_job){
			.arrival = i < 2 ? 1 : 2,
			.epochs = 2,
			.workers = 2,
			.workers_min = 1,
			.batches = 1,
			.batch_slots = .5,
			.gradient = .25,
			.bandwidth = 1,
			.ps_bandwidth = 2,
			.utility = {.kind = ASTRA_UTILITY_SIGMOID},
		};
		w.jobs[i].utility.sigmoid.g1 = g1[i];
		w.jobs[i].utility.sigmoid.g2 = 1;
		w.jobs[i].utility.sigmoid.g3 = 2;
		w.demand[i][0][0] = w.demand[i][0][1] = 1;
		w.demand[i][1][1] = 1;
	}
	assert_close(offline(&w), 41.931757358900, 1e-9);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* What came of INSTANCES worlds. */
struct outcome {
	double ratios[INSTANCES];
	double sum, best_sum;
	unsigned count, beyond, none;
};

/* The range of prices anew, as the jobs have changed. */
static void estimate(struct plain_world *w)
{
	struct astra_oasis_history history;
	double room = 0;

	for (size_t i = 0; i < w->workers.count * PLAIN_RESOURCES; i++)
		room += w->workers.capacity[i];
	astra_oasis_history_init(&history);
	for (size_t i = 0; i < w->job_count; i++)
		astra_oasis_history_add(&history, &w->jobs[i],
					(double)(w->slots - w->jobs[i].arrival),
					PLAIN_RESOURCES);
	astra_oasis_history_range(&history, PLAIN_RESOURCES, w->slots, room, 0,
				  &w->range);
	w->workers.lower = w->range.l1;
	w->ps.lower = w->range.l2;
}

/* What the policy makes of a pool: one server of so many GPUs, of which jobs
 * use up to half, without PSs. */
static void make_pool(struct plain_world *w, uint32_t gpus)
{
	w->workers.count = 1;
	w->ps.count = 0;
	for (size_t r = 0; r < PLAIN_RESOURCES; r++)
		w->workers.capacity[r] = r ? 0 : gpus;
	for (size_t i = 0; i < w->job_count; i++) {
		struct astra_oasis_job *job = &w->jobs[i];

		job->gradient = job->bandwidth = 0;
		job->batches = job->batch_slots = 1;
		job->workers = 1 + (job->workers - 1) * gpus / 32;
		memset(w->demand[i], 0, sizeof(w->demand[i]));
		w->demand[i][0][0] = 1;
	}
	estimate(w);
}

static void add_world(struct plain_world *w, struct outcome *out)
{
	double best = offline(w), total = online(w);

	assert_true(total <= best * (1 + 1e-6) + 1e-6);
	out->sum += total;
	out->best_sum += best;
	if (total > 0) {
		out->beyond +=
			best / total >
			2 * astra_oasis_alpha(&w->range, PLAIN_RESOURCES);
		out->ratios[out->count++] = best / total;
		return;
	}
	assert_true(best <= 1e-6);
	out->none++;
}

/* gpus: of a pool; 0: worlds of any kind. */
static struct outcome measure(uint32_t gpus)
{
	struct outcome out = {0};

	for (uint64_t seed = 1; out.count + out.none < INSTANCES; seed++) {
		struct plain_world w;

		plain_world_random(&w, gpus ? &pool_size : &size, seed);
		if (gpus)
			make_pool(&w, gpus);
		for (size_t i = 0; i < w.job_count; i++)
			w.jobs[i].workers_min = 1;
		add_world(&w, &out);
		plain_world_free(&w);
	}
	qsort(out.ratios, out.count, sizeof(*out.ratios), compare);
	if (gpus)
		printf("pools of %u GPUs: ", gpus);
	printf("%u instances, %u of them impossible: offline / OASiS median "
	       "%.3f, 90th percentile %.3f, worst %.3f, of the sums %.3f; %u "
	       "beyond 2 alpha\n",
	       out.count + out.none, out.none, out.ratios[out.count / 2],
	       out.ratios[out.count * 9 / 10], out.ratios[out.count - 1],
	       out.best_sum / out.sum, out.beyond);
	return out;
}

static void oasis_is_not_far_from_the_optimum(void **state)
{
	struct outcome out = measure(0);

	(void)state;
	assert_true(out.count > INSTANCES / 2);
	assert_true(out.ratios[out.count / 2] < 1.5);
}

/* The price knows only how full a server is: where one worker fills it, who
 * comes first has it. */
static void it_is_nearer_where_workers_are_small(void **state)
{
	struct outcome one = measure(1), many = measure(32);

	(void)state;
	assert_true(many.count >= INSTANCES / 2);
	assert_true(many.ratios[many.count / 2] < 1.1);
	assert_true(many.ratios[many.count - 1] < one.ratios[one.count - 1]);
	assert_int_equal(many.beyond, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_worked_example_has_its_optimum),
		cmocka_unit_test(oasis_is_not_far_from_the_optimum),
		cmocka_unit_test(it_is_nearer_where_workers_are_small),
	};

	return cmocka_run_group_tests_name("oasis_offline", tests, NULL, NULL);
}
#else
int main(void)
{
	puts("skipped: GLPK was not there when this was configured "
	     "(libglpk-dev)");
	return 77;
}
#endif
