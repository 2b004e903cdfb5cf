/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/cmd/sfair-agent/tail.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void tell_once(struct agent_tail *t, const char *why)
{
	if (!t->told)
		fprintf(stderr, "sfair-agent: --log=%s: %s\n", t->path, why);
	t->told = true;
}

static void tail_close_file(struct agent_tail *t)
{
	if (t->fd >= 0)
		close(t->fd);
	t->fd = -1;
}

/* Take what is new in the file that is open, or is its end if that is more. */
static void tail_take(struct agent_tail *t, struct agent_window *window,
		      double now_sec)
{
	char bytes[AGENT_WINDOW / 4];
	struct stat st;
	ssize_t size;

	if (fstat(t->fd, &st) < 0) {
		tail_close_file(t); /* its server has lost it */
		return;
	}
	if (st.st_size < t->at)
		t->at = 0;
	if (st.st_size - t->at > AGENT_WINDOW)
		t->at = st.st_size - AGENT_WINDOW;
	while (t->at < st.st_size) {
		size = pread(t->fd, bytes, sizeof(bytes), t->at);
		if (size <= 0)
			return;
		agent_window_add(window, bytes, (size_t)size, now_sec);
		t->at += size;
	}
}

static void tail_open_file(struct agent_tail *t, bool from_end)
{
	struct stat st;

	/* A FIFO is not waited for. */
	t->fd = open(t->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	t->at = 0;
	if (t->fd < 0) {
		if (errno != ENOENT)
			tell_once(t, strerror(errno));
	} else if (fstat(t->fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		tell_once(t, "no regular file");
		tail_close_file(t);
	} else if (from_end) {
		t->at = st.st_size;
	}
}

/* Whether the path leads to another file than the one that is open. */
static bool is_replaced(const struct agent_tail *t)
{
	struct stat mine, there;

	return stat(t->path, &there) == 0 && fstat(t->fd, &mine) == 0 &&
	       (mine.st_ino != there.st_ino || mine.st_dev != there.st_dev);
}

void agent_tail_read(struct agent_tail *t, struct agent_window *window,
		     double now_sec)
{
	if (t->fd >= 0)
		tail_take(t, window, now_sec);
	if (t->fd >= 0 && is_replaced(t))
		tail_close_file(t);
	if (t->fd < 0) {
		tail_open_file(t, !t->looked);
		if (t->fd >= 0)
			tail_take(t, window, now_sec);
	}
	t->looked = true;
}
