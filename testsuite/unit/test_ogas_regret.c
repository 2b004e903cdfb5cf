/* SPDX-License-Identifier: GPL-2.0-or-later */
/* OGASched's regret against the best allocation that never changes (Zhao et
 * al., Eq. 41). */
#include <math.h>

#include "testsuite/unit/ogas_world.h"

/* The best stationary y for weights n_l (slots in which port l had a job), by
 * projected gradient on the mean reward: an independent, dense ascent. */
struct offline {
	const struct ogas_world *w;
	double n[WORLD_PORTS];
	double y[WORLD_PORTS][WORLD_NODES][WORLD_TYPES];
	uint32_t worst[WORLD_PORTS];
};

static double value_of(const struct ogas_world *w, size_t r, size_t k, double y)
{
	double alpha = w->alpha[r][k];

	switch (w->utility[r][k]) {
	case ASTRA_OGAS_LINEAR:
		return alpha * y;
	case ASTRA_OGAS_LOG:
		return alpha * log1p(y);
	case ASTRA_OGAS_RECIPROCAL:
		return 1 / alpha - 1 / (y + alpha);
	default:
		return alpha * sqrt(y + 1) - alpha;
	}
}

/* Central difference: one more thing that the core does not share. */
static double slope_of(const struct ogas_world *w, size_t r, size_t k, double y)
{
	const double h = 1e-6;

	return (value_of(w, r, k, y + h) - value_of(w, r, k, fmax(y - h, 0))) /
	       (y + h - fmax(y - h, 0));
}

/* Sum over the slots of q(x(t), y). */
static double offline_reward(struct offline *f)
{
	const struct ogas_world *w = f->w;
	double sum = 0;

	for (size_t l = 0; l < w->ports; l++) {
		double values = 0, most = 0;

		f->worst[l] = 0;
		for (uint32_t k = 0; k < w->types; k++) {
			double held = 0;

			for (size_t r = 0; r < w->nodes; r++) {
				values += w->edge[l][r]
						  ? value_of(w, r, k,
							     f->y[l][r][k])
						  : 0;
				held += f->y[l][r][k];
			}
			if (w->beta[k] * held > most) {
				most = w->beta[k] * held;
				f->worst[l] = k;
			}
		}
		sum += f->n[l] * (values - most);
	}
	return sum;
}

static double clip(double x, double cap)
{
	return fmin(fmax(x, 0), cap);
}

static void offline_project(struct offline *f, size_t r, size_t k)
{
	const struct ogas_world *w = f->w;
	double low = 0, high = 1e3, rho = 0;

	for (int i = 0; i < 60; i++) {
		double sum = 0;

		for (size_t l = 0; l < w->ports; l++)
			sum += clip(f->y[l][r][k] - rho,
				    w->edge[l][r] ? w->a[l][k] : 0);
		if (sum > w->c[r][k])
			low = rho;
		else if (i == 0)
			break;
		else
			high = rho;
		rho = low + (high - low) / 2;
	}
	for (size_t l = 0; l < w->ports; l++)
		f->y[l][r][k] = clip(f->y[l][r][k] - rho,
				     w->edge[l][r] ? w->a[l][k] : 0);
}

static double best_stationary(struct offline *f, double slots)
{
	const struct ogas_world *w = f->w;
	double best = offline_reward(f);

	for (int i = 1; i <= 1500; i++) {
		for (size_t l = 0; l < w->ports; l++)
			for (size_t r = 0; r < w->nodes; r++)
				for (size_t k = 0; k < w->types; k++)
					f->y[l][r][k] +=
						5 / sqrt(i) * f->n[l] / slots *
						(slope_of(w, r, k,
							  f->y[l][r][k]) -
						 (k == f->worst[l] ? w->beta[k]
								   : 0));
		for (size_t r = 0; r < w->nodes; r++)
			for (size_t k = 0; k < w->types; k++)
				offline_project(f, r, k);
		best = fmax(best, offline_reward(f));
	}
	return best;
}

/* Eq. 41: regret <= diam * G * sqrt(T), also where arrivals are such that
 * yesterday's lesson is wrong today (here: ports in turn). */
static void regret_is_within_its_bound_at_the_constant_rate(void **state)
{
	struct astra_random random = astra_random_seed(12);

	(void)state;
	for (int i = 0; i < 16; i++) {
		struct ogas_world w = ogas_random(&random);
		struct offline f = {.w = &w};
		double earned = 0, best, bound;
		struct astra_ogas *o;
		uint64_t slots = i % 2 ? 100 : 1000;

		w.options.rate = ASTRA_OGAS_CONST;
		w.options.horizon = slots;
		w.nodes = w.nodes > 4 ? 4 : w.nodes;
		o = ogas_build(&w);
		for (uint64_t t = 0; t < slots; t++) {
			uint32_t x[WORLD_PORTS];

			ogas_arrivals(&random, x);
			for (size_t l = 0; l < w.ports; l++) {
				x[l] = i % 4 < 2 ? x[l]
						 : (uint32_t)(t % w.ports == l);
				f.n[l] += x[l];
			}
			earned += astra_ogas_step(o, x);
		}
		best = best_stationary(&f, (double)slots);
		bound = astra_ogas_diameter(o) * astra_ogas_slope(o) *
			sqrt((double)slots);
		assert_true(best - earned <= bound);
		/* And it does learn: most of what there is to earn. */
		assert_true(slots < 1000 || earned > 0.5 * best);
		astra_ogas_destroy(o);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			regret_is_within_its_bound_at_the_constant_rate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
