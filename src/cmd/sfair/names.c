/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "src/cmd/sfair/sfair.h"

int sfair_parse_names(const char *option, const char *text,
		      struct astra_names *out, struct astra_error *err)
{
	for (;; text++) {
		size_t size = strcspn(text, ",");

		if (!size || size > ASTRA_QUERY_NAME_MAX)
			return astra_error_set(
				err,
				"%s: names of 1 to %d characters, separated by commas",
				option, ASTRA_QUERY_NAME_MAX);
		if (out->count == ASTRA_QUERY_NAMES_MAX)
			return astra_error_set(err, "%s: at most %d names",
					       option, ASTRA_QUERY_NAMES_MAX);
		if (astra_names_add(out, text, size) < 0)
			return astra_error_nomem(err);
		text += size;
		if (!*text)
			return 0;
	}
}
