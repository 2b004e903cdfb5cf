/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policies/baselines/lines.h"

#include <stdlib.h>

#include "src/common/grow.h"

int astra_lines_init(struct astra_baseline_lines *l, size_t line_count)
{
	*l = (struct astra_baseline_lines){.line_count = line_count};
	l->lines = calloc(line_count + 1, sizeof(*l->lines));
	return l->lines ? 0 : -1;
}

void astra_lines_destroy(struct astra_baseline_lines *l)
{
	free(l->added);
	free(l->sorted);
	free(l->lines);
}

void astra_lines_clear(struct astra_baseline_lines *l)
{
	l->count = 0;
	for (size_t i = 0; i < l->line_count; i++)
		l->lines[i].count = 0;
}

int astra_lines_add(struct astra_baseline_lines *l,
		    const struct astra_entry *entry)
{
	if (astra_grow(&l->added, &l->added_room, l->count + 1,
		       sizeof(*l->added)) < 0)
		return -1;
	l->added[l->count++] = *entry;
	l->lines[entry->line].count++;
	return 0;
}

static int baseline_lines_compare(double a, double b)
{
	return a < b ? -1 : a > b;
}

static bool baseline_lines_before(const struct astra_entry *a,
				  const struct astra_entry *b)
{
	int order = baseline_lines_compare(a->rank.major, b->rank.major);

	if (!order)
		order = baseline_lines_compare(a->rank.minor, b->rank.minor);
	if (!order)
		order = a->behind - b->behind;
	if (!order)
		order = baseline_lines_compare(a->submit_sec, b->submit_sec);
	return order ? order < 0 : a->id < b->id;
}

static void baseline_lines_sift_down(struct astra_entry *heap, size_t count,
				     size_t at)
{
	struct astra_entry moved = heap[at];

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= count)
			break;
		if (child + 1 < count &&
		    baseline_lines_before(&heap[child + 1], &heap[child]))
			child++;
		if (!baseline_lines_before(&heap[child], &moved))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = moved;
}

int astra_lines_form(struct astra_baseline_lines *l)
{
	size_t begin = 0;

	if (astra_grow(&l->sorted, &l->sorted_room, l->count,
		       sizeof(*l->sorted)) < 0)
		return -1;
	for (size_t i = 0; i < l->line_count; i++) {
		l->lines[i].begin = begin;
		begin += l->lines[i].count;
		l->lines[i].count = 0;
	}
	for (size_t i = 0; i < l->count; i++) {
		struct astra_line *line = &l->lines[l->added[i].line];

		l->sorted[line->begin + line->count++] = l->added[i];
	}
	for (size_t i = 0; i < l->line_count; i++) {
		const struct astra_line *line = &l->lines[i];

		for (size_t at = line->count / 2; at-- > 0;)
			baseline_lines_sift_down(l->sorted + line->begin,
						 line->count, at);
	}
	return 0;
}

bool astra_lines_take(struct astra_baseline_lines *l, uint32_t number,
		      struct astra_entry *out)
{
	struct astra_line *line = &l->lines[number];
	struct astra_entry *heap = l->sorted + line->begin;

	if (!line->count)
		return false;
	*out = heap[0];
	heap[0] = heap[--line->count];
	if (line->count)
		baseline_lines_sift_down(heap, line->count, 0);
	return true;
}
