/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Growable arrays, without hidden typedefs: a pointer, a count, a room. */
#ifndef ASTRA_GROW_H
#define ASTRA_GROW_H

#include <stddef.h>

/* Make room for at least `need` elements of `size` bytes.
 * array: the address of the array's pointer; contents are kept, the new
 *   part is zeroed. Free the array with free().
 * room: the number of elements it has room for, updated.
 * Returns 0, or -1 when out of memory; then nothing has changed.
 */
int astra_grow(void *array, size_t *room, size_t need, size_t size);

#endif
