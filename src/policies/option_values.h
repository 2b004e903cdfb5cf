/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parsers for the values of options. All return 0, or -1 with err naming what
 * is valid; out is then untouched. */
#ifndef ASTRA_OPTION_VALUES_H
#define ASTRA_OPTION_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/policies/options.h"

/* Parsers for the member `parse` of an option's row. A parser writes the member
 * of struct astra_options that the row sets. */
astra_option_parser astra_option_seconds;
astra_option_parser astra_option_auto; /* as astra_option_seconds; "auto" gives
					* -1 */
astra_option_parser astra_option_bool;
astra_option_parser astra_option_count; /* a whole number */
/* A number of GPUs, or "quota" or "none": ASTRA_GPUS_QUOTA, ASTRA_GPUS_NONE. */
astra_option_parser astra_option_gpus;
astra_option_parser astra_option_number; /* from row->least to row->most */
astra_option_parser astra_option_word;	 /* the word's index in row->words */
astra_option_parser astra_option_flag;	 /* one of two words, as a bool */

int astra_parse_bool(bool *out, const char *text, struct astra_error *err);
int astra_parse_number(double *out, double min, double max, const char *text,
		       struct astra_error *err);

#endif
