/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Account for what has happened since the last round. The snapshot is compared
 * with the jobs that the engine remembers. The differences become events at the
 * times that slurmctld recorded. The events are sorted and go into the fairness
 * account. So the integrals are exact although rounds are seconds apart. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/common/number.h"
#include "src/engine/engine_priv.h"

enum event_kind {
	EVENT_SPLIT,  /* a task of an array becomes a job of its own */
	EVENT_ALLOC,  /* the job holds GPUs of this charge from now on */
	EVENT_BOOT,   /* as ALLOC, but the GPUs are not charged */
	EVENT_ACTIVE, /* this many copies of the job are active from now on */
	EVENT_OVER,   /* the job ran, and will not run again */
};

struct event {
	double at_sec;
	uint32_t order; /* order of finding, for events at equal times */
	uint32_t row;
	enum event_kind kind;
	double value;
};

struct sync {
	struct astra_engine *e;
	const struct astra_snapshot *snap;
	struct event *events;
	size_t count, room;
	bool changed;
	bool told; /* the host says what changed */
};

struct ejob *astra_engine_find(struct astra_engine *e, uint32_t id)
{
	uint32_t row = astra_idmap_get(&e->by_id, id);

	return row == ASTRA_IDMAP_NONE ? NULL : &e->jobs[row];
}

static int add_event(struct sync *s, double at_sec, uint32_t row,
		     enum event_kind kind, double value)
{
	if (astra_grow(&s->events, &s->room, s->count + 1, sizeof(*s->events)) <
	    0)
		return -1;
	s->events[s->count] = (struct event){
		.at_sec = fmin(fmax(at_sec, s->e->now_sec), s->snap->now_sec),
		.order = (uint32_t)s->count,
		.row = row,
		.kind = kind,
		.value = value,
	};
	s->count++;
	s->changed = true;
	return 0;
}

static int account_compare_events(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->at_sec != y->at_sec)
		return x->at_sec < y->at_sec ? -1 : 1;
	/* A split takes a copy off its array. The array's own event then says
	 * how many copies are left. */
	if ((x->kind == EVENT_SPLIT) != (y->kind == EVENT_SPLIT))
		return x->kind == EVENT_SPLIT ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* Jobs. */

static uint32_t account_new_row(struct astra_engine *e, uint32_t id)
{
	uint32_t row;

	if (e->vacant_count) {
		row = e->vacant[--e->vacant_count];
	} else {
		if (astra_grow(&e->jobs, &e->job_room, e->job_count + 1,
			       sizeof(*e->jobs)) < 0 ||
		    astra_grow(&e->vacant, &e->vacant_room, e->job_count + 1,
			       sizeof(*e->vacant)) < 0)
			return ASTRA_NONE;
		row = (uint32_t)e->job_count++;
	}
	e->jobs[row] = (struct ejob){.user = ASTRA_NONE};
	if (astra_idmap_put(&e->by_id, id, row) < 0) {
		e->vacant[e->vacant_count++] = row;
		return ASTRA_NONE;
	}
	e->jobs[row].id = id;
	return row;
}

static void count_user(struct astra_engine *e, const struct ejob *j, int by)
{
	if (j->user != ASTRA_NONE)
		e->users[j->user].jobs += (uint32_t)by;
}

static void account_forget(struct astra_engine *e, uint32_t row,
			   const struct astra_snapshot *snap)
{
	struct ejob *j = &e->jobs[row];

	if (j->ran)
		astra_place_end(e, snap, j, snap->now_sec);
	else
		astra_first_start_quit(e, j);
	astra_fairness_remove_job(e->account, snap->now_sec, j->account);
	astra_roster_drop(e, j);
	count_user(e, j, -1);
	astra_idle_leave(e, j);
	astra_grants_drop(e, j->id);
	if (j->refusals)
		astra_refusals_drop(e, j->id);
	astra_idmap_del(&e->by_id, j->id);
	*j = (struct ejob){0};
	e->vacant[e->vacant_count++] = row;
}

static double held_charge(const struct astra_job *job)
{
	return astra_charge(job->held_charge, astra_held_gpus(job));
}

static double asked_charge(const struct astra_job *job)
{
	return astra_charge(job->request.charge, job->request.gpus);
}

/* Return the demand of a job. A running job demands what it holds. An elastic
 * job demands as many GPUs as it can use. A new job may be a task whose split
 * from its array is still to be accounted: until then it has the array's
 * terms. */
static double demand_charge(const struct ejob *j, const struct astra_job *job)
{
	double held = job->state == ASTRA_JOB_RUNNING ? held_charge(job) : 0;

	if (astra_request_elastic(&job->request))
		return fmax(held, asked_charge(job));
	return j->seen && held > 0 ? held : asked_charge(job);
}

/* Find the array that a task was split from. Returns NULL if the task differs
 * from the array in tenant, size or weight. */
static struct ejob *account_parent_of(struct astra_engine *e,
				      const struct astra_job *job)
{
	struct ejob *parent;

	if (!job->array_id || job->array_id == job->id)
		return NULL;
	parent = astra_engine_find(e, job->array_id);
	if (!parent || parent->tenant != e->tenant_of[job->tenant] ||
	    parent->gpus != job->request.gpus || parent->weight != job->weight)
		return NULL;
	return parent;
}

/* Add a job with this title to the fairness account. Returns its index
 * there. */
static uint32_t account_of(struct astra_engine *e, const struct astra_title *t)
{
	if (t->user != ASTRA_NONE)
		return astra_fairness_add_user_job(e->account,
						   e->users[t->user].account,
						   t->weight, t->charge);
	return astra_fairness_add_job(e->account, e->tenants[t->tenant].account,
				      t->weight, t->charge);
}

static struct astra_title account_title_of(const struct sync *s,
					   const struct astra_job *job,
					   double charge)
{
	return (struct astra_title){
		.tenant = s->e->tenant_of[job->tenant],
		.user = astra_engine_user_of(s->e, s->snap, job),
		.weight = job->weight,
		.charge = charge,
	};
}

static void take_title(struct astra_engine *e, struct ejob *j,
		       const struct astra_title *title)
{
	count_user(e, j, -1);
	j->tenant = title->tenant;
	j->user = title->user;
	count_user(e, j, 1);
	j->weight = title->weight;
	j->charge = title->charge;
}

static uint32_t account_add_job(struct sync *s, const struct astra_job *job)
{
	struct astra_engine *e = s->e;
	uint32_t row = account_new_row(e, job->id);
	struct astra_title title = account_title_of(s, job, asked_charge(job));
	struct ejob *j, *parent;

	if (row == ASTRA_NONE)
		return ASTRA_NONE;
	j = &e->jobs[row];
	j->array_id = job->array_id;
	j->gpus = job->request.gpus;
	take_title(e, j, &title);
	j->submit_sec = job->submit_sec;
	j->state = ASTRA_JOB_BLOCKED;
	j->account = account_of(e, &title);
	if (j->account == ASTRA_NONE) {
		count_user(e, j, -1);
		*j = (struct ejob){0};
		astra_idmap_del(&e->by_id, job->id);
		e->vacant[e->vacant_count++] = row;
		return ASTRA_NONE;
	}
	parent = account_parent_of(e, job);
	if (parent) {
		j->submit_sec = parent->submit_sec;
		j->planned_end_sec = parent->planned_end_sec;
		j->collected = parent->collected;
		astra_first_start_split(e, parent, j);
		if (add_event(s, job->start_sec, row, EVENT_SPLIT, parent->id) <
		    0)
			return ASTRA_NONE;
	}
	return row;
}

/* Account that the job holds GPUs of this charge from at_sec on. */
static void account_hold(struct astra_engine *e, double at_sec,
			 uint32_t account, double charge, bool uncharged)
{
	astra_fairness_set_alloc(e->account, at_sec, account,
				 uncharged ? 0 : charge);
	astra_fairness_set_uncharged(e->account, at_sec, account,
				     uncharged ? charge : 0);
}

int astra_job_retitle(struct astra_engine *e, struct ejob *j,
		      const struct astra_title *title)
{
	struct astra_usage usage =
		astra_fairness_job(e->account, e->now_sec, j->account);
	uint32_t account = account_of(e, title);

	if (account == ASTRA_NONE)
		return -1;
	astra_fairness_restore_job(e->account, e->now_sec, account, usage);
	astra_fairness_remove_job(e->account, e->now_sec, j->account);
	j->account = account;
	take_title(e, j, title);
	if (astra_ejob_active(j))
		astra_fairness_set_active(e->account, e->now_sec, account,
					  j->copies);
	if (j->state == ASTRA_JOB_RUNNING)
		account_hold(e, e->now_sec, account, j->held_charge,
			     j->uncharged);
	return 0;
}

/* Give a job its new tenant, user, weight or size. Its integrals go on. */
static int retitle(struct sync *s, struct ejob *j, const struct astra_job *job)
{
	struct astra_title title =
		account_title_of(s, job, demand_charge(j, job));

	if (job->state == ASTRA_JOB_PENDING)
		astra_first_start_change(s->e, j, &job->request, &title);
	j->gpus = job->request.gpus;
	j->gpus_least = astra_request_least(&job->request);
	if (j->tenant == title.tenant && j->user == title.user &&
	    j->charge == title.charge && j->weight == title.weight)
		return 0;
	s->changed = true;
	return astra_job_retitle(s->e, j, &title);
}

/* Return when the last run ended, as far as the host knows. */
static double account_run_end(const struct sync *s, const struct astra_job *job)
{
	if (job->end_sec > 0)
		return job->end_sec;
	return job->state == ASTRA_JOB_RUNNING ? job->submit_sec
					       : s->snap->now_sec;
}

/* Return the charge of a run that is over. While a job is being cleaned up it
 * holds less and less. An elastic job may have run on fewer GPUs than it asks
 * for. */
static double run_charge(const struct astra_job *job)
{
	double held = held_charge(job);

	if (job->run_charge > 0)
		return job->run_charge;
	return held > 0 ? held : asked_charge(job);
}

/* Whether a run of the job started and ended, or was requeued, between two
 * rounds. If the clock was set back, a run that ended before the last round, by
 * the old clock, has been seen. */
static bool ran_unseen(const struct sync *s, const struct ejob *j,
		       const struct astra_job *job)
{
	bool waits = job->state == ASTRA_JOB_BLOCKED ||
		     job->state == ASTRA_JOB_PENDING;

	return job->state != ASTRA_JOB_RUNNING && job->start_sec > 0 &&
	       job->end_sec > s->e->now_sec &&
	       (!waits || j->restart_cnt != job->restart_cnt) &&
	       (j->state == ASTRA_JOB_BLOCKED || j->state == ASTRA_JOB_PENDING);
}

/* Whether the job's nodes came up after the last round and its run is over
 * already. */
static bool account_began_unseen(const struct sync *s, const struct ejob *j,
				 const struct astra_job *job)
{
	return j->state == ASTRA_JOB_RUNNING && j->uncharged &&
	       job->state != ASTRA_JOB_RUNNING &&
	       job->start_sec >= s->e->now_sec;
}

/* Note that what a running job holds has changed. If its nodes had to boot, its
 * run begins when they are up. */
static int account_run_on(struct sync *s, uint32_t row,
			  const struct astra_job *job, enum event_kind kind)
{
	const struct ejob *j = &s->e->jobs[row];
	double held = held_charge(job);

	if (held == j->held_charge && job->uncharged == j->uncharged)
		return 0;
	return add_event(s, j->uncharged ? job->start_sec : s->snap->now_sec,
			 row, kind, held);
}

static int alloc_events(struct sync *s, uint32_t row,
			const struct astra_job *job)
{
	const struct ejob *j = &s->e->jobs[row];
	enum event_kind kind = job->uncharged ? EVENT_BOOT : EVENT_ALLOC;
	bool runs = job->state == ASTRA_JOB_RUNNING;
	bool ran = j->state == ASTRA_JOB_RUNNING;

	if (runs && ran && j->restart_cnt == job->restart_cnt)
		return account_run_on(s, row, job, kind);
	if (account_began_unseen(s, j, job) &&
	    add_event(s, job->start_sec, row, EVENT_ALLOC, run_charge(job)) < 0)
		return -1;
	if (ran &&
	    add_event(s, account_run_end(s, job), row, EVENT_ALLOC, 0) < 0)
		return -1;
	if (runs)
		return add_event(s, job->start_sec, row, kind,
				 held_charge(job));
	if (ran_unseen(s, j, job)) {
		if (add_event(s, job->start_sec, row, EVENT_ALLOC,
			      run_charge(job)) < 0)
			return -1;
		return add_event(s, job->end_sec, row, EVENT_ALLOC, 0);
	}
	return 0;
}

/* Whether a job could not start even if all running jobs ended. A job that has
 * its GPUs fits, even if its nodes go down. A job that a cap stops is tried
 * too, since the cap may let it continue in this round. */
static bool account_unfit(struct sync *s, struct ejob *j,
			  const struct astra_job *job)
{
	if (job->state != ASTRA_JOB_PENDING &&
	    job->state != ASTRA_JOB_REQUEUED && !j->capped) {
		j->fits_key = 0;
		return false;
	}
	return !astra_fits(s->e, j, &job->request,
			   astra_contender_shape(j, s->snap, job));
}

static bool account_balked(const struct sync *s, struct ejob *j,
			   const struct astra_job *job)
{
	if (!j->balk.rounds)
		return false;
	return astra_refusals_balk(
		s->e, j, astra_job_waits(job) && job->copies >= j->copies,
		astra_contender_asked(s->snap, job), s->snap->now_sec);
}

static int active_events(struct sync *s, uint32_t row,
			 const struct astra_job *job, bool idle)
{
	const struct ejob *j = &s->e->jobs[row];
	double now = s->snap->now_sec, at = now;
	bool is = astra_job_active(job->state) && !idle,
	     was = astra_ejob_active(j);

	if (is == was && (!is || j->copies == job->copies))
		return 0;
	if (is && !was && !j->seen && !account_parent_of(s->e, job))
		at = job->submit_sec; /* seen for the first time */
	else if (is && !was && job->state == ASTRA_JOB_RUNNING)
		at = job->start_sec;
	else if (job->state == ASTRA_JOB_ENDING ||
		 job->state == ASTRA_JOB_ENDED)
		at = account_run_end(s, job);
	return add_event(s, at, row, EVENT_ACTIVE, is ? job->copies : 0);
}

/* Note that a job is over. What is left of its first term is known once its
 * last run is accounted for. */
static int over_events(struct sync *s, uint32_t row,
		       const struct astra_job *job)
{
	const struct ejob *j = &s->e->jobs[row];

	if (!j->ran || !j->place.nth ||
	    (job->state != ASTRA_JOB_ENDING && job->state != ASTRA_JOB_ENDED))
		return 0;
	return add_event(s, account_run_end(s, job), row, EVENT_OVER, 0);
}

void astra_account_again(struct astra_engine *e, uint32_t row)
{
	struct roster *roster = &e->roster;

	if (astra_grow(&roster->added, &roster->added_room,
		       roster->added_count + 1, sizeof(*roster->added)) == 0)
		roster->added[roster->added_count++] = row;
	else
		roster->known = false;
}

static int sync_job(struct sync *s, uint32_t index)
{
	const struct astra_job *job = &s->snap->jobs[index];
	struct astra_engine *e = s->e;
	uint32_t row = e->row_of[index]; /* is the row of the last round still
					  * right? */
	struct ejob *j;
	bool unfit, balked, revocable;

	if (row >= e->job_count || e->jobs[row].id != job->id)
		row = astra_idmap_get(&e->by_id, job->id);
	if (row == ASTRA_IDMAP_NONE)
		row = account_add_job(s, job);
	if (row == ASTRA_NONE)
		return -1;
	j = &e->jobs[row];
	if (s->told && astra_idle_move(e, j, job) < 0)
		return -1;
	j->shape = 0;
	unfit = account_unfit(s, j, job);
	balked = account_balked(s, j, job);
	if (retitle(s, j, job) < 0 ||
	    active_events(s, row, job, unfit || balked) < 0 ||
	    alloc_events(s, row, job) < 0)
		return -1;
	if (ran_unseen(s, j, job)) {
		astra_first_start_begin(e, j, job->start_sec);
		j->ran = true;
	}
	revocable = job->revocable && !astra_kept(e, j, job);
	astra_lease_follow(e, j, job, revocable, s->snap->now_sec, &s->changed);
	if (over_events(s, row, job) < 0)
		return -1;
	if (job->state == ASTRA_JOB_RUNNING)
		j->uncharged = job->uncharged;
	else if (account_began_unseen(s, j, job))
		j->uncharged = false;
	if (j->state != job->state || j->copies != job->copies)
		s->changed = true;
	j->state = job->state;
	j->unfit = unfit;
	j->balked = balked;
	j->copies = job->copies;
	j->held_gpus = astra_held_gpus(job);
	j->held_charge = held_charge(job);
	j->revocable = revocable;
	j->restart_cnt = job->restart_cnt;
	j->keep_until_sec = 0;
	if (!j->seen || j->balk.rounds)
		astra_account_again(e, row);
	j->seen = e->epoch;
	j->index = index;
	e->row_of[index] = row;
	if (!j->ran && j->state == ASTRA_JOB_PENDING)
		e->unbound = true;
	else if (!j->ran)
		astra_first_start_quit(e, j);
	astra_roster_put(e, j, job);
	return 0;
}

static int account_split(struct astra_engine *e, const struct event *ev)
{
	struct ejob *task = &e->jobs[ev->row];
	struct ejob *parent = astra_engine_find(e, (uint32_t)ev->value);
	uint32_t account, left;

	if (!parent)
		return 0;
	account = astra_fairness_split_job(e->account, ev->at_sec,
					   parent->account);
	if (account == ASTRA_NONE)
		return -1;
	left = astra_fairness_active(e->account, parent->account);
	if (left)
		astra_fairness_set_active(e->account, ev->at_sec,
					  parent->account, left - 1);
	astra_fairness_remove_job(e->account, ev->at_sec, task->account);
	task->account = account;
	task->charge = parent->charge;
	return 0;
}

/* Begin a new period of GPU hours if one has begun before at_sec. If the begin
 * is earlier than the last one, no new period has begun: the clock was set
 * back, or CapPeriod changed. */
static void account_begin_period(struct sync *s, double at_sec)
{
	double begin = s->snap->period_begin_sec;
	struct astra_engine *e = s->e;

	if (begin <= 0 || begin > at_sec || begin == e->period_begin_sec)
		return;
	if (begin > e->period_begin_sec && e->period_begin_sec > 0)
		astra_fairness_begin_period(e->account, begin);
	e->period_begin_sec = begin;
	s->changed = true;
}

static int apply_events(struct sync *s)
{
	struct astra_engine *e = s->e;

	if (s->count)
		qsort(s->events, s->count, sizeof(*s->events),
		      account_compare_events);
	for (size_t i = 0; i < s->count; i++) {
		const struct event *ev = &s->events[i];
		uint32_t account = e->jobs[ev->row].account;

		account_begin_period(s, ev->at_sec);
		if (ev->kind == EVENT_SPLIT) {
			if (account_split(e, ev) < 0)
				return -1;
		} else if (ev->kind == EVENT_ALLOC || ev->kind == EVENT_BOOT) {
			account_hold(e, ev->at_sec, account, ev->value,
				     ev->kind == EVENT_BOOT);
		} else if (ev->kind == EVENT_OVER) {
			astra_place_end(e, s->snap, &e->jobs[ev->row],
					ev->at_sec);
		} else {
			astra_fairness_set_active(e->account, ev->at_sec,
						  account, (uint32_t)ev->value);
		}
	}
	account_begin_period(s, s->snap->now_sec);
	return 0;
}

static void forget_unseen(struct sync *s)
{
	struct astra_engine *e = s->e;

	for (size_t i = 0; i < e->job_count; i++) {
		if (!e->jobs[i].id || e->jobs[i].seen == e->epoch)
			continue;
		account_forget(e, (uint32_t)i, s->snap);
		s->changed = true;
	}
}

static int sync_all(struct sync *s)
{
	struct astra_engine *e = s->e;
	const struct astra_snapshot *snap = s->snap;
	int rc = astra_tenants_map(e, snap);

	if (!rc)
		rc = astra_engine_users_map(e, snap);
	if (!rc)
		rc = astra_roster_begin(e, snap->job_count);
	if (!rc && !e->epoch++)
		astra_tenants_set_shares(e, snap, &s->changed);
	for (size_t i = 0; !rc && i < snap->job_count; i++)
		rc = sync_job(s, (uint32_t)i);
	if (!rc)
		rc = apply_events(s);
	if (rc < 0)
		return -1;
	forget_unseen(s);
	astra_tenants_set_shares(e, snap, &s->changed);
	return 0;
}

/* Rounds in which only some jobs changed. */

/* Collect the rows of the jobs at the indices that changed. A job that does not
 * appear at another index is gone. Returns the number of rows. */
static size_t vacate_changed(struct sync *s, uint32_t *rows)
{
	struct astra_engine *e = s->e;
	const struct astra_changes *changes = s->snap->changes;
	size_t left = s->snap->job_count, count = 0;

	for (size_t i = 0; i < changes->job_count; i++)
		if (changes->jobs[i] < e->roster.job_count &&
		    changes->jobs[i] < left)
			rows[count++] = changes->jobs[i];
	for (size_t i = left; i < e->roster.job_count; i++)
		rows[count++] = (uint32_t)i;
	for (size_t i = 0; i < count; i++) {
		astra_roster_vacate(&e->roster, rows[i]);
		rows[i] = e->row_of[rows[i]];
	}
	return count;
}

/* Look again at the jobs that were new in the last round or whose start was
 * refused. A job has the demand of its array until it has been seen once. */
static int sync_added(struct sync *s, size_t count)
{
	struct astra_engine *e = s->e;
	struct roster *roster = &e->roster;
	int rc = 0;

	for (size_t i = 0; !rc && i < count; i++) {
		const struct ejob *j = &e->jobs[roster->added[i]];

		if (j->id && j->seen != e->epoch &&
		    astra_ejob_listed(j, s->snap))
			rc = sync_job(s, j->index);
	}
	roster->added_count -= count;
	if (roster->added_count)
		memmove(roster->added, roster->added + count,
			roster->added_count * sizeof(*roster->added));
	return rc;
}

static void forget_gone(struct sync *s, uint32_t *rows, size_t count)
{
	struct astra_engine *e = s->e;

	if (count)
		qsort(rows, count, sizeof(*rows), astra_compare_u32);
	for (size_t i = 0; i < count; i++) {
		if (!e->jobs[rows[i]].id || e->jobs[rows[i]].seen == e->epoch)
			continue;
		account_forget(e, rows[i], s->snap);
		s->changed = true;
	}
}

static int sync_changed(struct sync *s)
{
	struct astra_engine *e = s->e;
	const struct astra_changes *changes = s->snap->changes;
	size_t added = e->roster.added_count, gone;
	size_t before = e->roster.job_count, now = s->snap->job_count;
	uint32_t *rows = calloc(changes->job_count + 1 +
					(before > now ? before - now : 0),
				sizeof(*rows));
	int rc;

	if (!rows)
		return -1;
	gone = vacate_changed(s, rows);
	rc = astra_roster_resize(e, s->snap->job_count);
	e->epoch++;
	for (size_t i = 0; !rc && i < changes->job_count; i++)
		if (changes->jobs[i] < s->snap->job_count)
			rc = sync_job(s, changes->jobs[i]);
	if (!rc)
		rc = sync_added(s, added);
	if (!rc)
		rc = apply_events(s);
	if (!rc)
		forget_gone(s, rows, gone);
	free(rows);
	return rc;
}

int astra_account_sync(struct round *r, struct astra_error *err)
{
	struct astra_engine *e = r->e;
	const struct astra_snapshot *snap = r->snap;
	struct sync s = {.e = e, .snap = snap, .told = r->told};
	int rc = astra_grow(&e->row_of, &e->row_of_room, snap->job_count + 1,
			    sizeof(*e->row_of));

	astra_roster_rebase(e, snap->now_sec);
	if (!rc)
		rc = astra_fits_begin(e, snap);
	if (!rc)
		rc = snap->changes ? sync_changed(&s) : sync_all(&s);
	if (!rc)
		e->now_sec = snap->now_sec;
	if (e->fits.more)
		e->roster.known = false;
	r->plan->changed |= s.changed;
	free(s.events);
	return rc < 0 ? astra_error_nomem(err) : 0;
}
