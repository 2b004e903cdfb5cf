/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which keys astraea.conf has, for all its readers. */
#ifndef ASTRA_CONF_KEYS_H
#define ASTRA_CONF_KEYS_H

#include <stdbool.h>

/* Whether a key may be on a line whose first key is `first`. For the first key
 * itself pass it twice. Case does not matter. */
bool astra_conf_known(const char *first, const char *key);

/* Options of earlier releases, ended by NULL. They are known, and ignored with
 * a warning, so that an upgrade does not stop at an old file. */
extern const char *const astra_conf_gone[];

/* Whether the key is one of astra_conf_gone. Case does not matter. */
bool astra_conf_is_gone(const char *key);

#endif
