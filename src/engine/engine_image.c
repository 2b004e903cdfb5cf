/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/engine/engine_image.h"

#include <stdlib.h>
#include <string.h>

#include "src/engine/hold.h"
#include "src/model/members.h"

#define ENGINE(kind, member) ASTRA_MEMBER(astra_engine, kind, member)
#define USER(kind, member) ASTRA_MEMBER(euser, kind, member)
#define TENANT(kind, member) ASTRA_MEMBER(etenant, kind, member)
#define JOB(kind, member) ASTRA_MEMBER(ejob, kind, member)

const struct astra_member astra_image_engine_members[] = {
	ENGINE(REAL, begin_sec),
	ENGINE(REAL, now_sec),
	ENGINE(U32, epoch),
	ENGINE(SIZE, tenant_count),
	ENGINE(SIZE, user_count),
	ENGINE(SIZE, job_count),
	ENGINE(SIZE, vacant_count),
	ENGINE(SIZE, grant_count),
	ENGINE(SIZE, refusal_count),
	ENGINE(SIZE, hold_count),
	ENGINE(U32, last_reclaim),
	ENGINE(FLAG, unwanted),
	ENGINE(FLAG, limited),
	ENGINE(FLAG, back),
	ENGINE(FLAG, keeps),
	ENGINE(U64, counters.rounds),
	ENGINE(U64, counters.granted),
	ENGINE(U64, counters.renewed),
	ENGINE(U64, counters.revoked),
	ENGINE(U64, counters.refused),
	ENGINE(U64, counters.reclaim_capped),
	ENGINE(U64, counters.lent),
	ENGINE(U64, counters.first_starts),
	ENGINE(U64, counters.over_bound),
	ENGINE(U64, counters.recalled),
	ENGINE(REAL, counters.recall_gpu_sec),
	ENGINE(U64, places),
	ENGINE(U64, budget.minute),
	ASTRA_MEMBER_ARRAY(astra_engine, REAL, budget.gpu_sec),
	ENGINE(U32, budget.jobs),
	ASTRA_MEMBERS_END,
};

const struct astra_member astra_image_tenant_members[] = {
	TENANT(U32, account),	  TENANT(FLAG, listed),
	TENANT(REAL, weight),	  TENANT(REAL, keep_room),
	TENANT(FLAG, keep_lacks), TENANT(REAL, lacks_sec),
	ASTRA_MEMBERS_END,
};

const struct astra_member astra_image_user_members[] = {
	USER(U32, tenant),
	USER(U32, account),
	USER(REAL, weight),
	ASTRA_MEMBERS_END,
};

const struct astra_member astra_image_job_members[] = {
	JOB(U32, id),
	JOB(U32, array_id),
	JOB(U32, tenant),
	JOB(U32, user),
	JOB(U32, account),
	JOB(U32, seen),
	JOB(U32, gpus),
	JOB(U32, gpus_least),
	JOB(U32, held_gpus),
	JOB(REAL, charge),
	JOB(REAL, held_charge),
	JOB(U32, copies),
	JOB(U32, restart_cnt),
	JOB(U32, leases),
	JOB(U32, revoked),
	JOB(U32, early_for),
	JOB(REAL, early_gpu_sec),
	JOB(U32, doomed_for),
	JOB(U32, grants),
	JOB(U32, refusals),
	JOB(INT, state),
	JOB(INT, phase),
	JOB(FLAG, booting),
	JOB(FLAG, uncharged),
	JOB(FLAG, revocable),
	JOB(FLAG, ran),
	JOB(FLAG, unfit),
	JOB(FLAG, lacks),
	JOB(FLAG, balked),
	JOB(U32, balk.rounds),
	JOB(U32, balk.terms),
	JOB(REAL, balk.refused_sec),
	JOB(REAL, balk.until_sec),
	JOB(U64, balk.shape),
	JOB(FLAG, lent),
	JOB(FLAG, served),
	JOB(FLAG, collected),
	JOB(FLAG, awaited),
	JOB(REAL, weight),
	JOB(REAL, submit_sec),
	JOB(REAL, bound_sec),
	JOB(REAL, kept_bound_sec),
	JOB(U64, place.nth),
	JOB(U64, place.last),
	JOB(U32, place.tasks),
	JOB(REAL, place.term_gpu_sec),
	JOB(REAL, place.tenant_sec),
	JOB(REAL, place.user_sec),
	JOB(REAL, place.tenant_quota),
	JOB(REAL, place.user_quota),
	JOB(REAL, away_sec),
	JOB(FLAG, late),
	JOB(REAL, start_sec),
	JOB(REAL, lease_sec),
	JOB(REAL, min_run_sec),
	JOB(REAL, lease_start_sec),
	JOB(REAL, lease_end_sec),
	JOB(REAL, grace_end_sec),
	JOB(REAL, told_sec),
	JOB(REAL, planned_end_sec),
	JOB(REAL, keep_until_sec),
	JOB(REAL, lost_sec),
	JOB(INT, vain),
	JOB(REAL, vain_sec),
	JOB(U64, vain_shape),
	JOB(U32, blocker),
	JOB(REAL, blocked_sec),
	ASTRA_MEMBERS_END,
};

const struct astra_member astra_image_grant_members[] = {
	ASTRA_MEMBER(grant, U32, job),
	ASTRA_MEMBER(grant, REAL, until_sec),
	ASTRA_MEMBER(grant, REAL, told_sec),
	ASTRA_MEMBER(grant, SIZE, count),
	ASTRA_MEMBERS_END,
};

const struct astra_member astra_image_hold_members[] = {
	ASTRA_MEMBER(hold, U32, job),
	ASTRA_MEMBER(hold, REAL, start_sec),
	ASTRA_MEMBER(hold, FLAG, anybody),
	ASTRA_MEMBER(hold, SIZE, count),
	ASTRA_MEMBERS_END,
};

const struct astra_member astra_image_refusal_members[] = {
	ASTRA_MEMBER(refusal, U32, job),
	ASTRA_MEMBER(refusal, REAL, until_sec),
	ASTRA_MEMBERS_END,
};

/* Writing. */

static void engine_image_put_shares(const struct astra_share *shares,
				    size_t count, struct astra_bytes *out)
{
	for (size_t i = 0; i < count; i++)
		astra_members_put(out, &shares[i], astra_share_members);
}

static void put_refusal(const struct refusal *r, size_t words,
			struct astra_bytes *out)
{
	astra_members_put(out, r, astra_image_refusal_members);
	astra_put_u32(out, r->nodes != NULL);
	for (size_t i = 0; r->nodes && i < words; i++)
		astra_put_u64(out, r->nodes[i]);
}

static void put_policy(const struct astra_engine *e, struct astra_bytes *out)
{
	struct astra_bytes own = {0};

	if (e->policy->save && e->policy->save(e->policy_self, &own) < 0)
		out->failed = true;
	if (e->policy->save_rest)
		e->policy->save_rest(e->policy_self, &own);
	out->failed |= own.failed;
	astra_put_u64(out, own.size);
	astra_put_bytes(out, own.data, own.size);
	astra_bytes_clear(&own);
}

int astra_engine_image(const struct astra_engine *e, struct astra_bytes *out)
{
	astra_members_put(out, e, astra_image_engine_members);
	astra_node_names_put(&e->nodes, out);
	astra_node_names_put(&e->back_nodes, out);
	for (size_t i = 0; i < e->tenant_count; i++) {
		astra_put_text(out, e->tenants[i].name);
		astra_members_put(out, &e->tenants[i],
				  astra_image_tenant_members);
	}
	for (size_t i = 0; i < e->user_count; i++) {
		astra_put_text(out, e->users[i].name);
		astra_members_put(out, &e->users[i], astra_image_user_members);
	}
	for (size_t i = 0; i < e->job_count; i++)
		astra_members_put(out, &e->jobs[i], astra_image_job_members);
	for (size_t i = 0; i < e->vacant_count; i++)
		astra_put_u32(out, e->vacant[i]);
	for (size_t i = 0; i < e->grant_count; i++) {
		astra_members_put(out, &e->grants[i],
				  astra_image_grant_members);
		engine_image_put_shares(e->grants[i].shares, e->grants[i].count,
					out);
	}
	for (size_t i = 0; i < e->hold_count; i++) {
		astra_members_put(out, &e->holds[i], astra_image_hold_members);
		engine_image_put_shares(e->holds[i].shares, e->holds[i].count,
					out);
	}
	for (size_t i = 0; i < e->refusal_count; i++)
		put_refusal(&e->refusals[i], e->node_words, out);
	astra_fairness_put(e->account, out);
	put_policy(e, out);
	astra_caps_put(e, out);
	return out->failed ? -1 : 0;
}

/* Reading. Each count is checked against the size of the remaining data before
 * memory is allocated for it. Each index is checked before it is used. */

static bool engine_image_too_many(const struct astra_reader *in, size_t count)
{
	return in->failed || count > in->size - in->at;
}

static int engine_image_get_tenants(struct astra_engine *e,
				    struct astra_reader *in, size_t count)
{
	e->tenants = calloc(count + 1, sizeof(*e->tenants));
	e->tenant_room = count + 1;
	for (size_t i = 0; e->tenants && i < count; i++) {
		e->tenants[i].name = astra_get_text(in);
		if (!e->tenants[i].name)
			return -1;
		e->tenant_count++;
		astra_members_get(in, &e->tenants[i],
				  astra_image_tenant_members);
	}
	return e->tenants && !in->failed ? 0 : -1;
}

static int engine_image_get_users(struct astra_engine *e,
				  struct astra_reader *in, size_t count)
{
	e->users = calloc(count + 1, sizeof(*e->users));
	e->user_room = count + 1;
	for (size_t i = 0; e->users && i < count; i++) {
		e->users[i].name = astra_get_text(in);
		if (!e->users[i].name)
			return -1;
		e->user_count++;
		astra_members_get(in, &e->users[i], astra_image_user_members);
		if (e->users[i].tenant >= e->tenant_count)
			return -1;
	}
	return e->users && !in->failed ? 0 : -1;
}

static int engine_image_get_jobs(struct astra_engine *e,
				 struct astra_reader *in, size_t count)
{
	e->jobs = calloc(count + 1, sizeof(*e->jobs));
	e->job_room = e->vacant_room = count + 1;
	e->vacant = calloc(count + 1, sizeof(*e->vacant));
	if (!e->jobs || !e->vacant)
		return -1;
	for (uint32_t i = 0; i < count; i++) {
		struct ejob *j = &e->jobs[i];

		astra_members_get(in, j, astra_image_job_members);
		if (in->failed || j->tenant >= e->tenant_count ||
		    (j->id && j->user != ASTRA_NONE &&
		     j->user >= e->user_count) ||
		    j->state > ASTRA_JOB_ENDED ||
		    j->phase > ASTRA_PHASE_LEAVING ||
		    (j->id && (astra_engine_find(e, j->id) ||
			       astra_idmap_put(&e->by_id, j->id, i) < 0)))
			return -1;
		e->job_count++;
	}
	return 0;
}

static int engine_image_get_vacant(struct astra_engine *e,
				   struct astra_reader *in, size_t count)
{
	if (count > e->job_count)
		return -1;
	for (size_t i = 0; i < count; i++) {
		uint32_t row = astra_get_u32(in);

		if (in->failed || row >= e->job_count || e->jobs[row].id)
			return -1;
		e->vacant[e->vacant_count++] = row;
	}
	return 0;
}

/* Read `count` shares. Returns NULL if they are damaged or memory is out. */
static struct astra_share *get_shares(const struct astra_engine *e,
				      struct astra_reader *in, size_t count)
{
	struct astra_share *shares =
		engine_image_too_many(in, count)
			? NULL
			: calloc(count + 1, sizeof(*shares));

	for (size_t i = 0; shares && i < count; i++) {
		astra_members_get(in, &shares[i], astra_share_members);
		if (shares[i].node < e->nodes.count)
			continue;
		free(shares);
		return NULL;
	}
	return shares;
}

static int get_grants(struct astra_engine *e, struct astra_reader *in,
		      size_t count)
{
	e->grants = calloc(count + 1, sizeof(*e->grants));
	e->grant_room = count + 1;
	for (size_t i = 0; e->grants && i < count; i++) {
		struct grant *g = &e->grants[i];

		astra_members_get(in, g, astra_image_grant_members);
		if (!astra_engine_find(e, g->job))
			return -1;
		g->shares = get_shares(e, in, g->count);
		if (!g->shares)
			return -1;
		e->grant_count++;
	}
	return e->grants && !in->failed ? 0 : -1;
}

static int get_holds(struct astra_engine *e, struct astra_reader *in,
		     size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct hold h = {0};

		astra_members_get(in, &h, astra_image_hold_members);
		if (!astra_engine_find(e, h.job))
			return -1;
		h.shares = get_shares(e, in, h.count);
		if (!h.shares || astra_hold_add(e, &h) < 0)
			return -1;
	}
	return in->failed ? -1 : 0;
}

static int get_refusals(struct astra_engine *e, struct astra_reader *in,
			size_t count)
{
	e->refusals = calloc(count + 1, sizeof(*e->refusals));
	e->refusal_room = count + 1;
	for (size_t i = 0; e->refusals && i < count; i++) {
		struct refusal *r = &e->refusals[i];

		astra_members_get(in, r, astra_image_refusal_members);
		if (astra_get_u32(in))
			r->nodes = calloc(e->node_words + 1, sizeof(uint64_t));
		e->refusal_count++;
		for (size_t w = 0; r->nodes && w < e->node_words; w++)
			r->nodes[w] = astra_get_u64(in);
		if (in->failed || !astra_engine_find(e, r->job))
			return -1;
	}
	return e->refusals && !in->failed ? 0 : -1;
}

static int get_account(struct astra_engine *e, struct astra_reader *in)
{
	astra_fairness_destroy(e->account);
	e->account = astra_fairness_get(in);
	if (!e->account)
		return -1;
	for (size_t i = 0; i < e->tenant_count; i++)
		if (!astra_fairness_has_tenant(e->account,
					       e->tenants[i].account))
			return -1;
	for (size_t i = 0; i < e->user_count; i++)
		if (!astra_fairness_has_user(e->account, e->users[i].account))
			return -1;
	for (size_t i = 0; i < e->job_count; i++)
		if (e->jobs[i].id &&
		    !astra_fairness_has_job(e->account, e->jobs[i].account))
			return -1;
	return 0;
}

static int get_policy(struct astra_engine *e, struct astra_reader *in)
{
	struct astra_reader own = {.size = (size_t)astra_get_u64(in)};

	if (engine_image_too_many(in, own.size))
		return -1;
	own.data = astra_get_bytes(in, own.size);
	if (in->failed || !e->policy->restore)
		return in->failed ? -1 : 0;
	if (e->policy->restore(e->policy_self, &own) < 0)
		return -1;
	return e->policy->restore_rest
		       ? e->policy->restore_rest(e->policy_self, &own)
		       : 0;
}

static int engine_image_get_all(struct astra_engine *e, struct astra_reader *in)
{
	struct astra_engine counts = {0};

	astra_members_get(in, &counts, astra_image_engine_members);
	if (engine_image_too_many(in, counts.tenant_count) ||
	    engine_image_too_many(in, counts.user_count) ||
	    engine_image_too_many(in, counts.job_count) ||
	    engine_image_too_many(in, counts.vacant_count) ||
	    engine_image_too_many(in, counts.grant_count) ||
	    engine_image_too_many(in, counts.hold_count) ||
	    engine_image_too_many(in, counts.refusal_count) ||
	    astra_node_names_get(&e->nodes, in) < 0 ||
	    astra_node_names_get(&e->back_nodes, in) < 0)
		return -1;
	e->begin_sec = counts.begin_sec;
	e->now_sec = counts.now_sec;
	e->epoch = counts.epoch;
	e->node_words = (e->nodes.count + 63) / 64;
	e->last_reclaim = counts.last_reclaim;
	e->unwanted = counts.unwanted;
	e->limited = counts.limited;
	e->back = counts.back && e->policy->renumber;
	e->keeps = counts.keeps;
	e->counters = counts.counters;
	e->places = counts.places;
	e->budget = counts.budget;
	if (engine_image_get_tenants(e, in, counts.tenant_count) < 0 ||
	    engine_image_get_users(e, in, counts.user_count) < 0 ||
	    engine_image_get_jobs(e, in, counts.job_count) < 0 ||
	    engine_image_get_vacant(e, in, counts.vacant_count) < 0 ||
	    get_grants(e, in, counts.grant_count) < 0 ||
	    get_holds(e, in, counts.hold_count) < 0 ||
	    get_refusals(e, in, counts.refusal_count) < 0)
		return -1;
	if (get_account(e, in) < 0 || get_policy(e, in) < 0)
		return -1;
	return astra_caps_get(e, in);
}

struct astra_engine *astra_engine_of_image(const struct astra_options *options,
					   const void *data, size_t size,
					   struct astra_error *err)
{
	struct astra_reader in = {.data = data, .size = size};
	struct astra_engine *e = astra_engine_create(options, 0, err);

	if (!e)
		return NULL;
	if (!engine_image_get_all(e, &in))
		return e;
	astra_error_set(err, "the engine's image is damaged, or of another "
			     "release");
	astra_engine_destroy(e);
	return NULL;
}
