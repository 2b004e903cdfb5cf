/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which keys astraea.conf has, for all its readers. */
#ifndef ASTRA_CONF_KEYS_H
#define ASTRA_CONF_KEYS_H

#include <stdbool.h>

/* Whether a key is allowed on a line whose first key is `first`. To check the
 * first key itself, pass it twice. Keys are not case-sensitive. */
bool astra_conf_known(const char *first, const char *key);

/* Options of earlier releases, ended by NULL. They are ignored with a warning,
 * so that an upgrade does not fail because of an old file. */
extern const char *const astra_conf_gone[];

/* Whether the key is one of astra_conf_gone. Keys are not case-sensitive. */
bool astra_conf_is_gone(const char *key);

#endif
