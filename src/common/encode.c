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

/* How much of the text may stand in JSON as it is. */
static size_t plain(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;
	size_t size;

	while (*at >= ' ' && *at != '"' && *at != '\\' && *at != 0x7f) {
		size = *at < 0x80 ? 1 : astra_utf8_size((const char *)at);
		if (!size)
			break;
		at += size;
	}
	return (size_t)(at - (const unsigned char *)text);
}

void astra_encode_text(struct astra_text *out, const char *text)
{
	astra_text_add(out, "\"", 1);
	while (text && *text) {
		size_t size = plain(text);

		astra_text_add(out, text, size);
		text += size;
		if (!*text)
			break;
		if ((unsigned char)*text >= 0x80)
			astra_text_add(out, "?", 1);
		else if (*text == '"' || *text == '\\')
			astra_text_printf(out, "\\%c", *text);
		else
			astra_text_printf(out, "\\u%04x", *text);
		text++;
	}
	astra_text_add(out, "\"", 1);
}

void astra_encode_whole(struct astra_text *out, uint64_t value)
{
	char text[20];
	size_t at = sizeof(text);

	do
		text[--at] = (char)('0' + value % 10);
	while (value /= 10);
	astra_text_add(out, text + at, sizeof(text) - at);
}
