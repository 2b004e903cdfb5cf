/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The inside of sfair doctor. */
#ifndef SFAIR_DOCTOR_H
#define SFAIR_DOCTOR_H

#include <stdbool.h>

#include "src/common/text.h"

enum doctor_level { DOCTOR_GOOD, DOCTOR_WARNING, DOCTOR_ERROR };

struct doctor {
	bool quiet; /* what is good is not said */
	unsigned warnings, errors;
	struct astra_text said; /* warnings and errors, a line each */
};

/* Print a finding, as printf() does: what is so, and what to do. */
void doctor_say(struct doctor *d, enum doctor_level level, const char *format,
		...) __attribute__((format(printf, 3, 4)));

/* doctor_host.c: what this host can know by itself. Slurm's configuration is
 * loaded. here: slurmctld runs on it, or is to. */
void doctor_host(struct doctor *d, bool here);

/* doctor_live.c: what the plugin in slurmctld answers, of itself and of jobs.
 */
void doctor_live(struct doctor *d);

#endif
