/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/cmd/sfair/http.h"

#ifdef ASTRA_MICROHTTPD

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "src/common/clock.h"
#include "src/proto/listen.h"

#define IDLE_SEC 10  /* without any byte */
#define WHOLE_SEC 30 /* at most, for a request and its response */
#define QUIET_SEC 60 /* least time between two lines about refused hosts */
#define LEAVING 64   /* most connections that are ended, but not closed yet */

/* A connection, and the time by which its request or response must be
 * complete. */
struct http_client {
	int fd; /* -1: none */
	bool leaves;
	bool answered; /* its request is complete, but its response is not yet
			* sent */
	time_t until_sec;
	uint64_t turn;		 /* order of connections by their begin or last
				  * response */
	struct in6_addr address; /* an IPv4 address is mapped to IPv6 */
};

struct http_server {
	const struct http_options *options;
	pthread_mutex_t lock;	     /* of clients and turn */
	uint64_t turn;		     /* the last one given */
	struct http_client *clients; /* options->clients + LEAVING of them */
	time_t told_sec;	     /* when a refused host was last reported */
};

static time_t http_now_sec(void)
{
	return (time_t)astra_now_sec(CLOCK_MONOTONIC);
}

static const char *http_host_of(const struct sockaddr *address, socklen_t size,
				char text[128], char port[16])
{
	if (getnameinfo(address, size, text, 128, port, 16,
			NI_NUMERICHOST | NI_NUMERICSERV))
		snprintf(text, 128, "?");
	return text;
}

/* ---- Responses. ---- */

static enum MHD_Result http_queue(struct MHD_Connection *connection,
				  unsigned int status, const char *type,
				  const char *allow,
				  struct MHD_Response *response)
{
	enum MHD_Result rc;

	if (!response)
		return MHD_NO; /* closes the connection */
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	if (allow)
		MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, allow);
	rc = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return rc;
}

enum MHD_Result http_reply(struct MHD_Connection *connection,
			   unsigned int status, const char *type,
			   const char *body, size_t size)
{
	return http_queue(
		connection, status, type, NULL,
		MHD_create_response_from_buffer(size, (void *)(uintptr_t)body,
						MHD_RESPMEM_MUST_COPY));
}

static enum MHD_Result http_refuse(struct MHD_Connection *connection,
				   unsigned int status, const char *text)
{
	return http_queue(
		connection, status, HTTP_TEXT,
		status == MHD_HTTP_METHOD_NOT_ALLOWED ? "GET, HEAD" : NULL,
		MHD_create_response_from_buffer(strlen(text),
						(void *)(uintptr_t)text,
						MHD_RESPMEM_PERSISTENT));
}

static bool http_is_known(const struct http_options *o,
			  struct MHD_Connection *connection)
{
	const char *host = MHD_lookup_connection_value(
		connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);

	return !o->names || !host || http_host_known(host, o->names);
}

static enum MHD_Result http_dispatch(const struct http_options *o,
				     struct MHD_Connection *connection,
				     const char *url, const char *method)
{
	const struct http_path *path = o->paths;

	if (!http_is_known(o, connection))
		return http_refuse(
			connection, MHD_HTTP_MISDIRECTED_REQUEST,
			"This host is not known by that name: see --name in sfair-web(1).\n");
	while (path->url && strcmp(url, path->url) != 0)
		path++;
	if (!path->url)
		return http_refuse(connection, MHD_HTTP_NOT_FOUND, o->other);
	if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 &&
	    strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
		return http_refuse(connection, MHD_HTTP_METHOD_NOT_ALLOWED,
				   "Only GET and HEAD.\n");
	return path->answer(o->arg, connection);
}

/* Returns the entry of the connection, or NULL if it has none. */
static struct http_client *http_client_of(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
		connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info ? info->socket_context : NULL;
}

static enum MHD_Result http_handle(void *cls, struct MHD_Connection *connection,
				   const char *url, const char *method,
				   const char *version, const char *upload,
				   size_t *upload_size, void **request)
{
	struct http_server *s = cls;
	struct http_client *client = http_client_of(connection);

	(void)version;
	(void)upload;
	if (!*request) { /* the first call comes when only the headers are
			  * read */
		*request = connection;
		return MHD_YES;
	}
	if (*upload_size) {
		*upload_size = 0;
		return MHD_YES;
	}
	pthread_mutex_lock(&s->lock);
	if (client)
		client->answered = true;
	pthread_mutex_unlock(&s->lock);
	return http_dispatch(s->options, connection, url, method);
}

/* ---- Connections. ---- */

/* Whether to accept a connection. Loopback is always accepted: users of this
 * host may ask the plugin themselves. */
static enum MHD_Result http_accept(void *cls, const struct sockaddr *address,
				   socklen_t size)
{
	struct http_server *s = cls;
	char host[128], port[16];

	if (!s->options->nets || http_is_loopback(address) ||
	    http_nets_have(s->options->nets, address))
		return MHD_YES;
	if (!s->told_sec || http_now_sec() - s->told_sec >= QUIET_SEC) {
		s->told_sec = http_now_sec();
		fprintf(stderr, "sfair: refused %s: --allow does not have it\n",
			http_host_of(address, size, host, port));
	}
	return MHD_NO;
}

static unsigned int http_places(const struct http_server *s)
{
	return s->options->clients + LEAVING;
}

static struct in6_addr http_address(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
		connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
	struct in6_addr address = IN6ADDR_ANY_INIT;

	if (info && info->client_addr->sa_family == AF_INET6)
		return ((const struct sockaddr_in6 *)(const void *)
				info->client_addr)
			->sin6_addr;
	if (info && info->client_addr->sa_family == AF_INET) {
		address.s6_addr[10] = address.s6_addr[11] = 0xff;
		memcpy(&address.s6_addr[12],
		       &((const struct sockaddr_in *)(const void *)
				 info->client_addr)
				->sin_addr,
		       4);
	}
	return address;
}

static void http_end(struct http_client *client)
{
	client->leaves = true;
	shutdown(client->fd, SHUT_RDWR);
}

/* If more than max connections are open, ends the one that has been idle
 * longest. If all others are being answered, that is the new one. of: counts
 * only connections from this address; NULL: all. The caller holds the lock. */
static void http_end_oldest(struct http_server *s, const struct in6_addr *of,
			    unsigned int max)
{
	struct http_client *oldest = NULL;
	unsigned int open = 0;

	for (unsigned int i = 0; i < http_places(s); i++) {
		struct http_client *c = &s->clients[i];

		if (c->fd < 0 || c->leaves ||
		    (of && memcmp(of, &c->address, sizeof(*of)) != 0))
			continue;
		open++;
		if (!c->answered && (!oldest || c->turn < oldest->turn))
			oldest = c;
	}
	if (open > max && oldest)
		http_end(oldest);
}

/* Takes a new connection, even if idle connections use up the limit. */
static void http_begin(struct http_server *s, struct MHD_Connection *connection,
		       void **place)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
		connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct http_client client = {
		.fd = info ? info->connect_fd : -1,
		.until_sec = http_now_sec() + WHOLE_SEC,
		.turn = ++s->turn,
		.address = http_address(connection),
	};

	for (unsigned int i = 0; i < http_places(s) && !*place; i++) {
		if (s->clients[i].fd >= 0)
			continue;
		s->clients[i] = client;
		*place = &s->clients[i];
	}
	http_end_oldest(s, &client.address, s->options->clients_of_one);
	http_end_oldest(s, NULL, s->options->clients);
}

/* Notes that a connection begins or ends. MHD closes the socket afterwards. */
static void http_note(void *cls, struct MHD_Connection *connection,
		      void **place, enum MHD_ConnectionNotificationCode what)
{
	struct http_server *s = cls;

	pthread_mutex_lock(&s->lock);
	if (what == MHD_CONNECTION_NOTIFY_STARTED)
		http_begin(s, connection, place);
	else if (*place)
		((struct http_client *)*place)->fd = -1;
	pthread_mutex_unlock(&s->lock);
}

/* Notes that a response was sent. The next request on the connection gets its
 * own time. */
static void http_completed(void *cls, struct MHD_Connection *connection,
			   void **request, enum MHD_RequestTerminationCode how)
{
	struct http_server *s = cls;
	struct http_client *client = http_client_of(connection);

	(void)request;
	(void)how;
	pthread_mutex_lock(&s->lock);
	if (client) {
		client->answered = false;
		client->until_sec = http_now_sec() + WHOLE_SEC;
		client->turn = ++s->turn;
	}
	pthread_mutex_unlock(&s->lock);
}

static void http_end_slow(struct http_server *s)
{
	time_t now = http_now_sec();

	pthread_mutex_lock(&s->lock);
	for (unsigned int i = 0; i < http_places(s); i++)
		if (s->clients[i].fd >= 0 && now >= s->clients[i].until_sec)
			http_end(&s->clients[i]);
	pthread_mutex_unlock(&s->lock);
}

/* ---- Start and stop. ---- */

static void http_announce(int fd)
{
	struct sockaddr_storage at = {0};
	socklen_t size = sizeof(at);
	char host[128], port[16];

	if (getsockname(fd, (struct sockaddr *)&at, &size))
		return;
	http_host_of((struct sockaddr *)&at, size, host, port);
	fprintf(stderr, "sfair: listening on %s port %s\n", host, port);
}

static int http_check_loopback(const struct http_options *o, int fd,
			       struct astra_error *err)
{
	struct sockaddr_storage at = {0};
	socklen_t size = sizeof(at);

	if (!o->nets || o->nets->count)
		return 0;
	if (!getsockname(fd, (struct sockaddr *)&at, &size) &&
	    http_is_loopback((struct sockaddr *)&at))
		return 0;
	return astra_error_set(
		err,
		"--listen=%.64s: is open to other hosts: say which may connect, as with --allow=10.0.0.0/8, or --listen=127.0.0.1:PORT",
		o->where);
}

static struct MHD_Daemon *http_start(struct http_server *s, int fd)
{
	return MHD_start_daemon(
		MHD_USE_AUTO_INTERNAL_THREAD, 0, http_accept, s, http_handle, s,
		MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT,
		http_places(s), MHD_OPTION_CONNECTION_TIMEOUT,
		(unsigned int)IDLE_SEC, MHD_OPTION_NOTIFY_CONNECTION, http_note,
		s, MHD_OPTION_NOTIFY_COMPLETED, http_completed, s,
		MHD_OPTION_END);
}

static void http_run(struct http_server *s, const sigset_t *signals)
{
	const struct timespec second = {.tv_sec = 1};

	while (sigtimedwait(signals, NULL, &second) < 0)
		http_end_slow(s);
}

static int http_serve_at(struct http_server *s, int fd, const sigset_t *signals,
			 struct astra_error *err)
{
	struct MHD_Daemon *daemon;

	s->clients = calloc(http_places(s), sizeof(*s->clients));
	if (!s->clients)
		return astra_error_nomem(err);
	for (unsigned int i = 0; i < http_places(s); i++)
		s->clients[i].fd = -1;
	daemon = http_start(s, fd);
	if (!daemon)
		return astra_error_set(err, "--listen=%.64s: %s",
				       s->options->where, strerror(errno));
	http_announce(fd);
	http_run(s, signals);
	MHD_stop_daemon(daemon); /* closes fd */
	return 0;
}

int http_listen(const struct http_options *options, struct astra_error *err)
{
	int fd = astra_listen("--listen", options->where, (int)options->clients,
			      err);

	if (fd < 0 || !http_check_loopback(options, fd, err))
		return fd;
	close(fd);
	return -1;
}

int http_serve(const struct http_options *options, int fd,
	       struct astra_error *err)
{
	struct http_server s = {
		.options = options,
		.lock = PTHREAD_MUTEX_INITIALIZER,
	};
	sigset_t signals;
	int rc;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	signal(SIGPIPE, SIG_IGN);
	rc = http_serve_at(&s, fd, &signals, err);
	if (rc)
		close(fd);
	free(s.clients);
	return rc;
}

#else

int http_listen(const struct http_options *options, struct astra_error *err)
{
	return astra_error_set(
		err,
		"--listen=%.64s: this sfair was built without libmicrohttpd%s",
		options->where, options->without);
}

int http_serve(const struct http_options *options, int fd,
	       struct astra_error *err)
{
	(void)fd;
	return http_listen(options, err);
}

#endif
