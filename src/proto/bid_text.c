/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the file of --bid, which is simple JSON, without a library: sbatch
 * loads this code, and it must not bring a library along. */
#include "src/proto/bid_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "src/model/auction.h"
#include "src/model/stated.h"

#define SECONDS_MAX 1e9
#define NUMBER_BYTES 32

struct reader {
	const char *at;
	struct astra_error *err;
};

static int bid_text_fail(struct reader *r, const char *wanted)
{
	return astra_error_set(r->err, "--bid: %s, not \"%.20s\"", wanted,
			       r->at);
}

static void bid_text_skip(struct reader *r)
{
	r->at += strspn(r->at, " \t\r\n");
}

static bool bid_text_take(struct reader *r, char mark)
{
	bid_text_skip(r);
	if (*r->at != mark)
		return false;
	r->at++;
	bid_text_skip(r);
	return true;
}

/* Reads a quoted word without escapes. wanted: what was expected, for the
 * error. Returns 0, or -1 with err set. */
static int take_word(struct reader *r, const char **word, size_t *size,
		     const char *wanted)
{
	const char *begin = r->at;

	if (!bid_text_take(r, '"'))
		return bid_text_fail(r, wanted);
	*word = r->at;
	*size = strcspn(r->at, "\"\\\n");
	if ((*word)[*size] != '"') {
		r->at = begin;
		return bid_text_fail(r, wanted);
	}
	r->at += *size + 1;
	bid_text_skip(r);
	return 0;
}

static int bid_text_take_number(struct reader *r, double *out)
{
	char text[NUMBER_BYTES];
	size_t size = strcspn(r->at, ",] \t\r\n");

	if (size == 5 && !memcmp(r->at, "\"inf\"", 5)) {
		*out = (double)INFINITY;
		r->at += size;
		return 0;
	}
	(void)snprintf(text, sizeof(text), "%.*s", (int)size, r->at);
	if (size >= sizeof(text) ||
	    !astra_stated_number(text, SECONDS_MAX, out) || !(*out > 0))
		return bid_text_fail(
			r, "seconds are numbers above 0 and up to 1e9, or "
			   "\"inf\"");
	r->at += size;
	return 0;
}

static int take_numbers(struct reader *r, enum astra_level level,
			struct astra_curves *out)
{
	double value;

	if (out->gpus[level])
		return bid_text_fail(r, "each level is said once");
	if (!bid_text_take(r, '['))
		return bid_text_fail(r, "a level has an array of seconds");
	do {
		bid_text_skip(r);
		if (bid_text_take_number(r, &value) < 0)
			return -1;
		if (out->gpus[level] >= ASTRA_BID_GPUS_MAX)
			return bid_text_fail(r,
					     "a level has at most 4096 GPUs");
		if (astra_curves_add(out, level, value) < 0)
			return astra_error_nomem(r->err);
	} while (bid_text_take(r, ','));
	return bid_text_take(r, ']')
		       ? 0
		       : bid_text_fail(r, "a comma or ] is missing");
}

static int take_levels(struct reader *r, struct astra_curves *out)
{
	static const char wanted[] =
		"the levels are \"slot\", \"machine\", \"rack\" and \"cross\"";

	if (!bid_text_take(r, '{'))
		return bid_text_fail(r, "\"seconds\" has an object of levels");
	do {
		enum astra_level level;
		const char *word;
		size_t size;

		if (take_word(r, &word, &size, wanted) < 0)
			return -1;
		level = astra_level_find(word, size);
		if (level == ASTRA_LEVEL_COUNT) {
			r->at = word;
			return bid_text_fail(r, wanted);
		}
		if (!bid_text_take(r, ':'))
			return bid_text_fail(r, "a colon is missing");
		if (take_numbers(r, level, out) < 0)
			return -1;
	} while (bid_text_take(r, ','));
	return bid_text_take(r, '}')
		       ? 0
		       : bid_text_fail(r, "a comma or } is missing");
}

static int take_all(struct reader *r, struct astra_curves *out)
{
	static const char wanted[] = "it is {\"seconds\": {\"slot\": [...]}}";
	const char *word;
	size_t size;

	if (!bid_text_take(r, '{') || take_word(r, &word, &size, wanted) < 0 ||
	    size != 7 || memcmp(word, "seconds", 7) != 0 ||
	    !bid_text_take(r, ':'))
		return bid_text_fail(r, wanted);
	if (take_levels(r, out) < 0)
		return -1;
	if (!bid_text_take(r, '}') || *r->at)
		return bid_text_fail(r, "nothing follows \"seconds\"");
	if (!out->gpus[ASTRA_LEVEL_SLOT])
		return astra_error_set(r->err, "--bid: \"slot\" is missing");
	return 0;
}

int astra_bid_text_read(const char *text, struct astra_curves *out,
			struct astra_error *err)
{
	struct reader r = {.at = text, .err = err};

	*out = (struct astra_curves){0};
	if (strnlen(text, ASTRA_BID_TEXT_MAX + 1) > ASTRA_BID_TEXT_MAX)
		return astra_error_set(err,
				       "--bid: more than %d bytes, spaces "
				       "not counted",
				       ASTRA_BID_TEXT_MAX);
	if (take_all(&r, out) < 0) {
		astra_curves_clear(out);
		return -1;
	}
	return 0;
}

size_t astra_bid_text_compact(const char *text, char *out, size_t size)
{
	size_t length = 0;

	for (; *text; text++) {
		if (strchr(" \t\r\n", *text))
			continue;
		if (length + 1 < size)
			out[length] = *text;
		length++;
	}
	if (size)
		out[length < size ? length : size - 1] = '\0';
	return length;
}
