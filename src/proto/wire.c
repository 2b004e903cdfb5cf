/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/proto/wire.h"

#include <string.h>

static const char *const fault_names[] = {
	[ASTRA_FAULT_NONE] = "none",
	[ASTRA_FAULT_MALFORMED] = "malformed",
	[ASTRA_FAULT_VERSION] = "version",
	[ASTRA_FAULT_AUTH] = "auth",
	[ASTRA_FAULT_DENIED] = "denied",
	[ASTRA_FAULT_NOT_FOUND] = "not_found",
	[ASTRA_FAULT_STALE] = "stale",
	[ASTRA_FAULT_TOO_LARGE] = "too_large",
	[ASTRA_FAULT_RATE] = "rate",
	[ASTRA_FAULT_BUSY] = "busy",
	[ASTRA_FAULT_TIMEOUT] = "timeout",
	[ASTRA_FAULT_NO_DATA] = "no_data",
	[ASTRA_FAULT_INTERNAL] = "internal",
};

const char *astra_fault_name(enum astra_fault fault)
{
	return fault_names[fault];
}

enum astra_fault astra_fault_find(const char *name)
{
	for (size_t i = 0; i < sizeof(fault_names) / sizeof(*fault_names); i++)
		if (!strcmp(name, fault_names[i]))
			return (enum astra_fault)i;
	return ASTRA_FAULT_INTERNAL;
}

void astra_frame_write(uint8_t head[ASTRA_FRAME_HEAD], size_t size)
{
	for (int i = 0; i < ASTRA_FRAME_HEAD; i++)
		head[i] = (uint8_t)(size >> (8 * (ASTRA_FRAME_HEAD - 1 - i)));
}

size_t astra_frame_read(const uint8_t head[ASTRA_FRAME_HEAD])
{
	size_t size = 0;

	for (int i = 0; i < ASTRA_FRAME_HEAD; i++)
		size = size << 8 | head[i];
	return size;
}
