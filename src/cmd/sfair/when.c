/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Times as Slurm's commands take them, by the parser that they have. */
#include <config.h> /* Slurm's */
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "slurm/slurm.h"
#include "src/cmd/sfair/sfair.h"
#include "src/common/parse_time.h"

/* Slurm's parser writes a complaint of its own: ours says more. */
static time_t parse_quietly(const char *text)
{
	int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	int saved = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	time_t when;

	fflush(stderr);
	if (saved >= 0 && nowhere >= 0)
		dup2(nowhere, STDERR_FILENO);
	when = parse_time(text, 1);
	fflush(stderr);
	if (saved >= 0 && nowhere >= 0)
		dup2(saved, STDERR_FILENO);
	if (saved >= 0)
		close(saved);
	if (nowhere >= 0)
		close(nowhere);
	return when;
}

int sfair_parse_time(const char *key, const char *text, double *sec,
		     struct astra_error *err)
{
	*sec = (double)parse_quietly(text);
	if (*sec > 0)
		return 0;
	return astra_error_set(err,
			       "%s=%.64s: is no time; allowed: HH:MM[:SS], "
			       "MM/DD[/YY], YYYY-MM-DD[THH:MM[:SS]], "
			       "now[-COUNT[days|hours|minutes]], today, "
			       "midnight",
			       key, text);
}

static void find_yesterday(double *start_sec, double *end_sec)
{
	time_t now = time(NULL);
	struct tm day;

	localtime_r(&now, &day);
	day.tm_hour = day.tm_min = day.tm_sec = 0;
	day.tm_isdst = -1;
	*end_sec = (double)mktime(&day);
	day.tm_mday--;
	day.tm_isdst = -1;
	*start_sec = (double)mktime(&day);
}

int sfair_parse_window(const char *start, const char *end, double *start_sec,
		       double *end_sec, struct astra_error *err)
{
	find_yesterday(start_sec, end_sec);
	if (start && sfair_parse_time("start", start, start_sec, err) < 0)
		return -1;
	if (*start_sec >= *end_sec)
		*end_sec = (double)time(NULL);
	if (end && sfair_parse_time("end", end, end_sec, err) < 0)
		return -1;
	if (*start_sec < *end_sec)
		return 0;
	return astra_error_set(err, "end=%.64s is not after start=%.64s",
			       end ? end : "now", start ? start : "yesterday");
}
