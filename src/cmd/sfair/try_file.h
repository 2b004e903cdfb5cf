/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What astraea.conf says of one pool. Apart from sfair try's other parts, as
 * the plugin's parser and the messages have types of one name. */
#ifndef SFAIR_TRY_FILE_H
#define SFAIR_TRY_FILE_H

#include <stdbool.h>

#include "src/common/error.h"

struct astra_options;

/* Borrowed of config. */
struct sfair_try_file {
	struct astra_config *config; /* NULL: there is no file on this host */
	const char *pool;
	const struct astra_options *options;
	char *const *said;	/* by option, as it is written; NULL: default */
	const char *partitions; /* as written */
	unsigned tenant_level;
	bool tenants; /* it names them: they are not accounts */
};

/* Read it with the plugin's own parser; Slurm's configuration is loaded.
 * path: NULL: the one beside slurm.conf, if there is any.
 * pool: NULL: the only one.
 * Returns 0, or -1 with err set. out: sfair_try_file_clear(), either way. */
int sfair_try_file_read(const char *path, const char *pool,
			struct sfair_try_file *out, struct astra_error *err);

/* Whose job it is by the file's Tenant lines; NULL: nobody's of them. */
const char *sfair_try_file_tenant(const struct sfair_try_file *file,
				  const char *account, const char *user);

void sfair_try_file_clear(struct sfair_try_file *file);

#endif
