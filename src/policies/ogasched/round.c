/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole units from fractional allocations, by largest remainder. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/number.h"
#include "src/policies/ogasched/learner.h"

/* Fractions are compared in billionths, so that rounding errors do not break
 * ties. */
#define FRACTIONS 1e9

struct rest {
	uint64_t fraction;
	uint32_t index;
};

struct rounding {
	struct astra_ogas *o;
	size_t type;
	double unit;
	double *amount; /* [ports][nodes], in units, exact */
	uint32_t *cap;	/* [ports][nodes] */
	uint32_t *out;	/* [ports][nodes] */
	uint32_t *room; /* per node */
	double *total;	/* per port: sum of its amounts */
	uint64_t *want; /* per port: whole units */
	struct rest *rests;
};

static uint64_t fraction_of(double x)
{
	double rest = x - floor(x);

	return rest > 0 ? (uint64_t)llround(rest * FRACTIONS) : 0;
}

static int round_compare_rests(const void *a, const void *b)
{
	const struct rest *x = a, *y = b;

	if (x->fraction != y->fraction)
		return x->fraction > y->fraction ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static uint32_t to_units(double amount, double unit)
{
	return (uint32_t)fmin(astra_floor(amount / unit), UINT32_MAX / 2);
}

/* Set the amounts of the served rows, and the whole units that these certainly
 * give. */
static void floor_cells(struct rounding *g, size_t node)
{
	struct astra_ogas *o = g->o;
	const struct ogas_node *n = &o->nodes[node];
	const double *y = ogas_y(n, g->type);
	const double *request = ogas_request(o, g->type);

	g->room[node] = to_units(n->capacity[g->type], g->unit);
	for (size_t i = 0; i < n->count; i++) {
		uint32_t row = n->rows[i];
		size_t cell = o->rows.port[row] * o->node_count + node;

		if (!(o->rows.served[row] > 0))
			continue;
		g->amount[cell] += y[i] / g->unit;
		g->cap[cell] += to_units(request[row], g->unit);
	}
	for (size_t l = 0; l < o->port_count; l++) {
		size_t cell = l * o->node_count + node;
		uint32_t units = to_units(g->amount[cell], 1);

		units = units < g->cap[cell] ? units : g->cap[cell];
		units = units < g->room[node] ? units : g->room[node];
		g->out[cell] = units;
		g->room[node] -= units;
		g->total[l] += g->amount[cell];
	}
}

/* Decide how many units each port gets in all. rests: the fractions that were
 * cut off, sorted. */
static void apportion(struct rounding *g)
{
	size_t ports = g->o->port_count;
	double sum = 0;
	uint64_t left, given = 0;

	for (uint32_t l = 0; l < ports; l++) {
		g->want[l] = (uint64_t)astra_floor(g->total[l]);
		sum += g->total[l];
		given += g->want[l];
		g->rests[l] = (struct rest){
			.fraction = g->total[l] > (double)g->want[l]
					    ? fraction_of(g->total[l])
					    : 0,
			.index = l,
		};
	}
	qsort(g->rests, ports, sizeof(*g->rests), round_compare_rests);
	left = (uint64_t)astra_floor(sum);
	left = left > given ? left - given : 0;
	for (size_t i = 0; i < ports && left && g->rests[i].fraction; i++) {
		g->want[g->rests[i].index]++;
		left--;
	}
}

/* Give a port its units beyond the certain ones, on the nodes where its
 * fraction is largest. */
static void round_seat(struct rounding *g, uint32_t port, struct rest *nodes)
{
	size_t first = port * g->o->node_count, count = 0;
	uint64_t has = 0;

	for (uint32_t r = 0; r < g->o->node_count; r++) {
		size_t cell = first + r;

		has += g->out[cell];
		if (g->amount[cell] > g->out[cell] &&
		    g->out[cell] < g->cap[cell] && g->room[r])
			nodes[count++] =
				(struct rest){fraction_of(g->amount[cell]), r};
	}
	qsort(nodes, count, sizeof(*nodes), round_compare_rests);
	for (size_t i = 0; i < count && has < g->want[port]; i++, has++) {
		g->out[first + nodes[i].index]++;
		g->room[nodes[i].index]--;
	}
}

static int rounding_init(struct rounding *g)
{
	size_t ports = g->o->port_count, nodes = g->o->node_count;
	size_t lines = ports > nodes ? ports : nodes;

	g->amount = calloc(ports * nodes + 1, sizeof(*g->amount));
	g->cap = calloc(ports * nodes + 1, sizeof(*g->cap));
	g->room = calloc(nodes + 1, sizeof(*g->room));
	g->total = calloc(ports + 1, sizeof(*g->total));
	g->want = calloc(ports + 1, sizeof(*g->want));
	g->rests = calloc(ports + lines + 1, sizeof(*g->rests));
	return g->amount && g->cap && g->room && g->total && g->want && g->rests
		       ? 0
		       : -1;
}

static void rounding_fini(struct rounding *g)
{
	free(g->amount);
	free(g->cap);
	free(g->room);
	free(g->total);
	free(g->want);
	free(g->rests);
}

int astra_ogas_round(struct astra_ogas *o, const uint32_t *x, size_t type,
		     double unit, uint32_t *out)
{
	struct rounding g = {.o = o, .type = type, .unit = unit, .out = out};

	if (rounding_init(&g) < 0) {
		rounding_fini(&g);
		return -1;
	}
	ogas_mark_active(o, x);
	ogas_sum_held(o);
	ogas_mark_served(o);
	memset(out, 0, o->port_count * o->node_count * sizeof(*out));
	for (size_t r = 0; r < o->node_count; r++)
		floor_cells(&g, r);
	apportion(&g);
	for (size_t i = 0; i < o->port_count; i++)
		round_seat(&g, g.rests[i].index, g.rests + o->port_count);
	rounding_fini(&g);
	return 0;
}
