/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policies/incentive/minima.h"

#include <stdlib.h>

/* Return the largest k with 2^k <= n; n > 0. */
static uint32_t log2_floor(uint32_t n)
{
	return 31 - (uint32_t)__builtin_clz(n);
}

static uint32_t *cell_row(const struct astra_minima *m, uint32_t level,
			  uint32_t row)
{
	return m->cells + ((size_t)level * m->rows + row) * m->columns;
}

int astra_minima_init(struct astra_minima *m, uint32_t rows, size_t columns)
{
	size_t levels = log2_floor(rows) + 1;

	*m = (struct astra_minima){.rows = rows, .columns = columns};
	m->cells = calloc(levels * rows * columns + 1, sizeof(*m->cells));
	return m->cells ? 0 : -1;
}

void astra_minima_clear(struct astra_minima *m)
{
	free(m->cells);
	*m = (struct astra_minima){0};
}

void astra_minima_build(struct astra_minima *m)
{
	for (uint32_t k = 1, half = 1; 2 * half <= m->rows; k++, half *= 2) {
		for (uint32_t r = 0; r + 2 * half <= m->rows; r++) {
			const struct astra_minima_pair below = {
				cell_row(m, k - 1, r),
				cell_row(m, k - 1, r + half),
			};
			uint32_t *out = cell_row(m, k, r);

			for (size_t c = 0; c < m->columns; c++)
				out[c] = astra_minima_at(below, c);
		}
	}
}

void astra_minima_update(struct astra_minima *m, size_t column, uint32_t first,
			 uint32_t end)
{
	for (uint32_t k = 1, half = 1; 2 * half <= m->rows; k++, half *= 2) {
		uint32_t reach = 2 * half - 1;
		uint32_t r = first > reach ? first - reach : 0;

		for (; r < end && r + 2 * half <= m->rows; r++) {
			const struct astra_minima_pair below = {
				cell_row(m, k - 1, r),
				cell_row(m, k - 1, r + half),
			};

			cell_row(m, k, r)[column] =
				astra_minima_at(below, column);
		}
	}
}

struct astra_minima_pair astra_minima_of(const struct astra_minima *m,
					 uint32_t first, uint32_t count)
{
	uint32_t k = log2_floor(count);

	return (struct astra_minima_pair){
		cell_row(m, k, first),
		cell_row(m, k, first + count - (1u << k)),
	};
}
