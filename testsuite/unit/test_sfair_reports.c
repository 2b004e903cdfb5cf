/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What sfair's reports print, of a server with a made-up history. */
#include <time.h>

#include "src/history/read.h"
#include "src/proto/query.h"
#include "testsuite/unit/history_sample.h"
#include "testsuite/unit/sfair_server.h"

#define WINDOW " start=2023-11-14T00:00 end=2023-11-14T02:10 "

static char file[] = "/tmp/astraea-history.XXXXXX";

static void run(const char *words)
{
	if (sfair(words) != 0)
		fail_msg("sfair %s: %s", words, output);
}

static void is(const char *words, const char *wanted)
{
	run(words);
	if (strcmp(output, wanted) != 0)
		fail_msg("sfair %s:\n%snot\n%s", words, output, wanted);
}

static void a_report_looks_like_sreports(void **state)
{
	(void)state;
	is("tenant Usage" WINDOW,
	   "--------------------------------------------------------------------------------\n"
	   "Tenant Usage 2023-11-14T00:00:00 - 2023-11-14T02:09:59 (7800 secs)\n"
	   "Usage reported in GPU Minutes\n"
	   "--------------------------------------------------------------------------------\n"
	   "Pool Tenant  Account User   Used Waited Starts\n"
	   "---- ------- ------- ----- ----- ------ ------\n"
	   "gpu  bio     bio     bob   130.0  130.0      0\n"
	   "gpu  physics optics  carol  30.0    0.0      3\n"
	   "gpu  physics physics alice 260.0    0.0      0\n");
	is("tenant usage tree -nP format=tenant,account,user,used" WINDOW,
	   "bio|||130.0\n"
	   "bio| bio||130.0\n"
	   "bio| bio|  bob|130.0\n"
	   "physics|||290.0\n"
	   "physics| optics||30.0\n"
	   "physics| optics|  carol|30.0\n"
	   "physics| physics||260.0\n"
	   "physics| physics|  alice|260.0\n");
}

static void words_options_and_shortened_names_mean_the_same(void **state)
{
	static const char *const all[] = {
		"user Top -nP format=user,used topcount=1" WINDOW,
		"user top -nP -o user,used --topcount=1 --start=2023-11-14 --end=2023-11-14T02:10:00",
		"user TO -nP FORMAT=User,USED TopCount=1" WINDOW,
		"user -nP t -o user,used topcount=1" WINDOW,
	};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(all); i++)
		is(all[i], "alice|260.0\n");
	is("job -nP -o jobid,slowdown Slow jobs=20_3" WINDOW, "20_3|2.167\n");
	is("tenant fair -nP account=bio -o tenant,rho" WINDOW, "bio|0.500\n");
}

static void gpu_time_has_any_unit(void **state)
{
	static const struct {
		const char *unit, *used;
	} cases[] = {
		{"Seconds", "15600.0"},
		{"min", "260.0"},
		{"HOURS", "4.3"},
		{"Percent", "50.00%"},
		{"SecPer", "15600.0(50.00%)"},
		{"minper", "260.0(50.00%)"},
		{"HourPer", "4.3(50.00%)"},
	};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		char words[256], line[64];

		snprintf(words, sizeof(words),
			 "user top -nP topcount=1 -o used -t %s" WINDOW,
			 cases[i].unit);
		snprintf(line, sizeof(line), "%s\n", cases[i].used);
		is(words, line);
	}
	run("cluster util -t percent" WINDOW);
	says("Usage reported in Percentage of Total\n");
}

static void every_report_prints(void **state)
{
	(void)state;
	for (int i = 0; i < ASTRA_REPORT_KINDS; i++) {
		char words[256];

		snprintf(words, sizeof(words), "%s" WINDOW,
			 astra_report_row((enum astra_report_kind)i)->name);
		run(words);
		says("2023-11-14T00:00:00 - 2023-11-14T02:09:59");
		lacks("N/A N/A N/A");
		snprintf(words, sizeof(words), "%s --json" WINDOW,
			 astra_report_row((enum astra_report_kind)i)->name);
		run(words);
		says("\"rows\": [");
		says(astra_report_row((enum astra_report_kind)i)->name);
	}
	run("tenant -nP -o tenant"); /* the live view */
	says("physics\n");
	run("tenant Usage -nP"); /* yesterday: nothing */
	is("tenant Usage -nP", "");
}

static void a_wrong_word_is_named_with_those_allowed(void **state)
{
	static const struct {
		const char *words, *text;
	} cases[] = {
		{"cluster",
		 "which report? sfair cluster has utilization, fairness, rounds"},
		{"user start=now",
		 "which report? sfair user has top, fairness"},
		{"tenant Use1",
		 "unknown report \"Use1\": sfair tenant has fairness, usage, timeline, ledger"},
		{"tenant usage top", "unexpected \"top\""},
		{"tenant usage begin=now",
		 "unknown \"begin=now\": allowed are start=,"},
		{"tenant usage format=Us", "unknown field \"Us\""},
		{"tenant usage start=soon",
		 "start=soon: is no time; allowed: HH:MM"},
		{"tenant usage start=2023-01-02 end=2023-01-01",
		 "is not after"},
		{"tenant usage accounts=x" WINDOW,
		 "unknown account x: in this time there were physics, bio, optics"},
		{"tenant usage users=x" WINDOW,
		 "unknown user x: in this time there were alice, bob, carol"},
		{"tenant usage topcount=3", "topcount= goes with user Top"},
		{"user top topcount=0",
		 "topcount=0: a whole number from 1 to 10000"},
		{"user top tree", "tree goes with tenant Usage"},
		{"user top jobs=3", "jobs= goes with sfair job only"},
		{"cluster rounds users=alice",
		 "users= does not go with cluster rounds"},
		{"user top -t Days", "--time=Days: allowed: Seconds, Minutes"},
		{"job fair -t Percent", "--time: a job's GPU time is no part"},
		{"user top -T cpu", "--tres=cpu: allowed: gres/gpu"},
		{"user top -a", "--all_clusters: a history is one cluster's"},
		{"user top -x", "unknown option -x"},
		{"job leases jobs=99" WINDOW, "job 99: the history has none"},
		{"job leases jobs=x", "\"x\" is no job"},
	};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		if (sfair(cases[i].words) != 1)
			fail_msg("sfair %s: %s", cases[i].words, output);
		says("sfair: error: ");
		says(cases[i].text);
		if (strchr(output, '\n') != output + strlen(output) - 1)
			fail_msg("sfair %s: more than a line: %s",
				 cases[i].words, output);
	}
}

static void help_tells_reports_and_fields(void **state)
{
	(void)state;
	run("tenant --help");
	says("  Timeline ");
	says("Without a REPORT: how it is now");
	run("user -h");
	says("  Top ");
	lacks("Without a REPORT");
	run("job Leases --helpformat");
	says("  Lease ");
	lacks("Slowdown");
	run("cluster --helpformat");
	says("cluster Rounds:");
	run("cluster -V");
	says("sfair ");
}

static void without_rows_it_says_of_which_time(void **state)
{
	(void)state;
	run("tenant Usage");
	says("there is nothing of this time; without start= it is yesterday");
	run("tenant Usage -Q");
	lacks("nothing of this time");
	run("tenant Usage" WINDOW);
	lacks("nothing of this time");
}

static void without_history_it_says_so(void **state)
{
	(void)state;
	astra_history_read_from(NULL);
	assert_int_equal(sfair("tenant Usage"), 1);
	says("history is off (History=no in astraea.conf)");
	astra_history_read_from(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_report_looks_like_sreports),
		cmocka_unit_test(
			words_options_and_shortened_names_mean_the_same),
		cmocka_unit_test(gpu_time_has_any_unit),
		cmocka_unit_test(every_report_prints),
		cmocka_unit_test(a_wrong_word_is_named_with_those_allowed),
		cmocka_unit_test(help_tells_reports_and_fields),
		cmocka_unit_test(without_rows_it_says_of_which_time),
		cmocka_unit_test(without_history_it_says_so),
	};
	int rc, fd;

	if (!sfair_can_be_tested())
		return 77;
	fd = mkstemp(file);
	if (fd < 0)
		return 1;
	close(fd);
	setenv("TZ", "UTC", 1);
	tzset();
	sample_history(file, 150);
	astra_history_read_from(file);
	server_history = astra_history_report;
	rc = cmocka_run_group_tests(tests, server_setup, server_teardown);
	astra_history_read_stop();
	test_munged_stop(&munged);
	unlink(file);
	return rc;
}
