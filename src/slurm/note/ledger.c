/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/note/ledger.h"

#include <pthread.h>
#include <stdlib.h>

#include "src/common/grow.h"
#include "src/common/idmap.h"

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

bool astra_ledger_find(uint32_t job, struct astra_ledger_entry *out)
{
	uint32_t at;

	pthread_mutex_lock(&mutex);
	at = job ? astra_idmap_get(&by_job, job) : ASTRA_IDMAP_NONE;
	if (at != ASTRA_IDMAP_NONE)
		*out = entries[at];
	pthread_mutex_unlock(&mutex);
	return at != ASTRA_IDMAP_NONE;
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
