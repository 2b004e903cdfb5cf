/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Days, weeks and months in which GPU hours are counted (CapPeriod). */
#ifndef ASTRA_PERIOD_H
#define ASTRA_PERIOD_H

/* CapPeriod */
enum astra_period { ASTRA_PERIOD_DAY, ASTRA_PERIOD_WEEK, ASTRA_PERIOD_MONTH };

/* Find the period of a time if 1970 began at offset_sec. Weeks begin on
 * Mondays. begin_sec <= at_sec < end_sec. */
void astra_period_at(enum astra_period kind, double at_sec, double offset_sec,
		     double *begin_sec, double *end_sec);

/* Return the offset of the time zone in which this is a midnight. */
double astra_period_offset(double midnight_sec);

/* Return the end of the period that begins at begin_sec, a period's end in the
 * host's time zone. A change of summer time is ignored. */
double astra_period_next(enum astra_period kind, double begin_sec);

#endif
