/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the host counts and measures about itself. Used by the engine's thread
 * only, except where a comment says otherwise. */
#ifndef ASTRA_DIAG_H
#define ASTRA_DIAG_H

#include <stdint.h>

#include "src/common/error.h"
#include "src/proto/report.h"

struct astra_diag {
	/* The part of a report's diag that is counted here; publish.c adds the
	 * rest. */
	struct astra_report_diag of;
	struct astra_error config_error;
	struct astra_error scene_error; /* why there was no snapshot last
					 * time */
	struct astra_error config_warning;
};

/* Return the seconds since the host was booted. Nobody can set this clock. */
double astra_boot_sec(void);

/* Note which clock the rounds follow. If the clock is set, times are noted by
 * the old clock until the next round follows the new one. boot_sec: the moment
 * of boot, by the clock. Rounds' thread only. */
void astra_clock_follow(double boot_sec);

/* Return the present time by the clock that the rounds follow: now_sec, unless
 * the clock was set since the last round. May be called from any thread. */
double astra_clock_followed(double now_sec);

/* A difference below this does not mean that the clock was set. */
#define ASTRA_JUMP_SEC 3

/* Return the microseconds of the monotonic clock. */
uint64_t astra_usec(void);

/* Add a measurement that began at since_usec, a value of astra_usec(). */
void astra_clock_add(struct astra_report_timing *clock, uint64_t since_usec);

/* Reset the counts. */
void astra_diag_reset(struct astra_diag *diag, double now_sec);

#endif
