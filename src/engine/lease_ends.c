/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When running jobs leave their GPUs, by themselves or because they are
 * recalled. Computed once a round, for all calendars. */
#include <math.h>
#include <stdlib.h>

#include "src/common/number.h"
#include "src/engine/calendar.h"

static int compare_moments(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;

	if (x->at_sec != y->at_sec)
		return x->at_sec < y->at_sec ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

double astra_natural_end(const struct round *r, const struct ejob *j,
			 const struct astra_job *job)
{
	double now = r->snap->now_sec;

	if (job->suspended)
		return HUGE_VAL;
	if (j->revocable)
		return astra_max(astra_max(now, j->lease_end_sec),
				 j->start_sec + j->min_run_sec);
	if (j->keep_until_sec > 0)
		return astra_max(now, j->keep_until_sec);
	if (job->time_limit_sec > 0)
		return astra_max(now, job->start_sec + job->time_limit_sec);
	return HUGE_VAL;
}

double astra_recall_sec(const struct round *r, const struct ejob *j,
			const struct astra_job *job)
{
	double from_sec;

	if (astra_lease_stays(j, job))
		return HUGE_VAL;
	from_sec = astra_recall_from(r, j);
	if (r->e->policy->slots)
		from_sec = fmin(from_sec, j->lease_start_sec + j->lease_sec);
	return astra_max(r->snap->now_sec + 1, from_sec);
}

/* List the leases that continue, and those among them that may be recalled, but
 * not at once. */
static int find_ends(struct turns *t)
{
	const struct round *r = t->r;

	if (astra_turns_running(t) < 0)
		return -1;
	t->ends = calloc(t->running_count + 1, sizeof(*t->ends));
	t->recent = calloc(t->running_count + 1, sizeof(*t->recent));
	if (!t->ends || !t->recent)
		return -1;
	for (size_t k = 0; k < t->running_count; k++) {
		struct running *v = &t->running[k];
		const struct ejob *j = &r->e->jobs[v->row];
		const struct astra_job *job = &r->snap->jobs[v->index];

		if (j->phase != ASTRA_PHASE_LEASED)
			continue;
		v->tenant = j->tenant;
		v->natural_sec = astra_natural_end(r, j, job);
		v->recall_sec = astra_recall_sec(r, j, job);
		t->ends[t->end_count++].order = k;
		if ((v->recall_sec > r->snap->now_sec + 1 ||
		     r->e->policy->slots) &&
		    v->recall_sec < v->natural_sec)
			t->recent[t->recent_count++] = k;
	}
	return 0;
}

/* Sort the ends. Unless this is the first time they are nearly sorted, since a
 * hold cuts only a few leases. */
static void sort_ends(struct turns *t, bool first)
{
	for (size_t k = 0; k < t->end_count; k++) {
		size_t order = t->ends[k].order;
		struct moment x = {t->running[order].natural_sec, order};
		size_t at = k;

		for (;
		     !first && at && compare_moments(&t->ends[at - 1], &x) > 0;
		     at--)
			t->ends[at] = t->ends[at - 1];
		t->ends[at] = x;
	}
	if (first && t->end_count)
		qsort(t->ends, t->end_count, sizeof(*t->ends), compare_moments);
}

int astra_lease_ends(struct turns *t)
{
	bool first = !t->ends;

	if (first && find_ends(t) < 0)
		return -1;
	if (first || t->cut)
		sort_ends(t, first);
	t->cut = false;
	return 0;
}
