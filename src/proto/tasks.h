/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An array's waiting tasks: slurmctld keeps them as a bitmap in hex, users
 * read "1-6,9%2". Pure. */
#ifndef ASTRA_TASKS_H
#define ASTRA_TASKS_H

#include <stddef.h>

/* Write "6_[0x7E%2]" as squeue does, "6_[1-6%2]"; any other text as it is.
 * What does not fit ends in "...", which stands for any more tasks.
 * out: size at least 32. */
void astra_tasks_text(const char *id_text, char *out, size_t size);

#endif
