/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parsers for the kinds of values of options. All return 0, or -1 with err
 * saying what is valid and out untouched. */
#ifndef ASTRA_OPTION_VALUES_H
#define ASTRA_OPTION_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/policies/options.h"

/* For the member parse of an option's row; they write what the row sets. */
astra_option_parser astra_option_seconds;
astra_option_parser astra_option_auto; /* likewise, or auto: -1 */
astra_option_parser astra_option_bool;
astra_option_parser astra_option_count; /* a whole number */
/* A number of GPUs, or quota or none: ASTRA_GPUS_QUOTA, ASTRA_GPUS_NONE. */
astra_option_parser astra_option_gpus;
astra_option_parser astra_option_number; /* from row->least to row->most */
astra_option_parser astra_option_word;	 /* its index in row->words */
astra_option_parser astra_option_flag;	 /* one of two words, as a bool */

int astra_parse_bool(bool *out, const char *text, struct astra_error *err);
int astra_parse_number(double *out, double min, double max, const char *text,
		       struct astra_error *err);

#endif
