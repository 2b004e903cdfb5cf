/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the values in the fields of a trace. */
#ifndef ASTRA_FIELD_H
#define ASTRA_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/sim/trace.h"

enum astra_field_result {
	ASTRA_FIELD_OK,
	ASTRA_FIELD_NONE, /* the text is empty, or a word for unknown */
	ASTRA_FIELD_BAD,
};

/* Reads a finite decimal number, at most 1e15 in size. */
enum astra_field_result astra_field_number(const char *text, double *value);

/* Reads a number from 0 to 1e6, rounded up to a whole one. part: set to whether
 * the number was rounded. */
enum astra_field_result astra_field_count(const char *text, uint32_t *value,
					  bool *part);

/* Reads a time span: seconds, or as Slurm writes spans: [DAYS-]HH:MM:SS, MM:SS,
 * DAYS-HH[:MM]. "UNLIMITED" is ASTRA_FIELD_NONE. */
enum astra_field_result astra_field_span(const char *text, double *sec);

/* Reads a point in time: either seconds as the source counts them, or
 * YYYY-MM-DDTHH:MM:SS as sacct prints local time. The latter gives seconds
 * since 1970. */
enum astra_field_result astra_field_time(const char *text, double *sec);

/* Reads the count of GPUs from Slurm's list of TRES: gres/gpu=N, or else the
 * sum of gres/gpu:TYPE=N. A list without GPUs gives 0; an empty list gives
 * ASTRA_FIELD_NONE. */
enum astra_field_result astra_field_tres(const char *text, uint32_t *gpus);

/* Reads slowdowns by level, with the syntax of astra_stated_slowdown(). */
enum astra_field_result astra_field_profile(const char *text, char mark,
					    struct astra_profile *profile);

/* Reads a utility by hours, with the syntax of astra_stated_utility(). */
enum astra_field_result astra_field_utility(const char *text,
					    struct astra_utility *utility);

/* Cuts a line into at most `room` fields. quotes: a field in double quotes may
 * contain the separator, and "" stands for a quote in it. Returns the count of
 * fields in the line, which may exceed room; 0: a quote is not closed. */
size_t astra_field_split(char *line, char separator, bool quotes, char **fields,
			 size_t room);

#endif
