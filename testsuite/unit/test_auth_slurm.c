/* SPDX-License-Identifier: GPL-2.0-or-later */
/* AuthType=auth/slurm: what the server accepts once, what a client believes,
 * and what both say where something is wrong. Slurm's plugin and its sackd are
 * the test's: a signature here is a hash of a key and of what is signed. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "src/client/place.h"
#include "src/common/sha256.h"
#include "src/proto/dial.h"
#include "src/proto/sack.h"
#include "src/proto/sign.h"
#include "src/proto/token.h"
#include "src/slurm/desk/server.h"
#include "src/slurm/desk/server_token.h"
#include "testsuite/unit/proto_sample.h"
#include "testsuite/unit/unit.h"

#define TENANT "{\"astraea\":1,\"request\":\"tenant\"}"
#define AUTH ASTRA_AUTH_SLURM ":c"

static char folder[] = "/tmp/astraea-test-XXXXXX";
static char sack_path[64], path[64], server[64], between[64];
static int sack_fd = -1, between_fd = -1;

/* How the daemon of this host is. */
static const char *sack_key, *server_key;
static int64_t sack_late_sec; /* its clock */
static const char *sack_context;

static void reset(void)
{
	sack_key = server_key = "key";
	sack_context = "sack";
	sack_late_sec = 0;
}

static size_t encode(const char *digits, const char *in, size_t size, char *out)
{
	char *to = out;

	for (size_t i = 0; i < size; i += 3) {
		uint32_t bits = 0;

		for (size_t j = 0; j < 3; j++)
			bits = bits << 8 |
			       (i + j < size ? (unsigned char)in[i + j] : 0);
		for (size_t j = 0; j < 4 && i + j <= size; j++)
			*to++ = digits[bits >> (18 - 6 * j) & 63];
	}
	*to = '\0';
	return (size_t)(to - out);
}

#define DIGITS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

static void signature(const char *key, const char *text, size_t size,
		      char hex[ASTRA_SHA256_HEX + 1])
{
	char *all = malloc(size + 16);
	int n = snprintf(all, 16, "%s", key);

	memcpy(all + n, text, size);
	astra_sha256(all, size + (size_t)n, hex);
	free(all);
}

/* A token, for free(). */
static char *make(const char *key, uint32_t uid, uint32_t reader,
		  int64_t made_sec, const char *payload, size_t size)
{
	size_t room = 4 * size + 1024; /* base64 twice: 16 bytes of 9 */
	char *json = malloc(room), *token = malloc(room);
	int n = snprintf(json, room,
			 "{\"context\":\"%s\",\"uid\":%u,\"ruid\":%u,"
			 "\"iat\":%lld,\"exp\":%lld,\"id\":{\"uid\":0},"
			 "\"payload\":\"",
			 sack_context, uid, reader, (long long)made_sec,
			 (long long)made_sec + 60);
	size_t at = (size_t)n;

	at += encode(DIGITS "+/", payload, size, json + at);
	memcpy(json + at, "\"}", 3);
	at += 2;
	n = snprintf(token, room, "aGVhZA.");
	at = (size_t)n + encode(DIGITS "-_", json, at, token + n);
	token[at] = '.';
	signature(key, token, at, token + at + 1);
	free(json);
	return token;
}

/* The second spelling of a signature is as good. */
static bool is_signed_by(const char *key, const char *token)
{
	size_t size = astra_token_signed(token);
	char hex[ASTRA_SHA256_HEX + 1];

	signature(key, token, size, hex);
	return !strcasecmp(token + size + 1, hex);
}

static int check_token(const char *token, uint32_t *uid)
{
	struct astra_error err = {""};
	struct astra_token says;

	if (!is_signed_by(server_key, token) ||
	    astra_token_read(token, &says, &err) < 0)
		return -1;
	*uid = says.uid;
	astra_token_clear(&says);
	return 0;
}

static char *create_token(const char *payload, size_t size, uint32_t reader)
{
	return make(server_key, geteuid(), reader, time(NULL), payload, size);
}

static const struct astra_slurm_auth auth = {
	.create = create_token,
	.check = check_token,
};

/* ---- The server's part, by itself. */

#define NOW 1000000000

static char *request_token(int64_t made_sec)
{
	struct astra_text payload = {0};
	struct astra_error err = {""};
	char *token;

	assert_int_equal(astra_token_request("{}", 2, &payload, &err), 0);
	token = make(sack_key, 7, ASTRA_TOKEN_ANYBODY, made_sec, payload.bytes,
		     payload.size);
	astra_text_clear(&payload);
	return token;
}

static struct server_token *begin(int64_t now_sec)
{
	struct astra_error err = {""};
	struct server_token *t = server_token_create(&auth, now_sec, &err);

	reset();
	assert_non_null(t);
	return t;
}

static struct astra_error why;

static enum astra_fault verify(struct server_token *t, const char *token,
			       int64_t now_sec)
{
	enum astra_fault fault;
	char *message = NULL;
	uint32_t uid = 0;
	size_t size = 0;

	why = (struct astra_error){""};
	fault = server_token_verify(t, token, now_sec, &message, &size, &uid,
				    &why);
	if (!fault) {
		assert_string_equal(message, "{}");
		assert_int_equal(size, 2);
		assert_int_equal(uid, 7);
	}
	free(message);
	return fault;
}

static void says(const char *said, const char *wanted)
{
	if (!strstr(said, wanted))
		fail_msg("\"%s\" lacks \"%s\"", said, wanted);
}

static void a_request_is_accepted_once(void **state)
{
	struct server_token *t = begin(NOW - 100);
	char *token = request_token(NOW), *other = request_token(NOW);
	char *last = token + strlen(token) - ASTRA_SHA256_HEX;

	(void)state;
	assert_string_not_equal(token, other);
	assert_int_equal(verify(t, token, NOW), ASTRA_FAULT_NONE);
	assert_int_equal(verify(t, other, NOW), ASTRA_FAULT_NONE);
	for (int sec = 0; sec <= ASTRA_TOKEN_SEC; sec++) {
		assert_int_equal(verify(t, token, NOW + sec), ASTRA_FAULT_AUTH);
		says(why.text, "was sent before");
	}
	for (; *last; last++) /* the same with another spelling */
		if (*last >= 'a')
			*last = (char)(*last - 'a' + 'A');
	assert_int_equal(verify(t, token, NOW), ASTRA_FAULT_AUTH);
	says(why.text, "was sent before");
	assert_int_equal(verify(t, token, NOW + ASTRA_TOKEN_SEC + 1),
			 ASTRA_FAULT_AUTH);
	says(why.text, "the clocks of the two hosts differ");
	free(token);
	free(other);
	server_token_destroy(t);
}

static void what_is_of_another_time_is_refused(void **state)
{
	static const int64_t away[] = {-ASTRA_TOKEN_SEC - 1,
				       ASTRA_TOKEN_SEC + 1};
	struct server_token *t = begin(NOW - 1000);

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(away); i++) {
		char *token = request_token(NOW + away[i]);

		assert_int_equal(verify(t, token, NOW), ASTRA_FAULT_AUTH);
		says(why.text, "the clocks of the two hosts differ");
		free(token);
	}
	server_token_destroy(t);
}

/* The list of what was seen is lost with slurmctld. */
static void what_came_before_the_start_is_signed_anew(void **state)
{
	struct server_token *t = begin(NOW);

	(void)state;
	for (int sec = -2; sec <= 1; sec++) {
		char *token = request_token(NOW + sec);

		assert_int_equal(verify(t, token, NOW + 1),
				 sec > 0 ? ASTRA_FAULT_NONE : ASTRA_FAULT_BUSY);
		free(token);
	}
	server_token_destroy(t);
}

/* Else nobody is answered until the clock is there again. */
static void a_clock_set_back_is_followed(void **state)
{
	struct server_token *t = begin(NOW + 3600);
	char *token = request_token(NOW + 1), *old = request_token(NOW + 3600);

	(void)state;
	assert_int_equal(verify(t, old, NOW + 1), ASTRA_FAULT_AUTH);
	assert_int_equal(verify(t, token, NOW + 1), ASTRA_FAULT_NONE);
	assert_int_equal(verify(t, token, NOW + 2), ASTRA_FAULT_AUTH);
	says(why.text, "was sent before");
	free(token);
	free(old);
	server_token_destroy(t);
}

static void the_list_is_bounded(void **state)
{
	struct server_token *t = begin(NOW - 100);
	int accepted = 0;
	char *token;

	(void)state;
	do {
		token = request_token(NOW);
		accepted += verify(t, token, NOW) == ASTRA_FAULT_NONE;
		if (!*why.text)
			free(token);
	} while (!*why.text);
	says(why.text, "too many requests");
	assert_true(accepted > 12000); /* of one user in a minute */
	assert_int_equal(verify(t, token, NOW), ASTRA_FAULT_BUSY);
	free(token);
	token = request_token(NOW + ASTRA_TOKEN_SEC + 1);
	assert_int_equal(verify(t, token, NOW + ASTRA_TOKEN_SEC + 1),
			 ASTRA_FAULT_NONE);
	free(token);
	server_token_destroy(t);
}

/* An RPC of Slurm's has a hash, a reply of ours another mark. */
static void what_is_no_request_is_refused(void **state)
{
	static const char *const payloads[] = {
		"",
		"\1abc",
		"{}",
		"astraea reply {}",
		"astraea request {}",
		"astraea request 0123456789abcdef0123456789abcdeX {}"};
	struct server_token *t = begin(NOW - 100);

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(payloads); i++) {
		char *token = make("key", 7, ASTRA_TOKEN_ANYBODY, NOW,
				   payloads[i], strlen(payloads[i]));

		assert_int_equal(verify(t, token, NOW), ASTRA_FAULT_AUTH);
		says(why.text, "no request");
		free(token);
	}
	server_token_destroy(t);
}

static void what_is_no_token_is_refused(void **state)
{
	static const struct {
		const char *token, *why;
	} cases[] = {
		{"", "no token"},
		{".", "no token"},
		{"..", "no token"},
		{"a.b", "no token"},
		{"a.b.", "no token"},
		{"a.b.c.d", "no token"},
		{"a.e30.c", "no token"},
		{"a.bm8.c", "no token"},
		{"a.b c.d", "no token"},
		{"MUNGE:AwQDAAB:", "signed with MUNGE"},
	};
	struct server_token *t = begin(NOW - 100);

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		assert_int_equal(verify(t, cases[i].token, NOW),
				 ASTRA_FAULT_AUTH);
		says(why.text, cases[i].why);
	}
	server_token_destroy(t);
}

/* Slurm logs the name of a key that it does not know. */
static void the_name_of_a_key_is_short(void **state)
{
	char token[4096] = "";

	(void)state;
	memset(token, 'a', 1024);
	memcpy(token + 1024, ".b.c", 5);
	assert_true(astra_token_is(token));
	memset(token, 'a', 1025);
	memcpy(token + 1025, ".b.c", 5);
	assert_false(astra_token_is(token));
}

static void a_message_has_a_bound(void **state)
{
	size_t size = ASTRA_TOKEN_MESSAGE_MAX + 1;
	struct server_token *t = begin(NOW);
	char *message = calloc(size, 1), *token;

	(void)state;
	assert_null(server_token_sign_for(t, 7, message, size, &why));
	says(why.text, "more than the 1 MiB");
	token = server_token_sign_for(t, 7, message, size - 1, &why);
	assert_true(strlen(token) < ASTRA_SIGNED_MAX);
	free(token);
	free(message);
	server_token_destroy(t);
}

/* ---- Who signs, by the environment of a job. */

static void what_the_plugin_says_counts_more_than_a_munged(void **state)
{
	static const struct {
		const char *sfair, *plugin, *munge, *wanted;
	} cases[] = {
		{"", "", "", ""},
		{"", "", "/m", "/m"},
		{"", "auth/slurm:c", "", "auth/slurm:c"},
		{"", "auth/slurm:c", "/m", "auth/slurm:c"},
		{"auth/slurm", "", "/m", "auth/slurm"},
		{"auth/slurm", "auth/slurm:c", "", "auth/slurm"},
		{"auth/munge", "auth/slurm:c", "/m", "/m"},
		{"auth/slurmy", "", "/m", "/m"},
	};

	(void)state;
	setenv("SFAIR_SOCKET", path, 1);
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		struct sfair_place place;

		setenv("SFAIR_AUTH", cases[i].sfair, 1);
		setenv("ASTRAEA_AUTH", cases[i].plugin, 1);
		setenv("MUNGE_SOCKET", cases[i].munge, 1);
		sfair_place_read(&place);
		assert_string_equal(place.auth, cases[i].wanted);
	}
	unsetenv("SFAIR_SOCKET");
	unsetenv("SFAIR_AUTH");
	unsetenv("ASTRAEA_AUTH");
	unsetenv("MUNGE_SOCKET");
}

static void an_authtype_may_lack_its_first_part(void **state)
{
	static const struct {
		const char *type;
		bool is;
	} cases[] = {
		{"auth/slurm", true}, {"slurm", true},	     {NULL, false},
		{"", false},	      {"auth/munge", false}, {"auth/", false},
		{"slurmy", false},
	};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++)
		assert_int_equal(astra_sack_is_type(cases[i].type),
				 cases[i].is);
}

/* ---- Over the network. */

static uint32_t take_u32(int fd)
{
	uint32_t value = 0;

	(void)!recv(fd, &value, sizeof(value), MSG_WAITALL);
	return ntohl(value);
}

static void sack_create(int fd)
{
	uint32_t reader = take_u32(fd), size = take_u32(fd), size_token;
	char *payload = malloc(size + 1), *token;

	(void)!recv(fd, payload, size, MSG_WAITALL);
	token = make(sack_key, geteuid(), reader, time(NULL) + sack_late_sec,
		     payload, size);
	size_token = htonl((uint32_t)strlen(token) + 1);
	(void)!send(fd, &size_token, sizeof(size_token), MSG_NOSIGNAL);
	(void)!send(fd, token, strlen(token) + 1, MSG_NOSIGNAL);
	free(payload);
	free(token);
}

/* One that refuses says nothing, as Slurm's. */
static void sack_verify(int fd)
{
	uint32_t size = take_u32(fd), accepted = 0;
	char *token = malloc(size + 1);
	struct astra_error err = {""};
	struct astra_token what = {0};

	(void)!recv(fd, token, size, MSG_WAITALL);
	token[size] = '\0';
	if (is_signed_by(sack_key, token) &&
	    astra_token_read(token, &what, &err) == 0 &&
	    (what.reader == ASTRA_TOKEN_ANYBODY || what.reader == geteuid()))
		(void)!send(fd, &accepted, sizeof(accepted), MSG_NOSIGNAL);
	astra_token_clear(&what);
	free(token);
}

static void *sackd(void *arg)
{
	int fd;

	(void)arg;
	while ((fd = accept(sack_fd, NULL, NULL)) >= 0) {
		uint16_t version;
		uint32_t kind;

		(void)!recv(fd, &version, sizeof(version), MSG_WAITALL);
		(void)take_u32(fd);
		kind = take_u32(fd);
		if (kind == 64001)
			sack_create(fd);
		else if (kind == 64002)
			sack_verify(fd);
		close(fd);
	}
	return NULL;
}

static const char *ask_as(const char *to, const char *signer)
{
	static struct astra_error err;
	char *answer = NULL;

	err = (struct astra_error){""};
	if (!astra_call(to, signer, TENANT, &answer, &err))
		(void)snprintf(err.text, sizeof(err.text), "%.200s", answer);
	free(answer);
	return err.text;
}

static const char *ask(const char *to)
{
	return ask_as(to, AUTH);
}

static char *request, *reply; /* what came in, and what is given */

static char *receive(int fd)
{
	size_t size = take_u32(fd);
	char *bytes = calloc(size + 1, 1);

	(void)!recv(fd, bytes, size, MSG_WAITALL);
	return bytes;
}

static void give(int fd, const char *bytes)
{
	uint32_t size = htonl((uint32_t)strlen(bytes));

	(void)!send(fd, &size, sizeof(size), MSG_NOSIGNAL);
	(void)!send(fd, bytes, strlen(bytes), MSG_NOSIGNAL);
}

/* Somebody between the client and the server; without a reply the client's
 * request is given back. */
static void *stand_between(void *arg)
{
	int fd = accept(between_fd, NULL, NULL);

	(void)arg;
	free(request);
	request = receive(fd);
	give(fd, reply ? reply : request);
	close(fd);
	return NULL;
}

static const char *ask_between(void)
{
	pthread_t thread;
	const char *said;

	pthread_create(&thread, NULL, stand_between, NULL);
	said = ask(between);
	pthread_join(thread, NULL);
	return said;
}

/* What the server says to the request that was kept. */
static void send_kept(void)
{
	struct astra_error err = {""};
	struct astra_peer peer;
	int fd = astra_dial(server, 5, &peer, &err);

	assert_true(fd >= 0);
	give(fd, request);
	free(reply);
	reply = receive(fd);
	close(fd);
}

static void who_asks_is_answered(void **state)
{
	(void)state;
	reset();
	/* The first second after the start counts as before it. */
	says(ask(server), "{\"astraea\":1,\"request\":\"tenant\"");
	says(ask(path), "{\"astraea\":1,\"request\":\"tenant\"");
	sack_context = "cred";
	says(ask(server), "is not signed");
}

static void a_request_that_is_kept_is_not_served_again(void **state)
{
	(void)state;
	reset();
	says(ask_between(), "is no reply"); /* its own request */
	send_kept();
	assert_true(astra_is_signed(reply));
	send_kept();
	says(reply, "was sent before");
}

static void ask_until_refused(void)
{
	do {
		struct astra_error err = {""};
		struct astra_peer peer;
		int fd = astra_dial(path, 5, &peer, &err);

		assert_true(fd >= 0);
		give(fd, "?");
		free(reply);
		reply = receive(fd);
		close(fd);
	} while (!strstr(reply, "requests a second"));
}

/* A user with many hosts would fill the list for all others. Where the machine
 * is slow the request may come late enough to be served, and is no longer one
 * that was refused. */
static void what_is_refused_by_its_rate_takes_no_place(void **state)
{
	int tries = 100;

	(void)state;
	reset();
	do {
		(void)ask_between();
		ask_until_refused();
		send_kept();
		assert_true(astra_is_signed(reply));
		usleep(100000);
		send_kept();
	} while (!astra_is_signed(reply) && --tries);
	assert_true(astra_is_signed(reply));
	send_kept();
	says(reply, "was sent before");
}

static void an_older_answer_is_none(void **state)
{
	(void)state;
	reset();
	(void)ask_between();
	send_kept();
	says(ask_between(), "answers another request");
}

static void a_reply_of_another_user_is_none(void **state)
{
	static const char text[] = "astraea reply {\"to\":\"\"}";

	(void)state;
	reset();
	free(reply);
	reply = make("key", geteuid() + 1, geteuid(), time(NULL), text,
		     strlen(text));
	says(ask_between(), "and not SlurmUser");
	free(reply);
	reply = make("key", geteuid(), geteuid() + 1, time(NULL), text,
		     strlen(text));
	says(ask_between(), "signed for another user");
	free(reply);
	reply = make("other", geteuid(), geteuid(), time(NULL), text,
		     strlen(text));
	says(ask_between(), "another slurm.key each");
	free(reply);
	reply = make("key", geteuid(), geteuid(), time(NULL) - 100, text,
		     strlen(text));
	says(ask_between(), "the clocks of the two hosts differ");
	free(reply);
	reply = strdup("MUNGE:AwQ:");
	says(ask_between(), "is signed with MUNGE");
	free(reply);
	reply = NULL;
}

static void what_is_wrong_is_named(void **state)
{
	(void)state;
	reset();
	sack_key = "other";
	says(ask(path), "another slurm.key each");
	reset();
	sack_late_sec = -200;
	says(ask(path), "the clocks of the two hosts differ");
	reset();
	setenv("SLURM_SACK_SOCKET", "/nowhere/sack.socket", 1);
	says(ask(path), "SLURM_SACK_SOCKET=/nowhere/sack.socket");
	setenv("SLURM_SACK_SOCKET", sack_path, 1);
}

static int listen_at(int domain, const void *addr, socklen_t size)
{
	int fd = socket(domain, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (bind(fd, addr, size) < 0 || listen(fd, 8) < 0)
		return -1;
	return fd;
}

static int set_up(void **state)
{
	struct sockaddr_in at = {.sin_family = AF_INET};
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	socklen_t size = sizeof(at);

	(void)state;
	reset();
	(void)snprintf(un.sun_path, sizeof(un.sun_path), "%s", sack_path);
	sack_fd = listen_at(AF_UNIX, &un, sizeof(un));
	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	between_fd = listen_at(AF_INET, &at, sizeof(at));
	getsockname(between_fd, (struct sockaddr *)&at, &size);
	(void)snprintf(between, sizeof(between), "%u@127.0.0.1:%u", geteuid(),
		       ntohs(at.sin_port));
	return sack_fd < 0 || between_fd < 0 ? -1 : 0;
}

static int serve(struct astra_error *err)
{
	struct astra_server_options options = {
		.path = path,
		.listen = "127.0.0.1:0",
		.slurm_auth = &auth,
	};

	astra_server_publish(sample_report());
	if (astra_server_start(&options, err) < 0)
		return -1;
	(void)snprintf(server, sizeof(server), "%u@127.0.0.1:%u", geteuid(),
		       astra_server_port());
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_request_is_accepted_once),
		cmocka_unit_test(what_is_of_another_time_is_refused),
		cmocka_unit_test(what_came_before_the_start_is_signed_anew),
		cmocka_unit_test(a_clock_set_back_is_followed),
		cmocka_unit_test(the_list_is_bounded),
		cmocka_unit_test(what_is_no_request_is_refused),
		cmocka_unit_test(what_is_no_token_is_refused),
		cmocka_unit_test(the_name_of_a_key_is_short),
		cmocka_unit_test(a_message_has_a_bound),
		cmocka_unit_test(
			what_the_plugin_says_counts_more_than_a_munged),
		cmocka_unit_test(an_authtype_may_lack_its_first_part),
		cmocka_unit_test(who_asks_is_answered),
		cmocka_unit_test(a_request_that_is_kept_is_not_served_again),
		cmocka_unit_test(what_is_refused_by_its_rate_takes_no_place),
		cmocka_unit_test(an_older_answer_is_none),
		cmocka_unit_test(a_reply_of_another_user_is_none),
		cmocka_unit_test(what_is_wrong_is_named),
	};
	struct astra_error err = {""};
	pthread_t thread;
	int rc;

	if (!mkdtemp(folder) || chmod(folder, 0755) < 0)
		return 1;
	(void)snprintf(sack_path, sizeof(sack_path), "%s/sack", folder);
	(void)snprintf(path, sizeof(path), "%s/a.sock", folder);
	setenv("SLURM_SACK_SOCKET", sack_path, 1);
	if (set_up(NULL) < 0 || pthread_create(&thread, NULL, sackd, NULL) != 0)
		return 1;
	rc = serve(&err);
	if (rc < 0)
		print_error("%s\n", err.text);
	else
		rc = cmocka_run_group_tests(tests, NULL, NULL);
	astra_server_stop();
	shutdown(sack_fd, SHUT_RDWR);
	pthread_join(thread, NULL);
	close(sack_fd);
	close(between_fd);
	unlink(sack_path);
	rmdir(folder);
	free(request);
	free(reply);
	return rc;
}
