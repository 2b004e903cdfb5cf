/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports from a made-up history. */
#include <jansson.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "src/history/past.h"
#include "src/history/read.h"
#include "src/proto/answer.h"
#include "testsuite/unit/history_sample.h"

static char path[] = "/tmp/astraea-history.XXXXXX";

static const struct astra_viewer root = {.all = true,
					 .now_sec = SAMPLE_DAY + 100000};
static const struct astra_viewer alice = {.uid = 1001,
					  .now_sec = SAMPLE_DAY + 100000};
static char *coordinated[] = {"bio"};
static const struct astra_names accounts = {.names = coordinated, .count = 1};
static const struct astra_viewer bios = {
	.uid = 1009, .accounts = &accounts, .now_sec = SAMPLE_DAY + 100000};
static struct astra_report live;

/* The members of the reply, or NULL with err set. */
static json_t *ask(const struct astra_viewer *viewer, const char *members,
		   struct astra_error *err)
{
	struct astra_text out = {0};
	struct astra_query query;
	enum astra_fault fault;
	json_t *reply = NULL;
	char text[1024];

	snprintf(text, sizeof(text),
		 "{\"astraea\":1,\"request\":\"report\",%s}", members);
	*err = (struct astra_error){""};
	if (astra_query_decode(text, strlen(text), &query, err))
		fail_msg("%s: %s", text, err->text);
	astra_text_printf(&out, "{\"x\":0");
	fault = astra_history_report(&query, viewer, &live, &out, err);
	astra_text_add(&out, "}", 1);
	astra_query_destroy(&query);
	if (!fault)
		reply = json_loads(out.bytes, 0, NULL);
	if (!fault && !reply)
		fail_msg("no JSON: %s", out.bytes);
	astra_text_clear(&out);
	return reply;
}

/* The rows' members, one row a line, without their keys. */
static const char *rows(const struct astra_viewer *viewer, const char *members)
{
	static char text[65536];
	struct astra_error err;
	json_t *reply = ask(viewer, members, &err), *row, *value;
	const char *key;
	size_t i;

	if (!reply) {
		snprintf(text, sizeof(text), "error: %s", err.text);
		return text;
	}
	*text = '\0';
	json_array_foreach(json_object_get(reply, "rows"), i, row)
	{
		size_t used = strlen(text);

		json_object_foreach(row, key, value)
		{
			char *word = json_dumps(value,
						JSON_ENCODE_ANY |
							JSON_REAL_PRECISION(6));

			used = strlen(text);
			snprintf(text + used, sizeof(text) - used, "%s ", word);
			free(word);
		}
		used = strlen(text);
		text[used - 1] = '\n';
	}
	json_decref(reply);
	return text;
}

#define WINDOW(report, start, end) \
	"\"report\":\"" report "\",\"start_sec\":" #start ",\"end_sec\":" #end
/* The first day; two hours and ten minutes of it. */
#define DAY(report) WINDOW(report, 1699920000, 1700006400)
#define HOURS(report) WINDOW(report, 1699920000, 1699927800)

static void expect(const char *members, const char *wanted)
{
	const char *got = rows(&root, members);

	if (strcmp(got, wanted) != 0)
		fail_msg("%s:\n%snot\n%s", members, got, wanted);
}

static void sums_are_the_same_by_days_hours_and_minutes(void **state)
{
	(void)state;
	expect(DAY("cluster utilization"),
	       "\"gpu\" 345600 273600 0 72000 72000 0 86400\n");
	expect(HOURS("cluster utilization"),
	       "\"gpu\" 31200 25200 0 6000 6000 0 7800\n");
	expect(HOURS("tenant usage"),
	       "\"gpu\" \"bio\" \"bio\" \"bob\" 7800 7800 0 31200\n"
	       "\"gpu\" \"physics\" \"optics\" \"carol\" 1800 0 3 31200\n"
	       "\"gpu\" \"physics\" \"physics\" \"alice\" 15600 0 0 31200\n");
	/* carol's ten minutes, of which one is asked for, but for a second */
	expect(WINDOW("user top", 1699923660,
		      1699923719) ",\"users\":[\"1003\"]",
	       "\"carol\" \"optics\" \"physics\" \"gpu\" 60 240\n");
}

static void tenants_are_told_what_they_lacked(void **state)
{
	(void)state;
	expect(HOURS("tenant fairness"),
	       "\"gpu\" \"bio\" 1 7800 15600 0.5 7800 15600 31200\n"
	       "\"gpu\" \"physics\" 2 17400 15600 1.11538 0 23400 31200\n");
}

static size_t count(const struct astra_viewer *viewer, const char *members)
{
	struct astra_error err;
	json_t *reply = ask(viewer, members, &err);
	size_t n;

	if (!reply)
		fail_msg("%s", err.text);
	n = json_array_size(json_object_get(reply, "rows"));
	json_decref(reply);
	return n;
}

static void a_series_has_a_row_for_each_step(void **state)
{
	(void)state;
	assert_int_equal(count(&root, DAY("cluster rounds")), 24);
	assert_int_equal(count(&root, HOURS("cluster rounds")), 130);
	assert_int_equal(count(&root, DAY("tenant timeline")), 48);
	assert_int_equal(count(&root, WINDOW("cluster fairness", 1690000000,
					     1700092800)),
			 2);
	expect(WINDOW("cluster fairness", 1699920000, 1699920060),
	       "1699920000 \"gpu\" 2 240 240 60 0.25 0.5 1.5 3 1 240\n");
	expect(WINDOW("tenant timeline", 1699920000, 1699920060),
	       "1699920000 \"gpu\" \"bio\" 60 120 0.5 120 60 240\n"
	       "1699920000 \"gpu\" \"physics\" 180 120 1.5 180 180 240\n");
	expect(WINDOW("cluster rounds", 1699920000, 1699920060),
	       "1699920000 \"gpu\" 6 100 200 1 2 0 0 0 null null\n");
	expect(WINDOW("tenant ledger", 1699920000, 1699920120),
	       "1699920000 \"gpu\" \"bio\" null 2 2\n"
	       "1699920000 \"gpu\" \"physics\" 3 null -3\n"
	       "1699920060 \"gpu\" \"bio\" null 2 4\n"
	       "1699920060 \"gpu\" \"physics\" 3 null -6\n");
}

static void users_are_sorted_by_what_they_used(void **state)
{
	(void)state;
	expect(HOURS("user top") ",\"top\":2",
	       "\"alice\" \"physics\" \"physics\" \"gpu\" 15600 31200\n"
	       "\"bob\" \"bio\" \"bio\" \"gpu\" 7800 31200\n");
	expect(HOURS("user fairness") ",\"top\":1",
	       "\"carol\" \"optics\" \"physics\" \"gpu\" 1800 1800 7800 0.230769 0 31200\n");
}

#define JOBS(report) WINDOW(report, 1699920000, 1699930000)

static void jobs_are_told_with_their_leases(void **state)
{
	(void)state;
	expect(WINDOW("job fairness", 1699920000, 1699925000),
	       "\"10\" 10 \"alice\" \"physics\" \"physics\" \"gpu\" \"train\" 2 1699920000 1699920060 null \"RUNNING\" 7200 3600 2 2 1 5\n"
	       "\"20_3\" 21 \"bob\" \"bio\" \"bio\" \"gpu\" \"eval\" 1 1699920000 1699920300 1699923900 \"COMPLETED\" 1800 3600 0.5 3 2 30\n");
	expect(WINDOW("job leases", 1699920900, 1699920960),
	       "\"10\" 10 \"alice\" \"physics\" \"gpu\" 1 1699920060 1699920960 2 \"n1\" \"renewed\"\n"
	       "\"20_3\" 21 \"bob\" \"bio\" \"gpu\" 1 1699920300 1699921200 1 \"n2\" \"revoked\"\n");
	expect(WINDOW("job slowdown", 1699920000, 1699930001) ",\"top\":1",
	       "\"20_3\" 21 \"bob\" \"bio\" \"gpu\" 1 1699920000 1699920300 1699923900 300 1800 3900 2.16667 \"COMPLETED\"\n");
	/* Nobody wrote down what job 20 asks for; job 30 was held. */
	expect(WINDOW("job requests", 1699920000, 1699930001),
	       "\"10\" 10 \"alice\" \"physics\" \"physics\" \"gpu\" 2 2 3600 1 1 1699920000 1699920000 1699920060 null 3600 \"RUNNING\" 1699920030\n"
	       "\"20_3\" 21 \"bob\" \"bio\" \"bio\" \"gpu\" 1 null null null null 1699920000 1699920000 1699920300 1699923900 1800 \"COMPLETED\" 1699920030\n"
	       "\"30\" 30 \"carol\" \"optics\" \"physics\" \"gpu\" 4 0 0 0 0 1699930000 1699930500 null null 0 \"PENDING\" 1699920030\n");
	assert_int_equal(count(&root, JOBS("job fairness") ",\"jobs\":[20]"),
			 1);
	assert_int_equal(count(&root, JOBS("job fairness") ",\"jobs\":[21,10]"),
			 2);
	assert_int_equal(
		count(&root, JOBS("job fairness") ",\"jobs\":[\"20_3\"]"), 1);
	assert_int_equal(
		count(&root, JOBS("job leases") ",\"jobs\":[\"20_3\",10]"), 3);
	/* not yet */
	assert_int_equal(count(&root, WINDOW("job fairness", 253370764800,
					     253370768400)),
			 0);
	/* after its end, before its submission */
	assert_int_equal(
		count(&root, WINDOW("job fairness", 1699924000, 1699929000)),
		1);
}

struct past {
	char text[512];
	int left; /* jobs that are taken */
};

static int take_past(void *arg, const struct astra_history_past_job *job)
{
	struct past *p = arg;
	size_t used = strlen(p->text);

	snprintf(p->text + used, sizeof(p->text) - used,
		 "%s/%s %.0f %.0f %u %s %u %.0f\n", job->tenant, job->user,
		 job->submit_sec, job->ran_sec, job->gpus,
		 job->ended ? "ended" : "runs", job->revoked, job->lost_sec);
	return p->left-- > 0 ? 0 : -1;
}

static void the_last_days_jobs_are_those_that_ran(void **state)
{
	static const struct {
		const char *pool;
		double since_sec;
		size_t most;
		const char *wanted;
	} cases[] = {
		{"gpu", 1699920000, 9,
		 "bio/bob 1699920000 1800 1 ended 2 30\n"
		 "physics/alice 1699920000 3600 2 runs 1 5\n"},
		{"gpu", 1699920000, 1,
		 "bio/bob 1699920000 1800 1 ended 2 30\n"},
		{"gpu", 1699920001, 9, ""},
		{"cpu", 0, 9, ""},
	};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		struct past p = {.left = 9};
		struct astra_error err = {""};
		const struct astra_history_past past = {
			cases[i].pool, cases[i].since_sec, cases[i].most,
			take_past, &p};

		if (astra_history_past(&past, &err) < 0)
			fail_msg("%s", err.text);
		assert_string_equal(p.text, cases[i].wanted);
	}
}

static void the_last_days_jobs_may_not_be_had(void **state)
{
	struct past p = {.left = 0};
	struct astra_error err = {""};
	const struct astra_history_past past = {"gpu", 0, 9, take_past, &p};

	(void)state;
	assert_int_equal(astra_history_past(&past, &err), -1);
	assert_non_null(strstr(err.text, "memory"));
}

static void refuse(const struct astra_viewer *viewer, const char *members,
		   const char *wanted)
{
	const char *got = rows(viewer, members);

	if (!strstr(got, wanted) || strncmp(got, "error: ", 7) != 0)
		fail_msg("%s: %s, not %s", members, got, wanted);
}

static void unknown_names_are_told_with_those_known(void **state)
{
	(void)state;
	refuse(&root, HOURS("tenant usage") ",\"accounts\":[\"bio\",\"x\"]",
	       "unknown account x: in this time there were physics, bio, optics");
	refuse(&root, HOURS("tenant usage") ",\"users\":[\"eve\"]",
	       "unknown user eve: in this time there were alice, bob, carol");
	refuse(&root, HOURS("tenant usage") ",\"pools\":[\"cpu\"]",
	       "unknown pool cpu: in this time there were gpu");
	refuse(&root,
	       WINDOW("tenant usage", 1600000000,
		      1600086400) ",\"users\":[\"alice\"]",
	       "unknown user alice: in this time there was none");
	refuse(&root, JOBS("job leases") ",\"jobs\":[10,99]", "job 99: ");
	refuse(&root, JOBS("job leases") ",\"jobs\":[\"20_4\"]", "job 20_4: ");
}

static void a_job_without_an_account_has_no_name(void **state)
{
	sqlite3 *db;

	(void)state;
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	sample_run(db, "INSERT INTO owner VALUES(4,1,'','',0);"
		       "INSERT INTO owner_time"
		       " VALUES(2,1699920000,4,0,0,0,0,0,0,0)");
	refuse(&root, DAY("tenant usage") ",\"accounts\":[\"x\"]",
	       "there were physics, bio, optics");
	assert_string_equal(
		rows(&root, DAY("tenant usage") ",\"users\":[\"x\"]"),
		"error: unknown user x: in this time there were alice, bob, "
		"carol");
	sample_run(db, "DELETE FROM owner WHERE id=4;"
		       "DELETE FROM owner_time WHERE owner=4");
	sqlite3_close(db);
}

static void private_data_is_hidden_from_users(void **state)
{
	(void)state;
	assert_int_equal(count(&alice, DAY("tenant usage")), 3);
	live.privacy.usage = true;
	assert_int_equal(count(&alice, DAY("tenant usage")), 1);
	assert_int_equal(count(&alice, DAY("user top")), 1);
	assert_int_equal(count(&alice, DAY("tenant fairness")), 1);
	assert_int_equal(count(&alice, DAY("tenant timeline")), 24);
	assert_int_equal(count(&root, DAY("tenant fairness")), 2);
	assert_non_null(strstr(
		rows(&alice, DAY("job fairness")),
		"\"bob\" \"bio\" \"bio\" \"gpu\" \"eval\" 1 1699920000 1699920300 1699923900 \"COMPLETED\" null null null"));
	assert_non_null(
		strstr(rows(&alice, DAY("cluster fairness")), " null null "));
	refuse(&alice, DAY("tenant usage") ",\"users\":[\"bob\"]",
	       "unknown user bob: in this time there were alice");
	refuse(&alice, DAY("tenant usage") ",\"accounts\":[\"bio\"]",
	       "unknown account bio: in this time there were physics");
	assert_int_equal(count(&bios, DAY("tenant usage")), 1);
	assert_int_equal(count(&bios, DAY("tenant fairness")), 1);
	live.privacy = (struct astra_report_privacy){.jobs = true};
	assert_int_equal(count(&bios, DAY("job leases")), 1);
	assert_int_equal(count(&alice, DAY("job slowdown")), 1);
	assert_int_equal(count(&alice, DAY("job leases")), 2);
	refuse(&alice, DAY("job leases") ",\"jobs\":[\"20_3\"]", "job 20_3: ");
	live.privacy = (struct astra_report_privacy){0};
}

/* As a file of an earlier version has it, which counted runs where it did not
 * count the pool; and one that had GPUs of a node that was counted as down. */
static void a_pool_is_never_used_by_more_than_all(void **state)
{
	sqlite3 *db;

	(void)state;
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	sample_run(db,
		   "INSERT INTO pool VALUES(8,'more'),(9,'down');"
		   "INSERT INTO pool_time VALUES"
		   "(2,1699920000,8,60,865,1011,0,-146,90,0,0,0,0,0,0,0,0,0)"
		   ",(2,1699920000,9,60,480,40,480,-40,0,0,0,0,0,0,0,0,0,0)");
	expect(DAY("cluster utilization") ",\"pools\":[\"more\"]",
	       "\"more\" 865 865 0 0 0 0 60\n");
	expect(DAY("cluster utilization") ",\"pools\":[\"down\"]",
	       "\"down\" 480 40 440 0 0 0 60\n");
	sample_run(db, "DELETE FROM pool_time WHERE pool>7;"
		       "DELETE FROM pool WHERE id>7");
	sqlite3_close(db);
}

static void a_new_file_is_opened(void **state)
{
	char other[] = "/tmp/astraea-history.XXXXXX";
	struct past none = {.left = 0};
	const struct astra_history_past past = {"gpu", 0, 9, take_past, &none};
	struct astra_error err = {""};
	int fd = mkstemp(other);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	sample_history(other, 1);
	assert_int_equal(rename(other, path), 0);
	expect(DAY("cluster utilization"), "\"gpu\" 240 240 0 0 0 0 60\n");
	unlink(path);
	refuse(&root, DAY("cluster utilization"), "no history yet");
	assert_int_equal(astra_history_past(&past, &err), -1);
	assert_string_equal(err.text, "there is no history yet");
	astra_history_read_from(NULL);
	refuse(&root, DAY("cluster utilization"), "History=no");
	assert_int_equal(astra_history_past(&past, &err), -1);
	assert_string_equal(err.text, "no history is kept");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_are_the_same_by_days_hours_and_minutes),
		cmocka_unit_test(tenants_are_told_what_they_lacked),
		cmocka_unit_test(a_series_has_a_row_for_each_step),
		cmocka_unit_test(users_are_sorted_by_what_they_used),
		cmocka_unit_test(jobs_are_told_with_their_leases),
		cmocka_unit_test(unknown_names_are_told_with_those_known),
		cmocka_unit_test(a_job_without_an_account_has_no_name),
		cmocka_unit_test(private_data_is_hidden_from_users),
		cmocka_unit_test(a_pool_is_never_used_by_more_than_all),
		cmocka_unit_test(the_last_days_jobs_are_those_that_ran),
		cmocka_unit_test(the_last_days_jobs_may_not_be_had),
		cmocka_unit_test(a_new_file_is_opened),
	};
	int rc, fd = mkstemp(path);

	if (fd < 0)
		return 1;
	close(fd);
	setenv("TZ", "UTC", 1);
	tzset();
	sample_history(path, 2 * 24 * 60);
	astra_history_read_from(path);
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	astra_history_read_stop();
	astra_history_read_from(NULL);
	unlink(path);
	return rc;
}
