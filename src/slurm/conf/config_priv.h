/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files that read astraea.conf. */
#ifndef ASTRA_CONFIG_PRIV_H
#define ASTRA_CONFIG_PRIV_H

#include "src/slurm/compat/compat.h"
#include "src/slurm/conf/config.h"

/* Return a copy of a key's value, for free(), or NULL. */
char *astra_conf_text(const s_p_hashtbl_t *table, const char *key);

/* Put file, line, key and value before the text in err. Returns -1. */
int astra_conf_blame(const char *path, const char *key, const char *value,
		     struct astra_error *err);

/* Add a warning for each key that this release ignores, and for each that
 * occurs twice in a line or in the file. Does I/O. */
void astra_conf_warn_keys(const char *path, struct astra_error *out);

/* Split a text at its commas. Returns 0, or -1 when memory is out. */
int astra_names_split(const char *text, struct astra_config_names *out);

/* Read TenantLevel= and the Tenant= lines into config. A name in two of the
 * lines adds a warning to config. Returns 0, or -1 with err set. */
int astra_conf_tenants(const s_p_hashtbl_t *table, const char *path,
		       struct astra_config *config, struct astra_error *err);

#endif
