/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Preloaded into slurmctld: a disk that takes a fifth of a second to sync, and
 * longer for files in whose folder there is one of the name "held". */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SYNC_USEC = 200000 };

static bool is_held(int fd)
{
	char link[64], path[4096];
	ssize_t size;
	char *name;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	size = readlink(link, path, sizeof(path) - sizeof("held"));
	if (size < 0)
		return false;
	path[size] = '\0';
	name = strrchr(path, '/');
	strcpy(name ? name + 1 : path, "held");
	return access(path, F_OK) == 0;
}

int fsync(int fd)
{
	int (*sync_file)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");

	do
		usleep(SYNC_USEC);
	while (is_held(fd));
	return sync_file ? sync_file(fd) : -1;
}
