/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sim/scheduler.h"

#include <stdio.h>
#include <string.h>

static void no_scheduler(const char *name, struct astra_error *err)
{
	const struct astra_scheduler *const *s = astra_scheduler_all();

	astra_error_set(err, "there is no policy %.64s; there are %s", name,
			(*s)->name);
	for (s++; *s; s++) {
		size_t used = strlen(err->text);

		snprintf(err->text + used, sizeof(err->text) - used, ", %s",
			 (*s)->name);
	}
}

const struct astra_scheduler *astra_scheduler_find(const char *name,
						   struct astra_error *err)
{
	const struct astra_scheduler *const *s = astra_scheduler_all();

	for (; *s; s++)
		if (!strcmp((*s)->name, name))
			return *s;
	if (err)
		no_scheduler(name, err);
	return NULL;
}
