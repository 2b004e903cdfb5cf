/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sfair web over HTTP, of a server with a made-up report. */
#include "testsuite/unit/sfair_http.h"

#define HOSTILE "<script>pwned()</script>\"'&"

static const char *every = "--interval=3600";

/* Begin with this report; taken. */
static void web_begin(struct astra_report *report)
{
	astra_server_publish(report);
	assert_int_equal(exporter_start("web", every), 0);
}

static void web_end(void)
{
	int status = exporter_stop();

	exporter.pid = 0;
	assert_int_equal(status, 0);
}

/* Of a test that failed. */
static int web_kill(void **state)
{
	(void)state;
	if (exporter.pid)
		(void)exporter_stop();
	exporter.pid = 0;
	return 0;
}

static struct astra_report *hostile_report(void)
{
	struct astra_report *report = sample_report();
	struct astra_report_job job = sample_rows[0];

	job.of.id = 66;
	job.id_text = "66";
	job.name = job.user = job.tenant = job.nodes = HOSTILE;
	astra_report_add_job(report, &job);
	job.of.id = 67;
	job.phase = ASTRA_REPORT_WAITING;
	job.reason = HOSTILE;
	astra_report_add_job(report, &job);
	return report;
}

static void every_path_and_method_has_its_answer(void **state)
{
	static const char *const cases[][2] = {
		{HTTP("GET", "/") "\r\n", "200 OK"},
		{HTTP("GET", "/?x=1") "\r\n", "200 OK"},
		{HTTP("GET", "/data.json") "\r\n", "application/json"},
		{HTTP("GET", "/metrics") "\r\n", "404 Not Found"},
		{HTTP("GET", "/../etc/passwd") "\r\n", "404 Not Found"},
		{HTTP("GET", "//data.json") "\r\n", "404 Not Found"},
		{HTTP("POST", "/") "Content-Length: 2\r\n\r\nhi",
		 "405 Method Not Allowed"},
		{HTTP("DELETE", "/data.json") "\r\n", "Allow: GET, HEAD\r\n"},
		{HTTP("GET", "/") "Host: evil.example\r\n\r\n",
		 "421 Misdirected Request"},
		{HTTP("GET", "/data.json") "Host: evil.example\r\n\r\n",
		 "see --name"},
		{HTTP("GET", "/") "Host: [::1]:80\r\n\r\n", "200 OK"},
		{"nonsense\r\n\r\n", ""},
		{"GET / HTTP/9.9\r\n\r\n", ""},
	};

	(void)state;
	web_begin(sample_report());
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		http(cases[i][0]);
		says(cases[i][1]);
	}
	http(HTTP("HEAD", "/") "\r\n");
	says("200 OK");
	assert_string_equal(output + strlen(output) - 4, "\r\n\r\n");
	web_end();
}

static void the_page_has_the_state(void **state)
{
	(void)state;
	web_begin(sample_report());
	http(HTTP("GET", "/") "\r\n");
	says("<h1>GPUs of test</h1>");
	says("aria-label=\"8 GPUs: 4 physics, 4 free\"");
	says("<em>drained</em>");
	says("<th scope=\"row\">10<td class=\"text\">train<td "
	     "class=\"text\">alice");
	says("rank 3 of 17");
	says("X-Content-Type-Options: nosniff\r\n");
	says("Content-Security-Policy: frame-ancestors 'none'\r\n");
	says("X-Frame-Options: DENY\r\n");
	says("default-src 'none'");
	says("<noscript><meta http-equiv=\"refresh\"");
	lacks("Lease=x"); /* of diag */
	http(HTTP("GET", "/data.json") "\r\n");
	says("{\"answers\":true,\"silent_since_sec\":null,"
	     "\"interval_sec\":3600.0,\"live\":{\"cluster\":\"test\"");
	says("\"past\":[]}");
	lacks("Lease=x");
	web_end();
}

static void a_portal_may_frame_it(void **state)
{
	(void)state;
	every = "--frame=https://portal.example:8443";
	web_begin(sample_report());
	every = "--interval=3600";
	http(HTTP("GET", "/") "\r\n");
	says("Content-Security-Policy: frame-ancestors "
	     "https://portal.example:8443\r\n");
	lacks("frame-ancestors 'none'");
	lacks("X-Frame-Options");
	web_end();
	assert_int_not_equal(
		exporter_start("web",
			       "--frame=https://a.example; script-src *"),
		0);
	exporter.pid = 0;
}

/* GPUs that are being collected stay with their jobs until there are enough. */
static void a_lease_that_is_over_is_not_shown_as_one(void **state)
{
	static const char words[] = "is over: its GPUs are collected";
	struct astra_report *report = sample_report();
	struct astra_report_job job = sample_rows[0];

	(void)state;
	web_begin(sample_report());
	http(HTTP("GET", "/") "\r\n");
	says("has its lease");
	lacks(words);
	web_end();
	job.of.id = 68;
	job.id_text = "68";
	job.of.lease_end_sec = SAMPLE_NOW - 3;
	astra_report_add_job(report, &job);
	web_begin(report);
	http(HTTP("GET", "/") "\r\n");
	says(words);
	web_end();
}

static void a_job_without_a_lease_runs_until_it_ends(void **state)
{
	struct astra_report *report = sample_report();
	struct astra_report_job job = sample_rows[0];

	(void)state;
	job.of.id = 69;
	job.id_text = "69";
	job.of.revocable = false;
	job.of.lease_end_sec = 0;
	job.pinned = ASTRA_PINNED_BY_BEGIN;
	astra_report_add_job(report, &job);
	web_begin(report);
	http(HTTP("GET", "/") "\r\n");
	says("runs until it ends (its run began without leases)");
	web_end();
}

static void names_are_text(void **state)
{
	(void)state;
	web_begin(hostile_report());
	http(HTTP("GET", "/") "\r\n");
	says("&lt;script&gt;pwned()&lt;/script&gt;&quot;&#39;&amp;");
	lacks("<script>pwned");
	lacks("</script>\"");
	web_end();
}

static void what_privatedata_hides_is_not_there(void **state)
{
	struct astra_report *report = sample_report();

	(void)state;
	report->privacy.jobs = report->privacy.usage = true;
	web_begin(report);
	for (int i = 0; i < 2; i++) {
		http(i ? HTTP("GET", "/data.json") "\r\n"
		       : HTTP("GET", "/") "\r\n");
		says("200 OK");
		says("n1"); /* nodes may be seen */
		lacks("alice");
		lacks("physics");
		lacks("train");
		lacks("sweep");
	}
	web_end();
	report = sample_report();
	report->privacy.nodes = true;
	web_begin(report);
	http(HTTP("GET", "/") "\r\n");
	says("No nodes are shown");
	lacks("<em>drained");
	says("8 down or drained");
	web_end();
}

static void who_has_it_gets_no_copy(void **state)
{
	char request[512], *tag;

	(void)state;
	web_begin(sample_report());
	http(HTTP("GET", "/") "\r\n");
	tag = strstr(output, "ETag: ");
	assert_non_null(tag);
	tag[strcspn(tag, "\r")] = '\0';
	snprintf(request, sizeof(request),
		 HTTP("GET", "/") "If-None-Match: %s\r\n\r\n", tag + 6);
	http(request);
	says("304 Not Modified");
	lacks("<html");
	http(HTTP("GET", "/") "If-None-Match: W/\"other\"\r\n\r\n");
	says("200 OK");
	http(HTTP("GET", "/") "Accept-Encoding: br, gzip\r\n\r\n");
	says("Content-Encoding: gzip\r\n");
	lacks("<html");
	web_end();
}

/* From its first reply on, and before it. */
static void a_silent_plugin_is_told_of(void **state)
{
	(void)state;
	web_begin(NULL); /* as slurmctld, before its first round */
	http(HTTP("GET", "/") "\r\n");
	says("503 Service Unavailable");
	says("Retry-After: ");
	says("does not answer</b>");
	says("no state is known yet");
	http(HTTP("GET", "/data.json") "\r\n");
	says("503 Service Unavailable");
	says("\"answers\":false");
	says("\"live\":null");
	web_end();
	every = "--interval=1";
	web_begin(sample_report());
	every = "--interval=3600";
	http(HTTP("GET", "/") "\r\n");
	says("200 OK");
	astra_server_publish(NULL);
	for (int i = 0; i < 150 && !strstr(output, "503 "); i++) {
		usleep(100000);
		http(HTTP("GET", "/") "\r\n");
	}
	says("503 Service Unavailable");
	says("What stands below is of ");
	says("rank 3 of 17");
	astra_server_publish(sample_report());
	for (int i = 0; i < 150 && !strstr(output, "200 OK"); i++) {
		usleep(100000);
		http(HTTP("GET", "/") "\r\n");
	}
	says("200 OK");
	web_end();
}

/* Its idea of what is too many is 250 of one host. */
static void a_crowd_is_answered_and_a_larger_one_bounded(void **state)
{
	static const char request[] = HTTP("GET", "/") "\r\n";
	int fds[300], open = 0;
	char byte;

	(void)state;
	web_begin(sample_report());
	for (int i = 0; i < 300; i++)
		fds[i] = http_connect();
	for (int i = 0; i < 300; i++)
		(void)send(fds[i], request, strlen(request), MSG_NOSIGNAL);
	for (int i = 0; i < 300; i++) {
		open += read(fds[i], &byte, 1) == 1;
		close(fds[i]);
	}
	assert_true(open >= 200);
	http(request);
	says("200 OK");
	web_end();
}

static void what_contradicts_is_refused(void **state)
{
	static const char *const cases[][2] = {
		{"web --listen=0.0.0.0:0", "is open to other hosts"},
		{"web --listen=0", "is open to other hosts"},
		{"web --listen=[::]:0", "--allow=10.0.0.0/8"},
		{"web --listen=x", "PORT or ADDRESS:PORT"},
		{"web --listen=127.0.0.1:99999", "from 0 to 65535"},
		{"web --listen=example.org:1", "the address is no number"},
		{"web --allow=10.0.0.1/8", "no bits set behind"},
		{"web --allow=", "is no address or network"},
		{"web --interval=0", "--interval"},
		{"web --interval=x", "--interval"},
		{"web --name=", "names of 1 to"},
		{"web please", "please"},
	};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		assert_int_equal(sfair(cases[i][0]), 1);
		says("sfair: error: ");
		says(cases[i][1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(a_portal_may_frame_it, web_kill),
		cmocka_unit_test_teardown(every_path_and_method_has_its_answer,
					  web_kill),
		cmocka_unit_test_teardown(the_page_has_the_state, web_kill),
		cmocka_unit_test_teardown(
			a_lease_that_is_over_is_not_shown_as_one, web_kill),
		cmocka_unit_test_teardown(
			a_job_without_a_lease_runs_until_it_ends, web_kill),
		cmocka_unit_test_teardown(names_are_text, web_kill),
		cmocka_unit_test_teardown(what_privatedata_hides_is_not_there,
					  web_kill),
		cmocka_unit_test_teardown(who_has_it_gets_no_copy, web_kill),
		cmocka_unit_test_teardown(a_silent_plugin_is_told_of, web_kill),
		cmocka_unit_test_teardown(
			a_crowd_is_answered_and_a_larger_one_bounded, web_kill),
		cmocka_unit_test_teardown(what_contradicts_is_refused,
					  web_kill),
	};
	int rc;

	if (!sfair_can_be_tested())
		return 77;
	rc = server_setup(NULL) < 0 ? 1 : exporter_start("web", every);
	if (!rc)
		rc = exporter_stop();
	exporter.pid = 0;
	if (!rc)
		rc = cmocka_run_group_tests(tests, NULL, NULL);
	server_teardown(NULL);
	test_munged_stop(&munged);
	return rc;
}
