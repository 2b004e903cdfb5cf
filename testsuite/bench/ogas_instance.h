/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random instances of OGASched: alpha and beta as in the paper's Table II,
 * requests and capacities made up. */
#ifndef ASTRA_BENCH_OGAS_INSTANCE_H
#define ASTRA_BENCH_OGAS_INSTANCE_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/random.h"
#include "src/policies/ogasched/ogasched.h"

/* What is set before it is filled. */
struct ogas_instance {
	size_t ports, nodes, types, slots;
	const char *utility; /* of all nodes and types; NULL: any */
	double arrival;	     /* probability of a job at a port in a slot */
	double demand;	     /* all requests, times this */
	double density;	     /* probability that a port may use a node */
	double beta_least;   /* beta is this to beta_range more */
	double beta_range;   /* 0: 0.2 */
	const double *unit;  /* of each type, amounts are times it; NULL: 1 */

	double *a, *c, *alpha,
		*beta; /* [port][type], [node][type], …, [type] */
	enum astra_ogas_utility *kind; /* [node][type] */
	bool *edge;		       /* [port][node] */
	uint32_t *x;		       /* [slot][port] */
};

static inline void *ogas_take(size_t count, size_t size)
{
	void *memory = calloc(count + 1, size);

	if (!memory)
		exit(1);
	return memory;
}

static inline void ogas_instance_take(struct ogas_instance *w)
{
	size_t cells = w->nodes * w->types;

	w->a = ogas_take(w->ports * w->types, sizeof(*w->a));
	w->c = ogas_take(cells, sizeof(*w->c));
	w->alpha = ogas_take(cells, sizeof(*w->alpha));
	w->beta = ogas_take(w->types, sizeof(*w->beta));
	w->kind = ogas_take(cells, sizeof(*w->kind));
	w->edge = ogas_take(w->ports * w->nodes, sizeof(*w->edge));
	w->x = ogas_take(w->slots * w->ports, sizeof(*w->x));
}

/* By name; a random one of the four if there is none. */
static inline enum astra_ogas_utility ogas_utility(const char *name,
						   struct astra_random *random)
{
	static const char *const names[] = {"linear", "log", "reciprocal",
					    "poly"};

	for (int i = 0; name && i < 4; i++)
		if (!strcmp(name, names[i]))
			return (enum astra_ogas_utility)i;
	return (enum astra_ogas_utility)astra_random_below(random, 4);
}

/* cell: of a or c. */
static inline double ogas_unit(const struct ogas_instance *w, size_t cell)
{
	return w->unit ? w->unit[cell % w->types] : 1;
}

static inline void ogas_instance_fill(struct ogas_instance *w, uint64_t seed)
{
	struct astra_random random = astra_random_seed(seed);
	double range = w->beta_range > 0 ? w->beta_range : 0.2;

	ogas_instance_take(w);
	for (size_t i = 0; i < w->ports * w->types; i++)
		w->a[i] = w->demand * ogas_unit(w, i) *
			  (double)(1 + astra_random_below(&random, 16));
	for (size_t i = 0; i < w->nodes * w->types; i++) {
		w->c[i] = ogas_unit(w, i) *
			  (8 + (double)astra_random_below(&random, 57));
		w->alpha[i] = 1 + astra_random_uniform(&random) / 2;
		w->kind[i] = ogas_utility(w->utility, &random);
	}
	for (size_t k = 0; k < w->types; k++)
		w->beta[k] =
			w->beta_least + range * astra_random_uniform(&random);
	for (size_t i = 0; i < w->slots * w->ports; i++)
		w->x[i] = astra_random_uniform(&random) < w->arrival;
	for (size_t i = 0; i < w->ports * w->nodes; i++)
		w->edge[i] = astra_random_uniform(&random) < w->density;
}

static inline void ogas_instance_clear(struct ogas_instance *w)
{
	free(w->a);
	free(w->c);
	free(w->alpha);
	free(w->beta);
	free(w->kind);
	free(w->edge);
	free(w->x);
}

static inline struct astra_ogas *
ogas_instance_build(const struct ogas_instance *w,
		    const struct astra_ogas_options *options)
{
	struct astra_ogas *o = astra_ogas_create(options, w->beta, w->types);

	if (!o)
		exit(1);
	for (size_t r = 0; r < w->nodes; r++)
		if (astra_ogas_add_node(
			    o, &(struct astra_ogas_node){
				       .capacity = w->c + r * w->types,
				       .alpha = w->alpha + r * w->types,
				       .utility = w->kind + r * w->types,
			       }) == ASTRA_OGAS_NONE)
			exit(1);
	for (uint32_t l = 0; l < w->ports; l++) {
		if (astra_ogas_add_port(o,
					&(struct astra_ogas_port){
						.request = w->a + l * w->types,
						.copies = 1,
					}) == ASTRA_OGAS_NONE)
			exit(1);
		for (uint32_t r = 0; r < w->nodes; r++)
			if (w->edge[l * w->nodes + r] &&
			    astra_ogas_connect(o, l, r) < 0)
				exit(1);
	}
	return o;
}

#endif
