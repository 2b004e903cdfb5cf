/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The jobs that compete in a round. */
#include <stdlib.h>

#include "src/common/grow.h"
#include "src/common/number.h"
#include "src/engine/hold.h"
#include "src/policies/options.h"

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash ^= value + UINT64_C(0x9e3779b97f4a7c15) + (hash << 6) +
		(hash >> 2);
	return hash * UINT64_C(0xff51afd7ed558ccd);
}

static uint64_t mix_numbers(const struct astra_request *q)
{
	uint64_t h = mix(q->gpus, q->gpus_per_node);

	h = mix(h, (uint64_t)q->nodes_min << 32 | q->nodes_max);
	h = mix(h, (uint64_t)q->cpus << 32 | q->cpus_per_node);
	h = mix(h, q->mem_node_mib);
	h = mix(h, q->mem_gpu_mib);
	h = mix(h, q->mem_cpu_mib);
	return mix(h, (uint64_t)q->gpus_quantum << 1 | q->whole_node);
}

/* Return the shape of a request. Two requests of one shape either both find a
 * place or both find none. */
static uint64_t contenders_shape_of(const struct astra_request *q,
				    size_t node_count)
{
	size_t words = (node_count + 63) / 64;
	uint64_t h = mix_numbers(q);

	h = mix(h, (uint64_t)(q->required != NULL) << 2 |
			   (uint64_t)(q->allowed != NULL) << 1 |
			   (q->possible != NULL));
	for (size_t i = 0; q->required && i < words; i++)
		h = mix(h, q->required[i]);
	for (size_t i = 0; q->allowed && i < words; i++)
		h = mix(h, q->allowed[i]);
	for (size_t i = 0; q->possible && i < words; i++)
		h = mix(h, q->possible[i]);
	for (size_t i = 0; q->preferred && i < words; i++)
		h = mix(h, q->preferred[i] + 1 + q->apart);
	if (q->owner)
		h = mix(h, (uint64_t)q->owner << 1 | q->alone);
	return q->gpus_min ? mix(h, q->gpus_min) : h;
}

/* Return the job's shape, which is kept between rounds: few of thousands of
 * waiting jobs change. */
uint64_t astra_contender_shape(struct ejob *j,
			       const struct astra_snapshot *snap,
			       const struct astra_job *job)
{
	if (!j->shape)
		j->shape = contenders_shape_of(&job->request, snap->node_count);
	return j->shape;
}

/* Mix a bitmap of nodes into a hash. nodes may be NULL: then all nodes are
 * meant. */
static uint64_t mix_nodes(uint64_t h, const uint64_t *nodes, size_t count)
{
	for (size_t i = 0; i < count; i += 64) {
		uint64_t all = UINT64_MAX;

		if (count - i < 64)
			all >>= 64 - (count - i);
		h = mix(h, nodes ? nodes[i / 64] & all : all);
	}
	return h;
}

uint64_t astra_contender_asked(const struct astra_snapshot *snap,
			       const struct astra_job *job)
{
	const struct astra_request *q = &job->request;
	uint64_t h = mix(mix(mix_numbers(q), q->gpus_min), job->extras);

	if (q->required)
		h = mix_nodes(h, q->required, snap->node_count);
	return mix_nodes(h, q->possible ? q->possible : q->allowed,
			 snap->node_count);
}

/* Return the shape of a contender. Jobs of one shape have equal requests, and
 * the same leases may end for them. */
static uint64_t contender_shape(const struct round *r, struct ejob *j,
				const struct astra_job *job)
{
	uint64_t shape = astra_contender_shape(j, r->snap, job);

	if (job->preempt_class)
		shape = mix(shape, job->preempt_class);
	for (size_t i = 0; i < job->use_count; i++)
		shape = mix(mix(shape, job->uses[i].limit + 1),
			    job->uses[i].amount);
	if (j->refusals && astra_refused_nodes(r->e, job->id))
		return mix(shape, job->id);
	return shape;
}

static int add_contender(struct round *r, uint32_t row,
			 const struct astra_job *job, bool expired)
{
	struct ejob *j = &r->e->jobs[row];
	uint64_t shape = contender_shape(r, j, job);

	if (astra_grow(&r->contenders, &r->contender_room,
		       r->contender_count + 1, sizeof(*r->contenders)) < 0)
		return -1;
	if (shape != j->vain_shape)
		astra_first_start_vain(r->e, j, ASTRA_WAIT_NONE);
	r->contenders[r->contender_count++] = (struct contender){
		.row = row,
		.tenant = j->tenant,
		.user = j->user,
		.precedence = job->precedence,
		.submit_sec = j->submit_sec,
		.job = job,
		.ran = j->ran,
		.vain = astra_turn_vain(r, j),
		.shape = shape,
		.expired = expired,
	};
	return 0;
}

static bool lease_may_end(const struct round *r, const struct ejob *j,
			  const struct astra_job *job)
{
	return j->phase == ASTRA_PHASE_LEASED && !astra_lease_stays(j, job) &&
	       !job->unheard &&
	       (j->start_sec + j->min_run_sec <= r->snap->now_sec ||
		(job->leave_cuts && job->leave_sec <= r->snap->now_sec));
}

static bool lease_over(const struct round *r, const struct ejob *j,
		       const struct astra_job *job)
{
	return j->lease_end_sec <= r->snap->now_sec && lease_may_end(r, j, job);
}

bool astra_contender_leaves(const struct round *r, const struct ejob *j,
			    const struct astra_job *job)
{
	return lease_over(r, j, job) && astra_lease_must_end(r->snap, job);
}

bool astra_contender_expired(const struct round *r, const struct ejob *j,
			     const struct astra_job *job)
{
	if (!(r->e->policy->preempts ? lease_may_end(r, j, job)
				     : lease_over(r, j, job)) ||
	    astra_contender_leaves(r, j, job))
		return false;
	for (size_t i = 0; i < job->held_count; i++)
		if (r->snap->nodes[job->held[i].node].usable)
			return true;
	return false;
}

static int add_waiting(struct round *r, size_t index)
{
	struct astra_engine *e = r->e;
	const struct astra_job *job = &r->snap->jobs[index];
	uint32_t row = e->row_of[index];
	const struct ejob *j = &e->jobs[row];
	uint64_t copies;

	if (!j->gpus || (j->refusals && astra_refused_job(e, job->id)))
		return 0;
	/* Add no more copies of an array than can run at once. */
	copies = j->copies - j->grants;
	if (copies * j->gpus_least > r->usable_gpus)
		copies = r->usable_gpus / j->gpus_least;
	if (!copies && !e->options.leases)
		copies = 1; /* it keeps its place in the queue */
	if (astra_capped(&e->options))
		copies = copies < j->cap_copies ? copies : j->cap_copies;
	while (copies-- > 0)
		if (add_contender(r, row, job, false) < 0)
			return -1;
	return 0;
}

/* Write into indices the jobs whose leases are over, by their index in the
 * snapshot. If the policy preempts, write all running jobs instead. Returns how
 * many there are. */
static size_t find_expired(const struct round *r, uint32_t *indices)
{
	const struct astra_engine *e = r->e;
	size_t count = 0;

	if (e->policy->preempts) {
		ASTRA_ROSTER_EACH(i, &e->roster.running)
		{
			const struct astra_job *job = &r->snap->jobs[i];

			if (job->request.gpus &&
			    astra_contender_expired(r, &e->jobs[e->row_of[i]],
						    job))
				indices[count++] = (uint32_t)i;
		}
		return count;
	}
	for (size_t i = 0; i < e->roster.over_count; i++) {
		const struct ejob *j = &e->jobs[e->roster.over[i]];
		const struct astra_job *job = &r->snap->jobs[j->index];

		if (job->request.gpus && astra_contender_expired(r, j, job))
			indices[count++] = j->index;
	}
	if (count)
		qsort(indices, count, sizeof(*indices), astra_compare_u32);
	return count;
}

int astra_contenders_find(struct round *r)
{
	struct astra_engine *e = r->e;
	uint32_t *expired;
	size_t count, at = 0;
	int rc = 0;

	astra_roster_expire(e, r->snap->now_sec);
	count = e->policy->preempts ? r->snap->job_count : e->roster.over_count;
	expired = calloc(count + 1, sizeof(*expired));
	if (!expired)
		return -1;
	count = find_expired(r, expired);
	for (size_t i = astra_roster_next(&e->roster.waiting, 0);
	     !rc && (i != ASTRA_SET_END || at < count);) {
		if (at < count && expired[at] < i) {
			rc = add_contender(r, e->row_of[expired[at]],
					   &r->snap->jobs[expired[at]], true);
			at++;
			continue;
		}
		rc = add_waiting(r, i);
		i = astra_roster_next(&e->roster.waiting, i + 1);
	}
	free(expired);
	return rc;
}

void astra_contenders_withdraw(struct round *r)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->contender_count; i++) {
		struct contender *c = &r->contenders[i];
		struct ejob *j = &r->e->jobs[c->row];

		if (!c->taken) {
			r->contenders[kept++] = *c;
			continue;
		}
		if (c->expired) {
			astra_job_set_phase(r->e, j, ASTRA_PHASE_DOOMED);
			j->doomed_for = c->winner;
			astra_budget_leave(r, j, c->winner);
		}
	}
	r->contender_count = kept;
}
