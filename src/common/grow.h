/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Growable arrays, without hidden typedefs: a pointer, a count, a room. */
#ifndef ASTRA_GROW_H
#define ASTRA_GROW_H

#include <stddef.h>

/* Make room for at least `need` elements of `size` bytes. array: the address of
 * the array's pointer. Contents are kept and new elements zeroed. Free the
 * array with free(). room: number of elements, updated. Returns 0, or -1 when
 * memory is out; then nothing has changed. */
int astra_grow(void *array, size_t *room, size_t need, size_t size);

#endif
