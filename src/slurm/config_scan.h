/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A second look at astraea.conf: Slurm's parser tells neither line nor value
 * of what it refuses, so the file is scanned for keys before, and for the line
 * of a key and value after. Pure but for reading the file.
 */
#ifndef ASTRA_CONFIG_SCAN_H
#define ASTRA_CONFIG_SCAN_H

#include <stdbool.h>

#include "src/common/error.h"

/* Find the last line with key=value: of two that contradict each other that is
 * the later one. Returns its number from 1, or 0 when there is none. */
int astra_conf_line(const char *path, const char *key, const char *value);

/* Whether every key of the file, and of those that it includes, is one that
 * known() accepts.
 * first: the line's first key, e.g. "Pool"; the same as key for the first.
 * Returns 0, or -1 with err naming file, line, key and value. */
int astra_conf_check_keys(const char *path,
			  bool (*known)(const char *first, const char *key),
			  struct astra_error *err);

#endif
