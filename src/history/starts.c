/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>

#include "src/history/writer_priv.h"

void astra_history_starts(struct astra_writer *w, struct hpool *p,
			  const struct astra_report_pool *r)
{
	const double counts[] = {
		[START_FIRST] = (double)r->counters.first_starts,
		[START_LATE] = (double)r->counters.over_bound,
	};

	for (unsigned i = START_FIRST; i <= START_LATE; i++)
		astra_sums_add(
			w->sums, ASTRA_SUMS_START, p->id, i,
			astra_counter_grown(&p->starts, i, counts[i], true),
			w->now_sec);
	p->starts.known = true;
}

/* A sum of rewards may fall; that of slots does when the policy began anew. */
void astra_history_slots(struct astra_writer *w, struct hpool *p,
			 const struct astra_report_pool *r)
{
	double before = p->slots.value[SLOT_REWARD];
	bool anew = r->slots < p->slots.value[SLOT_COUNT];
	double slots;

	if (!isfinite(r->reward) || !isfinite(r->slots))
		return;
	slots = astra_counter_grown(&p->slots, SLOT_COUNT, r->slots, true);
	if (p->slots.known && slots > 0) {
		astra_sums_add(w->sums, ASTRA_SUMS_SLOT, p->id, SLOT_REWARD,
			       r->reward - (anew ? 0 : before), w->now_sec);
		astra_sums_add(w->sums, ASTRA_SUMS_SLOT, p->id, SLOT_COUNT,
			       slots, w->now_sec);
	}
	p->slots.value[SLOT_REWARD] = r->reward;
	p->slots.known = true;
}
