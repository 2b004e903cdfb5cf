/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/cmd/sfair-agent/tree.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/common/grow.h"

struct process {
	pid_t pid, parent;
	bool below;
};

struct processes {
	struct process *list;
	size_t count, room;
};

/* Read the beginning of a process's file in /proc. Returns its size; 0 if the
 * process has ended. */
static size_t tree_read_file(pid_t pid, const char *name, char *text,
			     size_t room)
{
	char path[64];
	ssize_t size;
	int fd;

	snprintf(path, sizeof(path), "/proc/%ld/%s", (long)pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	size = read(fd, text, room - 1);
	close(fd);
	text[size > 0 ? size : 0] = '\0';
	return size > 0 ? (size_t)size : 0;
}

bool agent_catches(pid_t pid, int signal)
{
	static const char key[] = "\nSigCgt:";
	char text[4096];
	const char *line;
	unsigned long long caught;

	if (!tree_read_file(pid, "status", text, sizeof(text)))
		return false;
	line = strstr(text, key);
	if (!line || strstr(text, "\nState:\tZ"))
		return false; /* a process that has ended would still list its
			       * handlers */
	caught = strtoull(line + sizeof(key) - 1, NULL, 16);
	return caught >> (signal - 1) & 1;
}

/* Find the parent in the stat file, where it follows the state: "12 (any) name)
 * S 7 ...". Returns 0 if the process has ended. */
static pid_t tree_parent_of(pid_t pid)
{
	char text[512];
	const char *end;

	if (!tree_read_file(pid, "stat", text, sizeof(text)))
		return 0;
	end = strrchr(text, ')');
	return end && strlen(end) > 4 ? (pid_t)strtol(end + 4, NULL, 10) : 0;
}

static int tree_add(struct processes *all, pid_t pid, pid_t root)
{
	pid_t parent = tree_parent_of(pid);

	if (!parent && pid != root) /* only the first process has no parent */
		return 0;
	if (astra_grow(&all->list, &all->room, all->count + 1,
		       sizeof(*all->list)) < 0)
		return -1;
	all->list[all->count++] = (struct process){pid, parent, pid == root};
	return 0;
}

static int tree_read_all(struct processes *all, pid_t root)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	int rc = dir ? 0 : -1;

	while (!rc && (entry = readdir(dir)))
		if (isdigit((unsigned char)*entry->d_name))
			rc = tree_add(all,
				      (pid_t)strtol(entry->d_name, NULL, 10),
				      root);
	if (dir)
		closedir(dir);
	return rc;
}

static int by_pid(const void *a, const void *b)
{
	const struct process *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

static const struct process *tree_find(const struct processes *all, pid_t pid)
{
	const struct process key = {.pid = pid};

	if (!all->count)
		return NULL;
	return bsearch(&key, all->list, all->count, sizeof(key), by_pid);
}

/* Mark all processes below the root. A parent's pid may be higher than its
 * child's, so repeat until a pass finds nothing new. */
static long mark(struct processes *all)
{
	long found = 0, before;

	do {
		before = found;
		for (size_t i = 0; i < all->count; i++) {
			struct process *p = &all->list[i];
			const struct process *parent;

			if (p->below)
				continue;
			parent = tree_find(all, p->parent);
			p->below = parent && parent->below;
			found += p->below;
		}
	} while (found > before);
	return found;
}

static pid_t *tree_collect(const struct processes *all, pid_t root, long count)
{
	pid_t *pids = calloc((size_t)count + 1, sizeof(*pids));
	size_t n = 0;

	for (size_t i = 0; pids && i < all->count; i++)
		if (all->list[i].below && all->list[i].pid != root)
			pids[n++] = all->list[i].pid;
	return pids;
}

long agent_tree(pid_t root, pid_t **pids)
{
	struct processes all = {0};
	long count = -1;

	*pids = NULL;
	if (!tree_read_all(&all, root)) {
		if (all.count)
			qsort(all.list, all.count, sizeof(*all.list), by_pid);
		count = mark(&all);
		*pids = tree_collect(&all, root, count);
	}
	free(all.list);
	return *pids ? count : -1;
}

/* Send `what` to the processes that catch `signal`; 0: only count them. */
static long send_catching(pid_t root, int signal, int what)
{
	long count, sent = 0;
	pid_t *pids;

	count = agent_tree(root, &pids);
	for (long i = 0; i < count; i++)
		if (agent_catches(pids[i], signal))
			sent += kill(pids[i], what) == 0;
	free(pids);
	return count < 0 ? -1 : sent;
}

long agent_tree_signal(pid_t root, int signal)
{
	return send_catching(root, signal, signal);
}

long agent_tree_catches(pid_t root, int signal)
{
	return send_catching(root, signal, 0);
}
