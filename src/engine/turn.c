/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose turn it is.
 *
 * A tenant's next job is the first of its jobs that never ran: first the
 * poorest user's, then by precedence, then by age. The order of tenants, and of
 * users, is that of A / F, with leases that continue charged in advance. */
#include <math.h>
#include <stdlib.h>

#include "src/engine/hold.h"
#include "src/policies/ltgf/ltgf.h"

static double turns_key(const struct turns *t, const struct astra_contestant *c)
{
	return astra_ltgf_key(c, c->usage.alloc, t->ballot.contest.lease_sec);
}

/* If the time to start and to checkpoint is known, a job runs this many times
 * as long before its lease ends early; at most a term. */
#define RECALL_COSTS 10
#define VAIN_SEC 60 /* after that a job without a place is tried again */

bool astra_turn_vain(const struct round *r, const struct ejob *j)
{
	return j->unfit || j->balked ||
	       (j->vain && j->vain != ASTRA_WAIT_RANK &&
		r->snap->now_sec <
			j->vain_sec + fmin(VAIN_SEC, r->e->options.lease_sec));
}

/* Whether job a goes before job b of the same tenant: the poorer user's first,
 * then by precedence and age. */
static bool turn_before(const struct turns *t, const struct contender *a,
			const struct contender *b)
{
	if (a->user != b->user && a->user != ASTRA_NONE &&
	    b->user != ASTRA_NONE &&
	    t->user_key[a->user] != t->user_key[b->user])
		return t->user_key[a->user] < t->user_key[b->user];
	if (a->precedence != b->precedence)
		return a->precedence > b->precedence;
	if (a->submit_sec != b->submit_sec)
		return a->submit_sec < b->submit_sec;
	return a < b;
}

static struct contender *turns_first(const struct turns *t, size_t tenant)
{
	struct contender *best = NULL;

	for (size_t i = t->first[tenant]; i < t->first[tenant + 1]; i++)
		if (astra_turn_fresh(t->fresh[i]) &&
		    (!best || turn_before(t, t->fresh[i], best)))
			best = t->fresh[i];
	return best;
}

/* Group the jobs by counting sort: a tenant's jobs that never ran are
 * fresh[first[tenant]] to fresh[first[tenant + 1] - 1]. */
static void turns_group(struct turns *t)
{
	const struct round *r = t->r;
	size_t tenants = r->e->tenant_count;

	for (size_t i = 0; i < r->contender_count; i++)
		if (astra_turn_fresh(&r->contenders[i]))
			t->first[r->contenders[i].tenant + 2]++;
	for (size_t i = 2; i < tenants + 2; i++)
		t->first[i] += t->first[i - 1];
	for (size_t i = 0; i < r->contender_count; i++) {
		struct contender *c = &r->contenders[i];

		if (astra_turn_fresh(c))
			t->fresh[t->first[c->tenant + 1]++] = c;
	}
}

/* Compare jobs by age, not by index in the snapshot: leases that end at the
 * same time are cut in this order. */
static int running_order(const void *a, const void *b)
{
	const struct running *x = a, *y = b;

	if (x->submit_sec != y->submit_sec)
		return x->submit_sec < y->submit_sec ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

/* Sort. The jobs of a snapshot usually have this order already. */
static void running_sort(struct running *v, size_t count)
{
	size_t at = 1;

	while (at < count && running_order(&v[at - 1], &v[at]) < 0)
		at++;
	if (at < count)
		qsort(v, count, sizeof(*v), running_order);
}

int astra_turns_running(struct turns *t)
{
	const struct astra_engine *e = t->r->e;

	if (t->running)
		return 0;
	t->running = calloc(t->r->snap->job_count + 1, sizeof(*t->running));
	if (!t->running)
		return -1;
	ASTRA_ROSTER_EACH(i, &e->roster.running)
	{
		struct running *v = &t->running[t->running_count++];

		v->index = (uint32_t)i;
		v->row = e->row_of[i];
		v->submit_sec = e->jobs[v->row].submit_sec;
	}
	running_sort(t->running, t->running_count);
	return 0;
}

int astra_turns_init(struct turns *t, struct round *r)
{
	size_t tenants = r->e->tenant_count;

	*t = (struct turns){
		.r = r,
		.key = calloc(tenants + 1, sizeof(*t->key)),
		.user_key = calloc(r->e->user_count + 1, sizeof(*t->user_key)),
		.done = calloc(tenants + 1, sizeof(*t->done)),
		.next = calloc(tenants + 1, sizeof(struct contender *)),
		.first = calloc(tenants + 2, sizeof(*t->first)),
		.fresh = calloc(r->contender_count + 1,
				sizeof(struct contender *)),
	};
	if (!t->key || !t->user_key || !t->done || !t->next || !t->first ||
	    !t->fresh || astra_ballot_init(&t->ballot, r, 0) < 0)
		return -1;
	astra_ballot_charge(r, &t->ballot);
	for (size_t i = 0; i < r->e->user_count; i++)
		if (r->e->users[i].jobs)
			t->user_key[i] = turns_key(t, &t->ballot.users[i]);
	turns_group(t);
	if (astra_share_init(t) < 0)
		return -1;
	for (size_t i = 0; i < tenants; i++) {
		t->key[i] = turns_key(t, &t->ballot.tenants[i]);
		t->next[i] = turns_first(t, i);
	}
	return 0;
}

void astra_turns_fini(struct turns *t)
{
	astra_ballot_fini(&t->ballot);
	free(t->key);
	free(t->user_key);
	astra_share_fini(t);
	free(t->backlog);
	free(t->done);
	free(t->running);
	free(t->ends);
	free(t->recent);
	free(t->next);
	free(t->first);
	free(t->fresh);
}

void astra_turns_charge(struct turns *t, const struct contender *c,
			uint32_t gpus)
{
	const struct ejob *j = &t->r->e->jobs[c->row];

	double charge = c->elastic ? astra_elastic_charge(j, gpus) : j->charge;

	astra_ballot_charge_job(&t->ballot, j, charge * j->lease_sec);
	t->key[j->tenant] = turns_key(t, &t->ballot.tenants[j->tenant]);
	if (j->user != ASTRA_NONE)
		t->user_key[j->user] = turns_key(t, &t->ballot.users[j->user]);
	t->next[j->tenant] = turns_first(t, j->tenant);
}

bool astra_turns_pays(const struct turns *t, const struct ejob *owner,
		      const struct ejob *next)
{
	if (owner->tenant != next->tenant)
		return t->key[owner->tenant] > t->key[next->tenant];
	if (owner->user == next->user || owner->user == ASTRA_NONE ||
	    next->user == ASTRA_NONE)
		return true;
	return t->user_key[owner->user] > t->user_key[next->user];
}

struct contender *astra_turns_next(const struct turns *t)
{
	size_t tenants = t->r->e->tenant_count, best = tenants;

	for (size_t i = 0; i < tenants; i++)
		if (t->next[i] && !t->done[i] &&
		    (best == tenants || t->key[i] < t->key[best]))
			best = i;
	return best < tenants ? t->next[best] : NULL;
}

double astra_recall_from(const struct round *r, const struct ejob *j)
{
	double after_sec = r->e->options.recall_sec;
	double learned_sec = r->snap->jobs[j->index].min_run_sec;

	if (!(after_sec > 0))
		return HUGE_VAL;
	after_sec = fmax(after_sec, fmin(RECALL_COSTS * learned_sec,
					 r->e->options.lease_sec));
	return j->start_sec + fmax(after_sec, j->min_run_sec);
}
