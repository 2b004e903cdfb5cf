/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/client/snapshot.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define POLYNOMIAL UINT32_C(0xedb88320)
#define STRIDE 16 /* bytes per step */

/* [k][b]: the checksum of byte b followed by k bytes of zero */
static uint32_t table[STRIDE][256];

static void crc_fill_table(void)
{
	for (uint32_t b = 0; b < 256; b++) {
		uint32_t crc = b;

		for (int bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ POLYNOMIAL : crc >> 1;
		table[0][b] = crc;
	}
	for (int k = 1; k < STRIDE; k++)
		for (int b = 0; b < 256; b++)
			table[k][b] = table[k - 1][b] >> 8 ^
				      table[0][table[k - 1][b] & 255];
}

uint32_t sfair_crc(uint32_t crc, const void *data, size_t size)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	const uint8_t *p = data;

	pthread_once(&once, crc_fill_table);
	crc = ~crc;
	for (; size >= STRIDE; size -= STRIDE, p += STRIDE) {
		uint32_t next = table[STRIDE - 1][p[0] ^ (crc & 255)] ^
				table[STRIDE - 2][p[1] ^ (crc >> 8 & 255)] ^
				table[STRIDE - 3][p[2] ^ (crc >> 16 & 255)] ^
				table[STRIDE - 4][p[3] ^ crc >> 24];

#pragma GCC unroll 12
		for (int k = 4; k < STRIDE; k++)
			next ^= table[STRIDE - 1 - k][p[k]];
		crc = next;
	}
	while (size--)
		crc = crc >> 8 ^ table[0][(crc ^ *p++) & 255];
	return ~crc;
}

#define MAGIC "SFAIRCP\n"
#define VERSION 1
#define CHUNK ((size_t)1 << 20) /* stays in a cache between two uses */

static void snapshot_put(uint8_t *at, int bytes, uint64_t value)
{
	for (int i = 0; i < bytes; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

static uint64_t get(const uint8_t *at, int bytes)
{
	uint64_t value = 0;

	for (int i = 0; i < bytes; i++)
		value |= (uint64_t)at[i] << 8 * i;
	return value;
}

static void snapshot_encode(uint8_t bytes[SFAIR_HEAD_SIZE],
			    const struct sfair_snapshot *head)
{
	memset(bytes, 0, SFAIR_HEAD_SIZE);
	memcpy(bytes, MAGIC, 8);
	snapshot_put(bytes + 8, 4, VERSION);
	snapshot_put(bytes + 12, 4, head->fence);
	snapshot_put(bytes + 16, 8, head->step);
	snapshot_put(bytes + 24, 8, head->size);
	snapshot_put(bytes + 32, 4, head->crc);
	snapshot_put(bytes + 60, 4, sfair_crc(0, bytes, 60));
}

int sfair_failure(void)
{
	return errno == ESTALE ? EIO : errno;
}

int sfair_write_all(int fd, const void *data, size_t size)
{
	const char *at = data;

	while (size) {
		ssize_t n = write(fd, at, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? sfair_failure() : EIO;
		at += n;
		size -= (size_t)n;
	}
	return 0;
}

static int sfair_read_all(int fd, void *data, size_t size, off_t at)
{
	char *to = data;

	while (size) {
		ssize_t n = pread(fd, to, size, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? sfair_failure() : EBADMSG;
		to += n;
		at += n;
		size -= (size_t)n;
	}
	return 0;
}

int sfair_sync(int fd)
{
	while (fsync(fd) < 0)
		if (errno != EINTR)
			return sfair_failure();
	return 0;
}

static size_t chunk(uint64_t left)
{
	return left < CHUNK ? (size_t)left : CHUNK;
}

/* Writes the head last, when the checksum is known. Until then the file is not
 * a valid snapshot. */
int sfair_snapshot_write(int fd, struct sfair_snapshot *head, const void *data)
{
	uint8_t bytes[SFAIR_HEAD_SIZE] = {0};
	int rc = sfair_write_all(fd, bytes, sizeof(bytes));
	const char *from = data;

	head->crc = 0;
	for (uint64_t at = 0; !rc && at < head->size; at += CHUNK) {
		size_t size = chunk(head->size - at);

		head->crc = sfair_crc(head->crc, from + at, size);
		rc = sfair_write_all(fd, from + at, size);
	}
	snapshot_encode(bytes, head);
	if (!rc && lseek(fd, 0, SEEK_SET) < 0)
		rc = errno;
	if (!rc)
		rc = sfair_write_all(fd, bytes, sizeof(bytes));
	return rc ? rc : sfair_sync(fd);
}

int sfair_snapshot_head(int fd, struct sfair_snapshot *head)
{
	uint8_t bytes[SFAIR_HEAD_SIZE], again[SFAIR_HEAD_SIZE];
	struct stat st;
	int rc;

	if (fstat(fd, &st) < 0)
		return sfair_failure();
	if (!S_ISREG(st.st_mode))
		return EBADMSG;
	rc = sfair_read_all(fd, bytes, sizeof(bytes), 0);
	if (rc)
		return rc;
	*head = (struct sfair_snapshot){
		.fence = (uint32_t)get(bytes + 12, 4),
		.step = get(bytes + 16, 8),
		.size = get(bytes + 24, 8),
		.crc = (uint32_t)get(bytes + 32, 4),
	};
	snapshot_encode(again, head);
	if (memcmp(bytes, again, sizeof(bytes)) != 0 ||
	    head->size != (uint64_t)st.st_size - SFAIR_HEAD_SIZE)
		return EBADMSG;
	return 0;
}

int sfair_snapshot_data(int fd, const struct sfair_snapshot *head, void **data)
{
	uint32_t crc = 0;
	int rc = 0;
	char *to;

	if (head->size > SIZE_MAX / 2)
		return EFBIG;
	to = malloc(head->size ? (size_t)head->size : 1);
	if (!to)
		return ENOMEM;
	for (uint64_t at = 0; !rc && at < head->size; at += CHUNK) {
		size_t size = chunk(head->size - at);

		rc = sfair_read_all(fd, to + at, size,
				    (off_t)(SFAIR_HEAD_SIZE + at));
		crc = sfair_crc(crc, to + at, size);
	}
	if (!rc && crc != head->crc)
		rc = EBADMSG;
	if (rc)
		free(to);
	else
		*data = to;
	return rc;
}
