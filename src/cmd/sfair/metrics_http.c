/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A small HTTP server for scrapes. One thread serves all: the plugin is asked
 * once at a time, and the others get the same answer. */
#include "src/cmd/sfair/metrics.h"

#ifdef ASTRA_MICROHTTPD

#include <errno.h>
#include <microhttpd.h>
#include <netdb.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "src/proto/listen.h"

#define CLIENTS_MAX 64
#define CLIENTS_OF_ONE_MAX 16
#define IDLE_SEC 10
#define TYPE_OPEN "application/openmetrics-text; version=1.0.0; charset=utf-8"
#define TYPE_PLAIN "text/plain; version=0.0.4; charset=utf-8"
#define TYPE_PAGE "text/html; charset=utf-8"
#define TYPE_TEXT "text/plain; charset=utf-8"

static const char page[] =
	"<!DOCTYPE html>\n<html lang=\"en\"><head><title>sfair metrics</title>"
	"</head>\n<body><h1>sfair metrics</h1>\n"
	"<p><a href=\"/metrics\">/metrics</a></p></body></html>\n";

/* body: freed. allow: the header of that name, or NULL. */
static enum MHD_Result metrics_http_answer(struct MHD_Connection *connection,
					   unsigned int status,
					   const char *type,
					   struct astra_text *body,
					   const char *allow)
{
	struct MHD_Response *response = MHD_create_response_from_buffer(
		body->size, body->bytes, MHD_RESPMEM_MUST_FREE);
	enum MHD_Result rc;

	if (!response) {
		astra_text_clear(body);
		return MHD_NO; /* closes the connection */
	}
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	if (allow)
		MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, allow);
	rc = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return rc;
}

static enum MHD_Result answer_text(struct MHD_Connection *connection,
				   unsigned int status, const char *type,
				   const char *text, const char *allow)
{
	struct astra_text body = {0};

	astra_text_add(&body, text, strlen(text));
	return metrics_http_answer(connection, status, type, &body, allow);
}

/* Prometheus names all formats that it knows. */
static bool wants_plain(struct MHD_Connection *connection)
{
	const char *accept = MHD_lookup_connection_value(
		connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT);

	return !accept || !strcasestr(accept, "application/openmetrics-text");
}

/* Once when the plugin falls silent, and once when it answers again. */
static void metrics_http_tell(struct metrics_scraper *scraper, bool silent)
{
	if (scraper->silent == silent)
		return;
	scraper->silent = silent;
	fprintf(stderr, "sfair: %s\n",
		silent ? scraper->err.text : "the plugin answers again");
}

static enum MHD_Result answer_metrics(struct metrics_scraper *scraper,
				      struct MHD_Connection *connection)
{
	bool plain = wants_plain(connection);
	struct astra_text body = {0};

	metrics_http_tell(scraper, metrics_scrape(scraper, plain, &body) < 0);
	if (body.failed) {
		astra_text_clear(&body);
		return MHD_NO;
	}
	return metrics_http_answer(connection, MHD_HTTP_OK,
				   plain ? TYPE_PLAIN : TYPE_OPEN, &body, NULL);
}

static enum MHD_Result handle(void *cls, struct MHD_Connection *connection,
			      const char *url, const char *method,
			      const char *version, const char *upload,
			      size_t *upload_size, void **request)
{
	(void)version;
	(void)upload;
	if (!*request) { /* first its headers come, then its body */
		*request = connection;
		return MHD_YES;
	}
	if (*upload_size) {
		*upload_size = 0;
		return MHD_YES;
	}
	if (strcmp(url, "/metrics") != 0 && strcmp(url, "/") != 0)
		return answer_text(connection, MHD_HTTP_NOT_FOUND, TYPE_TEXT,
				   "There is only /metrics.\n", NULL);
	if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 &&
	    strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
		return answer_text(connection, MHD_HTTP_METHOD_NOT_ALLOWED,
				   TYPE_TEXT, "Only GET and HEAD.\n",
				   "GET, HEAD");
	if (url[1])
		return answer_metrics(cls, connection);
	return answer_text(connection, MHD_HTTP_OK, TYPE_PAGE, page, NULL);
}

static void announce(int fd)
{
	struct sockaddr_storage at = {0};
	socklen_t size = sizeof(at);
	char host[128], port[16];

	if (!getsockname(fd, (struct sockaddr *)&at, &size) &&
	    !getnameinfo((struct sockaddr *)&at, size, host, sizeof(host), port,
			 sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV))
		fprintf(stderr, "sfair: listening on %s port %s\n", host, port);
}

static void wait_for_signal(const sigset_t *signals)
{
	int number;

	while (sigwait(signals, &number) == EINTR)
		;
}

int metrics_serve(struct metrics_scraper *scraper, const char *where,
		  struct astra_error *err)
{
	int fd = astra_listen("--listen", where, CLIENTS_MAX, err);
	struct MHD_Daemon *daemon;
	sigset_t signals;

	if (fd < 0)
		return -1;
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	signal(SIGPIPE, SIG_IGN);
	daemon = MHD_start_daemon(
		MHD_USE_INTERNAL_POLLING_THREAD, 0, NULL, NULL, handle, scraper,
		MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT,
		(unsigned int)CLIENTS_MAX, MHD_OPTION_PER_IP_CONNECTION_LIMIT,
		(unsigned int)CLIENTS_OF_ONE_MAX, MHD_OPTION_CONNECTION_TIMEOUT,
		(unsigned int)IDLE_SEC, MHD_OPTION_END);
	if (!daemon) {
		close(fd);
		return astra_error_set(err, "--listen=%.64s: %s", where,
				       strerror(errno));
	}
	announce(fd);
	wait_for_signal(&signals);
	MHD_stop_daemon(daemon);
	return 0;
}

#else

int metrics_serve(struct metrics_scraper *scraper, const char *where,
		  struct astra_error *err)
{
	(void)scraper;
	return astra_error_set(
		err,
		"--listen=%.64s: this sfair was built without libmicrohttpd; let node_exporter's textfile collector read what sfair metrics --prometheus prints",
		where);
}

#endif
