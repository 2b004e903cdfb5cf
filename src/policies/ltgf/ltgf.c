/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The two-phase round (Algs. 1 and 2). Phase one picks the tenant with the
 * smallest A_p / F_p, phase two its job with the smallest rho. A grant charges
 * the tenant charge * lease in advance, where charge is gpus_ij unless GPU
 * types have weights. Job rhos are constant within a round. If shares go by
 * user, phase two first picks the tenant's user in the same way, then the
 * user's job.
 *
 * An elastic job competes for the fewest GPUs that it runs on and for those up
 * to its level. It competes for more only once all jobs of its tenant have had
 * their turn.
 *
 * If a job does not fit, it is dropped for the round ("job"), or its whole
 * tenant is ("tenant", the literal reading of line 10).
 *
 * Alg. 1 prints r < M; it must be r <= M, or a job as large as the cluster
 * would never start. */
#include "src/policies/ltgf/ltgf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/common/number.h"
#include "src/policies/options.h"

/* How many jobs of a tenant are found by search before all are sorted. */
#define SEARCHES_MAX 8

struct ltgf {
	bool tenant_on_unfit;
	bool new_first;
	bool attained_first; /* whether attained service orders the jobs that
			      * have their share */
	double urgency_sec;
	/* Scratch of a round, reused in the next round: */
	struct entry *entries;
	size_t entry_room;
	size_t *choice_of;
	size_t choice_room;
};

/* A candidate, and what orders it among its user's jobs. */
struct entry {
	uint32_t candidate;
	int group; /* 0: its deadline is near; 1: new, if new jobs go first; 2:
		    * all others */
	double key;
	double precedence;
	double submit_sec;
};

/* The queue of a tenant: the queues of its users, as a heap by key. The queue
 * of a user, or of a tenant's jobs without a user: their entries. */
struct queue {
	const struct astra_contestant *owner;
	uint32_t number;
	double alloc;
	double key;
	struct queue *users;
	size_t user_count, user_all;
	struct entry *begin;
	struct entry *next, *end; /* the entries that are left */
	struct entry *kept;	  /* if growing: the entries before it want more
				   * GPUs */
	bool growing;		  /* its entries are granted jobs that want more
				   * GPUs */
	struct entry first;	  /* entries tied with it come next */
	unsigned int taken; /* number of entries taken before the queue was
			     * sorted */
	bool tied;	    /* whether `first` is set */
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
	self->attained_first = options->attained_first;
	self->urgency_sec = options->urgency_sec;
	return self;
}

static void ltgf_destroy(void *data)
{
	struct ltgf *self = data;

	if (self) {
		free(self->entries);
		free(self->choice_of);
	}
	free(self);
}

static struct entry ltgf_entry_of(const struct ltgf *self,
				  const struct astra_contest *contest,
				  uint32_t candidate)
{
	const struct astra_candidate *c = &contest->candidates[candidate];
	struct entry e = {
		.candidate = candidate,
		.group = 2,
		.key = c->rho,
		.precedence = c->precedence,
		.submit_sec = c->submit_sec,
	};

	if (self->attained_first && c->rho >= 1 && !isinf(c->rho))
		e.key = 1 + c->attained;
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

/* Compare entries with equal keys: by precedence, the users' own wish, then by
 * age. */
static int compare_equals(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->precedence != y->precedence)
		return x->precedence > y->precedence ? -1 : 1;
	if (x->submit_sec != y->submit_sec)
		return x->submit_sec < y->submit_sec ? -1 : 1;
	return x->candidate < y->candidate ? -1 : x->candidate > y->candidate;
}

static int ltgf_compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return compare_equals(a, b);
}

/* Sort for phase two: by smallest rho, then precedence, then earlier
 * submission, then lower index. "Tied within 1e-9" is not transitive, so it is
 * no order for a sort. Instead all entries tied with the smallest rho are put
 * in their order, then all tied with the smallest of the rest, and so on. */
static void sort_entries(struct entry *entries, size_t count)
{
	size_t end;

	qsort(entries, count, sizeof(*entries), ltgf_compare_entries);
	for (size_t i = 0; i < count; i = end) {
		for (end = i + 1; end < count; end++)
			if (!is_tied(&entries[end], &entries[i]))
				break;
		if (entries[i].key != entries[end - 1].key)
			qsort(&entries[i], end - i, sizeof(*entries),
			      compare_equals);
	}
}

/* Return A / F. If F = 0, return A / (Quota lease). Otherwise one grant would
 * make a new tenant's key infinite, and weights would not count. */
double astra_ltgf_key(const struct astra_contestant *owner, double alloc,
		      double lease_sec)
{
	if (owner->usage.fair > 0)
		return alloc / owner->usage.fair;
	if (!owner->entitled || owner->quota <= 0)
		return HUGE_VAL;
	return alloc / (owner->quota * lease_sec);
}

static void charge_queue(struct queue *q, const struct astra_contest *contest,
			 double gpu_sec)
{
	q->alloc += gpu_sec;
	q->key = astra_ltgf_key(q->owner, q->alloc, contest->lease_sec);
}

static bool queue_before(const struct queue *x, const struct queue *y)
{
	int order = astra_compare(x->key, y->key);

	return order ? order < 0 : x->number < y->number;
}

static void ltgf_sift_down(struct queue *heap, size_t count, size_t at)
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

/* Return the first, in order, of the remaining entries that are tied with
 * q->first. */
static struct entry *best_tied(struct queue *q)
{
	struct entry *best = NULL;

	for (struct entry *e = q->next; e < q->end; e++)
		if (is_tied(e, &q->first) &&
		    (!best || compare_equals(e, best) < 0))
			best = e;
	return best;
}

/* Sort the remaining entries. Those tied with q->first stay before the
 * others. */
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

/* Set q->next to the next entry in phase two's order. Most rounds take only a
 * few of many entries, so the first ones are found by a search each. */
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
			if (ltgf_compare_entries(e, &q->first) < 0)
				q->first = *e;
		q->tied = true;
		best = best_tied(q);
	}
	moved = *q->next;
	*q->next = *best;
	*best = moved;
}

/* Return the index of a candidate's line. The lines of tenants, for jobs
 * without a user, come first; then the lines of users. */
static uint32_t line_of(const struct astra_contest *contest,
			const struct astra_candidate *c)
{
	return c->user >= contest->user_count
		       ? c->tenant
		       : (uint32_t)contest->tenant_count + c->user;
}

/* The queues of a contest. */
struct table {
	const struct astra_contest *contest;
	struct entry *entries; /* line by line */
	size_t *begins;	       /* by line: index of its first entry; later of
				* its end */
	struct queue *lines;   /* queues of the lines with entries, tenant by
				* tenant */
	struct queue *tenants; /* queues of the tenants with lines, as a heap by
				* key */
	size_t tenant_count;
	bool elastic;	   /* some candidates are elastic */
	size_t *choice_of; /* by candidate: index of its choice, after its
			    * turn */
};

static void table_fini(struct table *t)
{
	free(t->begins);
	free(t->lines);
	free(t->tenants);
}

static int table_init(struct ltgf *self, struct table *t,
		      const struct astra_contest *contest)
{
	size_t tenants = contest->tenant_count;
	size_t lines = tenants + contest->user_count;

	*t = (struct table){.contest = contest};
	if (astra_grow(&self->entries, &self->entry_room,
		       contest->candidate_count + 1,
		       sizeof(*self->entries)) < 0 ||
	    astra_grow(&self->choice_of, &self->choice_room,
		       contest->candidate_count + 1,
		       sizeof(*self->choice_of)) < 0)
		return -1;
	*t = (struct table){
		.contest = contest,
		.entries = self->entries,
		.choice_of = self->choice_of,
		.begins = calloc(lines + 1, sizeof(*t->begins)),
		.lines = calloc(lines + 1, sizeof(*t->lines)),
		.tenants = calloc(tenants + 1, sizeof(*t->tenants)),
	};
	for (size_t i = 0; i < contest->candidate_count; i++)
		t->elastic |= contest->candidates[i].gpus_step > 0;
	return t->begins && t->lines && t->tenants ? 0 : -1;
}

/* Group the entries by line. */
static void group_entries(const struct ltgf *self, struct table *t)
{
	const struct astra_contest *contest = t->contest;
	size_t lines = contest->tenant_count + contest->user_count, at = 0;

	for (size_t i = 0; i < contest->candidate_count; i++)
		t->begins[line_of(contest, &contest->candidates[i])]++;
	for (size_t l = 0; l < lines; l++) {
		size_t count = t->begins[l];

		t->begins[l] = at;
		at += count;
	}
	for (size_t i = 0; i < contest->candidate_count; i++) {
		uint32_t line = line_of(contest, &contest->candidates[i]);

		t->entries[t->begins[line]++] =
			ltgf_entry_of(self, contest, (uint32_t)i);
	}
}

static struct queue queue_of(const struct astra_contest *contest,
			     const struct astra_contestant *owner,
			     size_t number)
{
	struct queue q = {.owner = owner, .number = (uint32_t)number};

	charge_queue(&q, contest, owner->usage.alloc);
	return q;
}

static void heapify(struct queue *heap, size_t count)
{
	for (size_t i = count / 2; i-- > 0;)
		ltgf_sift_down(heap, count, i);
}

/* Count, for each tenant, its lines that have entries. */
static void count_lines(struct table *t)
{
	const struct astra_contest *contest = t->contest;
	size_t lines = contest->tenant_count + contest->user_count, begin = 0;

	for (size_t l = 0; l < lines; l++) {
		if (t->begins[l] > begin)
			t->tenants[contest->candidates[t->entries[begin]
							       .candidate]
					   .tenant]
				.user_count++;
		begin = t->begins[l];
	}
}

/* Add a line after the others of its tenant. */
static void add_line(struct table *t, size_t line, size_t begin)
{
	const struct astra_contest *contest = t->contest;
	struct entry *first = &t->entries[begin];
	uint32_t tenant = contest->candidates[first->candidate].tenant;
	struct queue *q = &t->tenants[tenant], *l = &q->users[q->user_count++];

	*l = line < contest->tenant_count
		     ? queue_of(contest, &contest->tenants[tenant], line)
		     : queue_of(contest,
				&contest->users[line - contest->tenant_count],
				line);
	l->begin = l->next = first;
	l->end = &t->entries[t->begins[line]];
}

/* Build the heap of tenants with candidates, and each tenant's heap of
 * lines. */
static void build_queues(struct table *t)
{
	const struct astra_contest *contest = t->contest;
	size_t lines = contest->tenant_count + contest->user_count;
	struct queue *at = t->lines;
	size_t begin = 0;

	count_lines(t);
	for (size_t i = 0; i < contest->tenant_count; i++) {
		size_t count = t->tenants[i].user_count;

		t->tenants[i] = queue_of(contest, &contest->tenants[i], i);
		t->tenants[i].users = at;
		at += count;
	}
	for (size_t l = 0; l < lines; l++) {
		if (t->begins[l] > begin)
			add_line(t, l, begin);
		begin = t->begins[l];
	}
	for (size_t i = 0; i < contest->tenant_count; i++) {
		t->tenants[i].user_all = t->tenants[i].user_count;
		heapify(t->tenants[i].users, t->tenants[i].user_count);
		if (t->tenants[i].user_count)
			t->tenants[t->tenant_count++] = t->tenants[i];
	}
	heapify(t->tenants, t->tenant_count);
}

/* Take the top off the heap if it is empty, else move it to its new place. */
static void settle_top(struct queue *heap, size_t *count, bool empty)
{
	if (empty) {
		struct queue last = heap[--*count];

		heap[*count] = heap[0];
		heap[0] = last;
	}
	ltgf_sift_down(heap, *count, 0);
}

/* Growing, once all jobs of a tenant have had their turn. Its elastic jobs that
 * were granted GPUs compete for more, one step at a time. Each step is charged
 * like a grant. Jobs of a user take turns; users and tenants go by A / F as
 * before. */

static bool ltgf_wants_more(const struct table *t,
			    const struct astra_ranking *out,
			    const struct entry *e)
{
	const struct astra_candidate *c = &t->contest->candidates[e->candidate];
	const struct astra_choice *choice =
		&out->choices[t->choice_of[e->candidate]];

	return c->gpus_step && choice->granted &&
	       choice->gpus + c->gpus_step <= c->gpus_max;
}

/* Reduce a line to its granted jobs that want more GPUs, in their order. */
static void grow_line(const struct table *t, const struct astra_ranking *out,
		      struct queue *line)
{
	struct entry *end = line->begin;

	for (struct entry *e = line->begin; e < line->end; e++)
		if (ltgf_wants_more(t, out, e))
			*end++ = *e;
	line->next = line->kept = line->begin;
	line->end = end;
}

static void grow_tenant(const struct table *t, const struct astra_ranking *out,
			struct queue *tenant)
{
	size_t kept = 0;

	tenant->growing = true;
	for (size_t i = 0; i < tenant->user_all; i++) {
		struct queue line = tenant->users[i];

		grow_line(t, out, &line);
		if (line.next == line.end)
			continue;
		tenant->users[i] = tenant->users[kept];
		tenant->users[kept++] = line;
	}
	tenant->user_count = kept;
	heapify(tenant->users, kept);
}

/* Grant a job one more step of GPUs. */
static void grant_step(const struct table *t, struct astra_ranking *out,
		       const struct entry *e, struct queue *tenant,
		       struct queue *line, uint64_t *gpus_free)
{
	const struct astra_candidate *c = &t->contest->candidates[e->candidate];
	double gpu_sec =
		c->charge / c->gpus * c->gpus_step * t->contest->lease_sec;

	out->choices[t->choice_of[e->candidate]].gpus += c->gpus_step;
	*gpus_free -= c->gpus_step;
	charge_queue(tenant, t->contest, gpu_sec);
	charge_queue(line, t->contest, gpu_sec);
}

/* Grant one more step of GPUs to the next job of the tenant's first line. */
static void grow_step(const struct table *t, struct astra_ranking *out,
		      struct queue *tenant, uint64_t *gpus_free)
{
	struct queue *line = &tenant->users[0];
	struct entry e = *line->next++;

	if (t->contest->candidates[e.candidate].gpus_step <= *gpus_free) {
		grant_step(t, out, &e, tenant, line, gpus_free);
		if (ltgf_wants_more(t, out, &e))
			*line->kept++ = e;
	}
	if (line->next < line->end)
		return;
	line->end = line->kept;
	line->next = line->kept = line->begin;
}

/* Whether an elastic job competes for a further step in its turn. It does for
 * GPUs up to its level, and for all GPUs if it has had less than its share.
 * That share counts all GPUs that it can use. */
static bool takes_step(const struct table *t, const struct astra_ranking *out,
		       const struct entry *e)
{
	const struct astra_candidate *c = &t->contest->candidates[e->candidate];
	uint32_t gpus = out->choices[t->choice_of[e->candidate]].gpus;

	return ltgf_wants_more(t, out, e) &&
	       (c->rho < 1 || gpus + c->gpus_step <= c->gpus_turn);
}

/* Give a job of the tenant's first user its turn. Returns whether the job is
 * granted GPUs, or could have no place anyway. */
static bool ltgf_take_turn(struct table *t, struct astra_ranking *out,
			   struct queue *tenant, uint64_t *gpus_free)
{
	const struct astra_contest *contest = t->contest;
	struct queue *user = &tenant->users[0];
	const struct astra_candidate *c;
	bool granted;

	find_next(user);
	c = &contest->candidates[user->next->candidate];
	granted = c->runs || (!c->excluded && c->gpus <= *gpus_free);
	t->choice_of[user->next->candidate] = out->count;
	out->choices[out->count++] = (struct astra_choice){
		.candidate = user->next->candidate,
		.granted = granted,
		.gpus = granted ? c->gpus : 0,
	};
	if (granted && !c->runs) {
		*gpus_free -= c->gpus;
		charge_queue(tenant, contest, c->charge * contest->lease_sec);
		charge_queue(user, contest, c->charge * contest->lease_sec);
	}
	while (c->gpus_step <= *gpus_free && takes_step(t, out, user->next))
		grant_step(t, out, user->next, tenant, user, gpus_free);
	user->next++;
	return granted || c->excluded;
}

static void ltgf_serve_tenants(const struct ltgf *self, struct table *t,
			       struct astra_ranking *out)
{
	const struct astra_contest *contest = t->contest;
	uint64_t gpus_free = contest->gpus;

	while (t->tenant_count && (gpus_free || !contest->enough ||
				   out->count < contest->enough)) {
		struct queue *tenant = &t->tenants[0];
		struct queue *user = &tenant->users[0];
		bool fits = true;

		if (tenant->growing)
			grow_step(t, out, tenant, &gpus_free);
		else
			fits = ltgf_take_turn(t, out, tenant, &gpus_free);
		settle_top(tenant->users, &tenant->user_count,
			   user->next == user->end);
		if (t->elastic && !tenant->user_count && !tenant->growing)
			grow_tenant(t, out, tenant);
		settle_top(t->tenants, &t->tenant_count,
			   !tenant->user_count ||
				   (!fits && self->tenant_on_unfit));
	}
}

static int ltgf_decide(void *data, const struct astra_contest *contest,
		       struct astra_ranking *out, struct astra_error *err)
{
	struct table t;
	int rc = 0;

	out->count = 0;
	if (table_init(data, &t, contest) == 0) {
		group_entries(data, &t);
		build_queues(&t);
		ltgf_serve_tenants(data, &t, out);
	} else {
		rc = astra_error_nomem(err);
	}
	table_fini(&t);
	return rc;
}

const struct astra_policy astra_ltgf = {
	.name = "ltgf",
	.summary = "long-term GPU-time fairness of tenants and jobs",
	.arrivals = true,
	.conserving = true,
	.create = ltgf_create,
	.destroy = ltgf_destroy,
	.decide = ltgf_decide,
};
