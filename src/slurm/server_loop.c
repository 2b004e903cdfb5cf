/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The server's thread: who connects, what is asked, who is answered. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "src/proto/sign.h"
#include "src/slurm/server_private.h"

#define POLL_MSEC 1000
#define FULL_USEC 100000
#define QUIET_MSEC 60000 /* between two log lines of one kind */

static int64_t now_msec(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static void count_fault(struct server *s, enum astra_fault fault)
{
	switch (fault) {
	case ASTRA_FAULT_NONE:
		s->stats.answered++;
		break;
	case ASTRA_FAULT_AUTH:
		s->stats.unauthenticated++;
		break;
	case ASTRA_FAULT_RATE:
		s->stats.limited++;
		break;
	case ASTRA_FAULT_BUSY:
		s->stats.turned_away++;
		break;
	case ASTRA_FAULT_TIMEOUT:
		s->stats.timed_out++;
		break;
	case ASTRA_FAULT_TOO_LARGE:
		s->stats.too_large++;
		break;
	case ASTRA_FAULT_MALFORMED:
	case ASTRA_FAULT_VERSION:
		s->stats.malformed++;
		break;
	default:
		s->stats.refused++;
	}
}

/* A text with room for the frame's head, which is written when it is sent. */
static struct astra_text begin_reply(void)
{
	struct astra_text reply = {.limit = ASTRA_REPLY_MAX};

	astra_text_add(&reply, "\0\0\0\0", ASTRA_FRAME_HEAD);
	return reply;
}

static void reply_fault(struct server *s, struct server_client *client,
			enum astra_fault fault, const char *text)
{
	struct astra_text reply = begin_reply();

	count_fault(s, fault);
	astra_answer_fault(fault, text, &reply);
	server_client_reply(client, &reply, now_msec());
}

static void diag_reset(struct server *s)
{
	s->stats = (struct astra_socket_stats){.clients = s->stats.clients};
	if (s->options.diag_reset)
		s->options.diag_reset();
}

/* Anybody can send what is refused: that must not fill the log. */
static void log_refusal(struct server *s, const char *text)
{
	int64_t now = now_msec();

	if (!s->options.log_line || now < s->quiet_until_msec)
		return;
	s->quiet_until_msec = now + QUIET_MSEC;
	s->options.log_line(false, text);
}

static bool sees_all(const struct server *s, uint32_t uid)
{
	return uid == 0 || uid == s->options.slurm_uid ||
	       (s->options.is_operator && s->options.is_operator(uid));
}

static double wall_sec(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* From the last report; and what a job says is kept. */
static enum astra_fault answer_query(struct server *s,
				     const struct astra_query *query,
				     uint32_t uid, struct astra_text *reply,
				     struct astra_error *err)
{
	const struct astra_viewer viewer = {
		.uid = uid,
		.all = sees_all(s, uid),
		.now_sec = wall_sec(),
	};
	struct astra_report *report = server_report();
	enum astra_fault fault =
		astra_answer(report, query, &viewer, &s->stats, reply, err);

	astra_report_put(report);
	if (!fault && astra_query_says(query) && s->options.note &&
	    s->options.note(query, viewer.now_sec, err) < 0)
		fault = ASTRA_FAULT_BUSY;
	if (!fault && query->reset)
		diag_reset(s);
	return fault;
}

/* Authenticate, decode and answer. On a fault, err says why. */
static enum astra_fault answer(struct server *s, const char *credential,
			       struct astra_text *reply,
			       struct astra_error *err)
{
	struct astra_query query;
	enum astra_fault fault;
	uint32_t uid;
	char *message;
	size_t size;

	if (astra_verify(s->munge_socket, credential, &message, &size, &uid,
			 err) < 0) {
		log_refusal(s, err->text);
		return ASTRA_FAULT_AUTH;
	}
	fault = astra_query_decode(message, size, &query, err);
	free(message);
	if (fault)
		return fault;
	fault = answer_query(s, &query, uid, reply, err);
	if (fault == ASTRA_FAULT_DENIED)
		log_refusal(s, err->text);
	astra_query_destroy(&query);
	return fault;
}

static size_t bytes_on_their_way(const struct server *s)
{
	size_t sum = 0;

	for (int i = 0; i < SERVER_CLIENTS; i++)
		sum += s->clients[i].reply.room;
	return sum;
}

static void handle_request(struct server *s, struct server_client *client)
{
	struct astra_text reply = begin_reply();
	struct astra_error err = {""};
	enum astra_fault fault;

	if (!server_limit_allow(&s->limit, client->uid, now_msec())) {
		astra_error_set(
			&err, "more than %d requests a second: ask less often",
			SERVER_RATE);
		fault = ASTRA_FAULT_RATE;
	} else if (bytes_on_their_way(s) > SERVER_REPLIES_MAX) {
		astra_error_set(
			&err,
			"too many large replies at once: ask again later");
		fault = ASTRA_FAULT_BUSY;
	} else {
		fault = answer(s, client->request, &reply, &err);
	}
	if (fault) {
		astra_text_clear(&reply);
		reply_fault(s, client, fault, err.text);
		return;
	}
	count_fault(s, fault);
	server_client_reply(client, &reply, now_msec());
}

static void handle_client(struct server *s, struct server_client *client)
{
	enum server_step step;

	if (client->reply.size) {
		if (server_client_send(client) == SERVER_CLOSE)
			server_client_close(client);
		return;
	}
	step = server_client_receive(client);
	if (step == SERVER_REQUEST)
		handle_request(s, client);
	else if (step == SERVER_LARGE)
		reply_fault(s, client, ASTRA_FAULT_TOO_LARGE,
			    "a request has at most 1 MiB");
	else if (step == SERVER_CLOSE)
		server_client_close(client);
}

static void expire(struct server *s, struct server_client *client)
{
	if (client->reply.size) {
		s->stats.timed_out++;
		server_client_close(client);
		return;
	}
	reply_fault(s, client, ASTRA_FAULT_TIMEOUT,
		    "the request did not arrive within 5 s");
}

static struct server_client *free_place(struct server *s, uid_t uid)
{
	struct server_client *place = NULL;
	int same = 0;

	for (int i = 0; i < SERVER_CLIENTS; i++) {
		if (s->clients[i].fd < 0)
			place = &s->clients[i];
		else if (s->clients[i].uid == uid)
			same++;
	}
	return same < SERVER_CLIENTS_PER_UID ? place : NULL;
}

static void turn_away(struct server *s, int fd, uid_t uid)
{
	struct server_client client;

	server_client_open(&client, fd, uid, now_msec());
	reply_fault(s, &client, ASTRA_FAULT_BUSY,
		    "too many connections at once: ask again later");
	server_client_close(&client);
}

/* The next connection; false: there is none. */
static bool accept_one(struct server *s)
{
	struct ucred peer = {.uid = (uid_t)-1};
	socklen_t size = sizeof(peer);
	struct server_client *place;
	int fd =
		accept4(s->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0 && errno != EAGAIN)
		usleep(FULL_USEC); /* no descriptors left: do not spin */
	if (fd < 0)
		return false;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0) {
		close(fd);
		return true;
	}
	place = free_place(s, peer.uid);
	if (!place) {
		turn_away(s, fd, peer.uid);
		return true;
	}
	/* Most requests are there already, and some clients gone again. */
	server_client_open(place, fd, peer.uid, now_msec());
	handle_client(s, place);
	return true;
}

static nfds_t fill_polls(struct server *s, struct pollfd *polls)
{
	s->stats.clients = 0;
	polls[0] = (struct pollfd){.fd = s->wake_fd, .events = POLLIN};
	polls[1] = (struct pollfd){.fd = s->listen_fd, .events = POLLIN};
	for (int i = 0; i < SERVER_CLIENTS; i++) {
		const struct server_client *client = &s->clients[i];

		polls[i + 2] = (struct pollfd){
			.fd = client->fd, /* poll() skips negative ones */
			.events = client->reply.size ? POLLOUT : POLLIN,
		};
		s->stats.clients += client->fd >= 0;
	}
	return SERVER_CLIENTS + 2;
}

static void serve_once(struct server *s)
{
	struct pollfd polls[SERVER_CLIENTS + 2];
	nfds_t count = fill_polls(s, polls);
	int64_t now;

	if (poll(polls, count, POLL_MSEC) < 0 && errno != EINTR)
		usleep(POLL_MSEC * 1000);
	for (int i = 0; i < SERVER_CLIENTS && !atomic_load(&s->stop); i++)
		if (s->clients[i].fd >= 0 && polls[i + 2].revents)
			handle_client(s, &s->clients[i]);
	now = now_msec();
	for (int i = 0; i < SERVER_CLIENTS; i++)
		if (s->clients[i].fd >= 0 && now >= s->clients[i].until_msec)
			expire(s, &s->clients[i]);
	if (polls[1].revents)
		for (int i = 0; i < SERVER_CLIENTS && accept_one(s); i++)
			;
}

void *server_run(void *arg)
{
	struct server *s = arg;

	while (!atomic_load(&s->stop))
		serve_once(s);
	return NULL;
}
