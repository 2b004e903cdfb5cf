/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a simulation has seen so far, as the last days' jobs of a pool: what
 * LeaseTerm=auto chooses a term by. */
#ifndef ASTRA_PAST_H
#define ASTRA_PAST_H

#include "src/sim/term.h"
#include "src/sim/virtual.h"

/* Choose a term by the jobs that came in the last ASTRA_TERM_DAYS of a
 * simulation, the last ASTRA_TERM_JOBS_MOST of them. A job that has not ended
 * counts with the work that it has done by now.
 * come: so many jobs of the trace have been submitted. options: of the pool;
 * lease_sec is the present term.
 * Returns 0, or -1 with err set. */
int astra_past_choose(struct astra_virtual *v, uint32_t come,
		      const struct astra_options *options,
		      struct astra_term_choice *out, struct astra_error *err);

#endif
