/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the host counts and measures of itself. The engine's thread only,
 * unless it says so. */
#ifndef ASTRA_DIAG_H
#define ASTRA_DIAG_H

#include <stdint.h>

#include "src/common/error.h"
#include "src/proto/report.h"

struct astra_diag {
	/* What a report has of it, less what is added to that then. */
	struct astra_report_diag of;
	struct astra_error config_error;
	struct astra_error scene_error; /* why there was no picture last */
	struct astra_error config_warning;
};

/* Seconds since the host was booted: nobody sets this clock. */
double astra_boot_sec(void);

/* The round thread follows a clock that was set, in its next round. Times that
 * come in between are noted by the clock as the rounds know it.
 * boot_sec: the moment of boot, by that clock. */
void astra_clock_follow(double boot_sec);

/* Return the present time by the clock as the rounds know it: now_sec, unless
 * the clock was set since the last round. Any thread. */
double astra_clock_followed(double now_sec);

/* A clock that is off by less than this was not set. */
#define ASTRA_JUMP_SEC 3

/* Microseconds of a clock that only goes forward. */
uint64_t astra_usec(void);

/* Add a measurement that began at astra_usec() == since. */
void astra_clock_add(struct astra_report_timing *clock, uint64_t since_usec);

/* Begin the numbers anew. */
void astra_diag_reset(struct astra_diag *diag, double now_sec);

#endif
