/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/engine/contest.h"

#include <stdlib.h>

#include "src/engine/engine_priv.h"

/* Set the accounts to the given usage, and let all leases end now. */
static void contest_stand(struct round *r, const struct astra_standings *s)
{
	struct astra_engine *e = r->e;
	double now = r->snap->now_sec;

	astra_fairness_set_capacity(e->account, now, s->capacity);
	for (size_t i = 0; i < r->snap->tenant_count; i++)
		astra_fairness_restore_tenant(
			e->account, now, e->tenants[e->tenant_of[i]].account,
			s->tenants[i].usage);
	for (size_t i = 0; i < r->snap->job_count; i++) {
		struct ejob *j = &e->jobs[e->row_of[i]];

		astra_fairness_restore_job(e->account, now, j->account,
					   s->jobs[i].usage);
		j->ran = s->jobs[i].ran;
		if (j->state == ASTRA_JOB_RUNNING)
			astra_lease_set_end(e, j, now);
	}
}

static int contest_answer(const struct round *r, const struct outcome *o,
			  struct astra_allocation *out, uint32_t *free_after)
{
	for (size_t i = 0; i < o->ballot.ranking.count; i++) {
		const struct contender *c =
			&r->contenders[o->ballot.ranking.choices[i].candidate];

		if (c->granted &&
		    astra_allocation_add(out, r->e->jobs[c->row].index, 0,
					 c->expired
						 ? c->job->held
						 : o->places + c->first_share,
					 c->expired ? c->job->held_count
						    : c->share_count) < 0)
			return -1;
	}
	for (uint32_t n = 0; n < r->snap->node_count; n++)
		free_after[n] = astra_space_get(o->rc.work, n)->gpus;
	return 0;
}

static int contest_run(struct round *r, const struct astra_standings *s,
		       struct astra_allocation *out, uint32_t *free_after,
		       struct astra_error *err)
{
	struct outcome o = {0};
	int rc;

	if (astra_account_sync(r, err) < 0)
		return -1;
	contest_stand(r, s);
	if (astra_idle_build(r) < 0)
		return astra_error_nomem(err);
	/* Let a job that is larger than all nodes have its turn too. */
	r->usable_gpus = UINT64_MAX;
	if (astra_contenders_find(r) < 0)
		return astra_error_nomem(err);
	rc = astra_round_contest(r, &o, err);
	if (!rc && contest_answer(r, &o, out, free_after) < 0)
		rc = astra_error_nomem(err);
	astra_outcome_fini(&o);
	return rc;
}

int astra_contest_decide(const struct astra_options *options,
			 const struct astra_snapshot *snapshot,
			 const struct astra_standings *standings,
			 struct astra_allocation *out, uint32_t *free_after,
			 struct astra_error *err)
{
	struct astra_plan plan = {0};
	struct round r = {
		.e = astra_engine_create(options, snapshot->now_sec, err),
		.snap = snapshot,
		.plan = &plan,
		.literal = true,
	};
	int rc;

	*out = (struct astra_allocation){0};
	if (!r.e)
		return -1;
	rc = contest_run(&r, standings, out, free_after, err);
	astra_idle_end(&r);
	free(r.contestants);
	free(r.contenders);
	astra_engine_destroy(r.e);
	return rc;
}
