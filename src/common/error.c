/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/common/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int astra_error_set(struct astra_error *err, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return -1;
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	return -1;
}

void astra_error_add(struct astra_error *err, const char *fmt, ...)
{
	static const char more[] = "; ...";
	size_t length = strlen(err->text), room = sizeof(err->text) - length;
	char text[sizeof(err->text)];
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (n > 0 && (size_t)n + 2 + sizeof(more) <= room)
		snprintf(err->text + length, room, "%s%s", length ? "; " : "",
			 text);
	else if (room >= sizeof(more) &&
		 (length < 5 || strcmp(err->text + length - 5, more) != 0))
		snprintf(err->text + length, room, "%s", more);
}

int astra_error_nomem(struct astra_error *err)
{
	return astra_error_set(err, "out of memory");
}
