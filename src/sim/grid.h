/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A table for people: a head, rows, the first column to the left and the others
 * to the right. */
#ifndef ASTRA_GRID_H
#define ASTRA_GRID_H

#include <stddef.h>
#include <stdio.h>

struct astra_grid {
	size_t columns; /* set before the first cell */
	char **cells;	/* row by row; the first row is the head */
	size_t count, room;
	int failed; /* memory was out; cells are missing */
};

/* Append a cell; text: copied. Control characters become question marks, for a
 * name must not steer the reader's terminal. */
void astra_grid_add(struct astra_grid *grid, const char *text);
void astra_grid_clear(struct astra_grid *grid);

/* In columns of a fixed-width font. What is wider than width goes below, after
 * the first column again; 0: no limit. */
void astra_grid_print(const struct astra_grid *grid, FILE *file, size_t width);

/* As a Markdown table, with what has a meaning there escaped. A cell that ends
 * in '*' is bold instead. */
void astra_grid_markdown(const struct astra_grid *grid, FILE *file);

#endif
