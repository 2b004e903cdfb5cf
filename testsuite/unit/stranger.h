/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Another user who listens at a socket, in a folder where all may write. */
#ifndef TEST_STRANGER_H
#define TEST_STRANGER_H

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define STRANGER 4712

struct stranger {
	char folder[64], path[96];
	pid_t pid;
};

static inline void stranger_run(const struct stranger *s, uid_t uid, int ready)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	alarm(60); /* whoever started it may be gone */
	memcpy(addr.sun_path, s->path, sizeof(s->path));
	umask(0);
	if (setgid(uid) || setuid(uid) ||
	    bind(fd, (struct sockaddr *)&addr, sizeof(addr)) || listen(fd, 8) ||
	    write(ready, "x", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

/* folder_uid: whose the folder is. Returns 0, or -1; to be stopped. Needs root.
 */
static inline int stranger_start(struct stranger *s, uid_t uid,
				 uid_t folder_uid)
{
	char byte;
	int ends[2];

	*s = (struct stranger){.folder = "/tmp/astraea-test-XXXXXX"};
	if (!mkdtemp(s->folder) || chmod(s->folder, 01777) ||
	    chown(s->folder, folder_uid, (gid_t)-1) || pipe(ends))
		return -1;
	snprintf(s->path, sizeof(s->path), "%s/a.sock", s->folder);
	s->pid = fork();
	if (!s->pid)
		stranger_run(s, uid, ends[1]);
	close(ends[1]);
	if (read(ends[0], &byte, 1) != 1)
		s->pid = -1;
	close(ends[0]);
	return s->pid > 0 ? 0 : -1;
}

static inline void stranger_stop(const struct stranger *s)
{
	if (s->pid > 0) {
		kill(s->pid, SIGKILL);
		waitpid(s->pid, NULL, 0);
	}
	unlink(s->path);
	rmdir(s->folder);
}

#endif
