/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The client's side of one request. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "src/proto/sign.h"
#include "src/proto/wire.h"

#define REPLY_WAIT_SEC 60

static int explain_connect(const char *path, int error, struct astra_error *err)
{
	if (error == ENOENT)
		return astra_error_set(
			err,
			"%s: no such socket: slurmctld is not running on this host, or runs without the astraea plugin (see slurmctld's log; SFAIR_SOCKET or Socket= in astraea.conf names another one)",
			path);
	if (error == ECONNREFUSED)
		return astra_error_set(
			err,
			"%s: nobody answers: slurmctld has stopped, start it again",
			path);
	if (error == EACCES || error == EPERM)
		return astra_error_set(
			err,
			"%s: permission denied: ask the administrator for a Socket= in astraea.conf whose folders every user may enter",
			path);
	return astra_error_set(err, "%s: %s", path, strerror(error));
}

static int open_socket(const char *path, struct astra_error *err)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	struct timeval wait = {.tv_sec = REPLY_WAIT_SEC};
	int fd;

	if (strlen(path) >= sizeof(addr.sun_path))
		return astra_error_set(
			err,
			"%s: a socket's path has at most %zu characters: name a shorter one in astraea.conf's Socket=",
			path, sizeof(addr.sun_path) - 1);
	memcpy(addr.sun_path, path, strlen(path));
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return astra_error_set(err, "socket: %s", strerror(errno));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait));
	if (connect(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0) {
		explain_connect(path, errno, err);
		close(fd);
		return -1;
	}
	return fd;
}

/* A server that refuses a request may close before it has read all of it;
 * then its reply says why, so a broken pipe is no error here. */
static int send_all(int fd, const void *bytes, size_t size)
{
	const char *at = bytes;

	while (size) {
		ssize_t n = send(fd, at, size, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EPIPE)
			return 0;
		if (n < 0)
			return -1;
		at += n;
		size -= (size_t)n;
	}
	return 0;
}

static int receive_all(int fd, void *bytes, size_t size)
{
	char *at = bytes;

	while (size) {
		ssize_t n = recv(fd, at, size, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n == 0)
			errno = ECONNRESET;
		if (n <= 0)
			return -1;
		at += n;
		size -= (size_t)n;
	}
	return 0;
}

static int explain_io(struct astra_error *err)
{
	if (errno == EAGAIN || errno == EWOULDBLOCK)
		return astra_error_set(
			err,
			"no reply within %d s: see sdiag and slurmctld's log",
			REPLY_WAIT_SEC);
	if (errno == ECONNRESET)
		return astra_error_set(
			err,
			"slurmctld closed the connection: it is stopping, or see its log");
	return astra_error_set(err, "the query socket: %s", strerror(errno));
}

static char *receive_reply(int fd, struct astra_error *err)
{
	uint8_t head[ASTRA_FRAME_HEAD];
	size_t size;
	char *reply;

	if (receive_all(fd, head, sizeof(head)) < 0) {
		explain_io(err);
		return NULL;
	}
	size = astra_frame_read(head);
	if (size > ASTRA_REPLY_MAX) {
		astra_error_set(
			err,
			"the reply is no message of the astraea plugin: does the socket belong to it?");
		return NULL;
	}
	reply = malloc(size + 1);
	if (!reply) {
		astra_error_nomem(err);
		return NULL;
	}
	if (receive_all(fd, reply, size) < 0) {
		explain_io(err);
		free(reply);
		return NULL;
	}
	reply[size] = '\0';
	return reply;
}

int astra_call(const char *path, const char *munge_socket, const char *request,
	       char **reply, struct astra_error *err)
{
	uint8_t head[ASTRA_FRAME_HEAD];
	char *text = NULL;
	char *credential =
		astra_sign(munge_socket, request, strlen(request), err);
	int fd = credential ? open_socket(path, err) : -1;

	if (fd >= 0) {
		astra_frame_write(head, strlen(credential));
		if (send_all(fd, head, sizeof(head)) < 0 ||
		    send_all(fd, credential, strlen(credential)) < 0)
			explain_io(err);
		else
			text = receive_reply(fd, err);
		close(fd);
	}
	free(credential);
	if (!text)
		return -1;
	*reply = text;
	return 0;
}
