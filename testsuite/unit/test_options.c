/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "src/policies/options.h"
#include "src/policies/policy.h"
#include "testsuite/unit/unit.h"

static struct astra_options defaults(void)
{
	struct astra_options options;

	astra_options_init(&options);
	return options;
}

/* The common parsers write to where .sets says, by default over the first
 * member of all: the policy. */
static void every_row_says_what_it_sets(void **state)
{
	static const char *const alone[] = {"Policy", "QOSWeight", "GPUWeight",
					    "TenantGPUHours"};

	(void)state;
	for (const struct astra_option *row = astra_option_table; row->key;
	     row++) {
		bool sets = row->sets[0].key != NULL;

		for (size_t i = 0; i < ASTRA_COUNT_OF(alone); i++)
			sets |= !strcmp(row->key, alone[i]);
		if (!sets)
			fail_msg("%s: its row has no .sets, so its value would "
				 "be written over the policy",
				 row->key);
	}
}

static void every_default_parses(void **state)
{
	(void)state;
	for (const struct astra_option *row = astra_option_table; row->key;
	     row++) {
		struct astra_options o = defaults(), same = o;
		struct astra_error err = {""};

		assert_non_null(row->values);
		assert_non_null(row->help);
		assert_int_equal(
			astra_options_set(&o, row->key, row->initial, &err), 0);
		same.lease_said = o.lease_said;
		same.unleased_said = o.unleased_said;
		if (memcmp(&o, &same, sizeof(o)))
			fail_msg("%s: its default is another, or it sets what "
				 ".sets does not name",
				 row->key);
		assert_string_equal(err.text, "");
	}
}

/* Also in lists of names, as "a, b.". */
static bool names(const char *text, const char *word)
{
	for (const char *at = strstr(text, word); at;
	     at = strstr(at + 1, word)) {
		char end = at[strlen(word)];

		if (at > text && at[-1] == ' ' && strchr(",.: ", end))
			return true;
	}
	return false;
}

static void the_text_of_policy_names_all(void **state)
{
	const struct astra_policy *const *p = astra_policy_all();

	(void)state;
	for (size_t i = 0; p[i]; i++)
		if (!names(astra_option_table[0].help, p[i]->name))
			fail_msg("Policy's text lacks %s", p[i]->name);
}

static void the_defaults_make_sense_together(void **state)
{
	struct astra_options o = defaults();
	struct astra_error err = {""};

	(void)state;
	assert_int_equal(astra_options_check(&o, &err), 0);
	assert_string_equal(o.policy, "ltgf");
	assert_true(o.lease_sec == 900);
	assert_int_equal(o.checkpoint_exit_count, 1);
	assert_int_equal(o.checkpoint_exit[0], 85);
}

static const struct {
	const char *key, *value;
} bad[] = {
	{"Policy", "first"},
	{"Policy", "ltgf+ltgf"},
	{"Policy", "ltgf+fifo"},
	{"Policy", "oasis+ltgf"},
	{"Policy", "ltgf+oasis+themis"},
	{"Policy", ""},
	{"LeaseTerm", "soon"},
	{"LeaseTerm", "-5"},
	{"LeaseTerm", "1:2:3:4"},
	{"LeaseTerm", "1E5"},
	{"LeaseTerm", "0x10"},
	{"LeaseTerm", "1.5"},
	{"LeaseTerm", "10s"},
	{"LeaseTerm", ""},
	{"LeaseTerm", "99999999999"},
	{"LeaseTerm", "automatic"},
	{"LeaseMin", "1:"},
	{"LeaseMin", "auto"},
	{"LeaseMax", "1-"},
	{"AllowNoLease", "maybe"},
	{"NoLeaseGPUs", "-1"},
	{"NoLeaseUserGPUs", "half"},
	{"Unprepared", "yes"},
	{"UnpreparedMin", "-1"},
	{"NoLeaseTime", "a day"},
	{"RoundInterval", ":5"},
	{"CheckpointGrace", "a minute"},
	{"CheckpointSignal", "KILL"},
	{"CheckpointSignal", "9"},
	{"CheckpointSignal", "SIGSTOP"},
	{"CheckpointSignal", "USR3"},
	{"CheckpointSignal", "0"},
	{"CheckpointSignal", "1000"},
	{"TimeLimitExit", "maybe"},
	{"CheckpointExit", "0"},
	{"CheckpointExit", "256"},
	{"CheckpointExit", "85,"},
	{"CheckpointExit", "85;86"},
	{"CheckpointExit", "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17"},
	{"MinRunTime", "x"},
	{"MaxReclaim", "-1"},
	{"MaxReclaim", "1.5"},
	{"MaxReclaim", "99999999999999999999"},
	{"TenantVariant", "eq9"},
	{"FairnessHalfLife", "never"},
	{"LeadMax", "1 2"},
	{"Promise", "maybe"},
	{"RecallAfter", "soon"},
	{"RecallAfter", "-1"},
	{"MaxOverhead", "-1"},
	{"MaxOverhead", "101"},
	{"MaxOverhead", "5%"},
	{"Reserve", "-1"},
	{"Reserve", "few"},
	{"FairWithin", "account"},
	{"ChargeBlocked", "cpu"},
	{"DeadlineUrgency", "tomorrow"},
	{"Placement", "random"},
	{"QOSWeight", "high"},
	{"QOSWeight", "high:"},
	{"QOSWeight", "high:-1"},
	{"QOSWeight", "high:2,"},
	{"QOSWeight", "high:2,high:3"},
	{"QOSWeight", ":2"},
	{"QOSWeight", "high:2x"},
	{"QOSWeight", "high:nan"},
	{"QOSWeight", ","},
	{"MaxGPUHours", "-1"},
	{"MaxGPUHours", "500h"},
	{"MaxGPUHours", "2e9"},
	{"MaxGPUHours", "nan"},
	{"MaxGPUHours", ""},
	{"MaxGPUHoursPerUser", "-0.5"},
	{"MaxGPUHoursPerUser", "inf"},
	{"TenantGPUHours", "500"},
	{"TenantGPUHours", "lab:-1"},
	{"TenantGPUHours", "lab:1,lab:2"},
	{"CapPeriod", "year"},
	{"CapPeriod", "30"},
	{"GPUWeight", "a100:0"},
	{"GPUWeight", "a100:inf"},
	{"GPUWeight", "a100=2"},
	{"AdminComment", "maybe"},
	{"ReasonDetail", "long"},
	{"ForecastInterval", "often"},
	{"SlotLength", "soon"},
	{"BatchMax", "2.5"},
	{"PriceBase", "0.5"},
	{"Budget", "-1"},
	{"Budget", "nan"},
	{"BudgetRefill", "none"},
	{"OwnPrice", "free"},
	{"PlanHorizon", "a while"},
	{"Admission", "yes"},
	{"LendIdle", "sometimes"},
	{"FairnessKnob", "1.5"},
	{"TrustBids", "some"},
	{"LearningRate", "fast"},
	{"LentSteps", "51"},
	{"LearnedUtility", "cubic"},
	{"Leases", "some"},
	{"Gres", "mps"},
	{"PriorityWeightLTGF", "most"},
};

static void a_bad_value_is_named_and_changes_nothing(void **state)
{
	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(bad); i++) {
		struct astra_options o = defaults(), same = o;
		struct astra_error err = {""};
		char pair[128];

		snprintf(pair, sizeof(pair), "%s=%s: ", bad[i].key,
			 bad[i].value);
		assert_int_equal(
			astra_options_set(&o, bad[i].key, bad[i].value, &err),
			-1);
		assert_memory_equal(&o, &same, sizeof(o));
		assert_ptr_equal(strstr(err.text, pair), err.text);
		assert_true(strlen(err.text) > strlen(pair));
	}
}

static void weights_are_by_name_and_else_1(void **state)
{
	struct astra_options o = defaults();
	struct astra_error err = {""};

	(void)state;
	assert_int_equal(
		astra_options_set(&o, "gpuweight", "a100:2,k80:.25", &err), 0);
	assert_int_equal(astra_options_set(&o, "QOSWeight", "low:0", &err), 0);
	assert_true(astra_weight_of(&o.gpu_weights, "a100") == 2);
	assert_true(astra_weight_of(&o.gpu_weights, "k80") == 0.25);
	assert_true(astra_weight_of(&o.gpu_weights, "A100") == 1);
	assert_true(astra_weight_of(&o.gpu_weights, NULL) == 1);
	assert_true(astra_weight_of(&o.qos_weights, "low") == 0);
	assert_int_equal(astra_options_set(&o, "QOSWeight", "none", &err), 0);
	assert_true(astra_weight_of(&o.qos_weights, "low") == 1);
}

static void errors_are_added_up_to_the_room(void **state)
{
	struct astra_error err = {""};

	(void)state;
	astra_error_add(&err, "one %d", 1);
	assert_string_equal(err.text, "one 1");
	astra_error_add(&err, "two");
	assert_string_equal(err.text, "one 1; two");
	for (int i = 0; i < 100; i++)
		astra_error_add(&err, "%025d", i);
	assert_true(strlen(err.text) < sizeof(err.text));
	assert_string_equal(err.text + strlen(err.text) - 5, "; ...");
	assert_null(strstr(err.text, "; ...; ..."));
}

/* Themis has leases of 600 s (SPEC section 2) unless the admin says otherwise,
 * before or after the policy. */
static void a_policy_may_have_a_lease_term_of_its_own(void **state)
{
	struct astra_options o = defaults();

	(void)state;
	assert_int_equal(astra_options_set(&o, "Policy", "themis", NULL), 0);
	assert_close(o.lease_sec, 600, 0);
	assert_int_equal(astra_options_set(&o, "Policy", "ltgf", NULL), 0);
	assert_close(o.lease_sec, 900, 0);
	assert_int_equal(astra_options_set(&o, "LeaseTerm", "1200", NULL), 0);
	assert_int_equal(astra_options_set(&o, "Policy", "themis", NULL), 0);
	assert_close(o.lease_sec, 1200, 0);
}

static void an_automatic_term_begins_with_the_policys(void **state)
{
	struct astra_options o = defaults();

	(void)state;
	assert_false(o.lease_auto);
	assert_int_equal(astra_options_set(&o, "LeaseTerm", "1200", NULL), 0);
	assert_int_equal(astra_options_set(&o, "LeaseTerm", "Auto", NULL), 0);
	assert_true(o.lease_auto);
	assert_close(o.lease_sec, 900, 0);
	assert_int_equal(astra_options_set(&o, "Policy", "themis", NULL), 0);
	assert_close(o.lease_sec, 600, 0);
	assert_int_equal(astra_options_check(&o, NULL), 0);
	assert_int_equal(astra_options_set(&o, "LeaseTerm", "1200", NULL), 0);
	assert_false(o.lease_auto);
}

/* To the engine it is Leases=no. */
static void a_watched_pool_has_no_leases(void **state)
{
	static const struct {
		const char *key, *value, *error;
	} beside[] = {
		{"Policy", "themis", "Leases=watch: Policy=themis allocates"},
		{"Policy", "oasis", "Leases=watch: Policy=oasis allocates"},
		{"MaxGPUHours", "10", "Leases=watch: MaxGPUHours is kept by"},
	};
	struct astra_options o = defaults();

	(void)state;
	assert_int_equal(astra_options_set(&o, "Leases", "Watch", NULL), 0);
	assert_false(o.leases);
	assert_true(o.watch);
	assert_string_equal(astra_leases_word(&o), "watch");
	assert_int_equal(astra_options_check(&o, NULL), 0);
	for (size_t i = 0; i < ASTRA_COUNT_OF(beside); i++) {
		struct astra_options with = o;
		struct astra_error err = {""};

		assert_int_equal(astra_options_set(&with, beside[i].key,
						   beside[i].value, NULL),
				 0);
		assert_int_equal(astra_options_check(&with, &err), -1);
		assert_ptr_equal(strstr(err.text, beside[i].error), err.text);
	}
	assert_int_equal(astra_options_set(&o, "Leases", "yes", NULL), 0);
	assert_true(o.leases && !o.watch);
	assert_string_equal(astra_leases_word(&o), "yes");
	assert_int_equal(astra_options_set(&o, "Leases", "watch", NULL), 0);
	assert_int_equal(astra_options_set(&o, "Leases", "no", NULL), 0);
	assert_true(!o.leases && !o.watch);
}

static void
the_bounds_of_an_automatic_term_follow_what_a_lease_costs(void **state)
{
	static const struct {
		const char *set[2][2];
		double least, most;
	} cases[] = {
		{{{NULL}}, 300, 7200},
		{{{"CheckpointGrace", "2:00"}}, 600, 7200},
		{{{"MinRunTime", "20:00"}}, 1200, 7200},
		{{{"MinRunTime", "1:00:00"}}, 3600, 14400},
		{{{"LeaseMin", "2:00"}}, 120, 7200},
		{{{"LeaseMin", "15:00"}, {"LeaseMax", "30:00"}}, 900, 1800},
	};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		struct astra_options o = defaults();

		o.lease_auto = true;
		for (int k = 0; k < 2 && cases[i].set[k][0]; k++)
			assert_int_equal(
				astra_options_set(&o, cases[i].set[k][0],
						  cases[i].set[k][1], NULL),
				0);
		assert_int_equal(astra_options_check(&o, NULL), 0);
		assert_close(astra_auto_least_sec(&o), cases[i].least, 0);
		assert_close(astra_auto_most_sec(&o), cases[i].most, 0);
		assert_close(astra_auto_bound(&o, 1), cases[i].least, 0);
		assert_close(astra_auto_bound(&o, 1e6), cases[i].most, 0);
	}
}

static void every_option_has_a_bad_value_tested(void **state)
{
	(void)state;
	for (const struct astra_option *row = astra_option_table; row->key;
	     row++) {
		bool found = false;

		for (size_t i = 0; i < ASTRA_COUNT_OF(bad); i++)
			found |= !strcasecmp(bad[i].key, row->key);
		if (!found)
			fail_msg("add a bad value of %s to bad[]", row->key);
	}
}

static void an_unknown_option_is_named(void **state)
{
	struct astra_options o = defaults();
	struct astra_error err = {""};

	(void)state;
	assert_int_equal(astra_options_set(&o, "LeaseTrem", "5", &err), -1);
	assert_string_equal(err.text, "LeaseTrem=5: there is no such option");
	assert_int_equal(astra_options_set(&o, "LeaseTrem", "5", NULL), -1);
}

static void keys_and_words_are_case_insensitive(void **state)
{
	struct astra_options o = defaults();

	(void)state;
	assert_int_equal(astra_options_set(&o, "leaseterm", "5:00", NULL), 0);
	assert_true(o.lease_sec == 300);
	assert_int_equal(astra_options_set(&o, "TENANTVARIANT", "EQ16", NULL),
			 0);
	assert_true(o.quota_entitlement);
	assert_int_equal(astra_options_set(&o, "Placement", "Strict", NULL), 0);
	assert_true(o.strict_placement);
	assert_int_equal(astra_options_set(&o, "AllowNoLease", "YES", NULL), 0);
	assert_true(o.lease_none_allowed);
	assert_int_equal(
		astra_options_set(&o, "CheckpointSignal", "sigusr1", NULL), 0);
	assert_int_equal(o.checkpoint_signal, SIGUSR1);
}

static void lists_of_exit_codes_are_read(void **state)
{
	struct astra_options o = defaults();

	(void)state;
	assert_int_equal(
		astra_options_set(&o, "CheckpointExit", "85,3,255", NULL), 0);
	assert_int_equal(o.checkpoint_exit_count, 3);
	assert_int_equal(o.checkpoint_exit[1], 3);
	assert_int_equal(astra_options_set(&o, "CheckpointExit", "none", NULL),
			 0);
	assert_int_equal(o.checkpoint_exit_count, 0);
}

/* As sbatch's manual page lists them; a bare number as said by the caller. */
static void times_are_as_slurm_writes_them(void **state)
{
	static const struct {
		const char *text;
		double sec;
	} times[] = {
		{"0", 0},
		{"90", 90},
		{"2:30", 150},
		{"1:00:00", 3600},
		{"1-0", 86400},
		{"1-12", 129600},
		{"1-12:30", 131400},
		{"1-12:30:15", 131415},
		{"UNLIMITED", 0},
		{"none", 0},
	};
	double sec;

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(times); i++) {
		assert_int_equal(astra_parse_time(times[i].text, 1, &sec), 0);
		assert_true(sec == times[i].sec);
	}
	assert_int_equal(astra_parse_time("90", 60, &sec), 0);
	assert_true(sec == 5400);
	assert_int_equal(astra_parse_time("1-2-3", 60, &sec), -1);
	assert_true(sec == 5400);
}

static void signals_are_names_or_numbers(void **state)
{
	(void)state;
	assert_int_equal(astra_parse_signal("TERM"), SIGTERM);
	assert_int_equal(astra_parse_signal("SIGTERM"), SIGTERM);
	assert_int_equal(astra_parse_signal("10"), 10);
	assert_int_equal(astra_parse_signal(""), -1);
	assert_int_equal(astra_parse_signal("SIG"), -1);
	assert_int_equal(astra_parse_signal("10 "), -1);
	assert_int_equal(astra_parse_signal("-1"), -1);
}

static void the_shortest_run_is_set_or_learned_or_of_the_term(void **state)
{
	static const struct {
		const char *set, *policy;
		double term, learned, sec;
	} cases[] = {
		{"auto", "ltgf", 900, 0, 60},
		{"auto", "ltgf", 200, 0, 20},
		{"auto", "ltgf", 900, 150, 150},
		{"auto", "ltgf", 900, 5, 5},
		{"auto", "ltgf", 900, 1000, 900},
		{"30", "ltgf", 900, 150, 30},
		{"0", "ltgf", 900, 150, 0},
		{"auto", "oasis", 900, 150, 0},
	};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		struct astra_options o = defaults();
		struct astra_error err = {""};

		assert_int_equal(
			astra_options_set(&o, "MinRunTime", cases[i].set, &err),
			0);
		assert_int_equal(
			astra_options_set(&o, "Policy", cases[i].policy, &err),
			0);
		assert_close(astra_min_run_sec(&o, astra_policy_find(o.policy),
					       cases[i].term, cases[i].learned),
			     cases[i].sec, 0);
	}
}

static uint32_t slots_of(const char *slot, const char *horizon)
{
	struct astra_options o = defaults();
	struct astra_error err = {""};

	assert_int_equal(astra_options_set(&o, "Policy", "oasis", &err), 0);
	assert_int_equal(astra_options_set(&o, "SlotLength", slot, &err), 0);
	assert_int_equal(astra_options_set(&o, "PlanHorizon", horizon, &err),
			 0);
	assert_int_equal(astra_options_check(&o, &err), 0);
	return astra_horizon_slots(&o);
}

static void the_plan_is_of_a_day_unless_that_is_too_much(void **state)
{
	(void)state;
	assert_int_equal(slots_of("600", "auto"), 144);
	assert_int_equal(slots_of("10", "auto"), 1000);
	assert_int_equal(slots_of("2-00:00:00", "auto"), 1);
	assert_int_equal(slots_of("900", "7-00:00:00"), 672);
	assert_int_equal(slots_of("100", "950"), 10);
}

static void contradictions_name_both_keys(void **state)
{
	static const struct {
		const char *set[3][2];
		const char *names[2];
	} cases[] = {
		{{{"LeaseTerm", "0"}}, {"LeaseTerm=0"}},
		{{{"LeaseTerm", "60"}}, {"LeaseTerm=60", "CheckpointGrace=60"}},
		{{{"MinRunTime", "901"}}, {"MinRunTime=901", "LeaseTerm=900"}},
		{{{"RoundInterval", "0"}}, {"RoundInterval=0"}},
		{{{"RoundInterval", "2:00:00"}}, {"RoundInterval=7200"}},
		{{{"LeaseMin", "30"}}, {"LeaseMin=30", "CheckpointGrace=60"}},
		{{{"LeaseMin", "600"}, {"LeaseMax", "300"}},
		 {"LeaseMin=600", "LeaseMax=300"}},
		{{{"LeaseMin", "1000"}}, {"LeaseMin=1000", "LeaseTerm=900"}},
		{{{"LeaseTerm", "auto"}, {"LeaseMin", "60"}},
		 {"CheckpointGrace=60", "LeaseMin=60"}},
		{{{"LeaseTerm", "auto"}, {"LeaseMin", "0:30"}},
		 {"CheckpointGrace=60", "make LeaseMin longer"}},
		{{{"LeaseTerm", "auto"},
		  {"LeaseMin", "5:00"},
		  {"MinRunTime", "10:00"}},
		 {"LeaseMin=300", "MinRunTime=600"}},
		{{{"LeaseTerm", "auto"},
		  {"LeaseMin", "20:00"},
		  {"LeaseMax", "10:00"}},
		 {"LeaseMin=1200", "LeaseMax=600"}},
		{{{"LeaseTerm", "auto"}, {"LeaseMax", "2:00"}},
		 {"LeaseMin=300, its default", "LeaseMax=120"}},
		{{{"LeaseTerm", "auto"}, {"Policy", "oasis"}},
		 {"LeaseTerm=auto", "Policy=oasis"}},
		{{{"Policy", "fifo"}, {"LeaseTerm", "auto"}},
		 {"LeaseTerm=auto", "Policy=fifo"}},
	};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		struct astra_options o = defaults();
		struct astra_error err = {""};

		for (int k = 0; k < 3 && cases[i].set[k][0]; k++)
			assert_int_equal(
				astra_options_set(&o, cases[i].set[k][0],
						  cases[i].set[k][1], &err),
				0);
		assert_int_equal(astra_options_check(&o, &err), -1);
		for (int k = 0; k < 2 && cases[i].names[k]; k++)
			if (!strstr(err.text, cases[i].names[k]))
				fail_msg("%s is not in: %s", cases[i].names[k],
					 err.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row_says_what_it_sets),
		cmocka_unit_test(every_default_parses),
		cmocka_unit_test(the_text_of_policy_names_all),
		cmocka_unit_test(the_defaults_make_sense_together),
		cmocka_unit_test(a_bad_value_is_named_and_changes_nothing),
		cmocka_unit_test(a_policy_may_have_a_lease_term_of_its_own),
		cmocka_unit_test(a_watched_pool_has_no_leases),
		cmocka_unit_test(an_automatic_term_begins_with_the_policys),
		cmocka_unit_test(
			the_bounds_of_an_automatic_term_follow_what_a_lease_costs),
		cmocka_unit_test(every_option_has_a_bad_value_tested),
		cmocka_unit_test(weights_are_by_name_and_else_1),
		cmocka_unit_test(errors_are_added_up_to_the_room),
		cmocka_unit_test(an_unknown_option_is_named),
		cmocka_unit_test(keys_and_words_are_case_insensitive),
		cmocka_unit_test(lists_of_exit_codes_are_read),
		cmocka_unit_test(times_are_as_slurm_writes_them),
		cmocka_unit_test(signals_are_names_or_numbers),
		cmocka_unit_test(
			the_shortest_run_is_set_or_learned_or_of_the_term),
		cmocka_unit_test(the_plan_is_of_a_day_unless_that_is_too_much),
		cmocka_unit_test(contradictions_name_both_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
