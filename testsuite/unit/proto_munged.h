/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A munged of the test's own, in a folder of its own. */
#ifndef PROTO_MUNGED_H
#define PROTO_MUNGED_H

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct test_munged {
	char folder[64];
	char socket[96];
	pid_t pid;
};

static int test_munged_key(const char *folder)
{
	char path[96], key[64];
	int fd;

	snprintf(path, sizeof(path), "%s/key", folder);
	fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	if (fd < 0 || getrandom(key, sizeof(key), 0) != sizeof(key) ||
	    write(fd, key, sizeof(key)) != sizeof(key))
		return -1;
	return close(fd);
}

static void test_munged_exec(const struct test_munged *m)
{
	char key[128], pid[128], log[128], seed[128], sock[128];
	char name[] = "munged", front[] = "-F", force[] = "-f";
	char *argv[] = {name, front, force, key, pid, log, seed, sock, NULL};

	snprintf(key, sizeof(key), "--key-file=%s/key", m->folder);
	snprintf(pid, sizeof(pid), "--pid-file=%s/pid", m->folder);
	snprintf(log, sizeof(log), "--log-file=%s/log", m->folder);
	snprintf(seed, sizeof(seed), "--seed-file=%s/seed", m->folder);
	snprintf(sock, sizeof(sock), "--socket=%s", m->socket);
	if (!freopen("/dev/null", "w", stderr))
		_exit(127);
	execvp("munged", argv);
	execv("/usr/sbin/munged", argv);
	_exit(127);
}

/* Returns 0 when it answers, or -1 where there is no munged. */
static int test_munged_start(struct test_munged *m)
{
	snprintf(m->folder, sizeof(m->folder), "/tmp/astraea-test-XXXXXX");
	if (!mkdtemp(m->folder) || chmod(m->folder, 0755) < 0 ||
	    test_munged_key(m->folder) < 0)
		return -1;
	snprintf(m->socket, sizeof(m->socket), "%s/munge.sock", m->folder);
	m->pid = fork();
	if (!m->pid)
		test_munged_exec(m);
	for (int i = 0; m->pid > 0 && i < 100; i++) {
		if (!access(m->socket, F_OK))
			return 0;
		if (waitpid(m->pid, NULL, WNOHANG) == m->pid)
			break;
		usleep(50000);
	}
	return -1;
}

static void test_munged_stop(struct test_munged *m)
{
	static const char *const names[] = {"key",
					    "pid",
					    "log",
					    "seed",
					    "lock",
					    "munge.sock",
					    "munge.sock.lock"};
	char path[128];

	kill(m->pid, SIGTERM);
	waitpid(m->pid, NULL, 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(path, sizeof(path), "%s/%s", m->folder, names[i]);
		unlink(path);
	}
	rmdir(m->folder);
}

#endif
