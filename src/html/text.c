/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>

#include "src/common/encode.h"
#include "src/html/html.h"

static const char *entity(char c)
{
	switch (c) {
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '&':
		return "&amp;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

/* C1 controls (U+0080 to U+009F), and what turns the direction of text around
 * (U+202A to U+202E, U+2066 to U+2069). */
static bool is_control(const unsigned char *at, size_t size)
{
	if (size == 1)
		return *at < ' ' || *at == 0x7f;
	if (size == 2)
		return at[0] == 0xc2 && at[1] < 0xa0;
	return size == 3 && at[0] == 0xe2 &&
	       ((at[1] == 0x80 && at[2] >= 0xaa && at[2] <= 0xae) ||
		(at[1] == 0x81 && at[2] >= 0xa6 && at[2] <= 0xa9));
}

void html_text(FILE *file, const char *text)
{
	while (*text) {
		size_t size = astra_utf8_size(text);
		const char *code = entity(*text);

		if (!size || is_control((const unsigned char *)text, size))
			fputc('?', file);
		else if (code)
			fputs(code, file);
		else
			fwrite(text, 1, size, file);
		text += size ? size : 1;
	}
}

void html_px(FILE *file, const char *attribute, double px)
{
	fprintf(file, " %s=\"%.1f\"", attribute, px);
}

void html_number(FILE *file, double value)
{
	if (isnan(value))
		fputs("-", file);
	else if (isinf(value))
		fputs("∞", file);
	else if (fabs(value) >= 1e6)
		fprintf(file, "%.4g M", value / 1e6);
	else if (fabs(value) >= 1e4)
		fprintf(file, "%.4g k", value / 1e3);
	else
		fprintf(file, "%.4g", value);
}

void html_time(FILE *file, double sec)
{
	if (!isfinite(sec) || sec < 60)
		fprintf(file, "%.3g s", sec);
	else if (sec < 3600)
		fprintf(file, "%.3g min", sec / 60);
	else if (sec < 2 * 86400)
		fprintf(file, "%.3g h", sec / 3600);
	else
		fprintf(file, "%.3g d", sec / 86400);
}
