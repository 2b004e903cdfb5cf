/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/history/writer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "src/history/schema.h"
#include "src/history/writer_priv.h"
#include "src/proto/report_pool.h"

/* Adds the pool's first starts since the last report, and how many of these
 * were over their bound. */
static void history_starts(struct astra_writer *w, struct hpool *p,
			   const struct astra_report_pool *r)
{
	const double counts[] = {
		[START_FIRST] = (double)r->counters.first_starts,
		[START_LATE] = (double)r->counters.over_bound,
	};

	for (unsigned i = START_FIRST; i <= START_LATE; i++)
		astra_sums_add(
			w->sums, ASTRA_SUMS_START, p->id, i,
			astra_counter_grown(&p->starts, i, counts[i], true),
			w->now_sec);
	p->starts.known = true;
}

/* Adds the reward and the slots of the pool's policy since the last report. The
 * sum of rewards may fall. The sum of slots falls only if the policy has
 * restarted. */
static void history_slots(struct astra_writer *w, struct hpool *p,
			  const struct astra_report_pool *r)
{
	double before = p->slots.value[SLOT_REWARD];
	bool anew = r->slots < p->slots.value[SLOT_COUNT];
	double slots;

	if (!isfinite(r->reward) || !isfinite(r->slots))
		return;
	slots = astra_counter_grown(&p->slots, SLOT_COUNT, r->slots, true);
	if (p->slots.known && slots > 0) {
		astra_sums_add(w->sums, ASTRA_SUMS_SLOT, p->id, SLOT_REWARD,
			       r->reward - (anew ? 0 : before), w->now_sec);
		astra_sums_add(w->sums, ASTRA_SUMS_SLOT, p->id, SLOT_COUNT,
			       slots, w->now_sec);
	}
	p->slots.value[SLOT_REWARD] = r->reward;
	p->slots.known = true;
}

static int writer_failed(struct astra_writer *w, struct astra_error *err)
{
	return astra_error_set(err, "%s", sqlite3_errmsg(w->db));
}

static int execute(struct astra_writer *w, const char *sql)
{
	return sqlite3_exec(w->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : -1;
}

static double meta(struct astra_writer *w, const char *key)
{
	sqlite3_stmt *s = NULL;
	double value = 0;

	if (sqlite3_prepare_v2(w->db, "SELECT value FROM meta WHERE key=?1", -1,
			       &s, NULL) == SQLITE_OK) {
		sqlite3_bind_text(s, 1, key, -1, SQLITE_STATIC);
		if (sqlite3_step(s) == SQLITE_ROW)
			value = sqlite3_column_double(s, 0);
	}
	sqlite3_finalize(s);
	return value;
}

struct astra_writer *astra_writer_open(const char *path, const char *cluster,
				       const struct astra_history_keep *keep,
				       struct astra_error *note,
				       struct astra_error *err)
{
	struct astra_writer *w = calloc(1, sizeof(*w));
	struct stat st;

	if (w)
		w->sums = astra_sums_create();
	if (!w || !w->sums) {
		free(w);
		astra_error_nomem(err);
		return NULL;
	}
	w->keep = *keep;
	if (astra_history_open(path, cluster, &w->db, note, err) < 0) {
		astra_writer_close(w);
		return NULL;
	}
	if (stat(path, &st) == 0) {
		w->device = st.st_dev;
		w->inode = st.st_ino;
	}
	w->time_sec = meta(w, "counted_sec");
	if (astra_history_load(w) < 0) {
		writer_failed(w, err);
		astra_writer_close(w);
		return NULL;
	}
	w->rows = 0;
	return w;
}

void astra_writer_close(struct astra_writer *w)
{
	if (!w)
		return;
	astra_sql_free(w);
	astra_history_close(w->db);
	astra_sums_destroy(w->sums);
	astra_intern_clear(&w->pool_names);
	astra_intern_clear(&w->tenant_names);
	astra_intern_clear(&w->owner_names);
	astra_idmap_clear(&w->by_id);
	free(w->pools);
	free(w->tenants);
	free(w->owners);
	free(w->jobs);
	free(w->vacant);
	free(w);
}

uint64_t astra_writer_rows(const struct astra_writer *w)
{
	return w->rows;
}

uint64_t astra_writer_rows_dropped(const struct astra_writer *w)
{
	return astra_sums_dropped(w->sums);
}

const char *astra_writer_lost(const struct astra_writer *w, const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return "it was removed";
	if (st.st_dev != w->device || st.st_ino != w->inode)
		return "another file was put in its place";
	return astra_history_is_wal(w->db) ? "it was put into WAL mode" : NULL;
}

/* Adds the values of a report to the sums. */

static void writer_add_owner(struct astra_writer *w, struct howner *o)
{
	struct hpool *p = &w->pools[w->tenants[o->tenant].pool];
	const double values[] = {
		[OWNER_USED] = o->run_gpus,
		[OWNER_WAIT] = o->wait_gpus,
	};

	p->run_gpus += o->run_gpus;
	for (unsigned c = OWNER_USED; c <= OWNER_WAIT; c++)
		astra_sums_spread(w->sums, ASTRA_SUMS_OWNER, o->id, c,
				  values[c], w->since_sec, w->now_sec);
	astra_history_add_shares(w, o);
	astra_sums_add(w->sums, ASTRA_SUMS_OWNER, o->id, OWNER_REVOKED,
		       o->revoked, w->now_sec);
	astra_sums_add(w->sums, ASTRA_SUMS_OWNER, o->id, OWNER_LOST, o->lost,
		       w->now_sec);
	o->run_gpus = o->wait_gpus = o->lost = o->revoked = 0;
}

static void spread_tenant(struct astra_writer *w, const struct htenant *t,
			  unsigned column, double rate)
{
	astra_sums_spread(w->sums, ASTRA_SUMS_TENANT, t->id, column, rate,
			  w->since_sec, w->now_sec);
}

static int writer_add_tenant(struct astra_writer *w,
			     const struct astra_report_tenant *r)
{
	uint32_t n = astra_history_tenant(w, r->pool, r->of.name);
	struct htenant *t;
	double half, dt = w->gap_sec, *seen;

	if (n == ASTRA_INTERN_NONE)
		return -1;
	t = &w->tenants[n];
	seen = t->counter.value;
	half = w->pools[t->pool].half_life_sec;
	if (t->weight != r->of.weight &&
	    ASTRA_SQL(w, SQL_TENANT_SET, "idi", t->id, r->of.weight,
		      (int64_t)r->uid) < 0)
		return -1;
	t->weight = r->of.weight;
	/* A tenant that is new to the file begins at 0. */
	t->counter.known |= dt > 0;
	/* usage that came with adopted accounts is from before this report */
	if (t->counter.known && dt > 0 && !w->pools[t->pool].adopted) {
		spread_tenant(w, t, TENANT_ALLOC,
			      astra_history_grown(seen[0], r->of.usage.alloc,
						  dt, half) /
				      dt);
		spread_tenant(w, t, TENANT_FAIR,
			      astra_history_grown(seen[1], r->of.usage.fair, dt,
						  half) /
				      dt);
	}
	seen[0] = r->of.usage.alloc;
	seen[1] = r->of.usage.fair;
	astra_sums_add(w->sums, ASTRA_SUMS_TENANT, t->id, TENANT_PAID,
		       astra_counter_grown(&t->counter, 2, r->sums.paid, false),
		       w->now_sec);
	astra_sums_add(
		w->sums, ASTRA_SUMS_TENANT, t->id, TENANT_INCOME,
		astra_counter_grown(&t->counter, 3, r->sums.income, false),
		w->now_sec);
	t->counter.known = true;
	if (!r->of.listed)
		return 0;
	spread_tenant(w, t, TENANT_SPAN, 1);
	spread_tenant(w, t, TENANT_DEMAND, r->of.demand_gpus);
	if (r->of.usage.fair > 0 || r->of.usage.alloc > 0) {
		astra_sums_add(w->sums, ASTRA_SUMS_TENANT, t->id,
			       TENANT_RHO_MIN, r->of.rho, w->now_sec);
		astra_sums_add(w->sums, ASTRA_SUMS_TENANT, t->id,
			       TENANT_RHO_MAX, r->of.rho, w->now_sec);
	}
	return 0;
}

static void spread_pool(struct astra_writer *w, const struct hpool *p,
			unsigned column, double rate)
{
	astra_sums_spread(w->sums, ASTRA_SUMS_POOL, p->id, column, rate,
			  w->since_sec, w->now_sec);
}

/* Adds the pool's time. Total is used + down + idle, none of them below 0: GPUs
 * that are now down or gone were up while a job had them. Use for a part of the
 * report's time is already subtracted from idle; see runs.c. */
static void add_pool_time(struct astra_writer *w, const struct hpool *p,
			  const struct astra_report_pool *r)
{
	double dt = w->now_sec - w->since_sec, used, total, down;

	if (dt <= 0)
		return;
	used = p->run_gpus + fmax(0, p->part_gpu_sec / dt);
	total = fmax((double)r->gpus, used);
	down = fmin((double)r->gpus_down, total - used);
	spread_pool(w, p, POOL_SPAN, 1);
	spread_pool(w, p, POOL_TOTAL, total);
	spread_pool(w, p, POOL_DOWN, down);
	spread_pool(w, p, POOL_IDLE, total - down - p->run_gpus);
	spread_pool(w, p, POOL_USED, p->run_gpus);
	spread_pool(w, p, POOL_WANTED,
		    fmin((double)r->gpus_free, p->waiting_gpus));
	spread_pool(w, p, POOL_LOST, p->leaving_gpus);
}

static void writer_add_pool(struct astra_writer *w, struct hpool *p,
			    const struct astra_report *report,
			    const struct astra_report_pool *r)
{
	const struct astra_report_timing *round = &report->diag.round;
	const struct astra_counters *c = &r->counters;
	const double counts[COUNTERS] = {(double)c->granted, (double)c->renewed,
					 (double)c->revoked, (double)c->refused,
					 (double)c->reclaim_capped};
	uint64_t rounds = w->rounds, usec = w->usec;

	add_pool_time(w, p, r);
	for (unsigned i = 0; i < COUNTERS; i++)
		astra_sums_add(
			w->sums, ASTRA_SUMS_POOL, p->id, POOL_GRANTED + i,
			astra_counter_grown(&p->counter, i, counts[i], true),
			w->now_sec);
	p->counter.known = true;
	history_starts(w, p, r);
	history_slots(w, p, r);
	if (round->count < rounds || round->sum_usec < usec)
		rounds = usec = 0; /* after sfair diag --reset, or from another
				    * slurmctld */
	if (round->count == rounds)
		return;
	astra_sums_add(w->sums, ASTRA_SUMS_POOL, p->id, POOL_ROUNDS,
		       (double)(round->count - rounds), w->now_sec);
	astra_sums_add(w->sums, ASTRA_SUMS_POOL, p->id, POOL_USEC,
		       (double)(round->sum_usec - usec), w->now_sec);
	astra_sums_add(w->sums, ASTRA_SUMS_POOL, p->id, POOL_MAX_USEC,
		       (double)round->last_usec, w->now_sec);
}

/* Notes since when a pool is watched. A restart does not change that time.
 * Returns 0 or -1. */
static int writer_watch(struct astra_writer *w, struct hpool *p, bool watch)
{
	if (p->watch == (watch ? WATCH_YES : WATCH_NO))
		return 0;
	p->watch = watch ? WATCH_YES : WATCH_NO;
	if (watch)
		return ASTRA_SQL(w, SQL_WATCH_ADD, "id", p->id, w->now_sec);
	return ASTRA_SQL(w, SQL_WATCH_DEL, "i", p->id);
}

static int begin_pools(struct astra_writer *w,
		       const struct astra_report *report)
{
	for (size_t i = 0; i < report->pool_count; i++) {
		uint32_t n = astra_history_pool(w, report->pools[i].name);
		struct hpool *p;

		if (n == ASTRA_INTERN_NONE)
			return -1;
		p = &w->pools[n];
		p->half_life_sec = report->pools[i].of.half_life_sec;
		p->adopted = report->pools[i].adoptions != p->adoptions;
		p->adoptions = report->pools[i].adoptions;
		if (writer_watch(w, p, report->pools[i].of.watch) < 0)
			return -1;
		p->waiting_gpus = p->leaving_gpus = 0;
		p->run_gpus = p->part_gpu_sec = 0;
		if (!w->epoch || p->seen != w->epoch ||
		    w->since_sec != w->time_sec)
			p->since_sec = w->since_sec;
		p->seen = w->epoch + 1;
	}
	return 0;
}

/* Adds the records of jobs. arrays: only records that stand for an array; else
 * all other records. */
static int add_records(struct astra_writer *w,
		       const struct astra_report *report, bool arrays)
{
	for (size_t i = 0; i < report->job_count + report->ended_count; i++) {
		bool ended = i >= report->job_count;
		const struct astra_report_job *r =
			ended ? &report->ended[i - report->job_count]
			      : &report->jobs[i];

		if ((r->array_id == r->of.id) == arrays &&
		    astra_history_job(w, r, ended) < 0)
			return -1;
	}
	return 0;
}

static int writer_add_jobs(struct astra_writer *w,
			   const struct astra_report *report)
{
	w->epoch++;
	if (add_records(w, report, false) < 0 ||
	    add_records(w, report, true) < 0)
		return -1;
	return astra_history_sweep(w);
}

/* Sets the times for a report. After a gap longer than LONG_GAP_SEC only runs
 * count. */
static void begin_time(struct astra_writer *w, double now)
{
	const struct astra_history_keep *k = &w->keep;
	double minute = k->minute_sec > 0 ? now - k->minute_sec : 0;
	double hour = k->hour_sec > 0 ? now - k->hour_sec : 0;

	w->now_sec = now;
	w->gap_sec = w->time_sec > 0 ? fmax(0, now - w->time_sec) : 0;
	w->since_sec = w->time_sec;
	if (!w->time_sec || now < w->time_sec || w->gap_sec > LONG_GAP_SEC)
		w->since_sec = now;
	if (!w->time_sec || w->gap_sec > LONG_GAP_SEC) {
		minute = fmax(minute, now - LONG_GAP_SEC);
		hour = fmax(hour, now - GAP_HOURS_SEC);
	}
	astra_sums_since(w->sums, minute, hour);
}

static int add_report(struct astra_writer *w, const struct astra_report *report)
{
	double now = report->time_sec;

	if (!report->pool_count)
		return 0; /* nothing is managed at present */
	if (now < w->time_sec && astra_history_mark(w) < 0)
		return -1;
	begin_time(w, now);
	if (begin_pools(w, report) < 0 || writer_add_jobs(w, report) < 0)
		return -1;
	if (!w->time_sec)
		w->time_sec = now;
	for (size_t i = 0; i < w->owner_count; i++)
		writer_add_owner(w, &w->owners[i]);
	for (size_t i = 0; i < report->tenant_count; i++)
		if (writer_add_tenant(w, &report->tenants[i]) < 0)
			return -1;
	for (size_t i = 0; i < report->pool_count; i++) {
		uint32_t n = astra_history_pool(w, report->pools[i].name);

		writer_add_pool(w, &w->pools[n], report, &report->pools[i]);
	}
	w->rounds = report->diag.round.count;
	w->usec = report->diag.round.sum_usec;
	w->time_sec = now;
	return 0;
}

static int save_counters(struct astra_writer *w)
{
	for (size_t i = 0; i < w->pool_count; i++)
		if (astra_counter_save(w, "pool", w->pools[i].id,
				       &w->pools[i].counter) < 0 ||
		    astra_counter_save(w, "start", w->pools[i].id,
				       &w->pools[i].starts) < 0 ||
		    astra_counter_save(w, "slot", w->pools[i].id,
				       &w->pools[i].slots) < 0)
			return -1;
	for (size_t i = 0; i < w->tenant_count; i++)
		if (astra_counter_save(w, "tenant", w->tenants[i].id,
				       &w->tenants[i].counter) < 0)
			return -1;
	for (size_t i = 0; i < w->owner_count; i++)
		if (astra_counter_save(w, "owner", w->owners[i].id,
				       &w->owners[i].counter) < 0)
			return -1;
	return ASTRA_SQL(w, SQL_META_SET, "sd", "counted_sec", w->time_sec);
}

static int writer_write_all(struct astra_writer *w,
			    struct astra_report *const *reports, size_t count)
{
	struct astra_error ignored;
	int rc;

	w->updates = w->updates_old = 0;
	if (execute(w, "BEGIN IMMEDIATE") < 0)
		return -1;
	for (size_t i = 0; i < count; i++)
		if (add_report(w, reports[i]) < 0)
			return -1;
	if (astra_sums_write(w->sums, w->db, &w->rows, &ignored) < 0 ||
	    save_counters(w) < 0)
		return -1;
	rc = execute(w, "COMMIT");
	/* Free SQLite's cached pages until the next write: the kernel caches
	 * them, too. */
	(void)sqlite3_db_release_memory(w->db);
	return rc;
}

int astra_writer_add(struct astra_writer *w,
		     struct astra_report *const *reports, size_t count,
		     bool *damaged, struct astra_error *err)
{
	int code;

	*damaged = false;
	if (writer_write_all(w, reports, count) == 0)
		return 0;
	code = sqlite3_errcode(w->db);
	*damaged = code == SQLITE_CORRUPT || code == SQLITE_NOTADB;
	writer_failed(w, err);
	(void)execute(w, "ROLLBACK");
	return -1;
}
