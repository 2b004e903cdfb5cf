/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/common/encode.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Incomplete or overlong characters, surrogates and values above the last one
 * are invalid. */
size_t astra_utf8_size(const char *bytes)
{
	static const unsigned char least[] = {0, 0, 0x80, 0xa0, 0x90};
	const unsigned char *text = (const unsigned char *)bytes;
	size_t size;

	if (*text < 0x80)
		return 1;
	if (*text < 0xc2 || *text > 0xf4)
		return 0;
	size = *text < 0xe0 ? 2 : *text < 0xf0 ? 3 : 4;
	for (size_t i = 1; i < size; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	if ((*text == 0xe0 || *text == 0xf0) && text[1] < least[size])
		return 0;
	if ((*text == 0xed && text[1] > 0x9f) ||
	    (*text == 0xf4 && text[1] > 0x8f))
		return 0;
	return size;
}

static bool is_plain(unsigned char byte)
{
	return byte >= ' ' && byte < 0x7f && byte != '"' && byte != '\\';
}

/* Return how many bytes at the text's start may be in JSON unchanged. */
static size_t encode_plain(const char *text)
{
	const char *at = text;
	size_t size;

	for (;;) {
		while (is_plain((unsigned char)*at))
			at++;
		size = (unsigned char)*at < 0x80 ? 0 : astra_utf8_size(at);
		if (!size)
			return (size_t)(at - text);
		at += size;
	}
}

/* Write the escape of a byte that may not be in JSON unchanged. A byte that is
 * not UTF-8 becomes "?". */
static void put_escaped(struct astra_text *out, char byte)
{
	if ((unsigned char)byte >= 0x80)
		astra_text_add(out, "?", 1);
	else if (byte == '"' || byte == '\\')
		astra_text_printf(out, "\\%c", byte);
	else
		astra_text_printf(out, "\\u%04x", byte);
}

void astra_encode_text(struct astra_text *out, const char *text)
{
	const char *at = text ? text : "";

	astra_text_add(out, "\"", 1);
	for (;;) {
		size_t size = encode_plain(at);

		astra_text_add(out, at, size);
		at += size;
		if (!*at)
			break;
		put_escaped(out, *at++);
	}
	astra_text_add(out, "\"", 1);
}

static size_t digits_of(uint64_t value)
{
	size_t count = 1;

	for (; value >= 100; value /= 100)
		count += 2;
	return count + (value >= 10);
}

void astra_encode_whole(struct astra_text *out, uint64_t value)
{
	size_t size = digits_of(value), at = size;
	char *room = astra_text_room(out, size);

	if (!room)
		return;
	do
		room[--at] = (char)('0' + value % 10);
	while (value /= 10);
	astra_text_took(out, size);
}

/* Real numbers as JSON, as "%.15g" would write them. A reply has tens of
 * thousands of them, and printf() takes a microsecond for each. */

#define DIGITS 15
#define LONGEST 40 /* of a number's text, with a margin */

typedef unsigned __int128 wide;

static const uint64_t tens[] = {
	UINT64_C(1),
	UINT64_C(10),
	UINT64_C(100),
	UINT64_C(1000),
	UINT64_C(10000),
	UINT64_C(100000),
	UINT64_C(1000000),
	UINT64_C(10000000),
	UINT64_C(100000000),
	UINT64_C(1000000000),
	UINT64_C(10000000000),
	UINT64_C(100000000000),
	UINT64_C(1000000000000),
	UINT64_C(10000000000000),
	UINT64_C(100000000000000),
	UINT64_C(1000000000000000),
	UINT64_C(10000000000000000),
	UINT64_C(100000000000000000),
	UINT64_C(1000000000000000000),
};

/* Return the decimal exponent of a value from 1e-4 up to, but not including,
 * 1e15. */
static int exponent(double value)
{
	int e = 0;

	if (value < 1)
		return value >= 1e-1   ? -1
		       : value >= 1e-2 ? -2
		       : value >= 1e-3 ? -3
				       : -4;
	while (e < DIGITS - 1 && value >= (double)tens[e + 1])
		e++;
	return e;
}

/* Return the first 15 digits as a whole number: value * 10^(14 - e), computed
 * exactly and rounded to nearest, ties to even. value is mantissa / 2^shift,
 * with shift from 3 to 66. Returns 0 if it is rounded up to the next power of
 * ten. */
static uint64_t first_digits(double value, int e)
{
	uint64_t bits, mantissa, whole;
	unsigned shift;
	wide product, rest, half;

	memcpy(&bits, &value, sizeof(bits));
	mantissa = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
	shift = 1075 - (unsigned)(bits >> 52);
	product = (wide)mantissa * tens[DIGITS - 1 - e];
	whole = (uint64_t)(product >> shift);
	rest = product - ((wide)whole << shift);
	half = (wide)1 << (shift - 1);
	whole += rest > half || (rest == half && whole & 1);
	return whole < tens[DIGITS] ? whole : 0;
}

/* Write a value the fast way. Returns the size, or 0 if write_slow() is
 * needed. */
static size_t write_fast(double value, char *text)
{
	char digits[DIGITS], *at = text;
	int e = exponent(value), count = DIGITS;
	uint64_t whole = first_digits(value, e);

	if (!whole)
		return 0;
	for (int i = DIGITS - 1; i >= 0; i--, whole /= 10)
		digits[i] = (char)('0' + whole % 10);
	while (count > 1 && digits[count - 1] == '0')
		count--;
	if (e < 0) {
		memcpy(at, "0.0000", 6);
		at += 1 - e;
		memcpy(at, digits, DIGITS);
		return (size_t)(at - text + count);
	}
	memcpy(at, digits, (size_t)e + 1);
	at += e + 1;
	if (count <= e + 1)
		return (size_t)(at - text);
	*at++ = '.';
	memcpy(at, digits + e + 1, (size_t)(count - e - 1));
	return (size_t)(at - text + count - e - 1);
}

static size_t write_slow(double value, int digits, char *text, size_t room)
{
	int size = snprintf(text, room, "%.*g", digits, value);
	char *comma = strchr(text, ','); /* the decimal comma of a locale */

	if (comma)
		*comma = '.';
	return (size_t)size;
}

/* Whether the value is whole. Most values are, and writing their digits then
 * takes a tenth of the time. */
static bool encode_real_is_whole(double value)
{
	return value > 0 && value < 1e15 && value == floor(value);
}

static void put_finite(struct astra_text *out, double value)
{
	char *room = astra_text_room(out, LONGEST);
	double size_of = fabs(value);
	size_t sign = value < 0, size = 0;

	if (!room)
		return;
	*room = '-';
	if (size_of >= 1e-4 && size_of < 1e15)
		size = write_fast(size_of, room + sign);
	astra_text_took(out, size ? sign + size
				  : write_slow(value, 15, room, LONGEST));
}

void astra_encode_real(struct astra_text *out, double value)
{
	if (isinf(value))
		astra_encode_text(out, value > 0 ? "inf" : "-inf");
	else if (isnan(value))
		astra_text_add(out, "null", 4);
	else if (encode_real_is_whole(value))
		astra_encode_whole(out, (uint64_t)value);
	else if (fpclassify(value) == FP_ZERO && !signbit(value))
		astra_text_add(out, "0", 1);
	else
		put_finite(out, value);
}

void astra_encode_exact(struct astra_text *out, double value)
{
	char text[LONGEST];

	if (isfinite(value))
		astra_text_add(out, text,
			       write_slow(value, 17, text, sizeof(text)));
	else
		astra_encode_real(out, value);
}
