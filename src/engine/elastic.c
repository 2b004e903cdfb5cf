/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Elastic jobs under a policy that ranks: they run on any number of GPUs from
 * gpus_min to gpus.
 *
 * An elastic job first competes for its fewest GPUs, like a job that can use no
 * more. Then it competes at once for the GPUs up to its level (level.c), and
 * for all that it asks for as long as it has had less than its share. GPUs
 * beyond that are granted step by step, after all jobs of its tenant, and are
 * the first to be lost. To change its size a job leaves, and starts again on
 * the GPUs that it was granted. So
 *   - it becomes smaller at its lease's end, or when it may be recalled, if
 *     another job was granted the GPUs that it loses, and
 *   - it becomes larger if that pays: what the additional GPUs bring in the
 *     time that the job has run so far, at most a term, exceeds seven times the
 *     cost of a start-up and a checkpoint on all of its GPUs,
 *       (new - old) * min(now - start, term) > 7 * new * MinRunTime.
 *     So the job does not follow each GPU that comes and goes. With the usual
 *     times it nearly doubles each time, after nearly a term. A job with
 *     keeps_size grows only when it has to leave anyway.
 *
 * Recall first takes GPUs above the level, then GPUs above the fewest, then
 * whole leases. For its first start an elastic job gets by recall what a rigid
 * job of its size would get. The factor is 7: with 2 the jobs of a trace were
 * requeued twice as often and ended 5 % later. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/engine/engine_priv.h"
#include "src/placement/space_priv.h"

#define ELASTIC_MARGIN 7

static uint32_t elastic_held(const struct contender *c)
{
	return c->expired ? astra_held_gpus(c->job) : 0;
}

struct contender astra_elastic_sized(const struct contender *c, uint32_t gpus,
				     struct astra_job *job)
{
	struct contender sized = *c;

	*job = *c->elastic;
	job->request = astra_request_sized(&c->elastic->request, gpus);
	sized.job = job;
	return sized;
}

double astra_elastic_charge(const struct ejob *j, uint32_t gpus)
{
	return j->gpus ? j->charge * gpus / j->gpus : j->charge;
}

/* Whether a contender counts as elastic. A job that runs on fewer GPUs than the
 * least that it now asks for does not. */
static bool elastic_is(const struct contender *c)
{
	const struct astra_request *q = &c->job->request;

	return astra_request_elastic(q) &&
	       (!c->expired || elastic_held(c) >= q->gpus_min);
}

int astra_elastic_find(struct round *r)
{
	size_t count = 0, shares = 0, at = 0;

	r->elastic = false;
	if (!r->e->roster.elastic)
		return 0;
	for (size_t i = 0; i < r->contender_count; i++) {
		const struct contender *c = &r->contenders[i];

		count += elastic_is(c);
		shares += elastic_is(c) && c->expired ? c->job->held_count : 0;
	}
	r->elastic = count > 0;
	if (!count)
		return 0;
	r->least = calloc(count, sizeof(*r->least));
	r->lost = calloc(shares + 1, sizeof(*r->lost));
	if (!r->least || !r->lost)
		return -1;
	for (size_t i = 0; i < r->contender_count; i++) {
		struct contender *c = &r->contenders[i];

		if (!elastic_is(c))
			continue;
		c->elastic = c->job;
		*c = astra_elastic_sized(c, c->job->request.gpus_min,
					 &r->least[at++]);
		c->most = c->job->use_count ? c->job->request.gpus
					    : c->elastic->request.gpus;
		if (c->most < elastic_held(c))
			c->most = elastic_held(c);
	}
	return 0;
}

static bool elastic_may_grow(const struct round *r, const struct ejob *j,
			     const struct astra_job *job)
{
	return astra_request_elastic(&job->request) && !job->use_count &&
	       j->phase == ASTRA_PHASE_LEASED && !astra_lease_stays(j, job) &&
	       !job->unheard && !job->booting && !j->grants &&
	       j->lease_end_sec > r->snap->now_sec &&
	       j->start_sec + j->min_run_sec <= r->snap->now_sec &&
	       j->held_gpus < job->request.gpus && !job->keeps_size &&
	       !astra_lease_must_end(r->snap, job);
}

int astra_elastic_find_running(struct round *r)
{
	if (!r->e->roster.elastic)
		return 0;
	ASTRA_ROSTER_EACH(i, &r->e->roster.running)
	{
		const struct astra_job *job = &r->snap->jobs[i];
		uint32_t row = r->e->row_of[i];

		if (!elastic_may_grow(r, &r->e->jobs[row], job))
			continue;
		if (astra_grow(&r->contenders, &r->contender_room,
			       r->contender_count + 1,
			       sizeof(*r->contenders)) < 0)
			return -1;
		r->elastic = true;
		r->contenders[r->contender_count++] = (struct contender){
			.row = row,
			.tenant = r->e->jobs[row].tenant,
			.ran = true,
			.job = job,
			.elastic = job,
			.expired = true,
			.runs = true,
			.most = job->request.gpus,
		};
	}
	return 0;
}

void astra_elastic_candidate(const struct round *r, const struct contender *c,
			     struct astra_candidate *candidate)
{
	const struct ejob *j = &r->e->jobs[c->row];
	double charge;

	if (!c->elastic)
		return;
	charge = c->expired ? j->held_charge / j->held_gpus
			    : candidate->charge / candidate->gpus;
	candidate->runs = c->runs;
	candidate->gpus = c->runs ? j->held_gpus : c->job->request.gpus;
	candidate->charge = charge * candidate->gpus;
	candidate->gpus_max = c->most;
	candidate->gpus_turn = astra_level_gpus(r, j);
	candidate->gpus_step = astra_request_quantum(&c->elastic->request);
}

bool astra_elastic_pays(const struct round *r, const struct contender *c)
{
	const struct ejob *j = &r->e->jobs[c->row];
	double more = (double)c->gpus - j->held_gpus;
	double ran_sec = r->snap->now_sec - j->start_sec;

	return !c->job->keeps_size &&
	       more * fmin(ran_sec, j->lease_sec) >
		       ELASTIC_MARGIN * (double)c->gpus * j->min_run_sec;
}

bool astra_elastic_cap(struct round *r, struct astra_candidate *candidates)
{
	bool any = false;

	for (size_t i = 0; i < r->contender_count; i++) {
		struct contender *c = &r->contenders[i];
		uint32_t held = elastic_held(c);

		if (!c->elastic || !c->expired || !c->granted ||
		    c->gpus <= held || astra_elastic_pays(r, c))
			continue;
		c->most = c->gpus = candidates[i].gpus_max = held;
		any = true;
	}
	return any;
}

/* Offer `gpus` of the GPUs that the job holds, in whole steps, beginning on the
 * nodes where it has the fewest. Returns the number of shares put into lost. */
static size_t elastic_split(const struct contender *c, uint32_t gpus,
			    struct astra_share *lost)
{
	const struct astra_request *q = &c->elastic->request;
	const struct astra_job *job = c->job;
	uint32_t step = astra_request_quantum(q), last = 0, most;
	size_t count = 0, nodes = job->held_count;

	while (gpus >= step) {
		const struct astra_share *s = NULL;

		for (size_t i = 0; i < job->held_count; i++)
			if (job->held[i].gpus > last &&
			    (!s || job->held[i].gpus < s->gpus))
				s = &job->held[i];
		if (!s)
			break;
		last = s->gpus;
		for (size_t i = 0; i < job->held_count && gpus >= step; i++) {
			if (job->held[i].gpus != last)
				continue;
			s = &job->held[i];
			most = gpus < s->gpus ? gpus / step * step : s->gpus;
			if (most == s->gpus && nodes <= job->request.nodes_min)
				most = 0;
			if (most < s->gpus &&
			    (q->whole_node || q->alone || q->gpus_per_node))
				most = 0;
			if (!most)
				continue;
			nodes -= most == s->gpus;
			lost[count++] = (struct astra_share){
				.node = s->node,
				.gpus = most,
				.cpus = (uint32_t)((uint64_t)s->cpus * most /
						   s->gpus),
				.mem_mib = s->mem_mib / s->gpus * most,
				.owner = s->owner,
				.alone = s->alone,
			};
			gpus -= most;
		}
	}
	return count;
}

static bool elastic_may_split(const struct round *r, const struct contender *c)
{
	if (c->elastic->request.required)
		return false;
	for (size_t i = 0; i < c->job->held_count; i++)
		if (!r->snap->nodes[c->job->held[i].node].usable)
			return false;
	return true;
}

static void elastic_offer(const struct round *r, struct contender *c,
			  uint32_t gpus, struct astra_share *lost)
{
	c->lose = lost;
	c->lose_count = 0;
	if (elastic_may_split(r, c))
		c->lose_count = (uint32_t)elastic_split(c, gpus, lost);
}

void astra_elastic_offer(struct round *r)
{
	struct astra_share *lost = r->lost;

	for (size_t i = 0; i < r->contender_count; i++) {
		struct contender *c = &r->contenders[i];
		uint32_t held = elastic_held(c);

		c->lose_count = 0;
		if (!c->elastic || !c->expired || c->runs)
			continue;
		if (c->granted && c->gpus < held)
			elastic_offer(r, c, held - c->gpus, lost);
		lost += c->job->held_count;
	}
}

void astra_elastic_offer_spare(const struct round *r, struct contender *c,
			       bool to_level, struct astra_share *lost)
{
	uint32_t held = elastic_held(c), keep = c->job->request.gpus_min;
	uint32_t level = astra_level_gpus(r, &r->e->jobs[c->row]);

	c->elastic = c->job;
	c->lose_count = 0;
	if (to_level && keep < level)
		keep = level;
	if (held > keep)
		elastic_offer(r, c, held - keep, lost);
}

static const struct astra_share *elastic_lost(const struct contender *c,
					      uint32_t node)
{
	for (size_t i = 0; i < c->lose_count; i++)
		if (c->lose[i].node == node)
			return &c->lose[i];
	return NULL;
}

/* Return the part that is still free of the GPUs that the job lost on a
 * node. */
static struct astra_share elastic_left(const struct contender *c,
				       const struct astra_space *work,
				       const struct astra_share *lost)
{
	const struct astra_request *q = &c->elastic->request;
	const struct astra_room *room = astra_space_get(work, lost->node);
	struct astra_share left = *lost;
	uint32_t step = astra_request_quantum(q);

	if (left.gpus > room->gpus)
		left.gpus = room->gpus / step * step;
	if (left.gpus < lost->gpus &&
	    (q->whole_node || q->alone || q->gpus_per_node))
		left.gpus = 0;
	left.cpus = (uint32_t)((uint64_t)lost->cpus * left.gpus / lost->gpus);
	left.mem_mib = lost->mem_mib / lost->gpus * left.gpus;
	if (left.cpus > room->cpus || left.mem_mib > room->mem_mib)
		left = (struct astra_share){.node = lost->node};
	return left;
}

size_t astra_elastic_keep(const struct contender *c, struct astra_space *work,
			  struct astra_share *shares)
{
	size_t count = 0;

	for (size_t i = 0; i < c->job->held_count; i++) {
		const struct astra_share *lost =
			elastic_lost(c, c->job->held[i].node);
		struct astra_share s = c->job->held[i], left;

		if (lost) {
			left = elastic_left(c, work, lost);
			astra_space_take(work, &left);
			s.gpus = s.gpus - lost->gpus + left.gpus;
			s.cpus = s.cpus - lost->cpus + left.cpus;
			s.mem_mib = s.mem_mib - lost->mem_mib + left.mem_mib;
		}
		if (s.gpus)
			shares[count++] = s;
	}
	return count;
}
