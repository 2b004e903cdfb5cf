/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/model/members.h"

#include "src/model/auction.h"
#include "src/model/plan.h"

#define NODE(kind, member) ASTRA_MEMBER(astra_node, kind, member)
#define USER(kind, member) ASTRA_MEMBER(astra_user, kind, member)
#define TENANT(kind, member) ASTRA_MEMBER(astra_tenant, kind, member)
#define JOB(kind, member) ASTRA_MEMBER(astra_job, kind, member)
#define SHARE(kind, member) ASTRA_MEMBER(astra_share, kind, member)
#define BID(kind, member) ASTRA_MEMBER(astra_bid, kind, member)
#define DECISION(kind, member) ASTRA_MEMBER(astra_decision, kind, member)
#define REASON(kind, member) ASTRA_MEMBER(astra_reason, kind, member)

const struct astra_member astra_node_members[] = {
	NODE(TEXT, name),	   NODE(FLAG, usable), NODE(FLAG, emptying),
	NODE(FLAG, settling),	   NODE(U32, gpus),    NODE(U32, gpus_free),
	NODE(U32, gpus_scattered), NODE(REAL, charge), NODE(U32, rack),
	NODE(U32, slot_gpus),	   NODE(U32, cpus),    NODE(U32, cpus_free),
	NODE(U64, mem_free_mib),   NODE(U64, mem_mib), NODE(TEXT, gpu_type),
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

/* All of struct astra_job but its node sets and what it holds. */
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
	JOB(TEXT, request.gpu_type),
	JOB(INT, state),
	JOB(REAL, submit_sec),
	JOB(REAL, start_sec),
	JOB(REAL, end_sec),
	JOB(REAL, time_limit_sec),
	JOB(REAL, deadline_sec),
	JOB(REAL, leave_sec),
	JOB(REAL, lease_sec),
	JOB(REAL, min_run_sec),
	JOB(U32, restart_cnt),
	JOB(FLAG, booting),
	JOB(FLAG, revocable),
	JOB(FLAG, unheard),
	JOB(FLAG, suspended),
	JOB(FLAG, checkpoints),
	JOB(FLAG, keeps_size),
	JOB(U32, forecast.app),
	JOB(U32, forecast.turn),
	JOB(REAL, forecast.work_sec),
	JOB(REAL, forecast.done_sec),
	JOB(FLAG, forecast.measured),
	ASTRA_MEMBER_ARRAY(astra_job, REAL, forecast.slowdown),
	JOB(U32, forecast.levels_seen),
	JOB(INT, forecast.utility.kind),
	/* The union's largest, whichever kind it is. */
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

/* All of struct astra_bid but its table. */
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
	REASON(U32, job),	   REASON(INT, wait),
	REASON(INT, lack),	   REASON(U32, rank),
	REASON(U32, ranks),	   REASON(REAL, start_sec),
	REASON(REAL, bound_sec),   REASON(REAL, value),
	REASON(REAL, worth),	   REASON(REAL, price),
	REASON(REAL, retry_sec),   REASON(REAL, priced_sec),
	REASON(REAL, credits),	   REASON(FLAG, poor),
	REASON(U32, class_gpus),   REASON(U32, class_granted),
	REASON(REAL, class_saved), ASTRA_MEMBERS_END,
};
