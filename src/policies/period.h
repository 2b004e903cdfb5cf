/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Days, weeks and months in which GPU hours are counted (CapPeriod). */
#ifndef ASTRA_PERIOD_H
#define ASTRA_PERIOD_H

/* CapPeriod */
enum astra_period { ASTRA_PERIOD_DAY, ASTRA_PERIOD_WEEK, ASTRA_PERIOD_MONTH };

/* The period that a time is in, where 1970 began at offset_sec. Weeks begin on
 * Mondays. begin_sec <= at_sec < end_sec. */
void astra_period_at(enum astra_period kind, double at_sec, double offset_sec,
		     double *begin_sec, double *end_sec);

/* A midnight of the host's time zone, from 1970 on, where this is one. */
double astra_period_offset(double midnight_sec);

/* The period that begins at begin_sec, the end of one in the host's time zone:
 * as long as there, but for a change of summer time. Returns its end. */
double astra_period_next(enum astra_period kind, double begin_sec);

#endif
