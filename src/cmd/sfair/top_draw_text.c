/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>

#include "src/cmd/sfair/top.h"

#define LINE_BYTES 512

/* The bytes of the next line: whole words, or as much of one as fits. */
static size_t line_size(const char *text, size_t width)
{
	size_t size = 0;

	if (width >= LINE_BYTES)
		width = LINE_BYTES - 1;
	while (text[size] && text[size] != '\n') {
		size_t word = size + strspn(text + size, " ");

		word += strcspn(text + word, " \n");
		if (word > width)
			break;
		size = word;
	}
	if (!size && *text && *text != '\n')
		size = strnlen(text, width ? width : 1);
	return size;
}

void top_draw_text(struct top_sheet *sheet, const char *text, size_t first,
		   size_t rows)
{
	for (size_t i = 0; *text && (i < first || i - first < rows); i++) {
		size_t size = line_size(text, sheet->columns);

		if (i >= first) {
			if (!top_sheet_line(sheet))
				return;
			top_putf(sheet, 0, TOP_PLAIN, "%.*s", (int)size, text);
		}
		text += size;
		text += strspn(text, " ");
		if (*text == '\n')
			text++;
	}
}

static const char *const help_lines[] = {
	"Views",
	"  1 2 3 4      overview, nodes, leases, queue",
	"  Tab          the next one; Shift-Tab the one before",
	"  w            why: of the job chosen, or of one that is asked for",
	"Lists",
	"  Up Down      choose a job, or scroll; also k and j",
	"  PgUp PgDn    by a screen",
	"  Home End     the first, the last; also g and G",
	"  < >          sort by the column before, after",
	"  s f F        sort by a column that is asked for",
	"  R            the other way round",
	"Which",
	"  u            users, separated by commas; none: all",
	"  A o          accounts or tenants",
	"  p            pools",
	"Others",
	"  Space Enter  refresh now",
	"  d            seconds between two refreshes",
	"  h ?          this text",
	"  q            back, or quit",
	"",
	"Letters: each GPU has its tenant's; . free, - down, ? not yours to see.",
	"Bars: what a tenant holds, then what it asks for; | is its quota.",
	"Rho: GPU time had, divided by what was fair; the lowest goes first.",
	NULL,
};

void top_draw_help(struct top_sheet *sheet, size_t first, size_t rows)
{
	for (size_t i = first; help_lines[i] && i - first < rows; i++) {
		const char *line = help_lines[i];

		if (!top_sheet_line(sheet))
			return;
		top_put(sheet, 0, sheet->columns,
			*line && *line != ' ' && !strchr(line, ':') ? TOP_BOLD
								    : TOP_PLAIN,
			line);
	}
}
