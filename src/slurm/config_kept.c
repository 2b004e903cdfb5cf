/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/config_kept.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "src/common/conf_scan.h"
#include "src/slurm/compat.h"

/* No pool's state file has a name without a dot. */
#define KEPT "astraea-conf"
#define CHUNK 4096

static bool copy_text(FILE *from, FILE *to)
{
	char chunk[CHUNK];
	size_t got;

	while ((got = fread(chunk, 1, sizeof(chunk), from)))
		if (fwrite(chunk, 1, got, to) != got)
			return false;
	return !ferror(from);
}

static bool copy_file(const char *path, const char *copy)
{
	FILE *from = astra_conf_open(path, NULL);
	FILE *to = from ? fopen(copy, "we") : NULL;
	bool good = to && copy_text(from, to);

	if (from)
		fclose(from);
	if (to && fclose(to))
		good = false;
	return good;
}

static bool is_good(const char *path)
{
	struct astra_error err = {""};
	struct astra_config *config = astra_config_read(path, &err);

	astra_config_destroy(config);
	return config != NULL;
}

void astra_config_keep(const char *path, const char *folder)
{
	char kept[PATH_MAX], fresh[PATH_MAX];

	if (!ASTRA_RECONFIGURE_REPLACES)
		return;
	snprintf(kept, sizeof(kept), "%s/" KEPT, folder);
	snprintf(fresh, sizeof(fresh), "%s/" KEPT ".new", folder);
	if (!copy_file(path, fresh) || !is_good(fresh) || rename(fresh, kept))
		(void)unlink(fresh);
}

struct astra_config *astra_config_kept(const char *folder)
{
	struct astra_error err = {""};
	char kept[PATH_MAX];

	if (!ASTRA_RECONFIGURE_REPLACES || !getenv("SLURMCTLD_RECONF"))
		return NULL;
	snprintf(kept, sizeof(kept), "%s/" KEPT, folder);
	return astra_config_read(kept, &err);
}
