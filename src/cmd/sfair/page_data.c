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

double page_number(const json_t *row, const char *key)
{
	const json_t *value = json_object_get(row, key);

	return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

const char *page_string(const json_t *row, const char *key)
{
	const char *text = json_string_value(json_object_get(row, key));

	return text ? text : "";
}

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
		.weight = NAN,
		.alloc_sec = NAN,
		.fair_sec = NAN,
		.rho = NAN,
		.lack_sec = NAN,
		.demand_sec = NAN,
		.look = PAGE_OTHERS,
	};
	d->tenants[d->tenant_count++] = t;
	return t;
}

/* Rows come in the order of tenants again and again, so the search begins
 * behind the last one found. */
struct page_tenant *page_tenant_of(struct page_data *d, const json_t *row)
{
	const char *pool = page_string(row, "pool");
	const char *name = page_string(row, "tenant");

	if (!*name)
		return NULL;
	for (size_t i = 1; i <= d->tenant_count; i++) {
		size_t at = (d->tenant_last + i) % d->tenant_count;

		if (strcmp(d->tenants[at]->name, name) != 0 ||
		    strcmp(d->tenants[at]->pool, pool) != 0)
			continue;
		d->tenant_last = at;
		return d->tenants[at];
	}
	d->tenant_last = d->tenant_count;
	return page_data_add_tenant(d, pool, name);
}

static const json_t *page_data_rows_of(const struct page_data *d,
				       enum page_part part)
{
	return json_object_get(d->replies[part], "rows");
}

static double positive(double value)
{
	return value > 0 ? value : 0;
}

/* The least length of a clock or a calendar that is as long as a step and does
 * not make too many slots. */
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

/* The window as it is covered, and its slots. */
static int load_window(struct page_data *d, struct astra_error *err)
{
	const json_t *reply = NULL;
	double step, span;

	for (int i = 0; i < PAGE_PARTS; i++)
		if (!reply || i == PAGE_TIMELINE)
			reply = d->replies[i] ? d->replies[i] : reply;
	d->cluster = page_string(reply, "cluster");
	d->now_sec = page_number(reply, "time_sec");
	d->start_sec = page_number(reply, "start_sec");
	d->end_sec = page_number(reply, "end_sec");
	step = page_number(reply, "step_sec");
	span = d->end_sec - d->start_sec;
	if (!(span > 0) || !(d->start_sec > 0) || span > 1e10)
		return astra_error_set(
			err, "the reply has no start_sec before an end_sec");
	d->slot_sec = choose_slot(span, positive(step));
	d->slot_count = (size_t)ceil(span / d->slot_sec - 1e-6);
	d->slots = calloc(d->slot_count, sizeof(*d->slots));
	return d->slots ? 0 : astra_error_nomem(err);
}

/* In which slot a step is that begins then; days of another length because of
 * daylight saving are not to fall into the one before. */
static bool find_slot(const struct page_data *d, const json_t *reply,
		      const json_t *row, size_t *out)
{
	double own = page_number(row, "step_sec"); /* of replies put together */
	double step = own > 0 ? own : positive(page_number(reply, "step_sec"));
	double at = page_number(row, "time_sec") + step / 2 - d->start_sec;

	if (!(at >= 0) || at >= d->end_sec - d->start_sec)
		return false;
	*out = (size_t)(at / d->slot_sec);
	return *out < d->slot_count;
}

static void load_utilization(struct page_data *d)
{
	const json_t *row;
	size_t i;

	json_array_foreach(page_data_rows_of(d, PAGE_UTILIZATION), i, row)
	{
		double total = positive(page_number(row, "total_gpu_sec"));
		double span = page_number(row, "span_sec");

		d->total_sec += total;
		d->used_sec += positive(page_number(row, "used_gpu_sec"));
		d->down_sec += positive(page_number(row, "down_gpu_sec"));
		d->wanted_sec += positive(page_number(row, "wanted_gpu_sec"));
		d->lost_sec += positive(page_number(row, "lost_gpu_sec"));
		if (span > 0)
			d->gpus += total / span;
		d->pool_count++;
	}
}

static void load_loss(struct page_data *d)
{
	const json_t *row;
	size_t i, slot;

	json_array_foreach(page_data_rows_of(d, PAGE_LOSS), i, row)
	{
		if (!find_slot(d, d->replies[PAGE_LOSS], row, &slot))
			continue;
		d->slots[slot].fair_sec +=
			positive(page_number(row, "fair_gpu_sec"));
		d->slots[slot].lack_sec +=
			positive(page_number(row, "lack_gpu_sec"));
	}
}

static int load_tenants(struct page_data *d)
{
	const json_t *row;
	size_t i;

	json_array_foreach(page_data_rows_of(d, PAGE_TENANTS), i, row)
	{
		struct page_tenant *t = page_tenant_of(d, row);

		if (!t && *page_string(row, "tenant"))
			return -1;
		if (!t)
			continue;
		t->weight = page_number(row, "weight");
		t->alloc_sec = page_number(row, "alloc_gpu_sec");
		t->fair_sec = page_number(row, "fair_gpu_sec");
		t->rho = page_number(row, "rho");
		t->lack_sec = page_number(row, "lack_gpu_sec");
		t->demand_sec = page_number(row, "demand_gpu_sec");
	}
	return 0;
}

static int load_timeline(struct page_data *d)
{
	const json_t *row;
	size_t i, slot;

	json_array_foreach(page_data_rows_of(d, PAGE_TIMELINE), i, row)
	{
		struct page_tenant *t = page_tenant_of(d, row);
		struct page_cell *cell;

		if (!t && *page_string(row, "tenant"))
			return -1;
		if (!t || !find_slot(d, d->replies[PAGE_TIMELINE], row, &slot))
			continue;
		if (!t->cells)
			t->cells = calloc(d->slot_count, sizeof(*t->cells));
		if (!t->cells)
			return -1;
		cell = &t->cells[slot];
		cell->used_sec += positive(page_number(row, "used_gpu_sec"));
		cell->alloc_sec += positive(page_number(row, "alloc_gpu_sec"));
		cell->fair_sec += positive(page_number(row, "fair_gpu_sec"));
		t->used_sec += positive(page_number(row, "used_gpu_sec"));
	}
	return 0;
}

static int load_users(struct page_data *d)
{
	const json_t *row;
	size_t i;

	json_array_foreach(page_data_rows_of(d, PAGE_USERS), i, row)
	{
		if (astra_grow(&d->users, &d->user_room, d->user_count + 1,
			       sizeof(*d->users)) < 0)
			return -1;
		d->users[d->user_count++] = (struct page_user){
			.name = page_string(row, "user"),
			.account = page_string(row, "account"),
			.tenant = page_string(row, "tenant"),
			.pool = page_string(row, "pool"),
			.used_sec = page_number(row, "used_gpu_sec"),
		};
	}
	return 0;
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

int page_data_load(struct page_data *d, json_t *replies[PAGE_PARTS],
		   struct astra_error *err)
{
	memcpy(d->replies, replies, sizeof(d->replies));
	for (int i = 0; i < PAGE_PARTS; i++)
		d->cut[i] = json_is_true(json_object_get(replies[i], "more"));
	if (load_window(d, err) < 0)
		return -1;
	load_utilization(d);
	load_loss(d);
	if (load_tenants(d) < 0 || load_timeline(d) < 0 || load_users(d) < 0 ||
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
	return fmin(d->start_sec + (double)slot * d->slot_sec, d->end_sec);
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
