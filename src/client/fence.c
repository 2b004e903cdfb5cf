/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/client/fence.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/client/crc.h"

#define TITLE "sfair fence 1\n"

enum sfair_claim sfair_fence_claim(const struct sfair_fence *fence,
				   struct sfair_owner owner)
{
	if (!owner.job)
		return SFAIR_CLAIM_NEW;
	for (unsigned i = 0; i < fence->count; i++) {
		const struct sfair_owner *o = &fence->owners[i];

		if (o->job != owner.job || o->run < owner.run)
			continue;
		return o->run == owner.run && i + 1 == fence->count
			       ? SFAIR_CLAIM_JOIN
			       : SFAIR_CLAIM_STALE;
	}
	return SFAIR_CLAIM_NEW;
}

void sfair_fence_pass(struct sfair_fence *fence, struct sfair_owner owner)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < fence->count; i++)
		if (fence->owners[i].job && fence->owners[i].job != owner.job)
			fence->owners[kept++] = fence->owners[i];
	if (kept == SFAIR_OWNERS) {
		memmove(fence->owners, fence->owners + 1,
			--kept * sizeof(owner));
	}
	fence->owners[kept++] = owner;
	fence->count = kept;
}

size_t sfair_fence_write(const struct sfair_fence *fence,
			 char text[SFAIR_FENCE_SIZE])
{
	int at = snprintf(text, SFAIR_FENCE_SIZE, TITLE "base ");
	size_t room = SFAIR_FENCE_SIZE;

	if (fence->has_base)
		at += snprintf(text + at, room - (size_t)at, "%" PRIu64 "\n",
			       fence->base);
	else
		at += snprintf(text + at, room - (size_t)at, "none\n");
	for (unsigned i = 0; i < fence->count; i++)
		at += snprintf(text + at, room - (size_t)at,
			       "owner %" PRIu32 " %" PRIu32 "\n",
			       fence->owners[i].job, fence->owners[i].run);
	at += snprintf(text + at, room - (size_t)at, "crc %08" PRIx32 "\n",
		       sfair_crc(0, text, (size_t)at));
	return (size_t)at;
}

/* As it was written: no sign, no blanks. */
static int fence_read_number(const char **at, char end, uint64_t most,
			     uint64_t *out)
{
	unsigned long long value;
	char *stop;

	if (!isdigit((unsigned char)**at))
		return -1;
	value = strtoull(*at, &stop, 10);
	if (*stop != end || value > most)
		return -1;
	*out = value;
	*at = stop + 1;
	return 0;
}

static bool fence_skip(const char **at, const char *word)
{
	size_t length = strlen(word);

	if (strncmp(*at, word, length) != 0)
		return false;
	*at += length;
	return true;
}

static int fence_read_owner(const char **at, struct sfair_fence *fence)
{
	uint64_t job, run;

	if (fence->count == SFAIR_OWNERS ||
	    fence_read_number(at, ' ', UINT32_MAX, &job) < 0 ||
	    fence_read_number(at, '\n', UINT32_MAX, &run) < 0)
		return -1;
	fence->owners[fence->count++] =
		(struct sfair_owner){(uint32_t)job, (uint32_t)run};
	return 0;
}

/* The checksum is compared by writing what was read once more. */
int sfair_fence_read(const char *text, size_t size, struct sfair_fence *fence)
{
	char again[SFAIR_FENCE_SIZE], copy[SFAIR_FENCE_SIZE];
	struct sfair_fence read = {0};
	const char *at = copy;

	if (size >= sizeof(copy))
		return -1;
	memcpy(copy, text, size);
	copy[size] = '\0';
	if (!fence_skip(&at, TITLE "base "))
		return -1;
	if (!fence_skip(&at, "none\n")) {
		read.has_base = true;
		if (fence_read_number(&at, '\n', UINT64_MAX, &read.base) < 0)
			return -1;
	}
	while (fence_skip(&at, "owner "))
		if (fence_read_owner(&at, &read) < 0)
			return -1;
	if (!read.count || sfair_fence_write(&read, again) != size ||
	    memcmp(again, copy, size) != 0)
		return -1;
	*fence = read;
	return 0;
}
