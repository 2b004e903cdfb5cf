/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The four baselines of OASiS' paper on its servers: FIFO, DRF, the risk-reward
 * heuristic (RRH) and Dorm. A worker or PS goes to the first server with room.
 */
#ifndef ASTRA_BENCH_OASIS_RULES_H
#define ASTRA_BENCH_OASIS_RULES_H

#include "testsuite/bench/oasis_instance.h"

#define RRH_ALPHA .5
#define RRH_DISCOUNT .01 /* a slot */

/* Dorm's theta 1 and theta 2. */
#define DORM_LOSS_MOST .1
#define DORM_CHANGE_MOST .1

struct oasis_state {
	double left;   /* worker-slots */
	int64_t ended; /* slot; 0: not yet */
	uint32_t count[OASIS_SIDES];
	uint32_t *on[OASIS_SIDES]; /* by server */
	double share;		   /* dominant share of one worker */
	double pv, reward;
	bool judged, refused;
	bool tried; /* there was no room in this slot */
};

struct oasis_cluster {
	const struct oasis_instance *w;
	struct oasis_state *jobs;
	double *room[OASIS_SIDES]; /* [server][type] */
	int64_t slot;
	uint32_t came; /* so many jobs */
	bool happened; /* a job came or ended since the last slot */
};

typedef void oasis_rule(struct oasis_cluster *c);

/* Compute the dominant share of one worker and the PSs that it needs. */
static inline double oasis_dominant_share(const struct oasis_instance *w,
					  const struct oasis_drawn *drawn)
{
	double most = 0;

	for (int r = 0; r < OASIS_TYPES; r++) {
		double worker = drawn->demand[OASIS_WORKERS][r],
		       ps = drawn->demand[OASIS_PS][r] * drawn->job.bandwidth /
			    drawn->job.ps_bandwidth;

		if (worker > 0)
			most = fmax(most,
				    worker / oasis_capacity[OASIS_WORKERS][r]);
		if (ps > 0)
			most = fmax(most, ps / oasis_capacity[OASIS_PS][r]);
	}
	return most / w->servers;
}

static inline void oasis_cluster_init(struct oasis_cluster *c,
				      const struct oasis_instance *w)
{
	*c = (struct oasis_cluster){
		.w = w,
		.jobs = oasis_take(w->count, sizeof(*c->jobs)),
	};
	for (int side = 0; side < OASIS_SIDES; side++) {
		c->room[side] = oasis_capacities(w, side);
		for (uint32_t i = 0; i < w->count; i++)
			c->jobs[i].on[side] =
				oasis_take(w->servers, sizeof(uint32_t));
	}
	for (uint32_t i = 0; i < w->count; i++) {
		c->jobs[i].left = astra_oasis_work(&w->jobs[i].job);
		c->jobs[i].share = oasis_dominant_share(w, &w->jobs[i]);
	}
}

static inline void oasis_cluster_clear(struct oasis_cluster *c)
{
	for (int side = 0; side < OASIS_SIDES; side++) {
		for (uint32_t i = 0; i < c->w->count; i++)
			free(c->jobs[i].on[side]);
		free(c->room[side]);
	}
	free(c->jobs);
}

/* Change the number of workers, or PSs, on a server by one, up or down. */
static inline void oasis_move(struct oasis_cluster *c, uint32_t i, int side,
			      uint32_t server, int by)
{
	const double *demand = c->w->jobs[i].demand[side];
	double *room = c->room[side] + server * OASIS_TYPES;

	for (int r = 0; r < OASIS_TYPES; r++)
		room[r] -= by * demand[r];
	c->jobs[i].count[side] += (uint32_t)by;
	c->jobs[i].on[side][server] += (uint32_t)by;
}

static inline bool oasis_fits(const double *room, const double *demand)
{
	for (int r = 0; r < OASIS_TYPES; r++)
		if (demand[r] > room[r] + ASTRA_TIE)
			return false;
	return true;
}

static inline bool oasis_place(struct oasis_cluster *c, uint32_t i, int side)
{
	for (uint32_t h = 0; h < c->w->servers; h++)
		if (oasis_fits(c->room[side] + h * OASIS_TYPES,
			       c->w->jobs[i].demand[side])) {
			oasis_move(c, i, side, h, 1);
			return true;
		}
	return false;
}

/* Remove a worker or PS from the last server that has one. */
static inline void oasis_unplace(struct oasis_cluster *c, uint32_t i, int side)
{
	uint32_t h = c->w->servers - 1;

	while (!c->jobs[i].on[side][h])
		h--;
	oasis_move(c, i, side, h, -1);
}

/* Reduce a job to so many workers and the PSs for them. */
static inline void oasis_shrink(struct oasis_cluster *c, uint32_t i,
				uint32_t workers)
{
	struct oasis_state *s = &c->jobs[i];

	while (s->count[OASIS_WORKERS] > workers)
		oasis_unplace(c, i, OASIS_WORKERS);
	while (s->count[OASIS_PS] > oasis_ps_for(&c->w->jobs[i].job, workers))
		oasis_unplace(c, i, OASIS_PS);
}

/* Give a job one more worker. Returns whether there was room, also for a PS. */
static inline bool oasis_add_worker(struct oasis_cluster *c, uint32_t i)
{
	const struct astra_oasis_job *job = &c->w->jobs[i].job;
	struct oasis_state *s = &c->jobs[i];
	uint32_t before = s->count[OASIS_WORKERS];

	if (before >= job->workers || before >= s->left ||
	    !oasis_place(c, i, OASIS_WORKERS))
		return false;
	while (s->count[OASIS_PS] < oasis_ps_for(job, before + 1))
		if (!oasis_place(c, i, OASIS_PS)) {
			oasis_shrink(c, i, before);
			return false;
		}
	return true;
}

/* Let a job grow up to so many workers. Returns whether it has all. */
static inline bool oasis_grow(struct oasis_cluster *c, uint32_t i,
			      uint32_t workers)
{
	while (c->jobs[i].count[OASIS_WORKERS] < workers)
		if (!oasis_add_worker(c, i))
			return false;
	return true;
}

static inline bool oasis_runs(const struct oasis_cluster *c, uint32_t i)
{
	return c->jobs[i].count[OASIS_WORKERS] > 0;
}

static inline bool oasis_waits(const struct oasis_cluster *c, uint32_t i)
{
	return !c->jobs[i].ended && !c->jobs[i].refused && !oasis_runs(c, i);
}

/* Return a job's fixed number of workers, or fewer if less work is left. */
static inline uint32_t oasis_fixed(const struct oasis_cluster *c, uint32_t i)
{
	return (uint32_t)fmin(c->w->jobs[i].fixed, ceil(c->jobs[i].left));
}

static inline bool oasis_start_fixed(struct oasis_cluster *c, uint32_t i)
{
	bool starts = oasis_grow(c, i, oasis_fixed(c, i));

	if (!starts)
		oasis_shrink(c, i, 0);
	return starts;
}

/* Start jobs in the order of arrival, each with its fixed number of workers. */
static inline void oasis_fifo(struct oasis_cluster *c)
{
	for (uint32_t i = 0; i < c->came; i++)
		if (oasis_waits(c, i) && !oasis_start_fixed(c, i))
			return;
}

static inline double oasis_share(const struct oasis_cluster *c, uint32_t i)
{
	return c->jobs[i].share * c->jobs[i].count[OASIS_WORKERS];
}

/* Find the job with the least dominant share that may have room. Returns the
 * number of jobs if there is none. */
static inline uint32_t oasis_poorest(const struct oasis_cluster *c)
{
	uint32_t best = c->w->count;

	for (uint32_t i = 0; i < c->came; i++)
		if (!c->jobs[i].ended && !c->jobs[i].tried &&
		    (best == c->w->count ||
		     oasis_share(c, i) < oasis_share(c, best)))
			best = i;
	return best;
}

/* Give one worker after another to the job with the least dominant share. */
static inline void oasis_drf(struct oasis_cluster *c)
{
	uint32_t i;

	if (!c->happened)
		return;
	for (i = 0; i < c->came; i++) {
		oasis_shrink(c, i, 0);
		c->jobs[i].tried = false;
	}
	while ((i = oasis_poorest(c)) < c->w->count)
		c->jobs[i].tried = !oasis_add_worker(c, i);
}

/* Count the slots that a job still takes with its fixed workers. */
static inline double oasis_rrh_slots(const struct oasis_cluster *c, uint32_t i)
{
	return fmax(1, ceil(c->jobs[i].left / c->w->jobs[i].fixed));
}

/* Compute a job's share of the cluster times its slots. */
static inline double oasis_rrh_time(const struct oasis_cluster *c, uint32_t i)
{
	return c->jobs[i].share * c->w->jobs[i].fixed * oasis_rrh_slots(c, i);
}

/* Compute a job's utility if it starts so many slots from now. */
static inline double oasis_rrh_value(const struct oasis_cluster *c, uint32_t i,
				     double start)
{
	double end = (double)c->slot + start + oasis_rrh_slots(c, i) - 1;

	return astra_utility_value(&c->w->jobs[i].job.utility,
				   end - (double)c->w->jobs[i].job.arrival);
}

static inline double oasis_rrh_pv(const struct oasis_cluster *c, uint32_t i,
				  double start)
{
	return oasis_rrh_value(c, i, start) /
	       (1 + RRH_DISCOUNT * (start + oasis_rrh_slots(c, i)));
}

/* Compute the utility that a job loses by one slot's wait. */
static inline double oasis_rrh_decay(const struct oasis_cluster *c, uint32_t i)
{
	return oasis_rrh_value(c, i, 0) - oasis_rrh_value(c, i, 1);
}

/* Set each job's reward: its value for its time, less what others lose
 * meanwhile (FirstReward). */
static inline void oasis_rrh_look(struct oasis_cluster *c)
{
	double decay = 0;

	for (uint32_t i = 0; i < c->came; i++)
		if (oasis_waits(c, i))
			decay += oasis_rrh_decay(c, i);
	for (uint32_t i = 0; i < c->came; i++)
		c->jobs[i].reward =
			RRH_ALPHA * oasis_rrh_pv(c, i, 0) /
				oasis_rrh_time(c, i) -
			(1 - RRH_ALPHA) * (decay - oasis_rrh_decay(c, i));
}

/* Refuse a job if the jobs behind it lose more than its value. */
static inline void oasis_rrh_judge(struct oasis_cluster *c, uint32_t i)
{
	struct oasis_state *mine = &c->jobs[i];
	double ahead = 0, cost = 0, time = oasis_rrh_time(c, i);

	for (uint32_t j = 0; j < c->came; j++) {
		const struct oasis_state *other = &c->jobs[j];

		if (j == i || !other->judged || other->ended || other->refused)
			continue;
		if (oasis_runs(c, j) || other->reward >= mine->reward)
			ahead += oasis_rrh_time(c, j);
		else
			cost += oasis_rrh_value(c, j, 0) -
				oasis_rrh_value(c, j, time);
	}
	mine->judged = true;
	mine->refused = oasis_rrh_pv(c, i, ahead) < cost;
}

static inline void oasis_rrh(struct oasis_cluster *c)
{
	oasis_rrh_look(c);
	for (uint32_t i = 0; i < c->came; i++) {
		if (!c->jobs[i].judged)
			oasis_rrh_judge(c, i);
		c->jobs[i].tried = false;
	}
	for (;;) {
		uint32_t best = c->w->count;

		for (uint32_t i = 0; i < c->came; i++)
			if (oasis_waits(c, i) && !c->jobs[i].tried &&
			    (best == c->w->count ||
			     c->jobs[i].reward > c->jobs[best].reward))
				best = i;
		if (best == c->w->count)
			return;
		c->jobs[best].tried = !oasis_start_fixed(c, best);
	}
}

/* Find what DRF gives each job in the empty cluster. */
static inline void oasis_dorm_goals(const struct oasis_cluster *c,
				    uint32_t *goals)
{
	struct oasis_cluster fair;

	oasis_cluster_init(&fair, c->w);
	fair.came = c->came;
	fair.happened = true;
	for (uint32_t i = 0; i < c->came; i++) {
		fair.jobs[i].left = c->jobs[i].left;
		fair.jobs[i].ended = c->jobs[i].ended;
	}
	oasis_drf(&fair);
	for (uint32_t i = 0; i < c->came; i++)
		goals[i] = fair.jobs[i].count[OASIS_WORKERS];
	oasis_cluster_clear(&fair);
}

/* Compute by how much of the cluster a job is above its fair share. */
static inline double oasis_dorm_above(const struct oasis_cluster *c,
				      const uint32_t *goals, uint32_t i)
{
	return oasis_share(c, i) - c->jobs[i].share * goals[i];
}

/* Find the running job that is farthest above its fair share, or with sign -1
 * below it. Returns the number of jobs if there is none. */
static inline uint32_t oasis_dorm_farthest(const struct oasis_cluster *c,
					   const uint32_t *goals, int sign)
{
	uint32_t best = c->w->count;
	double most = ASTRA_TIE;

	for (uint32_t i = 0; i < c->came; i++) {
		double off = sign * oasis_dorm_above(c, goals, i);

		if (!oasis_runs(c, i) || c->jobs[i].tried || off <= most)
			continue;
		most = off;
		best = i;
	}
	return best;
}

/* Change running jobs' workers towards their fair shares, while changes are
 * left and the loss of fairness is above its bound. */
static inline void oasis_dorm_change(struct oasis_cluster *c,
				     const uint32_t *goals, int sign,
				     double loss_most, uint32_t *changes)
{
	while (*changes) {
		uint32_t i = oasis_dorm_farthest(c, goals, sign);
		double loss = 0;

		for (uint32_t j = 0; j < c->came; j++)
			loss += fabs(oasis_dorm_above(c, goals, j));
		if (i == c->w->count || loss <= loss_most)
			return;
		oasis_shrink(c, i, goals[i] ? goals[i] : 1);
		oasis_grow(c, i, goals[i]);
		c->jobs[i].tried = true;
		--*changes;
	}
}

/* Use as much as the bounds on unfairness and on changes allow. No running job
 * is stopped. */
static inline void oasis_dorm(struct oasis_cluster *c)
{
	uint32_t *goals, running = 0, changes;

	if (!c->happened)
		return;
	goals = oasis_take(c->w->count, sizeof(*goals));
	oasis_dorm_goals(c, goals);
	for (uint32_t i = 0; i < c->came; i++) {
		running += oasis_runs(c, i);
		c->jobs[i].tried = false;
	}
	changes = (uint32_t)astra_ceil(DORM_CHANGE_MOST * running);
	oasis_dorm_change(c, goals, 1, DORM_LOSS_MOST, &changes);
	for (uint32_t i = 0; i < c->came; i++)
		if (oasis_waits(c, i)) {
			oasis_grow(c, i, goals[i]);
			c->jobs[i].tried = true;
		}
	oasis_dorm_change(c, goals, -1, 0, &changes);
	free(goals);
}

/* Let all jobs that have workers do a slot's work. */
static inline void oasis_work(struct oasis_cluster *c)
{
	c->happened = false;
	for (uint32_t i = 0; i < c->came; i++) {
		struct oasis_state *s = &c->jobs[i];

		s->left -= s->count[OASIS_WORKERS];
		if (s->ended || s->left > ASTRA_TIE)
			continue;
		s->ended = c->slot;
		oasis_shrink(c, i, 0);
		c->happened = true;
	}
}

/* Run all jobs under a rule.
 * ended: by job; the slot, 0 for none. */
static inline void oasis_obey(const struct oasis_instance *w, oasis_rule *rule,
			      int64_t *ended)
{
	struct oasis_cluster c;

	oasis_cluster_init(&c, w);
	for (c.slot = 1; c.slot <= w->slots; c.slot++) {
		uint32_t before = c.came;

		while (c.came < w->count &&
		       w->jobs[c.came].job.arrival <= c.slot)
			c.came++;
		c.happened |= c.came != before;
		rule(&c);
		oasis_work(&c);
	}
	for (uint32_t i = 0; i < w->count; i++)
		ended[i] = c.jobs[i].ended;
	oasis_cluster_clear(&c);
}

#endif
