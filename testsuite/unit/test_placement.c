/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "src/common/nodeset.h"
#include "src/placement/placement.h"
#include "testsuite/unit/unit.h"

#define PLENTY .cpus = UINT32_MAX, .mem_mib = UINT64_MAX, .whole = true

static struct astra_space *space_of(size_t count, const uint32_t *gpus,
				    uint32_t gpus_max)
{
	struct astra_space *space = astra_space_create(count, gpus_max);

	assert_non_null(space);
	for (uint32_t i = 0; i < count; i++)
		astra_space_set(space, i,
				&(struct astra_room){.gpus = gpus[i], PLENTY});
	return space;
}

/* Place on nodes with these free GPUs and expect exactly these per node. */
static void expect(const uint32_t *gpus, size_t count,
		   const struct astra_request *request, uint32_t strict,
		   const uint32_t *want)
{
	struct astra_space *space = space_of(count, gpus, 16);
	struct astra_share shares[64];
	uint32_t got[64] = {0};
	size_t n = astra_place(space, request, NULL, strict, shares);

	for (size_t i = 0; i < n; i++) {
		if (i)
			assert_true(shares[i - 1].node < shares[i].node);
		got[shares[i].node] = shares[i].gpus;
	}
	for (size_t i = 0; i < count; i++)
		assert_int_equal(got[i], want[i]);
	astra_space_destroy(space);
}

#define FREE(...) ((const uint32_t[]){__VA_ARGS__})

/* SPEC section 1, golden: free [4,8,2,3]. */
static void golden_places_are_found(void **state)
{
	static const struct {
		uint32_t gpus;
		uint32_t want[4];
	} cases[] = {
		{3, {0, 0, 0, 3}},  {10, {0, 8, 2, 0}}, {17, {4, 8, 2, 3}},
		{18, {0}},	    {1, {0, 0, 1, 0}},	{4, {4, 0, 0, 0}},
		{5, {0, 5, 0, 0}},  {9, {0, 8, 1, 0}},	{12, {4, 8, 0, 0}},
		{13, {4, 8, 1, 0}},
	};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++)
		expect(FREE(4, 8, 2, 3), 4,
		       &(struct astra_request){.gpus = cases[i].gpus}, 0,
		       cases[i].want);
}

static void ties_go_to_the_lower_index(void **state)
{
	(void)state;
	expect(FREE(4, 4, 4), 3, &(struct astra_request){.gpus = 2}, 0,
	       FREE(2, 0, 0));
	expect(FREE(4, 4, 4), 3, &(struct astra_request){.gpus = 6}, 0,
	       FREE(4, 2, 0));
}

static void nothing_or_no_node_gives_no_place(void **state)
{
	struct astra_space *empty = astra_space_create(0, 0);
	struct astra_share share;

	(void)state;
	assert_int_equal(astra_place(empty, &(struct astra_request){.gpus = 1},
				     NULL, 0, &share),
			 0);
	astra_space_destroy(empty);
	astra_space_destroy(NULL);
	expect(FREE(0, 0), 2, &(struct astra_request){.gpus = 1}, 0,
	       FREE(0, 0));
	expect(FREE(1, 1), 2, &(struct astra_request){.gpus = 0}, 0,
	       FREE(0, 0));
}

static void strict_refuses_more_nodes_than_needed(void **state)
{
	(void)state;
	expect(FREE(4, 4, 8), 3, &(struct astra_request){.gpus = 8}, 8,
	       FREE(0, 0, 8));
	expect(FREE(4, 4, 7), 3, &(struct astra_request){.gpus = 8}, 8,
	       FREE(0, 0, 0));
	expect(FREE(4, 4, 7), 3, &(struct astra_request){.gpus = 9}, 8,
	       FREE(2, 0, 7));
}

static void gpus_per_node_takes_the_tightest_nodes(void **state)
{
	struct astra_request r = {.gpus = 8, .gpus_per_node = 4};

	(void)state;
	expect(FREE(8, 4, 3, 5), 4, &r, 0, FREE(0, 4, 0, 4));
	expect(FREE(8, 3, 3, 3), 4, &r, 0, FREE(0, 0, 0, 0));
	r.gpus = 6; /* not a multiple */
	expect(FREE(8, 8, 8, 8), 4, &r, 0, FREE(0, 0, 0, 0));
	r.gpus = 8;
	r.nodes_min = 3;
	expect(FREE(8, 8, 8, 8), 4, &r, 0, FREE(0, 0, 0, 0));
	r.nodes_min = 0;
	r.nodes_max = 1;
	expect(FREE(8, 8, 8, 8), 4, &r, 0, FREE(0, 0, 0, 0));
}

static void nodes_min_spreads_evenly(void **state)
{
	struct astra_request r = {.gpus = 6, .nodes_min = 2};

	(void)state;
	expect(FREE(8, 8, 4), 3, &r, 0, FREE(3, 0, 3));
	expect(FREE(8, 2, 1), 3, &r, 0, FREE(4, 2, 0));
	expect(FREE(8, 0, 0), 3, &r, 0, FREE(0, 0, 0));
	r.gpus_quantum = 2;
	expect(FREE(8, 8, 4), 3, &r, 0, FREE(2, 0, 4));
	r.nodes_min = 4; /* only three quanta */
	expect(FREE(8, 8, 8, 8), 4, &r, 0, FREE(0, 0, 0, 0));
}

/* A job that names nodes has a part on each of them, and on others what they
 * lack room for. */
static void required_nodes_are_among_its_nodes(void **state)
{
	static const uint64_t not_first[] = {14};
	static const struct {
		uint64_t required;
		struct astra_request r;
		uint32_t want[4];
	} cases[] = {
		{1, {.gpus = 4}, {4}},
		{1, {.gpus = 9}, {8, 0, 0, 1}},
		{2, {.gpus = 1}, {0, 1}},
		{3, {.gpus = 4}, {2, 2}},
		{3, {.gpus = 12}, {8, 4}},
		{3, {.gpus = 17}, {8, 4, 5}},
		{3, {.gpus = 22}, {8, 4, 8, 2}},
		{3, {.gpus = 1}, {0}},
		{8, {.gpus = 3, .nodes_min = 2}, {0, 1, 0, 2}},
		{8, {.gpus = 9, .nodes_min = 2}, {7, 0, 0, 2}},
		{8, {.gpus = 3, .nodes_max = 1}, {0}},
		{12, {.gpus = 9, .nodes_max = 2}, {0, 0, 7, 2}},
		{12, {.gpus = 11, .nodes_max = 2}, {0}},
		{2, {.gpus = 4, .gpus_per_node = 2}, {0, 2, 0, 2}},
		{2, {.gpus = 16, .gpus_per_node = 8}, {0}},
		{8, {.gpus = 6, .gpus_quantum = 2}, {0, 4, 0, 2}},
		{1, {.gpus = 2, .allowed = not_first}, {0}},
		{0, {.gpus = 1}, {0, 0, 0, 1}},
	};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		struct astra_request r = cases[i].r;

		print_message("case %zu\n", i);
		r.required = &cases[i].required;
		expect(FREE(8, 4, 8, 2), 4, &r, 0, cases[i].want);
	}
}

static void a_node_without_cpus_or_memory_is_passed_over(void **state)
{
	struct astra_space *space = space_of(3, FREE(4, 4, 4), 4);
	struct astra_request r = {.gpus = 4, .cpus = 8, .mem_gpu_mib = 100};
	struct astra_share shares[3];

	(void)state;
	astra_space_set(
		space, 0,
		&(struct astra_room){.gpus = 4, .cpus = 7, .mem_mib = 400});
	astra_space_set(
		space, 1,
		&(struct astra_room){.gpus = 4, .cpus = 8, .mem_mib = 399});
	astra_space_set(
		space, 2,
		&(struct astra_room){.gpus = 4, .cpus = 8, .mem_mib = 400});
	assert_int_equal(astra_place(space, &r, NULL, 0, shares), 1);
	assert_int_equal(shares[0].node, 2);
	assert_int_equal(shares[0].cpus, 8);
	assert_int_equal(shares[0].mem_mib, 400);
	/* With node 2 banned, 3 on node 0 (6 of 7 CPUs), 1 on node 1. */
	assert_int_equal(astra_place(space, &r, &(uint64_t){4}, 0, shares), 2);
	assert_int_equal(shares[0].gpus + shares[1].gpus, 4);
	assert_int_equal(shares[0].gpus, 3);
	astra_space_destroy(space);
}

static void whole_nodes_are_shared_with_nobody(void **state)
{
	struct astra_space *space = space_of(2, FREE(4, 4), 4);
	struct astra_request whole = {.gpus = 2, .whole_node = true};
	struct astra_request small = {.gpus = 1};
	struct astra_share a, b[2], c;

	(void)state;
	assert_int_equal(astra_place(space, &whole, NULL, 0, &a), 1);
	assert_int_equal(a.node, 0);
	astra_space_take(space, &a);
	assert_int_equal(astra_place(space, &small, NULL, 0, b), 1);
	assert_int_equal(b[0].node, 1);
	astra_space_take(space, &b[0]);
	assert_int_equal(astra_place(space, &whole, NULL, 0, &c), 0);
	astra_space_give(space, &a);
	assert_int_equal(astra_place(space, &whole, NULL, 0, &c), 1);
	assert_int_equal(c.node, 0);
	astra_space_give(space, &b[0]);
	assert_true(astra_space_get(space, 1)->whole);
	astra_space_destroy(space);
}

static void a_copy_lives_on_its_own(void **state)
{
	struct astra_space *space = space_of(70, (uint32_t[70]){[69] = 3}, 4);
	struct astra_space *copy = astra_space_copy(space);
	struct astra_share share;

	(void)state;
	assert_int_equal(astra_space_gpus(copy), 3);
	assert_int_equal(astra_place(copy, &(struct astra_request){.gpus = 3},
				     NULL, 0, &share),
			 1);
	assert_int_equal(share.node, 69);
	astra_space_take(copy, &share);
	assert_int_equal(astra_space_gpus(copy), 0);
	assert_int_equal(astra_space_gpus(space), 3);
	astra_space_destroy(space);
	astra_space_destroy(copy);
}

/* More nodes than one summary word stands for. */
static void one_node_among_many_is_found(void **state)
{
	static const uint32_t at[] = {0, 63, 64, 4095, 4096, 8191, 9999};
	struct astra_space *space = astra_space_create(10000, 8);
	struct astra_room room = {.gpus = 8, PLENTY};
	struct astra_share shares[2];

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(at); i++) {
		room.gpus = 8;
		astra_space_set(space, at[i], &room);
		assert_int_equal(astra_place(space,
					     &(struct astra_request){.gpus = 5},
					     NULL, 0, shares),
				 1);
		assert_int_equal(shares[0].node, at[i]);
		room.gpus = 0;
		astra_space_set(space, at[i], &room);
	}
	astra_space_destroy(space);
}

/* A host that says too little about its largest node does no harm. */
static void a_node_above_the_maximum_counts_as_at_it(void **state)
{
	struct astra_space *space = space_of(2, FREE(20, 3), 4);
	struct astra_share shares[2];

	(void)state;
	assert_int_equal(astra_space_gpus(space), 23);
	assert_int_equal(astra_place(space, &(struct astra_request){.gpus = 7},
				     NULL, 0, shares),
			 2);
	assert_int_equal(shares[0].gpus, 4);
	assert_int_equal(shares[1].gpus, 3);
	assert_int_equal(astra_space_gpus_max(space), 20);
	assert_int_equal(astra_space_next(space, 4, 0), 0);
	astra_space_destroy(space);
}

/* Everything below: random small spaces against trying all distributions. */

#define NODES_MAX 5

struct world {
	size_t count;
	struct astra_room rooms[NODES_MAX];
	struct astra_request request;
	uint64_t allowed, banned;
	uint32_t strict;
};

static uint32_t pick(uint32_t below)
{
	return (uint32_t)rand() % below;
}

static void make_world(struct world *w)
{
	bool tight = pick(2);

	*w = (struct world){.count = 1 + pick(NODES_MAX)};
	for (size_t i = 0; i < w->count; i++)
		w->rooms[i] = (struct astra_room){
			.gpus = pick(7),
			.cpus = tight ? pick(16) : 1000,
			.mem_mib = tight ? pick(1000) : 100000,
			.whole = pick(3),
		};
	w->request = (struct astra_request){
		.gpus = 1 + pick(14),
		.gpus_per_node = pick(6) ? 0 : 1 + pick(4),
		.gpus_quantum = pick(4) ? 0 : 1 + pick(3),
		.nodes_min = pick(3) ? 0 : pick(4),
		.nodes_max = pick(4) ? 0 : 1 + pick(4),
		.cpus = pick(2) ? 0 : pick(30),
		.cpus_per_node = pick(4) ? 0 : pick(10),
		.mem_node_mib = pick(4) ? 0 : pick(600),
		.mem_gpu_mib = pick(4) ? 0 : pick(300),
		.mem_cpu_mib = pick(4) ? 0 : pick(200),
		.whole_node = !pick(6),
	};
	if (w->request.gpus_per_node)
		w->request.gpus_quantum = 0;
	w->allowed = pick(3) ? 31 : pick(32);
	w->banned = pick(3) ? 0 : pick(32);
	w->strict = pick(5) ? 0 : 4;
	w->request.allowed = pick(2) ? &w->allowed : NULL;
}

/* Whether a node could host exactly so many GPUs, from the definitions. */
static bool could_host(const struct world *w, size_t node, uint32_t gpus)
{
	const struct astra_request *r = &w->request;
	const struct astra_room *room = &w->rooms[node];
	double cpus = (r->cpus * gpus + r->gpus - 1) / r->gpus;
	double mem = (double)r->mem_node_mib;

	if (cpus < r->cpus_per_node)
		cpus = r->cpus_per_node;
	if (mem < (double)r->mem_gpu_mib * gpus)
		mem = (double)r->mem_gpu_mib * gpus;
	if (mem < (double)r->mem_cpu_mib * cpus)
		mem = (double)r->mem_cpu_mib * cpus;
	if (r->gpus_per_node && gpus != r->gpus_per_node)
		return false;
	if (r->gpus_quantum && gpus % r->gpus_quantum)
		return false;
	if (r->allowed && !(w->allowed >> node & 1))
		return false;
	return !(w->banned >> node & 1) && gpus <= room->gpus &&
	       cpus <= room->cpus && mem <= (double)room->mem_mib &&
	       room->cpus && (!r->whole_node || room->whole);
}

/* The fewest nodes that are allowed, or 0; node by node. */
static size_t fewest(const struct world *w, size_t node, uint32_t missing,
		     size_t used)
{
	const struct astra_request *r = &w->request;
	size_t least = 0, max = r->nodes_max ? r->nodes_max : NODES_MAX;

	if (!missing) {
		if (w->strict && used > (r->gpus + w->strict - 1) / w->strict)
			return 0;
		return used < r->nodes_min || used > max ? 0 : used;
	}
	if (node == w->count)
		return 0;
	for (uint32_t g = 0; g <= missing; g++) {
		size_t found;

		if (g && !could_host(w, node, g))
			continue;
		found = fewest(w, node + 1, missing - g, used + (g > 0));
		if (found && (!least || found < least))
			least = found;
	}
	return least;
}

static void random_places_use_the_fewest_nodes(void **state)
{
	size_t placed = 0, spread = 0;

	(void)state;
	srand(1);
	for (int round = 0; round < 200000; round++) {
		struct world w;
		struct astra_space *space;
		struct astra_share shares[16];
		uint32_t gpus = 0;
		size_t n;

		make_world(&w);
		space = astra_space_create(w.count, 6);
		for (uint32_t i = 0; i < w.count; i++)
			astra_space_set(space, i, &w.rooms[i]);
		n = astra_place(space, &w.request, &w.banned, w.strict, shares);
		for (size_t i = 0; i < n; i++) {
			assert_true(
				could_host(&w, shares[i].node, shares[i].gpus));
			gpus += shares[i].gpus;
		}
		if (n)
			assert_int_equal(gpus, w.request.gpus);
		assert_int_equal(n, fewest(&w, 0, w.request.gpus, 0));
		placed += n > 0;
		spread += n > 1;
		astra_space_destroy(space);
	}
	assert_true(placed > 20000 && spread > 5000);
}

/* The least weight that the heaviest of `count` nodes can have. */
static uint32_t lightest(struct world *w, const struct astra_node *nodes,
			 size_t count)
{
	uint64_t banned = w->banned;
	uint32_t weight = 0;
	bool found = false;

	while (!found) {
		weight++;
		w->banned = banned;
		for (size_t i = 0; i < w->count; i++)
			if (nodes[i].weight > weight)
				w->banned |= UINT64_C(1) << i;
		found = fewest(w, 0, w->request.gpus, 0) == count;
	}
	w->banned = banned;
	return weight;
}

static void of_the_fewest_nodes_the_lightest_are_taken(void **state)
{
	size_t placed = 0;

	(void)state;
	srand(3);
	for (int round = 0; round < 100000; round++) {
		struct world w;
		struct astra_node nodes[NODES_MAX] = {{0}};
		struct astra_ranks ranks;
		struct astra_space *space;
		struct astra_share shares[16];
		uint32_t most = 0, gpus = 0;
		size_t n;

		make_world(&w);
		space = astra_space_create(w.count, 6);
		for (uint32_t i = 0; i < w.count; i++) {
			nodes[i].weight = 1 + pick(4);
			astra_space_set(space, i, &w.rooms[i]);
		}
		assert_int_equal(astra_ranks_make(&ranks, nodes, w.count), 0);
		astra_space_weigh(space, &ranks);
		n = astra_place(space, &w.request, &w.banned, w.strict, shares);
		assert_int_equal(n, fewest(&w, 0, w.request.gpus, 0));
		for (size_t i = 0; i < n; i++) {
			uint32_t weight = nodes[shares[i].node].weight;

			assert_true(
				could_host(&w, shares[i].node, shares[i].gpus));
			most = weight > most ? weight : most;
			gpus += shares[i].gpus;
		}
		if (n) {
			assert_int_equal(gpus, w.request.gpus);
			assert_int_equal(most, lightest(&w, nodes, n));
		}
		placed += n > 0;
		astra_space_destroy(space);
		astra_ranks_free(&ranks);
	}
	assert_true(placed > 10000);
}

static void light_nodes_are_filled_first(void **state)
{
	const struct astra_node nodes[] = {{.weight = 9}, {.weight = 1}};
	struct astra_space *space = space_of(2, FREE(4, 4), 4), *copy;
	struct astra_ranks ranks;
	struct astra_share shares[2];

	(void)state;
	assert_int_equal(astra_ranks_make(&ranks, nodes, 2), 0);
	astra_space_weigh(space, &ranks);
	copy = astra_space_copy(space);
	assert_int_equal(astra_place(copy, &(struct astra_request){.gpus = 6},
				     NULL, 0, shares),
			 2);
	assert_int_equal(shares[0].gpus, 2);
	assert_int_equal(shares[1].gpus, 4);
	astra_space_destroy(copy);
	astra_space_destroy(space);
	astra_ranks_free(&ranks);
}

/* Whether a job of an owner has a place on the only node. */
static bool lets_in(const struct astra_space *space, uint32_t owner, bool alone)
{
	struct astra_request q = {.gpus = 1, .owner = owner, .alone = alone};
	struct astra_share share;

	return astra_place(space, &q, NULL, 0, &share) == 1;
}

static void strangers_do_not_share_a_node_that_is_one_owners(void **state)
{
	struct astra_space *space = space_of(1, FREE(4), 4);
	struct astra_share plain = {.gpus = 1, .owner = 7}, alone = plain;
	struct astra_share other = {.gpus = 1, .owner = 8};

	(void)state;
	alone.alone = true;
	assert_true(lets_in(space, 7, true) && lets_in(space, 8, true));
	astra_space_take(space, &plain);
	assert_true(lets_in(space, 7, true) && lets_in(space, 8, false));
	assert_false(lets_in(space, 8, true));
	astra_space_take(space, &alone);
	assert_true(lets_in(space, 7, true) && lets_in(space, 7, false));
	assert_false(lets_in(space, 8, true) || lets_in(space, 8, false));
	astra_space_give(space, &alone);
	astra_space_give(space, &plain);
	assert_true(lets_in(space, 8, true));
	astra_space_take(space, &other);
	astra_space_take(space, &plain);
	assert_false(lets_in(space, 7, true) || lets_in(space, 8, true));
	assert_true(lets_in(space, 9, false));
	astra_space_destroy(space);
}

static void take_and_give_keep_the_levels(void **state)
{
	enum { COUNT_NODES = 300 };
	struct astra_space *space = astra_space_create(COUNT_NODES, 8);
	uint32_t gpus[COUNT_NODES];
	uint64_t total = 0;

	(void)state;
	srand(2);
	for (uint32_t i = 0; i < COUNT_NODES; i++) {
		gpus[i] = 8;
		total += 8;
		astra_space_set(space, i,
				&(struct astra_room){.gpus = 8, PLENTY});
	}
	for (int step = 0; step < 20000; step++) {
		uint32_t node = pick(COUNT_NODES), n = pick(4), need;
		struct astra_share share = {.node = node, .gpus = n};
		uint32_t want = ASTRA_NONE, most = 0;
		size_t first = ASTRA_SET_END;

		if (pick(2) && gpus[node] >= n) {
			gpus[node] -= n;
			total -= n;
			astra_space_take(space, &share);
		} else if (gpus[node] + n <= 8) {
			gpus[node] += n;
			total += n;
			astra_space_give(space, &share);
		}
		need = 1 + pick(8);
		for (uint32_t i = 0; i < COUNT_NODES; i++)
			if (gpus[i] >= need &&
			    (want == ASTRA_NONE || gpus[i] < gpus[want]))
				want = i;
		for (uint32_t i = COUNT_NODES; i-- > 0;) {
			most = gpus[i] > most ? gpus[i] : most;
			if (i > node && gpus[i] == need)
				first = i;
		}
		assert_int_equal(astra_space_gpus(space), total);
		assert_int_equal(astra_space_gpus_max(space), most);
		assert_int_equal(astra_space_next(space, need, node + 1),
				 first);
		assert_int_equal(
			astra_place(space,
				    &(struct astra_request){.gpus = need,
							    .nodes_max = 1},
				    NULL, 0, &share),
			want != ASTRA_NONE);
		if (want != ASTRA_NONE)
			assert_int_equal(share.node, want);
	}
	astra_space_destroy(space);
}

/* Node 0 has parts of two GPUs free, 3 and 1; node 1 has 2 and 2. */
static struct astra_space *scattered_space(void)
{
	struct astra_space *space = astra_space_create(2, 8);

	assert_non_null(space);
	astra_space_set(
		space, 0,
		&(struct astra_room){.gpus = 4, .scattered = 1, PLENTY});
	astra_space_set(
		space, 1,
		&(struct astra_room){.gpus = 4, .scattered = 2, PLENTY});
	return space;
}

static void parts_of_one_gpu_are_what_a_node_hosts(void **state)
{
	static const struct {
		uint32_t per_node, node;
	} cases[] = {{1, 0}, {2, 0}, {3, 0}, {4, ASTRA_NONE}};
	struct astra_space *space = scattered_space();
	struct astra_share shares[2];

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		struct astra_request q = {.gpus = cases[i].per_node,
					  .gpus_per_node = cases[i].per_node};
		size_t n = astra_place(space, &q, NULL, 0, shares);

		assert_int_equal(n, cases[i].node != ASTRA_NONE);
		if (n)
			assert_int_equal(shares->node, cases[i].node);
	}
	/* Five of both nodes: at most 3 on the one and 2 on the other. */
	assert_int_equal(astra_place(space, &(struct astra_request){.gpus = 5},
				     NULL, 0, shares),
			 2);
	assert_int_equal(shares[0].gpus, 3);
	assert_int_equal(shares[1].gpus, 2);
	assert_int_equal(astra_place(space, &(struct astra_request){.gpus = 6},
				     NULL, 0, shares),
			 0);
	astra_space_destroy(space);
}

static void parts_that_come_back_are_beside_the_others(void **state)
{
	const struct astra_share two = {.node = 1, .gpus = 2};
	const struct astra_request four = {.gpus = 4, .gpus_per_node = 4};
	struct astra_space *space = scattered_space();
	struct astra_share share;

	(void)state;
	astra_space_give(space, &two); /* 4 and 2 */
	assert_int_equal(astra_place(space, &four, NULL, 0, &share), 1);
	assert_int_equal(share.node, 1);
	astra_space_take(space, &two); /* 4 and 0 */
	assert_int_equal(astra_place(space, &four, NULL, 0, &share), 1);
	astra_space_destroy(space);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(golden_places_are_found),
		cmocka_unit_test(ties_go_to_the_lower_index),
		cmocka_unit_test(nothing_or_no_node_gives_no_place),
		cmocka_unit_test(strict_refuses_more_nodes_than_needed),
		cmocka_unit_test(gpus_per_node_takes_the_tightest_nodes),
		cmocka_unit_test(nodes_min_spreads_evenly),
		cmocka_unit_test(required_nodes_are_among_its_nodes),
		cmocka_unit_test(a_node_without_cpus_or_memory_is_passed_over),
		cmocka_unit_test(whole_nodes_are_shared_with_nobody),
		cmocka_unit_test(a_copy_lives_on_its_own),
		cmocka_unit_test(one_node_among_many_is_found),
		cmocka_unit_test(a_node_above_the_maximum_counts_as_at_it),
		cmocka_unit_test(random_places_use_the_fewest_nodes),
		cmocka_unit_test(of_the_fewest_nodes_the_lightest_are_taken),
		cmocka_unit_test(light_nodes_are_filled_first),
		cmocka_unit_test(
			strangers_do_not_share_a_node_that_is_one_owners),
		cmocka_unit_test(take_and_give_keep_the_levels),
		cmocka_unit_test(parts_of_one_gpu_are_what_a_node_hosts),
		cmocka_unit_test(parts_that_come_back_are_beside_the_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
