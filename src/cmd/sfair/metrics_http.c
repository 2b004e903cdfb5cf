/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Scrapes over HTTP. One thread serves all clients. It sends one request to the
 * plugin at a time, and all scrapes in this time get the same answer. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "src/cmd/sfair/http.h"
#include "src/cmd/sfair/metrics.h"

#define CLIENTS_MAX 64
#define CLIENTS_OF_ONE_MAX 16

#ifdef ASTRA_MICROHTTPD

#define TYPE_OPEN "application/openmetrics-text; version=1.0.0; charset=utf-8"
#define TYPE_PLAIN "text/plain; version=0.0.4; charset=utf-8"

/* Whether the client wants plain text. Prometheus itself lists all formats that
 * it accepts. */
static bool wants_plain(struct MHD_Connection *connection)
{
	const char *accept = MHD_lookup_connection_value(
		connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT);

	return !accept || !strcasestr(accept, "application/openmetrics-text");
}

/* Reports once when the plugin falls silent, and once when it answers again. */
static void metrics_http_tell(struct metrics_scraper *scraper, bool silent)
{
	if (scraper->silent == silent)
		return;
	scraper->silent = silent;
	fprintf(stderr, "sfair: %s\n",
		silent ? scraper->err.text : "the plugin answers again");
}

static enum MHD_Result answer_metrics(void *arg,
				      struct MHD_Connection *connection)
{
	struct metrics_scraper *scraper = arg;
	bool plain = wants_plain(connection);
	struct astra_text body = {0};
	enum MHD_Result rc = MHD_NO;

	metrics_http_tell(scraper, metrics_scrape(scraper, plain, &body) < 0);
	if (!body.failed)
		rc = http_reply(connection, MHD_HTTP_OK,
				plain ? TYPE_PLAIN : TYPE_OPEN, body.bytes,
				body.size);
	astra_text_clear(&body);
	return rc;
}

static enum MHD_Result answer_page(void *arg, struct MHD_Connection *connection)
{
	static const char page[] =
		"<!DOCTYPE html>\n<html lang=\"en\"><head>"
		"<title>sfair metrics</title>"
		"</head>\n<body><h1>sfair metrics</h1>\n"
		"<p><a href=\"/metrics\">/metrics</a></p></body></html>\n";

	(void)arg;
	return http_reply(connection, MHD_HTTP_OK, HTTP_HTML, page,
			  strlen(page));
}

static const struct http_path paths[] = {
	{"/metrics", answer_metrics},
	{"/", answer_page},
	{NULL, NULL},
};

#else
static const struct http_path paths[] = {{NULL, NULL}};
#endif

int metrics_serve(struct metrics_scraper *scraper, const char *where,
		  struct astra_error *err)
{
	const struct http_options options = {
		.where = where,
		.clients = CLIENTS_MAX,
		.clients_of_one = CLIENTS_OF_ONE_MAX,
		.paths = paths,
		.other = "There is only /metrics.\n",
		.without =
			"; let node_exporter's textfile collector read what sfair metrics --prometheus prints",
		.arg = scraper,
	};

	int fd = http_listen(&options, err);

	return fd < 0 ? -1 : http_serve(&options, fd, err);
}
