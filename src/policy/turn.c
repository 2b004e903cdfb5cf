/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose turn it is.
 *
 * A job that never ran is its tenant's next one if it is the first of them: the
 * poorest user's, by precedence, then age. Tenants and users have their turn by
 * A / F, leases that go on charged in advance.
 */
#include <math.h>
#include <stdlib.h>

#include "src/policy/hold.h"
#include "src/policy/ltgf.h"

static double turns_key(const struct turns *t, const struct astra_contestant *c)
{
	return astra_ltgf_key(c, c->usage.alloc, t->ballot.contest.lease_sec);
}

int astra_turns_init(struct turns *t, struct round *r)
{
	size_t tenants = r->e->tenant_count;

	*t = (struct turns){
		.r = r,
		.key = calloc(tenants + 1, sizeof(*t->key)),
		.user_key = calloc(r->e->user_count + 1, sizeof(*t->user_key)),
		.done = calloc(tenants + 1, sizeof(*t->done)),
	};
	if (!t->key || !t->user_key || !t->done ||
	    astra_ballot_init(&t->ballot, r, 0) < 0)
		return -1;
	astra_ballot_charge(r, &t->ballot);
	for (size_t i = 0; i < tenants; i++)
		t->key[i] = turns_key(t, &t->ballot.tenants[i]);
	for (size_t i = 0; i < r->e->user_count; i++)
		t->user_key[i] = turns_key(t, &t->ballot.users[i]);
	return 0;
}

void astra_turns_fini(struct turns *t)
{
	astra_ballot_fini(&t->ballot);
	free(t->key);
	free(t->user_key);
	free(t->done);
}

void astra_turns_charge(struct turns *t, const struct contender *c)
{
	const struct ejob *j = &t->r->e->jobs[c->row];

	astra_ballot_charge_job(&t->ballot, j, j->charge * j->lease_sec);
	t->key[j->tenant] = turns_key(t, &t->ballot.tenants[j->tenant]);
	if (j->user != ASTRA_NONE)
		t->user_key[j->user] = turns_key(t, &t->ballot.users[j->user]);
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

bool astra_turn_fresh(const struct round *r, const struct contender *c)
{
	return !c->expired && !c->share_count && !r->e->jobs[c->row].ran;
}

/* Of two jobs of one tenant: the poorer user's, then by precedence and age. */
static bool turn_before(const struct turns *t, const struct contender *a,
			const struct contender *b)
{
	const struct astra_engine *e = t->r->e;
	const struct ejob *x = &e->jobs[a->row], *y = &e->jobs[b->row];

	if (x->user != y->user && x->user != ASTRA_NONE &&
	    y->user != ASTRA_NONE &&
	    t->user_key[x->user] != t->user_key[y->user])
		return t->user_key[x->user] < t->user_key[y->user];
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
		    (tenant == other && turn_before(t, c, best)))
			best = c;
	}
	return best;
}

double astra_recall_from(const struct round *r, const struct ejob *j)
{
	return j->start_sec + fmax(r->e->options.recall_sec, j->min_run_sec);
}
