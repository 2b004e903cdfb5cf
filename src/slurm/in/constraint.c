/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/in/constraint.h"

#include "src/slurm/compat/compat_topology.h"
#include "src/slurm/in/aim.h"

void astra_constraint_use(job_details_t *d, bool prefer)
{
	d->features_use = prefer ? d->prefer : d->features;
	d->feature_list_use = prefer ? d->prefer_list : d->feature_list;
}

/* The alternatives of "[a|b]": a feature whose operator, or the one before, is
 * the exclusive or. */
struct choice {
	const struct astra_ordered_node *all; /* by number */
	bitstr_t *nodes;		      /* that are left so far */
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

/* valid_feature_counts() takes its choice from the record and writes into the
 * list of features; others may read both now. So it gets copies. */
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
		astra_aim(&own, order, nodes);
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
		astra_aim(job, order, nodes);
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
