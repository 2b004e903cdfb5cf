/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "src/slurm/desk/server_private.h"

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

/* Nobody else may replace what we make in the folder. */
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
	/* Everybody may connect: MUNGE says who asks. */
	if (bind(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0 ||
	    chmod(path, 0666) < 0 || listen(fd, SERVER_CLIENTS) < 0) {
		astra_error_set(err, "%s: %s", path, strerror(errno));
		close(fd);
		return -1;
	}
	return fd;
}
