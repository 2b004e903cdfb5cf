/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The mean reward of a slot that a learner or a baseline earns of an instance.
 */
#ifndef ASTRA_BENCH_OGAS_EARN_H
#define ASTRA_BENCH_OGAS_EARN_H

#include "testsuite/bench/ogas_instance.h"

/* What earns a reward. */
struct ogas_way {
	const char *name;
	enum astra_ogas_algo algo;
	enum astra_ogas_rate rate;
	bool reactive;
	uint32_t lent_steps;
	bool fixed;	    /* the best allocation that never changes */
	double eta0, decay; /* 0: Table II's, but for fixed */
};

enum { OGAS_FIXED_STEPS = 2000 };

static inline double ogas_learn(struct astra_ogas *o,
				const struct ogas_instance *w)
{
	double sum = 0;

	for (size_t t = 0; t < w->slots; t++)
		sum += astra_ogas_step(o, w->x + t * w->ports);
	return sum;
}

/* All ports have jobs equally often, so the best fixed allocation is the best
 * one for jobs everywhere, but for the chance of the arrivals. */
static inline double ogas_stand_still(struct astra_ogas *o,
				      const struct ogas_instance *w)
{
	uint32_t *all = ogas_take(w->ports, sizeof(*all));
	double sum = 0;

	for (size_t l = 0; l < w->ports; l++)
		all[l] = 1;
	for (int i = 0; i < OGAS_FIXED_STEPS; i++)
		astra_ogas_step(o, all);
	for (size_t t = 0; t < w->slots; t++)
		sum += astra_ogas_reward(o, w->x + t * w->ports);
	free(all);
	return sum;
}

static inline double ogas_allocate(struct astra_ogas *o,
				   enum astra_ogas_algo algo, const uint32_t *x)
{
	if (astra_ogas_allocate(o, algo, x) < 0)
		exit(1);
	return astra_ogas_reward(o, x);
}

/* The last slot before t whose arrivals are those of t; t if there is none. */
static inline size_t ogas_slot_alike(const struct ogas_instance *w, size_t t)
{
	const uint32_t *x = w->x + t * w->ports;

	for (size_t s = t; s-- > 0;)
		if (!memcmp(w->x + s * w->ports, x, w->ports * sizeof(*x)))
			return s;
	return t;
}

/* A baseline forgets, so the same ports with jobs are the same reward. */
static inline double ogas_obey(struct astra_ogas *o,
			       const struct ogas_instance *w,
			       enum astra_ogas_algo algo)
{
	double *known = ogas_take(w->slots, sizeof(*known)), sum = 0;

	for (size_t t = 0; t < w->slots; t++) {
		size_t alike = ogas_slot_alike(w, t);

		known[t] =
			alike < t ? known[alike]
				  : ogas_allocate(o, algo, w->x + t * w->ports);
		sum += known[t];
	}
	free(known);
	return sum;
}

/* The mean reward of a slot. */
static inline double ogas_earn(const struct ogas_instance *w,
			       const struct ogas_way *way)
{
	const struct astra_ogas_options options = {
		.rate = way->rate,
		.reactive = way->reactive,
		.eta0 = way->eta0 > 0 ? way->eta0 : 25,
		.decay = way->decay > 0 ? way->decay
			 : way->fixed	? 0.995
					: 0.9999,
		.horizon = w->slots,
		.lent_steps = way->lent_steps,
	};
	struct astra_ogas *o = ogas_instance_build(w, &options);
	double sum;

	if (way->fixed)
		sum = ogas_stand_still(o, w);
	else if (way->algo == ASTRA_OGAS_OGA)
		sum = ogas_learn(o, w);
	else
		sum = ogas_obey(o, w, way->algo);
	astra_ogas_destroy(o);
	return sum / (double)w->slots;
}

#endif
