/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files in StateSaveLocation that could not be used. The log names each one,
 * and so does sfair diag for as long as this slurmctld runs. */
#ifndef ASTRA_DAMAGE_H
#define ASTRA_DAMAGE_H

#include "src/common/error.h"

/* Report which file cannot be used, and what is done instead. */
void astra_damage_tell(const char *fmt, ...)
	__attribute__((format(printf, 1, 2)));

/* Put a file aside, so that the next save does not overwrite it, and report its
 * new name. */
void astra_damage_keep(const char *path);

/* Add all reports to out. */
void astra_damage_warn(struct astra_error *out);

/* Forget all reports. */
void astra_damage_forget(void);

#endif
