/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The server's thread: connections, requests and replies. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "src/slurm/desk/server_private.h"

#define POLL_MSEC 1000
#define FULL_USEC 100000

/* Return a text with room for the frame's head, which is filled in when the
 * reply is sent. */
static struct astra_text begin_reply(void)
{
	struct astra_text reply = {.limit = ASTRA_REPLY_MAX};

	astra_text_add(&reply, "\0\0\0\0", ASTRA_FRAME_HEAD);
	return reply;
}

/* Send a reply. On the network, a reply to a known user is signed. If it cannot
 * be signed, for example as it is too large for a credential, the client gets
 * an error instead. */
static void send_reply(struct server *s, struct server_client *client,
		       struct astra_text *reply)
{
	struct astra_error err = {""};

	if (client->remote && client->known && !reply->failed &&
	    server_network_seal(reply, client, s->munge, &err) < 0) {
		*reply = begin_reply();
		astra_answer_fault(ASTRA_FAULT_TOO_LARGE, err.text, reply);
	}
	server_client_reply(client, reply, server_now_msec());
}

static void reply_fault(struct server *s, struct server_client *client,
			enum astra_fault fault, const char *text)
{
	struct astra_text reply = begin_reply();

	server_count(s, fault);
	astra_answer_fault(fault, text, &reply);
	send_reply(s, client, &reply);
}

static void diag_reset(struct server *s)
{
	s->stats = (struct astra_socket_stats){.clients = s->stats.clients};
	if (s->options.diag_reset)
		s->options.diag_reset();
}

/* Log a refusal, but rarely: anybody can send requests that are refused, and
 * these must not fill the log. */
static void log_refusal(struct server *s, const char *text)
{
	int64_t now = server_now_msec();

	if (!s->options.log_line || now < s->quiet_until_msec)
		return;
	s->quiet_until_msec = now + SERVER_QUIET_MSEC;
	s->options.log_line(false, text);
}

static int server_loop_keep_said(struct server *s,
				 const struct astra_report *report,
				 const struct astra_query *query,
				 const struct astra_viewer *viewer,
				 struct astra_error *err)
{
	if (astra_query_says(query) && s->options.note)
		return s->options.note(query, viewer->now_sec, err);
	if (query->kind == ASTRA_QUERY_BID && s->options.bid)
		return s->options.bid(report, query, viewer, err);
	return 0;
}

/* Answer from the last report. What jobs report is stored. */
static enum astra_fault answer_query(struct server *s,
				     struct server_client *client,
				     struct astra_query *query, uint32_t uid,
				     struct astra_text *reply,
				     struct astra_error *err)
{
	struct astra_names accounts = {0};
	struct astra_report *report;
	struct astra_viewer viewer;
	enum astra_fault fault;

	if (query->kind == ASTRA_QUERY_REPORT)
		return server_past_order(s, client, query, uid, reply, err);
	report = server_report();
	viewer = server_viewer(s, report, query, uid, &accounts);
	if (query->kind == ASTRA_QUERY_RECORD)
		fault = astra_answer_record(report, query, &viewer,
					    s->options.record, reply, err);
	else if (query->kind == ASTRA_QUERY_ADOPT)
		fault = astra_answer_adopt(report, query, &viewer,
					   s->options.adopt, reply, err);
	else
		fault = astra_answer(report, query, &viewer, &s->stats, reply,
				     err);
	if (!fault && server_loop_keep_said(s, report, query, &viewer, err) < 0)
		fault = ASTRA_FAULT_BUSY;
	astra_names_clear(&accounts);
	astra_report_put(report);
	if (!fault && query->reset)
		diag_reset(s);
	return fault;
}

static enum astra_fault too_often(struct astra_error *err)
{
	astra_error_set(err,
			"more than %d requests a second, or reports that take "
			"long: ask less often",
			SERVER_RATE);
	return ASTRA_FAULT_RATE;
}

/* Authenticate, decode and answer a request. If the answer comes later, the
 * client gets an order. On a fault, err says why. */
static enum astra_fault server_loop_answer(struct server *s,
					   struct server_client *client,
					   struct astra_text *reply,
					   struct astra_error *err)
{
	struct astra_query query;
	enum astra_fault fault;
	uint32_t uid;
	char *message;
	size_t size;

	fault = server_munge_verify(s->munge, client->request, &message, &size,
				    &uid, err);
	if (fault) {
		log_refusal(s, err->text);
		return fault;
	}
	if (client->remote) {
		client->uid = uid;
		client->known = true;
		if (!server_limit_allow(&s->limit, uid, server_now_msec())) {
			/* Such requests from many hosts would fill the list of
			 * signatures. */
			server_munge_forget(s->munge);
			free(message);
			return too_often(err);
		}
	}
	fault = astra_query_decode(message, size, &query, err);
	free(message);
	if (!fault) {
		fault = answer_query(s, client, &query, uid, reply, err);
		astra_query_destroy(&query);
	}
	if (fault)
		server_log_fault(s, uid, fault, err->text);
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

	if (!server_limit_allow(client->remote ? &s->hosts : &s->limit,
				client->uid, server_now_msec())) {
		fault = too_often(&err);
	} else if (bytes_on_their_way(s) > SERVER_REPLIES_MAX) {
		astra_error_set(
			&err,
			"too many large replies at once: ask again later");
		fault = ASTRA_FAULT_BUSY;
	} else {
		fault = server_loop_answer(s, client, &reply, &err);
	}
	if (fault) {
		astra_text_clear(&reply);
		if (atomic_load(&s->stop)) /* the server is stopping and did not
					    * wait for munged */
			server_client_close(client);
		else
			reply_fault(s, client, fault, err.text);
		return;
	}
	if (client->order)
		return;
	server_count(s, fault);
	send_reply(s, client, &reply);
}

/* Deliver the reply for which a client has waited. */
static void deliver(struct server *s, struct server_client *client)
{
	struct server_order *order = client->order;
	uid_t uid = order->uid;

	client->order = NULL;
	if (order->charged)
		server_limit_charge(&s->limit, uid, order->took_msec,
				    server_now_msec());
	if (order->fault) {
		server_log_fault(s, uid, order->fault, order->err.text);
		reply_fault(s, client, order->fault, order->err.text);
	} else {
		server_count(s, ASTRA_FAULT_NONE);
		send_reply(s, client, &order->reply);
	}
	server_order_free(order);
}

static void deliver_all(struct server *s)
{
	uint64_t count;
	ssize_t n = read(s->wake_fd, &count, sizeof(count));

	(void)n; /* the count does not matter */
	for (int i = 0; i < SERVER_CLIENTS; i++)
		if (s->clients[i].order &&
		    server_past_done(&s->past, s->clients[i].order))
			deliver(s, &s->clients[i]);
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

static void turn_away(struct server *s, int fd, uid_t uid)
{
	struct server_client client;

	server_client_open(&client, fd, false, uid, server_now_msec());
	reply_fault(s, &client, ASTRA_FAULT_BUSY,
		    "too many connections at once: ask again later");
	server_client_close(&client);
}

static void loop_drive_out(struct server *s, struct server_client *client)
{
	server_log_crowd(s, client);
	if (!client->reply.size) /* otherwise the reply is already partly
				  * sent */
		reply_fault(s, client, ASTRA_FAULT_BUSY,
			    "it came too slowly while others waited for a "
			    "place: ask again");
	server_client_close(client);
}

/* Return a place for another client; NULL: all places are in use. */
static struct server_client *loop_make_place(struct server *s, bool remote,
					     uid_t uid)
{
	for (int i = 0; i < SERVER_CLIENTS; i++) {
		int64_t now = server_now_msec();
		struct server_client *place =
			server_place_find(s, remote, uid, now);

		if (!place || place->fd < 0)
			return place;
		/* The client's missing data may have come meanwhile. */
		handle_client(s, place);
		if (server_place_is_idle(place, now))
			loop_drive_out(s, place);
	}
	return NULL;
}

/* Accept a connection from this host. The kernel tells the user (SO_PEERCRED).
 * Returns as accept(). */
static int accept_local(int listen_fd, uid_t *uid)
{
	struct ucred peer = {.uid = (uid_t)-1};
	socklen_t size = sizeof(peer);
	int fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0)
		return fd;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0)
		peer.uid = (uid_t)-1; /* treated like other users */
	*uid = peer.uid;
	return fd;
}

/* Accept the next connection. Returns false if there is none. */
static bool accept_one(struct server *s, bool remote)
{
	uid_t uid = 0;
	int fd = remote ? server_network_accept(s->network_fd, &uid)
			: accept_local(s->listen_fd, &uid);
	struct server_client *place;

	if (fd < 0 && errno != EAGAIN)
		usleep(FULL_USEC); /* no descriptors left: do not spin */
	if (fd < 0)
		return false;
	place = loop_make_place(s, remote, uid);
	if (!place) {
		turn_away(s, fd, uid);
		return true;
	}
	/* Most clients have sent their request already, and some have gone. */
	server_client_open(place, fd, remote, uid, server_now_msec());
	place->number = s->accepted++;
	handle_client(s, place);
	return true;
}

#define FIRST_CLIENT 3 /* index in the polls */

static nfds_t fill_polls(struct server *s, struct pollfd *polls)
{
	s->stats.clients = 0;
	polls[0] = (struct pollfd){.fd = s->wake_fd, .events = POLLIN};
	polls[1] = (struct pollfd){.fd = s->listen_fd, .events = POLLIN};
	polls[2] = (struct pollfd){.fd = s->network_fd, .events = POLLIN};
	for (int i = 0; i < SERVER_CLIENTS; i++) {
		const struct server_client *client = &s->clients[i];

		polls[i + FIRST_CLIENT] = (struct pollfd){
			/* poll() skips negative descriptors */
			.fd = client->order ? -1 : client->fd,
			.events = client->reply.size ? POLLOUT : POLLIN,
		};
		s->stats.clients += client->fd >= 0;
	}
	return SERVER_CLIENTS + FIRST_CLIENT;
}

static void serve_once(struct server *s)
{
	struct pollfd polls[SERVER_CLIENTS + FIRST_CLIENT];
	nfds_t count = fill_polls(s, polls);
	int64_t now;

	if (poll(polls, count, POLL_MSEC) < 0 && errno != EINTR)
		usleep(POLL_MSEC * 1000);
	deliver_all(s);
	for (int i = 0; i < SERVER_CLIENTS && !atomic_load(&s->stop); i++)
		if (s->clients[i].fd >= 0 && polls[i + FIRST_CLIENT].revents)
			handle_client(s, &s->clients[i]);
	now = server_now_msec();
	for (int i = 0; i < SERVER_CLIENTS; i++)
		if (s->clients[i].fd >= 0 && now >= s->clients[i].until_msec)
			expire(s, &s->clients[i]);
	for (int remote = 0; remote < 2; remote++)
		for (int i = 0; polls[1 + remote].revents &&
				i < SERVER_CLIENTS && accept_one(s, remote);
		     i++)
			;
}

void *server_run(void *arg)
{
	struct server *s = arg;

	while (!atomic_load(&s->stop))
		serve_once(s);
	return NULL;
}
