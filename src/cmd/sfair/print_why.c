/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/cmd/sfair/sfair.h"

#define READABLE 80

void sfair_put_wrapped(const char *text)
{
	size_t width = sfair_terminal_width(), at = 0;

	if (!width || width > READABLE)
		width = READABLE;
	width--;

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
	char *text = sfair_cell(SFAIR_TEXT, json_object_get(reply, "text"),
				args->unit, 0);
	long long others = json_integer_value(json_object_get(reply, "others"));

	if (!text)
		return;
	sfair_put_wrapped(text);
	free(text);
	if (others && !args->no_header)
		printf("(%lld more job%s of this array: sfair job -j ID)\n",
		       others, others == 1 ? "" : "s");
}
