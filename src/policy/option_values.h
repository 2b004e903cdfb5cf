/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kinds of values an option may have. All return 0, or -1 with err saying
 * what is allowed and out untouched. */
#ifndef ASTRA_OPTION_VALUES_H
#define ASTRA_OPTION_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/common/error.h"

int astra_option_seconds(double *out, const char *text,
			 struct astra_error *err);
int astra_option_bool(bool *out, const char *text, struct astra_error *err);
/* A whole number. */
int astra_option_count(uint32_t *out, const char *text,
		       struct astra_error *err);
/* A whole number of GPUs, quota or none: ASTRA_GPUS_QUOTA, ASTRA_GPUS_NONE. */
int astra_option_gpus(uint32_t *out, const char *text, struct astra_error *err);
int astra_option_number(double *out, double min, double max, const char *text,
			struct astra_error *err);
/* One of two words: the first stands for false. */
int astra_option_flag(bool *out, const char *no, const char *yes,
		      const char *text, struct astra_error *err);
/* One of a NULL-terminated list; out: its index. */
int astra_option_word(size_t *out, const char *const *words, const char *text,
		      struct astra_error *err);

#endif
