/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/common/forwarder.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOOK_MSEC                                                  \
	10000 /* between looks at the leader, if the kernel has no \
	       * pidfd */

enum { PATH_ROOM = 64, STAT_ROOM = 512, LINE_ROOM = 256 };

/* The fields that are needed from /proc/PID/stat. */
struct process {
	pid_t pid, group;
	bool is_srun;
};

/* Read the masks of a status file; 0 if it is unreadable. */
static void read_masks(const char *path, uint64_t *caught, uint64_t *blocked)
{
	char line[LINE_ROOM];
	FILE *file = fopen(path, "re");

	*caught = *blocked = 0;
	while (file && fgets(line, sizeof(line), file)) {
		(void)sscanf(line, "SigCgt: %" SCNx64, caught);
		(void)sscanf(line, "SigBlk: %" SCNx64, blocked);
	}
	if (file)
		fclose(file);
}

static bool is_number(const char *name)
{
	return isdigit((unsigned char)*name);
}

static bool all_threads_block(pid_t pid, uint64_t bit)
{
	char path[PATH_ROOM];
	uint64_t caught, blocked = 0;
	struct dirent *entry;
	DIR *folder;
	bool all = true;

	snprintf(path, sizeof(path), "/proc/%ld/task", (long)pid);
	folder = opendir(path);
	while (folder && all && (entry = readdir(folder))) {
		if (!is_number(entry->d_name))
			continue;
		snprintf(path, sizeof(path), "/proc/%ld/task/%.20s/status",
			 (long)pid, entry->d_name);
		read_masks(path, &caught, &blocked);
		all = blocked & bit;
	}
	if (folder)
		closedir(folder);
	return folder && all && blocked & bit;
}

bool astra_process_catches(pid_t pid, int signal)
{
	uint64_t bit = UINT64_C(1) << (signal - 1), caught, blocked;
	char path[PATH_ROOM];

	snprintf(path, sizeof(path), "/proc/%ld/status", (long)pid);
	read_masks(path, &caught, &blocked);
	return caught & bit || (blocked & bit && all_threads_block(pid, bit));
}

static bool read_process(const char *name, struct process *out)
{
	char path[PATH_ROOM], text[STAT_ROOM], state;
	const char *end;
	FILE *file;
	size_t size;
	int group, parent;

	snprintf(path, sizeof(path), "/proc/%.20s/stat", name);
	file = fopen(path, "re");
	if (!file)
		return false;
	size = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[size] = '\0';
	end = strrchr(text, ')'); /* a process's name may have blanks and
				   * brackets */
	if (!end || sscanf(end, ") %c %d %d", &state, &parent, &group) != 3)
		return false;
	out->pid = (pid_t)strtol(name, NULL, 10);
	out->group = group;
	out->is_srun = strstr(text, " (srun) ") != NULL;
	return true;
}

/* Find the next process of the group. Returns false if there is none. */
static bool next_process(DIR *folder, pid_t group, struct process *out)
{
	struct dirent *entry;

	while ((entry = readdir(folder)))
		if (is_number(entry->d_name) &&
		    read_process(entry->d_name, out) && out->group == group)
			return true;
	return false;
}

void astra_signal_catchers(pid_t group, int signal)
{
	DIR *folder = opendir("/proc");
	bool has_steps = false;
	struct process p;

	if (!folder)
		return;
	while (next_process(folder, group, &p))
		has_steps = has_steps || p.is_srun;
	rewinddir(folder);
	while (next_process(folder, group, &p))
		if (!p.is_srun && !(has_steps && p.pid == group) &&
		    p.pid != getpid() && astra_process_catches(p.pid, signal))
			(void)kill(p.pid, signal);
	closedir(folder);
}

/* Wait for ASTRA_FORWARD_SIGNAL. Returns false once the leader has ended. */
static bool forwarder_wait(struct pollfd fds[2], pid_t leader)
{
	struct signalfd_siginfo info;

	for (;;) {
		int count = poll(fds, 2, fds[1].fd < 0 ? LOOK_MSEC : -1);

		if ((count < 0 && errno != EINTR) || fds[1].revents ||
		    (fds[1].fd < 0 && kill(leader, 0) < 0))
			return false;
		if (count > 0 &&
		    read(fds[0].fd, &info, sizeof(info)) == sizeof(info))
			return true;
	}
}

static void forwarder_run(pid_t leader, int signal)
{
	struct pollfd fds[2] = {{.events = POLLIN}, {.events = POLLIN}};
	sigset_t set;

	closefrom(0); /* the script's output, and what slurmstepd left open */
	if (chdir("/") < 0)
		return;
	prctl(PR_SET_NAME, "astraea-signal");
	sigemptyset(&set);
	sigaddset(&set, ASTRA_FORWARD_SIGNAL);
	fds[0].fd = signalfd(-1, &set, SFD_CLOEXEC);
	fds[1].fd = (int)syscall(SYS_pidfd_open, leader, 0);
	while (fds[0].fd >= 0 && forwarder_wait(fds, leader))
		astra_signal_catchers(leader, signal);
}

int astra_forwarder_start(int signal)
{
	pid_t leader = getpid(), between;
	sigset_t all, before;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	between = fork();
	if (!between) {
		/* The grandchild is not a child of the script. */
		if (!fork())
			forwarder_run(leader, signal);
		_exit(0);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	while (between > 0 && waitpid(between, NULL, 0) < 0 && errno == EINTR)
		;
	return between > 0 ? 0 : -1;
}
