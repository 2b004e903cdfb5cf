/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/cmd/sfair/sfair.h"

#define READABLE 80

/* Write words, breaking lines at blanks. */
static void put_wrapped(const char *text, size_t width)
{
	size_t at = 0;

	while (*text) {
		size_t size = strcspn(text, " ");

		if (at && at + 1 + size > width) {
			putchar('\n');
			at = 0;
		} else if (at) {
			putchar(' ');
			at++;
		}
		printf("%.*s", (int)size, text);
		at += size;
		text += size;
		while (*text == ' ')
			text++;
	}
	putchar('\n');
}

void sfair_print_why(const json_t *reply, const struct sfair_args *args)
{
	size_t width = sfair_terminal_width();
	char *text = sfair_cell(SFAIR_TEXT, json_object_get(reply, "text"),
				args->unit, 0);
	long long others = json_integer_value(json_object_get(reply, "others"));

	if (!text)
		return;
	if (!width || width > READABLE)
		width = READABLE;
	put_wrapped(text, width - 1);
	free(text);
	if (others && !args->no_header)
		printf("(%lld more job%s of this array: sfair job -j ID)\n",
		       others, others == 1 ? "" : "s");
}
