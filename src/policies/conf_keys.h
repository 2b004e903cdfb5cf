/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which keys astraea.conf has, for all its readers. */
#ifndef ASTRA_CONF_KEYS_H
#define ASTRA_CONF_KEYS_H

#include <stdbool.h>

/* Whether a key may be on a line whose first key is `first`. For the first key
 * itself pass it twice. Case does not matter. */
bool astra_conf_known(const char *first, const char *key);

#endif
