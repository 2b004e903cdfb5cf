/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Presents a simulation so far as the last days of a pool, from which
 * LeaseTerm=auto chooses a term. */
#ifndef ASTRA_PAST_H
#define ASTRA_PAST_H

#include "src/sim/term.h"
#include "src/sim/virtual.h"

/* Chooses a term by the jobs submitted in the last ASTRA_TERM_DAYS of a
 * simulation, at most the last ASTRA_TERM_JOBS_MOST. A job that has not ended
 * counts with the work done so far. come: how many of the trace's jobs have
 * been submitted. options: the pool's; lease_sec is the present term. Returns
 * 0, or -1 with err set. */
int astra_past_choose(struct astra_virtual *v, uint32_t come,
		      const struct astra_options *options,
		      struct astra_term_choice *out, struct astra_error *err);

#endif
