/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose turn it is.
 *
 * A job that never ran is its tenant's next one if it is the first of them, by
 * precedence, then age. Tenants have their turn by A_p / F_p, leases that go on
 * charged in advance.
 */
#include <math.h>
#include <stdlib.h>

#include "src/policy/hold.h"

static void turns_key(struct turns *t, uint32_t tenant)
{
	const struct astra_contestant *c = &t->ballot.tenants[tenant];

	if (c->usage.fair > 0)
		t->key[tenant] = c->usage.alloc / c->usage.fair;
	else if (!c->entitled || c->quota <= 0)
		t->key[tenant] = HUGE_VAL;
	else
		t->key[tenant] = c->usage.alloc /
				 (c->quota * t->ballot.contest.lease_sec);
}

int astra_turns_init(struct turns *t, struct round *r)
{
	size_t tenants = r->e->tenant_count;

	*t = (struct turns){
		.r = r,
		.key = calloc(tenants + 1, sizeof(*t->key)),
		.done = calloc(tenants + 1, sizeof(*t->done)),
	};
	if (!t->key || !t->done || astra_ballot_init(&t->ballot, r, 0) < 0)
		return -1;
	astra_ballot_charge(r, &t->ballot);
	for (uint32_t i = 0; i < tenants; i++)
		turns_key(t, i);
	return 0;
}

void astra_turns_fini(struct turns *t)
{
	astra_ballot_fini(&t->ballot);
	free(t->key);
	free(t->done);
}

void astra_turns_charge(struct turns *t, const struct contender *c)
{
	const struct ejob *j = &t->r->e->jobs[c->row];

	t->ballot.tenants[j->tenant].usage.alloc += j->charge * j->lease_sec;
	turns_key(t, j->tenant);
}

bool astra_turns_pays(const struct turns *t, uint32_t owner, uint32_t tenant)
{
	return owner == tenant || t->key[owner] > t->key[tenant];
}

bool astra_turn_fresh(const struct round *r, const struct contender *c)
{
	return !c->expired && !c->share_count && !r->e->jobs[c->row].ran;
}

static bool turn_before(const struct round *r, const struct contender *a,
			const struct contender *b)
{
	const struct ejob *x = &r->e->jobs[a->row], *y = &r->e->jobs[b->row];

	if (a->job->precedence != b->job->precedence)
		return a->job->precedence > b->job->precedence;
	if (x->submit_sec != y->submit_sec)
		return x->submit_sec < y->submit_sec;
	return a < b;
}

struct contender *astra_turns_next(const struct turns *t)
{
	const struct round *r = t->r;
	struct contender *best = NULL;

	for (size_t i = 0; i < r->contender_count; i++) {
		struct contender *c = &r->contenders[i];
		uint32_t tenant = r->e->jobs[c->row].tenant, other;

		if (t->done[tenant] || !astra_turn_fresh(r, c))
			continue;
		other = best ? r->e->jobs[best->row].tenant : tenant;
		if (!best || t->key[tenant] < t->key[other] ||
		    (t->key[tenant] == t->key[other] && tenant < other) ||
		    (tenant == other && turn_before(r, c, best)))
			best = c;
	}
	return best;
}

double astra_recall_from(const struct round *r, const struct ejob *j)
{
	return j->start_sec + fmax(r->e->options.recall_sec, j->min_run_sec);
}
