/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sim/scheduler.h"

#include <stdio.h>
#include <string.h>

#include "src/sim/host.h"

#define SCHEDULERS_MAX 64

static size_t scheduler_add_all(const struct astra_scheduler **list,
				size_t count,
				const struct astra_scheduler *const *more)
{
	for (; *more && count < SCHEDULERS_MAX; more++)
		list[count++] = *more;
	return count;
}

const struct astra_scheduler *const *astra_scheduler_all(void)
{
	static const struct astra_scheduler *list[SCHEDULERS_MAX + 1];
	size_t count = scheduler_add_all(list, 0, astra_host_schedulers());

	list[scheduler_add_all(list, count, astra_baselines)] = NULL;
	return list;
}

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
