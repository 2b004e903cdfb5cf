/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/common/error.h"

#include <stdarg.h>
#include <stdio.h>

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

int astra_error_nomem(struct astra_error *err)
{
	return astra_error_set(err, "out of memory");
}
