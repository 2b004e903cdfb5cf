/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "astra_config.h"

#include "src/slurm/recorder.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "src/policy/engine_image.h"
#include "src/proto/wire.h"
#include "src/record/round.h"
#include "src/slurm/compat.h"
#include "src/slurm/host.h"

#define KEPT_SEC 120
#define POOL_NAME_MAX 64 /* ASTRA_POOL_NAME_MAX */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
/* Under the mutex. */
static uint64_t last_ticket, done_ticket;
static char wanted_pool[POOL_NAME_MAX]; /* "": none is wanted */
static struct astra_text done;		/* the last record */
static time_t done_sec;

/* Whether there is anything to do at all, to be asked without the mutex. */
static atomic_bool busy;

/* The engine's thread's: the record in the making, and its ticket. */
static struct astra_text draft;
static uint64_t draft_ticket;

int astra_recorder_order(const char *pool, uint64_t *ticket,
			 struct astra_text *out, struct astra_error *err)
{
	int rc = 0;
	bool new = !*ticket;

	pthread_mutex_lock(&mutex);
	if (new) {
		*ticket = ++last_ticket;
		snprintf(wanted_pool, sizeof(wanted_pool), "%s", pool);
		atomic_store(&busy, true);
	} else if (*ticket > last_ticket ||
		   (*ticket < done_ticket && !*wanted_pool)) {
		rc = astra_error_set(err, "the record of that ticket is not "
					  "kept: order another one");
	} else if (*ticket <= done_ticket && done.size) {
		astra_text_add(out, done.bytes, done.size);
	}
	pthread_mutex_unlock(&mutex);
	if (new)
		astra_host_wake();
	return rc;
}

/* Take the order, if there is one of this pool; forget a record that nobody
 * has come for. Returns its ticket, or 0. */
static uint64_t take_order(const char *pool)
{
	uint64_t ticket = 0;

	pthread_mutex_lock(&mutex);
	if (*wanted_pool && !strcmp(wanted_pool, pool)) {
		*wanted_pool = '\0';
		ticket = last_ticket;
	} else if (done.size && time(NULL) > done_sec + KEPT_SEC) {
		astra_text_clear(&done);
	}
	if (!*wanted_pool && !done.size && !ticket)
		atomic_store(&busy, false);
	pthread_mutex_unlock(&mutex);
	return ticket;
}

void astra_recorder_before(const char *pool, const struct astra_engine *engine,
			   const struct astra_snapshot *snapshot)
{
	struct astra_round_head head = {
		.release = ASTRA_RELEASE,
		.cluster = slurm_conf.cluster_name,
		.pool = pool,
	};
	struct astra_bytes image = {0};

	draft_ticket = atomic_load(&busy) ? take_order(pool) : 0;
	if (!draft_ticket)
		return;
	astra_text_clear(&draft);
	draft.limit = ASTRA_REPLY_MAX;
	if (astra_engine_image(engine, &image) < 0)
		draft.failed = true;
	astra_round_begin(&draft, &head, astra_engine_options(engine), &image,
			  snapshot);
	astra_bytes_clear(&image);
}

void astra_recorder_after(const struct astra_plan *plan, const char *failed)
{
	if (!draft_ticket)
		return;
	astra_round_end(&draft, plan, failed);
	if (draft.failed)
		error("astraea: a round could not be recorded: it is too large, "
		      "or memory is out");
	pthread_mutex_lock(&mutex);
	astra_text_clear(&done);
	if (!draft.failed)
		done = draft;
	done_ticket = draft_ticket;
	done_sec = time(NULL);
	pthread_mutex_unlock(&mutex);
	if (draft.failed)
		astra_text_clear(&draft);
	draft = (struct astra_text){0};
	draft_ticket = 0;
}

void astra_recorder_free(void)
{
	pthread_mutex_lock(&mutex);
	astra_text_clear(&done);
	*wanted_pool = '\0';
	pthread_mutex_unlock(&mutex);
	astra_text_clear(&draft);
}
