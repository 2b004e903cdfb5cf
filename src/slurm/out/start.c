/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/out/start.h"

#include <math.h>

#include "src/common/fault.h"
#include "src/slurm/in/ask.h"
#include "src/slurm/in/constraint.h"
#include "src/slurm/in/managed.h"
#include "src/slurm/in/qos.h"
#include "src/slurm/in/request.h"
#include "src/slurm/in/reserved.h"
#include "src/slurm/note/marks.h"
#include "src/slurm/out/mask.h"
#include "src/slurm/out/park.h"
#include "src/slurm/out/recover.h"
#include "src/slurm/out/resize.h"

/* Return the number of GPUs in an order. */
static uint32_t order_gpus(const struct astra_start_order *order)
{
	uint32_t gpus = 0;

	for (size_t i = 0; i < order->share_count; i++)
		gpus += order->shares[i].gpus;
	return gpus;
}

/* Return an order with only `gpus` of the order's GPUs, those on nodes that the
 * job named first. shares has room for the order's shares; borrowed. */
static struct astra_start_order
order_first(const job_record_t *job, const struct astra_start_order *order,
	    uint32_t gpus, struct astra_start_share *shares)
{
	bitstr_t *named = job->details->req_node_bitmap;
	struct astra_start_order some = *order;
	uint32_t left = gpus;

	some.shares = shares;
	some.share_count = 0;
	for (size_t i = 0; left && i < 2 * order->share_count; i++) {
		const struct astra_start_share *from =
			&order->shares[i % order->share_count];
		struct astra_start_share *s = &shares[some.share_count];
		bool first = named && bit_test(named, from->node);

		if (first != (i < order->share_count))
			continue;
		*s = *from;
		s->gpus = s->gpus < left ? s->gpus : left;
		left -= s->gpus;
		some.share_count++;
	}
	return some;
}

/* Return how many GPUs the limits allow the job if they refuse the order's
 * size: as many as possible, at least gpus_min; for a job with GPUs per node,
 * gpus_min. The job's record is resized meanwhile. Locks: as astra_resize(). */
static uint32_t order_within_limits(job_record_t *job,
				    const struct astra_start_order *order)
{
	uint32_t some = order->gpus_min, none = order_gpus(order);
	uint32_t reason = job->state_reason;
	struct astra_ask ask;

	astra_request_ask(job, &ask);
	while (ask.count[ASTRA_PER_JOB] && none - some > 1) {
		uint32_t gpus = some + (none - some) / 2;

		if (astra_resize(job, gpus) == SLURM_SUCCESS &&
		    astra_within_limits(job))
			some = gpus;
		else
			none = gpus;
	}
	job->state_reason = reason;
	return some;
}

/* The values of a record that are changed while Slurm chooses. */
struct narrowed {
	bitstr_t *exc_nodes;
	uint32_t min_nodes, max_nodes;
	uint32_t time_limit;
	uint16_t limit_set; /* limit_set.time */
};

/* Whether the job passes the checks that schedule() makes and select_nodes()
 * does not. */
static bool may_start(job_record_t *job)
{
	if (assoc_mgr_validate_assoc_id(acct_db_conn, job->assoc_id,
					accounting_enforce)) {
		job->state_reason = FAIL_ACCOUNT;
		xfree(job->state_desc);
		last_job_update = time(NULL);
		return false;
	}
	return true;
}

/* Whether the partition has all the nodes, and the partition and QOS let the
 * job run. */
static bool start_suits(job_record_t *job, void *arg)
{
	const part_record_t *part = job->part_ptr;
	uint32_t reason = job->state_reason;
	bitstr_t *nodes = arg;
	bool found =
		part->node_bitmap && (part->state_up & PARTITION_SCHED) &&
		bit_super_set(nodes, part->node_bitmap) &&
		(uint32_t)bit_set_count(nodes) <= astra_part_nodes(job, part) &&
		astra_within_limits(job);

	job->state_reason = reason;
	return found;
}

static bitstr_t *wanted_nodes(const struct astra_start_order *order)
{
	bitstr_t *nodes = bit_alloc(node_record_count);

	for (size_t i = 0; i < order->share_count; i++)
		if (order->shares[i].node < (uint32_t)node_record_count)
			bit_set(nodes, order->shares[i].node);
	return nodes;
}

/* Return the whole minutes until the job's deadline; INFINITE if it has no
 * deadline in the future. */
static uint32_t start_left(const job_record_t *job, time_t now)
{
	if (!job->deadline || job->deadline == NO_VAL ||
	    job->deadline < now + 60)
		return INFINITE;
	return (uint32_t)((job->deadline - now) / 60);
}

/* Cut the time limit to at most so many minutes. */
static void start_limit(job_record_t *job, uint32_t most)
{
	uint32_t limit = job->time_limit;

	if (limit == NO_VAL || limit == INFINITE)
		limit = job->part_ptr->default_time;
	if (limit == NO_VAL || limit == INFINITE)
		limit = job->part_ptr->max_time;
	if (limit != NO_VAL && limit != INFINITE && limit <= most)
		return;
	if (job->time_limit == NO_VAL) /* a requeue then resets the limit */
		job->limit_set.time = 1;
	job->time_limit = most;
}

/* Shorten the run for a deadline, as schedule() does; and with --time-min for a
 * reservation of others, as the backfill scheduler does. nodes: where the job
 * is to run; NULL: anywhere. */
static void start_shorten(job_record_t *job, bitstr_t *nodes)
{
	time_t now = time(NULL), begin = 0;
	uint32_t left = start_left(job, now);

	if (left != INFINITE)
		start_limit(job, left);
	if (nodes && job->time_min)
		begin = astra_reserved_before(job, nodes, now);
	if (begin <= now)
		return;
	left = (uint32_t)((begin - now) / 60);
	start_limit(job, left > job->time_min ? left : job->time_min);
}

static void start_save(job_record_t *job, bitstr_t *nodes,
		       struct narrowed *saved)
{
	job_details_t *d = job->details;

	*saved = (struct narrowed){
		.exc_nodes = d->exc_node_bitmap,
		.min_nodes = d->min_nodes,
		.max_nodes = d->max_nodes,
		.time_limit = job->time_limit,
		.limit_set = job->limit_set.time,
	};
	d->exc_node_bitmap = NULL;
	start_shorten(job, nodes);
}

static void narrow(job_record_t *job, bitstr_t *nodes,
		   const struct narrowed *saved)
{
	job_details_t *d = job->details;

	FREE_NULL_BITMAP(d->exc_node_bitmap);
	d->exc_node_bitmap = bit_copy(nodes);
	bit_not(d->exc_node_bitmap);
	if (saved->exc_nodes)
		bit_or(d->exc_node_bitmap, saved->exc_nodes);
	/* Slurm refuses --ntasks-per-gpu with a number of nodes. */
	if (d->ntasks_per_tres && d->ntasks_per_tres != NO_VAL16 &&
	    d->min_nodes <= 1)
		return;
	d->min_nodes = (uint32_t)bit_set_count(nodes);
	/* With a maximum of nodes, Slurm wants one CPU for each task. */
	if (!d->overcommit || astra_nodes_named_at_most(job))
		d->max_nodes = d->min_nodes;
}

/* Restore the record of an array's remaining tasks, which has inherited the
 * changes. */
static void widen_rest(const job_record_t *job, const struct narrowed *saved)
{
	job_record_t *rest = find_job_record(job->array_job_id);

	if (!rest || rest == job || !rest->array_recs || !rest->details)
		return;
	FREE_NULL_BITMAP(rest->details->exc_node_bitmap);
	if (saved->exc_nodes)
		rest->details->exc_node_bitmap = bit_copy(saved->exc_nodes);
	rest->details->min_nodes = saved->min_nodes;
	rest->details->max_nodes = saved->max_nodes;
	rest->time_limit = saved->time_limit;
	rest->limit_set.time = saved->limit_set;
	if (IS_JOB_PENDING(rest) && rest->state_reason == WAIT_NO_REASON)
		astra_park(rest, ASTRA_PARK_NEW);
}

static void start_widen(job_record_t *job, bool head, bool started,
			const struct narrowed *saved)
{
	if (head)
		widen_rest(job, saved);
	if (!started) {
		job->time_limit = saved->time_limit;
		job->limit_set.time = saved->limit_set;
	}
	FREE_NULL_BITMAP(job->details->exc_node_bitmap);
	job->details->exc_node_bitmap = saved->exc_nodes;
	job->details->min_nodes = saved->min_nodes;
	job->details->max_nodes = saved->max_nodes;
}

/* Hide the other GPUs of the nodes, if Slurm could divide the job's GPUs in
 * another way. */
static int mask_rest(const job_record_t *job,
		     const struct astra_start_order *order,
		     struct astra_mask *mask)
{
	struct astra_ask ask = {0};

	if (order->share_count < 2 || astra_takes_nodes(job))
		return 0;
	astra_ask_add(&ask, ASTRA_PER_JOB, job->tres_per_job, NULL);
	astra_ask_add(&ask, ASTRA_PER_NODE, job->tres_per_node, NULL);
	if (ask.count[ASTRA_PER_NODE] || !ask.count[ASTRA_PER_JOB])
		return 0;
	for (size_t i = 0; i < order->share_count; i++)
		if (astra_mask_add(mask, order->shares[i].node,
				   order->shares[i].gpus, ask.type) < 0)
			return -1;
	return 0;
}

/* Restore the nodes that the user allowed, for one more choice. without: nodes
 * to leave out; NULL: none. */
static void loosen(job_record_t *job, const struct narrowed *saved,
		   bitstr_t *without)
{
	job_details_t *d = job->details;

	FREE_NULL_BITMAP(d->exc_node_bitmap);
	if (saved->exc_nodes)
		d->exc_node_bitmap = bit_copy(saved->exc_nodes);
	if (!d->exc_node_bitmap && without)
		d->exc_node_bitmap = bit_copy(without);
	else if (without)
		bit_or(d->exc_node_bitmap, without);
	d->min_nodes = saved->min_nodes;
	d->max_nodes = saved->max_nodes;
}

/* the job for which this thread lets Slurm choose nodes */
static _Thread_local const job_record_t *starting;

bool astra_start_is_ours(const job_record_t *job)
{
	return starting == job;
}

static int select_now(job_record_t *job)
{
	int rc;

	if (ASTRA_FAULT_REFUSES("start.select", job->job_id)) {
		job->state_reason = WAIT_RESOURCES;
		return ESLURM_NODES_BUSY;
	}
	if (fed_mgr_job_lock(job))
		return ESLURM_FED_JOB_LOCK;
	starting = job;
	rc = astra_select_nodes(job);
	starting = NULL;
	if (rc == SLURM_SUCCESS)
		fed_mgr_job_start(job, job->start_time);
	else
		fed_mgr_job_unlock(job);
	return rc;
}

static bool is_about_job(int rc)
{
	switch (rc) {
	case ESLURM_ACCOUNTING_POLICY:
	case ESLURM_BURST_BUFFER_WAIT:
	case ESLURM_DEPENDENCY:
	case ESLURM_FED_JOB_LOCK:
	case ESLURM_INVALID_QOS:
	case ESLURM_JOB_HELD:
	case ESLURM_REQUESTED_PART_CONFIG_UNAVAILABLE:
		return true;
	default:
		return false;
	}
}

/* Let Slurm choose with the GPUs of each node that were decided. Slurm may be
 * unable to divide the GPUs in that way, since their cores are in use or too
 * few. If no GPUs on these nodes are kept for others, Slurm may then divide
 * them as it likes. */
static int select_masked(job_record_t *job,
			 const struct astra_start_order *order, bitstr_t *nodes)
{
	struct astra_mask mask = {0};
	int rc = ESLURM_NODES_BUSY;
	bool masked;

	astra_constraint_use(job->details, false);
	if (mask_rest(job, order, &mask) == 0)
		rc = select_now(job);
	masked = mask.count > 0;
	astra_mask_undo(&mask);
	if (rc != SLURM_SUCCESS && masked && !is_about_job(rc) &&
	    !bit_overlap_any(nodes, order->kept))
		rc = select_now(job);
	return rc;
}

/* Whether other nodes may help after this error. */
static bool start_may_elsewhere(int rc)
{
	return rc != SLURM_SUCCESS && rc != ESLURM_FED_JOB_LOCK &&
	       rc != ESLURM_DEPENDENCY && rc != ESLURM_JOB_HELD;
}

/* Let Slurm choose the nodes that were decided. If a set of nodes cannot
 * express all of the user's wishes, Slurm chooses among all nodes: with
 * --prefer first, otherwise if the decided nodes do not suit. */
static int start_choose(job_record_t *job,
			const struct astra_start_order *order)
{
	bool head = job->array_recs != NULL;
	bitstr_t *nodes = wanted_nodes(order);
	struct narrowed saved;
	int rc = ESLURM_NODES_BUSY;

	if (astra_pairs_are_several(job))
		(void)astra_pairs_find(job, NULL, start_suits, nodes);
	start_save(job, nodes, &saved);
	if (job->details->prefer) {
		loosen(job, &saved, NULL);
		astra_constraint_use(job->details, true);
		rc = select_now(job);
	}
	if (rc != SLURM_SUCCESS) {
		narrow(job, nodes, &saved);
		rc = select_masked(job, order, nodes);
	}
	if (rc != SLURM_SUCCESS && !is_about_job(rc) &&
	    astra_constraint_intricate(job)) {
		loosen(job, &saved, NULL);
		rc = select_now(job);
	}
	if (order->anywhere && start_may_elsewhere(rc)) {
		job_resv_clear_magnetic_flag(job);
		loosen(job, &saved, order->kept);
		rc = select_now(job);
	}
	start_widen(job, head, rc == SLURM_SUCCESS, &saved);
	bit_free(nodes);
	return rc;
}

/* Resize an elastic job to the GPUs of its order, then choose its nodes.
 * Returns 0 or Slurm's error. */
static int choose_size(job_record_t *job, struct astra_start_order *order)
{
	int rc = SLURM_SUCCESS;

	if (order->gpus_min)
		rc = astra_resize(job, order_gpus(order));
	return rc ? rc : start_choose(job, order);
}

/* Choose the job's nodes. If a limit forbids the size, try a smaller one. */
static int choose_any(job_record_t *job, struct astra_start_order *order)
{
	int rc = choose_size(job, order);
	struct astra_start_share *shares;
	struct astra_start_order less;
	uint32_t gpus = order->gpus_min;

	if (rc == SLURM_SUCCESS)
		astra_resize_bound(job, 0);
	if (rc == SLURM_SUCCESS || !order->gpus_min ||
	    order_gpus(order) <= order->gpus_min || !IS_JOB_PENDING(job))
		return rc;
	if (rc == ESLURM_ACCOUNTING_POLICY) {
		gpus = order_within_limits(job, order);
		astra_resize_bound(job, gpus);
	}
	shares = xcalloc(order->share_count, sizeof(*shares));
	less = order_first(job, order, gpus, shares);
	rc = choose_size(job, &less);
	order->lease.gpus = order_gpus(&less);
	xfree(shares);
	return rc;
}

static void start_begin(job_record_t *job, const struct astra_env_lease *lease,
			struct astra_started *started)
{
	astra_env_start(job, lease);
	astra_clear_expedite(job);
	info("astraea: start %pJ NodeList=%s #CPUs=%u Partition=%s", job,
	     job->nodes, job->total_cpus, job->part_ptr->name);
	rebuild_job_part_list(job);
	ASTRA_FAULT("start.chosen");
	astra_recover_started(job);
	ASTRA_FAULT("start.noted");
	*started = (struct astra_started){
		.job = job->job_id,
		.restart_cnt = job->restart_cnt,
		.configuring = IS_JOB_CONFIGURING(job),
	};
}

void astra_launch(const struct astra_started *started)
{
	job_record_t *job = find_job_record(started->job);

	if (!job || job->magic != JOB_MAGIC || !IS_JOB_RUNNING(job) ||
	    IS_JOB_COMPLETING(job) || job->restart_cnt != started->restart_cnt)
		return;
	if (job->batch_flag == 0)
		srun_allocate(job);
	else if (!started->configuring)
		launch_job(job);
	ASTRA_FAULT("start.launched");
	astra_recover_launched(job);
}

/* Park a job after a refusal. Its priority is never set to 0. */
static void start_refuse(job_record_t *job)
{
	if (IS_JOB_PENDING(job)) /* otherwise Slurm has given the job up, for
				  * example for its deadline */
		astra_park_refuse(job);
}

/* Whether the job cannot start yet, since its credential is revoked or its last
 * run is being cleaned up. */
static bool too_soon(const job_record_t *job)
{
	return job->restart_cnt &&
	       (time(NULL) <= job->details->submit_time ||
		job->gres_list_alloc || job->details->prolog_running ||
		(job->step_list && list_count(job->step_list)));
}

#define INDEX_SEC 10

/* Whether slurmdbd has not sent the job's index yet. For some seconds after a
 * submission or requeue, Slurm 22.05 then refuses to change a job. If an
 * elastic job started now, it would have its record's size until its lease's
 * end. After INDEX_SEC it starts anyway, as slurmdbd may be down. */
static bool start_lacks_index(const job_record_t *job)
{
	return job->db_index == NO_VAL64 &&
	       time(NULL) < job->details->submit_time + INDEX_SEC;
}

/* Prepare a start before a maintenance. A lease may end before the maintenance
 * begins, but Slurm does not start a job whose time limit reaches into one. So
 * the limit is shortened while Slurm chooses. A deadline shortens it first.
 * limit: gets the run's limit, which is to be restored after the choice.
 * Returns when the maintenance begins; 0: the limit does not reach it. */
static time_t start_before(job_record_t *job, bitstr_t *nodes,
			   struct astra_start_order *order, uint32_t *limit)
{
	time_t now = time(NULL), begin;
	uint32_t minutes, left;

	*limit = job->time_limit;
	if (order->lead_sec <= 0)
		return 0;
	begin = astra_reserved_maint_from(job, nodes, now);
	if (begin < now + 60)
		return 0;
	order->lease.end_sec =
		fmin(order->lease.end_sec, (double)begin - order->lead_sec);
	if (*limit == NO_VAL)
		*limit = job->part_ptr->default_time;
	if (*limit == NO_VAL)
		*limit = job->part_ptr->max_time;
	left = start_left(job, now);
	if (*limit > left)
		*limit = left;
	minutes = (uint32_t)((begin - now) / 60);
	if (*limit <= minutes)
		return 0;
	job->time_limit = minutes;
	return begin;
}

/* Restore the time limit, and set the run's end to the begin of the
 * maintenance. If the job was the head of an array, the record of the remaining
 * tasks has inherited the short limit, which is restored as well. */
static void start_lengthen(job_record_t *job, bool head, time_t begin,
			   uint32_t asked, uint32_t limit, bool started)
{
	job_record_t *rest = head ? find_job_record(job->array_job_id) : NULL;

	if (rest && rest != job && rest->array_recs)
		rest->time_limit = asked;
	if (!started) {
		job->time_limit = asked;
		return;
	}
	acct_policy_alter_job(job, limit);
	job->time_limit = limit;
	/* Otherwise a requeue would reset the user's limit as if it were a
	 * default. */
	if (asked != NO_VAL && job->limit_set.time == 1)
		job->limit_set.time = 0;
	job->end_time = begin;
	astra_reserved_note(job);
}

/* Take a job that did not start out of a magnetic reservation; also the record
 * of an array's remaining tasks, which has inherited it. */
static void start_repel(job_record_t *job, bool head)
{
	job_record_t *rest = head ? find_job_record(job->array_job_id) : NULL;

	job_resv_clear_magnetic_flag(job);
	if (rest && rest != job)
		job_resv_clear_magnetic_flag(rest);
}

enum astra_start_result astra_start(const struct astra_start_order *order,
				    struct astra_started *started, int *error)
{
	job_record_t *job = find_job_record(order->job);
	struct astra_start_order sized = *order;
	uint32_t asked, limit;
	time_t begin;
	bitstr_t *nodes;
	bool head;

	*error = SLURM_SUCCESS;
	if (!job || job->magic != JOB_MAGIC || !job->details ||
	    job->restart_cnt != order->restart_cnt || !IS_JOB_PENDING(job) ||
	    IS_JOB_COMPLETING(job) || !order->share_count ||
	    astra_claim_of(job, NULL) != ASTRA_MANAGED)
		return ASTRA_START_STALE;
	if (too_soon(job) || (order->gpus_min && start_lacks_index(job)))
		return ASTRA_START_STALE;
	astra_unpark(job);
	nodes = wanted_nodes(order);
	astra_reserved_choose(job, nodes);
	if (!may_start(job) || !astra_runnable(job)) {
		bit_free(nodes);
		*error = ESLURM_DEPENDENCY;
		return ASTRA_REFUSED_JOB;
	}
	head = job->array_recs != NULL;
	astra_reserved_attract(job, nodes);
	asked = job->time_limit;
	begin = start_before(job, nodes, &sized, &limit);
	bit_free(nodes);
	ASTRA_FAULT("start.choose");
	if (order->gpus_min)
		sized.lease.gpus = order_gpus(order);
	*error = choose_any(job, &sized);
	start_repel(job, head);
	if (begin)
		start_lengthen(job, head, begin, asked, limit,
			       *error == SLURM_SUCCESS);
	if (*error == SLURM_SUCCESS) {
		start_begin(job, &sized.lease, started);
		return ASTRA_STARTED;
	}
	start_refuse(job);
	return is_about_job(*error) || order->anywhere ? ASTRA_REFUSED_JOB
						       : ASTRA_REFUSED_NODES;
}

enum astra_start_result
astra_start_anywhere(job_record_t *job, const struct astra_env_lease *lease,
		     struct astra_started *started)
{
	bool head = job->array_recs != NULL;
	struct narrowed saved;
	int rc;

	if (too_soon(job))
		return ASTRA_START_STALE;
	astra_unpark(job);
	if (!may_start(job) || !astra_runnable(job))
		return ASTRA_REFUSED_JOB;
	start_save(job, NULL, &saved);
	loosen(job, &saved, NULL);
	astra_constraint_use(job->details, false);
	rc = select_now(job);
	start_widen(job, head, rc == SLURM_SUCCESS, &saved);
	if (rc != SLURM_SUCCESS) {
		start_refuse(job);
		return ASTRA_REFUSED_NODES;
	}
	start_begin(job, lease, started);
	return ASTRA_STARTED;
}
