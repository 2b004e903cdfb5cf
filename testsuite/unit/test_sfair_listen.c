/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sfair metrics --listen over HTTP, of a server with a made-up report. */
#include <netinet/in.h>
#include <sys/socket.h>
#include <time.h>

#include "testsuite/unit/sfair_server.h"

/* sfair metrics --listen, and where. */
static struct exporter {
	pid_t pid;
	uint16_t port;
	FILE *said;
} exporter;

static pid_t spawn(int err_fd)
{
	const char *top = getenv("top_builddir");
	char file[4096];
	pid_t pid = fork();

	if (pid)
		return pid;
	snprintf(file, sizeof(file), "%s/sfair", top ? top : ".");
	dup2(err_fd, STDERR_FILENO);
	execl(file, "sfair", "metrics", "--listen=127.0.0.1:0", NULL);
	_exit(127);
}

/* Returns 0, 77 where sfair was built without it, or 1. */
static int exporter_start(void)
{
	char line[512] = "";
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return 1;
	exporter.pid = spawn(ends[1]);
	close(ends[1]);
	exporter.said = fdopen(ends[0], "r");
	if (fgets(line, sizeof(line), exporter.said) &&
	    sscanf(line, "sfair: listening on 127.0.0.1 port %hu",
		   &exporter.port) == 1)
		return 0;
	waitpid(exporter.pid, NULL, 0);
	fclose(exporter.said);
	if (strstr(line, "built without libmicrohttpd")) {
		fputs("SKIP: sfair was built without libmicrohttpd\n", stderr);
		return 77;
	}
	print_error("sfair metrics: %s\n", line);
	return 1;
}

/* Returns 0 when it ended as it should. */
static int exporter_stop(void)
{
	int status = -1;

	kill(exporter.pid, SIGTERM);
	if (waitpid(exporter.pid, &status, 0) != exporter.pid || status)
		print_error("sfair metrics: status %d\n", status);
	fclose(exporter.said);
	return status;
}

/* The whole answer to a request, in output. */
static void http(const char *request)
{
	struct sockaddr_in at = {
		.sin_family = AF_INET,
		.sin_port = htons(exporter.port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	size_t size = 0;
	ssize_t n;

	assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(write(fd, request, strlen(request)), strlen(request));
	shutdown(fd, SHUT_WR);
	while ((n = read(fd, output + size, sizeof(output) - 1 - size)) > 0)
		size += (size_t)n;
	output[size] = '\0';
	close(fd);
}

#define HTTP(method, url) method " " url " HTTP/1.0\r\n"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_path_and_method_has_its_answer),
		cmocka_unit_test(the_scraper_chooses_the_format),
		cmocka_unit_test(the_plugin_is_asked_once_a_second),
		cmocka_unit_test(a_silent_plugin_is_told_of),
	};
	int rc;

	if (!sfair_can_be_tested())
		return 77;
	rc = server_setup(NULL) < 0 ? 1 : exporter_start();
	if (!rc) {
		rc = cmocka_run_group_tests(tests, NULL, NULL);
		if (exporter_stop())
			rc = 1;
	}
	server_teardown(NULL);
	test_munged_stop(&munged);
	return rc;
}
