/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <libgen.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "src/common/fnv.h"
#include "src/proto/listen.h"
#include "src/proto/sign.h"
#include "src/slurm/desk/server_private.h"

/* The server for jobs on other hosts. A connection does not say who asks. So
 * until munged does, requests are counted for the host, and replies are
 * signed. */

/* Listen on any free port, at the host part of `where`. Returns as
 * astra_listen(). */
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

/* Return a number for an address. Two addresses with the same number share a
 * limit. */
static uid_t server_network_number_of(const struct sockaddr_storage *addr)
{
	const struct sockaddr_in *v4 = (const void *)addr;
	const struct sockaddr_in6 *v6 = (const void *)addr;
	uint32_t sum = ASTRA_FNV32_BASIS;

	if (addr->ss_family != AF_INET6)
		return ntohl(v4->sin_addr.s_addr);
	for (size_t i = 0; i < sizeof(v6->sin6_addr); i++)
		sum = astra_fnv32_byte(sum, v6->sin6_addr.s6_addr[i]);
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

static int fill_address(const char *path, struct sockaddr_un *addr,
			struct astra_error *err)
{
	*addr = (struct sockaddr_un){.sun_family = AF_UNIX};
	if (*path != '/')
		return astra_error_set(err, "%s: not an absolute path", path);
	if (strlen(path) >= sizeof(addr->sun_path))
		return astra_error_set(
			err,
			"%s: longer than the %zu characters that a socket may have",
			path, sizeof(addr->sun_path) - 1);
	memcpy(addr->sun_path, path, strlen(path));
	return 0;
}

/* Check that no other user can replace files that we make in the folder. */
static int check_folder(const char *path, struct astra_error *err)
{
	char copy[sizeof(((struct sockaddr_un *)0)->sun_path)];
	const char *folder;
	struct stat st;

	snprintf(copy, sizeof(copy), "%s", path);
	folder = dirname(copy);
	if (stat(folder, &st) < 0)
		return astra_error_set(err, "%s: %s", folder, strerror(errno));
	if (st.st_uid != 0 && st.st_uid != geteuid())
		return astra_error_set(
			err,
			"%s: belongs to another user than root and SlurmUser",
			folder);
	if ((st.st_mode & (S_IWGRP | S_IWOTH)) && !(st.st_mode & S_ISVTX))
		return astra_error_set(
			err,
			"%s: others may write there: chmod go-w, or choose another Socket=",
			folder);
	return 0;
}

static bool somebody_listens(const struct sockaddr_un *addr)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	bool live;

	if (fd < 0)
		return true;
	live = !connect(fd, (const struct sockaddr *)addr, sizeof(*addr)) ||
	       errno != ECONNREFUSED;
	close(fd);
	return live;
}

static int remove_stale(const char *path, const struct sockaddr_un *addr,
			struct astra_error *err)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		return errno == ENOENT ? 0
				       : astra_error_set(err, "%s: %s", path,
							 strerror(errno));
	if (!S_ISSOCK(st.st_mode))
		return astra_error_set(
			err,
			"%s: is there and is no socket: remove it or choose another Socket=",
			path);
	if (somebody_listens(addr))
		return astra_error_set(err, "%s: another process answers there",
				       path);
	if (unlink(path) < 0 && errno != ENOENT)
		return astra_error_set(err, "%s: %s", path, strerror(errno));
	return 0;
}

int server_socket_open(const char *path, struct astra_error *err)
{
	struct sockaddr_un addr;
	int fd;

	if (fill_address(path, &addr, err) < 0 || check_folder(path, err) < 0 ||
	    remove_stale(path, &addr, err) < 0)
		return -1;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return astra_error_set(err, "socket: %s", strerror(errno));
	/* Anybody may connect: the request's signature identifies the user. */
	if (bind(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0 ||
	    chmod(path, 0666) < 0 || listen(fd, SERVER_CLIENTS) < 0) {
		astra_error_set(err, "%s: %s", path, strerror(errno));
		close(fd);
		return -1;
	}
	return fd;
}
