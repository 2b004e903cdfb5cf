/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the host counts and measures of itself. Used by the engine's thread
 * only, except where a comment says otherwise. */
#ifndef ASTRA_DIAG_H
#define ASTRA_DIAG_H

#include <stdint.h>

#include "src/common/error.h"
#include "src/proto/report.h"

struct astra_diag {
	/* The part of a report that is counted here; the rest is added to the
	 * report. */
	struct astra_report_diag of;
	struct astra_error config_error;
	struct astra_error scene_error; /* why there was no snapshot last
					 * time */
	struct astra_error config_warning;
};

/* Return the seconds since the host was booted: nobody sets this clock. */
double astra_boot_sec(void);

/* Follow a clock that was set, in the next round. Until then times are noted by
 * the clock as the rounds know it. boot_sec: the moment of boot, by that clock.
 * Rounds' thread only. */
void astra_clock_follow(double boot_sec);

/* Return the present time by the clock as the rounds know it: now_sec, unless
 * the clock was set since the last round. Any thread. */
double astra_clock_followed(double now_sec);

/* A clock that is off by less than this was not set. */
#define ASTRA_JUMP_SEC 3

/* Return the microseconds of a clock that only goes forward. */
uint64_t astra_usec(void);

/* Add a measurement that began at since_usec, by astra_usec(). */
void astra_clock_add(struct astra_report_timing *clock, uint64_t since_usec);

/* Reset the counts. */
void astra_diag_reset(struct astra_diag *diag, double now_sec);

#endif
