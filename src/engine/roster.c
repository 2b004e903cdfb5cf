/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/engine/roster.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/engine/engine_priv.h"

void astra_roster_clear(struct roster *roster)
{
	free(roster->memory);
	free(roster->ends);
	free(roster->over);
	free(roster->added);
	*roster = (struct roster){0};
}

static void roster_map(struct roster *roster, size_t room)
{
	size_t words = astra_set_words(room);

	roster->waiting = astra_set_at(roster->memory, room);
	roster->running = astra_set_at(roster->memory + words, room);
	roster->leaving = astra_set_at(roster->memory + 2 * words, room);
}

/* Forget all ends of leases; all of them must be noted again. */
static void roster_forget(struct astra_engine *e)
{
	e->roster.end_count = e->roster.over_count = 0;
	for (size_t i = 0; i < e->job_count; i++) {
		e->jobs[i].noted_end_sec = 0;
		e->jobs[i].over = false;
	}
	for (size_t i = 0; i < e->user_count; i++)
		e->users[i].jobs = 0;
	for (size_t i = 0; i < e->job_count; i++)
		if (e->jobs[i].id && e->jobs[i].user != ASTRA_NONE)
			e->users[e->jobs[i].user].jobs++;
}

static void roster_copy(const struct astra_set *to,
			const struct astra_set *from)
{
	ASTRA_ROSTER_EACH(i, from)
	astra_set_add(to, i);
}

int astra_roster_resize(struct astra_engine *e, size_t jobs)
{
	struct roster *roster = &e->roster, before = *roster;
	size_t room = jobs + jobs / 2 + 64;

	if (!roster->memory || jobs > roster->job_room) {
		roster->memory = calloc(3 * astra_set_words(room),
					sizeof(*roster->memory));
		if (!roster->memory) {
			roster->memory = before.memory;
			return -1;
		}
		roster_map(roster, room);
		roster->job_room = room;
		if (before.memory) {
			roster_copy(&roster->waiting, &before.waiting);
			roster_copy(&roster->running, &before.running);
			roster_copy(&roster->leaving, &before.leaving);
		}
		free(before.memory);
	}
	roster->job_count = jobs;
	return 0;
}

static void roster_empty(const struct astra_set *list)
{
	size_t words = list->word_count;

	memset(list->words, 0, (words + words / 64 + 1) * sizeof(*list->words));
}

int astra_roster_begin(struct astra_engine *e, size_t jobs)
{
	struct roster *roster = &e->roster;

	if (roster->memory) {
		roster_empty(&roster->waiting);
		roster_empty(&roster->running);
		roster_empty(&roster->leaving);
	}
	if (astra_roster_resize(e, jobs) < 0)
		return -1;
	roster->added_count = 0;
	if (!roster->known)
		roster_forget(e);
	roster->known = true;
	return 0;
}

static bool roster_before(const struct lease_end *x, const struct lease_end *y)
{
	return x->at_sec < y->at_sec;
}

static void roster_push(struct roster *roster, struct lease_end end)
{
	struct lease_end *heap = roster->ends;
	size_t at = roster->end_count++;

	for (; at && roster_before(&end, &heap[(at - 1) / 2]);
	     at = (at - 1) / 2)
		heap[at] = heap[(at - 1) / 2];
	heap[at] = end;
}

static void roster_pop(struct roster *roster)
{
	struct lease_end *heap = roster->ends, last;
	size_t count = --roster->end_count, at = 0, child;

	last = heap[count];
	for (; (child = 2 * at + 1) < count; at = child) {
		if (child + 1 < count &&
		    roster_before(&heap[child + 1], &heap[child]))
			child++;
		if (!roster_before(&heap[child], &last))
			break;
		heap[at] = heap[child];
	}
	heap[at] = last;
}

/* Whether the job has a lease that continues and may be taken back. */
static bool roster_leased(const struct ejob *j)
{
	return j->state == ASTRA_JOB_RUNNING && j->revocable &&
	       j->phase == ASTRA_PHASE_LEASED;
}

/* Advances. */

#define REBASE_SEC 1e5

static void advance_add(struct advance *a, const struct advance_part *part,
			double sign)
{
	a->charge = astra_exact_add(a->charge, 1, sign * part->charge);
	a->until_base =
		astra_exact_add(a->until_base, 1, sign * part->until_base);
	a->term = astra_exact_add(a->term, 1, sign * part->term);
}

static void roster_add_advance(struct astra_engine *e, const struct ejob *j,
			       double sign)
{
	advance_add(&e->tenants[j->advance_tenant].advance, &j->advance, sign);
	if (j->advance_user != ASTRA_NONE)
		advance_add(&e->users[j->advance_user].advance, &j->advance,
			    sign);
}

static struct advance_part advance_of(const struct astra_engine *e,
				      const struct ejob *j)
{
	if (j->state != ASTRA_JOB_RUNNING || j->phase != ASTRA_PHASE_LEASED ||
	    !isfinite(j->lease_end_sec))
		return (struct advance_part){0};
	if (!j->revocable)
		return (struct advance_part){
			.term = j->held_charge * fmax(j->lease_sec, 0),
		};
	return (struct advance_part){
		.charge = j->held_charge,
		.until_base = j->held_charge *
			      (j->lease_end_sec - e->roster.base_sec),
	};
}

static bool advance_same(const struct advance_part *x,
			 const struct advance_part *y)
{
	return x->charge == y->charge && x->until_base == y->until_base &&
	       x->term == y->term;
}

static bool advance_none(const struct advance_part *x)
{
	return advance_same(x, &(struct advance_part){0});
}

static void roster_advance(struct astra_engine *e, struct ejob *j)
{
	struct advance_part now = advance_of(e, j);

	if (advance_same(&now, &j->advance) &&
	    (advance_none(&now) ||
	     (j->advance_tenant == j->tenant && j->advance_user == j->user)))
		return;
	if (!advance_none(&j->advance))
		roster_add_advance(e, j, -1);
	j->advance = now;
	j->advance_tenant = j->tenant;
	j->advance_user = j->user;
	if (!advance_none(&now))
		roster_add_advance(e, j, 1);
}

void astra_roster_rebase(struct astra_engine *e, double now_sec)
{
	struct roster *roster = &e->roster;

	if (roster->known && fabs(now_sec - roster->base_sec) < REBASE_SEC)
		return;
	roster->base_sec = now_sec;
	for (size_t i = 0; i < e->tenant_count; i++)
		e->tenants[i].advance = (struct advance){0};
	for (size_t i = 0; i < e->user_count; i++)
		e->users[i].advance = (struct advance){0};
	for (size_t i = 0; i < e->job_count; i++) {
		e->jobs[i].advance = (struct advance_part){0};
		if (e->jobs[i].id)
			roster_advance(e, &e->jobs[i]);
	}
}

double astra_advance_sec(const struct astra_engine *e, const struct advance *a,
			 double now_sec)
{
	double passed = now_sec - e->roster.base_sec;

	return (a->until_base.sum - a->charge.sum * passed) +
	       (a->until_base.lost - a->charge.lost * passed) +
	       (a->term.sum + a->term.lost);
}

/* Return the job whose lease still ends at this end, or NULL. If the end is
 * void, forget that it was noted: a job that was told to leave may be spared
 * and get another lease with the same end, which must then be noted again. */
static struct ejob *roster_job(struct astra_engine *e,
			       const struct lease_end *end)
{
	struct ejob *j = &e->jobs[end->row];

	if (j->id != end->job)
		return NULL;
	if (j->lease_end_sec == end->at_sec && roster_leased(j))
		return j;
	if (j->noted_end_sec == end->at_sec)
		j->noted_end_sec = 0;
	return NULL;
}

/* Make room for an end. A void end stays in the heap until its time, and an
 * endless lease's end stays forever. So void ends are swept out before the heap
 * grows. The heap grows only if more than half of it is left. Returns 0, or -1
 * when memory is out. */
static int roster_make_room(struct astra_engine *e)
{
	struct roster *roster = &e->roster;
	size_t count = roster->end_count, need = count + 1;

	if (count && count == roster->end_room) {
		roster->end_count = 0;
		for (size_t i = 0; i < count; i++) {
			struct lease_end end = roster->ends[i];

			if (roster_job(e, &end))
				roster_push(roster, end);
		}
		need = roster->end_count > count / 2 ? 2 * count : 1;
	}
	return astra_grow(&roster->ends, &roster->end_room, need,
			  sizeof(*roster->ends));
}

/* Note the end of the job's lease. When memory is out the next round looks at
 * all jobs again. */
static void roster_note_end(struct astra_engine *e, struct ejob *j)
{
	struct roster *roster = &e->roster;

	if (!roster_leased(j) || j->noted_end_sec == j->lease_end_sec)
		return;
	if (roster_make_room(e) < 0) {
		roster->known = false;
		return;
	}
	j->noted_end_sec = j->lease_end_sec;
	roster_push(roster, (struct lease_end){
				    .at_sec = j->lease_end_sec,
				    .row = (uint32_t)(j - e->jobs),
				    .job = j->id,
			    });
}

void astra_lease_set_end(struct astra_engine *e, struct ejob *j, double end_sec)
{
	j->lease_end_sec = end_sec;
	roster_note_end(e, j);
	roster_advance(e, j);
}

static bool roster_leaves(const struct ejob *j)
{
	return j->state == ASTRA_JOB_REQUEUED || j->state == ASTRA_JOB_ENDING ||
	       j->phase == ASTRA_PHASE_DOOMED ||
	       j->phase == ASTRA_PHASE_GRACE || j->phase == ASTRA_PHASE_LEAVING;
}

static void roster_set(const struct astra_set *list, uint32_t index, bool is)
{
	if (is)
		astra_set_add(list, index);
	else
		astra_set_del(list, index);
}

void astra_job_set_phase(struct astra_engine *e, struct ejob *j,
			 enum astra_phase phase)
{
	j->phase = phase;
	if (j->index < e->roster.job_count)
		roster_set(&e->roster.leaving, j->index, roster_leaves(j));
	roster_note_end(e, j);
	roster_advance(e, j);
}

void astra_roster_vacate(struct roster *roster, uint32_t index)
{
	astra_set_del(&roster->waiting, index);
	astra_set_del(&roster->running, index);
	astra_set_del(&roster->leaving, index);
}

static void roster_uncount(struct roster *roster, const struct ejob *j)
{
	roster->elastic -= j->elastic;
	roster->bound_to_leave -= j->bound_to_leave;
}

void astra_roster_drop(struct astra_engine *e, struct ejob *j)
{
	roster_uncount(&e->roster, j);
	if (!advance_none(&j->advance))
		roster_add_advance(e, j, -1);
}

void astra_roster_put(struct astra_engine *e, struct ejob *j,
		      const struct astra_job *job)
{
	struct roster *roster = &e->roster;

	roster_uncount(roster, j);
	j->elastic = astra_request_elastic(&job->request);
	j->bound_to_leave = job->leave_sec > 0;
	roster_set(&roster->waiting, j->index, j->state == ASTRA_JOB_PENDING);
	roster_set(&roster->running, j->index, j->state == ASTRA_JOB_RUNNING);
	roster_set(&roster->leaving, j->index, roster_leaves(j));
	roster->elastic += j->elastic;
	roster->bound_to_leave += j->bound_to_leave;
	roster_note_end(e, j);
	roster_advance(e, j);
}

static void roster_drop_over(struct astra_engine *e, double until_sec)
{
	struct roster *roster = &e->roster;
	size_t kept = 0;

	for (size_t i = 0; i < roster->over_count; i++) {
		struct ejob *j = &e->jobs[roster->over[i]];

		if (!j->over)
			continue;
		if (roster_leased(j) && j->lease_end_sec <= until_sec) {
			roster->over[kept++] = roster->over[i];
			continue;
		}
		j->over = false;
		if (j->noted_end_sec <= until_sec)
			j->noted_end_sec = 0;
	}
	roster->over_count = kept;
}

void astra_roster_expire(struct astra_engine *e, double until_sec)
{
	struct roster *roster = &e->roster;

	roster_drop_over(e, until_sec);
	while (roster->end_count && roster->ends[0].at_sec <= until_sec) {
		struct ejob *j = roster_job(e, &roster->ends[0]);

		if (j && !j->over) {
			if (astra_grow(&roster->over, &roster->over_room,
				       roster->over_count + 1,
				       sizeof(*roster->over)) < 0)
				return;
			roster->over[roster->over_count++] =
				roster->ends[0].row;
			j->over = true;
		}
		roster_pop(roster);
	}
}

double astra_roster_next_end(struct astra_engine *e, double now_sec)
{
	struct roster *roster = &e->roster;

	astra_roster_expire(e, now_sec);
	while (roster->end_count && !roster_job(e, &roster->ends[0]))
		roster_pop(roster);
	return roster->end_count ? roster->ends[0].at_sec : HUGE_VAL;
}
