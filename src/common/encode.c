/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/common/encode.h"

/* None is what is cut, longer than need be, a surrogate, or above the last
 * one. */
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

/* How much of the text may stand in JSON as it is. */
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

/* The first byte of a text, where it is not plain. */
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
