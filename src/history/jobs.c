/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs: each has one row, begun by the first report that has the job. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/history/writer_priv.h"

/* How A and F of users grow: by the gain of each of their jobs from one report
 * to the next. Each owner also has one sum over all its jobs. Splitting a task
 * from its array does not change that sum, so after a restart the gain can be
 * computed from it. */

/* Sets the values from which the growth of a new record's A and F is measured.
 * A job begins at 0. A task begins with its array record's values in the report
 * before, since that record stood for the task until now; only later gains are
 * the task's own. (A task that was changed when it was split from its array
 * also begins at 0; its gains count from the next report on.) */
static void history_begin_share(struct astra_writer *w, struct hjob *j,
				const struct astra_report_job *r)
{
	uint32_t at = ASTRA_IDMAP_NONE;
	struct hshare *of;

	j->share.base = w->time_sec > 0 ? BASE_JOB : BASE_NONE;
	j->share.copies = r->of.copies;
	if (r->array_id && r->array_id != r->of.id)
		at = astra_idmap_get(&w->by_id, r->array_id);
	if (at == ASTRA_IDMAP_NONE)
		return;
	of = &w->jobs[at].share;
	j->share = *of;
	j->share.copies = 1;
	if (of->copies)
		of->copies--;
}

/* Adds a record's gain to its owner. An array's record has the A and F of one
 * of the tasks that it stands for, so its gain counts once for each of them.
 * Tasks that were split off have records of their own. */
static void history_share(struct astra_writer *w, struct hjob *j,
			  const struct astra_report_job *r)
{
	struct howner *o = &w->owners[j->owner];
	double half = w->pools[w->tenants[o->tenant].pool].half_life_sec;
	double alloc = 0, fair = 0;
	struct hshare *s = &j->share;

	if (s->base == BASE_JOB) {
		alloc = astra_history_grown(s->alloc_seen, r->of.usage.alloc,
					    w->gap_sec, half);
		fair = astra_history_grown(s->fair_seen, r->of.usage.fair,
					   w->gap_sec, half);
	} else if (s->base == BASE_OWNER) {
		o->back[0] += r->of.usage.alloc * r->of.copies;
		o->back[1] += r->of.usage.fair * r->of.copies;
	}
	if (!astra_history_over(r)) {
		o->sum[0] += r->of.usage.alloc * r->of.copies;
		o->sum[1] += r->of.usage.fair * r->of.copies;
	}
	o->alloc += alloc * s->copies;
	o->fair += fair * s->copies;
	s->alloc = half > 0 ? s->alloc + alloc : r->of.usage.alloc;
	s->fair = half > 0 ? s->fair + fair : r->of.usage.fair;
	s->alloc_seen = r->of.usage.alloc;
	s->fair_seen = r->of.usage.fair;
	s->copies = r->of.copies;
	s->base = BASE_JOB;
}

void astra_history_add_shares(struct astra_writer *w, struct howner *o)
{
	double half = w->pools[w->tenants[o->tenant].pool].half_life_sec;
	double gained[] = {o->alloc, o->fair}, *before = o->counter.value;

	for (unsigned i = 0; i < 2; i++) {
		if (o->counter.known && w->gap_sec > 0)
			gained[i] += astra_history_grown(before[i], o->back[i],
							 w->gap_sec, half);
		if (w->gap_sec > 0)
			astra_sums_spread(w->sums, ASTRA_SUMS_OWNER, o->id,
					  OWNER_ALLOC + i,
					  gained[i] / w->gap_sec, w->since_sec,
					  w->now_sec);
		before[i] = o->sum[i];
		o->sum[i] = o->back[i] = 0;
	}
	o->counter.known = true;
	o->alloc = o->fair = 0;
}

static struct hjob *new_job(struct astra_writer *w, uint32_t number,
			    double submit_sec)
{
	struct hjob *j;
	uint32_t at;

	if (w->vacant_count) {
		at = w->vacant[--w->vacant_count];
	} else {
		if (astra_grow(&w->jobs, &w->job_room, w->job_count + 1,
			       sizeof(*j)) < 0 ||
		    astra_grow(&w->vacant, &w->vacant_room, w->job_count + 1,
			       sizeof(*w->vacant)) < 0)
			return NULL;
		at = (uint32_t)w->job_count++;
	}
	j = &w->jobs[at];
	*j = (struct hjob){.owner = ASTRA_INTERN_NONE};
	if (astra_idmap_put(&w->by_id, number, at) < 0) {
		w->vacant[w->vacant_count++] = at;
		return NULL;
	}
	j->job = number;
	j->submit_sec = submit_sec;
	return j;
}

static void jobs_forget(struct astra_writer *w, struct hjob *j)
{
	astra_idmap_del(&w->by_id, j->job);
	*j = (struct hjob){0};
	w->vacant[w->vacant_count++] = (uint32_t)(j - w->jobs);
}

/* Reads the job's last run, the length of its closed runs, and its open lease.
 * Returns 0 or -1. */
static int load_run(struct astra_writer *w, struct hjob *j)
{
	int rc = astra_sql(w, SQL_RUN_LAST, "i", j->id);

	if (rc == SQLITE_ROW) {
		sqlite3_stmt *s = w->sql[SQL_RUN_LAST];

		j->last_start = j->run_start = sqlite3_column_double(s, 0);
		j->open = sqlite3_column_type(s, 1) == SQLITE_NULL;
		if (!j->over)
			j->end_sec = sqlite3_column_double(s, 1);
		j->counted_sec =
			fmax(sqlite3_column_double(s, 2), j->run_start);
		j->gpus = (uint32_t)sqlite3_column_int64(s, 3);
		sqlite3_reset(s);
		if (j->open && w->time_sec > j->counted_sec)
			j->counted_sec = w->time_sec;
		/* The clock was set back. The pool's time up to counted_sec is
		 * not known. */
		if (j->counted_sec > w->time_sec)
			j->pool_sec = j->counted_sec;
	} else if (rc != SQLITE_DONE) {
		return -1;
	}
	if (astra_sql(w, SQL_RUN_CLOSED, "i", j->id) != SQLITE_ROW)
		return -1;
	j->closed_sec = astra_sql_double(w, SQL_RUN_CLOSED, 0);
	sqlite3_reset(w->sql[SQL_RUN_CLOSED]);
	if (astra_sql(w, SQL_LEASE_LAST, "i", j->id) == SQLITE_ROW) {
		j->leased = true;
		j->lease_start = astra_sql_double(w, SQL_LEASE_LAST, 0);
		sqlite3_reset(w->sql[SQL_LEASE_LAST]);
	}
	return 0;
}

/* Fills the job from a row of SQL_JOB_GET, SQL_JOB_OF_RUN, SQL_JOB_LAST or
 * SQL_JOB_OPEN. */
static void load_row(sqlite3_stmt *s, struct hjob *j)
{
	j->id = sqlite3_column_int64(s, 0);
	j->first_sec = sqlite3_column_double(s, 1);
	j->end_sec = sqlite3_column_double(s, 2);
	j->over = sqlite3_column_type(s, 2) != SQLITE_NULL;
	j->share.alloc = sqlite3_column_double(s, 3);
	j->share.fair = sqlite3_column_double(s, 4);
	j->leases = (uint32_t)sqlite3_column_int64(s, 5);
	j->revoked = (uint32_t)sqlite3_column_int64(s, 6);
	j->lease_revoked = j->revoked;
	j->lost_sec = sqlite3_column_double(s, 7);
	j->db_owner = sqlite3_column_int64(s, 10);
	if (sqlite3_column_text(s, 11))
		snprintf(j->state, sizeof(j->state), "%s",
			 (const char *)sqlite3_column_text(s, 11));
}

int astra_history_load(struct astra_writer *w)
{
	int rc = astra_sql(w, SQL_JOB_OPEN, "");
	sqlite3_stmt *s = w->sql[SQL_JOB_OPEN];

	for (; rc == SQLITE_ROW; rc = sqlite3_step(s)) {
		uint32_t number = (uint32_t)sqlite3_column_int64(s, 8);
		struct hjob *j;

		if (astra_idmap_get(&w->by_id, number) != ASTRA_IDMAP_NONE)
			continue; /* the next sweep handles the other job of
				   * this id */
		j = new_job(w, number, sqlite3_column_double(s, 9));
		if (!j)
			return -1;
		load_row(s, j);
		j->share.base = BASE_OWNER;
		if (load_run(w, j) < 0)
			return -1;
	}
	sqlite3_reset(s);
	return rc == SQLITE_DONE ? 0 : -1;
}

static int jobs_add_row(struct astra_writer *w, struct hjob *j,
			const struct astra_report_job *r)
{
	if (ASTRA_SQL(w, SQL_JOB_ADD, "isdisids", (int64_t)r->of.id, r->id_text,
		      r->of.submit_sec, w->owners[j->owner].id, r->name,
		      (int64_t)r->of.gpus, r->of.weight, r->state) < 0)
		return -1;
	j->id = sqlite3_last_insert_rowid(w->db);
	j->written_sec = w->now_sec;
	snprintf(j->state, sizeof(j->state), "%s", r->state);
	history_begin_share(w, j, r);
	return 0;
}

/* Writes the job's row. If r is NULL, the job is in no report, and the row
 * keeps its request. Returns 0 or -1. */
static int jobs_save(struct astra_writer *w, struct hjob *j,
		     const struct astra_report_job *r)
{
	double run = j->closed_sec +
		     (j->open ? fmax(0, j->counted_sec - j->run_start) : 0);
	int64_t owner = j->owner == ASTRA_INTERN_NONE ? j->db_owner
						      : w->owners[j->owner].id;

	j->dirty = false;
	j->written_sec = w->now_sec;
	if (!r)
		return ASTRA_SQL(w, SQL_JOB_SET, "i----ttdddiidsi", j->id,
				 j->first_sec, j->over ? j->end_sec : 0.0, run,
				 j->share.alloc, j->share.fair,
				 (int64_t)j->leases, (int64_t)j->revoked,
				 j->lost_sec, j->state, owner);
	return ASTRA_SQL(w, SQL_JOB_SET, "issidttdddiidsi", j->id, r->id_text,
			 r->name, (int64_t)r->of.gpus, r->of.weight,
			 j->first_sec, j->over ? j->end_sec : 0.0, run,
			 j->share.alloc, j->share.fair, (int64_t)j->leases,
			 (int64_t)j->revoked, j->lost_sec, j->state, owner);
}

/* Ends a job that is in no report; another job may already have its id. If the
 * end of its run is not known, the run ends at the time up to which it was
 * counted. Returns 0 or -1. */
static int vanish(struct astra_writer *w, struct hjob *j)
{
	int rc = 0;

	if (j->over) {
		jobs_forget(w, j);
		return 0;
	}
	if (j->open)
		rc = astra_history_run_end(w, j, j->counted_sec, "ended");
	if (!j->end_sec)
		j->end_sec = w->time_sec > 0 ? w->time_sec : w->now_sec;
	j->over = true;
	snprintf(j->state, sizeof(j->state), STATE_GONE);
	if (!rc)
		rc = jobs_save(w, j, NULL);
	jobs_forget(w, j);
	return rc;
}

/* Whether the job was requeued. Slurm gives an old id only to a new job, which
 * has not been requeued yet. */
static bool was_requeued(const struct astra_report_job *r)
{
	return r->run || r->of.state == ASTRA_JOB_REQUEUED;
}

/* Finds the row of a job, in this order:
 * - By its submission time.
 * - By its last run: slurmctld gives a requeued job a new submission time, and
 *   after a restart the engine does not know the first submission of an ended
 *   job.
 * - If the job was requeued: the last row of its id, if that row is the same
 *   user's and has no known end. Such a job was pending when last seen, and a
 *   slurmctld without the plugin requeued it, so no run is known.
 * Returns SQLITE_ROW, SQLITE_DONE if there is none, or an error. */
static int jobs_find_row(struct astra_writer *w, struct hjob *j,
			 const struct astra_report_job *r)
{
	enum sql sql = SQL_JOB_GET;
	int rc = astra_sql(w, sql, "id", (int64_t)r->of.id, r->of.submit_sec);

	if (rc == SQLITE_DONE && r->run_start_sec > 0) {
		sql = SQL_JOB_OF_RUN;
		rc = astra_sql(w, sql, "id", (int64_t)r->of.id,
			       r->run_start_sec);
	}
	if (rc == SQLITE_DONE && was_requeued(r)) {
		sql = SQL_JOB_LAST;
		rc = astra_sql(w, sql, "idi", (int64_t)r->of.id,
			       r->of.submit_sec, (int64_t)r->uid);
	}
	if (rc != SQLITE_ROW)
		return rc;
	load_row(w->sql[sql], j);
	sqlite3_reset(w->sql[sql]);
	return rc;
}

static bool same_job(const struct hjob *j, const struct astra_report_job *r)
{
	return fabs(j->submit_sec - r->of.submit_sec) < 0.5 ||
	       (r->run_start_sec > 0 &&
		fabs(j->last_start - r->run_start_sec) < 0.5);
}

/* Returns the job's entry: the one in memory, or one made from its row, or a
 * new one. Returns NULL on error. */
static struct hjob *jobs_take(struct astra_writer *w,
			      const struct astra_report_job *r)
{
	struct hjob row = {.owner = ASTRA_INTERN_NONE}, *j;
	uint32_t at = astra_idmap_get(&w->by_id, r->of.id);
	int rc;

	if (at != ASTRA_IDMAP_NONE && same_job(&w->jobs[at], r))
		return &w->jobs[at];
	rc = jobs_find_row(w, &row, r);
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		return NULL;
	if (at != ASTRA_IDMAP_NONE) {
		j = &w->jobs[at];
		if (rc == SQLITE_ROW && j->id == row.id) {
			j->submit_sec = r->of.submit_sec;
			return j;
		}
		if (vanish(w, j) < 0)
			return NULL;
	}
	j = new_job(w, r->of.id, r->of.submit_sec);
	if (!j || rc == SQLITE_DONE)
		return j;
	row.job = j->job;
	row.submit_sec = j->submit_sec;
	*j = row;
	return load_run(w, j) < 0 ? NULL : j;
}

/* Adds the GPUs that the job waits for, and the GPUs that it will give up, to
 * its pool. */
static void note_pool(struct astra_writer *w, const struct hjob *j,
		      const struct astra_report_job *r)
{
	struct howner *o = &w->owners[j->owner];
	struct hpool *p = &w->pools[w->tenants[o->tenant].pool];
	double gpus = (double)r->of.gpus * r->of.copies;

	if (r->of.state == ASTRA_JOB_PENDING) {
		p->waiting_gpus += gpus;
		if (r->of.submit_sec <= w->since_sec)
			o->wait_gpus += gpus;
		else
			astra_sums_spread(w->sums, ASTRA_SUMS_OWNER, o->id,
					  OWNER_WAIT, gpus, r->of.submit_sec,
					  w->now_sec);
	}
	if (r->held_gpus && (r->phase == ASTRA_REPORT_GRACE ||
			     r->phase == ASTRA_REPORT_LEAVING))
		p->leaving_gpus += r->held_gpus;
}

static void note_figures(struct astra_writer *w, struct hjob *j,
			 const struct astra_report_job *r)
{
	struct howner *o = &w->owners[j->owner];

	if (r->of.revoked > j->revoked)
		o->revoked += r->of.revoked - j->revoked;
	if (r->of.lost_sec > j->lost_sec)
		o->lost += r->of.lost_sec - j->lost_sec;
	if (r->of.leases != j->leases || r->of.revoked != j->revoked ||
	    strncmp(r->state, j->state, sizeof(j->state) - 1) != 0)
		j->dirty = true;
	j->leases = r->of.leases;
	j->revoked = r->of.revoked;
	j->lost_sec = r->of.lost_sec;
	snprintf(j->state, sizeof(j->state), "%s", r->state);
}

/* Writes the job's request when it changes. While a job is blocked, ready_sec
 * changes each round; this change alone does not cause a write. Returns 0 or
 * -1. */
static int history_ask(struct astra_writer *w, struct hjob *j,
		       const struct astra_report_job *r)
{
	bool blocked = r->of.state == ASTRA_JOB_BLOCKED && !j->first_sec;
	const struct hask now = {
		.ready_sec = blocked ? w->now_sec : j->ask.ready_sec,
		.limit_sec = r->limit_sec,
		.nodes = r->nodes_asked,
		.unprepared = r->unprepared,
		.leasable = r->leasable,
	};

	if (now.limit_sec != j->ask.limit_sec || now.nodes != j->ask.nodes ||
	    now.unprepared != j->ask.unprepared ||
	    now.leasable != j->ask.leasable ||
	    (!blocked && j->ask_ready_sec != now.ready_sec))
		j->asked = false;
	j->ask = now;
	if (j->asked)
		return 0;
	j->asked = true;
	j->ask_ready_sec = now.ready_sec;
	return ASTRA_SQL(w, SQL_ASK_SET, "iddiii", j->id, now.ready_sec,
			 now.limit_sec, (int64_t)now.nodes,
			 (int64_t)now.unprepared, (int64_t)now.leasable);
}

static void set_over(struct astra_writer *w, struct hjob *j,
		     const struct astra_report_job *r)
{
	bool over = astra_history_over(r);

	if (over == j->over)
		return;
	j->over = over;
	j->dirty = true;
	if (over && r->run_end_sec > 0)
		j->end_sec = r->run_end_sec;
	else if (over && !j->end_sec)
		j->end_sec = w->now_sec;
}

/* Whether the job's row has to be written again. This includes the row of a
 * pending job, as its F grows while it waits. */
static bool jobs_is_old(struct astra_writer *w, const struct hjob *j)
{
	double age = w->now_sec - j->written_sec;

	if (j->over || age <= UPDATE_SOON_SEC)
		return false;
	if (w->updates++ < UPDATES_SOON)
		return true;
	return age > UPDATE_SEC &&
	       w->updates_old++ <= w->job_count / UPDATES_PART;
}

int astra_history_job(struct astra_writer *w, const struct astra_report_job *r,
		      bool ended)
{
	struct hjob *j = jobs_take(w, r);

	if (!j)
		return -1;
	if (ended && j->seen == w->epoch)
		return 0; /* the job is also in the report's other list */
	j->seen = w->epoch;
	if (j->over && r->of.state == ASTRA_JOB_ENDED &&
	    !strncmp(r->state, j->state, sizeof(j->state) - 1))
		return 0;
	j->owner = astra_history_owner(w, r);
	if (j->owner == ASTRA_INTERN_NONE ||
	    (!j->id && jobs_add_row(w, j, r) < 0))
		return -1;
	history_share(w, j, r);
	if (astra_history_run(w, j, r) < 0 || astra_history_lease(w, j, r) < 0)
		return -1;
	note_pool(w, j, r);
	note_figures(w, j, r);
	set_over(w, j, r);
	if (history_ask(w, j, r) < 0)
		return -1;
	if (j->dirty || jobs_is_old(w, j))
		return jobs_save(w, j, r);
	return 0;
}

int astra_history_sweep(struct astra_writer *w)
{
	for (size_t i = 0; i < w->job_count; i++) {
		struct hjob *j = &w->jobs[i];

		if (j->job && j->seen != w->epoch && vanish(w, j) < 0)
			return -1;
	}
	return 0;
}

int astra_history_mark(struct astra_writer *w)
{
	for (size_t i = 0; i < w->job_count; i++) {
		const struct hjob *j = &w->jobs[i];

		if (j->job && j->open &&
		    ASTRA_SQL(w, SQL_RUN_COUNTED, "iddi", j->id, j->run_start,
			      j->counted_sec, (int64_t)j->gpus) < 0)
			return -1;
	}
	return 0;
}
