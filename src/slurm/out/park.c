/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/out/park.h"

#include <string.h>

#include "src/slurm/in/managed.h"
#include "src/slurm/in/qos.h"
#include "src/slurm/in/whole.h"
#include "src/slurm/out/revoke.h"

void astra_park(job_record_t *job, const char *text)
{
	if (astra_is_parked(job) && !xstrcmp(job->state_desc, text))
		return;
	job->state_reason = FAIL_BURST_BUFFER_OP;
	xfree(job->state_desc);
	job->state_desc = xstrdup(text);
	xfree(job->sched_nodes); /* Slurm shows planned nodes until then */
	last_job_update = time(NULL);
}

void astra_unpark(job_record_t *job)
{
	if (!astra_is_parked(job))
		return;
	job->state_reason = WAIT_NO_REASON;
	xfree(job->state_desc);
}

/* Whether limits have room for what the job asks for. If it takes whole nodes,
 * all of their CPUs count. */
static bool park_has_room(job_record_t *job)
{
	uint64_t cpus = astra_whole_cpus(job), *counts;
	size_t size = (size_t)slurmctld_tres_cnt * sizeof(*counts);
	bool has;

	if (!(accounting_enforce & ACCOUNTING_ENFORCE_LIMITS) ||
	    !job->tres_req_cnt)
		return true;
	if (cpus <= job->tres_req_cnt[TRES_ARRAY_CPU])
		return acct_policy_job_runnable_post_select(
			job, job->tres_req_cnt, false);
	counts = xmalloc(size);
	memcpy(counts, job->tres_req_cnt, size);
	counts[TRES_ARRAY_CPU] = cpus;
	has = acct_policy_job_runnable_post_select(job, counts, false);
	xfree(counts);
	return has;
}

/* Whether enough nodes have the hierarchical resources that the job asks
 * for. */
static bool park_licensed(job_record_t *job)
{
	bitstr_t *named = job->details->req_node_bitmap, *nodes;
	bool enough;

	if (!job->license_list || !job->part_ptr || !job->part_ptr->node_bitmap)
		return true;
	nodes = bit_copy(job->part_ptr->node_bitmap);
	astra_licensed_nodes(job, nodes);
	enough = bit_equal(nodes, job->part_ptr->node_bitmap) ||
		 (bit_set_count(nodes) > 0 &&
		  (uint32_t)bit_set_count(nodes) >= job->details->min_nodes &&
		  (!named || bit_super_set(named, nodes)));
	bit_free(nodes);
	return enough;
}

bool astra_within_limits(job_record_t *job)
{
	job_record_t *same = job;
	int reason = job_limits_check(&same, false);

	if (reason != WAIT_NO_REASON) {
		job->state_reason = (uint32_t)reason;
		return false;
	}
	if (!acct_policy_job_runnable_pre_select(job, false))
		return false;
	if (!park_has_room(job))
		return false;
	if (license_job_test(job, time(NULL), true) != SLURM_SUCCESS ||
	    !park_licensed(job)) {
		job->state_reason = WAIT_LICENSES;
		return false;
	}
	return true;
}

/* The QOS of the first pair that was tried, and why it was refused. */
struct refusal {
	slurmdb_qos_rec_t *qos;
	uint32_t qos_id, reason;
};

static bool park_lets_run(job_record_t *job, void *arg)
{
	struct refusal *first = arg;
	uint32_t before = job->state_reason;

	if (astra_within_limits(job))
		return true;
	if (first->reason == WAIT_NO_REASON)
		*first = (struct refusal){.qos = job->qos_ptr,
					  .qos_id = job->qos_id,
					  .reason = job->state_reason};
	job->state_reason = before;
	return false;
}

/* Whether a pair of the job's partitions and QOS lets it run. If none does, the
 * job keeps its partition and gets the first QOS, to which the reason
 * belongs. */
static bool may_run(job_record_t *job)
{
	struct refusal first = {.reason = WAIT_NO_REASON};

	if (astra_pairs_find(job, job->part_ptr, park_lets_run, &first))
		return true;
	if (first.reason != WAIT_NO_REASON) {
		job->qos_ptr = first.qos;
		job->qos_id = first.qos_id;
		job->state_reason = first.reason;
	}
	return false;
}

/* Whether the job can still be done by its deadline. Slurm ends a job that
 * cannot once Slurm's queues reach it, but the queues never reach our jobs. */
static bool in_time(job_record_t *job)
{
	char caller[] = "astraea";

	return !job->deadline || job->deadline == NO_VAL ||
	       deadline_ok(job, caller);
}

/* Whether the job may be parked. Slurm's queues skip jobs that are held,
 * dependent or before their begin time anyway. */
static bool eligible(job_record_t *job)
{
	if (IS_JOB_REVOKED(job))
		return false;
	if (!job_independent(job))
		return false;
	if (job->priority == 0) {
		if (job->state_reason == WAIT_NO_REASON)
			job->state_reason = WAIT_HELD;
		return false;
	}
	return in_time(job);
}

bool astra_runnable(job_record_t *job)
{
	return eligible(job) && may_run(job);
}

/* Park a job again, with its old text if the reason is the same. */
static void park_again(job_record_t *job, char *before, const char *text)
{
	if (before && (!text || !strcmp(before, text))) {
		xfree(job->state_desc);
		job->state_reason = FAIL_BURST_BUFFER_OP;
		job->state_desc = before;
		return;
	}
	xfree(before);
	astra_park(job, text ? text : ASTRA_PARK_NEW);
}

static void park_set_limited(const job_record_t *job, bool limited)
{
	struct astra_note *note = limited ? astra_note_open(job->job_id)
					  : astra_note_find(job->job_id);

	if (!note)
		return;
	note->limited = limited;
	astra_note_close(note);
}

/* Park a job after checking it again. A limit's name replaces our text. Slurm's
 * schedulers must not reach the job, since they would set another reason. A
 * reason from Slurm stays until the round has its own. */
static void refresh(job_record_t *job)
{
	const char *own = NULL;
	char *before = NULL;

	if (astra_is_parked(job)) {
		before = job->state_desc;
		job->state_desc = NULL;
		job->state_reason = WAIT_NO_REASON;
	}
	astra_revoke_tidy(job);
	if (!eligible(job)) {
		if (before)
			last_job_update = time(NULL);
		xfree(before);
		park_set_limited(job, false);
		return;
	}
	if (!astra_reason_is_plain(job->state_reason))
		own = astra_reason_name(job->state_reason);
	if (!may_run(job)) {
		park_again(job, before, astra_reason_name(job->state_reason));
		park_set_limited(job, true);
		return;
	}
	park_set_limited(job, false);
	park_again(job, before, own);
}

/* Give back to Slurm a job that is no longer in a pool, or is in a pool without
 * leases. */
static void park_give_up(job_record_t *job)
{
	if (!astra_is_parked(job))
		return;
	astra_unpark(job);
	park_set_limited(job, false);
	last_job_update = time(NULL);
}

bool astra_park_is_due(struct astra_park_turn *turn, const job_record_t *job)
{
	bool parked = astra_is_parked(job);
	enum astra_claim claim;

	if (!astra_job_waits(job))
		return false;
	claim = astra_claim_of(job, NULL);
	if (claim == ASTRA_ORDERED)
		return parked || job->restart_cnt;
	if (claim != ASTRA_MANAGED)
		return parked && claim == ASTRA_FOREIGN;
	turn->seen++;
	if (turn->looked >= 2 * ASTRA_PARK_BATCH ||
	    (parked && (turn->seen <= turn->from ||
			turn->seen > turn->from + ASTRA_PARK_BATCH)))
		return false;
	turn->looked++;
	return true;
}

void astra_park_next_turn(struct astra_park_turn *turn)
{
	uint32_t from = turn->from + ASTRA_PARK_BATCH;

	*turn = (struct astra_park_turn){.from = from < turn->seen ? from : 0};
}

void astra_park_look(job_record_t *job)
{
	enum astra_claim claim;

	if (!astra_job_waits(job))
		return;
	claim = astra_claim_of(job, NULL);
	if (claim == ASTRA_FOREIGN || claim == ASTRA_ORDERED)
		park_give_up(job);
	if (claim == ASTRA_ORDERED)
		astra_revoke_tidy(job);
	if (claim == ASTRA_MANAGED)
		refresh(job);
}

void astra_park_refuse(job_record_t *job)
{
	uint32_t reason =
		astra_is_parked(job) ? WAIT_NO_REASON : job->state_reason;
	struct astra_note *note = astra_note_open(job->job_id);

	note->refused = reason;
	astra_note_close(note);
	astra_park(job, reason != WAIT_NO_REASON
				? astra_reason_name(reason)
				: astra_brief_text(ASTRA_BRIEF_REFUSED));
}

static int unpark_one(void *x, void *arg)
{
	job_record_t *job = x;
	uint32_t *count = arg;

	if (!IS_JOB_PENDING(job))
		return 0;
	/* At submission Slurm replaces the gate's reason by this one, but keeps
	 * the gate's text. Nothing else uses this reason either. */
	if (job->state_reason == WAIT_BURST_BUFFER_RESOURCE)
		job->state_reason = FAIL_BURST_BUFFER_OP;
	if (astra_is_parked(job)) {
		astra_unpark(job);
		(*count)++;
	}
	return 0;
}

uint32_t astra_unpark_all(void)
{
	uint32_t count = 0;

	if (job_list)
		list_for_each(job_list, unpark_one, &count);
	last_job_update = time(NULL);
	return count;
}
