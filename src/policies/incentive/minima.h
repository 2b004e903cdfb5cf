/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The minimum of each column over any range of rows. It is found from two
 * stored rows (a sparse table): level k has the minima of 2^k rows each. Rows
 * are slots. */
#ifndef ASTRA_MINIMA_H
#define ASTRA_MINIMA_H

#include <stddef.h>
#include <stdint.h>

struct astra_minima {
	uint32_t *cells;
	uint32_t rows;
	size_t columns;
};

/* Make a table in which all cells are 0. Returns 0, or -1 when memory is out.
 * Free with astra_minima_clear(). rows > 0. */
int astra_minima_init(struct astra_minima *minima, uint32_t rows,
		      size_t columns);
void astra_minima_clear(struct astra_minima *minima);

/* Return a row of level 0. After writing to it, call build or update. */
static inline uint32_t *astra_minima_row(const struct astra_minima *minima,
					 uint32_t row)
{
	return minima->cells + (size_t)row * minima->columns;
}

/* Call after all rows were written. */
void astra_minima_build(struct astra_minima *minima);

/* Call after rows first … end - 1 of one column were written. */
void astra_minima_update(struct astra_minima *minima, size_t column,
			 uint32_t first, uint32_t end);

/* Two rows: the lesser of their values in each column is the minimum over rows
 * first … first + count - 1. count > 0. */
struct astra_minima_pair {
	const uint32_t *a, *b;
};

struct astra_minima_pair astra_minima_of(const struct astra_minima *minima,
					 uint32_t first, uint32_t count);

static inline uint32_t astra_minima_at(struct astra_minima_pair pair,
				       size_t column)
{
	uint32_t a = pair.a[column], b = pair.b[column];

	return a < b ? a : b;
}

#endif
