/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names in /dev/shm, where anybody can make a file first: so they have a part
 * that nobody can know before, which is kept in the folder of the state. */
#ifndef ASTRA_SHARED_NAME_H
#define ASTRA_SHARED_NAME_H

#include <stdbool.h>

#define ASTRA_SHARED_NAME_FILE "astraea-shared" /* a pool's: astraea.POOL */
#define ASTRA_SHARED_NAME_SIZE 40

enum astra_shared_name {
	ASTRA_SHARED_BOX,
	ASTRA_SHARED_REFUGE, /* with a part of its own */
};

/* That part of a cluster's name. Where it was never made, the folder's device
 * and inode, which others can know. Does I/O.
 * folder: StateSaveLocation. */
void astra_shared_name(const char *folder, enum astra_shared_name which,
		       char out[ASTRA_SHARED_NAME_SIZE]);

/* What an earlier release has left in /dev/shm, where the folder's device and
 * inode made the name between prefix and suffix, is from now on what that part
 * of the name belongs to. Where there is one, that release ran last. Does I/O.
 */
void astra_shared_name_adopt(const char *folder, enum astra_shared_name which,
			     const char *prefix, const char *suffix);

/* Make it, unless it is there.
 * anew: somebody has found it out and taken the name; make another.
 * Returns 0, or -1 when it can't be made or kept. */
int astra_shared_name_make(const char *folder, bool anew);

#endif
