/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Schedulers without a market, in the incentive paper's model: in each slot all
 * workers are given out anew, one by one, at no cost and without regard to
 * which server a PS is on. Both are in their favour.
 */
#ifndef ASTRA_BENCH_INCENTIVE_SLOTS_H
#define ASTRA_BENCH_INCENTIVE_SLOTS_H

#include "testsuite/bench/incentive_world.h"

enum { SLOTS_NONE = UINT32_MAX };

struct slots {
	const struct world *w;
	uint32_t come;		    /* jobs that are there */
	uint32_t *given;	    /* workers in this slot, by job */
	uint32_t used[WORLD_USERS]; /* the same, by user */
	uint32_t ps_left;
	double *done; /* of its work, by job; all: it has ended */
};

/* Whose turn it is, or SLOTS_NONE. */
typedef uint32_t (*slots_rule)(const struct slots *s);

static inline bool slots_wants(const struct slots *s, uint32_t job)
{
	const struct astra_market_job *j = &s->w->jobs[job];
	uint32_t given = s->given[job];

	return s->done[job] < j->work && given < j->d_max &&
	       world_ps(given + 1) - world_ps(given) <= s->ps_left;
}

/* First come, first served. */
static inline uint32_t slots_fifo(const struct slots *s)
{
	for (uint32_t i = 0; i < s->come; i++)
		if (slots_wants(s, i))
			return i;
	return SLOTS_NONE;
}

/* Dominant resource fairness: the user with the least of its quota; of its jobs
 * the first. Workers dominate, as there are PSs enough. */
static inline uint32_t slots_drf(const struct slots *s)
{
	uint32_t best = SLOTS_NONE;
	double least = HUGE_VAL;

	for (uint32_t i = 0; i < s->come; i++) {
		uint32_t user = s->w->jobs[i].user;
		double share =
			s->used[user] / (double)s->w->quotas[user].workers;

		if (share < least && slots_wants(s, i)) {
			least = share;
			best = i;
		}
	}
	return best;
}

/* SLAQ: to whose loss falls most by it, where loss is 1 / (1 + 99 x) after the
 * part x of the work. */
static inline double slots_loss(double x)
{
	return 1 / (1 + 99 * fmin(1, x));
}

static inline uint32_t slots_slaq(const struct slots *s)
{
	uint32_t best = SLOTS_NONE;
	double most = -1;

	for (uint32_t i = 0; i < s->come; i++) {
		double work = s->w->jobs[i].work;
		double x = (s->done[i] + s->given[i]) / work;
		double gain = slots_loss(x) - slots_loss(x + 1 / work);

		if (gain > most && slots_wants(s, i)) {
			most = gain;
			best = i;
		}
	}
	return best;
}

/* Give out one slot's workers. */
static inline void slots_share(struct slots *s, slots_rule rule)
{
	s->ps_left = s->w->servers * WORLD_PS;
	for (uint32_t u = 0; u < s->w->users; u++)
		s->used[u] = 0;
	for (uint32_t i = 0; i < s->w->job_count; i++)
		s->given[i] = 0;
	for (uint32_t left = world_workers(s->w); left; left--) {
		uint32_t job = rule(s);

		if (job == SLOTS_NONE)
			break;
		s->ps_left -=
			world_ps(s->given[job] + 1) - world_ps(s->given[job]);
		s->given[job]++;
		s->used[s->w->jobs[job].user]++;
	}
}

/* Place so many workers: on the fullest server that has them, or on any.
 * Returns whether they are on one. */
static inline bool slots_place(const struct slots *s, uint32_t *room,
			       uint32_t workers)
{
	uint32_t best = SLOTS_NONE;

	for (uint32_t r = 0; r < s->w->servers; r++)
		if (room[r] >= workers &&
		    (best == SLOTS_NONE || room[r] < room[best]))
			best = r;
	if (best != SLOTS_NONE) {
		room[best] -= workers;
		return true;
	}
	for (uint32_t r = 0; workers; r++) {
		uint32_t taken = room[r] < workers ? room[r] : workers;

		room[r] -= taken;
		workers -= taken;
	}
	return false;
}

/* The slot (t - 1, t] passes. room: free workers, by server. */
static inline void slots_work(struct slots *s, uint32_t *room, uint32_t t,
			      struct world_result *out)
{
	for (uint32_t r = 0; r < s->w->servers; r++)
		room[r] = WORLD_WORKERS;
	for (uint32_t i = 0; i < s->come; i++) {
		const struct astra_market_job *j = &s->w->jobs[i];
		double utility;

		if (!s->given[i])
			continue;
		s->done[i] += s->given[i] * (slots_place(s, room, s->given[i])
						     ? j->n_cent
						     : j->n_dist);
		if (s->done[i] < j->work)
			continue;
		utility = astra_utility_value(&j->utility, t - j->arrival);
		out->worth[j->user] += utility;
		out->gain[j->user] += utility;
		out->utility += utility;
	}
}

static inline bool slots_is_batch(uint32_t t)
{
	return t > 1 && !(t & (t - 1));
}

/* batches: jobs are seen only when one of the market's windows begins. */
static inline struct world_result slots_run(const struct world *w,
					    slots_rule rule, bool batches)
{
	struct slots s = {
		.w = w,
		.given = world_take(w->job_count, sizeof(*s.given)),
		.done = world_take(w->job_count, sizeof(*s.done)),
	};
	uint32_t *room = world_take(w->servers, sizeof(*room));
	struct world_result out = {0};

	for (uint32_t t = 1; t <= world_end(w); t++) {
		while ((!batches || slots_is_batch(t - 1)) &&
		       s.come < w->job_count &&
		       w->jobs[s.come].arrival <= t - 1)
			s.come++;
		slots_share(&s, rule);
		slots_work(&s, room, t, &out);
	}
	free(s.given);
	free(s.done);
	free(room);
	return out;
}

#endif
