/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/note/grace.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "src/common/grow.h"

#define TELL_SEC 20

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct astra_grace *entries;
static size_t entry_count, entry_room;
/* Who was started before may be in its grace until then. */
static time_t doubt_since_sec, doubt_until_sec;

void astra_grace_set(const struct astra_grace *list, size_t count)
{
	pthread_mutex_lock(&mutex);
	if (!astra_grow(&entries, &entry_room, count + 1, sizeof(*entries))) {
		if (count)
			memcpy(entries, list, count * sizeof(*entries));
		entry_count = count;
	}
	pthread_mutex_unlock(&mutex);
}

static struct astra_grace *grace_find(uint32_t job)
{
	for (size_t i = 0; i < entry_count; i++)
		if (entries[i].job == job)
			return &entries[i];
	return NULL;
}

void astra_grace_add(const struct astra_grace *entry)
{
	struct astra_grace *at;

	pthread_mutex_lock(&mutex);
	at = grace_find(entry->job);
	if (at)
		*at = *entry;
	else if (!astra_grow(&entries, &entry_room, entry_count + 1,
			     sizeof(*entries)))
		entries[entry_count++] = *entry;
	pthread_mutex_unlock(&mutex);
}

/* slurmstepd tries every 15 seconds to report an end. */
void astra_grace_doubt(double grace_sec)
{
	time_t now = time(NULL), until = now + (time_t)fmin(grace_sec, 86400);

	pthread_mutex_lock(&mutex);
	doubt_since_sec = now;
	if (until + TELL_SEC > doubt_until_sec)
		doubt_until_sec = until + TELL_SEC;
	pthread_mutex_unlock(&mutex);
}

bool astra_grace_is_doubtful(const job_record_t *job)
{
	bool doubtful;

	pthread_mutex_lock(&mutex);
	doubtful = job->start_time <= doubt_since_sec &&
		   job->end_time <= doubt_until_sec;
	pthread_mutex_unlock(&mutex);
	return doubtful;
}

bool astra_grace_has(uint32_t job)
{
	bool has;

	pthread_mutex_lock(&mutex);
	has = grace_find(job) != NULL;
	pthread_mutex_unlock(&mutex);
	return has;
}

bool astra_grace_take(const job_record_t *job, struct astra_grace *out)
{
	struct astra_grace *at;
	bool found;

	pthread_mutex_lock(&mutex);
	at = grace_find(job->job_id);
	found = at && (at->restart_cnt == job->restart_cnt ||
		       at->restart_cnt == ASTRA_GRACE_ANY_RUN);
	if (found)
		*out = *at;
	if (at)
		*at = entries[--entry_count];
	pthread_mutex_unlock(&mutex);
	return found;
}

void astra_grace_free(void)
{
	pthread_mutex_lock(&mutex);
	free(entries);
	entries = NULL;
	entry_count = entry_room = 0;
	doubt_since_sec = doubt_until_sec = 0;
	pthread_mutex_unlock(&mutex);
}
