/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Preloaded into slurmctld: a thread keeps the number of bytes that are
 * malloced in the file $MALLOCED.PID. Mapped, for slurmctld closes what it
 * finds open. */
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SIZE = 32 };

static void *tell(void *file)
{
	for (;;) {
		struct mallinfo2 m = mallinfo2();

		snprintf(file, SIZE, "%-30zu\n", m.uordblks + m.hblkhd);
		usleep(100000);
	}
	return NULL;
}

__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv("MALLOCED");
	char name[4096];
	pthread_t thread;
	void *map;
	int fd;

	if (!path)
		return;
	snprintf(name, sizeof(name), "%s.%d", path, (int)getpid());
	fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || ftruncate(fd, SIZE - 1))
		return;
	map = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (map != MAP_FAILED && !pthread_create(&thread, NULL, tell, map))
		pthread_detach(thread);
}
