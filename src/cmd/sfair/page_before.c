/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The time before a window: compares this month with last month. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "src/cmd/sfair/page.h"

static struct tm local(double sec)
{
	time_t when = (time_t)sec;
	struct tm tm = {0};

	localtime_r(&when, &tm);
	return tm;
}

double page_before_start(double start_sec, double end_sec)
{
	struct tm start = local(start_sec), end = local(end_sec);
	int months =
		12 * (end.tm_year - start.tm_year) + end.tm_mon - start.tm_mon;

	if (!page_at_midnight(start_sec) || !page_at_midnight(end_sec))
		return start_sec - (end_sec - start_sec);
	if (start.tm_mday == 1 && end.tm_mday == 1)
		start.tm_mon -= months;
	else
		start.tm_mday -= (int)lround((end_sec - start_sec) / 86400);
	start.tm_isdst = -1;
	return (double)mktime(&start);
}

bool page_before_needs(enum page_part part)
{
	return part == PAGE_UTILIZATION || part == PAGE_LOSS ||
	       part == PAGE_TENANTS;
}

static double known(double value)
{
	return value > 0 ? value : 0;
}

static void add_row(struct page_data *d, enum page_part part,
		    const struct page_row *row)
{
	struct page_before *b = &d->before;

	switch (part) {
	case PAGE_UTILIZATION:
		b->total_sec += known(row->total_gpu_sec);
		b->used_sec += known(row->used_gpu_sec);
		b->wanted_sec += known(row->wanted_gpu_sec);
		b->known_sec = fmax(b->known_sec, row->span_sec);
		break;
	case PAGE_LOSS:
		b->fair_sec += known(row->fair_gpu_sec);
		b->lack_sec += known(row->lack_gpu_sec);
		break;
	default:
		for (size_t i = 0; i < d->tenant_count; i++) {
			struct page_tenant *t = d->tenants[i];

			if (strcmp(t->name, row->tenant) ||
			    strcmp(t->pool, row->pool))
				continue;
			t->before_sec = row->alloc_gpu_sec;
			t->before_rho = row->rho;
		}
	}
}

/* Reads the window of a reply. Returns whether it is valid, and had GPUs. */
static bool set_window(struct page_before *b, const json_t *reply)
{
	double start = json_number_value(json_object_get(reply, "start_sec"));
	double end = json_number_value(json_object_get(reply, "end_sec"));

	b->start_sec = start;
	b->end_sec = end;
	return start > 0 && end > start && end - start <= 1e10 &&
	       b->total_sec > 0;
}

int page_before_load(struct page_data *d, json_t *const replies[PAGE_PARTS],
		     struct astra_error *err)
{
	for (int part = 0; part < PAGE_PARTS; part++) {
		struct page_row *rows;
		size_t count;

		if (!replies[part] || !page_before_needs(part))
			continue;
		rows = page_rows(replies[part], part, &count, &d->wrong);
		if (!rows)
			return astra_error_nomem(err);
		for (size_t i = 0; i < count; i++)
			add_row(d, part, &rows[i]);
		free(rows);
	}
	if (!set_window(&d->before, replies[PAGE_UTILIZATION]))
		d->before = (struct page_before){0};
	return 0;
}
