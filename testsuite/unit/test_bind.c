/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Somebody between a client and the server on the network, who can sign
 * nothing: what was signed for one request is no answer to another. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>

#include "src/proto/dial.h"
#include "src/proto/sign.h"
#include "src/slurm/desk/server.h"
#include "testsuite/unit/proto_munged.h"
#include "testsuite/unit/proto_sample.h"
#include "testsuite/unit/unit.h"

#define TENANT "{\"astraea\":1,\"request\":\"tenant\"}"
#define JOB "{\"astraea\":1,\"request\":\"job\"}"

struct message {
	char bytes[65536];
	size_t size;
};

static struct test_munged munged;
static char path[100], server[64], between[64];
static int between_fd;

/* What came in, and what it is answered with. */
static struct message request, reply;

static void bind_listen(void)
{
	struct sockaddr_in addr = {.sin_family = AF_INET};
	socklen_t size = sizeof(addr);

	addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	between_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(between_fd, (struct sockaddr *)&addr, size), 0);
	assert_int_equal(listen(between_fd, 8), 0);
	getsockname(between_fd, (struct sockaddr *)&addr, &size);
	snprintf(between, sizeof(between), "%u@127.0.0.1:%u", geteuid(),
		 ntohs(addr.sin_port));
}

static void receive(int fd, struct message *m)
{
	uint8_t head[ASTRA_FRAME_HEAD] = {0};

	(void)!recv(fd, head, sizeof(head), MSG_WAITALL);
	m->size = astra_frame_read(head);
	if (m->size >= sizeof(m->bytes))
		m->size = 0;
	(void)!recv(fd, m->bytes, m->size, MSG_WAITALL);
	m->bytes[m->size] = '\0';
}

static void give(int fd, const struct message *m)
{
	uint8_t head[ASTRA_FRAME_HEAD];

	astra_frame_write(head, m->size);
	(void)!send(fd, head, sizeof(head), MSG_NOSIGNAL);
	(void)!send(fd, m->bytes, m->size, MSG_NOSIGNAL);
}

/* Take one request; give the reply if there is one. */
static void *stand_between(void *arg)
{
	int fd = accept(between_fd, NULL, NULL);

	(void)arg;
	receive(fd, &request);
	if (reply.size)
		give(fd, &reply);
	close(fd);
	return NULL;
}

/* Returns the error's text, or "". */
static const char *ask(const char *to, const char *text)
{
	static struct astra_error err;
	char *answer = NULL;

	err = (struct astra_error){""};
	if (!astra_call(to, munged.socket, text, &answer, &err) &&
	    strncmp(answer, "{\"astraea\":1,", 13) != 0)
		fail_msg("%.100s", answer);
	free(answer);
	return err.text;
}

static const char *ask_between(const char *text)
{
	pthread_t thread;
	const char *said;

	pthread_create(&thread, NULL, stand_between, NULL);
	said = ask(between, text);
	pthread_join(thread, NULL);
	return said;
}

/* The client's own request goes to the server after all; its reply is kept. */
static void answer_of_the_server(void)
{
	struct astra_error err = {""};
	struct astra_peer peer;
	int fd = astra_dial(server, 5, &peer, &err);

	assert_true(fd >= 0);
	give(fd, &request);
	receive(fd, &reply);
	close(fd);
	assert_int_equal(strncmp(reply.bytes, "MUNGE:", 6), 0);
}

static void says(const char *said, const char *wanted)
{
	if (!strstr(said, wanted))
		fail_msg("\"%s\" lacks \"%s\"", said, wanted);
}

static void an_older_answer_is_none(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		reply.size = 0;
		says(ask_between(TENANT), "closed the connection");
		answer_of_the_server();
		says(ask_between(i ? JOB : TENANT),
		     "the reply answers another request");
	}
}

static void an_answer_to_another_is_none_either(void **state)
{
	struct message first;

	(void)state;
	reply.size = 0;
	says(ask_between(JOB), "closed the connection");
	first = request;
	says(ask_between(TENANT), "closed the connection");
	request = first;
	answer_of_the_server();
	says(ask_between(TENANT), "the reply answers another request");
}

/* Such as a request of root's, or of a server that does not say. */
static void sign_reply(const char *text)
{
	struct astra_error err = {""};
	char *credential = astra_sign(munged.socket, text, strlen(text), &err);

	assert_non_null(credential);
	reply.size = strlen(credential);
	memcpy(reply.bytes, credential, reply.size);
	free(credential);
}

static void what_does_not_say_is_no_answer(void **state)
{
	static const char *const texts[] = {TENANT,
					    "",
					    "{",
					    "{}",
					    "{\"astraea\":1,\"tenants\":[]}",
					    " {\"to\":\"\"}"};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(texts); i++) {
		sign_reply(texts[i]);
		says(ask_between(TENANT), "has an older Astraea");
	}
	sign_reply("{\"to\":\"");
	says(ask_between(TENANT), "the reply answers another request");
}

/* It finds a key that it does not know, and all that it does. */
static void a_client_that_does_not_look_has_its_answer(void **state)
{
	struct astra_error err = {""};
	char *message;
	uint32_t uid;
	size_t size;

	(void)state;
	reply.size = 0;
	says(ask_between(TENANT), "closed the connection");
	answer_of_the_server();
	assert_int_equal(astra_verify(munged.socket, reply.bytes, &message,
				      &size, &uid, &err),
			 0);
	assert_int_equal(strncmp(message, "{\"to\":\"", 7), 0);
	says(message, "\",\"astraea\":1,\"request\":\"tenant\",");
	assert_int_equal(message[size - 1], '}');
	free(message);
}

static void who_asks_the_server_is_answered(void **state)
{
	(void)state;
	assert_string_equal(ask(server, TENANT), "");
	assert_string_equal(ask(server, "{"), ""); /* a fault is an answer */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_asks_the_server_is_answered),
		cmocka_unit_test(an_older_answer_is_none),
		cmocka_unit_test(an_answer_to_another_is_none_either),
		cmocka_unit_test(what_does_not_say_is_no_answer),
		cmocka_unit_test(a_client_that_does_not_look_has_its_answer),
	};
	struct astra_server_options options = {
		.path = path,
		.listen = "127.0.0.1:0",
		.munge_socket = munged.socket,
	};
	struct astra_error err = {""};
	int rc;

	if (test_munged_start(&munged) < 0) {
		fputs("SKIP: munged cannot be started here\n", stderr);
		return 77;
	}
	snprintf(path, sizeof(path), "%s/a.sock", munged.folder);
	astra_server_publish(sample_report());
	rc = astra_server_start(&options, &err);
	if (rc < 0)
		print_error("%s\n", err.text);
	bind_listen();
	snprintf(server, sizeof(server), "%u@127.0.0.1:%u", geteuid(),
		 astra_server_port());
	if (!rc)
		rc = cmocka_run_group_tests(tests, NULL, NULL);
	astra_server_stop();
	close(between_fd);
	test_munged_stop(&munged);
	return rc;
}
