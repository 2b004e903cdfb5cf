/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/check/stamp.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "astra_stamp.h"

static const char *const stamp_plugins[] = {
	"burst_buffer_astraea.so",
	"job_submit_astraea.so",
	"priority_ltgf.so",
	"sched_astraea.so",
};
#define STAMP_PLUGINS (sizeof(stamp_plugins) / sizeof(stamp_plugins[0]))

struct stamp_paths {
	char path[STAMP_PLUGINS][4096];
};

/* Note the paths of our plugins. The loader's lock is held, so only names are
 * read. */
static int stamp_note(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct stamp_paths *found = arg;
	const char *name = strrchr(info->dlpi_name, '/');

	(void)size;
	for (size_t i = 0; name && i < STAMP_PLUGINS; i++)
		if (!strcmp(name + 1, stamp_plugins[i]))
			snprintf(found->path[i], sizeof(found->path[i]), "%s",
				 info->dlpi_name);
	return 0;
}

static bool stamp_fits(const char *path)
{
	void *plugin = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
	const char *stamp = plugin ? dlsym(plugin, "astra_plugin_stamp") : NULL;
	bool fits = !plugin || (stamp && !strcmp(stamp, ASTRA_STAMP));

	if (plugin)
		dlclose(plugin);
	return fits;
}

int astra_stamp_check(struct astra_error *err)
{
	struct stamp_paths found = {0};

	dl_iterate_phdr(stamp_note, &found);
	for (size_t i = 0; i < STAMP_PLUGINS; i++)
		if (*found.path[i] && !stamp_fits(found.path[i]))
			return astra_error_set(
				err,
				"%s is of another build than libastraea.so",
				stamp_plugins[i]);
	return 0;
}
