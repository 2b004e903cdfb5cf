/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A table for people: a head and rows. The first column is aligned left, the
 * others right. */
#ifndef ASTRA_GRID_H
#define ASTRA_GRID_H

#include <stddef.h>
#include <stdio.h>

struct astra_grid {
	size_t columns; /* set before the first cell */
	char **cells;	/* row by row; the first row is the head */
	size_t count, room;
	int failed; /* out of memory: cells are missing */
};

/* Appends a cell; text: copied. Control characters become question marks: a
 * name must not steer the reader's terminal. */
void astra_grid_add(struct astra_grid *grid, const char *text);
void astra_grid_clear(struct astra_grid *grid);

/* Prints columns for a fixed-width font. Columns that do not fit into width
 * follow below, with the first column repeated. width 0: no limit. */
void astra_grid_print(const struct astra_grid *grid, FILE *file, size_t width);

/* Prints a Markdown table, with special characters escaped. A cell that ends in
 * '*' is printed in bold, without the star. */
void astra_grid_markdown(const struct astra_grid *grid, FILE *file);

#endif
