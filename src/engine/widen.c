/* SPDX-License-Identifier: GPL-2.0-or-later */
/* More nodes than a job needs, for a job that takes as many as are idle. */
#include <stdlib.h>
#include <string.h>

#include "src/engine/hold.h"

static void widen_bar(uint64_t *barred, uint32_t node)
{
	barred[node / 64] |= UINT64_C(1) << (node % 64);
}

static bool widen_prefers(const struct astra_request *q, uint32_t node)
{
	return q->preferred[node / 64] >> (node % 64) & 1;
}

/* Whether the node must not be combined with the nodes that the job has
 * already. */
static bool widen_splits(const struct astra_request *q,
			 const struct astra_share *shares, size_t count,
			 uint32_t node)
{
	return count && q->apart && q->preferred &&
	       widen_prefers(q, node) != widen_prefers(q, shares[0].node);
}

/* Return a bitmap of the nodes that the job may not get in addition: those that
 * are not idle now, that refused the job, that it already has, or that a hold
 * needs. Returns NULL when memory is out. */
static uint64_t *widen_barred(const struct round *r, const struct contender *c,
			      const struct astra_share *shares, size_t count)
{
	size_t nodes = r->snap->node_count, words = nodes / 64 + 1;
	const uint64_t *refused = astra_refused_nodes(r->e, c->job->id);
	uint64_t *barred = calloc(words, sizeof(*barred));

	if (!barred)
		return NULL;
	if (refused)
		memcpy(barred, refused, (nodes + 63) / 64 * sizeof(*barred));
	for (uint32_t n = 0; n < nodes; n++) {
		const struct astra_node *node = &r->snap->nodes[n];

		if (!node->usable || node->settling ||
		    node->gpus_free < c->job->request.gpus_per_node ||
		    widen_splits(&c->job->request, shares, count, n) ||
		    astra_holds_need(r, n))
			widen_bar(barred, n);
	}
	for (size_t i = 0; i < count; i++)
		widen_bar(barred, shares[i].node);
	return barred;
}

static int widen_compare(const void *a, const void *b)
{
	const struct astra_share *x = a, *y = b;

	return x->node < y->node ? -1 : x->node > y->node;
}

static struct astra_request widen_one(const struct astra_request *q)
{
	struct astra_request one = *q;

	one.gpus = q->gpus_per_node;
	one.cpus = astra_request_share(q, 0, one.gpus).cpus;
	one.nodes_min = one.nodes_max = 1;
	one.required = NULL;
	return one;
}

size_t astra_widen(const struct round *r, const struct contender *c,
		   struct astra_space *left, struct astra_share *shares,
		   size_t count, size_t most)
{
	const struct astra_request *q = &c->job->request;
	struct astra_request one = widen_one(q);
	uint64_t *barred = widen_barred(r, c, shares, count);

	while (barred && count < most &&
	       astra_place(left, &one, barred, 0, &shares[count])) {
		astra_space_take(left, &shares[count]);
		widen_bar(barred, shares[count++].node);
	}
	qsort(shares, count, sizeof(*shares), widen_compare);
	free(barred);
	return count;
}
