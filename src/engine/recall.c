/* SPDX-License-Identifier: GPL-2.0-or-later */
/* GPUs for the jobs whose turn it is and that found no place. Leases of their
 * own tenant and of richer tenants that have run long enough end now, for as
 * few GPUs as possible. If that does not make room, the job gets a hold.
 *
 * A lease may end early once it has run for RecallAfter, for MinRunTime, and
 * for ten times what the job is known to need to start and to checkpoint.
 *
 * What a recall leaves alone:
 * - No lease ends early for another tenant or user if its own would then lack
 *   half of that turn (share.c). A tenant that holds just its due keeps it.
 * - A larger job of another user that has its GPUs by recall or hold keeps
 *   them. It loses them only if the tenant or user of the next job lacks half
 *   of the larger job's turn. Otherwise small jobs would end each gang's turn
 *   after RecallAfter.
 *
 * The lease of the job that is served lasts a full term. But on GPUs of its own
 * user it only lasts for the rest of the recalled lease. Otherwise these GPUs
 * would never leave the user.
 *
 * Limits of a round: it looks at 64 next jobs, and plans 16 holds. At most half
 * of these, and half of all holds, are for jobs that are not due. The jobs that
 * have been due longest get the first new holds. If not even the end of all
 * leases makes room for a job, it is tried again after a minute, four such jobs
 * a round. */
#include <math.h>
#include <stdlib.h>

#include "src/common/grow.h"
#include "src/common/number.h"
#include "src/engine/due.h"
#include "src/engine/hold.h"
#include "src/placement/space_priv.h"

#define RECALLS_MAX 64 /* next jobs that a round looks at */
#define PLANS_MAX 16   /* new holds that a round plans */
/* Jobs that are not due yet may not use up the plans and holds: the rest is
 * left to due jobs. Jobs that found no place before may not use up the plans
 * either. */
#define PLANS_EARLY_MAX (PLANS_MAX / 2)
#define PLANS_VAIN_MAX (PLANS_MAX / 4)
#define HOLDS_EARLY_MAX (ASTRA_HOLDS_MAX / 2)

/* How much elastic jobs keep of leases that may end: their level, their fewest
 * GPUs, or nothing, like rigid jobs. */
enum recall_spare { RECALL_TO_LEVEL, RECALL_TO_LEAST, RECALL_WHOLE };

struct recall {
	struct round *r;
	struct turns turns;
	struct round losers; /* contenders: jobs whose leases may be recalled */
	struct astra_space **work;
	struct astra_share *lost; /* shares that the elastic jobs among these
				   * can spare */
	uint64_t gpus;	 /* GPUs that are free, or held by leases that may end
			  * for the job in question */
	uint64_t *spare; /* by tenant: GPUs of leases that may be recalled */
	double *poorest; /* by tenant: the least key of its waiting users */
	double lacking;	 /* key of the poorest tenant that lacks GPUs of its
			  * share; infinite: none */
	size_t plans, vain_plans;
};

static bool recall_may_end(const struct round *r, size_t index)
{
	const struct astra_job *job = &r->snap->jobs[index];
	const struct ejob *j = &r->e->jobs[r->e->row_of[index]];

	return j->phase == ASTRA_PHASE_LEASED &&
	       astra_recall_from(r, j) <= r->snap->now_sec &&
	       !astra_lease_stays(j, job) && !job->unheard && !job->booting;
}

/* Collect the leases that may end now for some job, once a round. */
static int recall_collect(struct recall *s)
{
	struct round *l = &s->losers;
	size_t shares = 0;
	bool elastic = false;

	if (s->spare)
		return 0;
	s->spare = calloc(s->r->e->tenant_count + 1, sizeof(*s->spare));
	if (!s->spare || astra_turns_running(&s->turns) < 0)
		return -1;
	*l = *s->r;
	l->contenders = NULL;
	l->contender_count = l->contender_room = 0;
	for (size_t k = 0; k < s->turns.running_count; k++) {
		uint32_t i = s->turns.running[k].index, row;

		if (!recall_may_end(l, i))
			continue;
		if (astra_grow(&l->contenders, &l->contender_room,
			       l->contender_count + 1,
			       sizeof(*l->contenders)) < 0)
			return -1;
		row = l->e->row_of[i];
		l->contenders[l->contender_count++] = (struct contender){
			.row = row,
			.tenant = l->e->jobs[row].tenant,
			.ran = true,
			.job = &l->snap->jobs[i],
			.expired = true,
		};
		s->spare[l->e->jobs[row].tenant] += l->e->jobs[row].held_gpus;
		shares += l->snap->jobs[i].held_count;
		elastic |= astra_request_elastic(&l->snap->jobs[i].request);
	}
	if (!elastic)
		return 0;
	s->lost = calloc(shares + 1, sizeof(*s->lost));
	return s->lost ? astra_levels_find(s->r) : -1;
}

/* Whether the free GPUs and all leases that may end for this job are enough for
 * it. */
static bool recall_may_serve(const struct recall *s, const struct contender *c)
{
	const struct turns *t = &s->turns;
	uint32_t own = s->r->e->jobs[c->row].tenant;
	uint64_t gpus = astra_space_gpus(*s->work);

	for (size_t i = 0; i < s->r->e->tenant_count; i++)
		if (i == own || t->key[i] > t->key[own])
			gpus += s->spare[i];
	return gpus >= astra_request_least(&c->job->request);
}

/* Mark as granted the leases that may not end for `next`, and the leases on
 * nodes that a hold needs. */
static void recall_ask(struct recall *s, const struct ejob *next,
		       enum recall_spare spare)
{
	struct astra_share *lost = s->lost;

	s->gpus = astra_space_gpus(*s->work);
	for (size_t i = 0; i < s->losers.contender_count; i++) {
		struct contender *v = &s->losers.contenders[i];

		v->granted = !astra_turns_pays(&s->turns,
					       &s->r->e->jobs[v->row], next) ||
			     !astra_share_recalls(&s->turns,
						  &s->r->e->jobs[v->row], next);
		for (size_t k = 0; k < v->job->held_count; k++)
			v->granted |=
				astra_holds_need(s->r, v->job->held[k].node);
		v->lose_count = 0;
		if (s->lost && spare != RECALL_WHOLE && !v->granted &&
		    astra_request_elastic(&v->job->request)) {
			astra_elastic_offer_spare(
				s->r, v, spare == RECALL_TO_LEVEL, lost);
			v->granted = true;
		}
		lost += s->lost ? v->job->held_count : 0;
		if (astra_loser(v))
			s->gpus += astra_loser_cost(v);
	}
}

/* Return the end of a lease on recalled GPUs. It lasts a full term. But on GPUs
 * of the job's own user (or tenant) it ends with the recalled lease. Otherwise
 * these GPUs would never pass to others. */
static double recall_end(const struct recall *s, const struct reclaim *rc,
			 const struct ejob *next)
{
	const struct ejob *jobs = s->r->e->jobs;
	double end =
		astra_first_end(s->r, next, &s->r->snap->jobs[next->index]);

	for (size_t i = 0; i < rc->victim_count; i++) {
		const struct ejob *v =
			&jobs[s->losers.contenders[rc->victims[i]].row];

		if (v->tenant == next->tenant && v->user == next->user)
			end = fmin(end, v->lease_end_sec);
	}
	return end;
}

/* Let an elastic job that lost the GPUs it could spare continue up to its
 * lease's end, with the rest and with what is still free of the loss. */
static int recall_shrink(struct recall *s, struct reclaim *rc,
			 const struct contender *v)
{
	struct round *r = s->r;
	const struct ejob *j = &r->e->jobs[v->row];
	double least =
		r->snap->now_sec + r->e->options.grace_sec + j->min_run_sec;
	size_t count = astra_elastic_keep(v, rc->work, rc->shares);

	return astra_grants_add(r->e, j->id, fmax(j->lease_end_sec, least),
				rc->shares, count);
}

static int recall_take(struct recall *s, struct reclaim *rc,
		       struct contender *c, size_t count, double until_sec)
{
	astra_reclaim_take(rc, c, count);
	if (astra_grants_add(s->r->e, c->job->id, until_sec, rc->shares,
			     count) < 0)
		return -1;
	for (size_t i = 0; i < rc->victim_count; i++) {
		struct contender *v = &s->losers.contenders[rc->victims[i]];
		struct ejob *j = &s->r->e->jobs[v->row];

		astra_budget_spend(s->r, j, c->job->id, s->r->snap->now_sec);
		astra_job_set_phase(s->r->e, j, ASTRA_PHASE_DOOMED);
		j->doomed_for = c->job->id;
		if (v->lose_count && recall_shrink(s, rc, v) < 0)
			return -1;
	}
	s->r->e->jobs[c->row].collected = true;
	s->r->plan->changed = true;
	c->share_count = (uint32_t)count;
	astra_space_destroy(*s->work);
	*s->work = rc->work;
	rc->work = NULL;
	astra_turns_charge(&s->turns, c, c->gpus);
	return 1;
}

static int recall_try(struct recall *s, struct contender *c,
		      enum recall_spare spare)
{
	const struct ejob *j = &s->r->e->jobs[c->row];
	double now = s->r->snap->now_sec, end;
	double least = fmax(j->min_run_sec, s->r->e->options.round_sec);
	struct reclaim rc;
	size_t count;
	int status = -1;

	c->gpus = c->job->request.gpus;
	if (!recall_may_serve(s, c))
		return 0;
	recall_ask(s, j, spare);
	if (s->gpus < astra_request_least(&c->job->request))
		return 0;
	if (astra_reclaim_init(&rc, &s->losers, *s->work) == 0) {
		status = 0;
		count = astra_reclaim_place(&rc, c);
		end = recall_end(s, &rc, j);
		if (count && end - now > least &&
		    astra_holds_cut(s->r, c->job, rc.shares, count, end) == end)
			status =
				recall_take(s, &rc, c, count,
					    end < now + j->lease_sec ? end : 0);
	}
	astra_reclaim_fini(&rc);
	return status;
}

/* Serve a job, first with GPUs that elastic jobs can spare. Returns 1 if it has
 * GPUs now, 0 if not, or -1 when memory is out. */
static int recall_serve(struct recall *s, struct contender *c)
{
	enum recall_spare spare;
	int served;

	if (!astra_budget_allows_for(&s->turns, &s->r->e->jobs[c->row]))
		return 0;
	if (recall_collect(s) < 0)
		return -1;
	spare = s->lost ? RECALL_TO_LEVEL : RECALL_WHOLE;
	served = recall_try(s, c, spare);
	while (!served && spare != RECALL_WHOLE)
		served = recall_try(s, c, ++spare);
	return served;
}

/* Note for all copies of the job whether the search for a hold was in vain.
 * Call after a plan. */
static void recall_note_vain(const struct round *r, struct contender *c)
{
	const struct contender *end = r->contenders + r->contender_count;
	bool vain = astra_turn_vain(r, &r->e->jobs[c->row]);

	while (c > r->contenders && c[-1].row == c->row)
		c--;
	for (uint32_t row = c->row; c < end && c->row == row; c++)
		c->vain = vain;
}

/* Whether a poorer tenant lacks GPUs and this job would exceed its own tenant's
 * share. Such a job gets no hold. While jobs keep their GPUs (keep.c), GPUs
 * collected by a hold do not come back after a term, and the poorer tenant
 * would go without them. A hold of such a job is also lost when it has to be
 * planned anew. But leases that may be recalled end for such a job as for
 * others. */
static bool recall_is_barred(const struct recall *s, const struct contender *c)
{
	uint32_t own = s->r->e->jobs[c->row].tenant;

	return s->lacking < s->turns.key[own] &&
	       astra_request_least(&c->job->request) >
		       s->r->e->tenants[own].keep_room;
}

static int recall_plan(struct recall *s, struct contender *c,
		       enum astra_hold_claim claim)
{
	bool anybody = claim == ASTRA_CLAIM_DUE;
	size_t holds = anybody ? ASTRA_HOLDS_MAX : HOLDS_EARLY_MAX;
	size_t plans = anybody ? PLANS_MAX : PLANS_EARLY_MAX;
	int planned;

	if (s->r->e->hold_count >= holds || s->plans >= plans || c->vain ||
	    recall_is_barred(s, c))
		return 0;
	s->plans++;
	planned = astra_calendar_plan(&s->turns, *s->work, c, claim);
	recall_note_vain(s->r, c);
	if (planned > 0)
		astra_share_promise(&s->turns, &s->r->e->jobs[c->row],
				    astra_request_least(&c->job->request));
	return planned;
}

/* Whether the job's user is the poorest of its tenant's waiting users. Other
 * users wait for their turn, or until their jobs are due. */
static bool is_poorest(const struct recall *s, const struct contender *c)
{
	const struct ejob *j = &s->r->e->jobs[c->row];

	return j->user == ASTRA_NONE ||
	       s->turns.user_key[j->user] <= s->poorest[j->tenant];
}

/* Find the poorest tenant that lacks GPUs. A tenant counts only if it has a job
 * that GPUs would help: one that neither a limit nor the policy stops. */
static void recall_find_lacking(struct recall *s)
{
	const struct round *r = s->r;

	s->lacking = HUGE_VAL;
	for (size_t i = 0; r->e->keeps && i < r->contender_count; i++) {
		const struct contender *c = &r->contenders[i];

		if (!c->expired && !c->share_count && !c->vain && !c->refused &&
		    !r->e->jobs[c->row].lacks &&
		    r->e->tenants[c->tenant].keep_lacks)
			s->lacking = fmin(s->lacking, s->turns.key[c->tenant]);
	}
}

/* Find, by tenant, the smallest key of its waiting users. */
static int recall_poorest(struct recall *s)
{
	const struct round *r = s->r;
	size_t tenants = r->e->tenant_count;

	s->poorest = calloc(tenants + 1, sizeof(*s->poorest));
	if (!s->poorest)
		return -1;
	for (size_t t = 0; t < tenants; t++)
		s->poorest[t] = HUGE_VAL;
	for (size_t i = 0; i < r->contender_count; i++) {
		const struct contender *c = &r->contenders[i];

		if (!c->expired && !c->share_count && c->user != ASTRA_NONE &&
		    astra_ejob_active(&r->e->jobs[c->row]))
			s->poorest[c->tenant] =
				fmin(s->poorest[c->tenant],
				     s->turns.user_key[c->user]);
	}
	return 0;
}

/* Serve the next job of each tenant, beginning with the poorest tenant. */
static int recall_next(struct recall *s)
{
	for (int tries = RECALLS_MAX; tries--;) {
		struct contender *c = astra_turns_next(&s->turns);
		int served;

		if (!c)
			break;
		if (c->awaits) {
			s->turns.done[s->r->e->jobs[c->row].tenant] = true;
			continue;
		}
		served = recall_serve(s, c);
		if (served < 0)
			return -1;
		if (served)
			continue;
		s->turns.done[s->r->e->jobs[c->row].tenant] = true;
		if (!astra_hold_of(s->r->e, c->job->id) && is_poorest(s, c) &&
		    recall_plan(s, c, ASTRA_CLAIM_NEXT) < 0)
			return -1;
	}
	return 0;
}

/* Jobs that are due. */

/* Let the holds that a job already has use any lease from now on. A distant
 * hold has to be planned anew. Returns whether a hold is to be planned. */
static bool recall_unheld(const struct recall *s, struct due *due)
{
	struct astra_engine *e = s->r->e;
	const struct ejob *j = &e->jobs[due->c->row];
	const struct hold *had = astra_hold_of(e, j->id);
	size_t count = had ? astra_holds_of(e, j->id) : 0;

	if (due->nth >= count)
		return !due->c->vain;
	if (due->claim != ASTRA_CLAIM_DUE)
		return false;
	for (size_t i = 0; i < e->hold_count; i++)
		e->holds[i].anybody |= e->holds[i].job == j->id;
	due->again = count == 1 &&
		     had->start_sec > s->r->snap->now_sec + j->lease_sec;
	return due->again;
}

/* List the jobs that may be due, in the order of the contenders. Returns how
 * many there are. */
static size_t recall_list(struct recall *s, struct due *dues)
{
	const struct round *r = s->r;
	size_t count = 0;
	uint32_t nth = 0;

	for (size_t i = 0; i < r->contender_count; i++) {
		struct contender *c = &r->contenders[i];

		if (i && c->row != c[-1].row)
			nth = 0;
		if (c->expired || c->share_count || c->awaits)
			continue;
		if (astra_due_list(&s->turns, c, nth++, &dues[count]) &&
		    !c->refused)
			count++;
	}
	astra_backlog_sum(&s->turns);
	return count;
}

/* Fill the heap with the jobs to plan for. The next round comes no later than
 * the time at which the first of the other jobs is due. Returns the number of
 * jobs in the heap. */
static size_t recall_gather(struct recall *s, struct due *heap)
{
	struct round *r = s->r;
	size_t listed = recall_list(s, heap), count = 0;

	for (size_t i = 0; i < listed; i++) {
		struct due due = heap[i];

		if (astra_due(&s->turns, &due)) {
			if (recall_unheld(s, &due))
				heap[count++] = due;
		} else {
			r->wake_sec = astra_min(r->wake_sec, due.since_sec);
		}
	}
	astra_dues_sort(heap, count);
	return count;
}

/* Plan a hold for a job that is due. The job's present hold may have been
 * dropped already, for a hold planned a moment ago. */
static int recall_plan_due(struct recall *s, const struct due *due)
{
	struct astra_engine *e = s->r->e;
	const struct ejob *j = &e->jobs[due->c->row];
	const struct hold *had = due->again ? astra_hold_of(e, j->id) : NULL;

	if (due->claim == ASTRA_CLAIM_SHARE &&
	    !astra_share_owed(&s->turns, due->c))
		return 0; /* a sibling job has been promised the turn */
	if (had)
		astra_hold_drop(e, (size_t)(had - e->holds));
	else if (j->vain && s->vain_plans++ >= PLANS_VAIN_MAX)
		return 0;
	return recall_plan(s, due->c, due->claim);
}

static int recall_all_due(struct recall *s)
{
	struct due *heap = malloc((s->r->contender_count + 1) * sizeof(*heap));
	int rc = heap ? astra_backlog_init(&s->turns) : -1;
	size_t count = rc ? 0 : recall_gather(s, heap);

	while (count && rc >= 0 && s->plans < PLANS_MAX) {
		struct due due = astra_dues_next(heap, &count);

		rc = recall_plan_due(s, &due);
	}
	free(heap);
	return rc < 0 ? -1 : 0;
}

/* Drop the holds of jobs that this round serves. */
static void recall_drop_served(struct astra_engine *e)
{
	for (size_t i = e->hold_count; i-- > 0;) {
		const struct ejob *j = astra_engine_find(e, e->holds[i].job);

		if (j->grants + astra_holds_of(e, j->id) > j->copies)
			astra_hold_drop(e, i);
	}
}

/* Whether an elastic job that starts for the first time was granted fewer GPUs
 * than it can use. If so, its grant is enlarged: the same leases end as for a
 * rigid job of its full size. */
static bool recall_wants_more(const struct recall *s, const struct contender *c,
			      const struct grant *g)
{
	const struct ejob *j = &s->r->e->jobs[c->row];

	return !j->ran && !c->job->use_count && j->copies == 1 &&
	       j->grants == 1 && !j->served && g->job == j->id &&
	       !(g->until_sec > 0) &&
	       astra_shares_gpus(g->shares, g->count) <
		       c->elastic->request.gpus;
}

/* Enlarge a job's grant. rc: counts the grant's GPUs as free. Returns as
 * recall_try(). */
static int recall_enlarge(struct recall *s, struct reclaim *rc,
			  struct contender *c, struct grant *g)
{
	const struct astra_request *q = &c->elastic->request;
	double end = s->r->snap->now_sec + s->r->e->jobs[c->row].lease_sec;
	uint32_t had = astra_shares_gpus(g->shares, g->count);
	size_t count;

	c->gpus = q->gpus;
	count = astra_grow_search(rc, c, astra_request_quantum(q), had);
	if (!count ||
	    astra_holds_cut(s->r, c->job, rc->shares, count, end) != end)
		return 0;
	c->gpus = astra_shares_gpus(rc->shares, count) - had;
	astra_grants_drop(s->r->e, c->job->id);
	return recall_take(s, rc, c, count, 0);
}

static int recall_more_of(struct recall *s, struct contender *c,
			  struct grant *g, enum recall_spare spare)
{
	struct reclaim rc = {0};
	struct astra_space *work = astra_space_copy(*s->work);
	int status = work ? 0 : -1;

	recall_ask(s, &s->r->e->jobs[c->row], spare);
	for (size_t i = 0; work && i < g->count; i++)
		astra_space_give(work, &g->shares[i]);
	if (!status)
		status = astra_reclaim_init(&rc, &s->losers, work);
	if (!status)
		status = recall_enlarge(s, &rc, c, g);
	astra_space_destroy(work);
	astra_reclaim_fini(&rc);
	return status;
}

static int recall_more_for(struct recall *s, struct contender *c,
			   struct grant *g)
{
	enum recall_spare spare;
	int status;

	if (!astra_budget_allows_for(&s->turns, &s->r->e->jobs[c->row]))
		return 0;
	if (recall_collect(s) < 0)
		return -1;
	spare = s->lost ? RECALL_TO_LEVEL : RECALL_WHOLE;
	status = recall_more_of(s, c, g, spare);
	while (!status && spare != RECALL_WHOLE)
		status = recall_more_of(s, c, g, ++spare);
	return status;
}

static int recall_more(struct recall *s)
{
	struct astra_engine *e = s->r->e;
	int tries = RECALLS_MAX, status = 0;

	for (size_t i = 0; i < s->r->contender_count && tries; i++) {
		struct contender *c = &s->r->contenders[i];

		if (!c->elastic || c->expired || !c->share_count)
			continue;
		for (size_t k = e->grant_count; k-- > 0;) {
			if (!recall_wants_more(s, c, &e->grants[k]))
				continue;
			tries--;
			status = recall_more_for(s, c, &e->grants[k]);
			if (status < 0)
				return -1;
			break;
		}
	}
	return 0;
}

/* Whether any job waits. */
static bool recall_wanted(const struct round *r)
{
	for (size_t i = 0; i < r->contender_count; i++)
		if (!r->contenders[i].expired && !r->contenders[i].share_count)
			return true;
	return false;
}

int astra_recall(struct round *r, struct astra_space **work)
{
	struct recall s = {.r = r, .work = work, .lacking = HUGE_VAL};
	int rc = -1;

	if (r->reserve.gpus)
		astra_space_give(*work, &r->reserve);
	if (!r->e->hold_count && !r->elastic && !recall_wanted(r) &&
	    !astra_reserve_short(r, *work))
		return 0;
	if (astra_turns_init(&s.turns, r) == 0 && recall_poorest(&s) == 0) {
		recall_find_lacking(&s);
		rc = recall_next(&s);
	}
	recall_drop_served(r->e);
	if (!rc && r->elastic)
		rc = recall_more(&s);
	if (!rc)
		rc = recall_all_due(&s);
	if (!rc && astra_reserve_short(r, *work))
		rc = recall_collect(&s);
	if (!rc)
		astra_reserve_refill(r, &s.turns, &s.losers, *work);
	free(s.losers.contenders);
	free(s.lost);
	free(s.poorest);
	free(s.spare);
	astra_turns_fini(&s.turns);
	return rc;
}

int astra_recall_due(struct round *r, struct astra_space **work)
{
	struct recall s = {.r = r, .work = work, .lacking = HUGE_VAL};
	int rc = 0;

	recall_drop_served(r->e);
	if (!r->e->hold_count && !recall_wanted(r))
		return 0;
	rc = astra_turns_init(&s.turns, r);
	if (!rc)
		rc = recall_all_due(&s);
	astra_turns_fini(&s.turns);
	return rc;
}
