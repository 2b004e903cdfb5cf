/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/cmd/sfair/page.h"
#include "src/common/grow.h"

const char *page_part_name(enum page_part part)
{
	static const char *const names[PAGE_PARTS] = {
		[PAGE_UTILIZATION] = "cluster utilization",
		[PAGE_LOSS] = "cluster fairness",
		[PAGE_TENANTS] = "tenant fairness",
		[PAGE_TIMELINE] = "tenant timeline",
		[PAGE_USERS] = "user top",
		[PAGE_FAIRNESS] = "job fairness",
		[PAGE_SLOWDOWN] = "job slowdown",
		[PAGE_LEASES] = "job leases",
	};

	return names[part];
}

#define TEXT(member) ASTRA_MEMBER(page_row, TEXT_OR_NULL, member)
#define REAL(member) ASTRA_MEMBER(page_row, REAL, member)

static const struct astra_member page_row_members[] = {
	/* clang-format off */
	TEXT(cluster), TEXT(pool), TEXT(tenant), TEXT(account), TEXT(user),
	TEXT(id_text), TEXT(name), TEXT(state), TEXT(nodes), TEXT(how),
	REAL(time_sec), REAL(step_sec), REAL(span_sec), REAL(submit_sec),
	REAL(start_sec), REAL(end_sec), REAL(wait_sec), REAL(run_sec),
	REAL(lost_sec), REAL(job), REAL(number), REAL(gpus), REAL(leases),
	REAL(revoked), REAL(slowdown), REAL(weight), REAL(rho),
	REAL(alloc_gpu_sec), REAL(fair_gpu_sec), REAL(lack_gpu_sec),
	REAL(demand_gpu_sec), REAL(used_gpu_sec), REAL(total_gpu_sec),
	REAL(down_gpu_sec), REAL(wanted_gpu_sec), REAL(lost_gpu_sec),
	ASTRA_MEMBER(page_row, FLAG, more), ASTRA_MEMBERS_END,
	/* clang-format on */
};

static struct page_tenant *
page_data_add_tenant(struct page_data *d, const char *pool, const char *name)
{
	struct page_tenant *t = calloc(1, sizeof(*t));

	if (!t || astra_grow(&d->tenants, &d->tenant_room, d->tenant_count + 1,
			     sizeof(*d->tenants)) < 0) {
		free(t);
		return NULL;
	}
	*t = (struct page_tenant){
		.pool = pool,
		.name = name,
		.look = PAGE_OTHERS,
		.before_sec = NAN,
		.before_rho = NAN,
	};
	astra_members_clear(&t->row, page_row_members);
	d->tenants[d->tenant_count++] = t;
	return t;
}

/* Returns the tenant of a row; adds a new tenant. Rows repeat the tenants in
 * the same order, so the search begins behind the tenant found last. NULL when
 * out of memory, or if the row has no tenant. */
static struct page_tenant *page_tenant_of(struct page_data *d,
					  const struct page_row *row)
{
	if (!*row->tenant)
		return NULL;
	for (size_t i = 1; i <= d->tenant_count; i++) {
		size_t at = (d->tenant_last + i) % d->tenant_count;

		if (strcmp(d->tenants[at]->name, row->tenant) != 0 ||
		    strcmp(d->tenants[at]->pool, row->pool) != 0)
			continue;
		d->tenant_last = at;
		return d->tenants[at];
	}
	d->tenant_last = d->tenant_count;
	return page_data_add_tenant(d, row->pool, row->tenant);
}

struct page_row *page_rows(const json_t *reply, enum page_part part,
			   size_t *count, struct astra_error *wrong)
{
	return astra_rows_read(json_object_get(reply, "rows"),
			       sizeof(struct page_row), page_row_members,
			       page_part_name(part), count, wrong);
}

static struct page_row *rows_of(struct page_data *d, enum page_part part,
				size_t *count)
{
	return page_rows(d->replies[part], part, count, &d->wrong);
}

static double positive(double value)
{
	return value > 0 ? value : 0;
}

/* Returns the shortest usual slot length that is at least a step and does not
 * make too many slots. */
static double choose_slot(double span_sec, double step_sec)
{
	static const double lengths[] = {
		60,    120,   300,   600,   900,   1200,   1800,   3600,   7200,
		10800, 14400, 21600, 43200, 86400, 172800, 604800, 1209600};
	double least = fmax(span_sec / PAGE_SLOTS_MAX, step_sec);

	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++)
		if (least <= lengths[i])
			return lengths[i];
	return 604800 * ceil(least / 604800);
}

static void load_heads(struct page_data *d)
{
	for (int i = 0; i < PAGE_PARTS; i++) {
		astra_members_clear(&d->heads[i], page_row_members);
		if (d->replies[i] && !*d->wrong.text)
			(void)astra_members_read(d->replies[i], &d->heads[i],
						 page_row_members, "replies",
						 (size_t)i, &d->wrong);
	}
}

/* Returns when the history has its first row in the window. On the plugin's
 * first day, charts over time begin there. */
static double first_time(const struct page_data *d)
{
	static const enum page_part parts[] = {PAGE_TIMELINE, PAGE_LOSS};
	double first = d->end_sec;

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		const json_t *rows =
			json_object_get(d->replies[parts[i]], "rows");
		double sec = json_number_value(
			json_object_get(json_array_get(rows, 0), "time_sec"));

		if (sec > 0)
			first = fmin(first, sec);
	}
	return first > d->start_sec && first < d->end_sec ? first
							  : d->start_sec;
}

/* Sets the window that the replies cover, and its slots. */
static int load_window(struct page_data *d, struct astra_error *err)
{
	int at = d->replies[PAGE_TIMELINE] ? PAGE_TIMELINE : 0;
	double span;

	while (at < PAGE_LEASES && !d->replies[at])
		at++;
	d->cluster = d->heads[at].cluster;
	d->now_sec = d->heads[at].time_sec;
	d->start_sec = d->heads[at].start_sec;
	d->end_sec = d->heads[at].end_sec;
	span = d->end_sec - d->start_sec;
	if (!(span > 0) || !(d->start_sec > 0) || span > 1e10)
		return astra_error_set(
			err, "the reply has no start_sec before an end_sec");
	d->known_sec = first_time(d);
	span = d->end_sec - d->known_sec;
	d->slot_sec = choose_slot(span, positive(d->heads[at].step_sec));
	d->slot_count = (size_t)ceil(span / d->slot_sec - 1e-6);
	d->slots = calloc(d->slot_count, sizeof(*d->slots));
	return d->slots ? 0 : astra_error_nomem(err);
}

/* Finds the slot of a step. A day made longer or shorter by daylight saving
 * must not fall into the slot before. Returns false if the step is in no
 * slot. */
static bool find_slot(const struct page_data *d, enum page_part part,
		      const struct page_row *row, size_t *out)
{
	double own = row->step_sec; /* if replies were put together */
	double step = own > 0 ? own : positive(d->heads[part].step_sec);
	double at = row->time_sec + step / 2 - d->known_sec;

	if (!(at >= 0) || at >= d->end_sec - d->known_sec)
		return false;
	*out = (size_t)(at / d->slot_sec);
	return *out < d->slot_count;
}

static int load_utilization(struct page_data *d, const struct page_row *row)
{
	double total = positive(row->total_gpu_sec);

	d->total_sec += total;
	d->used_sec += positive(row->used_gpu_sec);
	d->down_sec += positive(row->down_gpu_sec);
	d->wanted_sec += positive(row->wanted_gpu_sec);
	d->lost_sec += positive(row->lost_gpu_sec);
	if (row->span_sec > 0)
		d->gpus += total / row->span_sec;
	d->pool_count++;
	return 0;
}

static int load_loss(struct page_data *d, const struct page_row *row)
{
	size_t slot;

	if (!find_slot(d, PAGE_LOSS, row, &slot))
		return 0;
	d->slots[slot].fair_sec += positive(row->fair_gpu_sec);
	d->slots[slot].lack_sec += positive(row->lack_gpu_sec);
	return 0;
}

static int load_tenant(struct page_data *d, const struct page_row *row)
{
	struct page_tenant *t = page_tenant_of(d, row);

	if (t)
		t->row = *row;
	return t || !*row->tenant ? 0 : -1;
}

static int load_time(struct page_data *d, const struct page_row *row)
{
	struct page_tenant *t = page_tenant_of(d, row);
	struct page_cell *cell;
	size_t slot;

	if (!t)
		return *row->tenant ? -1 : 0;
	if (!find_slot(d, PAGE_TIMELINE, row, &slot))
		return 0;
	if (!t->cells)
		t->cells = calloc(d->slot_count, sizeof(*t->cells));
	if (!t->cells)
		return -1;
	cell = &t->cells[slot];
	cell->used_sec += positive(row->used_gpu_sec);
	cell->alloc_sec += positive(row->alloc_gpu_sec);
	cell->fair_sec += positive(row->fair_gpu_sec);
	t->used_sec += positive(row->used_gpu_sec);
	return 0;
}

/* Calls load for each row of a part. Returns 0, or -1 when out of memory. */
static int load_part(struct page_data *d, enum page_part part,
		     int (*load)(struct page_data *, const struct page_row *))
{
	size_t count;
	struct page_row *rows = rows_of(d, part, &count);
	int rc = rows ? 0 : -1;

	for (size_t i = 0; i < count && !rc; i++)
		rc = load(d, &rows[i]);
	free(rows);
	return rc;
}

static int more_used(const void *a, const void *b)
{
	const struct page_tenant *x = *(struct page_tenant *const *)a;
	const struct page_tenant *y = *(struct page_tenant *const *)b;
	int by_name = strcmp(x->name, y->name);

	if (x->used_sec != y->used_sec)
		return x->used_sec < y->used_sec ? 1 : -1;
	return by_name ? by_name : strcmp(x->pool, y->pool);
}

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

/* Copies to a the values that only b has. Of the two reports, one knows more of
 * a job's fairness, the other more of its waiting. */
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

/* Merges the two rows of each job that is in both reports. */
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

/* Loads jobs and leases. Returns 0, or -1 when out of memory. */
static int page_jobs_load(struct page_data *d)
{
	size_t more;
	struct page_row *slow = rows_of(d, PAGE_SLOWDOWN, &more), *all;

	d->jobs = rows_of(d, PAGE_FAIRNESS, &d->job_count);
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

static int page_leases_load(struct page_data *d)
{
	size_t count;

	d->leases = rows_of(d, PAGE_LEASES, &count);
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

int page_data_load(struct page_data *d, json_t *replies[PAGE_PARTS],
		   struct astra_error *err)
{
	memcpy(d->replies, replies, sizeof(d->replies));
	load_heads(d);
	if (load_window(d, err) < 0)
		return -1;
	d->users = rows_of(d, PAGE_USERS, &d->user_count);
	if (!d->users || load_part(d, PAGE_UTILIZATION, load_utilization) < 0 ||
	    load_part(d, PAGE_LOSS, load_loss) < 0 ||
	    load_part(d, PAGE_TENANTS, load_tenant) < 0 ||
	    load_part(d, PAGE_TIMELINE, load_time) < 0 ||
	    page_jobs_load(d) < 0 || page_leases_load(d) < 0)
		return astra_error_nomem(err);
	if (d->tenant_count)
		qsort(d->tenants, d->tenant_count, sizeof(*d->tenants),
		      more_used);
	for (size_t i = 0; i < d->tenant_count; i++)
		d->tenants[i]->look = i < PAGE_OTHERS ? i : PAGE_OTHERS;
	return 0;
}

void page_data_clear(struct page_data *d)
{
	for (size_t i = 0; i < d->tenant_count; i++) {
		free(d->tenants[i]->cells);
		free(d->tenants[i]);
	}
	for (int i = 0; i < PAGE_PARTS; i++)
		json_decref(d->replies[i]);
	free(d->tenants);
	free(d->users);
	free(d->jobs);
	free(d->leases);
	free(d->slots);
	*d = (struct page_data){0};
}

double page_slot_at(const struct page_data *d, size_t slot)
{
	return fmin(d->known_sec + (double)slot * d->slot_sec, d->end_sec);
}

double page_gpus(const struct page_data *d, size_t look, size_t slot)
{
	double begin = page_slot_at(d, slot), end = page_slot_at(d, slot + 1);
	bool goes_on = d->now_sec > begin && d->now_sec < end;
	double span = (goes_on ? d->now_sec : end) - begin;
	double sum = 0;

	for (size_t i = look; i < d->tenant_count; i++) {
		if (d->tenants[i]->cells)
			sum += d->tenants[i]->cells[slot].used_sec;
		if (look < PAGE_OTHERS)
			break;
	}
	return span > 0 ? sum / span : 0;
}

size_t page_looks(const struct page_data *d)
{
	return d->tenant_count > PAGE_OTHERS ? PAGE_OTHERS + 1
					     : d->tenant_count;
}
