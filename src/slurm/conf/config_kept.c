/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/conf/config_kept.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/common/conf_scan.h"
#include "src/slurm/compat/compat.h"

static bool copy_file(const char *path, const char *copy)
{
	FILE *to = fopen(copy, "we");
	bool good = to && fchmod(fileno(to), 0600) == 0 &&
		    astra_conf_copy(path, to, NULL) == 0 && !ferror(to);

	if (to && fclose(to))
		good = false;
	return good;
}

static bool is_configured(const char *name)
{
	slurm_conf_partition_t **parts;
	int count = slurm_conf_partition_array(&parts);

	for (int i = 0; i < count; i++)
		if (!xstrcmp(parts[i]->name, name))
			return true;
	return false;
}

bool astra_config_part_exists(char *name, const void *arg)
{
	(void)arg;
	return part_list ? find_part_record(name) != NULL : is_configured(name);
}

int astra_config_check_site(const struct astra_config *config,
			    struct astra_error *err)
{
	return astra_config_check_partitions(config, astra_config_part_exists,
					     NULL, err);
}

static bool is_good(const char *path)
{
	const slurmctld_lock_t locks = {.part = READ_LOCK};
	struct astra_error err = {""};
	struct astra_config *config = astra_config_read(path, &err);
	bool good;

	if (!config)
		return false;
	lock_slurmctld(locks);
	good = astra_config_check_site(config, &err) == 0;
	unlock_slurmctld(locks);
	astra_config_destroy(config);
	return good;
}

void astra_config_keep(const char *path, const char *folder)
{
	char kept[PATH_MAX], fresh[PATH_MAX];

	snprintf(kept, sizeof(kept), "%s/" ASTRA_CONFIG_KEPT, folder);
	snprintf(fresh, sizeof(fresh), "%s/" ASTRA_CONFIG_KEPT ".new", folder);
	if (!copy_file(path, fresh) || !is_good(fresh) || rename(fresh, kept))
		(void)unlink(fresh);
}

struct astra_config *astra_config_kept(const char *path, const char *folder,
				       time_t *since)
{
	struct astra_error err = {""};
	char kept[PATH_MAX];
	struct stat st;

	snprintf(kept, sizeof(kept), "%s/" ASTRA_CONFIG_KEPT, folder);
	if (access(path, F_OK) < 0 && !getenv("SLURMCTLD_RECONF"))
		return NULL;
	if (stat(kept, &st) < 0)
		return NULL;
	*since = st.st_mtime;
	return astra_config_read(kept, &err);
}
