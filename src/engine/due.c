/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/engine/due.h"

static bool due_before(const struct due *x, const struct due *y)
{
	if (x->owed != y->owed)
		return y->owed;
	if (x->since_sec != y->since_sec)
		return x->since_sec < y->since_sec;
	return x->c < y->c;
}

static void due_sift(struct due *heap, size_t count, size_t at)
{
	for (;;) {
		size_t child = 2 * at + 1;
		struct due moved;

		if (child + 1 < count &&
		    due_before(&heap[child + 1], &heap[child]))
			child++;
		if (child >= count || !due_before(&heap[child], &heap[at]))
			return;
		moved = heap[at];
		heap[at] = heap[child];
		heap[child] = moved;
		at = child;
	}
}

void astra_dues_sort(struct due *heap, size_t count)
{
	for (size_t i = count / 2; i-- > 0;)
		due_sift(heap, count, i);
}

struct due astra_dues_next(struct due *heap, size_t *count)
{
	struct due first = heap[0];

	heap[0] = heap[--*count];
	due_sift(heap, *count, 0);
	return first;
}

double astra_due_terms(const struct round *r, const struct ejob *j)
{
	return j->gpus_least <= r->node_gpus_max ? ASTRA_OWED_ANYBODY_TERMS
						 : ASTRA_OWED_TERMS;
}

/* Whether a job that ran is owed a turn, because its tenant or user is. A job
 * that its siblings keep from its share also comes back within a bound. If such
 * a job fits on one node, the contest usually brings it back, since the end of
 * one lease is enough. So it waits longer for a hold. It also waits for its
 * tenant's first starts, which are to get what the quota pays for. */
static bool due_owed(const struct turns *turns, struct contender *c,
		     struct due *due)
{
	const struct round *r = turns->r;
	const struct ejob *j = &r->e->jobs[c->row];
	double term = r->e->options.lease_sec;
	double after = astra_due_terms(r, j) * term;
	double waited = r->snap->now_sec - j->away_sec;
	bool small = j->gpus_least <= r->node_gpus_max;
	bool starves =
		!r->e->policy->allocate && waited >= after &&
		!(small && turns->next[j->tenant]) &&
		astra_ballot_candidate(r, c->row, c->job).rho < ASTRA_OWED_RHO;

	*due = (struct due){
		.c = c,
		.since_sec = j->away_sec + (starves ? after : 0),
		.claim = ASTRA_CLAIM_SHARE,
		.owed = true,
	};
	if (starves && waited >= ASTRA_OWED_ANYBODY_TERMS * term &&
	    turns->lack[j->tenant] >= 0)
		due->claim = ASTRA_CLAIM_DUE;
	else if (!astra_share_owed(turns, c))
		due->claim = ASTRA_CLAIM_NEXT;
	return starves || due->claim == ASTRA_CLAIM_SHARE;
}

bool astra_due_list(struct turns *turns, struct contender *c, uint32_t nth,
		    struct due *due)
{
	const struct round *r = turns->r;
	const struct ejob *j = &r->e->jobs[c->row];
	bool listed = true;

	if (c->ran) {
		listed = astra_engine_owes(r->e) && due_owed(turns, c, due);
	} else {
		*due = (struct due){
			.c = c,
			.since_sec = astra_first_start_due(r->e, r->snap, j,
							   j->grants + nth),
			.claim = ASTRA_CLAIM_DUE,
		};
		astra_backlog_add(turns, j, due->since_sec);
	}
	due->nth = nth;
	return listed;
}

bool astra_due(const struct turns *turns, const struct due *due)
{
	return due->owed ||
	       astra_backlog_due(turns, &turns->r->e->jobs[due->c->row],
				 due->since_sec);
}
