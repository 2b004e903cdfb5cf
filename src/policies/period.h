/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Days, weeks and months in which GPU hours are counted (CapPeriod). */
#ifndef ASTRA_PERIOD_H
#define ASTRA_PERIOD_H

/* CapPeriod */
enum astra_period { ASTRA_PERIOD_DAY, ASTRA_PERIOD_WEEK, ASTRA_PERIOD_MONTH };

/* Finds the period that contains at_sec, if days begin offset_sec after
 * midnight UTC. Weeks begin on Mondays. *begin_sec <= at_sec < *end_sec. */
void astra_period_at(enum astra_period kind, double at_sec, double offset_sec,
		     double *begin_sec, double *end_sec);

/* Returns the offset of days from UTC, in a time zone where midnight_sec is a
 * midnight. */
double astra_period_offset(double midnight_sec);

/* Returns the end of the period that begins at begin_sec, itself a beginning of
 * a period in the host's time zone. Changes to and from summer time are
 * ignored. */
double astra_period_next(enum astra_period kind, double begin_sec);

#endif
