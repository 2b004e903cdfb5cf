/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/proto/tasks.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define TAIL 16 /* room for ",..." and what follows the digits */

static unsigned nibble(char digit)
{
	if (isdigit((unsigned char)digit))
		return (unsigned)(digit - '0');
	return (unsigned)(tolower((unsigned char)digit) - 'a' + 10);
}

/* Whether a task is set; the last digit holds tasks 0 to 3. */
static bool task_set(const char *digits, size_t count, size_t task)
{
	return task / 4 < count &&
	       (nibble(digits[count - 1 - task / 4]) >> task % 4 & 1);
}

/* Append one range. Returns false when it does not fit. */
static bool add_range(char *out, size_t size, size_t first, size_t last)
{
	char range[48];
	size_t used = strlen(out);
	const char *comma = out[used - 1] == '[' ? "" : ",";
	int n = first == last
			? snprintf(range, sizeof(range), "%s%zu", comma, first)
			: snprintf(range, sizeof(range), "%s%zu-%zu", comma,
				   first, last);

	if (used + (size_t)n + TAIL > size) {
		snprintf(out + used, size - used, "%s...", comma);
		return false;
	}
	memcpy(out + used, range, (size_t)n + 1);
	return true;
}

static void add_ranges(char *out, size_t size, const char *digits, size_t count)
{
	size_t task = 0, tasks = count * 4;

	while (task < tasks) {
		size_t first;

		while (task < tasks && !task_set(digits, count, task))
			task++;
		if (task == tasks)
			return;
		first = task;
		while (task_set(digits, count, task + 1))
			task++;
		if (!add_range(out, size, first, task))
			return;
		task++;
	}
}

void astra_tasks_text(const char *id_text, char *out, size_t size)
{
	const char *hex = strstr(id_text, "[0x");
	size_t head, count, used;

	head = hex ? (size_t)(hex + 1 - id_text) : 0;
	if (!hex || head + TAIL > size) {
		snprintf(out, size, "%s", id_text);
		return;
	}
	memcpy(out, id_text, head);
	out[head] = '\0';
	hex += strlen("[0x");
	for (count = 0; isxdigit((unsigned char)hex[count]); count++)
		;
	add_ranges(out, size, hex, count);
	used = strlen(out);
	snprintf(out + used, size - used, "%s", hex + count);
}
