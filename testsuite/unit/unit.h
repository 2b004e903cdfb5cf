/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmocka with what it wants included before it. */
#ifndef ASTRA_UNIT_H
#define ASTRA_UNIT_H

/* clang-format off */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
/* clang-format on */

/* Two numbers that are equal but for rounding; infinite ones, if both are. */
#define assert_close(a, b, tolerance)                                     \
	do {                                                              \
		double close_a = (a), close_b = (b);                      \
		double close_most = (tolerance)*fmax(                     \
			1, fmax(fabs(close_a), fabs(close_b)));           \
                                                                          \
		if (close_a != close_b &&                                 \
		    !(fabs(close_a - close_b) <= close_most))             \
			fail_msg("%.17g is not %.17g", close_a, close_b); \
	} while (0)

#define ASTRA_COUNT_OF(array) (sizeof(array) / sizeof(*(array)))

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define UNIT_CHECKED 1
#else
#define UNIT_CHECKED 0
#endif

/* So many of `count` draws: a sanitizer, under which each takes five to twenty
 * times as long, looks at the first eighth. ASTRAEA_ALL asks for all. */
static inline unsigned draws(unsigned count)
{
	return UNIT_CHECKED && !getenv("ASTRAEA_ALL") ? (count + 7) / 8 : count;
}

/* Skips a test under a sanitizer: it would take a minute there, and shorter
 * ones run the same code. */
static inline void skip_if_checked(void)
{
	if (UNIT_CHECKED && !getenv("ASTRAEA_ALL"))
		skip();
}

#endif
