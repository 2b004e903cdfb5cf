/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/cmd/sfair/page.h"

static int page_jobs_compare(double a, double b)
{
	if (isnan(a) || isnan(b))
		return isnan(a) - isnan(b);
	return a < b ? -1 : a > b;
}

static int earlier_job(const void *a, const void *b)
{
	const struct page_row *x = a, *y = b;
	int by_id = page_jobs_compare(x->job, y->job);

	return by_id ? by_id : page_jobs_compare(x->submit_sec, y->submit_sec);
}

/* What b knows and a does not: one report knows more of a job's fairness, the
 * other of its waiting. */
static void page_jobs_complete(struct page_row *a, const struct page_row *b)
{
	for (const struct astra_member *m = page_row_members; m->key; m++) {
		char *to = (char *)a + m->offset;
		const void *from = (const char *)b + m->offset;
		const char *text = *(const char *const *)(void *)to;

		if (m->kind == ASTRA_MEMBER_REAL
			    ? isnan(*(double *)(void *)to)
			    : m->kind == ASTRA_MEMBER_TEXT_OR_NULL && !*text)
			memcpy(to, from, m->size);
	}
}

/* A job of both reports becomes one. */
static void unite(struct page_data *d)
{
	size_t kept = 0;

	for (size_t i = 0; i < d->job_count; i++) {
		struct page_row *job = &d->jobs[i];

		job->of = page_tenant_of(d, job);
		if (isnan(job->wait_sec))
			job->wait_sec = job->start_sec - job->submit_sec;
	}
	if (d->job_count)
		qsort(d->jobs, d->job_count, sizeof(*d->jobs), earlier_job);
	for (size_t i = 0; i < d->job_count; i++) {
		if (kept && !earlier_job(&d->jobs[kept - 1], &d->jobs[i]))
			page_jobs_complete(&d->jobs[kept - 1], &d->jobs[i]);
		else
			d->jobs[kept++] = d->jobs[i];
	}
	d->job_count = kept;
	for (size_t i = 0; i < kept; i++)
		if (d->jobs[i].of)
			d->jobs[i].of->jobs++;
}

int page_jobs_load(struct page_data *d)
{
	size_t more;
	struct page_row *slow = page_rows(d, PAGE_SLOWDOWN, &more), *all;

	d->jobs = page_rows(d, PAGE_FAIRNESS, &d->job_count);
	all = d->jobs && slow ? realloc(d->jobs, (d->job_count + more + 1) *
							 sizeof(*all))
			      : NULL;
	if (all) {
		memcpy(all + d->job_count, slow, more * sizeof(*all));
		d->jobs = all;
		d->job_count += more;
		unite(d);
	}
	free(slow);
	return all ? 0 : -1;
}

static int earlier_lease(const void *a, const void *b)
{
	const struct page_row *x = a, *y = b;
	int by_id = page_jobs_compare(x->job, y->job);

	return by_id ? by_id : page_jobs_compare(x->start_sec, y->start_sec);
}

int page_leases_load(struct page_data *d)
{
	size_t count;

	d->leases = page_rows(d, PAGE_LEASES, &count);
	for (size_t i = 0; i < count; i++) {
		struct page_row *lease = &d->leases[i];

		lease->of = page_tenant_of(d, lease);
		if (!isnan(lease->start_sec))
			d->leases[d->lease_count++] = *lease;
	}
	if (d->lease_count)
		qsort(d->leases, d->lease_count, sizeof(*d->leases),
		      earlier_lease);
	return d->leases ? 0 : -1;
}
