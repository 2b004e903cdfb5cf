/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file of one snapshot: a head of 64 bytes and the data. All numbers are
 * little-endian:
 *
 *	 0  8	"SFAIRCP\n"
 *	 8  4	version, 1
 *	12  4	the fence under which it was written
 *	16  8	step
 *	24  8	size of the data
 *	32  4	CRC-32 of the data
 *	36 24	zero
 *	60  4	CRC-32 of the 60 bytes before
 *
 * contrib/python/sfair.py reads and writes the same. No locks.
 */
#ifndef SFAIR_SNAPSHOT_H
#define SFAIR_SNAPSHOT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Returns the checksum of the data. crc: 0, or the checksum of the data that
 * comes before. */
uint32_t sfair_crc(uint32_t crc, const void *data, size_t size);

#define SFAIR_HEAD_SIZE 64

struct sfair_snapshot {
	uint32_t fence;
	uint64_t step;
	uint64_t size;
	uint32_t crc; /* of the data; set by reading and writing */
};

/* Write a snapshot and wait until it is on the disk. fd: an empty file. Returns
 * 0 or an errno. */
int sfair_snapshot_write(int fd, struct sfair_snapshot *head, const void *data);

/* Read the head. Returns 0, EBADMSG if head or file size show that this is not
 * a whole snapshot, or another errno. */
int sfair_snapshot_head(int fd, struct sfair_snapshot *head);

/* Read the data behind the head. *data: owned by the caller, free(). Returns 0,
 * EBADMSG if the data is damaged, or another errno. */
int sfair_snapshot_data(int fd, const struct sfair_snapshot *head, void **data);

/* Write all data at the file's position, in as many calls as it takes. Returns
 * 0 or an errno. */
int sfair_write_all(int fd, const void *data, size_t size);

/* Returns errno, but EIO in place of ESTALE. NFS sets ESTALE when a file is
 * gone, whereas in a store ESTALE means that another run has taken over. */
int sfair_failure(void);

/* Like fsync(), but goes on after a signal. Returns 0 or an errno. */
int sfair_sync(int fd);

#endif
