/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The newest failure of a store, for sfair_error(). */
#ifndef SFAIR_STORE_H
#define SFAIR_STORE_H

#include <stddef.h>

/* Copies the failure's text; "" after a successful call. Returns the length of
 * the whole text. */
size_t sfair_store_error(char *text, size_t size);

#endif
