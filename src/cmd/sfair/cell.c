/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "src/cmd/sfair/sfair.h"

#define CELL_BYTES 64
#define UNIX_LEAST 1e9

static const double unit_sec[] = {
	[SFAIR_SECONDS] = 1,
	[SFAIR_MINUTES] = 60,
	[SFAIR_HOURS] = 3600,
};

void sfair_span(double sec, char *text, size_t size)
{
	unsigned long s = sec > 0 ? (unsigned long)(sec + 0.5) : 0;
	unsigned long days = s / 86400, hours = s / 3600 % 24;
	unsigned long minutes = s / 60 % 60;

	s %= 60;
	if (days)
		snprintf(text, size, "%lu-%02lu:%02lu:%02lu", days, hours,
			 minutes, s);
	else if (hours)
		snprintf(text, size, "%lu:%02lu:%02lu", hours, minutes, s);
	else
		snprintf(text, size, "%lu:%02lu", minutes, s);
}

/* Times before 2001 are relative: they are seconds since the beginning of a
 * trace. */
void sfair_time(double sec, char *text, size_t size)
{
	time_t when = (time_t)sec;
	struct tm tm;

	if (sec < UNIX_LEAST)
		snprintf(text, size, "%.0f", sec);
	else if (!localtime_r(&when, &tm) ||
		 !strftime(text, size, "%Y-%m-%dT%H:%M:%S", &tm))
		snprintf(text, size, "N/A");
}

/* Returns the size of the character at text if it controls the terminal or the
 * direction of text: C0 and C1, U+2028 to U+202E, U+2066 to U+2069. Returns 0
 * for other characters. */
static size_t steering(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;

	if (*at < ' ' || *at == 0x7f)
		return 1;
	if (*at == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0)
		return 2;
	if (*at == 0xe2 && ((at[1] == 0x80 && at[2] >= 0xa8 && at[2] <= 0xae) ||
			    (at[1] == 0x81 && at[2] >= 0xa6 && at[2] <= 0xa9)))
		return 3;
	return 0;
}

/* Copies a text, with control characters replaced: users choose job names,
 * which must not control the reader's terminal. to: has room for the text. */
static void cell_clean(const char *text, char *to)
{
	while (*text) {
		size_t size = steering(text);

		*to++ = size ? '?' : *text;
		text += size ? size : 1;
	}
	*to = '\0';
}

static void number_cell(enum sfair_kind kind, double value,
			enum sfair_unit unit, double now_sec, char *text)
{
	switch (kind) {
	case SFAIR_GPU_TIME:
		snprintf(text, CELL_BYTES, "%.1f", value / unit_sec[unit]);
		break;
	case SFAIR_RATIO:
	case SFAIR_CREDITS:
		snprintf(text, CELL_BYTES, "%.3f", value);
		break;
	case SFAIR_SPAN:
		sfair_span(value, text, CELL_BYTES);
		break;
	case SFAIR_LEFT:
		sfair_span(value - now_sec, text, CELL_BYTES);
		break;
	case SFAIR_FLAG:
		snprintf(text, CELL_BYTES, "%s", value != 0 ? "yes" : "no");
		break;
	case SFAIR_TIME:
		sfair_time(value, text, CELL_BYTES);
		break;
	default:
		snprintf(text, CELL_BYTES,
			 value == floor(value) ? "%.0f" : "%.3f", value);
	}
}

/* Returns a value as text. text: buffer for values other than strings. */
static const char *cell_text(enum sfair_kind kind, const json_t *value,
			     enum sfair_unit unit, double now_sec,
			     char text[CELL_BYTES])
{
	if (json_is_string(value))
		return json_string_value(value);
	if (json_is_boolean(value))
		return json_is_true(value) ? "yes" : "no";
	if (!json_is_number(value))
		return "N/A";
	number_cell(kind, json_number_value(value), unit, now_sec, text);
	return text;
}

char *sfair_cell(enum sfair_kind kind, const json_t *value,
		 enum sfair_unit unit, double now_sec)
{
	char buffer[CELL_BYTES];
	const char *text = cell_text(kind, value, unit, now_sec, buffer);
	char *copy = malloc(strlen(text) + 1);

	if (copy)
		cell_clean(text, copy);
	return copy;
}

const char *sfair_cell_in(struct astra_arena *arena, enum sfair_kind kind,
			  const json_t *value, enum sfair_unit unit,
			  double now_sec)
{
	char buffer[CELL_BYTES];
	const char *text = cell_text(kind, value, unit, now_sec, buffer);
	char *copy = astra_arena_take(arena, strlen(text) + 1);

	if (copy)
		cell_clean(text, copy);
	return copy;
}
