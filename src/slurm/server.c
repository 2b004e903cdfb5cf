/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/server.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "src/proto/sign.h"
#include "src/slurm/server_private.h"

#define POLL_MSEC 1000
#define FULL_USEC 100000

struct server {
	struct astra_server_options options;
	char *path, *munge_socket;
	dev_t device; /* of the socket that we made */
	ino_t inode;
	pthread_t thread;
	atomic_bool stop;
	int wake_fd, listen_fd;
	struct server_client clients[SERVER_CLIENTS];
	struct server_limit limit;
	struct astra_socket_stats stats;
};

/* The report outlives the server: it may be published before a start. */
static pthread_mutex_t report_lock = PTHREAD_MUTEX_INITIALIZER;
static struct astra_report *last_report;
static struct server *the_server;

void astra_server_publish(struct astra_report *report)
{
	struct astra_report *old;

	pthread_mutex_lock(&report_lock);
	old = last_report;
	last_report = report;
	pthread_mutex_unlock(&report_lock);
	astra_report_put(old);
}

static struct astra_report *borrow_report(void)
{
	struct astra_report *report = NULL;

	pthread_mutex_lock(&report_lock);
	if (last_report)
		report = astra_report_get(last_report);
	pthread_mutex_unlock(&report_lock);
	return report;
}

static int64_t now_msec(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t) ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
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
	struct astra_text reply = { .limit = ASTRA_REPLY_MAX };

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
	s->stats = (struct astra_socket_stats){ .clients = s->stats.clients };
	if (s->options.diag_reset)
		s->options.diag_reset();
}

static bool sees_all(const struct server *s, uint32_t uid)
{
	return uid == 0 || uid == s->options.slurm_uid ||
	       (s->options.is_operator && s->options.is_operator(uid));
}

/* Authenticate, decode and answer. On a fault, err says why. */
static enum astra_fault answer(struct server *s, const char *credential,
			       struct astra_text *reply,
			       struct astra_error *err)
{
	struct astra_viewer viewer = { 0 };
	struct astra_query query;
	struct astra_report *report;
	enum astra_fault fault;
	char *message;
	size_t size;

	if (astra_verify(s->munge_socket, credential, &message, &size,
			 &viewer.uid, err) < 0)
		return ASTRA_FAULT_AUTH;
	fault = astra_query_decode(message, size, &query, err);
	free(message);
	if (fault)
		return fault;
	viewer.all = sees_all(s, viewer.uid);
	report = borrow_report();
	fault = astra_answer(report, &query, &viewer, &s->stats, reply, err);
	astra_report_put(report);
	if (!fault && query.reset)
		diag_reset(s);
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
	struct astra_error err = { "" };
	enum astra_fault fault;

	if (!server_limit_allow(&s->limit, client->uid, now_msec())) {
		astra_error_set(&err,
				"more than %d requests a second: ask less often",
				SERVER_RATE);
		fault = ASTRA_FAULT_RATE;
	} else if (bytes_on_their_way(s) > SERVER_REPLIES_MAX) {
		astra_error_set(&err,
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
	struct ucred peer = { .uid = (uid_t) -1 };
	socklen_t size = sizeof(peer);
	struct server_client *place;
	int fd = accept4(s->listen_fd, NULL, NULL,
			 SOCK_CLOEXEC | SOCK_NONBLOCK);

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
	polls[0] = (struct pollfd){ .fd = s->wake_fd, .events = POLLIN };
	polls[1] = (struct pollfd){ .fd = s->listen_fd, .events = POLLIN };
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

static void *serve(void *arg)
{
	struct server *s = arg;

	while (!atomic_load(&s->stop))
		serve_once(s);
	return NULL;
}

/* All signals are slurmctld's: the thread starts with them blocked. */
static int start_thread(struct server *s, struct astra_error *err)
{
	sigset_t all, before;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&s->thread, NULL, serve, s);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (rc)
		return astra_error_set(err, "a thread for queries: %s",
				       strerror(rc));
	return 0;
}

static void destroy(struct server *s)
{
	if (s->listen_fd >= 0)
		close(s->listen_fd);
	if (s->wake_fd >= 0)
		close(s->wake_fd);
	for (int i = 0; i < SERVER_CLIENTS; i++)
		server_client_close(&s->clients[i]);
	free(s->path);
	free(s->munge_socket);
	free(s);
}

static struct server *create(const struct astra_server_options *options)
{
	struct server *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->options = *options;
	s->listen_fd = s->wake_fd = -1;
	for (int i = 0; i < SERVER_CLIENTS; i++)
		s->clients[i].fd = -1;
	s->path = strdup(options->path);
	if (options->munge_socket)
		s->munge_socket = strdup(options->munge_socket);
	s->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (!s->path || (options->munge_socket && !s->munge_socket) ||
	    s->wake_fd < 0) {
		destroy(s);
		return NULL;
	}
	return s;
}

/* Remove the socket, unless somebody has put another one in its place. */
static void remove_socket(const struct server *s)
{
	struct stat st;

	if (!lstat(s->path, &st) && st.st_dev == s->device &&
	    st.st_ino == s->inode)
		unlink(s->path);
}

static int listen_at_path(struct server *s, struct astra_error *err)
{
	struct stat st;

	s->listen_fd = server_socket_open(s->path, err);
	if (s->listen_fd < 0)
		return -1;
	if (lstat(s->path, &st) < 0)
		return astra_error_set(err, "%s: %s", s->path,
				       strerror(errno));
	s->device = st.st_dev;
	s->inode = st.st_ino;
	return 0;
}

int astra_server_start(const struct astra_server_options *options,
		       struct astra_error *err)
{
	struct server *s;

	if (the_server)
		return astra_error_set(err, "the query socket is open already");
	s = create(options);
	if (!s)
		return astra_error_nomem(err);
	if (listen_at_path(s, err) < 0) {
		destroy(s);
		return -1;
	}
	if (start_thread(s, err) < 0) {
		remove_socket(s);
		destroy(s);
		return -1;
	}
	the_server = s;
	return 0;
}

void astra_server_stop(void)
{
	struct server *s = the_server;

	if (s) {
		uint64_t one = 1;

		atomic_store(&s->stop, true);
		if (write(s->wake_fd, &one, sizeof(one)) < 0)
			(void) errno; /* poll() ends within a second anyway */
		pthread_join(s->thread, NULL);
		remove_socket(s);
		destroy(s);
		the_server = NULL;
	}
	astra_server_publish(NULL);
}
