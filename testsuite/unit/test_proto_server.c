/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The query server as slurmctld runs it, with a munged of the test's own. */
#include <errno.h>
#include <jansson.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>

#include "src/proto/answer.h"
#include "src/proto/dial.h"
#include "src/proto/query.h"
#include "src/proto/sign.h"
#include "src/slurm/desk/server.h"
#include "testsuite/unit/proto_munged.h"
#include "testsuite/unit/proto_sample.h"
#include "testsuite/unit/unit.h"

#define TENANT "{\"astraea\":1,\"request\":\"tenant\"}"
#define RESET "{\"astraea\":1,\"request\":\"diag\",\"reset\":true}"
#define NOBODY 65534

static struct test_munged munged;
static char path[100];
static char where[32];	 /* for Listen= */
static char network[64]; /* the same for a client */
static int fake_fd;
static atomic_int resets, noted, told;
static atomic_bool nobody_operates;
static atomic_bool clock_stands;

int64_t __real_server_now_msec(void);
int64_t __wrap_server_now_msec(void);

/* The server's clock: a slow machine does not ask 200 times a second. */
int64_t __wrap_server_now_msec(void)
{
	static _Atomic int64_t last;

	if (!atomic_load(&clock_stands))
		atomic_store(&last, __real_server_now_msec());
	return atomic_load(&last);
}

enum astra_fault __real_astra_answer(const struct astra_report *report,
				     const struct astra_query *query,
				     const struct astra_viewer *viewer,
				     const struct astra_socket_stats *stats,
				     struct astra_text *out,
				     struct astra_error *err);
enum astra_fault __wrap_astra_answer(const struct astra_report *report,
				     const struct astra_query *query,
				     const struct astra_viewer *viewer,
				     const struct astra_socket_stats *stats,
				     struct astra_text *out,
				     struct astra_error *err);

/* Whether a reply is the largest one. Its pages are never written, and so take
 * no memory. */
static atomic_bool answers_are_large;

enum astra_fault __wrap_astra_answer(const struct astra_report *report,
				     const struct astra_query *query,
				     const struct astra_viewer *viewer,
				     const struct astra_socket_stats *stats,
				     struct astra_text *out,
				     struct astra_error *err)
{
	if (!atomic_load(&answers_are_large))
		return __real_astra_answer(report, query, viewer, stats, out,
					   err);
	free(out->bytes);
	out->bytes = calloc(1, ASTRA_REPLY_MAX);
	out->size = ASTRA_REPLY_MAX - 1;
	out->room = ASTRA_REPLY_MAX;
	return out->bytes ? ASTRA_FAULT_NONE : ASTRA_FAULT_BUSY;
}

static bool is_operator(uid_t uid)
{
	return uid == NOBODY && atomic_load(&nobody_operates);
}

static void count_reset(void)
{
	atomic_fetch_add(&resets, 1);
}

/* Job 11 cannot be kept. */
static int note(const struct astra_query *query, double now_sec,
		struct astra_error *err)
{
	assert_true(now_sec > 0);
	if (query->jobs.refs[0].id == 11)
		return astra_error_set(err, "full");
	atomic_store(&noted, (int)query->said.done);
	return 0;
}

/* Of refusals. */
static void log_line(bool error, const char *text)
{
	(void)error;
	for (const char *at = text; *at; at++)
		assert_true((unsigned char)*at >= ' ');
	if (strstr(text, "is refused"))
		atomic_fetch_add(&told, 1);
}

static int start(struct astra_error *err)
{
	const struct astra_server_options options = {
		.path = path,
		.listen = where,
		.munge_socket = munged.socket,
		.slurm_uid = 64030,
		.is_operator = is_operator,
		.diag_reset = count_reset,
		.note = note,
		.log_line = log_line,
	};

	return astra_server_start(&options, err);
}

/* The reply to a request, or its error's code. */
static json_t *ask(const char *request, char code[32])
{
	struct astra_error err = {""};
	char *text = NULL;
	json_t *reply;

	snprintf(code, 32, "none");
	if (astra_call(path, munged.socket, request, &text, &err) < 0)
		fail_msg("%s", err.text);
	reply = json_loads(text, 0, NULL);
	free(text);
	assert_non_null(reply);
	json_unpack(reply, "{s:{s:s}}", "error", "code", &text);
	if (json_object_get(reply, "error"))
		snprintf(code, 32, "%s", text);
	return reply;
}

static void expect(const char *request, const char *wanted)
{
	char code[32];

	json_decref(ask(request, code));
	assert_string_equal(code, wanted);
}

/* As ask(), over the network. Returns the error's text, or "". */
static const char *ask_network(const char *to, const char *request,
			       const char *wanted)
{
	static struct astra_error err;
	char *text = NULL;

	err = (struct astra_error){""};
	if (astra_call(to, munged.socket, request, &text, &err) < 0)
		return err.text;
	if (!strstr(text, wanted))
		fail_msg("no %s in %.200s", wanted, text);
	free(text);
	return "";
}

static struct sockaddr_un address(void)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};

	memcpy(addr.sun_path, path, sizeof(path));
	return addr;
}

static int dial(void)
{
	struct sockaddr_un addr = address();
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(connect(fd, (struct sockaddr *)&addr, sizeof(addr)),
			 0);
	return fd;
}

/* Send raw bytes and read the reply's error code; "" when the server closes
 * without one. */
static void exchange(const void *bytes, size_t size, char code[32])
{
	char reply[4096];
	const char *at;
	size_t got = 0;
	ssize_t n;
	int fd = dial();

	if (send(fd, bytes, size, MSG_NOSIGNAL) < 0)
		assert_int_equal(errno, EPIPE);
	while (got < sizeof(reply) - 1 &&
	       (n = recv(fd, reply + got, sizeof(reply) - 1 - got, 0)) > 0)
		got += (size_t)n;
	close(fd);
	reply[got] = '\0';
	at = got > 4 ? strstr(reply + 4, "\"code\":\"") : NULL;
	snprintf(code, 32, "%s", at ? at + 8 : "");
	code[strcspn(code, "\"")] = '\0';
}

static void expect_raw(uint32_t length, const void *bytes, size_t size,
		       const char *wanted)
{
	uint8_t message[8192];
	char code[32];

	assert_true(size + 4 <= sizeof(message));
	astra_frame_write(message, length);
	memcpy(message + 4, bytes, size);
	exchange(message, size + 4, code);
	assert_string_equal(code, wanted);
}

static void a_signed_query_is_answered(void **state)
{
	char code[32];
	json_t *reply = ask(TENANT, code);

	(void)state;
	assert_string_equal(code, "none");
	assert_int_equal(json_array_size(json_object_get(reply, "tenants")), 2);
	json_decref(reply);
}

/* Whoever asks: here it is one who sees all. */
static void a_public_query_is_answered_as_to_anybody(void **state)
{
	static const char whole[] = "{\"astraea\":1,\"request\":\"top\"}";
	static const char open[] =
		"{\"astraea\":1,\"request\":\"top\",\"public\":true}";
	struct astra_report *report;
	char code[32];
	json_t *reply;

	(void)state;
	if (geteuid() != 0)
		skip();
	report = sample_report();
	report->privacy =
		(struct astra_report_privacy){.jobs = true, .usage = true};
	astra_server_publish(report);
	reply = ask(whole, code);
	assert_int_equal(json_array_size(json_object_get(reply, "jobs")), 4);
	json_decref(reply);
	reply = ask(open, code);
	assert_int_equal(json_array_size(json_object_get(reply, "jobs")), 0);
	assert_int_equal(json_array_size(json_object_get(reply, "tenants")), 0);
	assert_int_equal(json_array_size(json_object_get(reply, "nodes")), 4);
	json_decref(reply);
	astra_server_publish(sample_report());
	reply = ask(open, code);
	assert_int_equal(json_array_size(json_object_get(reply, "jobs")), 4);
	json_decref(reply);
}

static void a_replayed_credential_is_refused(void **state)
{
	struct astra_error err;
	char *credential =
		astra_sign(munged.socket, TENANT, strlen(TENANT), &err);
	uint32_t size = (uint32_t)strlen(credential);

	(void)state;
	expect_raw(size, credential, size, "");
	expect_raw(size, credential, size, "auth");
	free(credential);
}

static void what_munge_did_not_sign_is_refused(void **state)
{
	(void)state;
	expect_raw(7, "MUNGE:x", 7, "auth");
	expect_raw((uint32_t)strlen(TENANT), TENANT, strlen(TENANT), "auth");
	expect_raw(5, "a\0b\xff\n", 5, "auth");
	expect_raw(0, "", 0, "auth");
}

static void a_request_above_its_bound_is_refused(void **state)
{
	(void)state;
	expect_raw((1u << 20) + 1, "x", 1, "too_large");
	expect_raw(UINT32_MAX, "x", 1, "too_large");
}

static void bad_messages_cost_nothing_else(void **state)
{
	(void)state;
	expect("", "malformed");
	expect("{", "malformed");
	expect("{\"astraea\":1,\"request\":\"exit\"}", "malformed");
	expect("{\"astraea\":9,\"request\":\"tenant\"}", "version");
	expect("{\"astraea\":1,\"request\":\"why\",\"job\":999}", "not_found");
	expect(TENANT, "none");
}

static void clients_that_go_away_are_forgotten(void **state)
{
	(void)state;
	for (int i = 0; i < 40; i++) {
		int fd = dial();

		assert_true(send(fd, "\0\0", 2, MSG_NOSIGNAL) == 2);
		close(fd);
	}
	expect(TENANT, "none");
}

static void one_user_cannot_take_every_place(void **state)
{
	int fds[17];
	char code[512];

	(void)state;
	for (int i = 0; i < 17; i++)
		fds[i] = dial();
	expect(TENANT, "none"); /* that makes 18 */
	for (int i = 0; i < 17; i++) {
		ssize_t n = recv(fds[i], code, sizeof(code) - 1, MSG_DONTWAIT);

		code[n > 0 ? n : 0] = '\0';
		assert_int_equal(n > 4 && strstr(code + 4, "\"busy\""), i < 2);
		close(fds[i]);
	}
	expect(TENANT, "none");
}

/* Ask, and leave the reply in the socket. */
static int ask_and_wait(void)
{
	struct astra_error err = {""};
	char *credential =
		astra_sign(munged.socket, TENANT, strlen(TENANT), &err);
	uint8_t head[ASTRA_FRAME_HEAD];
	int fd = dial();

	assert_non_null(credential);
	astra_frame_write(head, strlen(credential));
	assert_int_equal(send(fd, head, sizeof(head), MSG_NOSIGNAL),
			 sizeof(head));
	assert_int_equal(send(fd, credential, strlen(credential), MSG_NOSIGNAL),
			 strlen(credential));
	free(credential);
	assert_int_equal(recv(fd, head, 1, MSG_PEEK), 1);
	return fd;
}

/* Replies of 64 MiB, with at most 256 MiB on their way when another one begins.
 */
static void replies_that_nobody_takes_are_bounded(void **state)
{
	int fds[5];

	(void)state;
	atomic_store(&answers_are_large, true);
	for (size_t i = 0; i < ASTRA_COUNT_OF(fds); i++)
		fds[i] = ask_and_wait();
	atomic_store(&answers_are_large, false);
	expect(TENANT, "busy");
	for (size_t i = 0; i < ASTRA_COUNT_OF(fds); i++)
		close(fds[i]);
	expect(TENANT, "none");
}

static void a_slow_client_is_told_and_closed(void **state)
{
	char code[32];

	(void)state;
	exchange("\0\0\1", 3, code);
	assert_string_equal(code, "timeout");
}

static void too_many_requests_a_second_are_refused(void **state)
{
	int answered = 0;
	char code[32] = "";

	(void)state;
	usleep(1100000); /* nothing is left of what was asked before */
	atomic_store(&clock_stands, true);
	while (answered <= 200) {
		json_decref(ask(TENANT, code));
		if (!strcmp(code, "rate"))
			break;
		answered++;
	}
	assert_int_equal(answered, 200);
	atomic_store(&clock_stands, false);
	usleep(1100000);
	expect(TENANT, "none");
}

/* In a child: become nobody and ask for a reset.
 * Returns 0 when it was granted, 1 when denied, 2 else. */
static int reset_as_nobody(void)
{
	struct astra_error err;
	char *text = NULL;

	if (setgid(NOBODY) < 0 || setuid(NOBODY) < 0 ||
	    astra_call(path, munged.socket, RESET, &text, &err) < 0)
		return 2;
	if (strstr(text, "\"denied\""))
		return 1;
	return strstr(text, "\"error\":{") ? 2 : 0;
}

static int status_as_nobody(void)
{
	int status = -1;
	pid_t pid = fork();

	if (!pid)
		_exit(reset_as_nobody());
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

static void only_root_slurmuser_and_operators_reset(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip();
	assert_int_equal(status_as_nobody(), 1);
	assert_int_equal(atomic_load(&resets), 0);
	atomic_store(&nobody_operates, true);
	assert_int_equal(status_as_nobody(), 0);
	atomic_store(&nobody_operates, false);
	assert_int_equal(atomic_load(&resets), 1);
	expect(RESET, "none");
	assert_int_equal(atomic_load(&resets), 2);
}

#define PROGRESS(job, done)                                              \
	"{\"astraea\":1,\"request\":\"progress\",\"run\":0,\"job\":" job \
	",\"done\":" done "}"

static void a_refusal_is_logged_once_for_each_user(void **state)
{
	(void)state;
	astra_server_stop();
	atomic_store(&told, 0);
	assert_int_equal(start(NULL), 0);
	for (int i = 0; i < 3; i++)
		expect("{\"astraea\":1,\"request\":\"job\",\"a\\nb\":1}",
		       "malformed");
	assert_int_equal(atomic_load(&told), 1);
	astra_server_publish(sample_report());
}

static void over_the_network_replies_are_signed(void **state)
{
	char list[200];

	(void)state;
	assert_string_equal(ask_network(network, TENANT, "\"tenants\""), "");
	assert_string_equal(ask_network(network, "{", "\"malformed\""), "");
	/* A controller that is down is passed over. */
	snprintf(list, sizeof(list), "%u@127.0.0.1:1,[::1]:1,%s", geteuid(),
		 where);
	assert_string_equal(ask_network(list, TENANT, "\"tenants\""), "");
	assert_non_null(
		strstr(ask_network("127.0.0.1:1", TENANT, ""), "refused"));
	assert_non_null(
		strstr(ask_network("nonsense", TENANT, ""), "HOST:PORT"));
}

/* One connection at a port of its own; replies with these bytes. */
static void *reply_once(void *arg)
{
	const char *reply = arg;
	uint8_t head[ASTRA_FRAME_HEAD];
	char buffer[4096];
	int fd = accept(fake_fd, NULL, NULL);

	if (recv(fd, buffer, sizeof(buffer), 0) > 0) {
		astra_frame_write(head, strlen(reply));
		if (send(fd, head, sizeof(head), MSG_NOSIGNAL) > 0 &&
		    send(fd, reply, strlen(reply), MSG_NOSIGNAL) > 0)
			(void)!recv(fd, buffer, sizeof(buffer), 0);
	}
	close(fd);
	return NULL;
}

static const char *ask_fake(char *reply)
{
	struct sockaddr_in addr = {.sin_family = AF_INET};
	socklen_t size = sizeof(addr);
	const char *said;
	pthread_t thread;
	char to[64];

	addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	fake_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(fake_fd, (struct sockaddr *)&addr, sizeof(addr)),
			 0);
	assert_int_equal(listen(fake_fd, 1), 0);
	getsockname(fake_fd, (struct sockaddr *)&addr, &size);
	snprintf(to, sizeof(to), "4711@127.0.0.1:%u", ntohs(addr.sin_port));
	pthread_create(&thread, NULL, reply_once, reply);
	said = ask_network(to, TENANT, "tenants");
	close(fake_fd);
	pthread_join(thread, NULL);
	return said;
}

static char *signed_as_nobody(void)
{
	static char text[4096];
	struct astra_error err;
	int ends[2], status;
	ssize_t size;
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (!pid) {
		char *credential = NULL;

		if (!setgid(NOBODY) && !setuid(NOBODY))
			credential = astra_sign(munged.socket, "{}", 2, &err);
		if (!credential ||
		    write(ends[1], credential, strlen(credential)) < 0)
			_exit(1);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	size = read(ends[0], text, sizeof(text) - 1);
	close(ends[0]);
	close(ends[1]);
	assert_true(size > 0);
	text[size] = '\0';
	return text;
}

static void who_is_not_slurmctld_is_not_believed(void **state)
{
	char plain[] = "{\"astraea\":1,\"tenants\":[]}";
	char forged[] = "MUNGE:AwQFAAAr:";

	(void)state;
	assert_non_null(strstr(ask_fake(plain), "not signed"));
	assert_non_null(strstr(ask_fake(forged), "MUNGE"));
	if (geteuid() != 0)
		skip();
	assert_non_null(
		strstr(ask_fake(signed_as_nobody()), "uid 65534 answers"));
}

static void what_a_job_says_is_handed_on(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip();
	expect(PROGRESS("10", "42"), "none");
	assert_int_equal(atomic_load(&noted), 42);
	expect(PROGRESS("99", "43"), "not_found");
	expect(PROGRESS("10", "-1"), "malformed");
	expect(PROGRESS("11", "44"), "busy");
	assert_int_equal(atomic_load(&noted), 42);
}

static void *publish_often(void *arg)
{
	atomic_bool *stop = arg;

	while (!atomic_load(stop))
		astra_server_publish(sample_report());
	return NULL;
}

static void reports_change_while_queries_run(void **state)
{
	atomic_bool stop = false;
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, publish_often, &stop),
			 0);
	for (int i = 0; i < 20; i++)
		expect(TENANT, "none");
	atomic_store(&stop, true);
	pthread_join(thread, NULL);
}

static void without_a_report_the_answer_says_so(void **state)
{
	(void)state;
	astra_server_publish(NULL);
	expect(TENANT, "no_data");
	astra_server_publish(sample_report());
}

static void the_socket_is_everybodys_and_goes_at_stop(void **state)
{
	struct astra_error err;
	struct stat st;

	(void)state;
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0666);
	assert_int_equal(start(&err), -1); /* there is one already */
	astra_server_stop();
	assert_int_equal(stat(path, &st), -1);
	assert_int_equal(start(&err), 0);
	astra_server_publish(sample_report());
}

static void make_stale_socket(void)
{
	struct sockaddr_un addr = address();
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	assert_int_equal(listen(fd, 1), 0);
	close(fd);
}

static void only_a_stale_socket_is_replaced(void **state)
{
	struct sockaddr_un addr = address();
	struct astra_error err;
	int fd;

	(void)state;
	astra_server_stop();
	make_stale_socket();
	assert_int_equal(start(&err), 0);
	astra_server_stop();
	fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	close(fd);
	assert_int_equal(start(&err), -1);
	assert_non_null(strstr(err.text, "is no socket"));
	unlink(path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	assert_int_equal(listen(fd, 1), 0);
	assert_int_equal(start(&err), -1);
	assert_non_null(strstr(err.text, "another process answers"));
	close(fd);
	unlink(path);
	assert_int_equal(start(&err), 0);
	astra_server_publish(sample_report());
}

static void a_folder_that_others_may_write_is_refused(void **state)
{
	struct astra_error err;

	(void)state;
	astra_server_stop();
	assert_int_equal(chmod(munged.folder, 0777), 0);
	assert_int_equal(start(&err), -1);
	assert_non_null(strstr(err.text, "others may write"));
	assert_int_equal(chmod(munged.folder, 0755), 0);
	assert_int_equal(start(&err), 0);
	astra_server_publish(sample_report());
}

static void a_missing_munged_is_named(void **state)
{
	struct astra_error err = {""};
	char *text = NULL;

	(void)state;
	assert_int_equal(astra_call(path, "/nonexistent/munge.sock", TENANT,
				    &text, &err),
			 -1);
	assert_non_null(strstr(err.text, "munged does not answer"));
	assert_int_equal(astra_call("/nonexistent/x.sock", munged.socket,
				    TENANT, &text, &err),
			 ASTRA_ABSENT);
	assert_non_null(strstr(err.text, "slurmctld is not running"));
}

/* Libmunge would wait for six seconds each time. */
static void a_munged_that_hangs_keeps_nobody_waiting(void **state)
{
	struct astra_error err = {""};
	char *signed_query =
		astra_sign(munged.socket, TENANT, strlen(TENANT), &err);

	time_t begin = time(NULL);

	(void)state;
	assert_non_null(signed_query);
	kill(munged.pid, SIGSTOP);
	expect_raw((uint32_t)strlen(signed_query), signed_query,
		   strlen(signed_query), "auth");
	expect_raw((1u << 20) + 1, "x", 1, "too_large");
	expect_raw(7, "MUNGE:x", 7, "auth");
	astra_server_stop(); /* libmunge waits still */
	kill(munged.pid, SIGCONT);
	free(signed_query);
	assert_true(time(NULL) < begin + 12); /* there are two credentials */
	assert_int_equal(start(&err), 0);
	astra_server_publish(sample_report());
	expect(TENANT, "none");
}

/* A port that was free a moment ago. */
static void choose_port(void)
{
	struct sockaddr_in addr = {.sin_family = AF_INET};
	socklen_t size = sizeof(addr);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0 ||
	    getsockname(fd, (struct sockaddr *)&addr, &size) < 0)
		perror("bind");
	close(fd);
	snprintf(where, sizeof(where), "127.0.0.1:%u", ntohs(addr.sin_port));
	snprintf(network, sizeof(network), "%u@%s", geteuid(), where);
}

static int setup(void **state)
{
	struct astra_error err = {""};

	(void)state;
	snprintf(path, sizeof(path), "%s/a.sock", munged.folder);
	choose_port();
	astra_server_publish(sample_report());
	if (start(&err) < 0)
		print_error("%s\n", err.text);
	return *err.text ? -1 : 0;
}

static int teardown(void **state)
{
	(void)state;
	astra_server_stop();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_signed_query_is_answered),
		cmocka_unit_test(a_public_query_is_answered_as_to_anybody),
		cmocka_unit_test(a_replayed_credential_is_refused),
		cmocka_unit_test(what_munge_did_not_sign_is_refused),
		cmocka_unit_test(a_request_above_its_bound_is_refused),
		cmocka_unit_test(bad_messages_cost_nothing_else),
		cmocka_unit_test(clients_that_go_away_are_forgotten),
		cmocka_unit_test(one_user_cannot_take_every_place),
		cmocka_unit_test(replies_that_nobody_takes_are_bounded),
		cmocka_unit_test(a_slow_client_is_told_and_closed),
		cmocka_unit_test(only_root_slurmuser_and_operators_reset),
		cmocka_unit_test(what_a_job_says_is_handed_on),
		cmocka_unit_test(a_refusal_is_logged_once_for_each_user),
		cmocka_unit_test(over_the_network_replies_are_signed),
		cmocka_unit_test(who_is_not_slurmctld_is_not_believed),
		cmocka_unit_test(reports_change_while_queries_run),
		cmocka_unit_test(too_many_requests_a_second_are_refused),
		cmocka_unit_test(without_a_report_the_answer_says_so),
		cmocka_unit_test(the_socket_is_everybodys_and_goes_at_stop),
		cmocka_unit_test(only_a_stale_socket_is_replaced),
		cmocka_unit_test(a_folder_that_others_may_write_is_refused),
		cmocka_unit_test(a_missing_munged_is_named),
		cmocka_unit_test(a_munged_that_hangs_keeps_nobody_waiting),
	};
	int rc;

	if (test_munged_start(&munged) < 0) {
		fputs("SKIP: munged cannot be started here\n", stderr);
		return 77;
	}
	rc = cmocka_run_group_tests(tests, setup, teardown);
	test_munged_stop(&munged);
	return rc;
}
