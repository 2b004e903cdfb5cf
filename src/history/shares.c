/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What users gain of A and F: what each of their jobs does, from one report to
 * the next. All of it is one sum per owner, too, which stays the same when a
 * task is split from its array: over a restart, that sum says what was gained.
 */
#include <math.h>

#include "src/history/writer_priv.h"

void astra_history_begin_share(struct astra_writer *w, struct hjob *j,
			       const struct astra_report_job *r)
{
	uint32_t at = ASTRA_IDMAP_NONE;
	struct hshare *of;

	j->share.base = w->time_sec > 0 ? BASE_JOB : BASE_NONE;
	j->share.copies = r->of.copies;
	if (r->array_id && r->array_id != r->of.id)
		at = astra_idmap_get(&w->by_id, r->array_id);
	if (at == ASTRA_IDMAP_NONE)
		return;
	of = &w->jobs[at].share;
	j->share = *of;
	j->share.copies = 1;
	if (of->copies)
		of->copies--;
}

void astra_history_share(struct astra_writer *w, struct hjob *j,
			 const struct astra_report_job *r)
{
	struct howner *o = &w->owners[j->owner];
	double half = w->pools[w->tenants[o->tenant].pool].half_life_sec;
	double alloc = 0, fair = 0;
	struct hshare *s = &j->share;

	if (s->base == BASE_JOB) {
		alloc = astra_history_grown(s->alloc_seen, r->of.usage.alloc,
					    w->gap_sec, half);
		fair = astra_history_grown(s->fair_seen, r->of.usage.fair,
					   w->gap_sec, half);
	} else if (s->base == BASE_OWNER) {
		o->back[0] += r->of.usage.alloc * r->of.copies;
		o->back[1] += r->of.usage.fair * r->of.copies;
	}
	if (!astra_history_over(r)) {
		o->sum[0] += r->of.usage.alloc * r->of.copies;
		o->sum[1] += r->of.usage.fair * r->of.copies;
	}
	o->alloc += alloc * s->copies;
	o->fair += fair * s->copies;
	s->alloc = half > 0 ? s->alloc + alloc : r->of.usage.alloc;
	s->fair = half > 0 ? s->fair + fair : r->of.usage.fair;
	s->alloc_seen = r->of.usage.alloc;
	s->fair_seen = r->of.usage.fair;
	s->copies = r->of.copies;
	s->base = BASE_JOB;
}

void astra_history_add_shares(struct astra_writer *w, struct howner *o)
{
	double half = w->pools[w->tenants[o->tenant].pool].half_life_sec;
	double gained[] = {o->alloc, o->fair}, *before = o->counter.value;

	for (unsigned i = 0; i < 2; i++) {
		if (o->counter.known && w->gap_sec > 0)
			gained[i] += astra_history_grown(before[i], o->back[i],
							 w->gap_sec, half);
		if (w->gap_sec > 0)
			astra_sums_spread(w->sums, ASTRA_SUMS_OWNER, o->id,
					  OWNER_ALLOC + i,
					  gained[i] / w->gap_sec, w->since_sec,
					  w->now_sec);
		before[i] = o->sum[i];
		o->sum[i] = o->back[i] = 0;
	}
	o->counter.known = true;
	o->alloc = o->fair = 0;
}
