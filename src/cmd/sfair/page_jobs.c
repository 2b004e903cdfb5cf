/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/cmd/sfair/page.h"
#include "src/common/grow.h"

/* Both reports have these; one knows more of its fairness, the other of its
 * waiting. */
static struct page_job page_jobs_read_job(struct page_data *d,
					  const json_t *row)
{
	struct page_job job = {
		.id = page_number(row, "job"),
		.submit_sec = page_number(row, "submit_sec"),
		.text = page_string(row, "id_text"),
		.user = page_string(row, "user"),
		.account = page_string(row, "account"),
		.name = page_string(row, "name"),
		.state = page_string(row, "state"),
		.tenant = page_tenant_of(d, row),
		.gpus = page_number(row, "gpus"),
		.start_sec = page_number(row, "start_sec"),
		.end_sec = page_number(row, "end_sec"),
		.wait_sec = page_number(row, "wait_sec"),
		.run_sec = page_number(row, "run_sec"),
		.slowdown = page_number(row, "slowdown"),
		.alloc_sec = page_number(row, "alloc_gpu_sec"),
		.fair_sec = page_number(row, "fair_gpu_sec"),
		.rho = page_number(row, "rho"),
		.leases = page_number(row, "leases"),
		.revoked = page_number(row, "revoked"),
		.lost_sec = page_number(row, "lost_sec"),
	};

	if (isnan(job.wait_sec))
		job.wait_sec = job.start_sec - job.submit_sec;
	return job;
}

static int page_jobs_compare(double a, double b)
{
	if (isnan(a) || isnan(b))
		return isnan(a) - isnan(b);
	return a < b ? -1 : a > b;
}

static int earlier_job(const void *a, const void *b)
{
	const struct page_job *x = a, *y = b;
	int by_id = page_jobs_compare(x->id, y->id);

	return by_id ? by_id : page_jobs_compare(x->submit_sec, y->submit_sec);
}

static double page_jobs_known(double a, double b)
{
	return isnan(a) ? b : a;
}

/* What b knows and a does not. */
static void page_jobs_complete(struct page_job *a, const struct page_job *b)
{
	if (!*a->account)
		a->account = b->account;
	if (!*a->name)
		a->name = b->name;
	if (!*a->state)
		a->state = b->state;
	a->wait_sec = page_jobs_known(a->wait_sec, b->wait_sec);
	a->run_sec = page_jobs_known(a->run_sec, b->run_sec);
	a->slowdown = page_jobs_known(a->slowdown, b->slowdown);
	a->alloc_sec = page_jobs_known(a->alloc_sec, b->alloc_sec);
	a->fair_sec = page_jobs_known(a->fair_sec, b->fair_sec);
	a->rho = page_jobs_known(a->rho, b->rho);
	a->leases = page_jobs_known(a->leases, b->leases);
	a->revoked = page_jobs_known(a->revoked, b->revoked);
	a->lost_sec = page_jobs_known(a->lost_sec, b->lost_sec);
}

/* A job of both reports becomes one. */
static void unite(struct page_data *d)
{
	size_t kept = 0;

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
		if (d->jobs[i].tenant)
			d->jobs[i].tenant->jobs++;
}

int page_jobs_load(struct page_data *d)
{
	static const enum page_part parts[] = {PAGE_FAIRNESS, PAGE_SLOWDOWN};
	const json_t *row;
	size_t i;

	for (size_t p = 0; p < 2; p++)
		json_array_foreach(
			json_object_get(d->replies[parts[p]], "rows"), i, row)
		{
			if (astra_grow(&d->jobs, &d->job_room, d->job_count + 1,
				       sizeof(*d->jobs)) < 0)
				return -1;
			d->jobs[d->job_count++] = page_jobs_read_job(d, row);
		}
	unite(d);
	return 0;
}

static int earlier_lease(const void *a, const void *b)
{
	const struct page_lease *x = a, *y = b;
	int by_id = page_jobs_compare(x->id, y->id);

	return by_id ? by_id : page_jobs_compare(x->start_sec, y->start_sec);
}

int page_leases_load(struct page_data *d)
{
	const json_t *row;
	size_t i;

	json_array_foreach(json_object_get(d->replies[PAGE_LEASES], "rows"), i,
			   row)
	{
		struct page_lease lease = {
			.id = page_number(row, "job"),
			.text = page_string(row, "id_text"),
			.user = page_string(row, "user"),
			.nodes = page_string(row, "nodes"),
			.how = page_string(row, "how"),
			.tenant = page_tenant_of(d, row),
			.start_sec = page_number(row, "start_sec"),
			.end_sec = page_number(row, "end_sec"),
			.number = page_number(row, "number"),
			.gpus = page_number(row, "gpus"),
		};

		if (isnan(lease.start_sec))
			continue;
		if (astra_grow(&d->leases, &d->lease_room, d->lease_count + 1,
			       sizeof(*d->leases)) < 0)
			return -1;
		d->leases[d->lease_count++] = lease;
	}
	if (d->lease_count)
		qsort(d->leases, d->lease_count, sizeof(*d->leases),
		      earlier_lease);
	return 0;
}
