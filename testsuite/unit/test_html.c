/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pages: what is escaped, where marks are; page.sh looks at them in a browser.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "src/sim/html_priv.h"
#include "testsuite/unit/sim_world.h"
#include "testsuite/unit/unit.h"

static char *text;
static size_t text_size;

static FILE *open_text(void)
{
	FILE *file = open_memstream(&text, &text_size);

	assert_non_null(file);
	return file;
}

static void texts_are_escaped(void **state)
{
	static const struct {
		const char *raw, *escaped;
	} cases[] = {
		{"plain é 名", "plain é 名"},
		{"<b>&\"'", "&lt;b&gt;&amp;&quot;&#39;"},
		{"a\x1b[1m\x7f\xc2\x9b", "a?[1m??"},
		{"cut \xe5\x90", "cut ??"},
		{"\xe2\x80\xae"
		 "abc\xe2\x81\xa6",
		 "?abc?"},
	};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		FILE *file = open_text();

		html_text(file, cases[i].raw);
		fclose(file);
		assert_string_equal(text, cases[i].escaped);
		free(text);
	}
}

static void near(double got, double want)
{
	if (fabs(got - want) <= 1e-9 * fmax(1, fabs(want)))
		return;
	print_error("got %.17g, expected %.17g\n", got, want);
	fail();
}

static void scales_keep_to_their_ends(void **state)
{
	const struct html_scale linear = {0, 2, 100, 300, false};
	const struct html_scale log = {1, 100, 0, 100, true};
	const struct html_scale up = {0, 1, 285, 30, false};
	const struct html_scale none = {5, 5, 7, 9, false};

	(void)state;
	near(html_at(&linear, 0.5), 150);
	near(html_at(&linear, -1), 100);
	near(html_at(&linear, HUGE_VAL), 300);
	near(html_at(&log, 10), 50);
	near(html_at(&log, 0), 0);
	near(html_at(&up, 1), 30);
	near(html_at(&none, 5), 7);
}

static void ticks_are_round(void **state)
{
	const struct html_scale share = {0, 1, 0, 1, false};
	const struct html_scale days = {0, 16 * 86400, 0, 1, false};
	const struct html_scale log = {1, 1e6, 0, 1, true};
	const struct html_scale none = {1, 1, 0, 1, false};
	double ticks[HTML_TICKS_MAX];

	(void)state;
	assert_int_equal(html_ticks(&share, HTML_PLAIN, ticks), 6);
	assert_false(signbit(ticks[0]));
	near(ticks[1], 0.2);
	assert_int_equal(html_ticks(&days, HTML_TIME, ticks), 4);
	near(ticks[1], 5 * 86400);
	assert_int_equal(html_ticks(&log, HTML_PLAIN, ticks), 7);
	near(ticks[6], 1e6);
	assert_int_equal(html_ticks(&none, HTML_PLAIN, ticks), 0);
	near(html_round_up(0.77, HTML_PLAIN), 0.8);
	near(html_round_up(3.2 * 3600, HTML_TIME), 4 * 3600);
	near(html_round_up(HUGE_VAL, HTML_PLAIN), 1);
	near(html_round_up(0, HTML_PLAIN), 1);
}

/* A digest of the world, and a page of it and of one in which nothing was. */
static void write_page(bool is_sweep, const double *terms_sec)
{
	struct astra_error err = {""};
	struct astra_digest *full, *empty;
	struct astra_compared cases[2] = {{.label = "<i>"}, {.label = "none"}};
	struct astra_comparison c = {
		.what = "policy",
		.gpus = 4,
		.cases = cases,
		.count = 2,
	};
	const struct astra_page page = {
		.comparison = &c,
		.title = "t",
		.command = "<c>",
		.is_sweep = is_sweep,
		.terms_sec = terms_sec,
		.why = "<why>",
	};
	struct world w, none;
	FILE *file = open_text();

	make_world(&w);
	make_world(&none);
	w.trace_tenants[0].name = "\"><b>";
	none.trace.job_count = 0;
	none.result.interval_count = 0;
	none.tenants[0] = none.tenants[1] = (struct astra_sim_tenant){0};
	assert_int_equal(astra_contention(&w.result), 0);
	full = calloc(1, astra_digest_size(2));
	empty = calloc(1, astra_digest_size(2));
	assert_non_null(full);
	assert_non_null(empty);
	assert_int_equal(astra_digest_fill(&w.result, full), 0);
	assert_int_equal(astra_digest_fill(&none.result, empty), 0);
	cases[0].digest = full;
	cases[1].digest = empty;
	c.trace = &w.trace;
	assert_int_equal(astra_html_write(&page, file, &err), 0);
	fclose(file);
	free(full);
	free(empty);
}

static void check_page(void)
{
	for (const char *at = text; (at = strstr(at, "nan")); at++)
		if (strncasecmp(at - 2, "tenant", 6) != 0)
			fail_msg("%.100s", at - 50);
	assert_null(strstr(text, "\"inf"));
	assert_null(strstr(text, "<i>"));
	assert_null(strstr(text, "<c>"));
	assert_null(strstr(text, "<why>"));
	assert_null(strstr(text, "\"><b>"));
	assert_non_null(strstr(text, "&lt;i&gt;"));
	assert_non_null(strstr(text, "</html>"));
	free(text);
}

static void a_page_is_whole_even_of_nothing(void **state)
{
	const double terms_sec[] = {300, 600};

	(void)state;
	write_page(false, NULL);
	check_page();
	write_page(true, terms_sec);
	check_page();
	write_page(true, NULL);
	check_page();
}

static void a_digest_is_what_the_result_was(void **state)
{
	struct astra_digest *d = calloc(1, astra_digest_size(2));
	struct world w;

	(void)state;
	make_world(&w);
	assert_non_null(d);
	assert_int_equal(astra_contention(&w.result), 0);
	assert_int_equal(astra_digest_fill(&w.result, d), 0);
	near(d->metrics.job_loss, 2 / 3.0);
	near(d->curves[ASTRA_CURVE_JOB_RHO][0], 0.5);
	near(d->curves[ASTRA_CURVE_JOB_RHO][ASTRA_CURVE_POINTS - 1], 1);
	near(d->curves[ASTRA_CURVE_SLOWDOWN][100], 2);
	near(astra_digest_tenant_rho(d, 1), 0.5);
	near(d->slot_sec, 100);
	near(astra_digest_gpus(d, 0, 0), 2);
	near(astra_digest_gpus(d, 1, 1), 2);
	free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_are_escaped),
		cmocka_unit_test(scales_keep_to_their_ends),
		cmocka_unit_test(ticks_are_round),
		cmocka_unit_test(a_digest_is_what_the_result_was),
		cmocka_unit_test(a_page_is_whole_even_of_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
