/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/note/note.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "src/common/grow.h"
#include "src/common/idmap.h"
#include "src/policies/options.h"

_Static_assert(ASTRA_NOTE_EXITS == ASTRA_EXIT_CODES_MAX,
	       "a grace has room for a pool's exit codes");

#define TELL_SEC 20 /* slurmstepd retries every 15 seconds to report an end */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct astra_note *notes;
static size_t note_count, note_room;
static struct astra_idmap by_job;
static struct astra_note spare; /* used when there is no memory for a note */
/* Until doubt_until_sec, jobs that started before doubt_since_sec may be in
 * their grace. */
static int64_t doubt_since_sec, doubt_until_sec;

static struct astra_note *note_find(uint32_t job)
{
	uint32_t at = astra_idmap_get(&by_job, job);

	return at == ASTRA_IDMAP_NONE ? NULL : &notes[at];
}

static struct astra_note *note_make(uint32_t job)
{
	if (astra_grow(&notes, &note_room, note_count + 1, sizeof(*notes)) <
		    0 ||
	    astra_idmap_put(&by_job, job, (uint32_t)note_count) < 0) {
		spare = (struct astra_note){.job = job};
		return &spare;
	}
	notes[note_count] = (struct astra_note){.job = job};
	return &notes[note_count++];
}

static bool note_is_empty(const struct astra_note *n)
{
	return !n->refused && !n->expected_sec && !n->run_end_sec &&
	       !n->maint_end_sec && !n->limited && !n->sited && !n->in_grace &&
	       !n->in_ledger;
}

/* Remove an empty note; the last note takes its place. Returns whether it was
 * empty. */
static bool note_tidy(struct astra_note *n)
{
	if (n == &spare || !note_is_empty(n))
		return false;
	astra_idmap_del(&by_job, n->job);
	*n = notes[--note_count];
	if (n != &notes[note_count])
		(void)astra_idmap_put(&by_job, n->job, (uint32_t)(n - notes));
	return true;
}

struct astra_note astra_note_of(uint32_t job)
{
	struct astra_note out = {.job = job};
	const struct astra_note *n;

	pthread_mutex_lock(&mutex);
	n = note_find(job);
	if (n)
		out = *n;
	pthread_mutex_unlock(&mutex);
	return out;
}

struct astra_note *astra_note_find(uint32_t job)
{
	struct astra_note *n;

	pthread_mutex_lock(&mutex);
	n = note_find(job);
	if (!n)
		pthread_mutex_unlock(&mutex);
	return n;
}

struct astra_note *astra_note_open(uint32_t job)
{
	struct astra_note *n;

	pthread_mutex_lock(&mutex);
	n = note_find(job);
	return n ? n : note_make(job);
}

void astra_note_close(struct astra_note *note)
{
	(void)note_tidy(note);
	pthread_mutex_unlock(&mutex);
}

void astra_note_tell(uint32_t job, const struct astra_grace *grace,
		     const struct astra_ledger_entry *ledger)
{
	struct astra_note *n =
		grace || ledger ? astra_note_open(job) : astra_note_find(job);

	if (!n)
		return;
	n->told = true;
	n->in_grace = grace != NULL;
	n->in_ledger = ledger != NULL;
	if (grace)
		n->grace = *grace;
	if (ledger)
		n->ledger = *ledger;
	astra_note_close(n);
}

static void note_end_untold(struct astra_note *n, void *arg)
{
	(void)arg;
	if (!n->told)
		n->in_grace = n->in_ledger = false;
	n->told = false;
}

void astra_note_tell_end(void)
{
	size_t at = 0;

	astra_note_each(&at, SIZE_MAX, note_end_untold, NULL);
}

struct astra_grace astra_grace_make(const struct astra_options *options,
				    uint32_t run, int signal)
{
	struct astra_grace g = {
		.run = run,
		.signal = (uint16_t)signal,
		.exit_count = (uint8_t)options->checkpoint_exit_count,
	};

	for (size_t i = 0; i < options->checkpoint_exit_count; i++)
		g.exit[i] = (uint8_t)options->checkpoint_exit[i];
	return g;
}

struct astra_ledger_entry astra_ledger_of(const struct astra_job_view *v,
					  uint32_t run)
{
	return (struct astra_ledger_entry){
		.run = v->state == ASTRA_JOB_RUNNING ? run : ASTRA_NOTE_NO_RUN,
		.leases = v->leases,
		.submit_sec = v->submit_sec,
		.lost_sec = v->lost_sec,
		.lease_end_sec = v->lease_end_sec,
	};
}

/* The walk goes downwards, so that a note which takes the place of an empty one
 * was visited before. */
void astra_note_each(size_t *at, size_t most,
		     void (*visit)(struct astra_note *note, void *arg),
		     void *arg)
{
	pthread_mutex_lock(&mutex);
	for (size_t i = most < note_count ? most : note_count; i--;) {
		*at = (*at && *at <= note_count ? *at : note_count) - 1;
		visit(&notes[*at], arg);
		(void)note_tidy(&notes[*at]);
	}
	pthread_mutex_unlock(&mutex);
}

void astra_grace_doubt(double grace_sec)
{
	int64_t now = time(NULL);
	int64_t until = now + (int64_t)fmin(grace_sec, 86400) + TELL_SEC;

	pthread_mutex_lock(&mutex);
	doubt_since_sec = now;
	if (until > doubt_until_sec)
		doubt_until_sec = until;
	pthread_mutex_unlock(&mutex);
}

bool astra_grace_is_doubtful(int64_t start_sec, int64_t end_sec)
{
	bool doubtful;

	pthread_mutex_lock(&mutex);
	doubtful = start_sec <= doubt_since_sec && end_sec <= doubt_until_sec;
	pthread_mutex_unlock(&mutex);
	return doubtful;
}

void astra_note_free(void)
{
	pthread_mutex_lock(&mutex);
	free(notes);
	notes = NULL;
	note_count = note_room = 0;
	doubt_since_sec = doubt_until_sec = 0;
	astra_idmap_clear(&by_job);
	pthread_mutex_unlock(&mutex);
}
