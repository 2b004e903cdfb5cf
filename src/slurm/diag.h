/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the host counts and measures of itself. The engine's thread only. */
#ifndef ASTRA_DIAG_H
#define ASTRA_DIAG_H

#include <stdint.h>

#include "src/common/error.h"
#include "src/proto/report.h"

struct astra_clock {
	uint64_t last_usec, sum_usec, max_usec, count;
};

struct astra_diag {
	double started_sec, reset_sec, round_sec;
	uint64_t rounds;
	struct astra_clock round, decide, snapshot, write_lock;
	uint32_t depth, queue;
	uint64_t started, skipped, state_saves;
	double state_saved_sec, config_sec;
	struct astra_error state_error, config_error, policy_error;
	struct astra_error config_warning;
};

/* Seconds since the host was booted: nobody sets this clock. */
double astra_boot_sec(void);

/* Microseconds of a clock that only goes forward. */
uint64_t astra_usec(void);

/* Add a measurement that began at astra_usec() == since. */
void astra_clock_add(struct astra_clock *clock, uint64_t since_usec);

struct astra_report_timing astra_clock_report(const struct astra_clock *clock);

/* Begin the numbers anew. */
void astra_diag_reset(struct astra_diag *diag, double now_sec);

#endif
