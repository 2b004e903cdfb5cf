/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/cmd/sfair-agent/tee.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "src/cmd/sfair-agent/clock.h"

static int tee_write_all(int fd, const char *bytes, size_t size)
{
	while (size) {
		struct pollfd ready = {.fd = fd, .events = POLLOUT};
		ssize_t done = write(fd, bytes, size);

		if (done < 0 && errno == EAGAIN)
			poll(&ready, 1, -1); /* who shares it made it so */
		else if (done < 0 && errno != EINTR)
			return -1;
		if (done > 0) {
			bytes += done;
			size -= (size_t)done;
		}
	}
	return 0;
}

/* Nobody reads the output any more, or nobody writes it: the child gets the
 * signal that it would have got. */
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
	agent_window_add(&t->windows[i], bytes, (size_t)size, agent_now_sec());
	pthread_mutex_unlock(&t->lock);
}

/* Until both are over; or, when the child has ended, empty: another process may
 * have them open still. */
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
