/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sim/grid.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/encode.h"
#include "src/common/grow.h"

#define GAP 2

/* Returns how many columns a text takes on the screen. UTF-8 continuation bytes
 * take no column. */
static size_t grid_text_width(const char *text)
{
	size_t width = 0;

	for (; *text; text++)
		width += (*text & 0xc0) != 0x80;
	return width;
}

/* Replaces invalid UTF-8 and control characters by question marks. This
 * includes the control characters of Latin 1, which some terminals obey. */
static void grid_clean(char *text)
{
	while (*text) {
		size_t size = astra_utf8_size(text);
		unsigned char c = (unsigned char)*text;
		bool high_control =
			size == 2 && c == 0xc2 && (unsigned char)text[1] < 0xa0;

		if (size && c >= ' ' && c != 0x7f && !high_control) {
			text += size;
			continue;
		}
		*text++ = '?';
		if (high_control)
			*text++ = '?';
	}
}

void astra_grid_add(struct astra_grid *grid, const char *text)
{
	char *copy = strdup(text);

	if (!copy || astra_grow(&grid->cells, &grid->room, grid->count + 1,
				sizeof(*grid->cells)) < 0) {
		free(copy);
		grid->failed = 1;
		return;
	}
	grid_clean(copy);
	grid->cells[grid->count++] = copy;
}

void astra_grid_clear(struct astra_grid *grid)
{
	for (size_t i = 0; i < grid->count; i++)
		free(grid->cells[i]);
	free(grid->cells);
	*grid = (struct astra_grid){.columns = grid->columns};
}

static size_t column_width(const struct astra_grid *grid, size_t column)
{
	size_t width = 0;

	for (size_t i = column; i < grid->count; i += grid->columns) {
		size_t w = grid_text_width(grid->cells[i]);

		width = w > width ? w : width;
	}
	return width;
}

static void grid_put_cell(FILE *file, const char *text, size_t width, bool left,
			  bool last)
{
	int pad = (int)(width - grid_text_width(text));

	if (left)
		fprintf(file, "%s%*s", text, last ? 0 : pad, "");
	else
		fprintf(file, "%*s%s", pad, "", text);
	if (!last)
		fprintf(file, "%*s", GAP, "");
}

static void grid_put_rule(FILE *file, size_t width, bool last)
{
	for (size_t i = 0; i < width; i++)
		fputc('-', file);
	if (!last)
		fprintf(file, "%*s", GAP, "");
}

/* Writes the first column, and then the columns from `first` up to but not
 * including `end`. */
static void put_block(const struct astra_grid *grid, FILE *file, size_t first,
		      size_t end)
{
	size_t rows = grid->count / grid->columns;
	size_t wide = column_width(grid, 0);

	for (size_t r = 0; r < rows; r++) {
		char **row = &grid->cells[r * grid->columns];

		grid_put_cell(file, row[0], wide, true, first == end);
		for (size_t c = first; c < end; c++)
			grid_put_cell(file, row[c], column_width(grid, c),
				      false, c + 1 == end);
		fputc('\n', file);
		if (r)
			continue;
		grid_put_rule(file, wide, first == end);
		for (size_t c = first; c < end; c++)
			grid_put_rule(file, column_width(grid, c),
				      c + 1 == end);
		fputc('\n', file);
	}
}

void astra_grid_print(const struct astra_grid *grid, FILE *file, size_t width)
{
	size_t first = 1;

	do {
		size_t used = column_width(grid, 0), end = first;

		while (end < grid->columns) {
			used += GAP + column_width(grid, end);
			if (width && used > width && end > first)
				break;
			end++;
		}
		if (first > 1)
			fputc('\n', file);
		put_block(grid, file, first, end);
		first = end;
	} while (first < grid->columns);
}

static void put_markdown(FILE *file, const char *text)
{
	size_t size = strlen(text);
	bool bold = size > 1 && text[size - 1] == '*';

	while (size && text[size - 1] == ' ')
		size--;
	fputs(bold ? "**" : "", file);
	for (size_t i = 0; i < size - (bold ? 1 : 0); i++) {
		if (strchr("\\`*_{}[]<>|#", text[i]))
			fputc('\\', file);
		fputc(text[i], file);
	}
	fputs(bold ? "**" : "", file);
}

void astra_grid_markdown(const struct astra_grid *grid, FILE *file)
{
	for (size_t i = 0; i < grid->count; i++) {
		bool last = (i + 1) % grid->columns == 0;

		fputs(i % grid->columns ? " " : "| ", file);
		put_markdown(file, grid->cells[i]);
		fputs(last ? " |\n" : " |", file);
		if (i + 1 != grid->columns)
			continue;
		for (size_t c = 0; c < grid->columns; c++)
			fputs(c ? "---:|" : "|---|", file);
		fputc('\n', file);
	}
}
