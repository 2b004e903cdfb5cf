/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A client of the server: its connection, its place among the clients, its
 * user, how often it may ask, and what is logged about it. */
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "src/common/clock.h"
#include "src/slurm/desk/server_private.h"

void server_client_open(struct server_client *client, int fd, bool remote,
			uid_t uid, int64_t now_msec)
{
	*client = (struct server_client){
		.fd = fd,
		.remote = remote,
		.uid = uid,
		.until_msec = now_msec + SERVER_REQUEST_MSEC,
	};
}

void server_client_close(struct server_client *client)
{
	if (client->fd < 0)
		return;
	close(client->fd);
	free(client->request);
	astra_text_clear(&client->reply);
	server_order_free(client->order);
	*client = (struct server_client){.fd = -1};
}

static bool again(void)
{
	return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

/* Allocate the request once its length is known. */
static enum server_step begin_request(struct server_client *client)
{
	size_t size = astra_frame_read(client->head);

	if (size > ASTRA_REQUEST_MAX)
		return SERVER_LARGE;
	client->request = calloc(1, size + 1);
	if (!client->request)
		return SERVER_CLOSE;
	client->request_size = size;
	return size ? SERVER_WAIT : SERVER_REQUEST;
}

static enum server_step receive_some(struct server_client *client)
{
	bool in_head = client->received < ASTRA_FRAME_HEAD;
	size_t whole = ASTRA_FRAME_HEAD + client->request_size;
	void *to =
		in_head ? (void *)(client->head + client->received)
			: client->request + client->received - ASTRA_FRAME_HEAD;
	size_t want = (in_head ? ASTRA_FRAME_HEAD : whole) - client->received;
	ssize_t n = recv(client->fd, to, want, 0);

	if (n < 0)
		return again() ? SERVER_WAIT : SERVER_CLOSE;
	if (n == 0)
		return SERVER_CLOSE;
	client->received += (size_t)n;
	if (in_head && client->received == ASTRA_FRAME_HEAD)
		return begin_request(client);
	if (!in_head && client->received == whole)
		return SERVER_REQUEST;
	return SERVER_WAIT;
}

enum server_step server_client_receive(struct server_client *client)
{
	size_t before;
	enum server_step step;

	do {
		before = client->received;
		step = receive_some(client);
	} while (step == SERVER_WAIT && client->received > before);
	return step;
}

enum server_step server_client_send(struct server_client *client)
{
	size_t left = client->reply.size - client->sent;
	ssize_t n = send(client->fd, client->reply.bytes + client->sent, left,
			 MSG_NOSIGNAL);

	if (n < 0)
		return again() ? SERVER_WAIT : SERVER_CLOSE;
	client->sent += (size_t)n;
	return (size_t)n == left ? SERVER_CLOSE : SERVER_WAIT;
}

void server_client_reply(struct server_client *client, struct astra_text *text,
			 int64_t now_msec)
{
	free(client->request);
	client->request = NULL;
	client->request_size = 0;
	if (text->failed || text->size < ASTRA_FRAME_HEAD) {
		astra_text_clear(text);
		server_client_close(client);
		return;
	}
	astra_frame_write((uint8_t *)text->bytes,
			  text->size - ASTRA_FRAME_HEAD);
	client->reply = *text;
	*text = (struct astra_text){0};
	client->until_msec = now_msec + SERVER_REPLY_MSEC;
	if (server_client_send(client) == SERVER_CLOSE)
		server_client_close(client);
}

/* Return the user's bucket. If there is none, reset and return the bucket that
 * was not used for the longest time. */
static struct server_bucket *server_limit_bucket_of(struct server_limit *limit,
						    uid_t uid, int64_t now_msec)
{
	struct server_bucket *oldest = &limit->buckets[0];

	for (size_t i = 0; i < SERVER_BUCKETS; i++) {
		struct server_bucket *bucket = &limit->buckets[i];

		if (bucket->at_msec && bucket->uid == uid)
			return bucket;
		if (bucket->at_msec < oldest->at_msec)
			oldest = bucket;
	}
	*oldest = (struct server_bucket){
		.uid = uid,
		.at_msec = now_msec,
		.tokens = SERVER_RATE,
	};
	return oldest;
}

void server_limit_charge(struct server_limit *limit, uid_t uid,
			 int64_t work_msec, int64_t now_msec)
{
	if (work_msec > SERVER_FREE_MSEC)
		server_limit_bucket_of(limit, uid, now_msec)->tokens -=
			(double)work_msec / 1000 * SERVER_RATE *
			SERVER_WORK_PART;
}

bool server_limit_allow(struct server_limit *limit, uid_t uid, int64_t now_msec)
{
	struct server_bucket *bucket =
		server_limit_bucket_of(limit, uid, now_msec);
	double passed = (double)(now_msec - bucket->at_msec) / 1000;

	bucket->tokens += passed * SERVER_RATE;
	if (bucket->tokens > SERVER_RATE)
		bucket->tokens = SERVER_RATE;
	bucket->at_msec = now_msec;
	if (bucket->tokens < 1)
		return false;
	bucket->tokens -= 1;
	return true;
}

bool server_sees_all(const struct server *s, uint32_t uid)
{
	return uid == 0 || uid == s->options.slurm_uid ||
	       (s->options.is_operator && s->options.is_operator(uid));
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Add accounts whose data the user may see although PrivateData hides it. */
static void add_accounts(const struct server *s,
			 const struct astra_report *report,
			 struct astra_viewer *viewer,
			 struct astra_names *accounts)
{
	if (viewer->all || !report || !s->options.accounts_of ||
	    (!report->privacy.jobs && !report->privacy.usage))
		return;
	(void)s->options.accounts_of(viewer->uid, accounts);
	if (accounts->count)
		qsort(accounts->names, accounts->count,
		      sizeof(*accounts->names), compare_names);
	viewer->accounts = accounts;
}

struct astra_viewer server_viewer(const struct server *s,
				  const struct astra_report *report,
				  const struct astra_query *query, uint32_t uid,
				  struct astra_names *accounts)
{
	struct astra_viewer viewer = {
		.uid = query->public ? ASTRA_REPORT_NO_UID : uid,
		.all = !query->public && server_sees_all(s, uid),
		.now_sec = astra_now_sec(CLOCK_REALTIME),
	};

	if (!query->public)
		add_accounts(s, report, &viewer, accounts);
	return viewer;
}

/* Write "uid 1000" or "host 10.0.0.1". */
static void server_place_name(const struct server_client *client, char *text,
			      size_t size)
{
	struct sockaddr_storage addr = {0};
	socklen_t length = sizeof(addr);
	char host[128] = "?"; /* longer than any address */

	if (!client->remote) {
		(void)snprintf(text, size, "uid %u", client->uid);
		return;
	}
	if (!getpeername(client->fd, (struct sockaddr *)&addr, &length))
		(void)getnameinfo((struct sockaddr *)&addr, length, host,
				  sizeof(host), NULL, 0, NI_NUMERICHOST);
	(void)snprintf(text, size, "host %s", host);
}

/* Whether a refusal of this kind for the user is new. Remembers it. */
static bool is_first(struct server_noted *noted, uid_t uid,
		     enum astra_fault fault)
{
	for (size_t i = 0; i < SERVER_NOTED; i++)
		if (noted->list[i].fault == fault && noted->list[i].uid == uid)
			return false;
	noted->list[noted->next].uid = uid;
	noted->list[noted->next].fault = fault;
	noted->next = (noted->next + 1) % SERVER_NOTED;
	return true;
}

void server_log_fault(struct server *s, uid_t uid, enum astra_fault fault,
		      const char *text)
{
	char line[sizeof(struct astra_error) + 64];

	if ((fault != ASTRA_FAULT_DENIED && fault != ASTRA_FAULT_MALFORMED) ||
	    !s->options.log_line || !is_first(&s->noted, uid, fault))
		return;
	(void)snprintf(line, sizeof(line), "a request of uid %u is refused: %s",
		       uid, text);
	for (char *at = line; *at; at++)
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			*at = '?';
	s->options.log_line(false, line);
}

void server_log_crowd(struct server *s, const struct server_client *client)
{
	int64_t now = server_now_msec();
	char name[300], line[400];

	if (!s->options.log_line || now < s->crowd_until_msec)
		return;
	s->crowd_until_msec = now + SERVER_QUIET_MSEC;
	server_place_name(client, name, sizeof(name));
	(void)snprintf(
		line, sizeof(line),
		"the places for queries are taken: one of %s, which asks "
		"nothing, is closed for another",
		name);
	s->options.log_line(true, line);
}

void server_count(struct server *s, enum astra_fault fault)
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

/* Finding a place for a connection. If none is free, the connection takes the
 * place of the oldest one that has sent no request. Honest clients send their
 * request at once, so a crowd of idle connections keeps nobody out. */

/* If a network client has not taken its reply for this long, another client may
 * take its place. */
#define PLACE_SLOW_MSEC 1000

static bool place_is_own(const struct server_client *client, bool remote,
			 uid_t uid)
{
	return client->remote == remote && client->uid == uid && !client->known;
}

/* Return how long the client has left its reply untaken. */
static int64_t place_untaken_msec(const struct server_client *client,
				  int64_t now_msec)
{
	return SERVER_REPLY_MSEC - (client->until_msec - now_msec);
}

bool server_place_is_idle(const struct server_client *client, int64_t now_msec)
{
	if (client->fd < 0 || client->order)
		return false;
	return !client->reply.size ||
	       (client->remote &&
		place_untaken_msec(client, now_msec) >= PLACE_SLOW_MSEC);
}

/* Whether client a loses its place before b. Clients without a request come
 * before clients that do not take their reply; within each group the oldest
 * comes first. */
static bool place_goes_before(const struct server_client *a,
			      const struct server_client *b)
{
	if (!b || !a->reply.size != !b->reply.size)
		return !b || !a->reply.size;
	return a->number < b->number;
}

/* Find a client that may lose its place. own: only a client of that user or
 * host; otherwise any local client, or any on the network. */
static struct server_client *place_of_idle(struct server *s, bool own,
					   bool remote, uid_t uid,
					   int64_t now_msec)
{
	struct server_client *best = NULL;

	for (int i = 0; i < SERVER_CLIENTS; i++) {
		struct server_client *client = &s->clients[i];

		if (client->remote == remote &&
		    (!own || place_is_own(client, remote, uid)) &&
		    server_place_is_idle(client, now_msec) &&
		    place_goes_before(client, best))
			best = client;
	}
	return best;
}

struct server_client *server_place_find(struct server *s, bool remote,
					uid_t uid, int64_t now_msec)
{
	struct server_client *place = NULL;
	int own = 0, remotes = 0;

	for (int i = 0; i < SERVER_CLIENTS; i++) {
		struct server_client *client = &s->clients[i];

		if (client->fd < 0)
			place = client;
		else
			own += place_is_own(client, remote, uid);
		remotes += client->fd >= 0 && client->remote;
	}
	if (own >= SERVER_CLIENTS_PER_UID)
		return place_of_idle(s, true, remote, uid, now_msec);
	if (place && (!remote || remotes < SERVER_CLIENTS_REMOTE))
		return place;
	return place_of_idle(s, false, remote, uid, now_msec);
}
