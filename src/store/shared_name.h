/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names in /dev/shm. Anybody can make files there first, so a name has a random
 * part that nobody can guess. That part is kept in the state's folder. */
#ifndef ASTRA_SHARED_NAME_H
#define ASTRA_SHARED_NAME_H

#include <stdbool.h>

#define ASTRA_SHARED_NAME_FILE "astraea-shared" /* pools: astraea.POOL */
#define ASTRA_SHARED_NAME_SIZE 40

enum astra_shared_name {
	ASTRA_SHARED_BOX,
	ASTRA_SHARED_REFUGE, /* has a random part of its own */
};

/* Returns in out the part of a name that differs between clusters. That is the
 * random part. If none was ever made, it is the folder's device and inode,
 * which others can find out. Does I/O.
 * folder: StateSaveLocation. */
void astra_shared_name(const char *folder, enum astra_shared_name which,
		       char out[ASTRA_SHARED_NAME_SIZE]);

/* Renames a file that an earlier release left in /dev/shm, PREFIX<device and
 * inode>SUFFIX, to PREFIX<random part>SUFFIX. If there is such a file, the
 * earlier release ran last. So it replaces a file that has the new name
 * already. Does I/O. */
void astra_shared_name_adopt(const char *folder, enum astra_shared_name which,
			     const char *prefix, const char *suffix);

/* Makes the random parts, unless they exist.
 * anew: make new ones in any case, as somebody has found out a name and taken
 * it.
 * Returns 0, or -1 if they cannot be made or saved. */
int astra_shared_name_make(const char *folder, bool anew);

#endif
