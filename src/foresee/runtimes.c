/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/foresee/runtimes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"

#define ROWS_MAX 20000	   /* of users and names */
#define UNKNOWN_SEC 3600.0 /* of a job without limit of an unknown user */
#define LEFT_LEAST_SEC 1.0

/* The last jobs of a user, or of a user and a name. */
struct runtime_row {
	uint64_t key;
	double ran_sec[ASTRA_RUNTIMES_KEPT];
	uint32_t count; /* ever */
};

/* What a job has run before its present run. */
struct runtime_job {
	uint32_t id, run;
	double before_sec;
	bool over, seen;
};

/* FNV-1a: rows may meet by chance, which a guess can bear. */
static uint64_t key_of(uint32_t uid, const char *name)
{
	uint64_t key = UINT64_C(0xcbf29ce484222325) ^ uid;

	key *= UINT64_C(0x100000001b3);
	for (; name && *name; name++) {
		key ^= (unsigned char)*name;
		key *= UINT64_C(0x100000001b3);
	}
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

static size_t job_at(const struct astra_runtimes *r, uint32_t id)
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

static int learn(struct astra_runtimes *r, uint64_t key, double ran_sec)
{
	size_t at = row_at(r, key);
	struct runtime_row *row;

	if (at == r->count || r->rows[at].key != key) {
		if (r->count == ROWS_MAX)
			return 0;
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
	return 0;
}

/* Jobs mostly come with growing numbers, so this mostly appends. */
static struct runtime_job *job_row(struct astra_runtimes *r,
				   const struct astra_runtime_job *job)
{
	size_t at = job_at(r, job->id);

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

int astra_runtimes_see(struct astra_runtimes *r,
		       const struct astra_runtime_job *job)
{
	struct runtime_job *known;

	if (!job->running && !job->over && !job->run)
		return 0; /* never ran */
	known = job_row(r, job);
	if (!known)
		return -1;
	known->seen = true;
	if (known->run != job->run) { /* its run before was requeued */
		known->before_sec += job->running ? 0 : last_run(job);
		known->run = job->run;
	}
	if (!job->over || known->over)
		return 0;
	known->over = true;
	if (known->before_sec + last_run(job) <= 0)
		return 0;
	if (learn(r, key_of(job->uid, job->name),
		  known->before_sec + last_run(job)) < 0)
		return -1;
	return learn(r, key_of(job->uid, NULL),
		     known->before_sec + last_run(job));
}

void astra_runtimes_seen(struct astra_runtimes *r)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->job_count; i++) {
		if (!r->jobs[i].seen)
			continue;
		r->jobs[kept] = r->jobs[i];
		r->jobs[kept++].seen = false;
	}
	r->job_count = kept;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The least, the median and the most of those that ran longer than this job has
 * by now. Returns 0 where there is none. */
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
	qsort(longer, count, sizeof(*longer), compare);
	if (kind == ASTRA_GUESS_LIKELY)
		return longer[count / 2];
	return longer[kind == ASTRA_GUESS_EARLY ? 0 : count - 1];
}

/* Nobody knows: by the limit it ends at the latest; half of what is left of it
 * is as good a guess as any, and it may end at once. */
static double of_limit(const struct astra_runtime_job *job, double ran_sec,
		       enum astra_guess_kind kind)
{
	double limit = job->limit_sec > 0 ? job->limit_sec
					  : fmax(UNKNOWN_SEC, 2 * ran_sec);
	double left = fmax(limit - ran_sec, LEFT_LEAST_SEC);

	switch (kind) {
	case ASTRA_GUESS_EARLY:
		return ran_sec + left / 10;
	case ASTRA_GUESS_LIKELY:
		return ran_sec + left / 2;
	case ASTRA_GUESS_LATE:
		break;
	}
	return ran_sec + left;
}

/* Of a job that says what it has to do. */
static double of_work(const struct astra_forecast *forecast, double ran_sec)
{
	if (!(forecast->work_sec > 0))
		return 0;
	if (!forecast->measured)
		return forecast->work_sec;
	return ran_sec + fmax(forecast->work_sec - forecast->done_sec, 0);
}

struct astra_run_guess
astra_runtimes_guess(const struct astra_runtimes *r,
		     const struct astra_runtime_job *job,
		     const struct astra_forecast *forecast,
		     enum astra_guess_kind kind, double now_sec)
{
	size_t at = job_at(r, job->id);
	double ran = at < r->job_count && r->jobs[at].id == job->id
			     ? r->jobs[at].before_sec
			     : 0;
	double total;

	if (job->running)
		ran += fmax(now_sec - job->start_sec, 0);
	total = of_work(forecast, ran);
	if (!(total > 0))
		total = of_row(r, key_of(job->uid, job->name), ran, kind);
	if (!(total > 0))
		total = of_row(r, key_of(job->uid, NULL), ran, kind);
	if (!(total > 0))
		total = of_limit(job, ran, kind);
	if (job->limit_sec > 0)
		total = fmin(total, fmax(job->limit_sec, ran));
	return (struct astra_run_guess){
		.total_sec = fmax(total, LEFT_LEAST_SEC),
		.left_sec = fmax(total - ran, LEFT_LEAST_SEC),
	};
}

void astra_runtimes_clear(struct astra_runtimes *r)
{
	free(r->rows);
	free(r->jobs);
	*r = (struct astra_runtimes){0};
}
