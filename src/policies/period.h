/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Days, weeks and months in which GPU hours are counted (CapPeriod). */
#ifndef ASTRA_PERIOD_H
#define ASTRA_PERIOD_H

/* The values of CapPeriod. */
enum astra_period { ASTRA_PERIOD_DAY, ASTRA_PERIOD_WEEK, ASTRA_PERIOD_MONTH };

/* Finds the period that contains at_sec. Days begin offset_sec after midnight
 * UTC, and weeks on Mondays. *begin_sec <= at_sec < *end_sec. */
void astra_period_at(enum astra_period kind, double at_sec, double offset_sec,
		     double *begin_sec, double *end_sec);

/* Returns the offset of local days from UTC days. midnight_sec: any midnight in
 * the time zone. */
double astra_period_offset(double midnight_sec);

/* Returns the end of the period that begins at begin_sec. begin_sec must be the
 * begin of a period in the host's time zone. Changes to and from summer time
 * are ignored. */
double astra_period_next(enum astra_period kind, double begin_sec);

#endif
