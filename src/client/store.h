/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The newest failure of a store's, for sfair_error(). */
#ifndef SFAIR_STORE_H
#define SFAIR_STORE_H

#include <stddef.h>

/* "" after a call that went well. Returns the length of the whole text. */
size_t sfair_store_error(char *text, size_t size);

#endif
