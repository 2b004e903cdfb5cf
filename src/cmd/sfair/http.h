/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The HTTP server of sfair metrics and sfair web. It serves GET and HEAD of a
 * few paths in one thread. A request that is malformed, too large or too slow
 * gets its connection closed. The number of connections is limited, in total
 * and per host. */
#ifndef SFAIR_HTTP_H
#define SFAIR_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "src/common/error.h"
#include "src/proto/query.h"

/* ---- Allowed clients: networks. (http_nets.c) ---- */

struct http_net {
	uint8_t address[16]; /* of IPv4 as ::ffff:a.b.c.d */
	unsigned int bits;
};

#define HTTP_NETS_MAX 64

struct http_nets {
	struct http_net list[HTTP_NETS_MAX];
	size_t count;
};

/* Adds networks such as "10.0.0.0/8,2001:db8::/32,192.0.2.7,all". Returns 0; or
 * -1 with err naming the invalid network, and nets is then invalid. */
int http_nets_parse(struct http_nets *nets, const char *text,
		    struct astra_error *err);
bool http_nets_have(const struct http_nets *nets,
		    const struct sockaddr *address);
bool http_is_loopback(const struct sockaddr *address);

/* Whether pages are served under this name, as in a Host header: an IP address,
 * localhost, or one of names. This prevents DNS rebinding: a page of another
 * site, whose name suddenly resolves to this host, could read our pages. */
bool http_host_known(const char *host, const struct astra_names *names);

/* Adds the names of this host. Returns 0, or -1 when out of memory. */
int http_own_names(struct astra_names *names);

/* ---- The server. (http.c) ---- */

#ifdef ASTRA_MICROHTTPD
#include <microhttpd.h>

/* Queues the response to a GET or HEAD, in the server's thread. Returns as
 * MHD_queue_response(). */
typedef enum MHD_Result http_answer(void *arg,
				    struct MHD_Connection *connection);

/* Queues a text as the response; frees body. */
enum MHD_Result http_reply(struct MHD_Connection *connection,
			   unsigned int status, const char *type,
			   const char *body, size_t size);
#else
typedef int http_answer(void *arg, void *connection);
#endif

#define HTTP_HTML "text/html; charset=utf-8"
#define HTTP_TEXT "text/plain; charset=utf-8"

struct http_path {
	const char *url; /* "/metrics" */
	http_answer *answer;
};

struct http_options {
	const char *where; /* [ADDRESS:]PORT */
	unsigned int clients, clients_of_one;
	const struct http_path *paths; /* ended by a NULL url */
	const char *other;	       /* the text for all other paths */
	const char *without;	       /* advice if libmicrohttpd is missing */
	void *arg;
	const struct http_nets *nets;	 /* allowed networks, besides loopback;
					  * NULL: all networks */
	const struct astra_names *names; /* NULL: any name is served */
};

/* Begins to listen; only on loopback if nets is empty. Connections wait until
 * http_serve(). Returns a descriptor, or -1 with err set. */
int http_listen(const struct http_options *options, struct astra_error *err);

/* Answers requests until SIGINT or SIGTERM. fd: from http_listen(); closed in
 * any case. Returns 0, or -1 with err set. */
int http_serve(const struct http_options *options, int fd,
	       struct astra_error *err);

#endif
