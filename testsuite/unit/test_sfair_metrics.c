/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sfair metrics against a server with a made-up report: what it prints, and
 * what it answers over HTTP. */
#include <netinet/in.h>
#include <sys/socket.h>
#include <time.h>

#include "testsuite/unit/auction_sample.h"
#include "testsuite/unit/sfair_server.h"

#define TENANTS 1500

static void lacks(const char *text)
{
	if (strstr(output, text))
		fail_msg("\"%s\" has \"%s\"", output, text);
}

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

static struct astra_report_tenant a_tenant(const char *name, bool listed)
{
	return (struct astra_report_tenant){
		.pool = "gpu",
		.name = name,
		.uid = ASTRA_REPORT_NO_UID,
		.listed = listed,
		.weight = 1,
	};
}

static void labels_are_escaped(void **state)
{
	struct astra_report *report = sample_report();
	struct astra_report_tenant tenant =
		a_tenant("q\"b\\n\ne\xc3\xbc", true);

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
		struct astra_report_tenant tenant = a_tenant(name, i != 0);

		snprintf(name, sizeof(name), "t%d", i);
		astra_report_add_tenant(report, &tenant);
	}
	astra_server_publish(report);
	assert_int_equal(sfair("metrics | grep -c ^astraea_tenant_weight"), 0);
	assert_string_equal(output, "1000\n");
	assert_int_equal(sfair("metrics | grep -e left_out -e '\"t[01]\"'"), 0);
	says("\nastraea_tenants_left_out 502\n");
	says("tenant=\"t1\"");
	lacks("tenant=\"t0\""); /* only remembered */
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

/* sfair metrics --listen, and where. */
struct exporter {
	pid_t pid;
	uint16_t port;
	FILE *said;
};

/* Returns false where sfair was built without it. */
static bool exporter_start(struct exporter *e)
{
	const char *top = getenv("top_builddir");
	char file[4096], line[512] = "", *port;
	int ends[2];

	snprintf(file, sizeof(file), "%s/sfair", top ? top : ".");
	assert_int_equal(pipe(ends), 0);
	e->pid = fork();
	if (!e->pid) {
		dup2(ends[1], STDERR_FILENO);
		close(ends[0]);
		close(ends[1]);
		execl(file, "sfair", "metrics", "--listen=127.0.0.1:0", NULL);
		_exit(127);
	}
	close(ends[1]);
	e->said = fdopen(ends[0], "r");
	assert_non_null(fgets(line, sizeof(line), e->said));
	if (strstr(line, "built without libmicrohttpd")) {
		waitpid(e->pid, NULL, 0);
		fclose(e->said);
		return false;
	}
	port = strstr(line, "listening on 127.0.0.1 port ");
	assert_non_null(port);
	e->port = (uint16_t)strtoul(strrchr(port, ' '), NULL, 10);
	return true;
}

static void exporter_stop(struct exporter *e)
{
	int status = -1;

	kill(e->pid, SIGTERM);
	assert_int_equal(waitpid(e->pid, &status, 0), e->pid);
	assert_int_equal(status, 0);
	fclose(e->said);
}

/* The whole answer to a request, in output. */
static void http(const struct exporter *e, const char *request)
{
	struct sockaddr_in at = {
		.sin_family = AF_INET,
		.sin_port = htons(e->port),
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

static void check_routes(const struct exporter *e)
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

	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		http(e, cases[i][0]);
		says(cases[i][1]);
	}
	http(e, HTTP("HEAD", "/metrics") "\r\n");
	says("200 OK");
	assert_string_equal(output + strlen(output) - 4, "\r\n\r\n");
}

static void check_formats(const struct exporter *e)
{
	http(e, HTTP("GET", "/metrics") "\r\n");
	says("Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n");
	says("\n# TYPE astraea_rounds_total counter\n");
	lacks("# EOF");
	http(e, HTTP("GET", "/metrics") "Accept: text/plain;q=0.5, "
					"application/openmetrics-text\r\n\r\n");
	says("Content-Type: application/openmetrics-text; version=1.0.0");
	says("\n# TYPE astraea_rounds counter\n");
	says("# EOF\n");
}

static uint64_t scrapes(const struct exporter *e)
{
	static const char name[] = "\nastraea_scrapes_total ";

	http(e, HTTP("GET", "/metrics") "\r\n");
	says(name);
	return strtoull(strstr(output, name) + sizeof(name) - 1, NULL, 10);
}

/* However slow the machine: thirty requests within a second at best. */
static void check_asks_once_a_second(const struct exporter *e)
{
	struct timespec begin, end;
	uint64_t first = scrapes(e), last = first;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (int i = 0; i < 30; i++)
		last = scrapes(e);
	clock_gettime(CLOCK_MONOTONIC, &end);
	assert_true(last - first <= (uint64_t)(end.tv_sec - begin.tv_sec) + 1);
}

/* Its next line on standard error. */
static void check_says(const struct exporter *e, const char *text)
{
	assert_non_null(fgets(output, sizeof(output), e->said));
	says(text);
}

static void metrics_are_served(void **state)
{
	struct exporter e;

	(void)state;
	if (!exporter_start(&e)) {
		print_message("SKIP: sfair was built without libmicrohttpd\n");
		skip();
	}
	check_routes(&e);
	check_formats(&e);
	check_asks_once_a_second(&e);
	astra_server_publish(NULL); /* as slurmctld, before its first round */
	for (int i = 0; i < 100; i++) {
		http(&e, HTTP("GET", "/metrics") "\r\n");
		says("200 OK");
		if (strstr(output, "\nastraea_up 0\n"))
			break;
		usleep(100000);
	}
	says("\nastraea_scrape_failures_total 1\n");
	lacks("astraea_pool");
	check_says(&e, "has not finished its first round");
	astra_server_publish(sample_report());
	usleep(1100000); /* what is kept is a second old */
	http(&e, HTTP("GET", "/metrics") "\r\n");
	says("\nastraea_up 1\n");
	check_says(&e, "the plugin answers again");
	exporter_stop(&e);
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
		cmocka_unit_test(metrics_are_served),
	};
	int rc;

	if (!sfair_can_be_tested())
		return 77;
	rc = cmocka_run_group_tests(tests, server_setup, server_teardown);
	test_munged_stop(&munged);
	return rc;
}
