/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files in StateSaveLocation that could not be used: the log tells of each, and
 * sfair diag for as long as this slurmctld runs.
 */
#ifndef ASTRA_DAMAGE_H
#define ASTRA_DAMAGE_H

#include "src/common/error.h"

/* Say what cannot be used and what is done instead. */
void astra_damage_tell(const char *fmt, ...)
	__attribute__((format(printf, 1, 2)));

/* Put the file out of the way of the next save, and say where it is. */
void astra_damage_keep(const char *path);

/* Add all that was said to out. */
void astra_damage_warn(struct astra_error *out);

/* Nothing was said. */
void astra_damage_forget(void);

#endif
