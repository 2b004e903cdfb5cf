/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What options may be: the setters of a table's rows. */
#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/cli.h"

int astra_cli_flag(const struct astra_cli_option *row, void *at,
		   const char *value, struct astra_error *err)
{
	(void)row;
	(void)value;
	(void)err;
	*(bool *)at = true;
	return 0;
}

int astra_cli_constant(const struct astra_cli_option *row, void *at,
		       const char *value, struct astra_error *err)
{
	(void)value;
	(void)err;
	*(unsigned *)at = row->constant;
	return 0;
}

int astra_cli_text(const struct astra_cli_option *row, void *at,
		   const char *value, struct astra_error *err)
{
	(void)row;
	(void)err;
	*(const char **)at = value;
	return 0;
}

static int whole(const char *text, uint64_t least, uint64_t most, uint64_t *out,
		 struct astra_error *err)
{
	char *end;

	errno = 0;
	if (isdigit((unsigned char)*text)) {
		*out = strtoull(text, &end, 10);
		if (!*end && !errno && *out >= least && *out <= most)
			return 0;
	}
	return astra_error_set(err,
			       "a whole number from %" PRIu64 " to %" PRIu64,
			       least, most);
}

int astra_cli_u32(const struct astra_cli_option *row, void *at,
		  const char *value, struct astra_error *err)
{
	uint64_t number;

	if (whole(value, (uint64_t)row->least,
		  row->most > 0 ? (uint64_t)row->most : UINT32_MAX, &number,
		  err) < 0)
		return -1;
	*(uint32_t *)at = (uint32_t)number;
	return 0;
}

int astra_cli_u64(const struct astra_cli_option *row, void *at,
		  const char *value, struct astra_error *err)
{
	return whole(value, (uint64_t)row->least,
		     row->most > 0 ? (uint64_t)row->most : UINT64_MAX, at, err);
}

int astra_cli_real(const struct astra_cli_option *row, void *at,
		   const char *value, struct astra_error *err)
{
	double most = row->most > 0 ? row->most : DBL_MAX;
	char *end;
	double number;

	/* strtod() knows "nan", "inf" and "0x1p3", too. */
	if (*value && !value[strspn(value, "0123456789.eE+-")]) {
		number = strtod(value, &end);
		if (!*end && number >= row->least && number <= most) {
			*(double *)at = number;
			return 0;
		}
	}
	if (row->least > 0 && row->least <= DBL_MIN)
		return astra_error_set(err, "a number above 0, at most %.10g",
				       most);
	return astra_error_set(err, "a number from %.10g to %.10g", row->least,
			       most);
}
