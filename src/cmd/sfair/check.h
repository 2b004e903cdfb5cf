/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What sfair check finds. Apart from its arguments, for the plugin's parser and
 * the messages' have types of one name. */
#ifndef SFAIR_CHECK_H
#define SFAIR_CHECK_H

#include <stdbool.h>

#include "src/common/error.h"

/* Check an astraea.conf with the plugin's own parser against the slurm.conf
 * that is loaded, and print what would change.
 * path: NULL: the one beside slurm.conf.
 * Returns 0, or -1 with err naming file, line, key and value. */
int sfair_check_conf(const char *path, bool quiet, struct astra_error *err);

#endif
