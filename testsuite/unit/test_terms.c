/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which values of an option are tried, and which one is recommended. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/cmd/sfairsim/sweep.h"
#include "src/policies/options.h"
#include "testsuite/unit/unit.h"

static void terms_are_sorted_and_each_once(void **state)
{
	double terms[SFAIRSIM_TERMS_MAX];
	struct astra_error err = {""};
	char text[SFAIRSIM_TERM_SIZE];

	(void)state;
	assert_int_equal(sfairsim_terms_parse("-t", "1:00:00,5:00,300,0-02",
					      terms, &err),
			 3);
	assert_string_equal(sfairsim_term_text(terms[0], text), "00:05:00");
	assert_string_equal(sfairsim_term_text(terms[1], text), "01:00:00");
	assert_string_equal(sfairsim_term_text(terms[2], text), "02:00:00");
	assert_int_equal(sfairsim_terms_parse("-t", NULL, terms, &err), 13);
	assert_string_equal(sfairsim_term_text(terms[12], text), "08:00:00");
	assert_string_equal(sfairsim_term_text(36000, text), "10:00:00");
}

static void no_term_is_refused(void **state)
{
	static const char *const bad[] = {"",	"5:00,",   "x",	       "0",
					  "-5", "1:2:3:4", "UNLIMITED"};
	double terms[SFAIRSIM_TERMS_MAX];

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(bad); i++) {
		struct astra_error err = {""};

		assert_int_equal(
			sfairsim_terms_parse("-t", bad[i], terms, &err), 0);
		assert_non_null(strstr(err.text, "-t: \""));
	}
}

static struct sfairsim_sweep *vary(const char *text)
{
	struct sfairsim_sweep *s = calloc(1, sizeof(*s));
	struct astra_error err = {""};

	assert_non_null(s);
	assert_int_equal(sfairsim_sweep_parse(s, NULL, text, &err), 0);
	return s;
}

static void any_option_is_varied_in_the_order_given(void **state)
{
	struct astra_options options;
	struct astra_error err = {""};
	struct sfairsim_sweep *s = vary("fairnessKnob=1,0.5,2");

	(void)state;
	assert_string_equal(s->key, "FairnessKnob");
	assert_int_equal(s->count, 3);
	assert_false(s->is_terms);
	astra_options_init(&options);
	assert_int_equal(sfairsim_sweep_set(s, 1, &options, &err), 0);
	assert_close(options.fairness_knob, 0.5, 0);
	assert_int_equal(sfairsim_sweep_set(s, 2, &options, &err), -1);
	assert_non_null(strstr(err.text, "FairnessKnob=2: "));
	assert_close(options.fairness_knob, 0.5, 0);
	free(s);
}

/* What does not make sense with the other options is refused as well. */
static void terms_are_sorted_whichever_way_they_are_given(void **state)
{
	struct astra_options options;
	struct astra_error err = {""};
	struct sfairsim_sweep *s = vary("leaseterm=600,30,600");

	(void)state;
	assert_true(s->is_terms);
	assert_int_equal(s->count, 2);
	assert_string_equal(s->values[0], "00:00:30");
	assert_close(s->terms_sec[1], 600, 0);
	astra_options_init(&options);
	assert_int_equal(sfairsim_sweep_set(s, 0, &options, &err), -1);
	assert_non_null(strstr(err.text, "--vary: CheckpointGrace=60"));
	assert_int_equal(sfairsim_sweep_parse(s, NULL, NULL, &err), 0);
	assert_int_equal(s->count, 13);
	free(s);
}

static void a_sweep_of_nothing_known_is_refused(void **state)
{
	static const char *const bad[] = {
		"Lease=5", "LeaseTermx=5", "=5", "Policy=ltgf", "LeaseTerm=5,x",
	};
	struct sfairsim_sweep *s = calloc(1, sizeof(*s));
	struct astra_error err = {""};
	char many[3 * SFAIRSIM_VALUES_MAX] = "Leases=", long_one[128];

	(void)state;
	assert_non_null(s);
	for (size_t i = 0; i < ASTRA_COUNT_OF(bad); i++)
		assert_int_equal(sfairsim_sweep_parse(s, NULL, bad[i], &err),
				 -1);
	assert_int_equal(sfairsim_sweep_parse(s, "600", "Leases=no", &err), -1);
	for (size_t i = 0; i < SFAIRSIM_VALUES_MAX; i++)
		strcat(many, "1,");
	assert_int_equal(sfairsim_sweep_parse(s, NULL, many, &err), -1);
	assert_non_null(strstr(err.text, "at most 64"));
	snprintf(long_one, sizeof(long_one), "Leases=%080d", 0);
	assert_int_equal(sfairsim_sweep_parse(s, NULL, long_one, &err), -1);
	assert_non_null(strstr(err.text, "too long"));
	free(s);
}

/* Terms by job loss, tenant loss, overhead, mean JCT. */
static size_t recommend(const double numbers[][4], size_t count,
			const char *fragment)
{
	struct astra_compared cases[4] = {{.label = ""}};
	struct astra_digest *digests[4];
	struct astra_comparison c = {.cases = cases, .count = count};
	struct astra_text why = {0};
	size_t best;

	for (size_t i = 0; i < count; i++) {
		digests[i] = calloc(1, sizeof(*digests[i]));
		assert_non_null(digests[i]);
		digests[i]->metrics.job_loss = numbers[i][0];
		digests[i]->metrics.tenant_loss = numbers[i][1];
		digests[i]->metrics.lost_share = numbers[i][2];
		digests[i]->metrics.jct_mean_sec = numbers[i][3];
		cases[i].digest = digests[i];
	}
	best = sfairsim_terms_recommend(&c, &why);
	if (!strstr(why.bytes, fragment))
		fail_msg("\"%s\" is not in \"%s\"", fragment, why.bytes);
	astra_text_clear(&why);
	for (size_t i = 0; i < count; i++)
		free(digests[i]);
	return best;
}

/* Behind: 7 points (overhead), 3 (tenants), 6 (JCT 130 of 100). */
static void the_term_of_the_least_weakness_is_best(void **state)
{
	static const double numbers[][4] = {
		{0.10, 0.20, 0.08, 110},
		{0.12, 0.23, 0.03, 100},
		{0.11, 0.22, 0.01, 130},
	};

	(void)state;
	assert_int_equal(recommend(numbers, 3,
				   "3.0 points behind, in the tenant sharing "
				   "loss"),
			 1);
}

static void of_equal_terms_the_longest_is_taken(void **state)
{
	static const double numbers[][4] = {
		{0.10, 0.20, 0.02, 100},
		{0.10, 0.20, 0.02, 100},
		{0.15, 0.20, 0.02, 100},
	};

	(void)state;
	assert_int_equal(recommend(numbers, 3, "no other term is better"), 1);
}

static void what_has_no_number_does_not_count(void **state)
{
	const double numbers[][4] = {
		{(double)NAN, 0.5, (double)NAN, (double)NAN},
		{(double)NAN, 0.3, (double)NAN, (double)NAN},
	};

	(void)state;
	assert_int_equal(recommend(numbers, 2, "job sharing loss -"), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(terms_are_sorted_and_each_once),
		cmocka_unit_test(no_term_is_refused),
		cmocka_unit_test(any_option_is_varied_in_the_order_given),
		cmocka_unit_test(terms_are_sorted_whichever_way_they_are_given),
		cmocka_unit_test(a_sweep_of_nothing_known_is_refused),
		cmocka_unit_test(the_term_of_the_least_weakness_is_best),
		cmocka_unit_test(of_equal_terms_the_longest_is_taken),
		cmocka_unit_test(what_has_no_number_does_not_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
