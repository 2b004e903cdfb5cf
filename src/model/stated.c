/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/model/stated.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define SLOWDOWN_MAX 1000
#define UTILITY_MAX 1e6
#define KAPPA_MAX 16
#define ITERATIONS_MAX 1e15
#define ITER_SEC_MAX 1e9
#define GPUS_MAX 100000

const struct astra_stated_option astra_stated_options[] = {
	[ASTRA_STATED_ITERATIONS] = {"iterations", "ASTRAEA_ITERATIONS",
				     "a whole number from 1 to 1e15"},
	[ASTRA_STATED_ITER_TIME] = {"iter-time", "ASTRAEA_ITER_TIME",
				    "seconds of one iteration on all GPUs of "
				    "the job, above 0 and at most 1e9"},
	[ASTRA_STATED_SLOWDOWN] = {"slowdown", "ASTRAEA_SLOWDOWN",
				   "four factors from 1 to 1000, none less "
				   "than the one before: within a slot, a "
				   "machine, a rack, across racks"},
	[ASTRA_STATED_UTILITY] = {"utility", "ASTRAEA_UTILITY",
				  "sigmoid:G1,G2,G3, linear:K,G or "
				  "convex:E,KAPPA of hours; numbers up to 1e6 "
				  "in size, only K and G may be negative, "
				  "KAPPA is at most 16"},
	[ASTRA_STATED_GPU_RANGE] = {"gpu-range", "ASTRAEA_GPU_RANGE",
				    "two whole numbers MIN-MAX from 1 to "
				    "100000, MIN at most MAX"},
	[ASTRA_STATED_WORKERS] = {"workers", "ASTRAEA_WORKER_RANGE",
				  "two whole numbers MIN-MAX from 1 to "
				  "100000, MIN at most MAX"},
	[ASTRA_STATED_PS] = {"ps", "ASTRAEA_PS_MOST",
			     "a whole number from 1 to 100000"},
	[ASTRA_STATED_MAIL] = {"lease-mail", "ASTRAEA_LEASE_MAIL",
			       "over, resumed, starved, with commas in "
			       "between, all, or none"},
};

const char *const astra_news_names[ASTRA_NEWS_COUNT] = {
	[ASTRA_NEWS_OVER] = "over",
	[ASTRA_NEWS_RESUMED] = "resumed",
	[ASTRA_NEWS_STARVED] = "starved",
};

bool astra_stated_number(const char *text, double max, double *value)
{
	char *stop;
	double number;

	/* strtod() also accepts "nan", "inf" and "0x1p3". */
	if (text[strspn(text, "0123456789.eE+- ")])
		return false;
	number = strtod(text, &stop);
	if (stop == text || stop[strspn(stop, " ")] || !(fabs(number) <= max))
		return false;
	*value = number;
	return true;
}

/* Read exactly `count` numbers, separated by one of the characters in marks.
 * Returns false if the text is invalid. */
static bool stated_numbers_of(const char *text, const char *marks, double max,
			      double *numbers, size_t count)
{
	char part[32];

	for (size_t i = 0; i < count; i++) {
		size_t length = strcspn(text, marks);

		if (length >= sizeof(part))
			return false;
		memcpy(part, text, length);
		part[length] = '\0';
		if (!astra_stated_number(part, max, &numbers[i]))
			return false;
		text += length;
		if (!*text != (i + 1 == count))
			return false;
		text += *text != '\0';
	}
	return true;
}

bool astra_stated_slowdown(const char *text, char mark,
			   double factors[ASTRA_LEVEL_COUNT])
{
	const char marks[] = {mark, '\0'};

	if (!stated_numbers_of(text, marks, SLOWDOWN_MAX, factors,
			       ASTRA_LEVEL_COUNT))
		return false;
	for (size_t i = 0; i < ASTRA_LEVEL_COUNT; i++)
		if (factors[i] < (i ? factors[i - 1] : 1))
			return false;
	return true;
}

static bool stated_parse_utility(const char *text, struct astra_utility *u)
{
	static const char marks[] = ",/";
	double n[3] = {0};

	if (!strncasecmp(text, "linear:", 7)) {
		u->kind = ASTRA_UTILITY_LINEAR;
		if (!stated_numbers_of(text + 7, marks, UTILITY_MAX, n, 2))
			return false;
		u->linear.k = n[0];
		u->linear.g = n[1];
		return true;
	}
	if (!strncasecmp(text, "convex:", 7)) {
		u->kind = ASTRA_UTILITY_CONVEX;
		if (!stated_numbers_of(text + 7, marks, UTILITY_MAX, n, 2))
			return false;
		u->convex.e = n[0];
		u->convex.kappa = n[1];
		return n[0] >= 0 && n[1] >= 0 && n[1] <= KAPPA_MAX;
	}
	u->kind = ASTRA_UTILITY_SIGMOID;
	if (strncasecmp(text, "sigmoid:", 8) != 0 ||
	    !stated_numbers_of(text + 8, marks, UTILITY_MAX, n, 3))
		return false;
	u->sigmoid.g1 = n[0];
	u->sigmoid.g2 = n[1];
	u->sigmoid.g3 = n[2];
	return n[0] >= 0 && n[1] >= 0 && n[2] >= 0;
}

bool astra_stated_utility(const char *text, struct astra_utility *utility)
{
	struct astra_utility u;

	memset(&u, 0, sizeof(u));
	if (!stated_parse_utility(text, &u))
		return false;
	memcpy(utility, &u, sizeof(u));
	return true;
}

static const char *stated_read_count(const char *text, uint32_t *count)
{
	size_t digits = strspn(text, "0123456789");

	*count = digits && digits <= 6 ? (uint32_t)strtoul(text, NULL, 10) : 0;
	return text + digits;
}

static bool read_range(const char *text, uint32_t *min, uint32_t *max)
{
	text = stated_read_count(text, min);
	if (*text++ != '-')
		return false;
	text = stated_read_count(text, max);
	return !*text && *min && *min <= *max && *max <= GPUS_MAX;
}

static bool read_ps(const char *text, uint32_t *ps)
{
	return !*stated_read_count(text, ps) && *ps && *ps <= GPUS_MAX;
}

static uint32_t stated_news_of(const char *name, size_t length)
{
	for (size_t i = 0; i < ASTRA_NEWS_COUNT; i++)
		if (strlen(astra_news_names[i]) == length &&
		    !strncasecmp(name, astra_news_names[i], length))
			return UINT32_C(1) << i;
	return 0;
}

static bool stated_news(const char *text, uint32_t *news)
{
	uint32_t all = 0;

	if (!strcasecmp(text, "all") || !strcasecmp(text, "none")) {
		*news = strcasecmp(text, "all")
				? 0
				: (UINT32_C(1) << ASTRA_NEWS_COUNT) - 1;
		return true;
	}
	for (;;) {
		size_t length = strcspn(text, ",");
		uint32_t one = stated_news_of(text, length);

		if (!one)
			return false;
		all |= one;
		if (!text[length])
			break;
		text += length + 1;
	}
	*news = all;
	return true;
}

static bool stated_read_value(struct astra_stated *out, enum astra_stated_id id,
			      const char *text)
{
	double number;

	switch (id) {
	case ASTRA_STATED_ITERATIONS:
		if (!astra_stated_number(text, ITERATIONS_MAX, &number) ||
		    !(number >= 1) || (double)(uint64_t)number != number)
			return false;
		out->iterations = number;
		return true;
	case ASTRA_STATED_ITER_TIME:
		if (!astra_stated_number(text, ITER_SEC_MAX, &number) ||
		    !(number > 0))
			return false;
		out->iter_sec = number;
		return true;
	case ASTRA_STATED_SLOWDOWN:
		return astra_stated_slowdown(text, ',', out->slowdown);
	case ASTRA_STATED_UTILITY:
		return astra_stated_utility(text, &out->utility);
	case ASTRA_STATED_GPU_RANGE:
		return read_range(text, &out->gpus_min, &out->gpus_max);
	case ASTRA_STATED_WORKERS:
		return read_range(text, &out->workers_min, &out->workers_max);
	case ASTRA_STATED_PS:
		return read_ps(text, &out->ps);
	case ASTRA_STATED_MAIL:
		return stated_news(text, &out->mail);
	case ASTRA_STATED_COUNT:
		break;
	}
	return false;
}

int astra_stated_read(struct astra_stated *out, enum astra_stated_id id,
		      const char *text, struct astra_error *err)
{
	const struct astra_stated_option *option = &astra_stated_options[id];
	struct astra_stated read = *out;

	if (strnlen(text, ASTRA_STATED_MAX + 1) > ASTRA_STATED_MAX ||
	    !stated_read_value(&read, id, text))
		return astra_error_set(err, "--%s=%.40s: %s", option->name,
				       text, option->allowed);
	*out = read;
	return 0;
}

int astra_stated_settle(struct astra_stated *stated, struct astra_error *err)
{
	struct astra_stated *s = stated;
	int rc = 0;

	if (s->gpus_max && s->workers_max)
		rc = astra_error_set(err, "--gpu-range and --workers exclude "
					  "each other");
	else if (s->ps && !s->workers_max)
		rc = astra_error_set(err,
				     "--ps=%u: of how many workers, "
				     "--workers says",
				     s->ps);
	else if (s->ps > s->workers_max)
		rc = astra_error_set(err,
				     "--ps=%u: parameter servers are no more "
				     "than --workers, %u at most",
				     s->ps, s->workers_max);
	if (rc)
		s->gpus_min = s->gpus_max = s->workers_min = s->workers_max =
			s->ps = 0;
	else if (s->workers_max) {
		s->gpus_min = s->workers_min;
		s->gpus_max = s->workers_max;
	}
	return rc;
}

uint32_t astra_stated_ps(uint32_t ps, uint32_t workers_max, uint32_t workers)
{
	uint64_t product = (uint64_t)ps * workers;

	return workers_max
		       ? (uint32_t)((product + workers_max - 1) / workers_max)
		       : 0;
}
