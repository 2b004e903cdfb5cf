/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The four utilities f(y) of a cell's rows, and their slopes. Arrays may be
 * read and written up to an even count. */
#ifndef ASTRA_OGAS_VALUE_H
#define ASTRA_OGAS_VALUE_H

#include "src/policies/ogasched/ogasched.h"

/* f(y) of n elements. */
void ogas_values(enum astra_ogas_utility utility, double alpha, const double *y,
		 size_t n, double *out);

/* f'(y) of n elements. */
void ogas_slopes(enum astra_ogas_utility utility, double alpha, const double *y,
		 size_t n, double *out);

#endif
