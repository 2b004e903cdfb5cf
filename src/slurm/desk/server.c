/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/desk/server.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/common/clock.h"
#include "src/common/thread.h"
#include "src/slurm/desk/server_private.h"

/* The report is independent of the server: it may be published before the
 * start. */
static pthread_mutex_t report_lock = PTHREAD_MUTEX_INITIALIZER;
static struct astra_report *last_report;
static struct server *the_server;

void astra_server_publish(struct astra_report *report)
{
	struct astra_report *old;

	pthread_mutex_lock(&report_lock);
	old = last_report;
	last_report = report;
	pthread_mutex_unlock(&report_lock);
	astra_report_put(old);
}

struct astra_report *server_report(void)
{
	struct astra_report *report = NULL;

	pthread_mutex_lock(&report_lock);
	if (last_report)
		report = astra_report_get(last_report);
	pthread_mutex_unlock(&report_lock);
	return report;
}

int64_t server_now_msec(void)
{
	return astra_now_msec(CLOCK_MONOTONIC);
}

int server_thread_start(pthread_t *thread, void *(*run)(void *), void *arg,
			struct astra_error *err)
{
	int rc = astra_thread_begin(thread, 0, run, arg);

	if (rc)
		return astra_error_set(err, "a thread for queries: %s",
				       strerror(rc));
	return 0;
}

static int start_threads(struct server *s, struct astra_error *err)
{
	s->munge = server_munge_start(&s->options, &s->stop, err);
	if (!s->munge)
		return -1;
	if (server_past_start(&s->past, s->options.history, s->wake_fd, err) <
	    0)
		goto failed;
	if (server_thread_start(&s->thread, server_run, s, err) == 0)
		return 0;
	server_past_stop(&s->past);
failed:
	server_munge_stop(s->munge);
	return -1;
}

static void server_destroy(struct server *s)
{
	if (s->listen_fd >= 0)
		close(s->listen_fd);
	if (s->wake_fd >= 0)
		close(s->wake_fd);
	if (s->network_fd >= 0)
		close(s->network_fd);
	for (int i = 0; i < SERVER_CLIENTS; i++)
		server_client_close(&s->clients[i]);
	free(s->path);
	free(s->listen);
	free(s);
}

static struct server *server_create(const struct astra_server_options *options)
{
	struct server *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->options = *options;
	s->listen_fd = s->wake_fd = s->network_fd = -1;
	for (int i = 0; i < SERVER_CLIENTS; i++)
		s->clients[i].fd = -1;
	s->path = strdup(options->path);
	if (options->listen)
		s->listen = strdup(options->listen);
	s->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (!s->path || (options->listen && !s->listen) || s->wake_fd < 0) {
		server_destroy(s);
		return NULL;
	}
	return s;
}

/* Remove the socket, unless it has been replaced by another file. */
static void remove_socket(const struct server *s)
{
	struct stat st;

	if (!lstat(s->path, &st) && st.st_dev == s->device &&
	    st.st_ino == s->inode)
		unlink(s->path);
}

static int listen_at_path(struct server *s, struct astra_error *err)
{
	struct stat st;

	s->listen_fd = server_socket_open(s->path, err);
	if (s->listen_fd < 0)
		return -1;
	if (lstat(s->path, &st) < 0)
		return astra_error_set(err, "%s: %s", s->path, strerror(errno));
	s->device = st.st_dev;
	s->inode = st.st_ino;
	return 0;
}

static void log_start(const struct server *s)
{
	char text[256];

	if (s->port)
		snprintf(text, sizeof(text),
			 "queries are answered on %s and port %u", s->path,
			 s->port);
	else
		snprintf(text, sizeof(text), "queries are answered on %s",
			 s->path);
	if (s->options.log_line)
		s->options.log_line(false, text);
}

int astra_server_start(const struct astra_server_options *options,
		       struct astra_error *err)
{
	struct server *s;

	if (the_server)
		return astra_error_set(err, "the query socket is open already");
	s = server_create(options);
	if (!s)
		return astra_error_nomem(err);
	if (listen_at_path(s, err) < 0) {
		server_destroy(s);
		return -1;
	}
	if (s->listen)
		server_network_open(s);
	if (start_threads(s, err) < 0) {
		remove_socket(s);
		server_destroy(s);
		return -1;
	}
	the_server = s;
	log_start(s);
	return 0;
}

unsigned int astra_server_port(void)
{
	return the_server ? the_server->port : 0;
}

const char *astra_server_network_error(void)
{
	return the_server ? the_server->network_error.text : "";
}

void astra_server_stop(void)
{
	struct server *s = the_server;

	if (s) {
		uint64_t one = 1;

		atomic_store(&s->stop, true);
		if (write(s->wake_fd, &one, sizeof(one)) < 0)
			(void)errno; /* poll() returns within a second anyway */
		pthread_join(s->thread, NULL);
		server_past_stop(&s->past);
		server_munge_stop(s->munge);
		remove_socket(s);
		server_destroy(s);
		the_server = NULL;
	}
	astra_server_publish(NULL);
}
