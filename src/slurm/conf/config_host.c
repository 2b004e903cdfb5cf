/* SPDX-License-Identifier: GPL-2.0-or-later */
/* astraea.conf against the host where it is checked, which need not be
 * slurmctld's. */
#include <ctype.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "src/slurm/conf/config_priv.h"

static void host_warn_folder(const char *key, const char *path,
			     struct astra_error *out)
{
	const char *slash = path ? strrchr(path, '/') : NULL;
	struct stat st;
	char *folder;

	if (!slash || slash == path)
		return;
	folder = strndup(path, (size_t)(slash - path));
	if (folder && (stat(folder, &st) < 0 || !S_ISDIR(st.st_mode)))
		astra_error_add(out,
				"%s=%s: there is no folder %s on this host: "
				"slurmctld's needs one",
				key, path, folder);
	free(folder);
}

static void host_warn_users(const struct astra_tenant_config *tenant,
			    struct astra_error *out)
{
	for (size_t i = 0; i < tenant->users.count; i++) {
		const char *name = tenant->users.name[i];

		if (!isdigit((unsigned char)*name) && !getpwnam(name))
			astra_error_add(out,
					"Tenant=%s: Users=%s: there is no such "
					"user on this host",
					tenant->name, name);
	}
}

void astra_config_warn_host(const struct astra_config *config,
			    struct astra_error *out)
{
	host_warn_folder("Socket", config->socket, out);
	if (config->history)
		host_warn_folder("HistoryFile", config->history_file, out);
	for (size_t i = 0; i < config->tenant_count; i++)
		host_warn_users(&config->tenants[i], out);
}
