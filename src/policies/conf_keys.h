/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which keys astraea.conf has, for all that read it. */
#ifndef ASTRA_CONF_KEYS_H
#define ASTRA_CONF_KEYS_H

#include <stdbool.h>

/* Whether a key may stand on a line that begins with first; the same as key
 * for the first. Case does not matter. */
bool astra_conf_known(const char *first, const char *key);

#endif
