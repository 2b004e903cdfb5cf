/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/cmd/sfair-agent/apart.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define LAST_PID "/proc/sys/kernel/ns_last_pid"

static int apart_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), rc = -1;

	if (fd < 0)
		return -1;
	if (write(fd, text, strlen(text)) == (ssize_t)strlen(text))
		rc = 0;
	close(fd);
	return rc;
}

/* Map the user and the group to the same ids in the namespace, which knows no
 * others. */
static int apart_map(uid_t uid, gid_t gid)
{
	char users[64], groups[64];

	snprintf(users, sizeof(users), "%u %u 1", uid, uid);
	snprintf(groups, sizeof(groups), "%u %u 1", gid, gid);
	if (apart_write("/proc/self/setgroups", "deny") < 0 ||
	    apart_write("/proc/self/uid_map", users) < 0)
		return -1;
	return apart_write("/proc/self/gid_map", groups);
}

/* Mount the /proc of the namespace. Later mounts of the host are also seen in
 * the namespace; mounts in the namespace are not seen on the host. */
static int apart_mount(void)
{
	if (mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) < 0)
		return -1;
	return mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC,
		     NULL);
}

/* Open the file of a descriptor again: the descriptor belongs to a mount that
 * no process in the namespace can find. If that fails, the descriptor stays as
 * it is. */
static void apart_reopen(int fd)
{
	char link[64], path[PATH_MAX];
	struct stat is, was;
	int flags = fcntl(fd, F_GETFL), again;
	ssize_t size;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	size = readlink(link, path, sizeof(path) - 1);
	if (flags < 0 || size <= 0 || *path != '/' || fstat(fd, &was) < 0)
		return;
	path[size] = '\0';
	again = open(path, (flags & (O_ACCMODE | O_APPEND | O_NONBLOCK)) |
				   O_NOCTTY | O_CLOEXEC);
	if (again < 0)
		return;
	if (fstat(again, &is) == 0 && is.st_dev == was.st_dev &&
	    is.st_ino == was.st_ino) {
		(void)lseek(again, lseek(fd, 0, SEEK_CUR), SEEK_SET);
		dup2(again, fd);
	}
	close(again);
}

/* Reopen all descriptors that the program will inherit. */
static void apart_reopen_all(void)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		int fd = atoi(entry->d_name);

		if (isdigit((unsigned char)*entry->d_name) &&
		    fcntl(fd, F_GETFD) == 0)
			apart_reopen(fd);
	}
	if (dir)
		closedir(dir);
}

static void apart_capabilities(bool inherit)
{
	struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &head, data) < 0)
		return;
	for (int i = 0; i < 2; i++)
		data[i].inheritable = inherit ? data[i].permitted : 0;
	(void)syscall(SYS_capset, &head, data);
	if (!inherit)
		prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	for (unsigned long cap = 0; inherit && cap < 64; cap++)
		prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, cap, 0, 0);
}

/* Set up the child in the new namespaces. Returns NULL, or the step that
 * failed, with errno set. */
static const char *apart_settle(uid_t uid, gid_t gid)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (apart_map(uid, gid) < 0)
		return "map the user";
	if (apart_mount() < 0)
		return "mount /proc";
	apart_reopen_all();
	apart_capabilities(true);
	return NULL;
}

static pid_t apart_fail(const char *what, int error, struct astra_error *err)
{
	return astra_error_set(
		err,
		"this host lets users have no namespaces of their own "
		"(cannot %s: %s), which criu needs: see sfair-agent(1), "
		"Privileges",
		what, strerror(error));
}

pid_t agent_apart(struct astra_error *err)
{
	const unsigned long spaces = CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS;
	struct {
		int error;
		char what[32];
	} tell = {0};
	uid_t uid = geteuid();
	gid_t gid = getegid();
	int ends[2];
	pid_t child;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return apart_fail("open a pipe", errno, err);
	child = (pid_t)syscall(SYS_clone, spaces | SIGCHLD, 0, 0, 0, 0);
	if (!child) {
		const char *what = apart_settle(uid, gid);

		tell.error = what ? errno : 0;
		snprintf(tell.what, sizeof(tell.what), "%s", what ? what : "");
		if (write(ends[1], &tell, sizeof(tell)) < 0 || what)
			_exit(1);
	}
	close(ends[1]);
	if (child < 0)
		apart_fail("make them", errno, err);
	else if (child > 0 && read(ends[0], &tell, sizeof(tell)) <= 0)
		tell.error = ECHILD;
	close(ends[0]);
	if (child <= 0 || !tell.error)
		return child;
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	return apart_fail(tell.what, tell.error, err);
}

int agent_apart_serve(pid_t child)
{
	sigset_t all;
	siginfo_t info;
	int status, signal;

	for (;;) {
		pid_t pid;

		sigfillset(&all);
		signal = sigwaitinfo(&all, &info);
		if (signal > 0 && signal != SIGCHLD &&
		    info.si_code != SI_KERNEL)
			kill(child, signal);
		pid = waitpid(child, &status, WNOHANG);
		if (pid == child || (pid < 0 && errno == ECHILD))
			return pid == child ? status : 1 << 8;
	}
}

long agent_apart_last_pid(void)
{
	FILE *file = fopen(LAST_PID, "re");
	long pid = 0;

	if (file && fscanf(file, "%ld", &pid) != 1)
		pid = 0;
	if (file)
		fclose(file);
	return pid;
}

void agent_apart_skip_pids(long last)
{
	char text[24];

	snprintf(text, sizeof(text), "%ld", last);
	if (last > agent_apart_last_pid())
		(void)apart_write(LAST_PID, text);
}

void agent_apart_leave(void)
{
	apart_capabilities(false);
}
