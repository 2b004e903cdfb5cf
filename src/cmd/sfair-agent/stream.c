/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/cmd/sfair-agent/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/common/clock.h"

static int tee_write_all(int fd, const char *bytes, size_t size)
{
	while (size) {
		struct pollfd ready = {.fd = fd, .events = POLLOUT};
		ssize_t done = write(fd, bytes, size);

		if (done < 0 && errno == EAGAIN)
			poll(&ready, 1, -1); /* it is non-blocking */
		else if (done < 0 && errno != EINTR)
			return -1;
		if (done > 0) {
			bytes += done;
			size -= (size_t)done;
		}
	}
	return 0;
}

/* Close a stream whose reader or writer is gone. The child then gets the same
 * signal as without the tee. */
static void tee_stop(struct agent_tee *t, int i)
{
	close(t->from[i]);
	t->from[i] = -1;
}

static void pass_on(struct agent_tee *t, int i)
{
	char bytes[AGENT_WINDOW / 4];
	ssize_t size = read(t->from[i], bytes, sizeof(bytes));

	if (size <= 0 ||
	    tee_write_all(i + STDOUT_FILENO, bytes, (size_t)size) < 0) {
		tee_stop(t, i);
		return;
	}
	pthread_mutex_lock(&t->lock);
	agent_window_add(&t->windows[i], bytes, (size_t)size,
			 astra_now_sec(CLOCK_MONOTONIC));
	pthread_mutex_unlock(&t->lock);
}

/* Pass output on until both streams have ended. If the child has ended, stop
 * once the streams are empty, as other processes may hold them open. */
static void *tee_run(void *arg)
{
	struct agent_tee *t = arg;
	bool ending = false;

	while (t->from[0] >= 0 || t->from[1] >= 0) {
		struct pollfd fds[] = {
			{.fd = t->from[0], .events = POLLIN},
			{.fd = t->from[1], .events = POLLIN},
			{.fd = ending ? -1 : t->end[0], .events = POLLIN},
		};
		int ready = poll(fds, 3, ending ? 0 : -1);

		if (!ready)
			break;
		for (int i = 0; ready > 0 && i < AGENT_STREAMS; i++)
			if (fds[i].revents)
				pass_on(t, i);
		ending |= fds[2].revents != 0;
	}
	return NULL;
}

int agent_tee_start(struct agent_tee *t, const int *from,
		    struct astra_error *err)
{
	int error = 0;

	pthread_mutex_init(&t->lock, NULL);
	for (int i = 0; !error && i < AGENT_STREAMS; i++) {
		int ends[] = {from ? from[i] : -1, -1};

		if (!from && pipe2(ends, O_CLOEXEC) < 0)
			error = errno;
		t->from[i] = ends[0];
		t->into[i] = ends[1];
		t->windows[i].size = 0;
	}
	if (!error && pipe2(t->end, O_CLOEXEC) < 0)
		error = errno;
	if (!error)
		error = pthread_create(&t->thread, NULL, tee_run, t);
	if (error)
		return astra_error_set(err, "--log=-: %s", strerror(error));
	return 0;
}

void agent_tee_given(struct agent_tee *t)
{
	for (int i = 0; i < AGENT_STREAMS; i++)
		if (t->into[i] >= 0)
			close(t->into[i]);
}

void agent_tee_finish(struct agent_tee *t)
{
	close(t->end[1]);
	pthread_join(t->thread, NULL);
}

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

/* Take the new bytes of the open file. If they are more than a window, take
 * only the last ones. */
static void tail_take(struct agent_tail *t, struct agent_window *window,
		      double now_sec)
{
	char bytes[AGENT_WINDOW / 4];
	struct stat st;
	ssize_t size;

	if (fstat(t->fd, &st) < 0) {
		tail_close_file(t); /* the file no longer exists on its
				     * server */
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

	/* O_NONBLOCK: do not wait for the writer of a FIFO. */
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

/* Whether another file has replaced the one that is open. */
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

static void window_forget(struct agent_window *w, size_t size)
{
	w->size -= size;
	memmove(w->bytes, w->bytes + size, w->size);
}

void agent_window_add(struct agent_window *w, const char *bytes, size_t size,
		      double at_sec)
{
	if (size > AGENT_WINDOW) {
		bytes += size - AGENT_WINDOW;
		size = AGENT_WINDOW;
	}
	/* Forget half a window at once, so that a flood of output does not move
	 * all bytes each time. */
	if (w->size + size > AGENT_WINDOW && w->size > AGENT_WINDOW / 2)
		window_forget(w, w->size - AGENT_WINDOW / 2);
	if (w->size + size > AGENT_WINDOW)
		window_forget(w, w->size + size - AGENT_WINDOW);
	memcpy(w->bytes + w->size, bytes, size);
	w->size += size;
	w->at_sec = at_sec;
}

static bool ends_line(char c)
{
	return c == '\n' || c == '\r';
}

/* Find the end of the last complete line in the first `size` bytes. Returns
 * AGENT_WINDOW if there is none. */
static size_t before_end(const struct agent_window *w, size_t size)
{
	while (size)
		if (ends_line(w->bytes[--size]))
			return size;
	return AGENT_WINDOW;
}

bool agent_window_line(const struct agent_window *w, size_t *end, char *line)
{
	size_t begin, size;

	if (*end == AGENT_WINDOW)
		*end = before_end(w, w->size);
	if (*end == AGENT_WINDOW || !*end)
		return false;
	begin = before_end(w, *end);
	begin = begin == AGENT_WINDOW ? 0 : begin + 1;
	size = *end - begin;
	if (size >= AGENT_LINE)
		size = AGENT_LINE - 1;
	memcpy(line, w->bytes + begin, size);
	line[size] = '\0';
	*end = begin ? begin - 1 : 0;
	return true;
}

void agent_window_trim(struct agent_window *w)
{
	size_t end = before_end(w, w->size);

	if (end < AGENT_WINDOW)
		window_forget(w, end + 1);
}
