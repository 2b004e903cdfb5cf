/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The values that fields of a trace have. */
#ifndef ASTRA_FIELD_H
#define ASTRA_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/sim/trace.h"

enum astra_field_result {
	ASTRA_FIELD_OK,
	ASTRA_FIELD_NONE, /* "", or a word for unknown */
	ASTRA_FIELD_BAD,
};

/* A decimal number, no infinity and the like, at most 1e15 in size. */
enum astra_field_result astra_field_number(const char *text, double *value);

/* A whole number from 0 to 1e6; what lies between two counts as the upper one.
 * part: whether it did. */
enum astra_field_result astra_field_count(const char *text, uint32_t *value,
					  bool *part);

/* A time span of seconds, or of minutes and so on as Slurm writes it:
 * [DAYS-]HH:MM:SS, MM:SS, DAYS-HH[:MM]. "UNLIMITED" is none. */
enum astra_field_result astra_field_span(const char *text, double *sec);

/* A point in time: seconds from where the source counts, or
 * YYYY-MM-DDTHH:MM:SS, which is local time as sacct prints it, in seconds from
 * 1970. */
enum astra_field_result astra_field_time(const char *text, double *sec);

/* The GPUs in Slurm's list of TRES: gres/gpu=N, else the sum of
 * gres/gpu:TYPE=N. A list without any is 0, an empty one none. */
enum astra_field_result astra_field_tres(const char *text, uint32_t *gpus);

/* Slowdowns by level, as astra_stated_slowdown() has them. */
enum astra_field_result astra_field_profile(const char *text, char mark,
					    struct astra_profile *profile);

/* A utility of hours, as astra_stated_utility() has it. */
enum astra_field_result astra_field_utility(const char *text,
					    struct astra_utility *utility);

/* Cut a line into its fields, at most `room`. Where quotes is set, a field in
 * double quotes may have the separator in it, and "" for a quote.
 * Returns how many there are, which may be more; 0: a quote is not closed. */
size_t astra_field_split(char *line, char separator, bool quotes, char **fields,
			 size_t room);

#endif
