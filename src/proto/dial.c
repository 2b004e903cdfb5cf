/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/proto/dial.h"

#include <ctype.h>
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#define CONNECT_WAIT_SEC 5

/* The uid that a user namespace shows for every user that it does not know. */
#define UID_HIDDEN 65534

static bool is_socket(const char *path)
{
	struct stat st;

	return stat(path, &st) < 0 || S_ISSOCK(st.st_mode);
}

static int explain_connect(const char *path, int error, struct astra_error *err)
{
	if (error == ENOENT)
		return astra_error_set(
			err,
			"%s: no such socket: slurmctld is not running on this host, or runs without the astraea plugin (see slurmctld's log; SFAIR_SOCKET or Socket= in astraea.conf names another one)",
			path);
	if (!is_socket(path))
		return astra_error_set(
			err,
			"%s: is no socket: name the plugin's in SFAIR_SOCKET, or in Socket= of astraea.conf",
			path);
	if (error == ECONNREFUSED)
		return astra_error_set(
			err,
			"%s: nobody answers: slurmctld has stopped, start it again, and see its log if it ends",
			path);
	if (error == EACCES || error == EPERM)
		return astra_error_set(
			err,
			"%s: permission denied: ask the administrator for a Socket= in astraea.conf whose folders every user may enter",
			path);
	return astra_error_set(err, "%s: %s", path, strerror(error));
}

const char *astra_dial_user(const char *path, uint32_t *uid)
{
	unsigned long value;
	char *end;

	*uid = ASTRA_UID_UNKNOWN;
	if (!isdigit((unsigned char)*path))
		return path;
	value = strtoul(path, &end, 10);
	if (*end != '@')
		return path;
	if (value < ASTRA_UID_UNKNOWN)
		*uid = (uint32_t)value;
	return end + 1;
}

/* Whether the uid stands for users whom the caller's user namespace does not
 * know. It does not if the namespace knows all users. */
static bool dial_is_hidden(uint32_t who)
{
	unsigned long inside, outside, count = UINT32_MAX;
	FILE *map =
		who == UID_HIDDEN ? fopen("/proc/self/uid_map", "re") : NULL;

	if (!map)
		return false;
	if (fscanf(map, "%lu %lu %lu", &inside, &outside, &count) != 3)
		count = UINT32_MAX;
	fclose(map);
	return count < UINT32_MAX;
}

/* Whether the socket's folder belongs to this user, or only its owner can put
 * files there. */
static bool dial_folder_is_of(const char *path, uint32_t who)
{
	const char *slash = strrchr(path, '/');
	char folder[sizeof(((struct sockaddr_un *)0)->sun_path)];
	struct stat st;

	if (!slash || slash - path >= (ptrdiff_t)sizeof(folder))
		return false;
	(void)snprintf(folder, sizeof(folder), "%.*s", (int)(slash - path),
		       path);
	return !stat(*folder ? folder : "/", &st) &&
	       (st.st_uid == who || !(st.st_mode & (S_IWGRP | S_IWOTH)));
}

bool astra_dial_trusts(const char *path, uint32_t who, uint32_t slurm_user)
{
	if (!who || who == geteuid())
		return true;
	if (slurm_user != ASTRA_UID_UNKNOWN && !dial_is_hidden(who))
		return who == slurm_user;
	return dial_folder_is_of(path, who);
}

bool astra_dial_is_here(const char *path, uint32_t slurm_user)
{
	struct stat st;

	return !stat(path, &st) && S_ISSOCK(st.st_mode) &&
	       astra_dial_trusts(path, st.st_uid, slurm_user);
}

/* Checks who listens at the socket, as the kernel reports. Returns 0, or -1
 * with err set. */
static int dial_check_peer(int fd, const char *path, uint32_t slurm_user,
			   struct astra_error *err)
{
	struct ucred who = {0};
	socklen_t size = sizeof(who);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) < 0)
		return astra_error_set(err, "%s: %s", path, strerror(errno));
	if (astra_dial_trusts(path, who.uid, slurm_user))
		return 0;
	return astra_error_set(
		err,
		"%s: uid %u answers there, who is neither root nor SlurmUser, so it is not asked: tell the administrator, who should remove it and restart slurmctld",
		path, who.uid);
}

static int dial_socket(const char *path, int wait_sec, uint32_t slurm_user,
		       struct astra_error *err)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	struct timeval wait = {.tv_sec = wait_sec};
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
		int error = errno;

		explain_connect(path, error, err);
		close(fd);
		return error == ENOENT || (error == ECONNREFUSED &&
					   is_socket(path))
			       ? ASTRA_ABSENT
			       : -1;
	}
	if (dial_check_peer(fd, path, slurm_user, err) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Connects over the network. Returns a descriptor, or -1 with errno. */

static int dial_address(const struct addrinfo *at, int wait_sec)
{
	struct timeval soon = {.tv_sec = wait_sec < CONNECT_WAIT_SEC
						 ? wait_sec
						 : CONNECT_WAIT_SEC};
	struct timeval wait = {.tv_sec = wait_sec};
	int fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &soon, sizeof(soon));
	if (!connect(fd, at->ai_addr, at->ai_addrlen))
		return fd;
	if (errno == EINPROGRESS)
		errno = ETIMEDOUT;
	close(fd);
	return -1;
}

static int dial_host(const char *host, const char *port, int wait_sec,
		     struct astra_error *err)
{
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
	struct addrinfo *found = NULL;
	int rc = getaddrinfo(host, port, &hints, &found), fd = -1;

	if (rc)
		return astra_error_set(err, "%s: %s", host, gai_strerror(rc));
	for (const struct addrinfo *at = found; at && fd < 0; at = at->ai_next)
		fd = dial_address(at, wait_sec);
	rc = errno;
	freeaddrinfo(found);
	if (fd >= 0)
		return fd;
	astra_error_set(err, "%s port %s: %s%s", host, port, strerror(rc),
			rc == ETIMEDOUT ? ": the host is down, or a firewall "
					  "drops what is for that port"
					: "");
	return rc == ECONNREFUSED ? ASTRA_ABSENT : -1;
}

/* Connects to HOST:PORT or [ADDRESS]:PORT; changes name. */
static int dial_name(char *name, int wait_sec, struct astra_error *err)
{
	char *colon = strrchr(name, ':');
	char *end = colon ? colon - 1 : NULL;

	if (!colon || colon == name)
		return astra_error_set(
			err,
			"%s: neither a socket's path nor a host and its port, HOST:PORT",
			name);
	*colon = '\0';
	if (*name == '[' && *end == ']') {
		*end = '\0';
		name++;
	}
	return dial_host(name, colon + 1, wait_sec, err);
}

static int dial_network(const char *names, int wait_sec,
			struct astra_peer *peer, struct astra_error *err)
{
	struct astra_error why;
	int first = 0;

	peer->remote = true;
	for (;;) {
		size_t size = strcspn(names, ",");
		char copy[sizeof(peer->name)];
		int fd;

		(void)snprintf(peer->name, sizeof(peer->name), "%.*s",
			       (int)size, names);
		memcpy(copy, peer->name, sizeof(copy));
		fd = dial_name(copy, wait_sec, first ? &why : err);
		if (fd >= 0)
			return fd;
		if (!first)
			first = fd;
		if (!names[size])
			return first;
		names += size + 1;
	}
}

int astra_dial_receive(int fd, void *bytes, size_t size)
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

int astra_dial(const char *path, int wait_sec, struct astra_peer *peer,
	       struct astra_error *err)
{
	uint32_t uid;

	*peer = (struct astra_peer){0};
	path = astra_dial_user(path, &uid);
	if (*path == '/')
		return dial_socket(path, wait_sec, uid, err);
	if (uid != ASTRA_UID_UNKNOWN)
		peer->uid = uid;
	return dial_network(path, wait_sec, peer, err);
}

/* Writes one address of the list, after the separator `before`. */
static void dial_write_one(char before, const char *host, unsigned int port,
			   struct astra_text *out)
{
	bool v6 = strchr(host, ':');

	astra_text_printf(out, "%c%s%s%s:%u", before, v6 ? "[" : "", host,
			  v6 ? "]" : "", port);
}

void astra_dial_write(const char *shared, char *const *hosts, size_t count,
		      size_t first, unsigned int port, uint32_t uid,
		      struct astra_text *out)
{
	char before = '@';

	astra_text_printf(out, "%u", uid);
	if (shared && *shared) {
		dial_write_one(before, shared, port, out);
		before = ',';
	}
	for (size_t i = 0; i < count; i++) {
		dial_write_one(before, hosts[(first + i) % count], port, out);
		before = ',';
	}
}
