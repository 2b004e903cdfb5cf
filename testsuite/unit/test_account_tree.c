/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which accounts are tenants, and what their shares are worth. By hand, with
 * sshare's rule: an account has its shares by those of all that stand where it
 * does, users and accounts, of its parent's part. */
#include "src/model/account_tree.h"
#include "src/model/model.h"
#include "testsuite/unit/unit.h"

/* root: physics (30), chem (10) and one user. physics: hep (2), astro (1), a
 * user of 1; of hep: a user of 7 and muon (fairshare=parent) with a user of 1.
 * chem: lab (4), whose parent it is, and of lab a user of 1. */
enum { ROOT, PHYSICS, HEP, ASTRO, MUON, CHEM, LAB, ACCOUNTS };

static const struct astra_tree_account accounts[ACCOUNTS] = {
	[ROOT] = {.name = "root", .parent = ASTRA_NONE, .shares = 1},
	[PHYSICS] = {.name = "physics", .parent = ROOT, .shares = 30},
	[HEP] = {.name = "hep", .parent = PHYSICS, .shares = 2},
	[ASTRO] = {.name = "astro", .parent = PHYSICS, .shares = 1},
	[MUON] = {.name = "muon",
		  .parent = HEP,
		  .shares = 1,
		  .of_parent = true},
	[CHEM] = {.name = "chem", .parent = ROOT, .shares = 10},
	[LAB] = {.name = "lab", .parent = CHEM, .shares = 4},
};

static struct astra_account_tree tree;

static int tree_setup(void **state)
{
	(void)state;
	for (size_t i = 0; i < ACCOUNTS; i++)
		if (astra_account_tree_add(&tree, &accounts[i]) != i)
			return -1;
	astra_account_tree_user(&tree, ROOT, 1);
	astra_account_tree_user(&tree, PHYSICS, 1);
	astra_account_tree_user(&tree, HEP, 7);
	astra_account_tree_user(&tree, MUON, 1);
	astra_account_tree_user(&tree, LAB, 1);
	astra_account_tree_sum(&tree);
	return 0;
}

static int tree_teardown(void **state)
{
	(void)state;
	astra_account_tree_clear(&tree);
	return 0;
}

static void the_tenant_stands_at_the_level_or_above(void **state)
{
	static const struct {
		uint32_t account;
		unsigned level;
		uint32_t tenant;
	} cases[] = {
		{ROOT, 0, ROOT},    {ROOT, 1, ROOT},   {PHYSICS, 0, PHYSICS},
		{HEP, 0, HEP},	    {HEP, 1, PHYSICS}, {HEP, 2, HEP},
		{MUON, 0, HEP},	    {MUON, 2, HEP},    {MUON, 3, HEP},
		{MUON, 1, PHYSICS}, {LAB, 9, LAB},
	};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++)
		assert_int_equal(astra_account_tree_tenant(&tree,
							   cases[i].account,
							   cases[i].level),
				 cases[i].tenant);
}

static void weights_are_the_parts_of_each_level(void **state)
{
	static const struct {
		uint32_t tenant;
		unsigned level;
		double weight;
	} cases[] = {
		{ROOT, 0, 1},		    /* its user, beside 30 and 10 */
		{ROOT, 1, 1},
		{PHYSICS, 1, 30},	    /* with all below it */
		{PHYSICS, 0, 30 * 1 / 4.0}, /* its user, of 1 + 2 + 1 */
		{HEP, 0, 30 * 2 / 4.0},	    /* all below it are its users */
		{ASTRO, 0, 30 * 1 / 4.0},
		{ASTRO, 2, 30 * 1 / 4.0},
		{CHEM, 0, 0}, /* it has no users */
		{CHEM, 1, 10},
		{LAB, 0, 10 * 4 / 4.0},
	};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++)
		assert_close(astra_account_tree_weight(&tree, cases[i].tenant,
						       cases[i].level, true),
			     cases[i].weight, 1e-12);
}

static void without_the_tree_shares_are_weights(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < ACCOUNTS; i++)
		assert_close(astra_account_tree_weight(&tree, i, 0, false),
			     accounts[i].shares, 0);
}

/* As sshare: what is divided among the users of the accounts below root is what
 * these have, and with root's own users it is all. */
static void parts_add_up_to_what_stands_above(void **state)
{
	double sum = 0, all = 0;

	(void)state;
	for (uint32_t i = PHYSICS; i <= ASTRO; i++)
		sum += astra_account_tree_weight(&tree, i, 0, true);
	assert_close(sum, 30, 1e-12);
	for (uint32_t i = ROOT; i < ACCOUNTS; i++)
		if (i != MUON) /* it is no tenant */
			all += astra_account_tree_weight(&tree, i, 0, true);
	assert_close(all, 1 + 30 + 10, 1e-12);
}

static void accounts_in_a_circle_come_to_an_end(void **state)
{
	struct astra_account_tree ring = {0};
	struct astra_tree_account one = {.name = "a", .parent = 1, .shares = 2};

	(void)state;
	astra_account_tree_add(&ring, &one);
	one.parent = 0;
	astra_account_tree_add(&ring, &one);
	astra_account_tree_sum(&ring);
	assert_in_range(astra_account_tree_tenant(&ring, 0, 1), 0, 1);
	assert_true(astra_account_tree_weight(&ring, 0, 0, true) >= 0);
	astra_account_tree_clear(&ring);
}

static void values_are_parsed(void **state)
{
	static const char *const wrong[] = {"", "0", "-1", "100", "1x", "root"};
	const char *allowed;
	unsigned level = 7;
	bool by_tree = false;

	(void)state;
	assert_int_equal(astra_tenant_level_parse("99", &level, &allowed), 0);
	assert_int_equal(level, 99);
	for (size_t i = 0; i < ASTRA_COUNT_OF(wrong); i++)
		assert_int_equal(
			astra_tenant_level_parse(wrong[i], &level, &allowed),
			-1);
	assert_int_equal(level, 99);
	assert_string_equal(allowed, "account, or a level from 1 to 99 below "
				     "root");
	assert_int_equal(astra_tenant_level_parse("Account", &level, &allowed),
			 0);
	assert_int_equal(level, 0);
	assert_int_equal(astra_tenant_shares_parse("Tree", &by_tree, &allowed),
			 0);
	assert_true(by_tree);
	assert_int_equal(astra_tenant_shares_parse("both", &by_tree, &allowed),
			 -1);
	assert_true(by_tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_tenant_stands_at_the_level_or_above),
		cmocka_unit_test(weights_are_the_parts_of_each_level),
		cmocka_unit_test(without_the_tree_shares_are_weights),
		cmocka_unit_test(parts_add_up_to_what_stands_above),
		cmocka_unit_test(accounts_in_a_circle_come_to_an_end),
		cmocka_unit_test(values_are_parsed),
	};

	return cmocka_run_group_tests(tests, tree_setup, tree_teardown);
}
