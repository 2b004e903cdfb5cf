/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The server for jobs on other hosts. A connection says nothing of who asks, so
 * until munged does, its host is counted; and a reply is signed. */
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "src/proto/bind.h"
#include "src/proto/listen.h"
#include "src/slurm/desk/server_private.h"

/* Its host part is where's; as astra_listen(). */
static int network_listen_any(const char *where, struct astra_error *err)
{
	const char *colon = strrchr(where, ':');
	char any[300];

	(void)snprintf(any, sizeof(any), "%.*s0",
		       colon ? (int)(colon + 1 - where) : 0, where);
	return astra_listen("Listen", any, SERVER_CLIENTS_REMOTE, err);
}

static unsigned int network_port(int fd)
{
	struct sockaddr_storage addr = {0};
	const struct sockaddr_in *v4 = (const void *)&addr;
	const struct sockaddr_in6 *v6 = (const void *)&addr;
	socklen_t size = sizeof(addr);

	if (fd < 0 || getsockname(fd, (struct sockaddr *)&addr, &size) < 0)
		return 0;
	return ntohs(addr.ss_family == AF_INET6 ? v6->sin6_port : v4->sin_port);
}

void server_network_open(struct server *s)
{
	struct astra_error why = {""};

	s->network_fd =
		astra_listen("Listen", s->listen, SERVER_CLIENTS_REMOTE, &why);
	if (s->network_fd < 0 && s->options.any_port)
		s->network_fd = network_listen_any(s->listen, &why);
	if (s->network_fd < 0 && s->options.log_line)
		s->options.log_line(true, why.text);
	if (s->network_fd < 0)
		s->network_error = why;
	s->port = network_port(s->network_fd);
}

/* A number for an address; two that share one share a limit. */
static uid_t server_network_number_of(const struct sockaddr_storage *addr)
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
		*host = server_network_number_of(&addr);
	return client;
}

int server_network_seal(struct astra_text *text,
			const struct server_client *client,
			struct server_munge *munge, struct astra_error *err)
{
	struct astra_text bound = {0};
	char *credential = NULL;

	astra_bind(text->bytes + ASTRA_FRAME_HEAD,
		   text->size - ASTRA_FRAME_HEAD, client->request,
		   client->request_size, &bound);
	astra_text_clear(text);
	if (bound.failed)
		astra_error_nomem(err);
	else
		credential = server_munge_sign_for(
			munge, client->uid, bound.bytes, bound.size, err);
	astra_text_clear(&bound);
	if (!credential)
		return -1;
	astra_text_add(text, "\0\0\0\0", ASTRA_FRAME_HEAD);
	astra_text_add(text, credential, strlen(credential));
	free(credential);
	return text->failed ? astra_error_nomem(err) : 0;
}
