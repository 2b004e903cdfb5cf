/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What sfair metrics prints, of a server with a made-up report. */
#include "testsuite/unit/auction_sample.h"
#include "testsuite/unit/sfair_server.h"

#define TENANTS 1500

static void numbers_are_those_of_the_plugin(void **state)
{
	static const char *const lines[] = {
		"\nastraea_up 1\n",
		"\nastraea_cluster_info{cluster=\"test\",slurm_version=\"22.05.8\"} 1\n",
		"\nastraea_rounds_total 900\n",
		"\nastraea_round_duration_seconds_count{part=\"all\"} 900\n",
		"\nastraea_round_duration_seconds_sum{part=\"all\"} 0.09\n",
		"\nastraea_round_duration_max_seconds{part=\"write_lock\"} 9e-05\n",
		"\nastraea_fault{kind=\"configuration\"} 1\n",
		"\nastraea_fault{kind=\"state\"} 0\n",
		"\nastraea_pool_gpus_free{pool=\"gpu\"} 11\n",
		"\nastraea_pool_leases_granted_total{pool=\"gpu\"} 5\n",
		"\nastraea_pool_jobs{pool=\"gpu\",phase=\"waiting\"} 9\n",
		"\nastraea_pool_job_gpus{pool=\"gpu\",phase=\"leased\"} 12\n",
		"\nastraea_tenant_allocated_gpu_seconds{pool=\"gpu\",tenant=\"bio\"} 400\n",
		"\nastraea_tenant_rho{pool=\"gpu\",tenant=\"physics\"} 0.75\n",
		"\nastraea_tenant_rho{pool=\"gpu\",tenant=\"bio\"} +Inf\n",
		"\nastraea_tenant_jobs{pool=\"gpu\",tenant=\"physics\",state=\"waiting\"} 9\n",
	};

	(void)state;
	assert_int_equal(sfair("metrics"), 0);
	for (size_t i = 0; i < ASTRA_COUNT_OF(lines); i++)
		says(lines[i]);
	lacks("job=");
	lacks("auction");
	lacks("state_saved_time"); /* there was none */
	lacks("scrapes_total");
}

static void auctions_are_counted(void **state)
{
	struct astra_report *report = sample_report();

	(void)state;
	sample_report_auction(report);
	astra_server_publish(report);
	assert_int_equal(sfair("metrics"), 0);
	says("\nastraea_pool_auctions_total{pool=\"auc\"} 7\n");
	says("\nastraea_pool_auction_bidders{pool=\"auc\"} 1\n");
	astra_server_publish(sample_report());
}

/* The family that a sample's name is of, by OpenMetrics' suffixes. */
static size_t family_size(const char *name, size_t size, const char *type)
{
	static const char *const suffixes[][2] = {
		{"counter", "_total"},
		{"info", "_info"},
		{"summary", "_count"},
		{"summary", "_sum"},
	};

	for (size_t i = 0; i < ASTRA_COUNT_OF(suffixes); i++) {
		size_t tail = strlen(suffixes[i][1]);

		if (!strcmp(type, suffixes[i][0]) && size > tail &&
		    !strncmp(name + size - tail, suffixes[i][1], tail))
			return size - tail;
	}
	assert_string_equal(type, "gauge");
	return size;
}

/* "NAME REST" of a line "# WORD NAME REST". */
static const char *described(const char *line, const char *word)
{
	size_t size = strlen(word);

	if (strncmp(line, "# ", 2) != 0 || strncmp(line + 2, word, size) != 0 ||
	    line[2 + size] != ' ')
		fail_msg("\"%s\" is not # %s", line, word);
	return line + 3 + size;
}

/* A family while its lines are read. */
struct family {
	char name[128], type[16];
	size_t families, samples;
};

/* Its help, its type, and its unit where its name has one. */
static void check_head(struct family *f, const char *line, char **rest)
{
	sscanf(described(line, "HELP"), "%127s", f->name);
	line = strtok_r(NULL, "\n", rest);
	assert_int_equal(sscanf(described(line, "TYPE"), "%*s %15s", f->type),
			 1);
	assert_false(strncmp(line + 7, f->name, strlen(f->name)));
	if (strstr(f->name, "_seconds"))
		described(strtok_r(NULL, "\n", rest), "UNIT");
	f->families++;
}

/* It is of the family, has a number, and is in the text but once. */
static void check_sample(struct family *f, char *line, const char *text)
{
	size_t name = strcspn(line, "{ ");
	char *number = strrchr(line, ' ') + 1, *end, needle[512];
	const char *found;

	assert_int_equal(family_size(line, name, f->type), strlen(f->name));
	assert_false(strncmp(line, f->name, strlen(f->name)));
	strtod(number, &end);
	assert_int_equal(*end, 0);
	*number = '\0';
	snprintf(needle, sizeof(needle), "\n%s", line);
	found = strstr(text, needle);
	assert_non_null(found);
	assert_null(strstr(found + 1, needle));
	f->samples++;
}

static void the_text_is_openmetrics(void **state)
{
	struct family f = {0};
	char *rest, *text, *line;

	(void)state;
	assert_int_equal(sfair("metrics"), 0);
	text = strdup(output);
	assert_non_null(text);
	for (line = strtok_r(output, "\n", &rest);
	     line && strcmp(line, "# EOF") != 0;
	     line = strtok_r(NULL, "\n", &rest)) {
		if (*line == '#')
			check_head(&f, line, &rest);
		else
			check_sample(&f, line, text);
	}
	assert_string_equal(text + strlen(text) - 6, "# EOF\n");
	assert_null(strtok_r(NULL, "\n", &rest));
	assert_true(f.families > 40 && f.samples > 80);
	free(text);
}

static struct astra_report_tenant a_tenant(const char *name)
{
	return (struct astra_report_tenant){
		.pool = "gpu",
		.of.name = name,
		.uid = ASTRA_REPORT_NO_UID,
		.of.listed = true,
		.of.weight = 1,
	};
}

static void labels_are_escaped(void **state)
{
	struct astra_report *report = sample_report();
	struct astra_report_tenant tenant = a_tenant("q\"b\\n\ne\xc3\xbc");

	(void)state;
	astra_report_add_tenant(report, &tenant);
	astra_server_publish(report);
	assert_int_equal(sfair("metrics"), 0);
	says("{pool=\"gpu\",tenant=\"q\\\"b\\\\n\\ne\xc3\xbc\"} 1\n");
	astra_server_publish(sample_report());
}

static void tenants_are_bounded(void **state)
{
	struct astra_report *report = sample_report();
	char name[16];

	(void)state;
	for (int i = 0; i < TENANTS; i++) {
		struct astra_report_tenant tenant = a_tenant(name);

		snprintf(name, sizeof(name), "t%d", i);
		astra_report_add_tenant(report, &tenant);
	}
	astra_server_publish(report);
	assert_int_equal(sfair("metrics | grep -c ^astraea_tenant_weight"), 0);
	assert_string_equal(output, "1000\n");
	assert_int_equal(sfair("metrics | grep left_out"), 0);
	says("\nastraea_tenants_left_out 502\n");
	astra_server_publish(sample_report());
}

static void without_the_plugin_up_is_0(void **state)
{
	(void)state;
	setenv("SFAIR_SOCKET", "/nonexistent/a.sock", 1);
	assert_int_equal(sfair("metrics"), 1);
	says("\nastraea_up 0\n");
	says("# EOF\n");
	says("sfair: error: ");
	says("slurmctld is not running on this host");
	lacks("astraea_pool");
	setenv("SFAIR_SOCKET", path, 1);
}

static void mistakes_are_one_line(void **state)
{
	static const char *const cases[][2] = {
		{"metrics gpu", "unexpected \"gpu\""},
		{"metrics --colour", "unknown option --colour"},
		{"metrics --listen", "--listen needs a value"},
		{"metrics --listen=x", "--listen=x: PORT or ADDRESS:PORT"},
		{"metrics --listen=:1", "--listen=:1: PORT or ADDRESS:PORT"},
		{"metrics --listen=65536", "--listen=65536: PORT"},
		{"metrics --listen=1 --prometheus", "--prometheus does not go"},
	};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		assert_int_equal(sfair(cases[i][0]), 1);
		says("sfair: error: ");
		says(cases[i][1]);
		assert_ptr_equal(strchr(output, '\n'),
				 output + strlen(output) - 1);
	}
}

static bool have_promtool(void)
{
	return !system("command -v promtool >/dev/null");
}

/* Its linter knows the older format only, its importer only OpenMetrics, with
 * a time at each sample. */
static void promtool_accepts_both_formats(void **state)
{
	char words[1024];

	(void)state;
	if (!have_promtool()) {
		print_message(
			"SKIP: there is no promtool: install Debian's prometheus\n");
		skip();
	}
	assert_int_equal(sfair("metrics --prometheus | promtool check metrics"),
			 0);
	assert_string_equal(output, "");
	snprintf(
		words, sizeof(words),
		"metrics | sed '/^#/!s/$/ 1700000000/' >%s/text &&"
		" promtool tsdb create-blocks-from openmetrics %s/text %s/tsdb;"
		" rc=$?; rm -r %s/text %s/tsdb; exit $rc",
		munged.folder, munged.folder, munged.folder, munged.folder,
		munged.folder);
	if (sfair(words))
		fail_msg("%s", output);
	says("NUM SAMPLES");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_those_of_the_plugin),
		cmocka_unit_test(auctions_are_counted),
		cmocka_unit_test(the_text_is_openmetrics),
		cmocka_unit_test(labels_are_escaped),
		cmocka_unit_test(tenants_are_bounded),
		cmocka_unit_test(without_the_plugin_up_is_0),
		cmocka_unit_test(mistakes_are_one_line),
		cmocka_unit_test(promtool_accepts_both_formats),
	};
	int rc;

	if (!sfair_can_be_tested())
		return 77;
	rc = cmocka_run_group_tests(tests, server_setup, server_teardown);
	test_munged_stop(&munged);
	return rc;
}
