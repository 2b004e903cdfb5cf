/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file of told_state.h: StateSaveLocation/astraea-told. The thread of the
 * rounds only. */
#ifndef ASTRA_TOLD_FILE_H
#define ASTRA_TOLD_FILE_H

#include <stdbool.h>

/* Before the first round of a process: read what one before it saved. What
 * cannot be used is told in the log, kept aside and learned anew. Does nothing
 * the next time. folder: NULL: nothing is kept. Does I/O. */
void astra_told_load(const char *folder);

/* Save what has changed, some seconds after the last time at the earliest, as
 * slurmctld saves its jobs. Nothing is saved before it was read. Does I/O.
 * last: nothing comes after this, so it has to be on the disk. */
void astra_told_save(bool last);

#endif
