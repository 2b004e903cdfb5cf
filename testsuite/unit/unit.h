/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmocka with what it wants included before it. */
#ifndef ASTRA_UNIT_H
#define ASTRA_UNIT_H

/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
/* clang-format on */

#define ASTRA_COUNT_OF(array) (sizeof(array) / sizeof(*(array)))

#endif
