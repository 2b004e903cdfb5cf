/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "src/cmd/sfair/sfair.h"
#include "src/cmd/sfair/top.h"

#define OF(type, member) offsetof(struct top_##type, member)

static const struct top_column tenant_columns[] = {
	{"Tenant", TOP_TEXT, OF(tenant, name), 0, 14, 0},
	{"Pool", TOP_TEXT, OF(tenant, pool), 0, 8, 100},
	{"Weight", TOP_COUNT, OF(tenant, weight), 0, 6, 100},
	{"GPUs", TOP_COUNT, OF(tenant, alloc), 0, 6, 0},
	{"Quota", TOP_COUNT, OF(tenant, quota), 0, 6, 0},
	{"Rho", TOP_RATIO, OF(tenant, rho), 0, 6, 0},
	{"Wait", TOP_COUNT, OF(tenant, waiting), 0, 5, 0},
	{"Run", TOP_COUNT, OF(tenant, running), 0, 4, 0},
	{NULL, TOP_TEXT, 0, 0, 0, 0},
};

static const struct top_column node_columns[] = {
	{"Node", TOP_TEXT, OF(node, name), 0, 14, 0},
	{"Pool", TOP_TEXT, OF(node, pool), 0, 8, 100},
	{"State", TOP_TEXT, OF(node, state), 0, 8, 0},
	{"GPUs", TOP_COUNT, OF(node, gpus), 0, 4, 0},
	{"Held", TOP_COUNT, OF(node, held), 0, 4, 0},
	{"Free", TOP_COUNT, OF(node, free), 0, 4, 0},
	{NULL, TOP_TEXT, 0, 0, 0, 0},
};

static const struct top_column lease_columns[] = {
	{"JobID", TOP_TEXT, OF(job, id_text), OF(job, id), 11, 0},
	{"User", TOP_TEXT, OF(job, user), 0, 8, 0},
	{"Tenant", TOP_TEXT, OF(job, tenant), 0, 10, 0},
	{"Pool", TOP_TEXT, OF(job, pool), 0, 8, 130},
	{"Name", TOP_TEXT, OF(job, name), 0, 14, 100},
	{"GPUs", TOP_COUNT, OF(job, gpus), 0, 4, 0},
	{"Phase", TOP_TEXT, OF(job, phase), 0, 7, 0},
	{"Rho", TOP_RATIO, OF(job, rho), 0, 6, 110},
	{"Left", TOP_LEFT, OF(job, end_sec), 0, 8, 0},
	{"Ends", TOP_CLOCK, OF(job, end_sec), 0, 9, 72},
	{"Leases", TOP_COUNT, OF(job, leases), 0, 6, 110},
	{"Nodes", TOP_TEXT, OF(job, nodes), 0, 0, 0},
	{NULL, TOP_TEXT, 0, 0, 0, 0},
};

static const struct top_column queue_columns[] = {
	{"Rank", TOP_COUNT, OF(job, rank), 0, 5, 0},
	{"JobID", TOP_TEXT, OF(job, id_text), OF(job, id), 11, 0},
	{"User", TOP_TEXT, OF(job, user), 0, 8, 0},
	{"Tenant", TOP_TEXT, OF(job, tenant), 0, 10, 70},
	{"Pool", TOP_TEXT, OF(job, pool), 0, 8, 130},
	{"Name", TOP_TEXT, OF(job, name), 0, 14, 110},
	{"GPUs", TOP_COUNT, OF(job, gpus), 0, 4, 0},
	{"Rho", TOP_RATIO, OF(job, rho), 0, 6, 80},
	{"Waited", TOP_SINCE, OF(job, submit_sec), 0, 8, 100},
	{"Start", TOP_CLOCK, OF(job, start_sec), 0, 9, 60},
	{"Reason", TOP_TEXT, OF(job, reason), 0, 0, 0},
	{NULL, TOP_TEXT, 0, 0, 0, 0},
};

const struct top_column *top_columns(enum top_view view)
{
	static const struct top_column *const tables[TOP_VIEWS] = {
		[TOP_OVERVIEW] = tenant_columns,
		[TOP_NODES] = node_columns,
		[TOP_LEASES] = lease_columns,
		[TOP_QUEUE] = queue_columns,
	};

	return tables[view];
}

int top_column_find(enum top_view view, const char *name)
{
	const struct top_column *columns = top_columns(view);

	for (int i = 0; *name && columns[i].name; i++)
		if (!strncasecmp(columns[i].name, name, strlen(name)))
			return i;
	return -1;
}

/* ---- Values. ---- */

static const char *text_at(const void *row, size_t offset)
{
	return *(const char *const *)((const char *)row + offset);
}

static double number_at(const void *row, size_t offset)
{
	return *(const double *)((const char *)row + offset);
}

/* Writes a time: as time of day if it is on the same day, as day of the week if
 * within six days, else as a date. */
static void write_clock(double sec, double now_sec, char *text, size_t size)
{
	time_t when = (time_t)sec, now = (time_t)now_sec;
	bool near = fabs(sec - now_sec) < 6 * 86400.0, same;
	struct tm tm, today;

	if (!localtime_r(&when, &tm) || !localtime_r(&now, &today)) {
		snprintf(text, size, "-");
		return;
	}
	same = tm.tm_year == today.tm_year && tm.tm_yday == today.tm_yday;
	if (!strftime(text, size,
		      same   ? "%H:%M:%S"
		      : near ? "%a %H:%M"
			     : "%b %d",
		      &tm))
		snprintf(text, size, "-");
}

void top_value(const struct top_column *column, const void *row, double now_sec,
	       char *text, size_t size)
{
	double value;

	if (column->kind == TOP_TEXT) {
		snprintf(text, size, "%s", text_at(row, column->offset));
		return;
	}
	value = number_at(row, column->offset);
	if (isnan(value))
		snprintf(text, size, "-");
	else if (isinf(value))
		snprintf(text, size, "inf");
	else if (column->kind == TOP_RATIO)
		snprintf(text, size, value < 100 ? "%.3f" : "%.0f", value);
	else if (column->kind == TOP_LEFT)
		sfair_span(value - now_sec, text, size);
	else if (column->kind == TOP_SINCE)
		sfair_span(now_sec - value, text, size);
	else if (column->kind == TOP_CLOCK)
		write_clock(value, now_sec, text, size);
	else
		snprintf(text, size,
			 fabs(value - round(value)) < 0.05 ? "%.0f" : "%.1f",
			 value);
}

/* ---- Sorting. ---- */

struct order {
	const struct top_column *column;
	bool reverse;
};

static int top_columns_compare_numbers(double a, double b, bool reverse)
{
	if (isnan(a) || isnan(b))
		return (isnan(a) ? 1 : 0) - (isnan(b) ? 1 : 0);
	return reverse ? (a < b) - (a > b) : (a > b) - (a < b);
}

/* Compares texts. Compares numbers in them by value, so that n2 comes before
 * n10. */
static int compare_texts(const char *a, const char *b, bool reverse)
{
	if (!*a || !*b)
		return (*a ? 0 : 1) - (*b ? 0 : 1);
	return reverse ? strverscmp(b, a) : strverscmp(a, b);
}

static int top_columns_compare(const void *a, const void *b, void *data)
{
	const struct order *order = data;
	const struct top_column *c = order->column;
	const char *x = *(const char *const *)a, *y = *(const char *const *)b;
	int result;

	if (c->kind == TOP_TEXT && !c->key)
		result = compare_texts(text_at(x, c->offset),
				       text_at(y, c->offset), order->reverse);
	else
		result = top_columns_compare_numbers(
			number_at(x, c->key ? c->key : c->offset),
			number_at(y, c->key ? c->key : c->offset),
			order->reverse);
	return result ? result : (x > y) - (x < y);
}

void top_sort(struct top_model *model, enum top_view view,
	      const struct top_sort *sort)
{
	struct top_list *list = &model->lists[view];
	struct order order = {
		.column = &top_columns(view)[sort->column],
		.reverse = sort->reverse,
	};

	/* a span up to now is longest for the earliest time */
	if (order.column->kind == TOP_SINCE)
		order.reverse = !order.reverse;

	if (list->count > 1)
		qsort_r(list->rows, list->count, sizeof(*list->rows),
			top_columns_compare, &order);
}
