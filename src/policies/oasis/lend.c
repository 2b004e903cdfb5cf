/* SPDX-License-Identifier: GPL-2.0-or-later */
/* GPUs that nobody has booked for the present slot, to those that wait. */
#include <stdlib.h>

#include "src/policies/oasis/slot_priv.h"
#include "src/policies/offer.h"

int oasis_by_payoff(const void *a, const void *b)
{
	const struct turn *x = a, *y = b;

	if (x->booking->payoff != y->booking->payoff)
		return x->booking->payoff > y->booking->payoff ? -1 : 1;
	return oasis_by_submission(a, b);
}

static void lend_sink(struct turn **heap, size_t count, size_t at)
{
	struct turn *moved = heap[at];

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= count)
			break;
		if (child + 1 < count &&
		    oasis_by_payoff(heap[child], heap[child + 1]) > 0)
			child++;
		if (oasis_by_payoff(heap[child], moved) >= 0)
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = moved;
}

/* Those that wait and could do with what is idle, a heap, the one that comes
 * first on top. */
static size_t list_borrowers(const struct slot_round *r, struct turn **heap)
{
	size_t count = 0;

	for (size_t i = 0; i < r->count; i++) {
		struct turn *t = &r->turns[i];
		const struct astra_demand *d = &r->offer->demands[t->demand];

		if (!t->placed && !t->booking->denied &&
		    astra_request_least(&d->job->request) <=
			    astra_space_gpus(r->space))
			heap[count++] = t;
	}
	for (size_t i = count / 2; i-- > 0;)
		lend_sink(heap, count, i);
	return count;
}

static int lend_to(struct slot_round *r, struct turn *t)
{
	const struct astra_demand *d = &r->offer->demands[t->demand];
	size_t count =
		astra_demand_place_most(r->space, d, UINT64_MAX, r->shares);

	return count ? oasis_take_place(r, t, count) : 0;
}

/* Idle GPUs, to the slot's end: to those that wait for a slot of theirs, and
 * to those that were refused. */
int oasis_lend(struct slot_round *r)
{
	struct turn **heap;
	size_t count;
	int rc = 0;

	if (!astra_space_gpus(r->space))
		return 0;
	heap = calloc(r->count + 1, sizeof(struct turn *));
	if (!heap)
		return -1;
	count = list_borrowers(r, heap);
	while (!rc && count && astra_space_gpus(r->space)) {
		struct turn *t = heap[0];

		heap[0] = heap[--count];
		if (count)
			lend_sink(heap, count, 0);
		rc = lend_to(r, t);
	}
	free(heap);
	return rc;
}
