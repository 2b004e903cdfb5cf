/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The paper's baselines: allocations for the jobs of one slot, without
 * learning. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/number.h"
#include "src/policies/ogasched/learner.h"

struct share {
	double share; /* dominant share: max_k a / sum of c over its nodes */
	uint32_t port;
};

/* The allocation of a slot while it is made. */
struct heap {
	struct astra_ogas *o;
	double *left; /* [node][type] */
	double *used; /* per node: mean utilisation, rounded to 12 digits */
};

static void clear(struct astra_ogas *o)
{
	for (size_t r = 0; r < o->node_count; r++)
		if (o->nodes[r].y)
			memset(o->nodes[r].y, 0,
			       o->types * o->nodes[r].room *
				       sizeof(*o->nodes[r].y));
}

/* Compute min(a, c a / sum of a). */
static void share_cell(struct astra_ogas *o, struct ogas_node *n, size_t k)
{
	const double *request = ogas_request(o, k);
	double *y = ogas_y(n, k), sum = 0;

	for (size_t i = 0; i < n->count; i++)
		sum += o->rows.active[n->rows[i]] * request[n->rows[i]];
	for (size_t i = 0; i < n->count; i++) {
		double a = o->rows.active[n->rows[i]] * request[n->rows[i]];

		y[i] = a > 0 ? fmin(a, n->capacity[k] * (a / sum)) : 0;
	}
}

static void allocate_fairly(struct astra_ogas *o)
{
	for (size_t r = 0; r < o->node_count; r++)
		for (size_t k = 0; k < o->types; k++)
			share_cell(o, &o->nodes[r], k);
}

static bool is_connected(const struct ogas_node *n, size_t row, size_t *at)
{
	*at = ogas_row_at(n, (uint32_t)row);
	return *at < n->count && n->rows[*at] == row;
}

/* Give a row its request on a node, or as much of it as is left there. */
static void baseline_take(struct heap *h, size_t row, size_t node)
{
	struct astra_ogas *o = h->o;
	struct ogas_node *n = &o->nodes[node];
	size_t at;

	if (!is_connected(n, row, &at))
		return;
	for (size_t k = 0; k < o->types; k++) {
		double *left = &h->left[node * o->types + k];
		double amount = fmin(ogas_request(o, k)[row], *left);

		ogas_y(n, k)[at] = amount;
		*left -= amount;
	}
}

static double dominant_share(const struct astra_ogas *o, uint32_t port)
{
	uint32_t row = o->ports[port].first_row;
	double most = 0;
	size_t at;

	for (size_t k = 0; k < o->types; k++) {
		double request = ogas_request(o, k)[row], capacity = 0;

		for (size_t r = 0; r < o->node_count; r++)
			if (is_connected(&o->nodes[r], row, &at))
				capacity += o->nodes[r].capacity[k];
		if (request > 0)
			most = fmax(most, request / capacity);
	}
	return most;
}

static int baseline_compare_shares(const void *a, const void *b)
{
	const struct share *x = a, *y = b;
	int order = astra_compare(x->share, y->share);

	return order ? order : x->port < y->port ? -1 : 1;
}

static int allocate_by_share(struct heap *h)
{
	struct astra_ogas *o = h->o;
	struct share *shares = calloc(o->port_count + 1, sizeof(*shares));

	if (!shares)
		return -1;
	for (uint32_t l = 0; l < o->port_count; l++)
		shares[l] = (struct share){dominant_share(o, l), l};
	qsort(shares, o->port_count, sizeof(*shares), baseline_compare_shares);
	for (size_t i = 0; i < o->port_count; i++) {
		const struct ogas_port *p = &o->ports[shares[i].port];

		for (size_t c = 0; c < p->copies; c++)
			for (size_t r = 0; r < o->node_count; r++)
				if (o->rows.active[p->first_row + c] > 0)
					baseline_take(h, p->first_row + c, r);
	}
	free(shares);
	return 0;
}

static void measure_use(struct heap *h, size_t node)
{
	const struct ogas_node *n = &h->o->nodes[node];
	double sum = 0, types = 0;

	for (size_t k = 0; k < h->o->types; k++) {
		double left = h->left[node * h->o->types + k];

		if (!(n->capacity[k] > 0))
			continue;
		sum += (n->capacity[k] - left) / n->capacity[k];
		types++;
	}
	h->used[node] = types > 0 ? round(sum / types * 1e12) / 1e12 : 0;
}

static bool has_something(const struct heap *h, size_t row, size_t node)
{
	for (size_t k = 0; k < h->o->types; k++)
		if (ogas_request(h->o, k)[row] > 0 &&
		    h->left[node * h->o->types + k] > ASTRA_TIE)
			return true;
	return false;
}

/* Return the fullest (sign 1) or emptiest (-1) node that a row has not visited
 * and that has something for it. Returns node_count if there is none. Nodes
 * without anything for the row are marked as visited, since that will not
 * change. */
static size_t best_node(const struct heap *h, size_t row, bool *visited,
			double sign)
{
	size_t count = h->o->node_count, best = count, at;

	for (size_t r = 0; r < count; r++) {
		if (visited[r] ||
		    (best < count && sign * h->used[r] <= sign * h->used[best]))
			continue;
		if (is_connected(&h->o->nodes[r], row, &at) &&
		    has_something(h, row, r))
			best = r;
		else
			visited[r] = true;
	}
	return best;
}

/* Let rows take turns, each taking from one node, until no row can take
 * more. */
static int allocate_in_turn(struct heap *h, double sign)
{
	struct astra_ogas *o = h->o;
	bool *visited =
		calloc(o->row_count * o->node_count + 1, sizeof(*visited));
	bool took = true;

	if (!visited)
		return -1;
	while (took) {
		took = false;
		for (size_t row = 0; row < o->row_count; row++) {
			bool *seen = visited + row * o->node_count;
			size_t node = o->node_count;

			if (o->rows.active[row] > 0)
				node = best_node(h, row, seen, sign);
			if (node == o->node_count)
				continue;
			baseline_take(h, row, node);
			measure_use(h, node);
			seen[node] = took = true;
		}
	}
	free(visited);
	return 0;
}

static int allocate_from(struct heap *h, enum astra_ogas_algo algo)
{
	struct astra_ogas *o = h->o;

	h->left = calloc(o->node_count * o->types + 1, sizeof(*h->left));
	h->used = calloc(o->node_count + 1, sizeof(*h->used));
	if (!h->left || !h->used)
		return -1;
	for (size_t r = 0; r < o->node_count; r++)
		for (size_t k = 0; k < o->types; k++)
			h->left[r * o->types + k] = o->nodes[r].capacity[k];
	switch (algo) {
	case ASTRA_OGAS_DRF:
		return allocate_by_share(h);
	case ASTRA_OGAS_BINPACKING:
		return allocate_in_turn(h, 1);
	default:
		return allocate_in_turn(h, -1);
	}
}

int astra_ogas_allocate(struct astra_ogas *o, enum astra_ogas_algo algo,
			const uint32_t *x)
{
	struct heap h = {.o = o};
	int rc;

	o->lending = false;
	ogas_mark_active(o, x);
	clear(o);
	if (algo == ASTRA_OGAS_FAIRNESS) {
		allocate_fairly(o);
		return 0;
	}
	rc = allocate_from(&h, algo);
	free(h.left);
	free(h.used);
	return rc;
}
