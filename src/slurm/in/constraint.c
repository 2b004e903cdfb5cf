/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/in/constraint.h"

#include <stdlib.h>

#include "src/slurm/compat/compat_topology.h"
#include "src/slurm/in/gpus.h"
#include "src/slurm/in/request.h"

/* How long the search among equal nodes begins at the same node. */
#define AIM_SEC 3600

/* Return the node at which a job's search begins. It changes now and then,
 * since the nodes there may be held by a job whose GPUs are never taken
 * back. */
static bitoff_t first_look(const job_record_t *job)
{
	return (bitoff_t)(((uint64_t)time(NULL) / AIM_SEC + job->job_id) %
			  (uint64_t)node_record_count);
}

static uint64_t aim_max64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The nodes that a job may have. */
struct own_nodes {
	struct astra_ordered_node *list;
	size_t count;
	bitoff_t first; /* where the search begins */
};

/* List the nodes that a job may have, in the order of `all`. Among equal nodes,
 * begin with the node where the search begins. Free list with xfree(). */
static struct own_nodes own_nodes(const job_record_t *job,
				  const struct astra_ordered_node *all,
				  bitstr_t *nodes)
{
	size_t count = (size_t)node_record_count;
	struct own_nodes own = {
		.list = xcalloc(count, sizeof(*all)),
		.first = first_look(job),
	};

	for (size_t i = 0, end; i < count; i = end) {
		size_t turn = i;

		for (end = i; end < count && all[end].rack == all[i].rack &&
			      all[end].free == all[i].free;
		     end++)
			if ((bitoff_t)all[end].node < own.first)
				turn = end + 1;
		for (size_t k = turn; k < end; k++)
			if (bit_test(nodes, all[k].node))
				own.list[own.count++] = all[k];
		for (size_t k = i; k < turn; k++)
			if (bit_test(nodes, all[k].node))
				own.list[own.count++] = all[k];
	}
	return own;
}

/* Keep in nodes those that are up, have the job's GPU type, and have as many
 * GPUs as the job wants on each node. */
static void keep_suited(const job_record_t *job, struct astra_node_order *order,
			bitstr_t *nodes)
{
	const struct astra_ordered_node *all = astra_node_order_numbered(order);
	struct astra_ask ask;

	astra_request_ask(job, &ask);
	bit_and(nodes, avail_node_bitmap);
	for (bitoff_t i = 0; i < node_record_count; i++) {
		uint64_t most = ask.shards ? all[i].shards : all[i].gpus;

		if (!bit_test(nodes, i))
			continue;
		if (most < ask.count[ASTRA_PER_NODE] ||
		    (*ask.type &&
		     !astra_node_has_type(node_record_table_ptr[i], ask.type)))
			bit_clear(nodes, i);
	}
}

/* Counts of features. */

struct pick {
	bitstr_t *picked;
	struct own_nodes own;
	uint32_t nodes; /* sum of the counts */
	bool all;	/* all features have a count */
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

	for (size_t i = 0; left && i < p->own.count; i++) {
		uint32_t n = p->own.list[i].node;

		if (bit_test(p->picked, n) ||
		    !bit_test(feature->node_bitmap_avail, n))
			continue;
		bit_set(p->picked, n);
		left--;
	}
	return 0;
}

static void keep_counted(const job_record_t *job,
			 struct astra_node_order *order, bitstr_t *nodes)
{
	struct pick p = {.all = true};
	list_t *features = job->details->feature_list;

	list_for_each_ro(features, sum_count, &p);
	if (!p.all || p.nodes != job->details->min_nodes)
		return;
	keep_suited(job, order, nodes);
	p.own = own_nodes(job, astra_node_order_by_gpus(order), nodes);
	p.picked = bit_alloc(node_record_count);
	list_for_each_ro(features, pick_feature, &p);
	bit_and(nodes, p.picked);
	bit_free(p.picked);
	xfree(p.own.list);
}

/* Neighbours. */

static bitoff_t nodes_needed(const job_record_t *job,
			     struct astra_node_order *order, bitstr_t *nodes)
{
	const struct astra_ordered_node *all = astra_node_order_numbered(order);
	bitoff_t least = (bitoff_t)aim_max64(job->details->min_nodes, 1);
	struct astra_ask ask;
	uint64_t most = 1;

	astra_request_ask(job, &ask);
	if (!ask.count[ASTRA_PER_JOB])
		return least;
	for (bitoff_t i = 0; i < node_record_count; i++)
		if (all[i].gpus > most && bit_test(nodes, i))
			most = all[i].gpus;
	return (bitoff_t)aim_max64((ask.count[ASTRA_PER_JOB] + most - 1) / most,
				   (uint64_t)least);
}

/* Return where the best row of neighbours begins, or -1. Walks twice around the
 * nodes, since a row may lie across the node where the walk begins. */
static bitoff_t aim_find_row(const job_record_t *job,
			     const struct astra_ordered_node *all,
			     bitstr_t *nodes, bitoff_t need)
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
		gpus += all[n].free;
		if (++row > need)
			gpus -= all[n - need].free;
		if (row < need || (best >= 0 && gpus <= most))
			continue;
		best = n - need + 1;
		most = gpus;
	}
	return best;
}

static void keep_neighbours(const job_record_t *job,
			    struct astra_node_order *order, bitstr_t *nodes)
{
	bitoff_t need, at;

	keep_suited(job, order, nodes);
	need = nodes_needed(job, order, nodes);
	at = aim_find_row(job, astra_node_order_numbered(order), nodes, need);
	for (bitoff_t i = 0; at >= 0 && i < node_record_count; i++)
		if (i < at || i >= at + need)
			bit_clear(nodes, i);
}

/* Blocks. */

/* Nodes of one block that follow one another in the job's list. */
struct segment {
	uint32_t rack;
	size_t at;     /* index of its first node in that list */
	bitoff_t turn; /* distance of the block from where the search begins */
	uint64_t free; /* free GPUs of all its nodes */
	size_t beside; /* how many segments of the block are at least as good;
			  at most as many as wanted */
};

static bool is_better(const struct segment *a, const struct segment *b)
{
	if (a->free != b->free)
		return a->free > b->free;
	if (a->beside != b->beside)
		return a->beside > b->beside;
	if (a->turn != b->turn)
		return a->turn < b->turn;
	return a->at < b->at;
}

/* List all segments of `each` nodes of one rack. apart: only one segment of
 * each rack. Free the result with xfree(). */
static struct segment *list_segments(const struct own_nodes *own, size_t each,
				     bool apart, size_t *found)
{
	struct segment *segments =
		xcalloc(own->count / each + 1, sizeof(*segments));
	bitoff_t all = node_record_count, turn = 0;
	uint64_t gpus = 0;

	*found = 0;
	for (size_t i = 0, row = 0; i < own->count; i++) {
		if (!i || own->list[i].rack != own->list[i - 1].rack) {
			row = 0;
			turn = (own->list[i].node + all - own->first) % all;
		}
		if (row % each == 0)
			gpus = 0;
		gpus += own->list[i].free;
		if (++row % each || (apart && row > each))
			continue;
		segments[(*found)++] = (struct segment){
			.rack = own->list[i].rack,
			.at = i + 1 - each,
			.turn = turn,
			.free = gpus,
			.beside = row / each,
		};
	}
	return segments;
}

/* Set `beside` of all segments. They are sorted by block, the best of a block
 * first. */
static void count_beside(struct segment *segments, size_t found, size_t want)
{
	for (size_t i = found; i-- > 0;)
		if (i + 1 < found && segments[i].rack == segments[i + 1].rack &&
		    segments[i].free == segments[i + 1].free)
			segments[i].beside = segments[i + 1].beside;
		else if (segments[i].beside > want)
			segments[i].beside = want;
}

/* Sift down the entry at `at` of a heap that has the worst segment on top. */
static void aim_sink(struct segment *heap, size_t count, size_t at)
{
	for (;;) {
		size_t worst = at;
		struct segment moved = heap[at];

		for (size_t i = 2 * at + 1; i < count && i <= 2 * at + 2; i++)
			if (is_better(&heap[worst], &heap[i]))
				worst = i;
		if (worst == at)
			return;
		heap[at] = heap[worst];
		heap[worst] = moved;
		at = worst;
	}
}

/* Move the `want` best segments to the front, in any order. Of equal segments,
 * choose those that need the fewest blocks. */
static void choose_segments(struct segment *segments, size_t found, size_t want)
{
	count_beside(segments, found, want);
	for (size_t i = want / 2; i-- > 0;)
		aim_sink(segments, want, i);
	for (size_t i = want; i < found; i++) {
		if (!is_better(&segments[i], segments))
			continue;
		segments[0] = segments[i];
		aim_sink(segments, want, 0);
	}
}

/* Keep in nodes only those of the chosen segments. A job with a single segment
 * may use any nodes of its block. */
static void keep_segments(const struct own_nodes *own,
			  const struct segment *segments, size_t want,
			  size_t each, bitstr_t *nodes)
{
	bit_clear_all(nodes);
	if (want == 1) {
		uint32_t rack = own->list[segments->at].rack;

		for (size_t i = 0; i < own->count; i++)
			if (own->list[i].rack == rack)
				bit_set(nodes, own->list[i].node);
		return;
	}
	for (size_t i = 0; i < want; i++)
		for (size_t k = 0; k < each; k++)
			bit_set(nodes, own->list[segments[i].at + k].node);
}

/* Choose nodes for a job whose nodes, or those of each segment, must be in one
 * block. */
static void keep_blocks(const job_record_t *job, struct astra_node_order *order,
			bitstr_t *nodes)
{
	size_t need = (size_t)nodes_needed(job, order, nodes), found;
	size_t each = astra_segment_nodes(job);
	struct segment *segments;
	struct own_nodes own;

	if (need < 2)
		return;
	if (!each || need % each)
		each = need;
	keep_suited(job, order, nodes);
	own = own_nodes(job, astra_node_order_by_rack(order, job->part_ptr),
			nodes);
	segments = list_segments(&own, each, astra_segments_apart(job), &found);
	if (found >= need / each) {
		choose_segments(segments, found, need / each);
		keep_segments(&own, segments, need / each, each, nodes);
	}
	xfree(segments);
	xfree(own.list);
}

/* Rings. */

/* Nodes that follow one another in a ring. */
struct row {
	const struct astra_ordered_node *ring;
	size_t size; /* of the ring */
	size_t at;   /* index of its first node in the ring */
	size_t nodes;
	bitoff_t turn; /* distance of the ring from where the search begins */
	uint64_t free; /* free GPUs of all its nodes */
};

static int compare_rows(const void *x, const void *y)
{
	const struct row *a = x, *b = y;

	if (a->free != b->free)
		return a->free > b->free ? -1 : 1;
	return a->turn < b->turn ? -1 : a->turn > b->turn;
}

static const struct astra_ordered_node *node_of_row(const struct row *row,
						    size_t i)
{
	return &row->ring[(row->at + i) % row->size];
}

/* Whether the job may have all nodes of the row. Sets row->free. */
static bool row_suits(struct row *row, bitstr_t *nodes)
{
	row->free = 0;
	for (size_t i = 0; i < row->nodes; i++) {
		if (!bit_test(nodes, node_of_row(row, i)->node))
			return false;
		row->free += node_of_row(row, i)->free;
	}
	return true;
}

/* Find the best row of a ring. Returns whether there is one. Slurm's rings have
 * at most 16 nodes. */
static bool find_row(struct row *best, bitoff_t first, bitstr_t *nodes)
{
	struct row row = *best;
	bool found = false;

	for (size_t i = 0; row.nodes <= row.size && i < row.size; i++) {
		row.at = ((size_t)first + i) % row.size;
		if (!row_suits(&row, nodes) ||
		    (found && row.free <= best->free))
			continue;
		*best = row;
		found = true;
	}
	return found;
}

/* List the best row of each ring. Returns how many rows there are. */
static size_t list_rows(const job_record_t *job,
			const struct astra_ordered_node *all, size_t each,
			bitstr_t *nodes, struct row *rows)
{
	size_t count = (size_t)node_record_count, found = 0;
	bitoff_t first = first_look(job);

	for (size_t i = 0, size; i < count; i += size) {
		for (size = 1;
		     i + size < count && all[i + size].rack == all[i].rack;)
			size++;
		rows[found] = (struct row){
			.ring = all + i,
			.size = size,
			.nodes = each,
			.turn = ((bitoff_t)all[i].node + node_record_count -
				 first) %
				node_record_count,
		};
		if (all[i].place && find_row(&rows[found], first, nodes))
			found++;
	}
	return found;
}

/* Choose nodes for a job whose nodes, or those of each segment, must follow one
 * another in a ring. Slurm takes one segment of each ring. */
static void keep_rings(const job_record_t *job, struct astra_node_order *order,
		       bitstr_t *nodes)
{
	size_t need = (size_t)nodes_needed(job, order, nodes), found;
	size_t each = astra_segment_nodes(job);
	struct row *rows;

	if (need < 2)
		return;
	if (!each || need % each)
		each = need;
	keep_suited(job, order, nodes);
	rows = xcalloc((size_t)node_record_count, sizeof(*rows));
	found = list_rows(job, astra_node_order_by_rack(order, job->part_ptr),
			  each, nodes, rows);
	if (found >= need / each) {
		qsort(rows, found, sizeof(*rows), compare_rows);
		bit_clear_all(nodes);
		for (size_t i = 0; i < need / each; i++)
			for (size_t k = 0; k < each; k++)
				bit_set(nodes, node_of_row(&rows[i], k)->node);
	}
	xfree(rows);
}

/* Keep in nodes as many as the job needs, preferably those with the most free
 * GPUs:
 * - "[a*2&b*1]", if all features have a count: that many of each;
 * - --contiguous: neighbours;
 * - topology/block: nodes of one block, or for each --segment nodes of one
 *   block, from as few blocks as possible;
 * - rings: neighbours, or neighbours for each --segment.
 * The nodes of other jobs stay unchanged, as do those of a job that needs a
 * single node or for which no block has enough. Costs a few walks over all
 * nodes. order: of this snapshot. Locks: caller holds conf, job, node and part
 * read. */
static void aim(const job_record_t *job, struct astra_node_order *order,
		bitstr_t *nodes)
{
	if (job->details->feature_list)
		keep_counted(job, order, nodes);
	if (job->details->contiguous)
		keep_neighbours(job, order, nodes);
	if (!job->part_ptr || !astra_topology_binds(job->part_ptr))
		return;
	if (astra_racks_are_rings(order->racks, job->part_ptr))
		keep_rings(job, order, nodes);
	else
		keep_blocks(job, order, nodes);
}

void astra_constraint_use(job_details_t *d, bool prefer)
{
	d->features_use = prefer ? d->prefer : d->features;
	d->feature_list_use = prefer ? d->prefer_list : d->feature_list;
}

/* A choice among the alternatives of "[a|b]". An alternative is a feature whose
 * operator, or that of the feature before it, is the exclusive or. */
struct choice {
	const struct astra_ordered_node *all; /* by number */
	bitstr_t *nodes;		      /* those left so far */
	uint32_t nodes_min;
	uint8_t before;
	bitstr_t *best;
	bool best_enough;
	uint64_t best_gpus;
};

static uint64_t free_gpus(const struct astra_ordered_node *all, bitstr_t *nodes)
{
	uint64_t gpus = 0;

	for (bitoff_t i = 0; i < bit_size(nodes); i++)
		if (bit_test(nodes, i))
			gpus += all[i].free;
	return gpus;
}

static int compare_alternative(void *x, void *arg)
{
	const job_feature_t *feature = x;
	struct choice *c = arg;
	bool alternative = feature->op_code == FEATURE_OP_MOR ||
			   c->before == FEATURE_OP_MOR;
	bitstr_t *own;
	uint64_t gpus;
	bool enough;

	c->before = feature->op_code;
	if (!alternative || !feature->node_bitmap_avail)
		return 0;
	own = bit_copy(c->nodes);
	bit_and(own, feature->node_bitmap_avail);
	gpus = free_gpus(c->all, own);
	enough = (uint32_t)bit_set_count(own) >= c->nodes_min;
	if (c->best && (c->best_enough > enough ||
			(c->best_enough == enough && c->best_gpus >= gpus))) {
		bit_free(own);
		return 0;
	}
	FREE_NULL_BITMAP(c->best);
	c->best = own;
	c->best_enough = enough;
	c->best_gpus = gpus;
	return 0;
}

static void apply_features(job_record_t *job, struct astra_node_order *order,
			   bitstr_t *nodes, bitstr_t *possible)
{
	job_details_t *d = job->details;
	struct choice c = {
		.all = astra_node_order_numbered(order),
		.nodes = nodes,
		.nodes_min = d->min_nodes,
		.before = FEATURE_OP_END,
	};
	bool several = false;

	astra_constraint_use(d, false);
	(void)valid_feature_counts(job, true, nodes, &several);
	bit_copybits(possible, nodes);
	if (several)
		list_for_each_ro(d->feature_list, compare_alternative, &c);
	if (c.best)
		bit_and(nodes, c.best);
	FREE_NULL_BITMAP(c.best);
}

/* Apply features to copies of a record. valid_feature_counts() takes its choice
 * from the record and writes into the list of features, while other threads may
 * read both. */
static void constraint_apply_copy(const job_record_t *job,
				  struct astra_node_order *order,
				  bitstr_t *nodes, bitstr_t *possible)
{
	job_record_t own = *job;
	job_details_t details = *job->details;

	own.details = &details;
	details.feature_list = feature_list_copy(details.feature_list);
	apply_features(&own, order, nodes, possible);
	if (IS_JOB_PENDING(job) && !details.req_node_bitmap)
		aim(&own, order, nodes);
	FREE_NULL_LIST(details.feature_list);
}

void astra_constraint_apply(const job_record_t *job,
			    struct astra_node_order *order, bitstr_t *nodes,
			    bitstr_t *possible)
{
	if (job->details->feature_list) {
		constraint_apply_copy(job, order, nodes, possible);
		return;
	}
	bit_copybits(possible, nodes);
	if (IS_JOB_PENDING(job) && !job->details->req_node_bitmap)
		aim(job, order, nodes);
}

static int is_intricate(void *x, void *arg)
{
	const job_feature_t *feature = x;
	bool *found = arg;

	*found |= feature->count || feature->op_code == FEATURE_OP_MOR ||
		  feature->op_code == FEATURE_OP_XAND;
	return 0;
}

bool astra_constraint_intricate(const job_record_t *job)
{
	bool found = job->details->contiguous || job->req_switch ||
		     (job->part_ptr && astra_topology_binds(job->part_ptr));

	if (job->details->feature_list)
		list_for_each_ro(job->details->feature_list, is_intricate,
				 &found);
	return found;
}
