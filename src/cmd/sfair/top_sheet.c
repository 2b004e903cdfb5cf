/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/cmd/sfair/top.h"
#include "src/common/grow.h"

void top_sheet_begin(struct top_sheet *sheet, size_t columns, size_t most)
{
	sheet->rows = 0;
	sheet->columns = columns;
	sheet->most = most;
}

bool top_sheet_line(struct top_sheet *sheet)
{
	size_t first = sheet->rows * sheet->columns;

	if (sheet->most && sheet->rows >= sheet->most)
		return false;
	if (astra_grow(&sheet->cells, &sheet->room, first + sheet->columns,
		       sizeof(*sheet->cells)) < 0)
		return false;
	for (size_t i = 0; i < sheet->columns; i++)
		sheet->cells[first + i] = (struct top_cell){L' ', TOP_PLAIN};
	sheet->rows++;
	return true;
}

/* Returns the next character of a UTF-8 text. Each invalid byte is returned as
 * one character. */
static wchar_t decode(const char **text)
{
	const unsigned char *at = (const unsigned char *)*text;
	size_t more = *at >= 0xf0 ? 3 : *at >= 0xe0 ? 2 : *at >= 0xc0 ? 1 : 0;
	uint32_t value = more == 0   ? *at
			 : more == 1 ? *at & 0x1fu
			 : more == 2 ? *at & 0x0fu
				     : *at & 0x07u;

	for (size_t i = 1; i <= more; i++) {
		if ((at[i] & 0xc0u) != 0x80u) {
			*text += 1;
			return L'?';
		}
		value = value << 6 | (at[i] & 0x3fu);
	}
	*text += more + 1;
	return (wchar_t)value;
}

/* Whether a character controls the terminal, or changes the direction of text
 * so that a line reads differently. */
static bool steers(wchar_t ch)
{
	return ch < L' ' || (ch >= 0x7f && ch < 0xa0) || ch == 0xad ||
	       (ch >= 0x200b && ch <= 0x200f) ||
	       (ch >= 0x2028 && ch <= 0x202e) ||
	       (ch >= 0x2060 && ch <= 0x206f) || ch == 0xfeff;
}

/* Returns the character to show in place of ch. width: set to the cells that it
 * takes. */
static wchar_t top_sheet_show(const struct top_sheet *sheet, wchar_t ch,
			      size_t *width)
{
	int cells = 1;

	if (steers(ch) || (ch > 0x7e && !sheet->utf8))
		ch = L'?';
	else if (ch > 0x7e)
		cells = wcwidth(ch);
	if (cells < 1) {
		ch = L'?';
		cells = 1;
	}
	*width = (size_t)cells;
	return ch;
}

static size_t width_of(const struct top_sheet *sheet, const char *text)
{
	size_t total = 0, width;

	while (*text) {
		top_sheet_show(sheet, decode(&text), &width);
		total += width;
	}
	return total;
}

static void put_cells(struct top_cell *cell, wchar_t ch, size_t width,
		      enum top_style style)
{
	cell[0] = (struct top_cell){ch, (uint8_t)style};
	if (width > 1)
		cell[1] = (struct top_cell){0, (uint8_t)style};
}

size_t top_put(struct top_sheet *sheet, size_t at, size_t width,
	       enum top_style style, const char *text)
{
	struct top_cell *line;
	size_t end, fits;

	if (!sheet->rows || at >= sheet->columns)
		return sheet->columns;
	line = sheet->cells + (sheet->rows - 1) * sheet->columns;
	end = width < sheet->columns - at ? at + width : sheet->columns;
	fits = width_of(sheet, text) <= end - at ? end : end - 1;
	while (*text) {
		size_t cells;
		wchar_t ch = top_sheet_show(sheet, decode(&text), &cells);

		if (at + cells > fits) {
			if (at < end)
				put_cells(&line[at++], L'+', 1, style);
			return at;
		}
		put_cells(&line[at], ch, cells, style);
		at += cells;
	}
	return at;
}

void top_put_right(struct top_sheet *sheet, size_t at, size_t width,
		   enum top_style style, const char *text)
{
	size_t size = width_of(sheet, text);

	if (size < width)
		top_put(sheet, at + width - size, size, style, text);
	else
		top_put(sheet, at, width, style, text);
}

size_t top_putf(struct top_sheet *sheet, size_t at, enum top_style style,
		const char *fmt, ...)
{
	char text[1024];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return top_put(sheet, at, sheet->columns, style, text);
}

void top_style_line(struct top_sheet *sheet, enum top_style style)
{
	size_t first;

	if (!sheet->rows)
		return;
	first = (sheet->rows - 1) * sheet->columns;
	for (size_t i = 0; i < sheet->columns; i++)
		sheet->cells[first + i].style = (uint8_t)style;
}

void top_sheet_free(struct top_sheet *sheet)
{
	free(sheet->cells);
	*sheet = (struct top_sheet){0};
}

enum top_style top_letter_style(char letter)
{
	if (letter >= 'A' && letter <= 'Z')
		return (enum top_style)(TOP_COLOUR +
					(letter - 'A') % TOP_COLOURS);
	if (letter >= 'a' && letter <= 'z')
		return (enum top_style)(TOP_COLOUR +
					(letter - 'a' + 3) % TOP_COLOURS);
	return TOP_DIM;
}
