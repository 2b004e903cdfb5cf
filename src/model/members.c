/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/model/members.h"

#include <string.h>

#include "src/model/auction.h"
#include "src/model/plan.h"

/* Copy `size` bytes into the arena. Returns NULL when memory is out, or if from
 * is NULL. */
static void *snapshot_copy_copy(struct astra_arena *arena, const void *from,
				size_t size)
{
	void *to = from ? astra_arena_take(arena, size + 1) : NULL;

	if (to)
		memcpy(to, from, size);
	return to;
}

static int copy_text(void *arena, const char **text, const char *like)
{
	if (!*text)
		return 0;
	*text = like && !strcmp(*text, like) ? like
					     : astra_arena_text(arena, *text);
	return *text ? 0 : -1;
}

/* Copy records with their texts. */
static void *copy_records(struct astra_arena *arena, const void *from,
			  size_t count, size_t size,
			  const struct astra_member *members)
{
	char *to = snapshot_copy_copy(arena, from, count * size);

	for (size_t i = 0; to && i < count; i++)
		if (astra_members_keep(to + i * size,
				       i ? to + (i - 1) * size : NULL, members,
				       copy_text, arena) < 0)
			return NULL;
	return to;
}

/* The node set of the previous job and its copy. The next job often has the
 * same set. */
struct shared_nodes {
	const uint64_t *before, *copy;
};

static int copy_node_set(const uint64_t **set, size_t size,
			 struct astra_arena *arena, struct shared_nodes *last)
{
	if (*set && *set != last->before) {
		last->before = *set;
		last->copy = snapshot_copy_copy(arena, *set, size);
		if (!last->copy)
			return -1;
	}
	if (*set)
		*set = last->copy;
	return 0;
}

static int copy_jobs(const struct astra_snapshot *from,
		     struct astra_arena *arena, struct astra_snapshot *to)
{
	size_t words = (from->node_count + 63) / 64 * sizeof(uint64_t);
	struct shared_nodes allowed = {0}, possible = {0}, required = {0};
	struct shared_nodes preferred = {0};
	struct astra_job *jobs =
		copy_records(arena, from->jobs, from->job_count, sizeof(*jobs),
			     astra_job_members);

	to->jobs = jobs;
	for (size_t i = 0; jobs && i < from->job_count; i++) {
		struct astra_job *j = &jobs[i];

		if (copy_node_set(&j->request.allowed, words, arena, &allowed) <
			    0 ||
		    copy_node_set(&j->request.possible, words, arena,
				  &possible) < 0 ||
		    copy_node_set(&j->request.required, words, arena,
				  &required) < 0 ||
		    copy_node_set(&j->request.preferred, words, arena,
				  &preferred) < 0)
			return -1;
		if (j->held_count) {
			j->held = snapshot_copy_copy(arena, j->held,
						     j->held_count *
							     sizeof(*j->held));
			if (!j->held)
				return -1;
		}
		if (j->use_count) {
			j->uses = snapshot_copy_copy(arena, j->uses,
						     j->use_count *
							     sizeof(*j->uses));
			if (!j->uses)
				return -1;
		}
	}
	return jobs || !from->job_count ? 0 : -1;
}

static int snapshot_copy_bids(const struct astra_snapshot *from,
			      struct astra_arena *arena,
			      struct astra_snapshot *to)
{
	struct astra_bid *bids = snapshot_copy_copy(
		arena, from->bids, from->bid_count * sizeof(*bids));

	to->bids = bids;
	for (size_t i = 0; bids && i < from->bid_count; i++) {
		bids[i].table = snapshot_copy_copy(
			arena, bids[i].table,
			(size_t)ASTRA_LEVEL_COUNT * bids[i].gpus_max *
				sizeof(*bids[i].table));
		if (!bids[i].table && bids[i].gpus_max)
			return -1;
	}
	return bids || !from->bid_count ? 0 : -1;
}

int astra_snapshot_copy(const struct astra_snapshot *from,
			struct astra_arena *arena, struct astra_snapshot *to)
{
	*to = *from;
	to->nodes = copy_records(arena, from->nodes, from->node_count,
				 sizeof(*from->nodes), astra_node_members);
	to->tenants =
		copy_records(arena, from->tenants, from->tenant_count,
			     sizeof(*from->tenants), astra_tenant_members);
	to->users = copy_records(arena, from->users, from->user_count,
				 sizeof(*from->users), astra_user_members);
	to->preempts = snapshot_copy_copy(arena, from->preempts,
					  ASTRA_PREEMPT_CLASSES *
						  sizeof(*from->preempts));
	to->limits = copy_records(arena, from->limits, from->limit_count,
				  sizeof(*from->limits), astra_limit_members);
	if ((from->node_count && !to->nodes) ||
	    (from->tenant_count && !to->tenants) ||
	    (from->user_count && !to->users) ||
	    (from->limit_count && !to->limits) ||
	    (from->preempts && !to->preempts) || copy_jobs(from, arena, to) < 0)
		return -1;
	return snapshot_copy_bids(from, arena, to);
}

#define NODE(kind, member) ASTRA_MEMBER(astra_node, kind, member)
#define USER(kind, member) ASTRA_MEMBER(astra_user, kind, member)
#define TENANT(kind, member) ASTRA_MEMBER(astra_tenant, kind, member)
#define JOB(kind, member) ASTRA_MEMBER(astra_job, kind, member)
#define LIMIT(kind, member) ASTRA_MEMBER(astra_limit, kind, member)
#define USE(kind, member) ASTRA_MEMBER(astra_use, kind, member)
#define SHARE(kind, member) ASTRA_MEMBER(astra_share, kind, member)
#define BID(kind, member) ASTRA_MEMBER(astra_bid, kind, member)
#define DECISION(kind, member) ASTRA_MEMBER(astra_decision, kind, member)
#define REASON(kind, member) ASTRA_MEMBER(astra_reason, kind, member)

const struct astra_member astra_node_members[] = {
	NODE(TEXT, name),	   NODE(FLAG, usable),
	NODE(FLAG, emptying),	   NODE(FLAG, settling),
	NODE(U32, gpus),	   NODE(U32, gpus_free),
	NODE(U32, gpus_scattered), NODE(REAL, charge),
	NODE(U32, rack),	   NODE(U32, weight),
	NODE(U32, slot_gpus),	   NODE(U32, cpus),
	NODE(U32, cpus_free),	   NODE(U64, mem_free_mib),
	NODE(U64, mem_mib),	   NODE(U32, owner),
	NODE(FLAG, alone),	   NODE(TEXT, gpu_type),
	ASTRA_MEMBERS_END,
};

const struct astra_member astra_tenant_members[] = {
	TENANT(TEXT, name),
	TENANT(REAL, weight),
	ASTRA_MEMBERS_END,
};

const struct astra_member astra_user_members[] = {
	USER(TEXT, name),
	USER(U32, tenant),
	USER(REAL, weight),
	ASTRA_MEMBERS_END,
};

const struct astra_member astra_limit_members[] = {
	LIMIT(TEXT, name),
	LIMIT(U64, most),
	LIMIT(U64, used),
	ASTRA_MEMBERS_END,
};

const struct astra_member astra_use_members[] = {
	USE(U32, limit),
	USE(U64, amount),
	ASTRA_MEMBERS_END,
};

/* All members of struct astra_job except its node sets and the arrays `held`
 * and `uses`. */
const struct astra_member astra_job_members[] = {
	JOB(U32, id),
	JOB(U32, array_id),
	JOB(U32, tenant),
	JOB(U32, user),
	JOB(U32, copies),
	JOB(REAL, weight),
	JOB(REAL, precedence),
	JOB(U32, request.gpus),
	JOB(U32, request.gpus_min),
	JOB(REAL, request.charge),
	JOB(U32, request.gpus_per_node),
	JOB(U32, request.gpus_quantum),
	JOB(U32, request.nodes_min),
	JOB(U32, request.nodes_max),
	JOB(U32, request.nodes_wish),
	JOB(U32, request.cpus),
	JOB(U32, request.cpus_per_node),
	JOB(U64, request.mem_node_mib),
	JOB(U64, request.mem_gpu_mib),
	JOB(U64, request.mem_cpu_mib),
	JOB(FLAG, request.whole_node),
	JOB(FLAG, request.alone),
	JOB(FLAG, request.apart),
	JOB(U32, request.owner),
	JOB(TEXT, request.gpu_type),
	JOB(U32, extras),
	JOB(INT, state),
	JOB(REAL, submit_sec),
	JOB(REAL, start_sec),
	JOB(REAL, end_sec),
	JOB(REAL, time_limit_sec),
	JOB(REAL, deadline_sec),
	JOB(REAL, leave_sec),
	JOB(FLAG, leave_cuts),
	JOB(REAL, lease_sec),
	JOB(REAL, min_run_sec),
	JOB(U32, restart_cnt),
	JOB(FLAG, booting),
	JOB(FLAG, uncharged),
	JOB(FLAG, revocable),
	JOB(FLAG, unheard),
	JOB(FLAG, suspended),
	JOB(FLAG, checkpoints),
	JOB(FLAG, keeps_size),
	JOB(FLAG, unprepared),
	JOB(U32, preempt_class),
	JOB(U32, forecast.app),
	JOB(U32, forecast.turn),
	JOB(REAL, forecast.work_sec),
	JOB(REAL, forecast.done_sec),
	JOB(FLAG, forecast.measured),
	ASTRA_MEMBER_ARRAY(astra_job, REAL, forecast.slowdown),
	JOB(U32, forecast.levels_seen),
	JOB(INT, forecast.utility.kind),
	/* The largest member of the union is saved, whatever the kind. */
	JOB(REAL, forecast.utility.sigmoid.g1),
	JOB(REAL, forecast.utility.sigmoid.g2),
	JOB(REAL, forecast.utility.sigmoid.g3),
	JOB(REAL, held_charge),
	JOB(REAL, run_charge),
	ASTRA_MEMBERS_END,
};

const struct astra_member astra_share_members[] = {
	SHARE(U32, node),    SHARE(U32, gpus),	SHARE(U32, cpus),
	SHARE(U64, mem_mib), ASTRA_MEMBERS_END,
};

/* All of struct astra_bid except its table. */
const struct astra_member astra_bid_members[] = {
	BID(U64, app),	    BID(INT, kind),	BID(REAL, time_sec),
	BID(REAL, rho_now), BID(U32, gpus_max), ASTRA_MEMBERS_END,
};

const struct astra_member astra_decision_members[] = {
	DECISION(U32, job),
	DECISION(U32, restart_cnt),
	DECISION(REAL, until_sec),
	ASTRA_MEMBERS_END,
};

const struct astra_member astra_reason_members[] = {
	REASON(U32, job),
	REASON(INT, wait),
	REASON(INT, lack),
	REASON(U32, rank),
	REASON(U32, ranks),
	REASON(REAL, start_sec),
	REASON(REAL, bound_sec),
	REASON(REAL, first_bound_sec),
	REASON(U32, blocker),
	REASON(REAL, after_sec),
	REASON(REAL, value),
	REASON(REAL, worth),
	REASON(REAL, price),
	REASON(REAL, retry_sec),
	REASON(REAL, priced_sec),
	REASON(REAL, credits),
	REASON(FLAG, poor),
	REASON(U32, class_gpus),
	REASON(U32, class_granted),
	REASON(REAL, class_saved),
	REASON(REAL, cap_hours),
	REASON(REAL, cap_used),
	REASON(REAL, cap_asked),
	REASON(FLAG, cap_user),
	REASON(REAL, turn_gpu_sec),
	REASON(REAL, lack_gpu_sec),
	REASON(REAL, user_lack_gpu_sec),
	REASON(FLAG, owed),
	REASON(FLAG, fresh_first),
	ASTRA_MEMBERS_END,
};
