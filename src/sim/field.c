/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sim/field.h"

#include <math.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "src/model/stated.h"

#define NUMBER_MAX 1e15
#define COUNT_MAX 1e6

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool field_unknown(const char *text)
{
	static const char *const words[] = {
		"",	     "Unknown",		"None", "N/A", "INVALID",
		"UNLIMITED", "Partition_Limit",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcasecmp(text, words[i]))
			return true;
	return false;
}

/* Reads a number of digits and a point, if it has few enough digits to be exact
 * without strtod(). Returns false for any other text. */
static bool plain_number(const char *text, double *value)
{
	static const double tens[] = {1,    1e1,  1e2,	1e3, 1e4,  1e5,
				      1e6,  1e7,  1e8,	1e9, 1e10, 1e11,
				      1e12, 1e13, 1e14, 1e15};
	uint64_t digits = 0;
	size_t count = 0, after = 0;

	for (; is_digit(*text); text++, count++)
		digits = digits * 10 + (uint64_t)(*text - '0');
	if (*text == '.')
		for (text++; is_digit(*text); text++, count++, after++)
			digits = digits * 10 + (uint64_t)(*text - '0');
	if (*text || !count || count > 15)
		return false;
	*value = (double)digits / tens[after];
	return true;
}

enum astra_field_result astra_field_number(const char *text, double *value)
{
	while (*text == ' ')
		text++;
	if (plain_number(text, value))
		return ASTRA_FIELD_OK;
	if (field_unknown(text))
		return ASTRA_FIELD_NONE;
	return astra_stated_number(text, NUMBER_MAX, value) ? ASTRA_FIELD_OK
							    : ASTRA_FIELD_BAD;
}

enum astra_field_result astra_field_count(const char *text, uint32_t *value,
					  bool *part)
{
	double number;
	enum astra_field_result rc = astra_field_number(text, &number);

	if (rc != ASTRA_FIELD_OK)
		return rc;
	if (number < 0 || number > COUNT_MAX)
		return ASTRA_FIELD_BAD;
	*value = (uint32_t)ceil(number);
	*part = *value > number;
	return ASTRA_FIELD_OK;
}

/* Reads a whole number at *text, of at most 9 digits. Returns false if it has
 * none, or more. */
static bool field_take_number(const char **text, double *value)
{
	const char *start = *text;

	for (*value = 0; is_digit(**text); (*text)++)
		*value = *value * 10 + (**text - '0');
	return *text > start && *text - start <= 9;
}

/* Reads [DAYS-]A[:B[:C]]. Returns false if the text is invalid. */
static bool clock_span(const char *text, double *sec)
{
	static const double with_days[] = {3600, 60, 1};
	double part[3] = {0}, days = 0;
	const double *unit = with_days;
	int count = 0;

	if (strchr(text, '-')) {
		if (!field_take_number(&text, &days) || *text++ != '-')
			return false;
		unit = NULL;
	}
	do {
		if (count == 3 || !field_take_number(&text, &part[count++]))
			return false;
	} while (*text == ':' && text++);
	if (*text == '.') /* sacct may give milliseconds */
		text += 1 + strspn(text + 1, "0123456789");
	if (*text || (unit && count == 1))
		return false;
	unit = unit && count == 2 ? with_days + 1 : with_days;
	*sec = days * 86400;
	for (int i = 0; i < count; i++)
		*sec += part[i] * unit[i];
	return true;
}

enum astra_field_result astra_field_span(const char *text, double *sec)
{
	enum astra_field_result rc = astra_field_number(text, sec);

	if (rc == ASTRA_FIELD_BAD && clock_span(text, sec))
		return ASTRA_FIELD_OK;
	return rc;
}

/* Returns the number whose digits stand at the places of `letter` in the
 * pattern. */
static int digits_at(const char *text, const char *pattern, char letter)
{
	int value = 0;

	for (size_t i = 0; pattern[i]; i++)
		if (pattern[i] == letter)
			value = value * 10 + (text[i] - '0');
	return value;
}

/* Whether the text has the pattern's form. For a T in the pattern the text may
 * have a space. */
static bool has_form(const char *text, const char *pattern)
{
	for (; *pattern; pattern++, text++) {
		bool ok = *pattern == '-' || *pattern == ':' ? *text == *pattern
			  : *pattern == 'T' ? *text == 'T' || *text == ' '
					    : is_digit(*text);

		if (!ok)
			return false;
	}
	return !*text;
}

/* Returns the local hour of a date by mktime(), or -1. mktime() is slow, so the
 * last result is kept: the lines of a trace are nearly in order. */
static time_t hour_of(struct tm date)
{
	static _Thread_local struct tm last;
	static _Thread_local time_t hour;

	if (date.tm_hour == last.tm_hour && date.tm_mday == last.tm_mday &&
	    date.tm_mon == last.tm_mon && date.tm_year == last.tm_year)
		return hour;
	last = date;
	date.tm_isdst = -1;
	hour = mktime(&date);
	return hour;
}

/* Reads YYYY-MM-DDTHH:MM:SS. Returns false if the text is invalid. */
static bool field_calendar_time(const char *text, double *sec)
{
	static const char pattern[] = "YYYY-MM-DDThh:mm:ss";
	struct tm date = {0};
	int minute, second;
	time_t hour;

	if (!has_form(text, pattern))
		return false;
	date.tm_year = digits_at(text, pattern, 'Y') - 1900;
	date.tm_mon = digits_at(text, pattern, 'M') - 1;
	date.tm_mday = digits_at(text, pattern, 'D');
	date.tm_hour = digits_at(text, pattern, 'h');
	minute = digits_at(text, pattern, 'm');
	second = digits_at(text, pattern, 's');
	if (date.tm_year < 70 || date.tm_mon < 0 || date.tm_mon > 11 ||
	    date.tm_mday < 1 || date.tm_mday > 31 || date.tm_hour > 23 ||
	    minute > 59 || second > 60)
		return false;
	hour = hour_of(date);
	*sec = (double)(hour + minute * 60 + second);
	return hour >= 0;
}

enum astra_field_result astra_field_time(const char *text, double *sec)
{
	return field_calendar_time(text, sec) ? ASTRA_FIELD_OK
					      : astra_field_number(text, sec);
}

/* Reads an item of a list of TRES. Sets *all to its GPUs if the item names no
 * type, else adds them to *typed. Ignores items other than GPUs. Returns false
 * if the item is invalid. */
static bool tres_item(const char *item, size_t length, double *all,
		      double *typed)
{
	const char *value = memchr(item, '=', length);
	const char *stop = item + length;
	size_t key = value ? (size_t)(value - item) : 0;
	double number;

	if (key < 8 || strncmp(item, "gres/gpu", 8) != 0 ||
	    (key > 8 && item[8] != ':'))
		return true;
	value++;
	if (!field_take_number(&value, &number) || value != stop ||
	    number > COUNT_MAX)
		return false;
	if (key == 8)
		*all = number;
	else
		*typed += number;
	return true;
}

enum astra_field_result astra_field_tres(const char *text, uint32_t *gpus)
{
	double all = -1, typed = 0;

	if (field_unknown(text))
		return ASTRA_FIELD_NONE;
	while (*text) {
		size_t length = strcspn(text, ",");

		if (!tres_item(text, length, &all, &typed))
			return ASTRA_FIELD_BAD;
		text += length;
		text += *text == ',';
	}
	all = all < 0 ? typed : all;
	if (all > COUNT_MAX)
		return ASTRA_FIELD_BAD;
	*gpus = (uint32_t)all;
	return ASTRA_FIELD_OK;
}

enum astra_field_result astra_field_profile(const char *text, char mark,
					    struct astra_profile *profile)
{
	if (field_unknown(text))
		return ASTRA_FIELD_NONE;
	return astra_stated_slowdown(text, mark, profile->slowdown)
		       ? ASTRA_FIELD_OK
		       : ASTRA_FIELD_BAD;
}

enum astra_field_result astra_field_utility(const char *text,
					    struct astra_utility *utility)
{
	if (field_unknown(text))
		return ASTRA_FIELD_NONE;
	return astra_stated_utility(text, utility) ? ASTRA_FIELD_OK
						   : ASTRA_FIELD_BAD;
}

/* Removes the quotes of a field, in place. Returns the field's end, or NULL if
 * a quote is not closed, or if text follows. */
static char *unquote(char *field, char separator)
{
	char *to = field, *from = field + 1;

	while (*from && (*from != '"' || from[1] == '"')) {
		from += *from == '"';
		*to++ = *from++;
	}
	if (*from++ != '"' || (*from && *from != separator))
		return NULL;
	*to = '\0';
	return from;
}

size_t astra_field_split(char *line, char separator, bool quotes, char **fields,
			 size_t room)
{
	size_t count = 0;
	bool more = true;

	while (more) {
		char *stop;

		if (count < room)
			fields[count] = line;
		count++;
		if (quotes && *line == '"') {
			stop = unquote(line, separator);
			if (!stop)
				return 0;
		} else {
			stop = strchr(line, separator);
			stop = stop ? stop : line + strlen(line);
		}
		more = *stop;
		/* unquote() may have ended the field before stop, too */
		*stop = '\0';
		line = stop + more;
	}
	return count;
}
