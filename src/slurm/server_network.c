/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The server for jobs on other hosts. A connection says nothing of who asks, so
 * until munged does, its host is counted; and a reply is signed. */
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "src/proto/sign.h"
#include "src/slurm/server_private.h"

static int listen_at(const struct addrinfo *at)
{
	int one = 1, zero = 0;
	int fd = socket(at->ai_family,
			SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (at->ai_family == AF_INET6) /* IPv4 too */
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &zero, sizeof(zero));
	if (!bind(fd, at->ai_addr, at->ai_addrlen) &&
	    !listen(fd, SERVER_CLIENTS_REMOTE))
		return fd;
	close(fd);
	return -1;
}

/* Those of the family, so that IPv6 with IPv4 goes before IPv4 alone. */
static int listen_at_any(const struct addrinfo *found, int family)
{
	int fd = -1;

	for (const struct addrinfo *at = found; at && fd < 0; at = at->ai_next)
		if (at->ai_family == family)
			fd = listen_at(at);
	return fd;
}

int server_network_open(const char *where, struct astra_error *err)
{
	const struct addrinfo hints = {
		.ai_socktype = SOCK_STREAM,
		.ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV,
	};
	const char *colon = strrchr(where, ':');
	struct addrinfo *found = NULL;
	char host[256] = "";
	int rc, fd;

	if (colon) {
		bool brackets = *where == '[' && colon[-1] == ']';

		(void)snprintf(host, sizeof(host), "%.*s",
			       (int)(colon - where) - 2 * brackets,
			       where + brackets);
	}
	rc = getaddrinfo(*host ? host : NULL, colon ? colon + 1 : where, &hints,
			 &found);
	if (rc)
		return astra_error_set(err, "Listen=%s: %s", where,
				       gai_strerror(rc));
	fd = listen_at_any(found, AF_INET6);
	if (fd < 0)
		fd = listen_at_any(found, AF_INET);
	if (fd < 0)
		astra_error_set(err, "Listen=%s: %s", where, strerror(errno));
	freeaddrinfo(found);
	return fd;
}

/* A number for an address; two that share one share a limit. */
static uid_t number_of(const struct sockaddr_storage *addr)
{
	const struct sockaddr_in *v4 = (const void *)addr;
	const struct sockaddr_in6 *v6 = (const void *)addr;
	uint32_t sum = 2166136261u;

	if (addr->ss_family != AF_INET6)
		return ntohl(v4->sin_addr.s_addr);
	for (size_t i = 0; i < sizeof(v6->sin6_addr); i++)
		sum = (sum ^ v6->sin6_addr.s6_addr[i]) * 16777619u;
	return sum;
}

int server_network_accept(int fd, uid_t *host)
{
	struct sockaddr_storage addr = {0};
	socklen_t size = sizeof(addr);
	int client = accept4(fd, (struct sockaddr *)&addr, &size,
			     SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (client >= 0)
		*host = number_of(&addr);
	return client;
}

int server_network_seal(struct astra_text *text, uid_t uid,
			const char *munge_socket, struct astra_error *err)
{
	char *credential = astra_sign_for(munge_socket, uid,
					  text->bytes + ASTRA_FRAME_HEAD,
					  text->size - ASTRA_FRAME_HEAD, err);

	astra_text_clear(text);
	if (!credential)
		return -1;
	astra_text_add(text, "\0\0\0\0", ASTRA_FRAME_HEAD);
	astra_text_add(text, credential, strlen(credential));
	free(credential);
	return text->failed ? astra_error_nomem(err) : 0;
}
