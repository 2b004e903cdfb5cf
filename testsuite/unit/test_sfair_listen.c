/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sfair metrics --listen over HTTP, of a server with a made-up report. */
#include <time.h>

#include "testsuite/unit/sfair_http.h"

static void every_path_and_method_has_its_answer(void **state)
{
	static const char *const cases[][2] = {
		{HTTP("GET", "/metrics") "\r\n", "200 OK"},
		{HTTP("GET", "/metrics?x=1") "\r\n", "200 OK"},
		{HTTP("GET", "/") "\r\n", "<a href=\"/metrics\">"},
		{HTTP("GET", "/metrics/") "\r\n", "404 Not Found"},
		{HTTP("GET", "/../etc/passwd") "\r\n", "404 Not Found"},
		{HTTP("POST", "/x") "\r\n", "404 Not Found"},
		{HTTP("POST", "/metrics") "Content-Length: 2\r\n\r\nhi",
		 "405 Method Not Allowed"},
		{HTTP("DELETE", "/") "\r\n", "Allow: GET, HEAD\r\n"},
		{"nonsense\r\n\r\n", ""},
	};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		http(cases[i][0]);
		says(cases[i][1]);
	}
	http(HTTP("HEAD", "/metrics") "\r\n");
	says("200 OK");
	assert_string_equal(output + strlen(output) - 4, "\r\n\r\n");
}

static void the_scraper_chooses_the_format(void **state)
{
	(void)state;
	http(HTTP("GET", "/metrics") "\r\n");
	says("Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n");
	says("\n# TYPE astraea_rounds_total counter\n");
	lacks("# EOF");
	http(HTTP("GET", "/metrics") "Accept: text/plain;q=0.5, "
				     "application/openmetrics-text\r\n\r\n");
	says("Content-Type: application/openmetrics-text; version=1.0.0");
	says("\n# TYPE astraea_rounds counter\n");
	says("# EOF\n");
}

static uint64_t scrapes(void)
{
	static const char name[] = "\nastraea_scrapes_total ";

	http(HTTP("GET", "/metrics") "\r\n");
	says(name);
	return strtoull(strstr(output, name) + sizeof(name) - 1, NULL, 10);
}

/* However slow the machine is. */
static void the_plugin_is_asked_once_a_second(void **state)
{
	struct timespec begin, end;
	uint64_t first = scrapes(), last = first;

	(void)state;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (int i = 0; i < 30; i++)
		last = scrapes();
	clock_gettime(CLOCK_MONOTONIC, &end);
	assert_true(last - first <= (uint64_t)(end.tv_sec - begin.tv_sec) + 1);
}

/* Its next line on standard error. */
static void reports(const char *text)
{
	assert_non_null(fgets(output, sizeof(output), exporter.said));
	says(text);
}

static void a_silent_plugin_is_told_of(void **state)
{
	(void)state;
	astra_server_publish(NULL); /* as slurmctld, before its first round */
	for (int i = 0; i < 100; i++) {
		http(HTTP("GET", "/metrics") "\r\n");
		says("200 OK");
		if (strstr(output, "\nastraea_up 0\n"))
			break;
		usleep(100000);
	}
	says("\nastraea_scrape_failures_total 1\n");
	lacks("astraea_pool");
	reports("has not finished its first round");
	astra_server_publish(sample_report());
	usleep(1100000); /* what is kept is a second old */
	http(HTTP("GET", "/metrics") "\r\n");
	says("\nastraea_up 1\n");
	reports("the plugin answers again");
}

/* 16 at a time may be one address's, 64 all. */
static void idle_connections_keep_nobody_out(void **state)
{
	int idle[200];

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(idle); i++)
		idle[i] = http_connect();
	http(HTTP("GET", "/metrics") "\r\n");
	says("200 OK");
	for (size_t i = 0; i < ASTRA_COUNT_OF(idle); i++)
		close(idle[i]);
}

/* A report whose metrics are larger than what the kernel keeps for a connection
 * of http_connect_slow(). */
static void publish_many_tenants(void)
{
	struct astra_report *report = sample_report();

	for (int i = 0; i < 300; i++) {
		char name[16];
		struct astra_report_tenant tenant = report->tenants[0];

		snprintf(name, sizeof(name), "t%d", i);
		tenant.of.name = name;
		assert_int_equal(astra_report_add_tenant(report, &tenant), 0);
	}
	astra_server_publish(report);
	usleep(1100000); /* what is kept is a second old */
}

/* Ask, and wait for the first byte of the answer. Returns whether it came: else
 * the connection was ended. */
static bool begin_to_read(int fd)
{
	static const char request[] = HTTP("GET", "/metrics") "\r\n";
	char first;

	return send(fd, request, sizeof(request) - 1, MSG_NOSIGNAL) > 0 &&
	       recv(fd, &first, 1, MSG_PEEK) == 1;
}

static void read_whole(int fd)
{
	size_t size = 0, whole, all = 0;
	char rest[4096];
	const char *length, *body;
	ssize_t n;

	while ((n = read(fd, rest, sizeof(rest))) > 0) {
		size_t room = sizeof(output) - 1 - size;
		size_t more = (size_t)n < room ? (size_t)n : room;

		memcpy(output + size, rest, more);
		size += more;
		all += (size_t)n;
	}
	output[size] = '\0';
	length = strstr(output, "Content-Length: ");
	body = strstr(output, "\r\n\r\n");
	assert_non_null(length);
	assert_non_null(body);
	whole = strtoul(length + strlen("Content-Length: "), NULL, 10);
	assert_int_equal(all - (size_t)(body + 4 - output), whole);
}

/* Sixteen of one address are served. What becomes of those that come then is
 * left open: the kernel may have taken the whole of an answer. */
static void a_slow_reader_gets_its_whole_answer(void **state)
{
	int idle[40], slow[20];

	(void)state;
	publish_many_tenants();
	for (size_t i = 0; i < ASTRA_COUNT_OF(slow); i++) {
		bool begun;

		slow[i] = http_connect_slow();
		begun = begin_to_read(slow[i]);
		if (i < 16)
			assert_true(begun);
	}
	for (size_t i = 0; i < ASTRA_COUNT_OF(idle); i++)
		idle[i] = http_connect();
	for (size_t i = 0; i < 16; i++)
		read_whole(slow[i]);
	for (size_t i = 0; i < ASTRA_COUNT_OF(slow); i++)
		close(slow[i]);
	for (size_t i = 0; i < ASTRA_COUNT_OF(idle); i++)
		close(idle[i]);
	astra_server_publish(sample_report());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_path_and_method_has_its_answer),
		cmocka_unit_test(the_scraper_chooses_the_format),
		cmocka_unit_test(the_plugin_is_asked_once_a_second),
		cmocka_unit_test(idle_connections_keep_nobody_out),
		cmocka_unit_test(a_slow_reader_gets_its_whole_answer),
		cmocka_unit_test(a_silent_plugin_is_told_of),
	};
	int rc;

	if (!sfair_can_be_tested())
		return 77;
	rc = server_setup(NULL) < 0 ? 1 : exporter_start("metrics", NULL);
	if (!rc) {
		rc = cmocka_run_group_tests(tests, NULL, NULL);
		if (exporter_stop())
			rc = 1;
	}
	server_teardown(NULL);
	test_munged_stop(&munged);
	return rc;
}
