/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/placement/placement.h"

#include <stdlib.h>
#include <string.h>

#include "src/common/number.h"
#include "src/placement/space_priv.h"

static uint64_t room_times(uint64_t a, uint64_t b)
{
	uint64_t product;

	return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

struct astra_share astra_request_share(const struct astra_request *request,
				       uint32_t node, uint32_t gpus)
{
	struct astra_share share = {
		.node = node,
		.gpus = gpus,
		.owner = request->owner,
		.alone = request->alone,
	};
	uint64_t cpus = 0, mem;

	if (request->cpus && request->gpus)
		cpus = astra_div_up((uint64_t)request->cpus * gpus,
				    request->gpus);
	if (cpus < request->cpus_per_node)
		cpus = request->cpus_per_node;
	share.cpus = cpus < UINT32_MAX ? (uint32_t)cpus : UINT32_MAX;
	share.mem_mib = request->mem_node_mib;
	mem = room_times(request->mem_gpu_mib, gpus);
	if (mem > share.mem_mib)
		share.mem_mib = mem;
	mem = room_times(request->mem_cpu_mib, cpus);
	if (mem > share.mem_mib)
		share.mem_mib = mem;
	return share;
}

struct astra_request astra_request_sized(const struct astra_request *q,
					 uint32_t gpus)
{
	struct astra_request sized = *q;
	uint32_t nodes = q->gpus_per_node ? gpus / q->gpus_per_node : gpus;

	sized.gpus = gpus;
	sized.cpus =
		(uint32_t)(((uint64_t)q->cpus * gpus + q->gpus - 1) / q->gpus);
	sized.charge = q->charge * gpus / q->gpus;
	if (sized.nodes_min > nodes)
		sized.nodes_min = nodes;
	return sized;
}

/* Return how many free GPUs one job can have. */
static uint32_t room_gpus(const struct astra_room *room)
{
	return room->gpus - astra_min32(room->gpus, room->scattered);
}

bool astra_room_has(const struct astra_room *room,
		    const struct astra_share *share)
{
	return room->cpus && share->gpus <= room_gpus(room) &&
	       share->cpus <= room->cpus && share->mem_mib <= room->mem_mib;
}

static bool hosts(const struct astra_room *room,
		  const struct astra_request *request, uint32_t gpus)
{
	struct astra_share share = astra_request_share(request, 0, gpus);

	return astra_room_has(room, &share);
}

/* Return what the room would host if it were short of nothing but GPUs. */
static uint32_t room_fits_at_most(const struct astra_room *room,
				  const struct astra_request *request)
{
	uint32_t quantum = astra_request_quantum(request);

	if (request->gpus_per_node)
		return room->gpus >= quantum ? quantum : 0;
	return astra_min32(room->gpus, request->gpus) / quantum * quantum;
}

uint32_t astra_room_fits(const struct astra_room *room,
			 const struct astra_request *request)
{
	uint32_t quantum = astra_request_quantum(request);
	uint32_t most = astra_min32(room_fits_at_most(room, request),
				    room_gpus(room) / quantum * quantum);
	uint32_t low = 0, high = most / quantum;

	/* A node without a free CPU counts as one that another job has
	 * alone. */
	if (!most || !room->cpus || (request->whole_node && !room->whole) ||
	    astra_room_strange(room, request))
		return 0;
	if (hosts(room, request, most))
		return most;
	while (low + 1 < high) { /* low fits (or is 0), high does not */
		uint32_t middle = low + (high - low) / 2;

		if (hosts(room, request, middle * quantum))
			low = middle;
		else
			high = middle;
	}
	return low * quantum;
}

/* Indices of the sets of nodes that a search's mask leaves out. */
enum { BUT_BANNED, BUT_USED, BUT_HEAVY, BUT_PREFERRED };

/* One search for a place. */
struct search {
	const struct astra_space *space;
	const struct astra_request *request;
	struct astra_set_mask mask;
	uint32_t quantum;
	size_t nodes_max;
	size_t most; /* most nodes that a place may have; 0: the request's
		      * limit */
	struct astra_share *shares;
	size_t count, fixed; /* the first `fixed` shares are on required
			      * nodes */
	uint64_t missing;    /* GPUs still to be placed */
};

/* A walk over nodes, by descending room in GPUs. */
struct walk {
	bool by_fit; /* in the order of space->order; false: level by level */
	size_t level, next;
};

/* Return how many GPUs of the request fit on the node, at most gpus_max. A node
 * with more free GPUs is in the highest level too. */
static uint32_t placement_fits(const struct search *s, size_t node)
{
	return astra_min32(
		astra_room_fits(&s->space->nodes[node].room, s->request),
		s->space->gpus_max);
}

/* Return, among unused nodes on which `gpus` GPUs fit, the one with the least
 * free GPUs. Of equal nodes, it is the one with the lower index. ASTRA_SET_END:
 * no such node. */
static size_t best_fit(const struct search *s, uint64_t gpus)
{
	const struct astra_space *space = s->space;

	if (gpus > space->gpus_max)
		return ASTRA_SET_END;
	for (size_t l = astra_set_next(&space->levels, (size_t)gpus, NULL);
	     l != ASTRA_SET_END;
	     l = astra_set_next(&space->levels, l + 1, NULL)) {
		struct astra_set set = astra_space_level(space, l);
		size_t n = astra_set_next(&set, 0, &s->mask);

		while (n != ASTRA_SET_END && placement_fits(s, n) < gpus)
			n = astra_set_next(&set, n + 1, &s->mask);
		if (n != ASTRA_SET_END)
			return n;
	}
	return ASTRA_SET_END;
}

static void placement_use(struct search *s, size_t node, uint64_t gpus)
{
	const struct astra_room *room = &s->space->nodes[node].room;
	struct astra_share *share = &s->shares[s->count++];

	*share =
		astra_request_share(s->request, (uint32_t)node, (uint32_t)gpus);
	if (s->request->whole_node) {
		share->cpus = room->cpus;
		share->mem_mib = room->mem_mib;
	}
	s->space->used[node / 64] |= UINT64_C(1) << (node % 64);
	s->missing -= gpus;
}

/* Undo the choice of nodes, except the first `fixed` ones. */
static void restart(struct search *s)
{
	while (s->count > s->fixed) {
		const struct astra_share *share = &s->shares[--s->count];

		s->space->used[share->node / 64] &=
			~(UINT64_C(1) << (share->node % 64));
		s->missing += share->gpus;
	}
}

/* Fill space->order with the nodes that host something, by descending fit, then
 * by weight and index. This is a counting sort. */
static void sort_by_fit(const struct search *s)
{
	const struct astra_space *space = s->space;
	uint32_t *heads = space->heads, before = 0;

	memset(heads, 0, ((size_t)space->gpus_max + 2) * sizeof(*heads));
	memset(space->fits, 0, space->count * sizeof(*space->fits));
	for (size_t l = astra_set_next(&space->levels, 0, NULL);
	     l != ASTRA_SET_END;
	     l = astra_set_next(&space->levels, l + 1, NULL)) {
		struct astra_set set = astra_space_level(space, l);

		for (size_t n = astra_set_next(&set, 0, &s->mask);
		     n != ASTRA_SET_END;
		     n = astra_set_next(&set, n + 1, &s->mask)) {
			space->fits[n] = placement_fits(s, n);
			heads[space->fits[n]]++;
		}
	}
	for (size_t fit = (size_t)space->gpus_max + 1; fit-- > 1;) {
		uint32_t here = heads[fit];

		heads[fit] = before;
		before += here;
	}
	for (size_t i = 0; i < space->count; i++) {
		uint32_t n =
			space->ranks ? space->ranks->order[i] : (uint32_t)i;

		if (space->fits[n])
			space->order[heads[space->fits[n]]++] = n;
	}
	space->order[before] = ASTRA_NONE;
}

static struct walk walk_start(const struct search *s, bool by_fit)
{
	const struct astra_space *space = s->space;

	if (by_fit)
		sort_by_fit(s);
	return (struct walk){
		.by_fit = by_fit,
		.level = astra_set_prev(&space->levels, space->gpus_max),
	};
}

static size_t placement_walk_next(const struct search *s, struct walk *w)
{
	const struct astra_space *space = s->space;

	if (w->by_fit) {
		uint32_t node = space->order[w->next];

		if (node == ASTRA_NONE)
			return ASTRA_SET_END;
		w->next++;
		return node;
	}
	while (w->level != ASTRA_SET_END && w->level) {
		struct astra_set set = astra_space_level(space, w->level);
		size_t node = astra_set_next(&set, w->next, &s->mask);

		w->next = node + 1;
		if (node != ASTRA_SET_END)
			return node;
		w->level = astra_set_prev(&space->levels, w->level - 1);
		w->next = 0;
	}
	return ASTRA_SET_END;
}

/* Take nodes by descending room. As soon as the remaining GPUs fit on one of
 * the nodes left, put them on the node with the least sufficient room. This
 * uses the fewest nodes. Going level by level is right only as long as GPUs
 * alone limit what nodes on the way host. Returns 1 when placed, 0 when there
 * is no place, or -1 if the walk must go by fit. */
static int placement_fill(struct search *s, bool by_fit)
{
	struct walk w = walk_start(s, by_fit);

	while (s->count < s->nodes_max) {
		size_t node = placement_walk_next(s, &w);
		uint32_t fit;

		if (node == ASTRA_SET_END)
			return 0;
		fit = placement_fits(s, node);
		if (fit >= s->missing) {
			placement_use(s, best_fit(s, s->missing), s->missing);
			return 1;
		}
		if (!by_fit &&
		    fit < room_fits_at_most(&s->space->nodes[node].room,
					    s->request))
			return -1;
		if (fit)
			placement_use(s, node, fit);
	}
	return 0;
}

static bool place_fewest(struct search *s)
{
	size_t node;
	int placed;

	if (!s->missing || s->count == s->nodes_max)
		return !s->missing;
	node = best_fit(s, s->missing);
	if (node != ASTRA_SET_END) {
		placement_use(s, node, s->missing);
		return true;
	}
	placed = s->space->ranks ? -1 : placement_fill(s, false);
	if (placed < 0) {
		restart(s);
		placed = placement_fill(s, true);
	}
	return placed > 0;
}

/* Place the job evenly on `nodes` nodes in all, in whole quanta. Added nodes
 * have room for `most` GPUs each; those with the least free GPUs come first.
 * Returns whether there is a place. */
static bool place_evenly(struct search *s, size_t nodes, uint64_t most)
{
	const struct astra_space *space = s->space;

	if (s->count == nodes)
		return !s->missing;
	for (size_t l = astra_set_next(&space->levels, (size_t)most, NULL);
	     l != ASTRA_SET_END;
	     l = astra_set_next(&space->levels, l + 1, NULL)) {
		struct astra_set set = astra_space_level(space, l);

		for (size_t n = astra_set_next(&set, 0, &s->mask);
		     n != ASTRA_SET_END;
		     n = astra_set_next(&set, n + 1, &s->mask)) {
			uint64_t left = nodes - s->count;

			if (placement_fits(s, n) < most)
				continue;
			placement_use(
				s, n,
				astra_div_up(s->missing / s->quantum, left) *
					s->quantum);
			if (s->count == nodes)
				return true;
		}
	}
	return false;
}

/* Place the job on the `nodes` roomiest nodes, as evenly as their rooms allow.
 * Returns whether there is a place. */
static bool place_unevenly(struct search *s, size_t nodes)
{
	struct walk w = walk_start(s, true);

	nodes -= s->count;
	for (size_t i = 0; i + 1 < nodes; i++)
		if (placement_walk_next(s, &w) == ASTRA_SET_END)
			return false;
	if (placement_walk_next(s, &w) == ASTRA_SET_END)
		return false;
	while (w.next > 0) { /* the smallest rooms first */
		size_t node = s->space->order[--w.next];
		uint64_t even =
			astra_div_up(s->missing / s->quantum, w.next + 1) *
			s->quantum;
		uint64_t fit = s->space->fits[node];

		placement_use(s, node, fit < even ? fit : even);
	}
	return !s->missing;
}

/* Place the job on at least `nodes` > 1 nodes, with at least a quantum on each.
 * Returns whether there is a place. */
static bool place_spread(struct search *s, size_t nodes)
{
	uint64_t most;

	if (place_fewest(s) && s->count >= nodes)
		return true;
	restart(s);
	if (s->count >= nodes)
		return false;
	most = astra_div_up(s->missing / s->quantum, nodes - s->count) *
	       s->quantum;
	if (most <= s->space->gpus_max && place_evenly(s, nodes, most))
		return true;
	restart(s);
	return place_unevenly(s, nodes);
}

/* Place a job that requires no nodes. Returns whether there is a place. */
static bool place_anywhere(struct search *s)
{
	const struct astra_request *r = s->request;
	uint32_t quanta = r->gpus / s->quantum;

	if (r->gpus_per_node)
		return quanta <= s->nodes_max && quanta >= r->nodes_min &&
		       s->quantum <= s->space->gpus_max &&
		       place_evenly(s, quanta, s->quantum);
	if (r->nodes_min > 1)
		return place_spread(s, r->nodes_min);
	return place_fewest(s);
}

/* Return how many of `gpus` GPUs to put on one of `left` required nodes. It is
 * an even part, or more if the other required nodes, on which `later` GPUs fit,
 * lack room. */
static uint64_t required_part(const struct search *s, uint64_t gpus,
			      uint64_t later, size_t left)
{
	uint64_t part = astra_div_up(gpus / s->quantum, left) * s->quantum;
	uint64_t most = gpus - (left - 1) * s->quantum;

	if (gpus > later && gpus - later > part)
		part = gpus - later;
	return part < most ? part : most;
}

static bool placement_in(const uint64_t *set, uint32_t node)
{
	return set && set[node / 64] >> (node % 64) & 1;
}

static bool is_barred(const struct search *s, uint32_t node)
{
	return !astra_node_allowed(s->request, node) ||
	       placement_in(s->mask.but[BUT_BANNED], node) ||
	       placement_in(s->mask.but[BUT_PREFERRED], node) ||
	       (s->mask.only[1] && !placement_in(s->mask.only[1], node));
}

/* Put `gpus` GPUs on the required nodes, or as many as fit, with at least a
 * quantum on each. Returns false if that is impossible. */
static bool use_required(struct search *s, size_t nodes, uint64_t gpus)
{
	const struct astra_request *r = s->request;
	uint64_t later = 0;

	for (uint32_t n = 0; n < s->space->count; n++)
		if (astra_node_required(r, n))
			later += placement_fits(s, n);
	for (uint32_t n = 0; n < s->space->count; n++) {
		uint64_t fit = placement_fits(s, n), part;

		if (!astra_node_required(r, n))
			continue;
		if (is_barred(s, n) || !fit)
			return false;
		later -= fit;
		part = required_part(s, gpus, later, nodes--);
		part = fit < part ? fit : part;
		placement_use(s, n, part);
		gpus -= part;
	}
	s->fixed = s->count;
	return true;
}

/* Place a job that requires nodes. If nodes_min demands other nodes too, one
 * quantum is set aside for each of them. Of the remaining GPUs, as many as fit
 * go to the required nodes, and the rest to other nodes. Returns whether there
 * is a place. */
static bool place_required(struct search *s)
{
	const struct astra_request *r = s->request;
	uint64_t quanta = r->gpus / s->quantum;
	size_t nodes = 0, others;

	for (uint32_t n = 0; n < s->space->count; n++)
		nodes += astra_node_required(r, n);
	others = r->nodes_min > nodes ? r->nodes_min - nodes : 0;
	return nodes <= s->nodes_max && nodes + others <= quanta &&
	       use_required(s, nodes, (quanta - others) * s->quantum) &&
	       place_anywhere(s);
}

static bool placement_place(struct search *s, uint32_t strict_node_gpus)
{
	const struct astra_request *r = s->request;
	uint32_t quanta = r->gpus / s->quantum;

	s->nodes_max = r->nodes_max ? r->nodes_max : s->space->count;
	if (s->most && s->most < s->nodes_max)
		s->nodes_max = s->most;
	if (strict_node_gpus) {
		uint64_t needed = astra_div_up(r->gpus, strict_node_gpus);

		if (needed < s->nodes_max)
			s->nodes_max = (size_t)needed;
	}
	if (!r->gpus || r->gpus > s->space->gpus || r->gpus % s->quantum ||
	    r->nodes_min > s->nodes_max || r->nodes_min > quanta)
		return false;
	return r->required ? place_required(s) : place_anywhere(s);
}

/* Find a place. Returns the number of shares; 0: no place. */
static size_t placement_try(struct search *s, uint32_t strict_node_gpus)
{
	size_t count = 0;

	if (placement_place(s, strict_node_gpus))
		count = s->count;
	s->fixed = 0;
	restart(s);
	return count;
}

/* Return the rank of the heaviest node of the place, ignoring required
 * nodes. */
static uint32_t placement_heaviest(const struct search *s, size_t count)
{
	uint32_t most = 0;

	for (size_t i = 0; i < count; i++) {
		uint32_t node = s->shares[i].node;

		if (!astra_node_required(s->request, node) &&
		    s->space->ranks->rank[node] > most)
			most = s->space->ranks->rank[node];
	}
	return most;
}

/* Find a place on nodes up to this rank, that is, not heavier. */
static size_t placement_below(struct search *s, uint32_t strict_node_gpus,
			      uint32_t rank)
{
	const struct astra_space *space = s->space;
	const struct astra_ranks *ranks = space->ranks;

	memset(space->heavy, 0,
	       astra_set_words(space->count) * sizeof(*space->heavy));
	for (uint32_t i = ranks->first[rank + 1]; i < space->count; i++)
		space->heavy[ranks->order[i] / 64] |= UINT64_C(1)
						      << (ranks->order[i] % 64);
	s->mask.but[BUT_HEAVY] = space->heavy;
	return placement_try(s, strict_node_gpus);
}

/* Find a place on at most `count` nodes whose heaviest node is as light as
 * possible. */
static size_t placement_lighten(struct search *s, uint32_t strict_node_gpus,
				size_t count)
{
	uint32_t low = 0, high = placement_heaviest(s, count);
	size_t found;

	if (!high)
		return count;
	s->most = count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (placement_below(s, strict_node_gpus, middle))
			high = middle;
		else
			low = middle + 1;
	}
	found = placement_below(s, strict_node_gpus, high);
	if (found)
		return found;
	s->mask.but[BUT_HEAVY] = NULL;
	s->most = 0;
	return placement_try(s, strict_node_gpus);
}

static size_t placement_search(struct search *s, uint32_t strict_node_gpus)
{
	size_t count = placement_try(s, strict_node_gpus);

	if (count && s->space->ranks)
		count = placement_lighten(s, strict_node_gpus, count);
	return count;
}

static int placement_compare_shares(const void *a, const void *b)
{
	const struct astra_share *x = a, *y = b;

	return x->node < y->node ? -1 : x->node > y->node;
}

size_t astra_place(const struct astra_space *space,
		   const struct astra_request *request, const uint64_t *banned,
		   uint32_t strict_node_gpus, struct astra_share *shares)
{
	struct search s = {
		.space = space,
		.request = request,
		.mask =
			{
				.only = {request->allowed, request->preferred},
				.but = {[BUT_BANNED] = banned,
					[BUT_USED] = space->used},
			},
		.quantum = astra_request_quantum(request),
		.shares = shares,
		.missing = request->gpus,
	};
	size_t count = placement_search(&s, strict_node_gpus);

	if (!count && request->preferred) {
		s.mask.only[1] = NULL;
		if (request->apart)
			s.mask.but[BUT_PREFERRED] = request->preferred;
		count = placement_search(&s, strict_node_gpus);
	}
	if (count > 1)
		qsort(shares, count, sizeof(*shares), placement_compare_shares);
	return count;
}
