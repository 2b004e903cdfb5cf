/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/proto/listen.h"

#include <ctype.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define LISTEN_BESIDE 1000

bool astra_listen_valid(const char *where, unsigned long least)
{
	const char *colon = strrchr(where, ':');
	const char *text = colon ? colon + 1 : where;
	unsigned long port;
	char *end;

	if (!isdigit((unsigned char)*text) || colon == where)
		return false;
	port = strtoul(text, &end, 10);
	return port >= least && port <= 65535 && !*end;
}

unsigned int astra_listen_default(unsigned int slurmctld_port)
{
	unsigned int port = slurmctld_port + LISTEN_BESIDE;

	return port <= UINT16_MAX ? port : 0;
}

static int listen_at(const struct addrinfo *at, int backlog)
{
	int one = 1, zero = 0;
	int fd = socket(at->ai_family,
			SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (at->ai_family == AF_INET6) /* accept IPv4 as well */
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &zero, sizeof(zero));
	if (!bind(fd, at->ai_addr, at->ai_addrlen) && !listen(fd, backlog))
		return fd;
	close(fd);
	return -1;
}

/* Listens at the first address of this family that works. The caller tries
 * IPv6, which includes IPv4, before IPv4 alone. Returns a descriptor, or -1. */
static int listen_at_any(const struct addrinfo *found, int family, int backlog)
{
	int fd = -1;

	for (const struct addrinfo *at = found; at && fd < 0; at = at->ai_next)
		if (at->ai_family == family)
			fd = listen_at(at, backlog);
	return fd;
}

/* Resolves [ADDRESS:]PORT without looking up names. Free *found with
 * freeaddrinfo(). Returns as getaddrinfo(). */
static int listen_resolve(const char *where, struct addrinfo **found)
{
	const struct addrinfo hints = {
		.ai_socktype = SOCK_STREAM,
		.ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV,
	};
	const char *colon = strrchr(where, ':');
	char host[256] = "";

	if (colon) {
		bool brackets = *where == '[' && colon[-1] == ']';

		(void)snprintf(host, sizeof(host), "%.*s",
			       (int)(colon - where) - 2 * brackets,
			       where + brackets);
	}
	return getaddrinfo(*host ? host : NULL, colon ? colon + 1 : where,
			   &hints, found);
}

bool astra_listen_numeric(const char *where)
{
	struct addrinfo *found = NULL;
	int rc = listen_resolve(where, &found);

	if (!rc)
		freeaddrinfo(found);
	return rc != EAI_NONAME;
}

int astra_listen(const char *option, const char *where, int backlog,
		 struct astra_error *err)
{
	struct addrinfo *found = NULL;
	int rc = listen_resolve(where, &found), fd;

	if (rc == EAI_NONAME)
		return astra_error_set(err, "%s=%s: the address is no number",
				       option, where);
	if (rc)
		return astra_error_set(err, "%s=%s: %s", option, where,
				       gai_strerror(rc));
	fd = listen_at_any(found, AF_INET6, backlog);
	if (fd < 0)
		fd = listen_at_any(found, AF_INET, backlog);
	if (fd < 0)
		astra_error_set(err, "%s=%s: %s", option, where,
				strerror(errno));
	freeaddrinfo(found);
	return fd;
}
