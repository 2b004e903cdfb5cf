/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small instances of OGASched for tests. */
#ifndef ASTRA_TEST_OGAS_WORLD_H
#define ASTRA_TEST_OGAS_WORLD_H

#include <stdio.h>
#include <stdlib.h>

#include "src/common/random.h"
#include "src/policies/ogasched/ogasched.h"
#include "testsuite/unit/unit.h"

enum { WORLD_PORTS = 8, WORLD_NODES = 8, WORLD_TYPES = 4 };

/* All matrices have lines of WORLD_TYPES; use `types` of them. */
struct ogas_world {
	size_t ports, nodes, types;
	struct astra_ogas_options options;
	double a[WORLD_PORTS][WORLD_TYPES];
	double c[WORLD_NODES][WORLD_TYPES];
	double alpha[WORLD_NODES][WORLD_TYPES];
	enum astra_ogas_utility utility[WORLD_NODES][WORLD_TYPES];
	double beta[WORLD_TYPES];
	bool edge[WORLD_PORTS][WORLD_NODES];
	uint32_t copies[WORLD_PORTS]; /* 0: 1 */
	uint32_t gang[WORLD_PORTS], need[WORLD_PORTS];
};

/* SPEC section 5, golden: L = R = K = 2. */
static inline struct ogas_world ogas_golden(void)
{
	return (struct ogas_world){
		.ports = 2,
		.nodes = 2,
		.types = 2,
		.options = {.eta0 = 2, .decay = 0.5, .horizon = 4},
		.a = {{4, 2}, {3, 5}},
		.c = {{6, 4}, {2, 3}},
		.alpha = {{1, 1.2}, {1.5, 1}},
		.utility = {{ASTRA_OGAS_LINEAR, ASTRA_OGAS_LOG},
			    {ASTRA_OGAS_POLY, ASTRA_OGAS_RECIPROCAL}},
		.beta = {.3, .5},
		.edge = {{true, true}, {true, false}},
	};
}

static inline void ogas_add_nodes(struct astra_ogas *o,
				  const struct ogas_world *w)
{
	for (size_t r = 0; r < w->nodes; r++) {
		char name[32];
		const struct astra_ogas_node node = {
			.name = name,
			.capacity = w->c[r],
			.alpha = w->alpha[r],
			.utility = w->utility[r],
		};

		snprintf(name, sizeof(name), "n%zu", r);
		assert_int_equal(astra_ogas_add_node(o, &node), r);
	}
}

static inline void ogas_set_node(struct astra_ogas *o,
				 const struct ogas_world *w, uint32_t r)
{
	astra_ogas_set_node(o, r,
			    &(struct astra_ogas_node){
				    .capacity = w->c[r],
				    .alpha = w->alpha[r],
				    .utility = w->utility[r],
			    });
}

static inline void ogas_add_port(struct astra_ogas *o,
				 const struct ogas_world *w, uint32_t l)
{
	char name[32];
	const struct astra_ogas_port port = {
		.name = name,
		.request = w->a[l],
		.copies = w->copies[l] ? w->copies[l] : 1,
		.gang = w->gang[l],
		.need = w->need[l],
	};

	snprintf(name, sizeof(name), "p%u", l);
	assert_int_equal(astra_ogas_add_port(o, &port), l);
	for (uint32_t r = 0; r < w->nodes; r++)
		if (w->edge[l][r])
			assert_int_equal(astra_ogas_connect(o, l, r), 0);
}

static inline struct astra_ogas *ogas_build(const struct ogas_world *w)
{
	struct astra_ogas *o =
		astra_ogas_create(&w->options, w->beta, w->types);

	assert_non_null(o);
	ogas_add_nodes(o, w);
	for (uint32_t l = 0; l < w->ports; l++)
		ogas_add_port(o, w, l);
	return o;
}

/* y[port][node][type] of the learner; the lines are as long as w says. */
static inline double *ogas_all(const struct astra_ogas *o)
{
	double *y = calloc(astra_ogas_port_count(o) * astra_ogas_node_count(o) *
					   astra_ogas_type_count(o) +
				   1,
			   sizeof(*y));

	assert_non_null(y);
	astra_ogas_copy(o, y);
	return y;
}

static inline struct ogas_world ogas_random(struct astra_random *random)
{
	struct ogas_world w = {
		.ports = 1 + astra_random_below(random, WORLD_PORTS),
		.nodes = 1 + astra_random_below(random, WORLD_NODES),
		.types = 1 + astra_random_below(random, WORLD_TYPES),
		.options = {.eta0 = 25 * astra_random_uniform(random),
			    .decay = .99},
	};

	for (size_t k = 0; k < w.types; k++) {
		w.beta[k] = astra_random_uniform(random) / 2;
		for (size_t l = 0; l < w.ports; l++)
			w.a[l][k] = (double)astra_random_below(random, 9);
		for (size_t r = 0; r < w.nodes; r++) {
			w.c[r][k] = (double)astra_random_below(random, 20);
			w.alpha[r][k] = 1 + astra_random_uniform(random) / 2;
			w.utility[r][k] =
				(enum astra_ogas_utility)astra_random_below(
					random, 4);
		}
	}
	for (size_t l = 0; l < w.ports; l++)
		for (size_t r = 0; r < w.nodes; r++)
			w.edge[l][r] = astra_random_below(random, 4) > 0;
	return w;
}

/* Each port has a job with probability 0.7. */
static inline void ogas_arrivals(struct astra_random *random,
				 uint32_t x[WORLD_PORTS])
{
	for (size_t l = 0; l < WORLD_PORTS; l++)
		x[l] = astra_random_uniform(random) < 0.7;
}

/* 0 <= y <= copies * a, nothing without an edge, sums within capacity. */
static inline void ogas_assert_feasible(const struct ogas_world *w,
					const struct astra_ogas *o)
{
	double *y = ogas_all(o);

	for (size_t r = 0; r < w->nodes; r++)
		for (size_t k = 0; k < w->types; k++) {
			double sum = 0;

			for (size_t l = 0; l < w->ports; l++) {
				uint32_t copies =
					w->copies[l] ? w->copies[l] : 1;
				double cap =
					w->edge[l][r] ? copies * w->a[l][k] : 0;
				double at =
					y[(l * w->nodes + r) * w->types + k];

				assert_true(at >= 0 && at <= cap);
				sum += at;
			}
			assert_true(sum <= w->c[r][k] * (1 + 1e-11));
		}
	free(y);
}

#endif
