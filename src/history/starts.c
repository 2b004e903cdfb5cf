/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/history/writer_priv.h"

void astra_history_starts(struct astra_writer *w, struct hpool *p,
			  const struct astra_report_pool *r)
{
	const double counts[] = {
		[START_FIRST] = (double)r->first_starts,
		[START_LATE] = (double)r->over_bound,
	};

	for (unsigned i = START_FIRST; i <= START_LATE; i++)
		astra_sums_add(
			w->sums, ASTRA_SUMS_START, p->id, i,
			astra_counter_grown(&p->starts, i, counts[i], true),
			w->now_sec);
	p->starts.known = true;
}
