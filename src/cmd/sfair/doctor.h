/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Declarations shared by the files of sfair doctor. */
#ifndef SFAIR_DOCTOR_H
#define SFAIR_DOCTOR_H

#include <stdbool.h>

#include "src/common/text.h"

enum doctor_level { DOCTOR_GOOD, DOCTOR_WARNING, DOCTOR_ERROR };

struct doctor {
	bool quiet; /* good findings are not printed */
	unsigned warnings, errors;
	struct astra_text said; /* warnings and errors, one a line */
};

/* Prints a finding, formatted as by printf(): what is wrong or right, and what
 * to do. */
void doctor_say(struct doctor *d, enum doctor_level level, const char *format,
		...) __attribute__((format(printf, 3, 4)));

/* doctor_host.c: checks what can be seen on this host. Slurm's configuration is
 * loaded. here: slurmctld runs on this host, or should. */
void doctor_host(struct doctor *d, bool here);

/* doctor_live.c: checks the plugin's replies about itself and about jobs. */
void doctor_live(struct doctor *d);

#endif
