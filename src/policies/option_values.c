/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policies/option_values.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Reads one field of a time: digits only. Returns 0 or -1. */
static int parse_field(const char **text, double *out)
{
	double number = 0;

	if (!isdigit((unsigned char)**text))
		return -1;
	while (isdigit((unsigned char)**text))
		number = number * 10 + (*(*text)++ - '0');
	*out = number;
	return 0;
}

static int parse_fields(const char *text, double *field, int max)
{
	int count = 0;

	for (;;) {
		if (count == max || parse_field(&text, &field[count]) < 0)
			return -1;
		count++;
		if (!*text)
			return count;
		if (*text++ != ':')
			return -1;
	}
}

int astra_parse_time(const char *text, double bare_sec, double *out)
{
	double f[3] = {0}, days = 0;
	const char *dash = strchr(text, '-'), *rest = text;
	double sec;
	int n;

	if (!strcasecmp(text, "unlimited") || !strcasecmp(text, "none")) {
		*out = 0;
		return 0;
	}
	if (dash && (parse_field(&rest, &days) < 0 || rest++ != dash))
		return -1;
	n = parse_fields(rest, f, 3);
	if (n < 0)
		return -1;
	if (dash) /* D-HH[:MM[:SS]] */
		sec = ((days * 24 + f[0]) * 60 + f[1]) * 60 + f[2];
	else if (n == 1)
		sec = f[0] * bare_sec;
	else if (n == 2) /* MM:SS */
		sec = f[0] * 60 + f[1];
	else
		sec = (f[0] * 60 + f[1]) * 60 + f[2];
	if (!(sec <= ASTRA_TIME_MAX_SEC))
		return -1;
	*out = sec;
	return 0;
}

void astra_print_time(double sec, char *text, size_t size)
{
	unsigned long s = (unsigned long)sec, d = s / 86400;

	if (d)
		snprintf(text, size, "%lu-%02lu:%02lu:%02lu", d, s / 3600 % 24,
			 s / 60 % 60, s % 60);
	else if (s >= 3600)
		snprintf(text, size, "%02lu:%02lu:%02lu", s / 3600, s / 60 % 60,
			 s % 60);
	else
		snprintf(text, size, "%02lu:%02lu", s / 60, s % 60);
}

static const struct {
	const char *name;
	int number;
} signal_names[] = {
	{"HUP", SIGHUP},   {"INT", SIGINT},   {"QUIT", SIGQUIT},
	{"ABRT", SIGABRT}, {"USR1", SIGUSR1}, {"USR2", SIGUSR2},
	{"ALRM", SIGALRM}, {"TERM", SIGTERM}, {"CONT", SIGCONT},
	{"XCPU", SIGXCPU}, {"URG", SIGURG},
};

int astra_parse_signal(const char *text)
{
	char *end;
	long number;

	if (!strncasecmp(text, "SIG", 3))
		text += 3;
	for (size_t i = 0; i < sizeof(signal_names) / sizeof(*signal_names);
	     i++)
		if (!strcasecmp(text, signal_names[i].name))
			return signal_names[i].number;
	if (!isdigit((unsigned char)*text))
		return -1;
	number = strtol(text, &end, 10);
	if (*end || number < 1 || number >= SIGRTMIN || number == SIGKILL ||
	    number == SIGSTOP)
		return -1;
	return (int)number;
}

/* Returns a pointer to the member that the row sets. */
static void *option_values_value_of(const struct astra_option *row,
				    struct astra_options *o)
{
	return (char *)o + row->sets[0].offset;
}

int astra_option_seconds(const struct astra_option *row,
			 struct astra_options *o, const char *text,
			 struct astra_error *err)
{
	if (astra_parse_time(text, 1, option_values_value_of(row, o)) < 0)
		return astra_error_set(err, "a time is seconds, MM:SS, "
					    "HH:MM:SS or D-HH:MM:SS, at most "
					    "10 years");
	return 0;
}

int astra_option_auto(const struct astra_option *row, struct astra_options *o,
		      const char *text, struct astra_error *err)
{
	double *out = option_values_value_of(row, o);

	if (strcasecmp(text, "auto"))
		return astra_option_seconds(row, o, text, err);
	*out = -1;
	return 0;
}

int astra_parse_bool(bool *out, const char *text, struct astra_error *err)
{
	if (!strcasecmp(text, "yes") || !strcasecmp(text, "true") ||
	    !strcmp(text, "1"))
		*out = true;
	else if (!strcasecmp(text, "no") || !strcasecmp(text, "false") ||
		 !strcmp(text, "0"))
		*out = false;
	else
		return astra_error_set(err, "allowed: yes, no");
	return 0;
}

int astra_option_bool(const struct astra_option *row, struct astra_options *o,
		      const char *text, struct astra_error *err)
{
	return astra_parse_bool(option_values_value_of(row, o), text, err);
}

int astra_option_count(const struct astra_option *row, struct astra_options *o,
		       const char *text, struct astra_error *err)
{
	uint32_t *out = option_values_value_of(row, o);
	double most = row->most > 0 ? row->most : 100000000;
	char *end;
	unsigned long n;

	errno = 0;
	n = strtoul(text, &end, 10);
	if (!isdigit((unsigned char)*text) || *end || errno || (double)n > most)
		return astra_error_set(err, "a whole number from 0 to %.0f",
				       most);
	*out = (uint32_t)n;
	return 0;
}

int astra_option_gpus(const struct astra_option *row, struct astra_options *o,
		      const char *text, struct astra_error *err)
{
	uint32_t *out = option_values_value_of(row, o);

	if (!strcasecmp(text, "quota"))
		*out = ASTRA_GPUS_QUOTA;
	else if (!strcasecmp(text, "none"))
		*out = ASTRA_GPUS_NONE;
	else if (astra_option_count(row, o, text, NULL) < 0)
		return astra_error_set(err, "a number of GPUs, quota or none");
	return 0;
}

int astra_parse_number(double *out, double min, double max, const char *text,
		       struct astra_error *err)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end || !(value >= min && value <= max))
		return astra_error_set(err, "a number from %g to %g", min, max);
	*out = value;
	return 0;
}

int astra_option_number(const struct astra_option *row, struct astra_options *o,
			const char *text, struct astra_error *err)
{
	return astra_parse_number(option_values_value_of(row, o), row->least,
				  row->most, text, err);
}

/* Reads a word. out: its index among the words. Returns 0, or -1 with err
 * set. */
static int parse_word(size_t *out, const char *const *words, const char *text,
		      struct astra_error *err)
{
	char all[256] = "";

	for (size_t i = 0; words[i]; i++) {
		if (!strcasecmp(words[i], text)) {
			*out = i;
			return 0;
		}
		snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s%s",
			 i ? ", " : "", words[i]);
	}
	return astra_error_set(err, "allowed: %s", all);
}

int astra_option_word(const struct astra_option *row, struct astra_options *o,
		      const char *text, struct astra_error *err)
{
	return parse_word(option_values_value_of(row, o), row->words, text,
			  err);
}

int astra_option_flag(const struct astra_option *row, struct astra_options *o,
		      const char *text, struct astra_error *err)
{
	bool *out = option_values_value_of(row, o);
	size_t word;

	if (parse_word(&word, row->words, text, err) < 0)
		return -1;
	*out = word == 1;
	return 0;
}
