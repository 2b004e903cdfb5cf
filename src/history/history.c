/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/history/history.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "src/common/clock.h"
#include "src/common/thread.h"
#include "src/history/schema.h"

#define QUEUE 8
#define WRITE_SEC 5
#define RETRY_SEC 60
#define PRUNE_SEC 3600

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

/* Protected by the mutex. */
static struct astra_report *queue[QUEUE];
static size_t queued;
static bool running, stop;
static struct astra_report_history figures;
static struct astra_error trouble;
static char file[512];

/* Used only by the thread or, while the thread does not run, by its owner. */
static pthread_t thread;
static struct astra_history_options options;
static char *path, *cluster;
static struct astra_writer *writer;
static double prune_at;

static struct timespec moment(double at_sec)
{
	struct timespec t = {.tv_sec = (time_t)at_sec};

	t.tv_nsec = (long)((at_sec - (double)t.tv_sec) * 1e9);
	return t;
}

static void history_tell(bool is_error, const char *what, const char *text)
{
	char line[1200];

	snprintf(line, sizeof(line), "%s%s", what, text);
	if (options.log_line)
		options.log_line(is_error, line);
}

static void add_time(struct astra_report_timing *t, uint64_t usec)
{
	t->last_usec = usec;
	t->max_usec = usec > t->max_usec ? usec : t->max_usec;
	t->count++;
	t->sum_usec += usec;
	t->mean_usec = t->sum_usec / t->count;
}

/* Returns the file's size in bytes, including SQLite's journal. */
static uint64_t history_size_of(const char *name)
{
	char log[4096];
	struct stat st;
	uint64_t size = 0;

	snprintf(log, sizeof(log), "%s-journal", name);
	if (stat(name, &st) == 0)
		size += (uint64_t)st.st_size;
	if (stat(log, &st) == 0)
		size += (uint64_t)st.st_size;
	return size;
}

/* Sets the text of the present trouble; "" ends the trouble. Logs the beginning
 * and the end of trouble. */
static void set_trouble(const char *text)
{
	bool had;

	pthread_mutex_lock(&mutex);
	had = *trouble.text;
	snprintf(trouble.text, sizeof(trouble.text), "%s", text);
	pthread_mutex_unlock(&mutex);
	if (*text && !had)
		history_tell(true, "history is paused: ", text);
	else if (!*text && had)
		history_tell(false, "history goes on: ", path);
}

static int open_writer(void)
{
	struct astra_error note, err = {""};

	if (writer)
		return 0;
	writer = astra_writer_open(path, cluster, &options.keep, &note, &err);
	if (*note.text)
		history_tell(true, "history begins anew: ", note.text);
	if (writer)
		return 0;
	set_trouble(err.text);
	return -1;
}

static void history_give_up(bool damaged, const char *text)
{
	struct astra_error note = {""}, err = {""};

	astra_writer_close(writer);
	writer = NULL;
	set_trouble(text);
	if (damaged &&
	    astra_history_set_aside(path, "damaged", &note, &err) == 0)
		history_tell(true, "history begins anew: ", note.text);
}

static void history_count(size_t reports, uint64_t rows, uint64_t dropped,
			  double began)
{
	uint64_t usec =
		(uint64_t)((astra_now_sec(CLOCK_MONOTONIC) - began) * 1e6);
	uint64_t bytes = history_size_of(path);
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	pthread_mutex_lock(&mutex);
	figures.reports += reports;
	figures.rows += rows;
	figures.rows_dropped += dropped;
	figures.transactions++;
	figures.written_sec = (double)now.tv_sec;
	figures.file_bytes = bytes;
	add_time(&figures.write, usec);
	pthread_mutex_unlock(&mutex);
}

static void tell_dropped(uint64_t rows)
{
	char text[96];

	snprintf(text, sizeof(text),
		 "%llu rows were left out, too many at once",
		 (unsigned long long)rows);
	if (rows)
		history_tell(true, "history: ", text);
}

static void history_prune(void)
{
	struct timespec now;
	struct astra_error err = {""};
	int rc;

	if (astra_now_sec(CLOCK_MONOTONIC) < prune_at)
		return;
	clock_gettime(CLOCK_REALTIME, &now);
	rc = astra_writer_prune(writer, (double)now.tv_sec, &err);
	prune_at = astra_now_sec(CLOCK_MONOTONIC) +
		   (rc > 0 ? WRITE_SEC : PRUNE_SEC);
	if (rc < 0)
		history_give_up(false, err.text);
}

/* Closes the file if it was removed or replaced, as nobody would read what is
 * written to it. The trouble is reported until the second write to the new
 * file. Returns whether the file was closed. */
static bool leave_lost(void)
{
	const char *what = writer ? astra_writer_lost(writer, path) : NULL;
	char text[1100];

	if (!what)
		return false;
	snprintf(text, sizeof(text), "%s: %s; it is opened anew", path, what);
	history_give_up(false, text);
	return true;
}

/* Writes reports. Returns 0, or -1 if they were not written. */
static int write_reports(struct astra_report *const *reports, size_t n)
{
	struct astra_error err = {""};
	double began = astra_now_sec(CLOCK_MONOTONIC);
	bool damaged, lost = leave_lost();
	uint64_t rows, dropped;

	if (open_writer() < 0)
		return -1;
	rows = astra_writer_rows(writer);
	dropped = astra_writer_rows_dropped(writer);
	if (astra_writer_add(writer, reports, n, &damaged, &err) < 0) {
		history_give_up(damaged, err.text);
		return -1;
	}
	dropped = astra_writer_rows_dropped(writer) - dropped;
	history_count(n, astra_writer_rows(writer) - rows, dropped, began);
	tell_dropped(dropped);
	if (!lost)
		set_trouble("");
	history_prune();
	return 0;
}

/* Waits until a time, or until the thread is to stop. Returns false if it is to
 * stop. */
static bool history_wait_until(double at_sec)
{
	struct timespec t = moment(at_sec);
	bool go_on;

	pthread_mutex_lock(&mutex);
	while (!stop && astra_now_sec(CLOCK_MONOTONIC) < at_sec)
		pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &t);
	go_on = !stop;
	pthread_mutex_unlock(&mutex);
	return go_on;
}

static size_t history_take(struct astra_report **out)
{
	size_t n;

	pthread_mutex_lock(&mutex);
	n = queued;
	memcpy(out, queue, n * sizeof(*out));
	queued = 0;
	pthread_mutex_unlock(&mutex);
	return n;
}

/* Writes the queued reports until the thread is to stop. After a failed write
 * it pauses for retry_sec, which is longer. */
static void *history_run(void *arg)
{
	bool go_on = true;

	(void)arg;
	while (go_on) {
		struct astra_report *reports[QUEUE];
		double pause = options.write_sec;
		size_t n = history_take(reports);

		if (n && write_reports(reports, n) < 0) {
			pause = options.retry_sec;
			pthread_mutex_lock(&mutex);
			figures.lost += n;
			pthread_mutex_unlock(&mutex);
		}
		for (size_t i = 0; i < n; i++)
			astra_report_put(reports[i]);
		go_on = history_wait_until(astra_now_sec(CLOCK_MONOTONIC) +
					   pause);
	}
	return NULL;
}

/* Writes the reports that are still queued when slurmctld stops, unless the
 * file is in trouble. Then frees everything that the thread used. Also runs if
 * the thread could not be started. */
static void write_rest(void)
{
	struct astra_report *reports[QUEUE];
	size_t n = history_take(reports);

	if (n && !*trouble.text)
		(void)write_reports(reports, n);
	for (size_t i = 0; i < n; i++)
		astra_report_put(reports[i]);
	astra_writer_close(writer);
	writer = NULL;
	free(path);
	free(cluster);
	path = cluster = NULL;
}

int astra_history_start(const struct astra_history_options *given,
			struct astra_error *err)
{
	int rc;

	if (running)
		return astra_error_set(err, "the history is written already");
	options = *given;
	if (options.write_sec <= 0)
		options.write_sec = WRITE_SEC;
	if (options.retry_sec <= 0)
		options.retry_sec = RETRY_SEC;
	path = strdup(given->file);
	cluster = strdup(given->cluster ? given->cluster : "");
	stop = false;
	queued = 0;
	prune_at = 0;
	figures = (struct astra_report_history){0};
	trouble = (struct astra_error){""};
	rc = path && cluster ? astra_thread_begin(&thread, 0, history_run, NULL)
			     : ENOMEM;
	if (rc) {
		write_rest();
		return astra_error_set(err, "no thread: %s", strerror(rc));
	}
	pthread_mutex_lock(&mutex);
	snprintf(file, sizeof(file), "%s", path);
	running = true;
	pthread_mutex_unlock(&mutex);
	return 0;
}

void astra_history_note(struct astra_report *report)
{
	struct astra_report *left_out = NULL;
	double began = astra_now_sec(CLOCK_MONOTONIC);

	pthread_mutex_lock(&mutex);
	if (running && !stop) {
		if (queued == QUEUE) {
			left_out = queue[0];
			memmove(queue, queue + 1, (QUEUE - 1) * sizeof(*queue));
			queued--;
			if (!*trouble.text)
				figures.dropped++;
			else
				figures.lost++;
		}
		queue[queued++] = astra_report_get(report);
		add_time(&figures.note,
			 (uint64_t)((astra_now_sec(CLOCK_MONOTONIC) - began) *
				    1e6));
	}
	pthread_mutex_unlock(&mutex);
	astra_report_put(left_out);
}

void astra_history_stop(void)
{
	if (!running)
		return;
	pthread_mutex_lock(&mutex);
	stop = true;
	pthread_cond_broadcast(&cond);
	pthread_mutex_unlock(&mutex);
	pthread_join(thread, NULL);
	write_rest();
	pthread_mutex_lock(&mutex);
	running = false;
	pthread_mutex_unlock(&mutex);
}

double astra_history_behind(double now_sec)
{
	double since = now_sec;

	pthread_mutex_lock(&mutex);
	if (running && *trouble.text && figures.written_sec < now_sec)
		since = figures.written_sec;
	pthread_mutex_unlock(&mutex);
	return since;
}

void astra_history_stats(struct astra_history_stats *out)
{
	pthread_mutex_lock(&mutex);
	out->figures = figures;
	out->error = trouble;
	memcpy(out->file, running ? file : "", running ? sizeof(file) : 1);
	out->figures.state = !running		    ? "off"
			     : *trouble.text	    ? "paused"
			     : figures.transactions ? "writing"
						    : "starting";
	pthread_mutex_unlock(&mutex);
	out->figures.file = out->file;
	out->figures.error = out->error.text;
}
