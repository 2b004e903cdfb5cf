/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Grants outlive the round that made them: the GPUs may still be held by jobs
 * that have to leave first. A grant reserves its GPUs until all of them are
 * free. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/common/number.h"
#include "src/engine/hold.h"

int astra_grants_add(struct astra_engine *e, uint32_t job, double until_sec,
		     const struct astra_share *shares, size_t count)
{
	struct ejob *j = astra_engine_find(e, job);
	struct grant *g;

	if (!j || astra_grow(&e->grants, &e->grant_room, e->grant_count + 1,
			     sizeof(*e->grants)) < 0)
		return -1;
	g = &e->grants[e->grant_count];
	g->shares = malloc(count * sizeof(*shares));
	if (!g->shares)
		return -1;
	memcpy(g->shares, shares, count * sizeof(*shares));
	g->job = job;
	g->until_sec = astra_caps_end(e, j, until_sec);
	g->told_sec = e->now_sec;
	g->count = count;
	e->grant_count++;
	j->grants++;
	return 0;
}

static void grant_end(struct astra_engine *e, struct grant *g)
{
	struct ejob *j = astra_engine_find(e, g->job);

	if (j && !--j->grants) {
		j->served = false;
		if (j->state != ASTRA_JOB_RUNNING)
			j->collected = false;
	}
	free(g->shares);
}

void astra_grants_drop_at(struct astra_engine *e, size_t at)
{
	grant_end(e, &e->grants[at]);
	memmove(&e->grants[at], &e->grants[at + 1],
		(e->grant_count - at - 1) * sizeof(*e->grants));
	e->grant_count--;
}

void astra_grants_drop(struct astra_engine *e, uint32_t job)
{
	for (size_t i = e->grant_count; i-- > 0;)
		if (e->grants[i].job == job)
			astra_grants_drop_at(e, i);
}

size_t astra_grants_of(const struct astra_engine *e, uint32_t job)
{
	uint32_t row = astra_idmap_get(&e->by_id, job);

	return row == ASTRA_IDMAP_NONE ? 0 : e->jobs[row].grants;
}

/* Whether the grant's GPUs are free or coming, and its nodes are still
 * usable. */
static bool still_possible(const struct round *r, const struct grant *g)
{
	for (size_t i = 0; i < g->count; i++) {
		const struct astra_share *s = &g->shares[i];

		if (s->node >= r->snap->node_count ||
		    !r->snap->nodes[s->node].usable ||
		    astra_space_get(r->idle, s->node)->gpus +
				    r->coming[s->node] <
			    s->gpus)
			return false;
	}
	return true;
}

enum readiness { GRANT_READY, GRANT_WAITING, GRANT_BROKEN };

/* Return the request of the granted job, which waits or has to leave first. */
static const struct astra_request *grant_request(const struct round *r,
						 const struct grant *g)
{
	return &r->snap->jobs[astra_engine_find(r->e, g->job)->index].request;
}

void astra_shares_own(const struct round *r, uint32_t job,
		      struct astra_share *shares, size_t count)
{
	const struct ejob *j = astra_engine_find(r->e, job);
	const struct astra_request *q = &r->snap->jobs[j->index].request;

	for (size_t i = 0; i < count; i++) {
		shares[i].owner = q->owner;
		shares[i].alone = q->alone;
	}
}

/* Return how ready a grant is. It is broken if GPUs are free, but not the CPUs
 * or memory beside them, or if jobs of another owner are on the node. Other
 * jobs took these, so waiting will not help. */
static enum readiness readiness(const struct round *r, const struct grant *g)
{
	const struct astra_request *q = grant_request(r, g);
	enum readiness all = GRANT_READY;

	for (size_t i = 0; i < g->count; i++) {
		const struct astra_share *s = &g->shares[i];
		const struct astra_room *room =
			astra_space_get(r->idle, s->node);

		if (room->gpus < s->gpus)
			all = GRANT_WAITING;
		else if (room->cpus < s->cpus || room->mem_mib < s->mem_mib ||
			 astra_room_strange(room, q)) {
			if (!r->coming[s->node])
				return GRANT_BROKEN;
			all = GRANT_WAITING;
		}
	}
	return all;
}

/* Whether leases have to end for the grant whose jobs have not been told to
 * leave yet (MaxReclaim). */
static bool grant_is_untold(const struct round *r, const struct grant *g)
{
	return g->told_sec >= r->snap->now_sec;
}

/* Note the CPUs and memory that a grant still lacks, so that they do not count
 * as free when the jobs that hold them leave. Nothing is noted for a served
 * hold whose jobs have not been told to leave yet: none of their resources
 * count as free. */
static void grant_note_missing(struct round *r, const struct grant *g,
			       const struct astra_share *share,
			       const struct astra_share *part)
{
	struct astra_share *m = &r->missing[r->missing_count];

	if (part->cpus == share->cpus && part->mem_mib == share->mem_mib)
		return;
	if (astra_engine_find(r->e, g->job)->served && grant_is_untold(r, g))
		return;
	*m = (struct astra_share){
		.node = share->node,
		.cpus = share->cpus - part->cpus,
		.mem_mib = share->mem_mib - part->mem_mib,
	};
	r->missing_count++;
}

/* Set aside what is free of a grant; the rest is counted as coming. */
static void grant_reserve(struct round *r, const struct grant *g)
{
	for (size_t i = 0; i < g->count; i++) {
		struct astra_share part = g->shares[i];
		const struct astra_room *room =
			astra_space_get(r->idle, part.node);
		uint32_t missing = 0;

		if (room->gpus < part.gpus) {
			missing = part.gpus - room->gpus;
			part.gpus = room->gpus;
		}
		if (room->cpus < part.cpus)
			part.cpus = room->cpus;
		if (room->mem_mib < part.mem_mib)
			part.mem_mib = room->mem_mib;
		r->coming[part.node] -= missing;
		astra_space_take(r->idle, &part);
		grant_note_missing(r, g, &g->shares[i], &part);
	}
}

/* Whether the job runs but has to leave, to start again elsewhere. */
static bool grant_moves(const struct ejob *j)
{
	return j->state == ASTRA_JOB_RUNNING && j->phase != ASTRA_PHASE_LEASED;
}

/* Whether the job can still use the grant: its request may have changed. */
static bool grant_wanted(struct round *r, const struct grant *g)
{
	const struct ejob *j = astra_engine_find(r->e, g->job);

	return j &&
	       (j->state == ASTRA_JOB_PENDING ||
		j->state == ASTRA_JOB_REQUEUED || grant_moves(j)) &&
	       j->grants <= j->copies &&
	       astra_request_suits(&r->snap->jobs[j->index].request,
				   astra_shares_gpus(g->shares, g->count));
}

/* Let those jobs compete again whose GPUs were granted to a job that no longer
 * wants them. */
static void spare_doomed(struct round *r)
{
	struct astra_engine *e = r->e;

	ASTRA_ROSTER_EACH(i, &e->roster.leaving)
	{
		struct ejob *j = &e->jobs[e->row_of[i]];

		if (j->phase != ASTRA_PHASE_DOOMED ||
		    j->doomed_for == ASTRA_NONE ||
		    astra_grants_of(e, j->doomed_for))
			continue;
		astra_job_set_phase(e, j, ASTRA_PHASE_LEASED);
		j->doomed_for = 0;
		astra_budget_return(e, j);
	}
}

/* Set `awaits` of each job for which other jobs have yet to be told to
 * leave. */
static void grants_mark_untold(struct astra_engine *e, bool awaits)
{
	ASTRA_ROSTER_EACH(i, &e->roster.leaving)
	{
		const struct ejob *j = &e->jobs[e->row_of[i]];
		struct ejob *winner = astra_engine_find(e, j->doomed_for);

		if (winner && j->phase == ASTRA_PHASE_DOOMED)
			winner->awaits = awaits;
	}
}

/* Restart the waiting time of grants for which jobs have not been told to leave
 * yet, because of MaxReclaim. */
static void grants_note_untold(struct astra_engine *e)
{
	if (!e->grant_count)
		return;
	grants_mark_untold(e, true);
	for (size_t k = 0; k < e->grant_count; k++) {
		const struct ejob *j = astra_engine_find(e, e->grants[k].job);

		if (j && j->awaits)
			e->grants[k].told_sec = e->now_sec;
	}
	grants_mark_untold(e, false);
}

/* Whether the job's GPUs and its room in limits should be there by now but are
 * not, for any reason. */
static bool grant_in_vain(const struct round *r, const struct grant *g)
{
	return (readiness(r, g) == GRANT_WAITING ||
		astra_engine_find(r->e, g->job)->lacks) &&
	       g->told_sec + astra_leave_sec(r->e, r->snap) < r->snap->now_sec;
}

/* Allocate r->missing. Returns 0, or -1 when memory is out. */
static int grants_make_missing(struct round *r)
{
	size_t shares = 0;

	for (size_t i = 0; i < r->e->grant_count; i++)
		shares += r->e->grants[i].count;
	r->missing = calloc(shares + 1, sizeof(*r->missing));
	return r->missing ? 0 : -1;
}

/* Get into *room what limits leave to grants; NULL if there are no limits.
 * Returns 0, or -1 when memory is out. */
static int grants_find_room(const struct round *r,
			    int64_t *(*find)(const struct round *r),
			    int64_t **room)
{
	*room = r->e->grant_count && r->snap->limit_count ? find(r) : NULL;
	return *room || !r->e->grant_count || !r->snap->limit_count ? 0 : -1;
}

/* Whether a limit leaves a granted job no room. If there is room, the job takes
 * it. */
static bool grant_lacks_room(const struct round *r, const struct ejob *j,
			     int64_t *room)
{
	const struct astra_job *job;

	if (!room || j->state != ASTRA_JOB_PENDING)
		return false;
	job = &r->snap->jobs[j->index];
	if (astra_rights_lack(room, job))
		return true;
	astra_rights_count(room, job, -1);
	return false;
}

int astra_grants_revise(struct round *r)
{
	struct astra_engine *e = r->e;
	int64_t *room;
	size_t kept = 0;

	if ((e->grant_count && grants_make_missing(r) < 0) ||
	    grants_find_room(r, astra_rights_coming, &room) < 0)
		return -1;
	grants_note_untold(e);
	for (size_t i = 0; i < e->grant_count; i++) {
		struct grant *g = &e->grants[i];

		if (!grant_wanted(r, g) || !still_possible(r, g) ||
		    readiness(r, g) == GRANT_BROKEN || grant_in_vain(r, g) ||
		    grant_lacks_room(r, astra_engine_find(e, g->job), room)) {
			grant_end(e, g);
			continue;
		}
		e->grants[kept] = *g;
		g = &e->grants[kept++];
		astra_shares_own(r, g->job, g->shares, g->count);
		if (readiness(r, g) == GRANT_WAITING ||
		    astra_engine_find(e, g->job)->state != ASTRA_JOB_PENDING)
			grant_reserve(r, g);
		else
			for (size_t k = 0; k < g->count; k++)
				astra_space_take(r->idle, &g->shares[k]);
	}
	free(room);
	e->grant_count = kept;
	spare_doomed(r);
	return 0;
}

/* Whether the node had jobs on it, when the host looked, with which this job
 * may not share it. */
static bool grant_finds_strangers(const struct astra_node *n,
				  const struct astra_request *q)
{
	struct astra_room room = {
		.whole = n->gpus_free == n->gpus && n->cpus_free == n->cpus,
		.owner = n->owner,
		.alone = n->alone,
	};

	return astra_room_strange(&room, q);
}

/* Whether all shares of the grant were free when the host looked. */
static bool free_now(const struct round *r, const struct grant *g,
		     struct astra_room *taken)
{
	const struct astra_request *q = grant_request(r, g);
	bool ready = true;

	for (size_t i = 0; i < g->count; i++) {
		const struct astra_share *s = &g->shares[i];
		const struct astra_node *n = &r->snap->nodes[s->node];

		struct astra_room *t = &taken[s->node];

		t->gpus += s->gpus;
		t->cpus += s->cpus;
		t->mem_mib += s->mem_mib;
		if (n->settling || grant_finds_strangers(n, q) ||
		    t->gpus > n->gpus_free || t->cpus > n->cpus_free ||
		    t->mem_mib > n->mem_free_mib)
			ready = false;
	}
	return ready;
}

static int grant_start(struct round *r, const struct grant *g)
{
	struct ejob *j = astra_engine_find(r->e, g->job);
	double end = r->snap->now_sec + j->lease_sec;

	if (g->until_sec > r->snap->now_sec) {
		end = g->until_sec;
		j->planned_end_sec = j->planned_end_sec > 0
					     ? fmin(j->planned_end_sec, end)
					     : end;
	}
	return astra_plan_add(r->plan,
			      &(struct astra_decision){
				      .action = ASTRA_START,
				      .job = j->id,
				      .restart_cnt = j->restart_cnt,
				      .until_sec = end,
			      },
			      g->shares, g->count);
}

/* Start, in the order of the grants, every granted job whose GPUs are all free
 * and for which limits leave room. */
int astra_grants_start(struct round *r)
{
	struct astra_engine *e = r->e;
	struct astra_room *taken =
		calloc(r->snap->node_count + 1, sizeof(*taken));
	int64_t *room;
	int rc = grants_find_room(r, astra_rights_now, &room);

	if (!taken)
		rc = -1;

	for (size_t i = 0; !rc && i < e->grant_count; i++)
		astra_engine_find(e, e->grants[i].job)->planned_end_sec = 0;
	for (size_t i = 0; !rc && i < e->grant_count; i++) {
		const struct ejob *j = astra_engine_find(e, e->grants[i].job);
		bool ready = free_now(r, &e->grants[i], taken);

		if (ready && j->state == ASTRA_JOB_PENDING &&
		    !grant_lacks_room(r, j, room))
			rc = grant_start(r, &e->grants[i]);
	}
	free(room);
	free(taken);
	return rc;
}

static int revoke(struct round *r, struct ejob *j)
{
	const struct astra_job *job = &r->snap->jobs[j->index];
	double grace = r->e->options.grace_sec;
	struct astra_decision d = {
		.action = ASTRA_REQUEUE,
		.job = j->id,
		.restart_cnt = j->restart_cnt,
	};

	if (j->phase == ASTRA_PHASE_DOOMED)
		j->told_sec = r->snap->now_sec;
	if (job->checkpoints && grace > 0 && j->phase == ASTRA_PHASE_DOOMED) {
		d.action = ASTRA_SIGNAL;
		d.until_sec = j->grace_end_sec = r->snap->now_sec + grace;
		astra_job_set_phase(r->e, j, ASTRA_PHASE_GRACE);
	} else {
		astra_job_set_phase(r->e, j, ASTRA_PHASE_LEAVING);
	}
	r->plan->changed = true;
	return astra_plan_add(r->plan, &d, NULL, 0);
}

/* Mark as doomed the jobs with expired leases on nodes that are to be
 * emptied. */
static void doom_leaving(struct round *r)
{
	struct astra_engine *e = r->e;

	for (size_t i = 0; i < e->roster.over_count; i++) {
		struct ejob *j = &e->jobs[e->roster.over[i]];

		if (astra_contender_leaves(r, j, &r->snap->jobs[j->index]))
			astra_job_set_phase(e, j, ASTRA_PHASE_DOOMED);
	}
}

/* Return the rows of leaving jobs, sorted; the caller frees them. Returns NULL
 * when memory is out. */
static uint32_t *rows_leaving(const struct astra_engine *e, size_t *count)
{
	uint32_t *rows;

	*count = 0;
	ASTRA_ROSTER_EACH(i, &e->roster.leaving)
	++*count;
	rows = calloc(*count + 1, sizeof(*rows));
	*count = 0;
	if (!rows)
		return NULL;
	ASTRA_ROSTER_EACH(i, &e->roster.leaving)
	rows[(*count)++] = e->row_of[i];
	if (*count)
		qsort(rows, *count, sizeof(*rows), astra_compare_u32);
	return rows;
}

/* Tell jobs to leave whose GPUs were granted to others: at most MaxReclaim GPUs
 * a round, but at least one job. Also end the graces that are over. */
int astra_revoke_doomed(struct round *r)
{
	struct astra_engine *e = r->e;
	uint32_t limit = e->options.reclaim_max, taken = 0, *rows;
	bool capped = false;
	size_t count;
	int rc = 0;

	doom_leaving(r);
	rows = rows_leaving(e, &count);
	for (size_t i = 0; rows && !rc && i < count; i++) {
		struct ejob *j = &e->jobs[rows[i]];
		bool over = j->phase == ASTRA_PHASE_LEAVING ||
			    (j->phase == ASTRA_PHASE_GRACE &&
			     j->grace_end_sec <= r->snap->now_sec);

		if (j->state != ASTRA_JOB_RUNNING ||
		    r->snap->jobs[j->index].unheard)
			continue;
		if (j->phase == ASTRA_PHASE_DOOMED) {
			if (limit && taken && taken + j->held_gpus > limit) {
				capped = true;
				continue;
			}
			taken += j->held_gpus;
			e->counters.revoked++;
			over = true;
		}
		if (over)
			rc = revoke(r, j);
	}
	free(rows);
	e->counters.reclaim_capped += capped;
	e->last_reclaim = taken;
	return rows ? rc : -1;
}
