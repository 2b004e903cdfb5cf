/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/note/bids.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/proto/select.h"
#include "src/slurm/note/bid_files.h"
#include "src/slurm/note/bids_priv.h"

/* The parts of an entry that a message changes. */
struct change {
	uint32_t gpus_max, order_count;
	double *table;
	struct bids_turn *order;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct bids_entry *entries; /* sorted by pool and app */
static size_t entry_count, entry_room;
static bool changed; /* since the last save */

static int bids_compare(const char *pool, uint64_t app,
			const struct bids_entry *e)
{
	int order = strcmp(pool, e->pool);

	return order ? order : (app > e->app) - (app < e->app);
}

/* Return the index of an entry, or where it would be inserted. */
static size_t bids_place_of(const char *pool, uint64_t app)
{
	size_t low = 0, high = entry_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (bids_compare(pool, app, &entries[middle]) > 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct bids_entry *bids_find(const char *pool, uint64_t app)
{
	size_t at = bids_place_of(pool, app);

	return at < entry_count && !bids_compare(pool, app, &entries[at])
		       ? &entries[at]
		       : NULL;
}

static size_t numbers(uint32_t gpus_max, uint32_t order_count)
{
	return (size_t)ASTRA_LEVEL_COUNT * gpus_max + order_count;
}

/* Whether there is room for a change of an app's entry. */
static bool bids_has_room(const struct bids_entry *old, uint32_t uid,
			  const struct change *c)
{
	size_t all = 0, own = 0, own_apps = 0, more;

	for (size_t i = 0; i < entry_count; i++) {
		const struct bids_entry *e = &entries[i];
		size_t n = numbers(e->gpus_max, e->order_count);

		all += n;
		own += e->uid == uid ? n : 0;
		own_apps += e->uid == uid;
	}
	more = numbers(c->gpus_max, c->order_count);
	if (old) { /* the replaced parts free room */
		size_t freed = numbers(c->gpus_max ? old->gpus_max : 0,
				       c->order_count ? old->order_count : 0);

		all -= freed;
		own -= old->uid == uid ? freed : 0;
	}
	if (!old && (entry_count >= ASTRA_BIDS_APPS_MAX ||
		     own_apps >= ASTRA_BIDS_APPS_MAX / ASTRA_BIDS_USER_PART))
		return false;
	return all + more <= ASTRA_BIDS_NUMBERS_MAX &&
	       own + more <= ASTRA_BIDS_NUMBERS_MAX / ASTRA_BIDS_USER_PART;
}

/* Add an entry. Takes over the memory that it points at, unless it returns
 * NULL. */
static struct bids_entry *bids_add(const struct bids_entry *new)
{
	size_t at = bids_place_of(new->pool, new->app);

	if (astra_grow(&entries, &entry_room, entry_count + 1,
		       sizeof(*entries)) < 0)
		return NULL;
	memmove(&entries[at + 1], &entries[at],
		(entry_count - at) * sizeof(*entries));
	entries[at] = *new;
	entry_count++;
	return &entries[at];
}

static struct bids_entry *bids_add_app(const struct astra_report_app *app)
{
	struct bids_entry e = {
		.app = app->of.app, .uid = app->uid, .seen = true};

	if (strlen(app->pool) >= sizeof(e.pool))
		return NULL;
	strcpy(e.pool, app->pool);
	return bids_add(&e);
}

static int bids_compare_turns(const void *a, const void *b)
{
	const struct bids_turn *x = a, *y = b;

	if (x->job != y->job)
		return x->job < y->job ? -1 : 1;
	return x->turn < y->turn ? -1 : x->turn > y->turn;
}

static void change_clear(struct change *c)
{
	free(c->table);
	free(c->order);
}

static int change_make(struct change *c, const struct astra_report_app *app,
		       const struct astra_query_bid *bid)
{
	*c = (struct change){.gpus_max = astra_curves_gpus(&bid->rho),
			     .order_count = (uint32_t)bid->order.count};
	c->table = calloc((size_t)ASTRA_LEVEL_COUNT * c->gpus_max + 1,
			  sizeof(*c->table));
	c->order = calloc(c->order_count + 1u, sizeof(*c->order));
	if (!c->table || !c->order) {
		change_clear(c);
		return -1;
	}
	if (c->gpus_max)
		astra_curves_table(&bid->rho, app->of.slowdown, c->gpus_max,
				   c->table);
	for (uint32_t i = 0; i < c->order_count; i++)
		c->order[i] = (struct bids_turn){bid->order.refs[i].id, i + 1};
	qsort(c->order, c->order_count, sizeof(*c->order), bids_compare_turns);
	return 0;
}

/* Apply a change. The replaced parts are left in the change, to be freed. */
static void bids_apply(struct bids_entry *e, struct change *c, double rho_now,
		       double now_sec)
{
	struct change old = {.table = e->table, .order = e->order};

	if (c->gpus_max) {
		e->table = c->table;
		e->gpus_max = c->gpus_max;
		e->rho_now = rho_now;
		e->time_sec = now_sec;
		c->table = old.table;
	}
	if (c->order_count) {
		e->order = c->order;
		e->order_count = c->order_count;
		e->order_sec = now_sec;
		c->order = old.order;
	}
}

int astra_bids_note(const struct astra_report *report,
		    const struct astra_query *query,
		    const struct astra_viewer *viewer, struct astra_error *err)
{
	const struct astra_report_app *app = NULL;
	struct change c;
	struct bids_entry *e = NULL;

	if (astra_app_find(report, query, viewer, &app, err))
		return -1;
	if (change_make(&c, app, &query->bid) < 0)
		return astra_error_nomem(err);
	pthread_mutex_lock(&lock);
	e = bids_find(app->pool, app->of.app);
	if (!bids_has_room(e, app->uid, &c))
		e = NULL;
	else if (!e)
		e = bids_add_app(app);
	if (e)
		bids_apply(e, &c, query->bid.rho_now, viewer->now_sec);
	changed |= e != NULL;
	pthread_mutex_unlock(&lock);
	change_clear(&c);
	if (!e)
		return astra_error_set(err,
				       "too many bids, or too large ones: bid "
				       "for fewer apps, or fewer GPUs");
	return 0;
}

/* The functions of the rounds' thread. */

/* One bid for an app; only the best counts. */
struct claim {
	uint64_t app;
	uint32_t job; /* job whose user sent the bid; 0: the agent, whose bid
		       * has priority */
	double said_sec;
	const struct bids_entry *entry;
	const struct astra_bid_file *file;
};

static int compare_claims(const void *a, const void *b)
{
	const struct claim *x = a, *y = b;

	if (x->app != y->app)
		return x->app < y->app ? -1 : 1;
	return x->job < y->job ? -1 : x->job > y->job;
}

void astra_bids_begin(void)
{
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < entry_count; i++)
		entries[i].seen = false;
}

/* Return the turn that the order gives a job, from 1; UINT32_MAX: the job is
 * not in it. */
static uint32_t turn_at(const struct bids_entry *e, uint32_t job)
{
	uint32_t low = 0, high = e->order_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (e->order[middle].job < job)
			low = middle + 1;
		else
			high = middle;
	}
	return low < e->order_count && e->order[low].job == job
		       ? e->order[low].turn
		       : UINT32_MAX;
}

/* Return a job's turn, its own or its array's; 0: none. */
static uint32_t bids_turn_of(const struct bids_entry *e,
			     const struct astra_job *job)
{
	uint32_t own = turn_at(e, job->id);
	uint32_t all = job->array_id ? turn_at(e, job->array_id) : UINT32_MAX;
	uint32_t turn = own < all ? own : all;

	return turn == UINT32_MAX ? 0 : turn;
}

static bool is_fresh(const struct astra_bids_view *view, double said_sec)
{
	return said_sec > 0 &&
	       view->now_sec <= said_sec + ASTRA_BID_TERMS * view->lease_sec;
}

/* Find the bids for a job's app, by its agent and by its user: at most two. */
static size_t claims_of(const struct astra_bids_view *view,
			struct astra_job *job, struct claim *out)
{
	uint64_t app = astra_app_of(job);
	struct bids_entry *e = entry_count ? bids_find(view->pool, app) : NULL;
	const struct astra_bid_file *file =
		astra_bid_files_find(job->array_id ? job->array_id : job->id);
	size_t count = 0;

	if (!astra_job_active(job->state))
		return 0;
	if (e)
		e->seen = true;
	if (e && is_fresh(view, e->order_sec))
		job->forecast.turn = bids_turn_of(e, job);
	if (e && is_fresh(view, e->time_sec))
		out[count++] = (struct claim){
			.app = app, .said_sec = e->time_sec, .entry = e};
	if (file)
		out[count++] = (struct claim){.app = app,
					      .job = job->id,
					      .said_sec = job->submit_sec,
					      .file = file};
	return count;
}

/* Keep the first claim of each app. Returns how many are kept. */
static size_t bids_keep_first(struct claim *claims, size_t count)
{
	size_t kept = 0;

	qsort(claims, count, sizeof(*claims), compare_claims);
	for (size_t i = 0; i < count; i++)
		if (!kept || claims[kept - 1].app != claims[i].app)
			claims[kept++] = claims[i];
	return kept;
}

/* Copy a bid, with its table in the arena, as a message may replace the
 * original. Returns false when memory is out. */
static bool copy_bid(const struct claim *c, struct astra_arena *arena,
		     struct astra_bid *out)
{
	const double *from = c->entry ? c->entry->table : c->file->table;
	uint32_t gpus = c->entry ? c->entry->gpus_max : c->file->gpus_max;
	size_t size = ASTRA_LEVEL_COUNT * gpus * sizeof(*from);
	double *table = astra_arena_take(arena, size);

	if (!table)
		return false;
	memcpy(table, from, size);
	*out = (struct astra_bid){
		.app = c->app,
		.kind = c->entry ? ASTRA_BID_RHO : ASTRA_BID_SECONDS,
		.time_sec = c->said_sec,
		.rho_now = c->entry ? c->entry->rho_now : -1,
		.gpus_max = gpus,
		.table = table,
	};
	return true;
}

static void copy_bids(struct astra_bids_view *view, const struct claim *claims,
		      size_t count)
{
	struct astra_bid *bids =
		astra_arena_take(view->arena, (count + 1) * sizeof(*bids));
	size_t made = 0;

	for (size_t i = 0; bids && i < count; i++)
		made += copy_bid(&claims[i], view->arena, &bids[made]);
	view->bids = bids;
	view->bid_count = made;
}

void astra_bids_fill(struct astra_bids_view *view)
{
	struct claim *claims = NULL;
	size_t count = 0, room = 0;

	view->bids = NULL;
	view->bid_count = 0;
	for (size_t i = 0; i < view->job_count; i++) {
		if (view->jobs[i].state == ASTRA_JOB_ENDED)
			continue;
		if (astra_grow(&claims, &room, count + 2, sizeof(*claims)) < 0)
			break;
		count += claims_of(view, &view->jobs[i], &claims[count]);
	}
	if (count)
		copy_bids(view, claims, bids_keep_first(claims, count));
	free(claims);
}

void astra_bids_end(void)
{
	size_t kept = 0;

	for (size_t i = 0; i < entry_count; i++) {
		if (entries[i].seen)
			entries[kept++] = entries[i];
		else
			bids_entry_clear(&entries[i]);
	}
	changed |= kept < entry_count;
	entry_count = kept;
	pthread_mutex_unlock(&lock);
}

/* Shift a time; 0 stands for "none" and stays 0. */
static void bids_shift_time(double *sec, double by_sec)
{
	if (*sec > 0)
		*sec = fmax(*sec + by_sec, 1);
}

void astra_bids_shift(double by_sec)
{
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < entry_count; i++) {
		bids_shift_time(&entries[i].time_sec, by_sec);
		bids_shift_time(&entries[i].order_sec, by_sec);
	}
	changed |= entry_count > 0;
	pthread_mutex_unlock(&lock);
}

bool astra_bids_changed(void)
{
	bool any;

	pthread_mutex_lock(&lock);
	any = changed;
	pthread_mutex_unlock(&lock);
	return any;
}

void astra_bids_save(struct astra_bytes *out)
{
	pthread_mutex_lock(&lock);
	astra_put_u32(out, (uint32_t)entry_count);
	for (size_t i = 0; i < entry_count; i++)
		bids_entry_save(&entries[i], out);
	changed = false;
	pthread_mutex_unlock(&lock);
}

/* Take over a saved entry, unless an agent has bid since the save. */
static void bids_take_over(struct bids_entry *e)
{
	const struct change c = {.gpus_max = e->gpus_max,
				 .order_count = e->order_count};

	pthread_mutex_lock(&lock);
	if (bids_find(e->pool, e->app) || !bids_has_room(NULL, e->uid, &c) ||
	    !bids_add(e))
		bids_entry_clear(e);
	pthread_mutex_unlock(&lock);
}

int astra_bids_restore(struct astra_reader *in, uint32_t version,
		       double now_sec)
{
	struct bids_entry *list;
	size_t count;

	if (bids_list_restore(&list, &count, in, version, now_sec) < 0)
		return -1;
	for (size_t i = 0; i < count; i++)
		bids_take_over(&list[i]);
	free(list);
	return 0;
}

void astra_bids_free(void)
{
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < entry_count; i++)
		bids_entry_clear(&entries[i]);
	free(entries);
	entries = NULL;
	entry_count = entry_room = 0;
	changed = false;
	pthread_mutex_unlock(&lock);
}
