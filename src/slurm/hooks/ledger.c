/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/hooks/ledger.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "src/common/grow.h"
#include "src/common/idmap.h"
#include "src/slurm/out/revoke.h"

#define WORD "astraea:"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct astra_ledger_entry *entries;
static size_t entry_count, entry_room;
static struct astra_idmap by_job;

struct astra_ledger_entry astra_ledger_of(const struct astra_job_view *v,
					  uint32_t run)
{
	return (struct astra_ledger_entry){
		.job = v->id,
		.run = v->state == ASTRA_JOB_RUNNING ? run : NO_VAL,
		.leases = v->leases,
		.submit_sec = v->submit_sec,
		.lost_sec = v->lost_sec,
		.lease_end_sec = v->lease_end_sec,
	};
}

static void ledger_add(const struct astra_ledger_entry *entry)
{
	if (astra_grow(&entries, &entry_room, entry_count + 1,
		       sizeof(*entries)) < 0 ||
	    astra_idmap_put(&by_job, entry->job, (uint32_t)entry_count) < 0)
		return;
	entries[entry_count++] = *entry;
}

void astra_ledger_add(const struct astra_ledger_entry *entry)
{
	pthread_mutex_lock(&mutex);
	ledger_add(entry);
	pthread_mutex_unlock(&mutex);
}

void astra_ledger_set(const struct astra_ledger_entry *list, size_t count)
{
	pthread_mutex_lock(&mutex);
	entry_count = 0;
	astra_idmap_clear(&by_job);
	for (size_t i = 0; i < count; i++)
		ledger_add(&list[i]);
	pthread_mutex_unlock(&mutex);
}

static bool ledger_find(uint32_t job, struct astra_ledger_entry *out)
{
	uint32_t at;

	pthread_mutex_lock(&mutex);
	at = job ? astra_idmap_get(&by_job, job) : ASTRA_IDMAP_NONE;
	if (at != ASTRA_IDMAP_NONE)
		*out = entries[at];
	pthread_mutex_unlock(&mutex);
	return at != ASTRA_IDMAP_NONE;
}

/* The comment less our word, and the space before or after it; for xfree(). */
static char *ledger_others_words(const char *comment)
{
	const char *at = comment ? strstr(comment, WORD) : NULL;
	char *text = NULL;
	size_t before;

	while (at && at > comment && at[-1] != ' ')
		at = strstr(at + 1, WORD);
	if (!at)
		return xstrdup(comment);
	before = (size_t)(at - comment);
	at += strcspn(at, " ");
	if (before)
		before--;
	else if (*at)
		at++;
	xstrfmtcat(text, "%.*s%s", (int)before, comment, at);
	return text;
}

/* A run that ended before the engine saw it had a lease all the same; one that
 * we end has lost the time since its lease was over. */
static void ledger_count_run(const job_record_t *job,
			     struct astra_ledger_entry *e)
{
	double late = (double)job->end_time - e->lease_end_sec;

	if (e->run != ASTRA_LEDGER_ANY_RUN && e->run != job->restart_cnt)
		e->leases++;
	else if (astra_revoke_marked(job) && e->lease_end_sec > 0 && late > 0)
		e->lost_sec += late;
}

void astra_ledger_end(job_record_t *job)
{
	struct astra_ledger_entry e;
	char when[32] = "";
	char *text;
	struct tm tm;
	time_t submit;

	if (!ledger_find(job->job_id, &e) &&
	    !ledger_find(job->array_job_id, &e))
		return;
	ledger_count_run(job, &e);
	submit = (time_t)e.submit_sec;
	if (localtime_r(&submit, &tm))
		(void)strftime(when, sizeof(when), "%FT%T", &tm);
	text = ledger_others_words(job->admin_comment);
	xstrfmtcat(text, "%s" WORD "submit=%s,leases=%u,lost=%.0f",
		   text && *text ? " " : "", when, e.leases, e.lost_sec);
	xfree(job->admin_comment);
	job->admin_comment = text;
}

void astra_ledger_free(void)
{
	pthread_mutex_lock(&mutex);
	free(entries);
	entries = NULL;
	entry_count = entry_room = 0;
	astra_idmap_clear(&by_job);
	pthread_mutex_unlock(&mutex);
}
