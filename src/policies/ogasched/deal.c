/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policies/ogasched/deal.h"

#include <math.h>
#include <stdlib.h>

#include "src/placement/placement.h"
#include "src/policies/offer.h"

struct deal {
	struct ogas_classes *classes;
	const struct astra_offer *offer;
	const uint32_t *units;
	struct astra_allocation *out;
	double slot_sec;	       /* its length */
	double end_sec, start_end_sec; /* ends of leases that continue, and of
					* leases that begin */
	size_t class_count, stride;
	uint64_t *left;	   /* per class: GPUs that it may still be awarded */
	uint64_t *got;	   /* per class: GPUs that it has in this slot */
	uint32_t *granted; /* per class */
	uint32_t *awarded; /* per demand: number of copies awarded */
	size_t *award_of;  /* per demand: 1 + index of its last award; 0:
			    * none */
	uint32_t *order;   /* demands by class, within a class in the order of
			    * queue */
	uint32_t *queue;   /* demands: those that ran for less time first, then
			    * the earlier ones */
	/* all: everything that can be awarded. idle: the part that no job
	 * holds. near: the part of idle that the present class has a grant
	 * for. */
	struct astra_space *all, *idle, *near;
	uint32_t near_class;
	struct astra_share *shares;
};

static inline uint32_t deal_class(const struct deal *d, uint32_t demand)
{
	return d->classes->class_of[demand];
}

static inline uint32_t deal_less(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* The first level is for jobs that have run for less than LEVEL_SLOTS slots (an
 * hour, by default). The last level has no upper end. */
#define LEVEL_SLOTS 6
#define LEVEL_GROWTH 8
#define LEVELS 3

/* Count each class's grant: what all its jobs may use, including its running
 * jobs. */
static void count_grants(struct deal *d, bool fresh)
{
	for (size_t l = 0; l < d->class_count; l++) {
		uint64_t units = 0;

		for (size_t n = 0; n < d->stride; n++)
			units += d->units[l * d->stride + n];
		d->granted[l] =
			(uint32_t)(units < UINT32_MAX ? units : UINT32_MAX);
		if (fresh)
			units += (uint64_t)d->classes->saved[l];
		d->left[l] = units;
	}
	for (uint32_t i = 0; i < d->offer->demand_count; i++) {
		const struct astra_demand *at = &d->offer->demands[i];
		uint64_t gpus = astra_shares_gpus(at->held, at->held_count);
		uint32_t class = deal_class(d, i);

		if (at->open)
			continue;
		d->got[class] += gpus;
		d->left[class] -= gpus < d->left[class] ? gpus : d->left[class];
	}
}

/* Return a job's level by how long it has run; each level is eight times as
 * long as the one before. Short jobs have run for a short time, so long jobs of
 * a class do not delay short ones. Nor do two long jobs take turns. The paper
 * has no levels: there a job lasts one slot. */
static unsigned deal_begin_level_of(const struct deal *d, uint32_t demand)
{
	double most = LEVEL_SLOTS * d->slot_sec;
	unsigned level = 0;

	while (level < LEVELS && d->offer->demands[demand].ran_sec >= most) {
		most *= LEVEL_GROWTH;
		level++;
	}
	return level;
}

static int compare_queue(const void *a, const void *b, void *arg)
{
	const struct deal *d = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	double s = d->offer->demands[x].submit_sec;
	double t = d->offer->demands[y].submit_sec;
	unsigned i = deal_begin_level_of(d, x), j = deal_begin_level_of(d, y);

	if (i != j)
		return i < j ? -1 : 1;
	if (s != t)
		return s < t ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* Sort the queue, then group it by class into order. */
static int deal_begin_sort(struct deal *d)
{
	size_t count = d->offer->demand_count;
	size_t *at = calloc(d->class_count + 1, sizeof(*at));

	if (!at)
		return -1;
	for (uint32_t i = 0; i < count; i++) {
		d->queue[i] = i;
		at[deal_class(d, i) + 1]++;
	}
	qsort_r(d->queue, count, sizeof(*d->queue), compare_queue, d);
	for (size_t l = 0; l < d->class_count; l++)
		at[l + 1] += at[l];
	for (size_t i = 0; i < count; i++)
		d->order[at[deal_class(d, d->queue[i])]++] = d->queue[i];
	free(at);
	return 0;
}

/* Leave in the idle space what no job holds. */
static void clear_held(struct deal *d)
{
	const struct astra_offer *offer = d->offer;

	for (size_t i = 0; i < offer->demand_count; i++)
		if (offer->demands[i].open)
			astra_demand_take(offer, d->idle, &offer->demands[i]);
}

static int deal_begin_init(struct deal *d)
{
	size_t demands = d->offer->demand_count, nodes = d->offer->node_count;

	d->left = calloc(d->class_count + 1, sizeof(*d->left));
	d->got = calloc(d->class_count + 1, sizeof(*d->got));
	d->granted = calloc(d->class_count + 1, sizeof(*d->granted));
	d->awarded = calloc(demands + 1, sizeof(*d->awarded));
	d->award_of = calloc(demands + 1, sizeof(*d->award_of));
	d->order = calloc(demands + 1, sizeof(*d->order));
	d->queue = calloc(demands + 1, sizeof(*d->queue));
	d->shares = calloc(nodes + 1, sizeof(*d->shares));
	d->all = astra_offer_space(d->offer);
	d->idle = astra_offer_space(d->offer);
	d->near = astra_offer_empty(d->offer);
	if (d->left && d->got && d->granted && d->awarded && d->award_of &&
	    d->order && d->queue && d->shares && d->all && d->idle && d->near)
		return 0;
	return -1;
}

static void deal_end(struct deal *d)
{
	free(d->left);
	free(d->got);
	free(d->granted);
	free(d->awarded);
	free(d->award_of);
	free(d->order);
	free(d->queue);
	free(d->shares);
	astra_space_destroy(d->all);
	astra_space_destroy(d->idle);
	astra_space_destroy(d->near);
}

/* Set up the deal: the offered resources, the demands in order, and what each
 * class may use. The members above `left` are set by the caller. Returns 0, or
 * -1 when memory is out. End the deal in both cases. */
static int deal_begin(struct deal *d, bool fresh)
{
	if (deal_begin_init(d) < 0 || deal_begin_sort(d) < 0)
		return -1;
	clear_held(d);
	count_grants(d, fresh);
	return 0;
}

/* The shortest lease, as a part of a slot. A shorter one is prolonged to the
 * end of the next slot, unless a class saves for a job that needs all leases to
 * end together. */
#define LEASE_LEAST .5
/* A job is restarted to grow only if it gets at least this many times the GPUs
 * it has. */
#define GROWTH_LEAST 1.125
#define NO_LIMIT UINT64_MAX

/* Reduce the room of a node to at most `most`. */
static void cap(struct astra_space *space, uint32_t node,
		const struct astra_room *most)
{
	struct astra_room room = *astra_space_get(space, node);

	if (room.gpus <= most->gpus && room.cpus <= most->cpus &&
	    room.mem_mib <= most->mem_mib)
		return;
	room.gpus = deal_less(room.gpus, most->gpus);
	room.cpus = deal_less(room.cpus, most->cpus);
	if (room.mem_mib > most->mem_mib)
		room.mem_mib = most->mem_mib;
	room.whole = false;
	astra_space_set(space, node, &room);
}

/* Take a share from what can be awarded. from_idle: no job holds it. */
static void deal_take(struct deal *d, const struct astra_share *share,
		      bool from_idle)
{
	astra_space_take(d->all, share);
	if (from_idle)
		astra_space_take(d->idle, share);
	cap(d->idle, share->node, astra_space_get(d->all, share->node));
	astra_space_take(d->near, share);
	cap(d->near, share->node, astra_space_get(d->idle, share->node));
}

/* Set near to the idle GPUs that are within a class's grant. */
static void come_near(struct deal *d, uint32_t class)
{
	if (d->near_class == class)
		return;
	d->near_class = class;
	for (uint32_t n = 0; n < d->offer->node_count; n++) {
		struct astra_room room = *astra_space_get(d->idle, n);
		uint32_t units =
			d->units[class * d->stride + d->classes->node_of[n]];

		room.whole &= units >= room.gpus;
		room.gpus = deal_less(units, room.gpus);
		astra_space_set(d->near, n, &room);
	}
}

static const struct astra_job *deal_job_of(const struct deal *d,
					   uint32_t demand)
{
	return d->offer->demands[demand].job;
}

static bool deal_waits(const struct deal *d, uint32_t demand)
{
	const struct astra_demand *at = &d->offer->demands[demand];

	/* A job that never fits must not stop other jobs of its class. */
	return at->open && !at->job->held_count &&
	       d->awarded[demand] < at->copies &&
	       astra_request_least(&at->job->request) <= d->offer->gpus;
}

static int deal_award(struct deal *d, uint32_t demand,
		      const struct astra_share *shares, size_t count,
		      bool begins)
{
	uint64_t gpus = astra_shares_gpus(shares, count);
	uint32_t class = deal_class(d, demand);

	for (size_t i = 0; i < count; i++)
		deal_take(d, &shares[i], begins);
	d->awarded[demand]++;
	d->award_of[demand] = d->out->award_count + 1;
	d->got[class] += gpus;
	d->left[class] -= gpus < d->left[class] ? gpus : d->left[class];
	return astra_allocation_add(d->out, demand,
				    begins ? d->start_end_sec : d->end_sec,
				    shares, count);
}

/* Let a job continue if it holds at most `limit` GPUs. */
static int deal_keep(struct deal *d, uint32_t demand, uint64_t limit)
{
	const struct astra_demand *at = &d->offer->demands[demand];
	const struct astra_job *job = at->job;

	if (!at->open || d->awarded[demand] ||
	    astra_shares_gpus(job->held, job->held_count) > limit ||
	    !astra_demand_is_in(d->offer, d->all, at))
		return 0;
	return deal_award(d, demand, job->held, job->held_count, false);
}

/* Give an elastic job more idle GPUs, beyond its class's grant. A running job
 * has to checkpoint and start again for that, so a few more GPUs are not worth
 * it. Returns 0, or -1 when memory is out. */
static int deal_grow(struct deal *d, uint32_t demand)
{
	struct astra_allocation *out = d->out;
	struct astra_award *old = &out->awards[d->award_of[demand] - 1];
	const struct astra_share *has = out->shares + old->first_share;
	uint64_t had = astra_shares_gpus(has, old->share_count), gpus;
	double least = deal_job_of(d, demand)->held_count
			       ? GROWTH_LEAST * (double)had
			       : (double)had + 1;
	size_t count;

	for (size_t i = 0; i < old->share_count; i++)
		astra_space_give(d->idle, &has[i]);
	count = astra_demand_place_most(d->idle, &d->offer->demands[demand],
					NO_LIMIT, d->shares);
	gpus = astra_shares_gpus(d->shares, count);
	if ((double)gpus < least) {
		for (size_t i = 0; i < old->share_count; i++)
			astra_space_take(d->idle, &has[i]);
		return 0;
	}
	for (size_t i = 0; i < count; i++)
		astra_space_take(d->idle, &d->shares[i]);
	d->got[deal_class(d, demand)] += gpus - had;
	if (astra_allocation_add(out, demand, old->until_sec, d->shares,
				 count) < 0)
		return -1;
	out->award_count--;
	out->awards[d->award_of[demand] - 1] = out->awards[out->award_count];
	return 0;
}

/* Enlarge elastic jobs once all other jobs have been served: those that begin
 * and, when a slot begins, those that continue. */
static int grow_all(struct deal *d, bool fresh)
{
	for (size_t i = 0; i < d->offer->demand_count; i++) {
		uint32_t demand = d->queue[i];
		const struct astra_job *job = deal_job_of(d, demand);

		if (d->awarded[demand] == 1 && (fresh || !job->held_count) &&
		    astra_request_elastic(&job->request) &&
		    astra_space_gpus(d->idle) && deal_grow(d, demand) < 0)
			return -1;
	}
	return 0;
}

/* Start a job. within_grant: first try GPUs of its class's grant, then other
 * idle ones, last those of expired leases. If not within_grant, use idle GPUs
 * only. Returns whether the job got a place, or -1 when memory is out. */
static int deal_start(struct deal *d, uint32_t demand, uint64_t limit,
		      bool within_grant)
{
	struct astra_space *const spaces[] = {d->idle, d->near, d->idle,
					      d->all};
	size_t count = 0, i = within_grant ? 1 : 0, end = within_grant ? 4 : 1;

	if (!limit || !deal_waits(d, demand))
		return 0;
	if (within_grant)
		come_near(d, deal_class(d, demand));
	for (; !count && i < end; i++)
		count = astra_demand_place_most(spaces[i],
						&d->offer->demands[demand],
						limit, d->shares);
	if (!count)
		return 0;
	return deal_award(d, demand, d->shares, count, true) < 0 ? -1 : 1;
}

/* Start as many of a demand's copies as there is room for. */
static int start_all(struct deal *d, uint32_t demand, bool within_grant)
{
	int rc = 1;

	while (rc > 0) {
		uint64_t limit = within_grant ? d->left[deal_class(d, demand)]
					      : NO_LIMIT;

		rc = deal_start(d, demand, limit, within_grant);
	}
	return rc;
}

static bool may_go_on(const struct deal *d, uint32_t demand)
{
	const struct astra_demand *at = &d->offer->demands[demand];

	return at->open && at->job->held_count;
}

/* Start the first job of each class, if it waits and the class has saved for
 * it. Until it has its GPUs, no job behind it may have them. */
static int start_what_was_saved_for(struct deal *d)
{
	uint32_t last = ASTRA_NONE;

	for (size_t i = 0; i < d->offer->demand_count; i++) {
		uint32_t demand = d->order[i], class = deal_class(d, demand);

		if (class == last ||
		    !(deal_waits(d, demand) || may_go_on(d, demand)))
			continue;
		last = class;
		if (!may_go_on(d, demand) &&
		    deal_job_of(d, demand)->request.gpus > d->granted[class] &&
		    deal_start(d, demand, d->left[class], true) < 0)
			return -1;
	}
	return 0;
}

static int deal_within_grants(struct deal *d, bool fresh)
{
	size_t count = d->offer->demand_count;

	if (fresh && start_what_was_saved_for(d) < 0)
		return -1;
	for (size_t i = 0; i < count; i++)
		if (deal_keep(d, d->order[i],
			      d->left[deal_class(d, d->order[i])]) < 0)
			return -1;
	for (size_t i = 0; i < count; i++)
		if (start_all(d, d->order[i], true) < 0)
			return -1;
	return 0;
}

static int deal_the_rest(struct deal *d)
{
	size_t count = d->offer->demand_count;

	for (size_t i = 0; i < count; i++)
		if (deal_keep(d, d->queue[i], NO_LIMIT) < 0)
			return -1;
	for (size_t i = 0; i < count && astra_space_gpus(d->idle); i++)
		if (start_all(d, d->queue[i], false) < 0)
			return -1;
	return 0;
}

static void save_up(struct deal *d)
{
	double *saved = d->classes->saved;
	size_t count = d->offer->demand_count, i = 0;

	for (size_t l = 0; l < d->class_count; l++) {
		double rest = saved[l] + d->granted[l] - (double)d->got[l];
		double most = 0;

		for (; i < count && deal_class(d, d->order[i]) == l; i++)
			if (deal_waits(d, d->order[i]))
				most = fmax(most, deal_job_of(d, d->order[i])
							  ->request.gpus);
		saved[l] = fmin(fmax(rest, 0), most);
	}
}

/* Whether some class has saved more than its grant in a slot. */
static bool somebody_saves(const struct deal *d)
{
	for (size_t l = 0; l < d->class_count; l++)
		if (d->classes->saved[l] > d->granted[l])
			return true;
	return false;
}

int ogas_deal(struct ogas_classes *classes, const struct astra_offer *offer,
	      const uint32_t *units, double slot_end_sec, double slot_sec,
	      bool fresh, struct astra_allocation *out)
{
	struct deal d = {
		.classes = classes,
		.offer = offer,
		.units = units,
		.out = out,
		.slot_sec = slot_sec,
		.end_sec = slot_end_sec,
		.start_end_sec = slot_end_sec,
		.class_count = astra_ogas_port_count(classes->learner),
		.stride = astra_ogas_node_count(classes->learner),
		.near_class = ASTRA_NONE,
	};
	int rc = -1;

	out->spare_until_sec = slot_end_sec;
	if (deal_begin(&d, fresh) == 0) {
		if (slot_end_sec - offer->now_sec < LEASE_LEAST * slot_sec &&
		    !somebody_saves(&d))
			d.start_end_sec += slot_sec;
		out->lend_until_sec = d.start_end_sec;
		rc = deal_within_grants(&d, fresh);
		if (!rc)
			rc = deal_the_rest(&d);
		if (!rc)
			rc = grow_all(&d, fresh);
		if (!rc && fresh)
			save_up(&d);
	}
	deal_end(&d);
	return rc;
}
