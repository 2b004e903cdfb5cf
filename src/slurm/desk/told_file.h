/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file of told_state.h: StateSaveLocation/astraea-told. Rounds' thread
 * only. */
#ifndef ASTRA_TOLD_FILE_H
#define ASTRA_TOLD_FILE_H

#include <stdbool.h>

/* Read what an earlier process saved, before the first round. Parts that cannot
 * be used are logged and put aside, and their content is learned again. Only
 * the first call does anything. folder may be NULL: then nothing is kept. Does
 * I/O. */
void astra_told_load(const char *folder);

/* Save changes, at least some seconds after the last save, as slurmctld saves
 * its jobs. Nothing is saved before the file was read. Does I/O. last: no save
 * comes after this one, so it is synced to disk. */
void astra_told_save(bool last);

#endif
