/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads one pool of an astraea.conf. This is separate from sfair try's other
 * files, as the plugin's parser and the messages have types of the same
 * name. */
#ifndef SFAIR_TRY_FILE_H
#define SFAIR_TRY_FILE_H

#include <stdbool.h>

#include "src/common/error.h"

struct astra_options;

/* Borrowed from config. */
struct sfair_try_file {
	struct astra_config *config; /* NULL: there is no file on this host */
	const char *pool;
	const struct astra_options *options;
	char *const *said;	/* by option: its value as written; NULL: the
				 * default */
	const char *partitions; /* as written */
	unsigned tenant_level;
	bool tenants; /* the file names the tenants: these are not accounts */
};

/* Reads the file with the plugin's own parser. Slurm's configuration must be
 * loaded. path: NULL means the file beside slurm.conf, if there is one. pool:
 * NULL means the only pool. Returns 0, or -1 with err set. out: call
 * sfair_try_file_clear() in both cases. */
int sfair_try_file_read(const char *path, const char *pool,
			struct sfair_try_file *out, struct astra_error *err);

/* Returns the tenant of a job by the file's Tenant lines; NULL if no line names
 * one. */
const char *sfair_try_file_tenant(const struct sfair_try_file *file,
				  const char *account, const char *user);

void sfair_try_file_clear(struct sfair_try_file *file);

#endif
