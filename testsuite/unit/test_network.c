/* SPDX-License-Identifier: GPL-2.0-or-later */
/* At which port the server answers, and who is asked in vain. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "src/proto/dial.h"
#include "src/proto/listen.h"
#include "src/proto/sign.h"
#include "src/slurm/desk/server.h"
#include "src/slurm/desk/server_private.h"
#include "testsuite/unit/proto_munged.h"
#include "testsuite/unit/proto_sample.h"
#include "testsuite/unit/stranger.h"
#include "testsuite/unit/unit.h"

#define TENANT "{\"astraea\":1,\"request\":\"tenant\"}"

static struct test_munged munged;
static char path[100];
static char logged[512]; /* the last error */

static void log_line(bool error, const char *text)
{
	if (error)
		snprintf(logged, sizeof(logged), "%s", text);
}

/* Returns the port that is listened at. */
static unsigned int serve(const char *listen, bool any_port)
{
	const struct astra_server_options options = {
		.path = path,
		.listen = listen,
		.any_port = any_port,
		.munge_socket = munged.socket,
		.log_line = log_line,
	};
	struct astra_error err = {""};

	*logged = '\0';
	astra_server_publish(sample_report());
	if (astra_server_start(&options, &err) < 0)
		fail_msg("%s", err.text);
	return astra_server_port();
}

static int ask(unsigned int port, int wait_sec, struct astra_error *err)
{
	char to[64], *text = NULL;
	int rc;

	snprintf(to, sizeof(to), "%u@127.0.0.1:%u", geteuid(), port);
	rc = astra_call_within(to, munged.socket, TENANT, wait_sec, &text, err);
	free(text);
	return rc;
}

/* A port that is listened at by nobody who answers. */
static int take_port(int backlog, unsigned int *port)
{
	struct sockaddr_in addr = {.sin_family = AF_INET};
	socklen_t size = sizeof(addr);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(fd, (struct sockaddr *)&addr, size), 0);
	assert_int_equal(listen(fd, backlog), 0);
	getsockname(fd, (struct sockaddr *)&addr, &size);
	*port = ntohs(addr.sin_port);
	return fd;
}

static int knock(unsigned int port)
{
	struct sockaddr_in addr = {.sin_family = AF_INET,
				   .sin_port = htons((uint16_t)port)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	(void)!connect(fd, (struct sockaddr *)&addr, sizeof(addr));
	return fd;
}

static void a_port_that_is_taken_is_passed_over_by_default(void **state)
{
	struct astra_error err = {""};
	unsigned int taken, port;
	int fd = take_port(1, &taken);
	char where[64];

	(void)state;
	snprintf(where, sizeof(where), "127.0.0.1:%u", taken);
	port = serve(where, true);
	assert_true(port && port != taken);
	assert_string_equal(logged, "");
	assert_int_equal(ask(port, 5, &err), 0);
	astra_server_stop();
	assert_int_equal(astra_server_port(), 0);
	close(fd);
	assert_int_equal(serve(where, true), taken);
	astra_server_stop();
}

static void one_that_the_site_names_is_an_error(void **state)
{
	unsigned int taken;
	int fd = take_port(1, &taken);
	char where[64];

	(void)state;
	snprintf(where, sizeof(where), "127.0.0.1:%u", taken);
	assert_int_equal(serve(where, false), 0);
	assert_non_null(strstr(logged, where));
	assert_non_null(strstr(logged, "in use"));
	assert_string_equal(astra_server_network_error(), logged);
	astra_server_stop();
	close(fd);
}

static void an_address_is_a_number(void **state)
{
	static const struct {
		const char *where;
		bool numeric;
	} cases[] = {
		{"7000", true},
		{"127.0.0.1:7000", true},
		{"[::1]:7000", true},
		{"localhost:7000", false},
		{"1.2.3.999:7000", false},
	};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++)
		assert_int_equal(astra_listen_numeric(cases[i].where),
				 cases[i].numeric);
	assert_int_equal(serve("localhost:7000", false), 0);
	assert_non_null(strstr(logged, "localhost:7000: the address is no"));
	astra_server_stop();
}

static void who_is_gone_is_absent(void **state)
{
	struct astra_error err = {""};
	unsigned int port;
	char wanted[64];

	(void)state;
	close(take_port(1, &port));
	assert_int_equal(ask(port, 5, &err), ASTRA_ABSENT);
	snprintf(wanted, sizeof(wanted), "127.0.0.1 port %u: ", port);
	assert_non_null(strstr(err.text, wanted));
}

/* As a firewall does: what connects gets no answer. */
static void who_is_not_heard_is_given_up(void **state)
{
	struct astra_error err = {""};
	char wanted[64];
	unsigned int port;
	int listening = take_port(0, &port), fds[3];

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(fds); i++)
		fds[i] = knock(port);
	assert_int_equal(ask(port, 1, &err), -1);
	snprintf(wanted, sizeof(wanted), "127.0.0.1 port %u: ", port);
	assert_non_null(strstr(err.text, wanted));
	assert_non_null(strstr(err.text, "firewall"));
	for (size_t i = 0; i < ASTRA_COUNT_OF(fds); i++)
		close(fds[i]);
	close(listening);
}

/* A connection from that address that asks nothing. */
static int crowd_one(unsigned int port, const char *from)
{
	struct sockaddr_in addr = {.sin_family = AF_INET};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(inet_pton(AF_INET, from, &addr.sin_addr), 1);
	assert_int_equal(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	addr.sin_port = htons((uint16_t)port);
	assert_int_equal(connect(fd, (struct sockaddr *)&addr, sizeof(addr)),
			 0);
	return fd;
}

/* What the server has said to one that asks nothing. */
static const char *crowd_heard(int fd)
{
	static char reply[512];
	ssize_t n = recv(fd, reply, sizeof(reply) - 1, MSG_DONTWAIT);

	reply[n > 0 ? n : 0] = '\0';
	return n > ASTRA_FRAME_HEAD ? reply + ASTRA_FRAME_HEAD : "";
}

/* More than there are places for: on the network, or of a host. */
static void who_asks_nothing_keeps_nobody_out(void **state)
{
	static const char *const hosts[][2] = {
		{"127.0.0.2", "127.0.0.3"},
		{"127.0.0.1", "127.0.0.1"},
	};
	unsigned int port = serve("127.0.0.1:0", false);
	struct astra_error err = {""};
	int fds[48];

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(hosts); i++) {
		for (size_t k = 0; k < ASTRA_COUNT_OF(fds); k++)
			fds[k] = crowd_one(port, hosts[i][k % 2]);
		if (ask(port, 5, &err) < 0)
			fail_msg("%s: %s", hosts[i][0], err.text);
		assert_non_null(strstr(crowd_heard(fds[0]), "\"busy\""));
		/* No more of them than need be. */
		assert_string_equal(crowd_heard(fds[47]), "");
		for (size_t k = 0; k < ASTRA_COUNT_OF(fds); k++)
			close(fds[k]);
	}
	assert_non_null(strstr(logged, "host 127.0.0."));
	astra_server_stop();
}

/* Hosts of the network, one connection each that nobody may close, get half of
 * the places: the others are for local users. */
static void local_users_find_a_place_beside_the_network(void **state)
{
	struct server *s = calloc(1, sizeof(*s));
	struct server_client *place;
	int remotes = 0;

	(void)state;
	assert_non_null(s);
	for (int i = 0; i < SERVER_CLIENTS; i++)
		s->clients[i].fd = -1;
	while ((place = server_place_find(s, true, (uid_t)remotes, 0))) {
		assert_int_equal(place->fd, -1);
		*place = (struct server_client){
			.fd = 0,
			.remote = true,
			.uid = (uid_t)remotes++,
			.reply.size = 1,
			.until_msec = SERVER_REPLY_MSEC,
		};
	}
	assert_int_equal(remotes, SERVER_CLIENTS_REMOTE);
	assert_non_null(server_place_find(s, false, 0, 0));
	free(s);
}

/* A server of the test's: so often busy before it answers. */
static struct {
	int fd, busy, asked;
} slack;

static void *slack_run(void *arg)
{
	static const char good[] = "{\"astraea\":1}";
	static const char busy[] =
		"{\"astraea\":1,\"error\":{\"code\":\"busy\",\"text\":\"later\"}}";
	char buffer[4096];
	int fd;

	while ((fd = accept(slack.fd, NULL, NULL)) >= 0) {
		const char *reply = slack.asked++ < slack.busy ? busy : good;
		uint8_t head[ASTRA_FRAME_HEAD];

		if (recv(fd, head, sizeof(head), MSG_WAITALL) > 0)
			(void)!recv(fd, buffer, astra_frame_read(head),
				    MSG_WAITALL);
		astra_frame_write(head, strlen(reply));
		(void)!send(fd, head, sizeof(head), MSG_NOSIGNAL);
		(void)!send(fd, reply, strlen(reply), MSG_NOSIGNAL);
		close(fd);
	}
	return arg;
}

/* Returns what it says in the end, for free(). */
static char *slack_ask(int busy, char *to, struct astra_error *err)
{
	pthread_t thread;
	char *text = NULL;

	slack.busy = busy;
	slack.asked = 0;
	pthread_create(&thread, NULL, slack_run, NULL);
	(void)astra_call(to, munged.socket, TENANT, &text, err);
	shutdown(slack.fd, SHUT_RDWR);
	pthread_join(thread, NULL);
	close(slack.fd);
	return text;
}

static void who_is_busy_is_asked_again(void **state)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	struct astra_error err = {""};
	unsigned int port;
	char to[64], *text;

	(void)state;
	for (int busy = 2; busy < 1000; busy += 900) {
		memcpy(addr.sun_path, path, sizeof(path));
		slack.fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
		unlink(path);
		assert_int_equal(
			bind(slack.fd, (struct sockaddr *)&addr, sizeof(addr)),
			0);
		assert_int_equal(listen(slack.fd, 4), 0);
		text = slack_ask(busy, path, &err);
		assert_int_equal(!strstr(text, "busy"), busy == 2);
		assert_true(busy == 2 ? slack.asked == 3 : slack.asked < 20);
		free(text);
	}
	unlink(path);
	/* Over the network nobody has signed it. */
	slack.fd = take_port(4, &port);
	snprintf(to, sizeof(to), "%u@127.0.0.1:%u", geteuid(), port);
	assert_null(slack_ask(2, to, &err));
	assert_int_equal(slack.asked, 3);
	assert_non_null(strstr(err.text, "not signed"));
}

/* A client is to ask again, as of a slurmctld that is being replaced. */
static void who_stops_refuses_nobody(void **state)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	struct astra_error err = {""};
	char *credential =
		astra_sign(munged.socket, TENANT, strlen(TENANT), &err);
	uint8_t head[ASTRA_FRAME_HEAD];
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)state;
	assert_int_equal(serve(NULL, false), 0);
	memcpy(addr.sun_path, path, sizeof(path));
	assert_int_equal(connect(fd, (struct sockaddr *)&addr, sizeof(addr)),
			 0);
	kill(munged.pid, SIGSTOP);
	astra_frame_write(head, strlen(credential));
	assert_int_equal(send(fd, head, sizeof(head), 0), sizeof(head));
	assert_int_equal(send(fd, credential, strlen(credential), 0),
			 strlen(credential));
	usleep(200000); /* it asks munged now */
	astra_server_stop();
	kill(munged.pid, SIGCONT);
	assert_int_equal(recv(fd, head, sizeof(head), 0), 0);
	close(fd);
	free(credential);
}

/* Returns the error's text, or "". */
static const char *dial_as(const char *user, const struct stranger *s)
{
	static struct astra_error err;
	struct astra_peer peer;
	char to[128];
	int fd;

	err = (struct astra_error){""};
	snprintf(to, sizeof(to), "%s%s", user, s->path);
	fd = astra_dial(to, 5, &peer, &err);
	if (fd >= 0)
		close(fd);
	return err.text;
}

/* user: as before an @; "": not known. folder: whose it is. */
static void who_listens_at_a_socket_is_known(void **state)
{
	static const struct {
		const char *user;
		uid_t listens, folder;
		bool good;
	} cases[] = {
		{"4711@", 4711, 0, true},
		{"4711@", STRANGER, 0, false},
		{"4711@", STRANGER, STRANGER, false},
		{"4711@", 65534, 0, false},
		{"", STRANGER, 0, false},
		{"", 65534, 0, false},
		{"", 4711, 4711, true},
		{"4711@", 0, 4711, true},
		{"", 0, 4711, true},
	};

	(void)state;
	if (geteuid() != 0)
		skip();
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		struct stranger s;
		const char *said;

		assert_int_equal(
			stranger_start(&s, cases[i].listens, cases[i].folder),
			0);
		said = dial_as(cases[i].user, &s);
		stranger_stop(&s);
		if (!*said != cases[i].good ||
		    (*said && !strstr(said, "neither root nor SlurmUser")))
			fail_msg("case %zu: %s", i, said);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_listens_at_a_socket_is_known),
		cmocka_unit_test(
			a_port_that_is_taken_is_passed_over_by_default),
		cmocka_unit_test(one_that_the_site_names_is_an_error),
		cmocka_unit_test(an_address_is_a_number),
		cmocka_unit_test(who_is_gone_is_absent),
		cmocka_unit_test(who_is_not_heard_is_given_up),
		cmocka_unit_test(who_stops_refuses_nobody),
		cmocka_unit_test(who_asks_nothing_keeps_nobody_out),
		cmocka_unit_test(local_users_find_a_place_beside_the_network),
		cmocka_unit_test(who_is_busy_is_asked_again),
	};
	int rc;

	if (test_munged_start(&munged) < 0) {
		fputs("SKIP: munged cannot be started here\n", stderr);
		return 77;
	}
	snprintf(path, sizeof(path), "%s/a.sock", munged.folder);
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	test_munged_stop(&munged);
	return rc;
}
