/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Users within tenants: remembered by both names, in no particular order.
 *
 * With FairWithin=user the user is a level between tenant and job. Shares by
 * job reward the user with more jobs: of two users of an account, one who
 * splits a job into eight has 87 % of its GPU time (testsuite/sim/cheats.sh). A
 * round takes the tenant with the least A / F, then its user with the least A /
 * F, then that user's job with the least rho. fairness.h defines the share of a
 * user. W is the fairshare of the user's association with the account if that
 * is the tenant, else 1. A and F of a user outlive its jobs, and restarts. */
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/engine/engine_priv.h"
#include "src/policies/options.h"

static bool user_is(const struct euser *u, uint32_t tenant, const char *name)
{
	return u->tenant == tenant && !strcmp(u->name, name);
}

static uint32_t user_find(const struct astra_engine *e, uint32_t tenant,
			  const char *name)
{
	for (size_t i = 0; i < e->user_count; i++)
		if (user_is(&e->users[i], tenant, name))
			return (uint32_t)i;
	return ASTRA_NONE;
}

uint32_t astra_engine_user_add(struct astra_engine *e, uint32_t tenant,
			       char *name, double weight)
{
	struct euser u = {.name = name, .tenant = tenant, .weight = weight};

	if (name && astra_grow(&e->users, &e->user_room, e->user_count + 1,
			       sizeof(*e->users)) == 0)
		u.account = astra_fairness_add_user(e->account, e->now_sec,
						    e->tenants[tenant].account,
						    weight);
	else
		u.account = ASTRA_NONE;
	if (u.account == ASTRA_NONE) {
		free(name);
		return ASTRA_NONE;
	}
	e->users[e->user_count] = u;
	return (uint32_t)e->user_count++;
}

uint32_t astra_engine_user_number(struct astra_engine *e, uint32_t tenant,
				  const char *name)
{
	uint32_t at = user_find(e, tenant, name);

	if (at == ASTRA_NONE)
		at = astra_engine_user_add(e, tenant, strdup(name), 1);
	return at == ASTRA_NONE ? at : e->users[at].account;
}

size_t astra_engine_user_count(const struct astra_engine *e)
{
	return e->user_count;
}

void astra_engine_user_view(const struct astra_engine *e, size_t index,
			    double now_sec, struct astra_user_view *out)
{
	const struct euser *u = &e->users[index];

	*out = (struct astra_user_view){
		.name = u->name,
		.tenant = u->tenant,
		.usage = astra_fairness_user(e->account, now_sec, u->account),
		.used_gpu_sec = astra_fairness_user_used(e->account, now_sec,
							 u->account),
		.cap_gpu_sec = 3600 * astra_cap_user(&e->options),
	};
}

bool astra_engine_rename_user(struct astra_engine *e, const char *from,
			      const char *to)
{
	bool renamed = false;

	for (size_t i = 0; i < e->user_count; i++) {
		struct euser *u = &e->users[i];
		char *name;

		if (strcmp(u->name, from) != 0 ||
		    user_find(e, u->tenant, to) != ASTRA_NONE)
			continue;
		name = strdup(to);
		if (!name)
			continue;
		free(u->name);
		u->name = name;
		renamed = true;
	}
	return renamed;
}

/* Map a user to ours. As for tenants, the index of the last round is tried
 * first. */
static uint32_t user_map(struct astra_engine *e, uint32_t at,
			 const struct astra_user *user)
{
	uint32_t tenant = e->tenant_of[user->tenant];

	if (at >= e->user_count || !user_is(&e->users[at], tenant, user->name))
		at = user_find(e, tenant, user->name);
	if (at == ASTRA_NONE)
		return astra_engine_user_add(e, tenant, strdup(user->name),
					     user->weight);
	if (e->users[at].weight != user->weight) {
		e->users[at].weight = user->weight;
		astra_fairness_set_user_weight(e->account, e->now_sec,
					       e->users[at].account,
					       user->weight);
	}
	return at;
}

int astra_engine_users_map(struct astra_engine *e,
			   const struct astra_snapshot *snap)
{
	if (astra_grow(&e->user_of, &e->user_of_room, snap->user_count + 1,
		       sizeof(*e->user_of)) < 0)
		return -1;
	for (size_t i = 0; i < snap->user_count; i++) {
		e->user_of[i] = user_map(e, e->user_of[i], &snap->users[i]);
		if (e->user_of[i] == ASTRA_NONE)
			return -1;
	}
	return 0;
}

uint32_t astra_engine_user_of(const struct astra_engine *e,
			      const struct astra_snapshot *snap,
			      const struct astra_job *job)
{
	if (!e->options.within_users || job->user >= snap->user_count ||
	    snap->users[job->user].tenant != job->tenant)
		return ASTRA_NONE;
	return e->user_of[job->user];
}
