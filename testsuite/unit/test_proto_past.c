/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports over past time, which take long, beside queries that do not. */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "src/common/text.h"
#include "src/proto/query.h"
#include "src/proto/sign.h"
#include "src/slurm/desk/server.h"
#include "testsuite/unit/proto_munged.h"
#include "testsuite/unit/proto_sample.h"
#include "testsuite/unit/unit.h"

#define TENANT "{\"astraea\":1,\"request\":\"tenant\"}"
#define REPORT                                                       \
	"{\"astraea\":1,\"request\":\"report\",\"report\":\"tenant " \
	"usage\",\"start_sec\":1700000000,\"end_sec\":1700086400}"
#define ASKERS 3

static struct test_munged munged;
static char path[100];
static atomic_bool held; /* the report in work does not end */
static atomic_bool refused;
static atomic_int begun;

static enum astra_fault history(const struct astra_query *query,
				const struct astra_viewer *viewer,
				const struct astra_report *report,
				struct astra_text *out, struct astra_error *err)
{
	(void)query;
	(void)viewer;
	(void)report;
	atomic_fetch_add(&begun, 1);
	if (atomic_load(&refused)) {
		astra_error_set(err, "not of this");
		return ASTRA_FAULT_NO_DATA;
	}
	while (atomic_load(&held))
		usleep(1000);
	astra_text_add(out, ",\"rows\":[]", 10);
	return ASTRA_FAULT_NONE;
}

static int start(void **state)
{
	const struct astra_server_options options = {
		.path = path,
		.munge_socket = munged.socket,
		.slurm_uid = 64030,
		.history = history,
	};
	struct astra_error err = {""};

	(void)state;
	snprintf(path, sizeof(path), "%s/a.sock", munged.folder);
	atomic_store(&held, true);
	atomic_store(&begun, 0);
	astra_server_publish(sample_report());
	if (astra_server_start(&options, &err) < 0)
		print_error("%s\n", err.text);
	return *err.text ? -1 : 0;
}

static int stop(void **state)
{
	(void)state;
	atomic_store(&held, false);
	astra_server_stop();
	return 0;
}

/* Returns the reply, or NULL. */
static void *ask(void *request)
{
	struct astra_error err = {""};
	char *text = NULL;

	if (astra_call(path, munged.socket, request, &text, &err) < 0)
		return NULL;
	return text;
}

static void expect(const char *request, const char *wanted)
{
	char *text = ask((void *)(uintptr_t)request);

	assert_non_null(text);
	if (!strstr(text, wanted))
		fail_msg("no %s in %.200s", wanted, text);
	free(text);
}

static void wait_for(int count)
{
	for (int i = 0; i < 5000 && atomic_load(&begun) < count; i++)
		usleep(1000);
	assert_int_equal(atomic_load(&begun), count);
}

/* Somebody who asks for a report, and does not wait for it. */
static void ask_and_leave(void)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct astra_error err = {""};
	char *credential =
		astra_sign(munged.socket, REPORT, strlen(REPORT), &err);
	uint8_t head[ASTRA_FRAME_HEAD];

	assert_non_null(credential);
	memcpy(addr.sun_path, path, sizeof(path));
	assert_int_equal(connect(fd, (struct sockaddr *)&addr, sizeof(addr)),
			 0);
	astra_frame_write(head, strlen(credential));
	assert_int_equal(send(fd, head, sizeof(head), 0), sizeof(head));
	assert_int_equal(send(fd, credential, strlen(credential), 0),
			 strlen(credential));
	close(fd);
	free(credential);
}

static void reports_hold_up_nobody(void **state)
{
	pthread_t askers[ASKERS];

	(void)state;
	for (int i = 0; i < ASKERS; i++)
		assert_int_equal(pthread_create(&askers[i], NULL, ask, REPORT),
				 0);
	wait_for(1);
	ask_and_leave();
	for (int i = 0; i < 10; i++)
		expect(TENANT, "\"tenants\":[");
	assert_int_equal(atomic_load(&begun), 1); /* one at a time */
	atomic_store(&held, false);
	for (int i = 0; i < ASKERS; i++) {
		void *text;

		pthread_join(askers[i], &text);
		assert_non_null(text);
		assert_non_null(strstr(text, "\"report\""));
		free(text);
	}
	wait_for(ASKERS + 1);
	expect(REPORT, "\"rows\":[]");
	expect(TENANT, "\"tenants\":[");
}

/* Connections are accepted in their order. */
static void one_user_cannot_have_all_made(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++)
		ask_and_leave();
	expect(REPORT, "too many reports");
	expect(TENANT, "\"tenants\":[");
	atomic_store(&held, false);
	wait_for(4);
}

static void a_refused_report_says_why(void **state)
{
	(void)state;
	atomic_store(&refused, true);
	expect(REPORT, "not of this");
	atomic_store(&refused, false);
	atomic_store(&held, false);
	expect(REPORT, "\"rows\":[]");
}

/* Those that wait have no reply, or theirs. */
static void a_stop_ends_what_waits(void **state)
{
	pthread_t askers[ASKERS];

	for (int i = 0; i < ASKERS; i++)
		assert_int_equal(pthread_create(&askers[i], NULL, ask, REPORT),
				 0);
	wait_for(1);
	assert_int_equal(stop(state), 0);
	for (int i = 0; i < ASKERS; i++) {
		void *text;

		pthread_join(askers[i], &text);
		free(text);
	}
	assert_in_range(atomic_load(&begun), 1, ASKERS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(reports_hold_up_nobody, start,
						stop),
		cmocka_unit_test_setup_teardown(one_user_cannot_have_all_made,
						start, stop),
		cmocka_unit_test_setup_teardown(a_refused_report_says_why,
						start, stop),
		cmocka_unit_test_setup_teardown(a_stop_ends_what_waits, start,
						stop),
	};
	int rc;

	if (test_munged_start(&munged) < 0) {
		fputs("SKIP: munged cannot be started here\n", stderr);
		return 77;
	}
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	test_munged_stop(&munged);
	return rc;
}
