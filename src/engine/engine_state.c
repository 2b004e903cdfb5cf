/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Saving what must survive a restart: leases, integrals, first submit times and
 * holds. Grants are not saved: the next round makes them again from the same
 * facts. One version number covers the whole layout. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/common/member.h"
#include "src/engine/hold.h"
#include "src/model/members.h"

/* New data is appended at the end. A release that does not know it ignores it.
 * So after a downgrade nothing else is lost. */
#define STATE_VERSION 4

static void save_tenant(const struct astra_engine *e, const struct etenant *t,
			struct astra_bytes *out)
{
	struct astra_usage usage =
		astra_fairness_tenant(e->account, e->now_sec, t->account);

	astra_put_text(out, t->name);
	astra_put_u32(out, t->listed);
	astra_put_f64(out, t->weight);
	astra_put_f64(out, usage.alloc);
	astra_put_f64(out, usage.fair);
}

#define JOB(kind, member) ASTRA_MEMBER(ejob, kind, member)

/* Members that are saved before and after a job's flags, weight and charges. */
const struct astra_member astra_state_job_counts[] = {
	JOB(U32, id),	       JOB(U32, array_id),  JOB(U32, tenant),
	JOB(U32, gpus),	       JOB(U32, held_gpus), JOB(U32, copies),
	JOB(U32, restart_cnt), JOB(U32, leases),    JOB(U32, revoked),
	JOB(INT, state),       JOB(INT, phase),	    ASTRA_MEMBERS_END,
};
const struct astra_member astra_state_job_times[] = {
	JOB(REAL, submit_sec),	    JOB(REAL, start_sec),
	JOB(REAL, lease_sec),	    JOB(REAL, lease_start_sec),
	JOB(REAL, lease_end_sec),   JOB(REAL, grace_end_sec),
	JOB(REAL, planned_end_sec), JOB(REAL, lost_sec),
	ASTRA_MEMBERS_END,
};

/* Members that are saved at the end of the state; releases before 1.1 ignore
 * them. */
const struct astra_member astra_state_job_places[] = {
	JOB(U64, place.nth),
	JOB(U64, place.last),
	JOB(U32, place.tasks),
	JOB(REAL, place.term_gpu_sec),
	JOB(REAL, place.tenant_sec),
	JOB(REAL, place.user_sec),
	JOB(REAL, place.tenant_quota),
	JOB(REAL, place.user_quota),
	ASTRA_MEMBERS_END,
};

/* Saved after the holds, for jobs that wait for the end of a job without a
 * lease. */
static const struct astra_member state_job_vain[] = {
	JOB(U32, id),	     JOB(U32, blocker),	   JOB(INT, vain),
	JOB(REAL, vain_sec), JOB(U64, vain_shape), ASTRA_MEMBERS_END,
};

/* Saved after state_job_vain, for jobs that waited when other jobs ceased to
 * keep GPUs. */
static const struct astra_member state_job_kept[] = {
	JOB(U32, id),
	JOB(REAL, kept_bound_sec),
	ASTRA_MEMBERS_END,
};

/* Pack a job's refused starts into 32 bits. If there are more rounds than
 * ASTRA_BALK_ROUNDS, that many are saved. until_sec is saved as a number of
 * terms, which count from the restart on. */
static uint32_t state_put_balk(const struct ejob *j)
{
	uint32_t rounds = j->balk.rounds;

	if (rounds > ASTRA_BALK_ROUNDS)
		rounds = ASTRA_BALK_ROUNDS;
	return (uint32_t)j->balked | rounds << 1 | j->balk.terms << 3;
}

static void save_job(const struct astra_engine *e, const struct ejob *j,
		     struct astra_bytes *out)
{
	struct astra_usage usage =
		astra_fairness_job(e->account, e->now_sec, j->account);

	astra_members_put(out, j, astra_state_job_counts);
	astra_put_u32(out, (uint32_t)j->revocable | (uint32_t)j->ran << 1 |
				   (uint32_t)j->lent << 2 |
				   (uint32_t)j->late << 3 |
				   (uint32_t)j->unfit << 4 |
				   (uint32_t)j->collected << 5 |
				   state_put_balk(j) << 6);
	astra_put_f64(out, j->weight);
	astra_put_f64(out, j->charge);
	/* 0 marks a run that is not charged yet. */
	astra_put_f64(out, j->uncharged && j->state == ASTRA_JOB_RUNNING
				   ? 0
				   : j->held_charge);
	astra_members_put(out, j, astra_state_job_times);
	astra_put_f64(out, usage.alloc);
	astra_put_f64(out, usage.fair);
}

/* Save the policy's name, the size of its state, the state, and the names of
 * the nodes that the state refers to. */
static void save_policy(const struct astra_engine *e, struct astra_bytes *out)
{
	struct astra_bytes own = {0};

	if (e->policy->save && e->policy->save(e->policy_self, &own) < 0)
		out->failed = true;
	astra_put_text(out, e->policy->name);
	astra_put_u32(out, (uint32_t)own.size);
	astra_put_bytes(out, own.data, own.size);
	out->failed |= own.failed;
	astra_bytes_clear(&own);
	astra_node_names_put(astra_aside_nodes(e), out);
}

/* Save the counts of first starts. Then save for each job, in the order of the
 * jobs, its bound and the end of its last run. */
static void save_times(const struct astra_engine *e, uint32_t jobs,
		       struct astra_bytes *out)
{
	astra_put_u64(out, e->counters.first_starts);
	astra_put_u64(out, e->counters.over_bound);
	astra_put_u32(out, jobs);
	for (size_t i = 0; i < e->job_count; i++)
		if (e->jobs[i].id) {
			astra_put_f64(out, e->jobs[i].bound_sec);
			astra_put_f64(out, e->jobs[i].away_sec);
		}
}

/* Save the users and, in the order of the jobs, the user of each. */
static void save_users(const struct astra_engine *e, struct astra_bytes *out)
{
	astra_put_u32(out, (uint32_t)e->user_count);
	for (size_t i = 0; i < e->user_count; i++) {
		const struct euser *u = &e->users[i];
		struct astra_usage usage =
			astra_fairness_user(e->account, e->now_sec, u->account);

		astra_put_text(out, u->name);
		astra_put_u32(out, u->tenant);
		astra_put_f64(out, u->weight);
		astra_put_f64(out, usage.alloc);
		astra_put_f64(out, usage.fair);
	}
	for (size_t i = 0; i < e->job_count; i++)
		if (e->jobs[i].id)
			astra_put_u32(out, e->jobs[i].user);
}

/* Save each tenant's gift: what it need not give back. The order is that of the
 * tenants. */
static void save_gifts(const struct astra_engine *e, struct astra_bytes *out)
{
	for (size_t i = 0; i < e->tenant_count; i++)
		astra_put_f64(
			out, astra_fairness_tenant_gift(e->account, e->now_sec,
							e->tenants[i].account));
}

/* Save the jobs' places, in the order of the jobs. */
static void save_places(const struct astra_engine *e, struct astra_bytes *out)
{
	astra_put_u64(out, e->places);
	for (size_t i = 0; i < e->job_count; i++)
		if (e->jobs[i].id)
			astra_members_put(out, &e->jobs[i],
					  astra_state_job_places);
}

/* Save the budget: what leases that ended early cost. */
static void save_budget(const struct astra_engine *e, struct astra_bytes *out)
{
	astra_put_u64(out, e->counters.recalled);
	astra_put_f64(out, e->counters.recall_gpu_sec);
	astra_put_u64(out, e->budget.minute);
	for (size_t i = 0; i < ASTRA_BUDGET_MINUTES; i++)
		astra_put_f64(out, e->budget.gpu_sec[i]);
}

/* Save the holds with the names of their nodes. */
static void save_holds(const struct astra_engine *e, struct astra_bytes *out)
{
	static const struct astra_node_names none;
	size_t count = e->back ? 0 : e->hold_count;

	astra_node_names_put(count ? &e->nodes : &none, out);
	astra_put_u32(out, (uint32_t)count);
	for (size_t i = 0; i < count; i++) {
		const struct hold *h = &e->holds[i];

		astra_members_put(out, h, astra_image_hold_members);
		for (size_t k = 0; k < h->count; k++)
			astra_members_put(out, &h->shares[k],
					  astra_share_members);
	}
}

/* Save the jobs that wait for a job without a lease, and the id of that job. */
static void save_blockers(const struct astra_engine *e, struct astra_bytes *out)
{
	uint32_t count = 0;

	for (size_t i = 0; i < e->job_count; i++)
		count += astra_blocker_of(e, &e->jobs[i]) != 0;
	astra_put_u32(out, count);
	for (size_t i = 0; i < e->job_count; i++)
		if (astra_blocker_of(e, &e->jobs[i]))
			astra_members_put(out, &e->jobs[i], state_job_vain);
}

static void save_kept(const struct astra_engine *e, struct astra_bytes *out)
{
	uint32_t count = 0;

	for (size_t i = 0; i < e->job_count; i++)
		count += e->jobs[i].id && e->jobs[i].kept_bound_sec > 0;
	if (!e->keeps && !count)
		return;
	astra_put_u32(out, e->keeps);
	astra_put_u32(out, count);
	for (size_t i = 0; i < e->job_count; i++)
		if (e->jobs[i].id && e->jobs[i].kept_bound_sec > 0)
			astra_members_put(out, &e->jobs[i], state_job_kept);
}

void *astra_policy_again(const struct astra_policy *policy, const void *self,
			 const struct astra_options *options,
			 struct astra_error *err)
{
	struct astra_bytes state = {0};
	void *again = policy->create(options, err);

	if (again && policy->save &&
	    (policy->save(self, &state) < 0 ||
	     policy->restore(again, &(struct astra_reader){
					    .data = state.data,
					    .size = state.size,
				    }) < 0)) {
		policy->destroy(again);
		again = NULL;
		astra_error_nomem(err);
	}
	astra_bytes_clear(&state);
	return again;
}

int astra_engine_save(const struct astra_engine *e, struct astra_bytes *out)
{
	uint32_t jobs = 0;

	for (size_t i = 0; i < e->job_count; i++)
		jobs += e->jobs[i].id != 0;
	astra_put_u32(out, STATE_VERSION);
	astra_put_f64(out, e->begin_sec);
	astra_put_f64(out, e->now_sec);
	astra_put_f64(out, astra_fairness_capacity(e->account));
	astra_put_u64(out, e->counters.granted);
	astra_put_u64(out, e->counters.renewed);
	astra_put_u64(out, e->counters.revoked);
	astra_put_u32(out, (uint32_t)e->tenant_count);
	astra_put_u32(out, jobs);
	for (size_t i = 0; i < e->tenant_count; i++)
		save_tenant(e, &e->tenants[i], out);
	for (size_t i = 0; i < e->job_count; i++)
		if (e->jobs[i].id)
			save_job(e, &e->jobs[i], out);
	save_policy(e, out);
	save_times(e, jobs, out);
	save_users(e, out);
	astra_asides_save(&e->asides, out);
	astra_caps_put(e, out);
	save_gifts(e, out);
	save_places(e, out);
	save_budget(e, out);
	save_holds(e, out);
	save_blockers(e, out);
	save_kept(e, out);
	return out->failed ? -1 : 0;
}

static int restore_tenant(struct astra_engine *e, struct astra_reader *in)
{
	char *name = astra_get_text(in);
	struct etenant t = {.name = name};
	struct astra_usage usage;

	t.listed = astra_get_u32(in) != 0;
	t.weight = astra_get_f64(in);
	usage.alloc = astra_get_f64(in);
	usage.fair = astra_get_f64(in);
	if (in->failed || !(t.weight >= 0) ||
	    astra_grow(&e->tenants, &e->tenant_room, e->tenant_count + 1,
		       sizeof(t)) < 0) {
		free(name);
		return -1;
	}
	t.account = astra_fairness_add_tenant(e->account, e->now_sec,
					      t.listed ? t.weight : 0);
	e->tenants[e->tenant_count++] = t;
	if (t.account == ASTRA_NONE)
		return -1;
	astra_fairness_restore_tenant(e->account, e->now_sec, t.account, usage);
	return 0;
}

static void state_get_balk(struct ejob *j, uint32_t packed)
{
	j->balked = packed & 1;
	j->balk.rounds = packed >> 1 & 3;
	j->balk.terms = packed >> 3 & 0x7f;
}

static void engine_state_read_job(struct ejob *j, struct astra_usage *usage,
				  struct astra_reader *in)
{
	uint32_t flags;

	astra_members_get(in, j, astra_state_job_counts);
	flags = astra_get_u32(in);
	j->revocable = flags & 1;
	j->ran = flags >> 1 & 1;
	j->lent = flags >> 2 & 1;
	j->late = flags >> 3 & 1;
	j->unfit = flags >> 4 & 1;
	j->collected = flags >> 5 & 1 && j->state == ASTRA_JOB_RUNNING;
	state_get_balk(j, flags >> 6);
	j->weight = astra_get_f64(in);
	j->charge = astra_get_f64(in);
	j->held_charge = astra_get_f64(in);
	j->uncharged = j->state == ASTRA_JOB_RUNNING && j->held_gpus &&
		       j->held_charge <= 0;
	astra_members_get(in, j, astra_state_job_times);
	usage->alloc = astra_get_f64(in);
	usage->fair = astra_get_f64(in);
}

static int engine_state_restore_job(struct astra_engine *e,
				    struct astra_reader *in)
{
	struct ejob j = {0};
	struct astra_usage usage;
	uint32_t row = (uint32_t)e->job_count;

	engine_state_read_job(&j, &usage, in);
	if (in->failed || !j.id || j.tenant >= e->tenant_count ||
	    j.state > ASTRA_JOB_ENDED || j.phase > ASTRA_PHASE_LEAVING ||
	    !(j.weight >= 0) || !(j.charge >= 0) || !(j.held_charge >= 0) ||
	    astra_engine_find(e, j.id))
		return -1;
	/* The next round decides anew which job gets its GPUs. */
	if (j.phase == ASTRA_PHASE_DOOMED)
		j.phase = ASTRA_PHASE_LEASED;
	if (j.phase != ASTRA_PHASE_WAITING && j.phase != ASTRA_PHASE_LEASED)
		j.told_sec = e->now_sec;
	if (astra_grow(&e->jobs, &e->job_room, e->job_count + 1, sizeof(j)) <
		    0 ||
	    astra_grow(&e->vacant, &e->vacant_room, e->job_count + 1,
		       sizeof(*e->vacant)) < 0)
		return -1;
	j.account = astra_fairness_add_job(
		e->account, e->tenants[j.tenant].account, j.weight, j.charge);
	if (j.account == ASTRA_NONE ||
	    astra_idmap_put(&e->by_id, j.id, row) < 0)
		return -1;
	j.seen = e->epoch;
	j.user = ASTRA_NONE;
	j.balk.until_sec = e->now_sec + j.balk.terms * e->options.lease_sec;
	e->jobs[row] = j;
	e->job_count++;
	if (astra_ejob_active(&j))
		astra_fairness_set_active(e->account, e->now_sec, j.account,
					  j.copies);
	if (j.state == ASTRA_JOB_RUNNING)
		astra_fairness_set_alloc(e->account, e->now_sec, j.account,
					 j.held_charge);
	astra_fairness_restore_job(e->account, e->now_sec, j.account, usage);
	return 0;
}

/* Put another policy's state aside, as the pool may return to that policy. A
 * state is ignored if this release does not know its policy or the policy saves
 * no state. Returns 0, or -1. */
static int restore_other(struct astra_aside *other, const char *name,
			 const struct astra_reader *own)
{
	other->policy = name ? astra_policy_find(name) : NULL;
	if (other->policy && other->policy->save)
		astra_put_bytes(&other->state, own->data, own->size);
	else
		other->policy = NULL;
	return other->state.failed ? -1 : 0;
}

/* Restore the policy's state. If it is damaged, the policy begins anew, since
 * leases and accounts are worth more. */
static int restore_policy(struct astra_engine *e, struct astra_reader *in,
			  struct astra_aside *other)
{
	char *name = astra_get_text(in);
	struct astra_reader own = {.size = astra_get_u32(in)};
	bool same = name && !strcmp(name, e->policy->name);
	int rc = 0;

	own.data = astra_get_bytes(in, own.size);
	if (!in->failed && !same)
		rc = restore_other(other, name, &own);
	free(name);
	if (in->failed || rc < 0)
		return -1;
	if (!same || !e->policy->restore ||
	    e->policy->restore(e->policy_self, &own) == 0)
		return 0;
	e->policy_lost = true;
	e->policy->destroy(e->policy_self);
	e->policy_self = e->policy->create(&e->options, NULL);
	return e->policy_self ? 0 : -1;
}

/* Restore bounds and ends of runs. Earlier releases saved none: then the bounds
 * of waiting jobs count from now. */
static int restore_times(struct astra_engine *e, struct astra_reader *in)
{
	if (in->at == in->size)
		return 0;
	e->counters.first_starts = astra_get_u64(in);
	e->counters.over_bound = astra_get_u64(in);
	if (astra_get_u32(in) != e->job_count)
		return -1;
	for (size_t i = 0; i < e->job_count; i++) {
		double bound = astra_get_f64(in), away = astra_get_f64(in);

		if (in->failed || !(bound >= 0) || !(away >= 0))
			return -1;
		e->jobs[i].bound_sec = bound;
		e->jobs[i].away_sec = away;
	}
	return 0;
}

static int restore_user(struct astra_engine *e, struct astra_reader *in)
{
	char *name = astra_get_text(in);
	uint32_t tenant = astra_get_u32(in), user;
	double weight = astra_get_f64(in);
	struct astra_usage usage;

	usage.alloc = astra_get_f64(in);
	usage.fair = astra_get_f64(in);
	if (in->failed || tenant >= e->tenant_count || !(weight >= 0)) {
		free(name);
		return -1;
	}
	user = astra_engine_user_add(e, tenant, name, weight);
	if (user == ASTRA_NONE)
		return -1;
	astra_fairness_restore_user(e->account, e->now_sec,
				    e->users[user].account, usage);
	return 0;
}

/* Restore users. Earlier releases saved none: then jobs are assigned to their
 * users in the next round. */
static int restore_users(struct astra_engine *e, struct astra_reader *in)
{
	uint32_t users;
	int rc = 0;

	if (in->at == in->size)
		return 0;
	users = astra_get_u32(in);
	for (uint32_t i = 0; !rc && i < users; i++)
		rc = restore_user(e, in);
	for (size_t i = 0; !rc && i < e->job_count; i++) {
		struct ejob *j = &e->jobs[i];
		struct astra_title title = {
			.tenant = j->tenant,
			.user = astra_get_u32(in),
			.weight = j->weight,
			.charge = j->charge,
		};

		if (title.user == ASTRA_NONE)
			continue;
		rc = !in->failed && title.user < e->user_count &&
				     e->users[title.user].tenant == j->tenant
			     ? astra_job_retitle(e, j, &title)
			     : -1;
	}
	return in->failed ? -1 : rc;
}

/* Restore the tenants' gifts. Earlier releases saved none. */
static int restore_gifts(struct astra_engine *e, struct astra_reader *in)
{
	for (size_t i = 0; in->at < in->size && i < e->tenant_count; i++) {
		double gift = astra_get_f64(in);

		if (in->failed || !(gift >= 0) || !isfinite(gift))
			return -1;
		astra_fairness_restore_tenant_gift(e->account,
						   e->tenants[i].account, gift);
	}
	return 0;
}

/* Restore the states that were put aside. If the saved state's own policy is
 * not the engine's, put its state (`other`, taken) aside too. Earlier releases
 * put no states aside. */
static int restore_asides(struct astra_engine *e, struct astra_reader *in,
			  struct astra_aside *other)
{
	if (in->at < in->size && astra_asides_restore(&e->asides, in) < 0)
		return -1;
	if (other->policy) {
		struct astra_aside taken = *other;

		*other = (struct astra_aside){0};
		if (astra_node_names_copy(&taken.nodes, &e->nodes) < 0) {
			astra_aside_clear(&taken);
			return -1;
		}
		if (astra_aside_put(&e->asides, &taken) < 0)
			return -1;
	}
	return astra_aside_resume(e);
}

static bool place_is_sound(const struct astra_engine *e, const struct place *p)
{
	return p->nth <= e->places && p->last <= e->places &&
	       p->term_gpu_sec >= 0 && isfinite(p->tenant_sec) &&
	       isfinite(p->user_sec) && p->tenant_quota >= 0 &&
	       p->user_quota >= 0;
}

/* Restore places. Earlier releases saved none: then the bounds of waiting jobs
 * stay. */
static int restore_places(struct astra_engine *e, struct astra_reader *in)
{
	if (in->at == in->size)
		return 0;
	e->places = astra_get_u64(in);
	for (size_t i = 0; i < e->job_count; i++) {
		astra_members_get(in, &e->jobs[i], astra_state_job_places);
		if (in->failed || !place_is_sound(e, &e->jobs[i].place))
			return -1;
	}
	return 0;
}

/* Restore the budget: what early ends of leases cost. Earlier releases saved
 * none. */
static int restore_budget(struct astra_engine *e, struct astra_reader *in)
{
	if (in->at == in->size)
		return 0;
	e->counters.recalled = astra_get_u64(in);
	e->counters.recall_gpu_sec = astra_get_f64(in);
	e->budget.minute = astra_get_u64(in);
	for (size_t i = 0; i < ASTRA_BUDGET_MINUTES; i++) {
		double gpu_sec = astra_get_f64(in);

		if (in->failed || !(gpu_sec >= 0) || !isfinite(gpu_sec))
			return -1;
		e->budget.gpu_sec[i] = gpu_sec;
	}
	return e->counters.recall_gpu_sec >= 0 ? 0 : -1;
}

/* Restore a hold. Returns 0, or -1 if it is damaged or memory is out. */
static int restore_hold(struct astra_engine *e, struct astra_reader *in)
{
	struct hold h = {0};

	astra_members_get(in, &h, astra_image_hold_members);
	if (in->failed || h.count > e->nodes.count || !isfinite(h.start_sec) ||
	    !astra_engine_find(e, h.job))
		return -1;
	h.shares = calloc(h.count + 1, sizeof(*h.shares));
	for (size_t k = 0; h.shares && k < h.count; k++) {
		astra_members_get(in, &h.shares[k], astra_share_members);
		if (in->failed || h.shares[k].node >= e->nodes.count) {
			free(h.shares);
			return -1;
		}
	}
	return h.shares ? astra_hold_add(e, &h) : -1;
}

/* Restore holds. Earlier releases saved none. If the policy's state came with
 * node names, the holds refer to the same nodes. */
static int restore_holds(struct astra_engine *e, struct astra_reader *in)
{
	struct astra_node_names nodes = {0};
	uint32_t count;
	int rc;

	if (in->at == in->size)
		return 0;
	rc = astra_node_names_get(&nodes, in);
	count = astra_get_u32(in);
	if (!rc && count && !e->nodes.count) {
		astra_node_names_clear(&e->nodes);
		e->nodes = nodes;
	} else {
		astra_node_names_clear(&nodes);
	}
	if (in->failed || count > ASTRA_HOLDS_MAX)
		rc = -1;
	for (uint32_t i = 0; !rc && i < count; i++)
		rc = restore_hold(e, in);
	return rc;
}

/* Restore which jobs without leases other jobs wait for. Earlier releases saved
 * none. Returns 0, or -1 if the data is damaged. */
static int restore_blockers(struct astra_engine *e, struct astra_reader *in)
{
	uint32_t count;

	if (in->at == in->size)
		return 0;
	count = astra_get_u32(in);
	for (uint32_t i = 0; i < count; i++) {
		struct ejob told = {0}, *j;

		astra_members_get(in, &told, state_job_vain);
		j = astra_engine_find(e, told.id);
		if (in->failed || !j || !isfinite(told.vain_sec))
			return -1;
		j->blocker = told.blocker;
		if (!astra_vain_unleased(told.vain))
			continue; /* the job waits, but has a hold */
		j->vain = told.vain;
		j->vain_sec = told.vain_sec;
		j->vain_shape = told.vain_shape;
	}
	return in->failed ? -1 : 0;
}

/* Restore the bounds of jobs that waited when other jobs ceased to keep GPUs.
 * The data is missing if no job keeps GPUs, and in states of earlier releases.
 * Returns 0, or -1 if the data is damaged. */
static int restore_kept(struct astra_engine *e, struct astra_reader *in)
{
	uint32_t count;

	if (in->at == in->size)
		return 0;
	e->keeps = astra_get_u32(in) != 0;
	count = astra_get_u32(in);
	for (uint32_t i = 0; i < count; i++) {
		struct ejob told = {0}, *j;

		astra_members_get(in, &told, state_job_kept);
		j = astra_engine_find(e, told.id);
		if (in->failed || !j || isnan(told.kept_bound_sec))
			return -1;
		j->kept_bound_sec = told.kept_bound_sec;
	}
	return in->failed ? -1 : 0;
}

static int engine_state_restore(struct astra_engine *e, struct astra_reader *in,
				struct astra_aside *other)
{
	uint32_t tenants, jobs;
	double capacity;
	int rc = 0;

	e->begin_sec = astra_get_f64(in);
	e->now_sec = astra_get_f64(in);
	capacity = astra_get_f64(in);
	e->counters.granted = astra_get_u64(in);
	e->counters.renewed = astra_get_u64(in);
	e->counters.revoked = astra_get_u64(in);
	tenants = astra_get_u32(in);
	jobs = astra_get_u32(in);
	if (in->failed || !(e->now_sec >= e->begin_sec) || !(capacity >= 0))
		return -1;
	e->epoch = 1; /* the next snapshot is not the first one */
	astra_fairness_set_capacity(e->account, e->now_sec, capacity);
	for (uint32_t i = 0; !rc && i < tenants; i++)
		rc = restore_tenant(e, in);
	for (uint32_t i = 0; !rc && i < jobs; i++)
		rc = engine_state_restore_job(e, in);
	if (!rc)
		rc = restore_policy(e, in, other);
	if (!rc)
		rc = astra_node_names_get(&e->nodes, in);
	if (!rc)
		rc = restore_times(e, in);
	if (!rc)
		rc = restore_users(e, in);
	if (!rc)
		rc = restore_asides(e, in, other);
	if (!rc)
		rc = astra_caps_get(e, in);
	if (!rc)
		rc = restore_gifts(e, in);
	if (!rc)
		rc = restore_places(e, in);
	if (!rc)
		rc = restore_budget(e, in);
	if (!rc)
		rc = restore_holds(e, in);
	if (!rc)
		rc = restore_blockers(e, in);
	if (!rc)
		rc = restore_kept(e, in);
	astra_leases_bound(e);
	return rc;
}

struct astra_engine *astra_engine_restore(const struct astra_options *options,
					  const void *data, size_t size,
					  struct astra_error *err)
{
	struct astra_reader in = {.data = data, .size = size};
	struct astra_aside other = {0};
	struct astra_engine *e;
	uint32_t version = astra_get_u32(&in);
	int rc;

	if (in.failed || version != STATE_VERSION) {
		astra_error_set(err,
				"engine state of version %u, this release "
				"reads %u",
				version, STATE_VERSION);
		return NULL;
	}
	/* The begin, t_begin, is read from the data; nothing is accounted
	 * before that. */
	e = astra_engine_create(options, 0, err);
	if (!e)
		return NULL;
	rc = engine_state_restore(e, &in, &other);
	astra_bytes_clear(&other.state);
	if (rc < 0) {
		astra_error_set(err,
				"engine state is damaged at byte %zu of "
				"%zu",
				in.at, size);
		astra_engine_destroy(e);
		return NULL;
	}
	return e;
}
