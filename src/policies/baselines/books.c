/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The books of a baseline: a value for each active job, by id, and for each
 * tenant, by name. They are kept over restarts too. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/policies/baselines/baseline.h"

/* Return the book of a job, adding a new one; NULL when memory is out. */
static struct baseline_job_book *books_meet(struct baseline_books *b,
					    uint32_t job)
{
	uint32_t at = astra_idmap_get(&b->places, job);

	if (at != ASTRA_IDMAP_NONE)
		return &b->jobs[at];
	if (astra_grow(&b->jobs, &b->job_room, b->job_count + 1,
		       sizeof(*b->jobs)) < 0 ||
	    astra_idmap_put(&b->places, job, (uint32_t)b->job_count) < 0)
		return NULL;
	b->jobs[b->job_count] = (struct baseline_job_book){
		.job = job,
		.value = NAN,
		.served = NAN,
	};
	return &b->jobs[b->job_count++];
}

/* Drop the books of jobs that are gone. */
static int books_forget_jobs(struct baseline_books *b)
{
	for (size_t i = 0; i < b->job_count;) {
		if (b->jobs[i].round == b->round) {
			i++;
			continue;
		}
		astra_idmap_del(&b->places, b->jobs[i].job);
		b->jobs[i] = b->jobs[--b->job_count];
		if (i < b->job_count &&
		    astra_idmap_put(&b->places, b->jobs[i].job, (uint32_t)i) <
			    0)
			return -1;
	}
	return 0;
}

/* Return what was gained since the last round; in the first round that is
 * nothing. The account fades with its half-life. */
static double books_gained(const struct baseline_run *run, double before,
			   double now)
{
	double half_life = run->half_life_sec;
	double kept = 1;

	if (half_life > 0)
		kept = exp2(-run->books.passed_sec / half_life);
	return fmax(0, now - before * kept);
}

int baseline_meet_jobs(struct baseline_run *run)
{
	struct baseline_books *b = &run->books;
	const struct astra_offer *offer = run->offer;
	size_t before = b->job_count;

	b->round++;
	for (size_t i = 0; i < offer->demand_count; i++) {
		double served = offer->demands[i].candidate.attained;
		struct baseline_job_book *job =
			books_meet(b, offer->demands[i].job->id);

		if (!job)
			return -1;
		job->gained = books_gained(run, job->served, served);
		job->served = served;
		job->round = b->round;
	}
	run->out->changed |= b->job_count != before;
	return books_forget_jobs(b);
}

/* Move the book of the offer's nth tenant to index n. */
static int books_seat(struct baseline_run *run, size_t n)
{
	struct baseline_books *b = &run->books;
	const struct astra_contestant *t = &run->offer->tenants[n];
	struct baseline_tenant_book book;
	size_t at = n;

	while (at < b->tenant_count && strcmp(b->tenants[at].name, t->name))
		at++;
	if (at == b->tenant_count) {
		if (astra_grow(&b->tenants, &b->tenant_room, at + 1,
			       sizeof(*b->tenants)) < 0)
			return -1;
		b->tenants[at].name = strdup(t->name);
		if (!b->tenants[at].name)
			return -1;
		b->tenants[at].served = NAN;
		b->tenant_count++;
		run->out->changed = true;
	}
	book = b->tenants[at];
	b->tenants[at] = b->tenants[n];
	book.gained = books_gained(run, book.served, t->usage.alloc);
	book.served = t->usage.alloc;
	b->tenants[n] = book;
	return 0;
}

/* Drop the books of tenants that are gone. */
static void books_forget(struct baseline_books *b, size_t from)
{
	for (size_t i = from; i < b->tenant_count; i++) {
		free(b->tenants[i].name);
		b->tenants[i] = (struct baseline_tenant_book){0};
	}
	b->tenant_count = from;
}

int baseline_meet_tenants(struct baseline_run *run)
{
	for (size_t i = 0; i < run->offer->tenant_count; i++)
		if (books_seat(run, i) < 0)
			return -1;
	books_forget(&run->books, run->offer->tenant_count);
	return 0;
}

struct baseline_job_book *baseline_job_book(const struct baseline_run *run,
					    const struct astra_demand *d)
{
	return &run->books
			.jobs[astra_idmap_get(&run->books.places, d->job->id)];
}

void baseline_books_clear(struct baseline_books *b)
{
	books_forget(b, 0);
	free(b->tenants);
	free(b->jobs);
	astra_idmap_clear(&b->places);
	*b = (struct baseline_books){0};
}

int baseline_save(const void *self, struct astra_bytes *out)
{
	const struct baseline_run *run = self;
	const struct baseline_books *b = &run->books;

	astra_put_f64(out, b->last_sec);
	astra_put_f64(out, b->contended);
	astra_put_u32(out, b->active);
	astra_put_u32(out, (uint32_t)b->tenant_count);
	for (size_t i = 0; i < b->tenant_count; i++) {
		astra_put_text(out, b->tenants[i].name);
		astra_put_f64(out, b->tenants[i].value);
		astra_put_f64(out, b->tenants[i].served);
		astra_put_u32(out, b->tenants[i].active);
	}
	astra_put_u32(out, (uint32_t)b->job_count);
	for (size_t i = 0; i < b->job_count; i++) {
		astra_put_u32(out, b->jobs[i].job);
		astra_put_f64(out, b->jobs[i].value);
		astra_put_f64(out, b->jobs[i].cost);
		astra_put_f64(out, b->jobs[i].served);
	}
	return out->failed ? -1 : 0;
}

static int books_restore_tenant(struct baseline_books *b,
				struct astra_reader *in)
{
	struct baseline_tenant_book book = {.name = astra_get_text(in)};

	if (!book.name ||
	    astra_grow(&b->tenants, &b->tenant_room, b->tenant_count + 1,
		       sizeof(*b->tenants)) < 0) {
		free(book.name);
		return -1;
	}
	book.value = astra_get_f64(in);
	book.served = astra_get_f64(in);
	book.active = astra_get_u32(in);
	b->tenants[b->tenant_count++] = book;
	return isfinite(book.value) && isfinite(book.served) ? 0 : -1;
}

static int books_restore_job(struct baseline_books *b, struct astra_reader *in)
{
	uint32_t job = astra_get_u32(in);
	double value = astra_get_f64(in), cost = astra_get_f64(in);
	double served = astra_get_f64(in);
	struct baseline_job_book *book;

	if (!isfinite(value) || !isfinite(cost) || !isfinite(served) || !job ||
	    astra_idmap_get(&b->places, job) != ASTRA_IDMAP_NONE)
		return -1;
	book = books_meet(b, job);
	if (!book)
		return -1;
	book->value = value;
	book->cost = cost;
	book->served = served;
	return 0;
}

int baseline_restore(void *self, struct astra_reader *in)
{
	struct baseline_run *run = self;
	struct baseline_books *b = &run->books;
	uint32_t count;

	b->last_sec = astra_get_f64(in);
	b->contended = astra_get_f64(in);
	b->active = astra_get_u32(in);
	if (!isfinite(b->last_sec) || !isfinite(b->contended))
		return -1;
	count = astra_get_u32(in);
	for (uint32_t i = 0; i < count; i++)
		if (in->failed || books_restore_tenant(b, in) < 0)
			return -1;
	count = astra_get_u32(in);
	for (uint32_t i = 0; i < count; i++)
		if (in->failed || books_restore_job(b, in) < 0)
			return -1;
	return in->failed ? -1 : 0;
}

void baseline_shift(void *self, double by_sec)
{
	struct baseline_run *run = self;

	run->books.last_sec += by_sec;
}
