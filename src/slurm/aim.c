/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/aim.h"

#include <stdlib.h>

#include "src/slurm/compat_topology.h"
#include "src/slurm/managed.h"
#include "src/slurm/request.h"

/* So long nodes that are alike are taken from the same one on. */
#define AIM_SEC 3600

/* It changes now and then, for a job that is never taken back may sit there. */
static bitoff_t first_look(const job_record_t *job)
{
	return (bitoff_t)(((uint64_t)time(NULL) / AIM_SEC + job->job_id) %
			  (uint64_t)node_record_count);
}

static uint64_t free_on(bitoff_t node)
{
	return astra_gpus_free(node_record_table_ptr[node]);
}

static uint64_t max64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Counts of features. */

struct pick {
	bitstr_t *from, *picked;
	bitoff_t first;
	uint64_t most;	/* free GPUs of a node */
	uint32_t nodes; /* counts in all */
	bool all;	/* features have a count */
};

static int sum_count(void *x, void *arg)
{
	const job_feature_t *feature = x;
	struct pick *p = arg;

	p->nodes += feature->count;
	p->all &= feature->count && feature->node_bitmap_avail;
	return 0;
}

static int pick_feature(void *x, void *arg)
{
	const job_feature_t *feature = x;
	struct pick *p = arg;
	uint16_t left = feature->count;

	for (uint64_t gpus = p->most + 1; left && gpus-- > 0;)
		for (bitoff_t i = 0; left && i < node_record_count; i++) {
			bitoff_t n = (p->first + i) % node_record_count;

			if (!bit_test(p->from, n) || bit_test(p->picked, n) ||
			    !bit_test(feature->node_bitmap_avail, n) ||
			    free_on(n) != gpus)
				continue;
			bit_set(p->picked, n);
			left--;
		}
	return 0;
}

static void keep_counted(const job_record_t *job, bitstr_t *nodes)
{
	struct pick p = {.from = nodes, .first = first_look(job), .all = true};
	list_t *features = job->details->feature_list;

	list_for_each_ro(features, sum_count, &p);
	if (!p.all || p.nodes != job->details->min_nodes)
		return;
	bit_and(nodes, avail_node_bitmap);
	for (bitoff_t i = 0; i < node_record_count; i++)
		if (bit_test(nodes, i))
			p.most = max64(p.most, free_on(i));
	p.picked = bit_alloc(node_record_count);
	list_for_each_ro(features, pick_feature, &p);
	bit_and(nodes, p.picked);
	bit_free(p.picked);
}

/* Neighbours. */

static bitoff_t nodes_needed(const job_record_t *job, bitstr_t *nodes)
{
	struct astra_ask ask;
	uint64_t most = 1;

	astra_request_ask(job, &ask);
	for (bitoff_t i = 0; i < node_record_count; i++) {
		const gres_node_state_t *g =
			astra_node_gpus(node_record_table_ptr[i]);

		if (g && bit_test(nodes, i))
			most = max64(most, g->gres_cnt_avail);
	}
	return (bitoff_t)max64((ask.count[ASTRA_PER_JOB] + most - 1) / most,
			       max64(job->details->min_nodes, 1));
}

/* Where the best of all rows begins, or -1. Twice around, for one may lie
 * across the first look. */
static bitoff_t find_row(const job_record_t *job, bitstr_t *nodes,
			 bitoff_t need)
{
	bitoff_t first = first_look(job), best = -1, row = 0;
	uint64_t gpus = 0, most = 0;

	for (bitoff_t i = 0; i < 2 * node_record_count; i++) {
		bitoff_t n = (first + i) % node_record_count;

		if (!n || !bit_test(nodes, n)) {
			row = 0;
			gpus = 0;
		}
		if (!bit_test(nodes, n))
			continue;
		gpus += free_on(n);
		if (++row > need)
			gpus -= free_on(n - need);
		if (row < need || (best >= 0 && gpus <= most))
			continue;
		best = n - need + 1;
		most = gpus;
	}
	return best;
}

static void keep_neighbours(const job_record_t *job, bitstr_t *nodes)
{
	bitoff_t need, at;

	bit_and(nodes, avail_node_bitmap);
	need = nodes_needed(job, nodes);
	at = find_row(job, nodes, need);
	for (bitoff_t i = 0; at >= 0 && i < node_record_count; i++)
		if (i < at || i >= at + need)
			bit_clear(nodes, i);
}

/* Blocks. */

/* A node that the job may have; later, the first of a segment of them. */
struct place {
	uint32_t rack, node;
	bitoff_t turn; /* how far behind the first look */
	uint64_t gpus; /* free ones; of a segment, all of its nodes' */
};

static int by_rack(const void *x, const void *y)
{
	const struct place *a = x, *b = y;

	if (a->rack != b->rack)
		return a->rack < b->rack ? -1 : 1;
	if (a->gpus != b->gpus)
		return a->gpus > b->gpus ? -1 : 1;
	return a->turn < b->turn ? -1 : 1;
}

static int by_gpus(const void *x, const void *y)
{
	const struct place *a = x, *b = y;

	if (a->gpus != b->gpus)
		return a->gpus > b->gpus ? -1 : 1;
	return a->turn < b->turn ? -1 : 1;
}

/* The nodes by rack, those with the most free GPUs first. To be freed. */
static struct place *list_places(const job_record_t *job,
				 const struct astra_racks *racks,
				 bitstr_t *nodes, size_t *count)
{
	struct place *places =
		xcalloc((size_t)node_record_count, sizeof(*places));
	bitoff_t first = first_look(job), all = node_record_count;

	*count = 0;
	for (bitoff_t n = 0; n < all; n++) {
		if (!bit_test(nodes, n))
			continue;
		places[(*count)++] = (struct place){
			.rack = astra_rack_of(racks, job->part_ptr,
					      (uint32_t)n),
			.node = (uint32_t)n,
			.turn = (n + all - first) % all,
			.gpus = free_on(n),
		};
	}
	qsort(places, *count, sizeof(*places), by_rack);
	return places;
}

/* All segments of so many nodes of a rack, those with the most free GPUs first.
 * node: where its nodes begin in places. apart: one a rack. To be freed. */
static struct place *list_segments(const struct place *places, size_t count,
				   size_t each, bool apart, size_t *found)
{
	struct place *segments = xcalloc(count / each + 1, sizeof(*segments));
	uint64_t gpus = 0;

	*found = 0;
	for (size_t i = 0, row = 0; i < count; i++) {
		bool new_rack = !i || places[i].rack != places[i - 1].rack;

		if (new_rack)
			row = 0;
		if (row % each == 0)
			gpus = 0;
		gpus += places[i].gpus;
		if (++row % each || (apart && row > each))
			continue;
		segments[*found] = places[i + 1 - each];
		segments[*found].node = (uint32_t)(i + 1 - each);
		segments[(*found)++].gpus = gpus;
	}
	qsort(segments, *found, sizeof(*segments), by_gpus);
	return segments;
}

/* Slurm wants a job's nodes, or those of each segment, in one block. Of a job
 * that has but one segment any nodes of its block will do. */
static void keep_blocks(const job_record_t *job,
			const struct astra_racks *racks, bitstr_t *nodes)
{
	size_t need = (size_t)nodes_needed(job, nodes), count, found;
	size_t each = astra_segment_nodes(job);
	struct place *places, *segments;

	if (need < 2)
		return;
	if (!each || need % each)
		each = need;
	bit_and(nodes, avail_node_bitmap);
	places = list_places(job, racks, nodes, &count);
	segments = list_segments(places, count, each, astra_segments_apart(job),
				 &found);
	if (found >= need / each) {
		bit_clear_all(nodes);
		for (size_t i = 0; i < count; i++)
			if (each == need && places[i].rack == segments->rack)
				bit_set(nodes, places[i].node);
		for (size_t i = 0; each < need && i < need; i++)
			bit_set(nodes,
				places[segments[i / each].node + i % each]
					.node);
	}
	xfree(segments);
	xfree(places);
}

void astra_aim(const job_record_t *job, const struct astra_racks *racks,
	       bitstr_t *nodes)
{
	if (job->details->feature_list)
		keep_counted(job, nodes);
	if (job->details->contiguous)
		keep_neighbours(job, nodes);
	if (job->part_ptr && astra_topology_binds(job->part_ptr))
		keep_blocks(job, racks, nodes);
}
