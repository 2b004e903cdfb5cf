/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policies/period.h"

#include <math.h>
#include <stdint.h>

#define DAY_SEC 86400.0

/* Returns the days from 1970-01-01 to the first of a month, 1 to 12, of the
 * Gregorian calendar. Internally years begin in March. */
static int64_t period_days_to(int64_t year, int month)
{
	int64_t y = month <= 2 ? year - 1 : year;
	int64_t era = (y >= 0 ? y : y - 399) / 400, of_era = y - era * 400;
	int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5;

	return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 +
	       of_year - 719468;
}

/* Finds the first day of the month that a day is in, and of the next month. */
static void period_month(int64_t day, int64_t *first, int64_t *next)
{
	int64_t year = 1970 + (int64_t)floor((double)day / 365.2425);
	int month = 1;

	while (period_days_to(year, 1) > day)
		year--;
	while (period_days_to(year + 1, 1) <= day)
		year++;
	while (month < 12 && period_days_to(year, month + 1) <= day)
		month++;
	*first = period_days_to(year, month);
	*next = month < 12 ? period_days_to(year, month + 1)
			   : period_days_to(year + 1, 1);
}

void astra_period_at(enum astra_period kind, double at_sec, double offset_sec,
		     double *begin_sec, double *end_sec)
{
	int64_t day = (int64_t)floor((at_sec - offset_sec) / DAY_SEC);
	int64_t first = day, next = day + 1;

	if (kind == ASTRA_PERIOD_WEEK) {
		first = day - ((day + 3) % 7 + 7) % 7;
		next = first + 7;
	} else if (kind == ASTRA_PERIOD_MONTH) {
		period_month(day, &first, &next);
	}
	*begin_sec = (double)first * DAY_SEC + offset_sec;
	*end_sec = (double)next * DAY_SEC + offset_sec;
}

/* Returns a negative offset for time zones east of Greenwich, where days begin
 * before UTC's. */
double astra_period_offset(double midnight_sec)
{
	double offset = fmod(midnight_sec, DAY_SEC);

	return offset > DAY_SEC / 2 ? offset - DAY_SEC : offset;
}

double astra_period_next(enum astra_period kind, double begin_sec)
{
	double begin, end;

	astra_period_at(kind, begin_sec, astra_period_offset(begin_sec), &begin,
			&end);
	return end;
}
