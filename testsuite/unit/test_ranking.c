/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The contract of policies that rank (src/policies/policy.h), of each that
 * there is, in random contests. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/random.h"
#include "src/policies/options.h"
#include "src/policies/policy.h"
#include "testsuite/unit/unit.h"

#define CONTESTS 3000
#define CANDIDATES_MOST 40
#define TENANTS_MOST 4
#define USERS_MOST 6

/* A contest, and where its arrays lie. */
struct asked {
	struct astra_contest contest;
	struct astra_candidate candidates[CANDIDATES_MOST];
	struct astra_contestant tenants[TENANTS_MOST], users[USERS_MOST];
	struct astra_choice choices[CANDIDATES_MOST];
	struct astra_ranking ranking;
};

static uint32_t below(struct astra_random *random, uint32_t bound)
{
	return (uint32_t)astra_random_below(random, bound);
}

static struct astra_contestant contestant(struct astra_random *random)
{
	double quota = below(random, 4) * 4;

	return (struct astra_contestant){
		.usage = {.alloc = below(random, 1000),
			  .fair = below(random, 1000)},
		.quota = quota,
		.entitled = quota > 0,
	};
}

static struct astra_candidate candidate(const struct astra_contest *contest,
					struct astra_random *random,
					uint32_t number)
{
	struct astra_candidate c = {
		.job = number,
		.tenant = below(random, (uint32_t)contest->tenant_count),
		.user = contest->user_count
				? below(random, (uint32_t)contest->user_count)
				: UINT32_MAX,
		.gpus = 1 + below(random, 8),
		.submit_sec = below(random, 5) * 10,
		.precedence = below(random, 2),
		.rho = below(random, 4) * .5,
		.latest_start_sec = HUGE_VAL,
		.excluded = !below(random, 5),
	};

	if (c.user != UINT32_MAX) /* of one tenant */
		c.tenant = c.user % (uint32_t)contest->tenant_count;
	c.charge = c.gpus;
	c.attained = below(random, 3) * 900.;
	c.fresh = !(c.attained > 0);
	if (!below(random, 4)) { /* elastic */
		c.gpus_step = c.gpus;
		c.gpus_max = c.gpus * (1 + below(random, 3));
		c.gpus_turn = c.gpus;
		c.runs = !c.fresh && !c.excluded && below(random, 2);
	}
	return c;
}

static void make(struct asked *a, struct astra_random *random)
{
	a->contest = (struct astra_contest){
		.now_sec = 1000,
		.lease_sec = 900,
		.gpus = below(random, 64),
		.candidates = a->candidates,
		.candidate_count = below(random, CANDIDATES_MOST),
		.tenants = a->tenants,
		.tenant_count = 1 + below(random, TENANTS_MOST),
		.users = a->users,
		.user_count = below(random, USERS_MOST),
	};
	for (size_t i = 0; i < a->contest.tenant_count; i++)
		a->tenants[i] = contestant(random);
	for (size_t i = 0; i < a->contest.user_count; i++)
		a->users[i] = contestant(random);
	for (uint32_t i = 0; i < a->contest.candidate_count; i++)
		a->candidates[i] = candidate(&a->contest, random, i);
}

/* Of a policy that is new. */
static void ask(const struct astra_policy *policy, struct asked *a)
{
	struct astra_options options;
	struct astra_error err = {""};
	void *self;

	astra_options_init(&options);
	assert_int_equal(
		astra_options_set(&options, "Policy", policy->name, &err), 0);
	self = policy->create(&options, &err);
	assert_non_null(self);
	a->ranking = (struct astra_ranking){.choices = a->choices};
	if (policy->decide(self, &a->contest, &a->ranking, &err) < 0)
		fail_msg("%s: %s", policy->name, err.text);
	policy->destroy(self);
	policy->destroy(NULL);
}

static uint32_t most(const struct astra_candidate *c)
{
	return c->gpus_max > c->gpus ? c->gpus_max : c->gpus;
}

/* Each once, to nobody what it cannot have, and no more than there is. */
static void check(const struct astra_policy *policy, const struct asked *a)
{
	bool seen[CANDIDATES_MOST] = {false};
	uint64_t granted = 0;

	for (size_t i = 0; i < a->ranking.count; i++) {
		const struct astra_choice *choice = &a->choices[i];
		const struct astra_candidate *c =
			&a->candidates[choice->candidate];

		assert_in_range(choice->candidate, 0,
				a->contest.candidate_count - 1);
		if (seen[choice->candidate])
			fail_msg("%s ranks candidate %u twice", policy->name,
				 choice->candidate);
		seen[choice->candidate] = true;
		if (!choice->granted)
			continue;
		if (c->excluded)
			fail_msg("%s grants an excluded one", policy->name);
		if (choice->gpus < c->gpus || choice->gpus > most(c))
			fail_msg("%s grants %u GPUs to one of %u to %u",
				 policy->name, choice->gpus, c->gpus, most(c));
		granted += choice->gpus - (c->runs ? c->gpus : 0);
	}
	if (a->ranking.count != a->contest.candidate_count)
		fail_msg("%s leaves candidates out", policy->name);
	if (granted > a->contest.gpus)
		fail_msg("%s grants more GPUs than there are", policy->name);
}

/* Where there are enough for all to grow, nobody is left without. */
static void check_conserving(const struct astra_policy *policy,
			     const struct asked *a)
{
	uint64_t wanted = 0;

	for (size_t i = 0; i < a->contest.candidate_count; i++)
		wanted += most(&a->candidates[i]) -
			  (a->candidates[i].runs ? a->candidates[i].gpus : 0);
	if (!policy->conserving || wanted > a->contest.gpus)
		return;
	for (size_t i = 0; i < a->ranking.count; i++)
		if (!a->choices[i].granted &&
		    !a->candidates[a->choices[i].candidate].excluded)
			fail_msg("%s leaves one of %u of %u GPUs without",
				 policy->name,
				 a->candidates[a->choices[i].candidate].gpus,
				 (unsigned)a->contest.gpus);
}

/* It does not depend on where anything lies in memory. */
static void check_again(const struct astra_policy *policy,
			const struct asked *a)
{
	struct asked *other = malloc(sizeof(*other));

	assert_non_null(other);
	memcpy(other, a, sizeof(*other));
	other->contest.candidates = other->candidates;
	other->contest.tenants = other->tenants;
	other->contest.users = other->users;
	ask(policy, other);
	assert_int_equal(other->ranking.count, a->ranking.count);
	for (size_t i = 0; i < a->ranking.count; i++)
		if (other->choices[i].candidate != a->choices[i].candidate ||
		    other->choices[i].granted != a->choices[i].granted)
			fail_msg("%s ranks otherwise the second time",
				 policy->name);
	free(other);
}

static void each_policy_keeps_the_contract(void **state)
{
	const struct astra_policy *const *p = astra_policy_all();
	struct astra_random random = astra_random_seed(1);
	struct asked a;

	(void)state;
	for (size_t i = 0; p[i]; i++)
		for (int k = 0; p[i]->decide && k < CONTESTS; k++) {
			make(&a, &random);
			ask(p[i], &a);
			check(p[i], &a);
			check_conserving(p[i], &a);
			check_again(p[i], &a);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_policy_keeps_the_contract),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
