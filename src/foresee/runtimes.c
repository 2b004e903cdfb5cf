/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/foresee/runtimes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/fnv.h"
#include "src/common/grow.h"
#include "src/foresee/runtimes_priv.h"

#define UNKNOWN_SEC 3600.0 /* if neither a limit nor a run is known */
#define LEFT_LEAST_SEC 1.0

/* Returns the key of a row: of the user and a name, or of all the user's jobs
 * if name is NULL. A collision only makes a guess worse. */
static uint64_t key_of(uint32_t uid, const char *name)
{
	uint64_t key = astra_fnv64_byte(ASTRA_FNV64_BASIS ^ uid, 0);

	key = astra_fnv64_text(key, name);
	return name ? key | 1 : key & ~UINT64_C(1);
}

static size_t row_at(const struct astra_runtimes *r, uint64_t key)
{
	size_t low = 0, high = r->count;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (r->rows[mid].key < key)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static size_t runtimes_job_at(const struct astra_runtimes *r, uint32_t id)
{
	size_t low = 0, high = r->job_count;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (r->jobs[mid].id < id)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Makes room by dropping the rows to which no run was added lately. No two rows
 * were last added to at the same count, so at least half of the rows go. */
static void forget_rows(struct astra_runtimes *r)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->count; i++)
		if (r->learned - r->rows[i].learned < RUNTIME_ROWS_MAX / 2)
			r->rows[kept++] = r->rows[i];
	r->count = kept;
}

static int runtimes_learn(struct astra_runtimes *r, uint64_t key,
			  double ran_sec)
{
	struct runtime_row *row;
	size_t at;

	if (r->count >= RUNTIME_ROWS_MAX)
		forget_rows(r);
	at = row_at(r, key);
	if (at == r->count || r->rows[at].key != key) {
		if (astra_grow(&r->rows, &r->room, r->count + 1,
			       sizeof(*r->rows)) < 0)
			return -1;
		memmove(&r->rows[at + 1], &r->rows[at],
			(r->count - at) * sizeof(*r->rows));
		r->rows[at] = (struct runtime_row){.key = key};
		r->count++;
	}
	row = &r->rows[at];
	row->ran_sec[row->count++ % ASTRA_RUNTIMES_KEPT] = ran_sec;
	row->learned = ++r->learned;
	return 0;
}

/* Returns the job's row. If there is none, one is added; NULL when out of
 * memory. Ids usually grow, so a new row usually goes to the end. */
static struct runtime_job *runtimes_job_row(struct astra_runtimes *r,
					    const struct astra_runtime_job *job)
{
	size_t at = runtimes_job_at(r, job->id);

	if (at < r->job_count && r->jobs[at].id == job->id)
		return &r->jobs[at];
	if (astra_grow(&r->jobs, &r->job_room, r->job_count + 1,
		       sizeof(*r->jobs)) < 0)
		return NULL;
	memmove(&r->jobs[at + 1], &r->jobs[at],
		(r->job_count - at) * sizeof(*r->jobs));
	r->jobs[at] = (struct runtime_job){.id = job->id, .run = job->run};
	r->job_count++;
	return &r->jobs[at];
}

static double last_run(const struct astra_runtime_job *job)
{
	return job->start_sec > 0 && job->end_sec > job->start_sec
		       ? job->end_sec - job->start_sec
		       : 0;
}

struct astra_runtime_job astra_runtime_job_of(const struct astra_job *job,
					      uint32_t uid, const char *name)
{
	return (struct astra_runtime_job){
		.id = job->id,
		.run = job->restart_cnt,
		.uid = uid,
		.name = name,
		.limit_sec = job->time_limit_sec,
		.running = job->state == ASTRA_JOB_RUNNING,
		.over = job->state == ASTRA_JOB_ENDED ||
			job->state == ASTRA_JOB_ENDING,
		.start_sec = job->start_sec,
		.end_sec = job->end_sec,
	};
}

/* Whether the job's run has been learned. A new slurmctld shows jobs again that
 * had ended before the last round of the old one. */
static bool is_learned(const struct astra_runtimes *r,
		       const struct runtime_job *known,
		       const struct astra_runtime_job *job)
{
	return known->over || (!known->met && job->end_sec <= r->seen_sec);
}

int astra_runtimes_see(struct astra_runtimes *r,
		       const struct astra_runtime_job *job)
{
	struct runtime_job *known;
	bool learned;

	if (!job->running && !job->over && !job->run)
		return 0; /* the job never ran */
	known = runtimes_job_row(r, job);
	if (!known)
		return -1;
	learned = is_learned(r, known, job);
	known->seen = known->met = true;
	if (known->run != job->run) { /* its last run was requeued */
		known->before_sec += job->running ? 0 : last_run(job);
		known->run = job->run;
		r->changed = true;
	}
	if (!job->over || known->over)
		return 0;
	known->over = r->changed = true;
	if (learned || known->before_sec + last_run(job) <= 0)
		return 0;
	if (runtimes_learn(r, key_of(job->uid, job->name),
			   known->before_sec + last_run(job)) < 0)
		return -1;
	return runtimes_learn(r, key_of(job->uid, NULL),
			      known->before_sec + last_run(job));
}

void astra_runtimes_seen(struct astra_runtimes *r, double now_sec)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->job_count; i++) {
		if (!r->jobs[i].seen)
			continue;
		r->jobs[kept] = r->jobs[i];
		r->jobs[kept++].seen = false;
	}
	r->job_count = kept;
	r->seen_sec = now_sec;
}

static int runtimes_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Returns the least, the median or the greatest of those run times in a row
 * that are above ran_sec. `kind` selects which. 0: none is above ran_sec. */
static double of_row(const struct astra_runtimes *r, uint64_t key,
		     double ran_sec, enum astra_guess_kind kind)
{
	size_t at = row_at(r, key), count = 0;
	double longer[ASTRA_RUNTIMES_KEPT];

	if (at == r->count || r->rows[at].key != key)
		return 0;
	for (size_t i = 0; i < ASTRA_RUNTIMES_KEPT && i < r->rows[at].count;
	     i++)
		if (r->rows[at].ran_sec[i] > ran_sec)
			longer[count++] = r->rows[at].ran_sec[i];
	if (!count)
		return 0;
	qsort(longer, count, sizeof(*longer), runtimes_compare);
	if (kind == ASTRA_GUESS_LIKELY)
		return longer[count / 2];
	return longer[kind == ASTRA_GUESS_EARLY ? 0 : count - 1];
}

/* Returns the total run time of a job that reports its progress; 0: it reports
 * none. */
static double of_work(const struct astra_forecast *forecast, double ran_sec)
{
	if (!(forecast->work_sec > 0))
		return 0;
	if (!forecast->measured)
		return forecast->work_sec;
	return ran_sec + fmax(forecast->work_sec - forecast->done_sec, 0);
}

/* Returns the total run time as guessed from the user's jobs of the same name,
 * or else from all of the user's jobs. 0: unknown. */
static double of_user(const struct astra_runtimes *r,
		      const struct astra_runtime_job *job, double ran_sec,
		      enum astra_guess_kind kind)
{
	double total = of_row(r, key_of(job->uid, job->name), ran_sec, kind);

	return total > 0 ? total
			 : of_row(r, key_of(job->uid, NULL), ran_sec, kind);
}

static double present_run(const struct astra_runtime_job *job, double now_sec)
{
	return job->running ? fmax(now_sec - job->start_sec, 0) : 0;
}

/* Returns how long a job has run by now, in all its runs. */
static double ran_of(const struct astra_runtimes *r,
		     const struct astra_runtime_job *job, double now_sec)
{
	size_t at = runtimes_job_at(r, job->id);
	double ran = at < r->job_count && r->jobs[at].id == job->id
			     ? r->jobs[at].before_sec
			     : 0;

	return ran + present_run(job, now_sec);
}

/* Returns how long the time limit lets a job continue; infinite: no limit.
 * Slurm counts a limit from each start anew. But the limit of a job that
 * continues from a checkpoint was meant for all its work. So its earlier runs
 * count too, while the sum is below the limit. */
static double runtimes_room_of(const struct astra_runtime_job *job,
			       double ran_sec, double present_sec)
{
	double limit = job->limit_sec;

	if (!(limit > 0))
		return HUGE_VAL;
	return limit - (ran_sec < limit ? ran_sec : present_sec);
}

/* Returns a guess of the remaining run time without earlier jobs to go by. With
 * a limit, it is what the limit leaves (LATE), half of that (LIKELY), or a
 * tenth (EARLY). Without a limit the total is assumed to be an hour, or twice
 * the time so far. */
static double of_room(double room_sec, double ran_sec,
		      enum astra_guess_kind kind)
{
	double left = isfinite(room_sec) ? room_sec
					 : fmax(UNKNOWN_SEC - ran_sec, ran_sec);

	switch (kind) {
	case ASTRA_GUESS_EARLY:
		return left / 10;
	case ASTRA_GUESS_LIKELY:
		return left / 2;
	case ASTRA_GUESS_LATE:
		break;
	}
	return left;
}

static struct astra_run_guess guess_of(double ran_sec, double left_sec,
				       double room_sec)
{
	double left = fmax(fmin(left_sec, room_sec), LEFT_LEAST_SEC);

	return (struct astra_run_guess){ran_sec + left, left};
}

struct astra_run_guess
astra_runtimes_guess(const struct astra_runtimes *r,
		     const struct astra_runtime_job *job,
		     const struct astra_forecast *forecast,
		     enum astra_guess_kind kind, double now_sec)
{
	double ran = ran_of(r, job, now_sec);
	double room = runtimes_room_of(job, ran, present_run(job, now_sec));
	double total = of_work(forecast, ran);

	if (!(total > 0))
		total = of_user(r, job, ran, kind);
	return guess_of(ran, total > 0 ? total - ran : of_room(room, ran, kind),
			room);
}

struct astra_run_guess
astra_runtimes_guess_other(const struct astra_runtimes *r,
			   const struct astra_runtime_job *job,
			   enum astra_guess_kind kind, double now_sec)
{
	double ran = ran_of(r, job, now_sec);
	double present = present_run(job, now_sec);
	double room = runtimes_room_of(job, present, present);
	double total = of_user(r, job, ran, kind);

	if (isfinite(room) && (kind == ASTRA_GUESS_LATE || !(total > 0)))
		return guess_of(ran, of_room(room, ran, kind), room);
	return guess_of(ran, total > 0 ? total - ran : HUGE_VAL, room);
}

void astra_runtimes_clear(struct astra_runtimes *r)
{
	free(r->rows);
	free(r->jobs);
	*r = (struct astra_runtimes){0};
}

/* Saved run times. One version number covers the whole layout. */

#define STATE_VERSION 1

static size_t kept_of(const struct runtime_row *row)
{
	return row->count < ASTRA_RUNTIMES_KEPT ? row->count
						: ASTRA_RUNTIMES_KEPT;
}

int astra_runtimes_save(const struct astra_runtimes *r, struct astra_bytes *out)
{
	astra_put_u32(out, STATE_VERSION);
	astra_put_u64(out, r->learned);
	astra_put_f64(out, r->seen_sec);
	astra_put_u32(out, (uint32_t)r->count);
	astra_put_u32(out, (uint32_t)r->job_count);
	for (size_t i = 0; i < r->count; i++) {
		const struct runtime_row *row = &r->rows[i];

		astra_put_u64(out, row->key);
		astra_put_u64(out, row->learned);
		astra_put_u32(out, row->count);
		for (size_t k = 0; k < kept_of(row); k++)
			astra_put_f64(out, row->ran_sec[k]);
	}
	for (size_t i = 0; i < r->job_count; i++) {
		astra_put_u32(out, r->jobs[i].id);
		astra_put_u32(out, r->jobs[i].run);
		astra_put_u32(out, r->jobs[i].over);
		astra_put_f64(out, r->jobs[i].before_sec);
	}
	return out->failed ? -1 : 0;
}

/* Restores a row. Keys must ascend, as rows are found by binary search. */
static int runtimes_state_restore_row(struct astra_runtimes *r,
				      struct astra_reader *in)
{
	struct runtime_row row = {.key = astra_get_u64(in)};

	row.learned = astra_get_u64(in);
	row.count = astra_get_u32(in);
	for (size_t k = 0; k < kept_of(&row); k++) {
		row.ran_sec[k] = astra_get_f64(in);
		if (!isfinite(row.ran_sec[k]) || !(row.ran_sec[k] > 0))
			return -1;
	}
	if (in->failed || !row.count || row.learned > r->learned ||
	    (r->count && r->rows[r->count - 1].key >= row.key) ||
	    astra_grow(&r->rows, &r->room, r->count + 1, sizeof(row)) < 0)
		return -1;
	r->rows[r->count++] = row;
	return 0;
}

static int runtimes_state_restore_job(struct astra_runtimes *r,
				      struct astra_reader *in)
{
	struct runtime_job job = {.id = astra_get_u32(in), .met = true};

	job.run = astra_get_u32(in);
	job.over = astra_get_u32(in) != 0;
	job.before_sec = astra_get_f64(in);
	if (in->failed || !isfinite(job.before_sec) || job.before_sec < 0 ||
	    (r->job_count && r->jobs[r->job_count - 1].id >= job.id) ||
	    astra_grow(&r->jobs, &r->job_room, r->job_count + 1, sizeof(job)) <
		    0)
		return -1;
	r->jobs[r->job_count++] = job;
	return 0;
}

static int runtimes_state_restore(struct astra_runtimes *r,
				  struct astra_reader *in)
{
	uint32_t rows, jobs;
	int rc = 0;

	r->learned = astra_get_u64(in);
	r->seen_sec = astra_get_f64(in);
	rows = astra_get_u32(in);
	jobs = astra_get_u32(in);
	if (rows > RUNTIME_ROWS_MAX || !isfinite(r->seen_sec))
		return -1;
	for (uint32_t i = 0; !rc && i < rows; i++)
		rc = runtimes_state_restore_row(r, in);
	for (uint32_t i = 0; !rc && i < jobs; i++)
		rc = runtimes_state_restore_job(r, in);
	return rc || in->failed || in->at != in->size ? -1 : 0;
}

int astra_runtimes_restore(struct astra_runtimes *r, const void *data,
			   size_t size, struct astra_error *err)
{
	struct astra_reader in = {.data = data, .size = size};
	uint32_t version = astra_get_u32(&in);

	if (!in.failed && version != STATE_VERSION)
		return astra_error_set(err, "version %u, this release reads %u",
				       version, STATE_VERSION);
	if (!in.failed && runtimes_state_restore(r, &in) == 0)
		return 0;
	astra_runtimes_clear(r);
	return astra_error_set(err, "damaged");
}
