/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/common/grow.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int astra_grow(void *array, size_t *room, size_t need, size_t size)
{
	void *old, *grown;
	size_t want = *room ? *room : 16;

	if (need <= *room)
		return 0;
	while (want < need) {
		if (want > SIZE_MAX / 2)
			return -1;
		want *= 2;
	}
	if (want > SIZE_MAX / size)
		return -1;
	memcpy(&old, array, sizeof(old));
	grown = realloc(old, want * size);
	if (!grown)
		return -1;
	memset((char *)grown + *room * size, 0, (want - *room) * size);
	memcpy(array, &grown, sizeof(grown));
	*room = want;
	return 0;
}
