/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The two-phase round (Algs. 1 and 2). Phase one picks the tenant with the
 * smallest A_p / F_p, phase two its job with the smallest rho. A grant charges
 * the tenant charge * lease in advance, where charge is gpus_ij unless GPU
 * types have weights of their own; job rhos are constant within a round.
 * A job that does not fit is dropped for the round ("job") or takes its tenant
 * with it ("tenant", the literal reading of line 10).
 *
 * Alg. 1 prints r < M; it must be r <= M, or a job as large as the cluster
 * never starts.
 */
#include "src/policy/ltgf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/number.h"

/* So many of a tenant's jobs are searched for before all are sorted. */
#define SEARCHES_MAX 8

struct ltgf {
	bool tenant_on_unfit;
	bool new_first;
	double lease_bonus;
	bool attained_first; /* among those who have their share */
	double urgency_sec;
};

/* A candidate with its place among its tenant's jobs. */
struct entry {
	uint32_t candidate;
	uint32_t tenant;
	int group; /* 0: a deadline is near; 1: new, if these go first; 2 */
	double key;
	double precedence;
	double submit_sec;
};

struct queue {
	uint32_t tenant;
	double alloc;
	double key;
	struct entry *next, *end; /* what is left of its entries */
	struct entry first;	  /* those tied with it come next */
	unsigned int taken;	  /* before they were sorted */
	bool tied;		  /* there is a first */
	bool sorted;
};

static void *ltgf_create(const struct astra_options *options,
			 struct astra_error *err)
{
	struct ltgf *self = calloc(1, sizeof(*self));

	if (!self) {
		astra_error_nomem(err);
		return NULL;
	}
	self->tenant_on_unfit = options->on_unfit_tenant;
	self->new_first = options->new_first;
	self->lease_bonus = options->lease_bonus;
	self->attained_first = options->attained_first;
	self->urgency_sec = options->urgency_sec;
	return self;
}

static void ltgf_destroy(void *self)
{
	free(self);
}

static struct entry entry_of(const struct ltgf *self,
			     const struct astra_contest *contest,
			     uint32_t candidate)
{
	const struct astra_candidate *c = &contest->candidates[candidate];
	struct entry e = {
		.candidate = candidate,
		.tenant = c->tenant,
		.group = 2,
		.key = c->rho,
		.precedence = c->precedence,
		.submit_sec = c->submit_sec,
	};

	if (self->attained_first && c->rho >= 1 && !isinf(c->rho))
		e.key = 1 + c->attained;
	if (self->lease_bonus > 0)
		e.key /= 1 + self->lease_bonus * c->leases;
	if (self->new_first && c->fresh)
		e.group = 1;
	if (c->latest_start_sec - contest->now_sec < self->urgency_sec) {
		e.group = 0;
		e.key = c->latest_start_sec;
	}
	return e;
}

static bool is_tied(const struct entry *a, const struct entry *b)
{
	return a->group == b->group && astra_tied(a->key, b->key);
}

/* Among equals: the users' own wish, then age. */
static int compare_equals(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->precedence != y->precedence)
		return x->precedence > y->precedence ? -1 : 1;
	if (x->submit_sec != y->submit_sec)
		return x->submit_sec < y->submit_sec ? -1 : 1;
	return x->candidate < y->candidate ? -1 : x->candidate > y->candidate;
}

static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return compare_equals(a, b);
}

/* Phase two's order: smallest rho, then precedence, then earlier submit, then
 * the lower index. "Tied within 1e-9" is no order to sort by, as it is not
 * transitive: so all that are tied with the smallest rho are put in their
 * order, then all that are tied with the smallest of the rest, and so on. */
static void sort_entries(struct entry *entries, size_t count)
{
	size_t end;

	qsort(entries, count, sizeof(*entries), compare_entries);
	for (size_t i = 0; i < count; i = end) {
		for (end = i + 1; end < count; end++)
			if (!is_tied(&entries[end], &entries[i]))
				break;
		if (entries[i].key != entries[end - 1].key)
			qsort(&entries[i], end - i, sizeof(*entries),
			      compare_equals);
	}
}

/* A_p / F_p. With F_p = 0, A_p / (Quota_p lease) instead, else one grant
 * would send a fresh tenant to infinity and the weights would not count. */
static double tenant_key(const struct astra_contest *contest,
			 const struct queue *q)
{
	const struct astra_contestant *t = &contest->tenants[q->tenant];

	if (t->usage.fair > 0)
		return q->alloc / t->usage.fair;
	if (!t->entitled || t->quota <= 0)
		return HUGE_VAL;
	return q->alloc / (t->quota * contest->lease_sec);
}

static bool queue_before(const struct queue *x, const struct queue *y)
{
	int order = astra_compare(x->key, y->key);

	return order ? order < 0 : x->tenant < y->tenant;
}

static void sift_down(struct queue *heap, size_t count, size_t at)
{
	for (;;) {
		size_t child = 2 * at + 1;
		struct queue moved;

		if (child >= count)
			return;
		if (child + 1 < count &&
		    queue_before(&heap[child + 1], &heap[child]))
			child++;
		if (!queue_before(&heap[child], &heap[at]))
			return;
		moved = heap[at];
		heap[at] = heap[child];
		heap[child] = moved;
		at = child;
	}
}

/* The first of the rest among those tied with q->first. */
static struct entry *best_tied(struct queue *q)
{
	struct entry *best = NULL;

	for (struct entry *e = q->next; e < q->end; e++)
		if (is_tied(e, &q->first) &&
		    (!best || compare_equals(e, best) < 0))
			best = e;
	return best;
}

/* What is left of those tied with q->first stays before the others. */
static void sort_rest(struct queue *q)
{
	struct entry *split = q->next;

	for (struct entry *e = q->next; q->tied && e < q->end; e++)
		if (is_tied(e, &q->first)) {
			struct entry moved = *split;

			*split++ = *e;
			*e = moved;
		}
	qsort(q->next, (size_t)(split - q->next), sizeof(*split),
	      compare_equals);
	sort_entries(split, (size_t)(q->end - split));
	q->sorted = true;
}

/* Let q->next be the next one in phase two's order. Most rounds take a few
 * of many: these are looked for one by one. */
static void find_next(struct queue *q)
{
	struct entry *best, moved;

	if (q->sorted || q->next == q->end)
		return;
	if (q->taken++ == SEARCHES_MAX) {
		sort_rest(q);
		return;
	}
	best = q->tied ? best_tied(q) : NULL;
	if (!best) {
		q->first = *q->next;
		for (struct entry *e = q->next + 1; e < q->end; e++)
			if (compare_entries(e, &q->first) < 0)
				q->first = *e;
		q->tied = true;
		best = best_tied(q);
	}
	moved = *q->next;
	*q->next = *best;
	*best = moved;
}

/* The entries tenant by tenant. */
static void group_entries(const struct ltgf *self,
			  const struct astra_contest *contest, size_t *begins,
			  struct entry *entries)
{
	size_t n = contest->candidate_count, at = 0;

	for (size_t i = 0; i < n; i++)
		begins[contest->candidates[i].tenant]++;
	for (size_t t = 0; t < contest->tenant_count; t++) {
		size_t count = begins[t];

		begins[t] = at;
		at += count;
	}
	for (size_t i = 0; i < n; i++)
		entries[begins[contest->candidates[i].tenant]++] =
			entry_of(self, contest, (uint32_t)i);
}

/* One queue for each tenant that has candidates, as a heap by key. */
static size_t build_queues(const struct astra_contest *contest,
			   struct entry *entries, struct queue *heap)
{
	size_t count = 0, n = contest->candidate_count;

	for (size_t i = 0; i < n; count++) {
		struct queue *q = &heap[count];

		*q = (struct queue){.tenant = entries[i].tenant};
		q->alloc = contest->tenants[q->tenant].usage.alloc;
		q->key = tenant_key(contest, q);
		q->next = &entries[i];
		while (i < n && entries[i].tenant == q->tenant)
			i++;
		q->end = &entries[i];
	}
	for (size_t i = count / 2; i-- > 0;)
		sift_down(heap, count, i);
	return count;
}

static void run_round(const struct ltgf *self,
		      const struct astra_contest *contest, struct queue *heap,
		      size_t queues, struct astra_ranking *out)
{
	uint64_t gpus_free = contest->gpus;

	while (queues && (gpus_free || !contest->enough ||
			  out->count < contest->enough)) {
		struct queue *top = &heap[0];
		const struct astra_candidate *c;
		bool granted;

		find_next(top);
		c = &contest->candidates[top->next->candidate];
		granted = !c->excluded && c->gpus <= gpus_free;

		out->choices[out->count++] = (struct astra_choice){
			.candidate = top->next->candidate,
			.granted = granted,
		};
		if (granted) {
			gpus_free -= c->gpus;
			top->alloc += c->charge * contest->lease_sec;
			top->key = tenant_key(contest, top);
		}
		top->next++;
		if (!granted && self->tenant_on_unfit && !c->excluded)
			top->next = top->end;
		if (top->next == top->end)
			heap[0] = heap[--queues];
		sift_down(heap, queues, 0);
	}
}

static int ltgf_decide(void *data, const struct astra_contest *contest,
		       struct astra_ranking *out, struct astra_error *err)
{
	const struct ltgf *self = data;
	size_t n = contest->candidate_count;
	struct entry *entries = calloc(n + 1, sizeof(*entries));
	struct queue *heap = calloc(contest->tenant_count + 1, sizeof(*heap));
	size_t *begins = calloc(contest->tenant_count + 1, sizeof(*begins));
	int rc = 0;

	out->count = 0;
	if (entries && heap && begins) {
		group_entries(self, contest, begins, entries);
		run_round(self, contest, heap,
			  build_queues(contest, entries, heap), out);
	} else {
		rc = astra_error_nomem(err);
	}
	free(begins);
	free(entries);
	free(heap);
	return rc;
}

const struct astra_policy astra_ltgf = {
	.name = "ltgf",
	.summary = "long-term GPU-time fairness of tenants and jobs",
	.arrivals = true,
	.create = ltgf_create,
	.destroy = ltgf_destroy,
	.decide = ltgf_decide,
};
