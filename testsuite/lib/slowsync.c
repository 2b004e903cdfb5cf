/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Preloaded into slurmctld: a disk that takes a fifth of a second to sync. */
#include <dlfcn.h>
#include <unistd.h>

enum { SYNC_USEC = 200000 };

int fsync(int fd)
{
	int (*sync_file)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");

	usleep(SYNC_USEC);
	return sync_file ? sync_file(fd) : -1;
}
