/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Begin the accounts with past usage. Jobs keep their own integrals. What a job
 * had and was due is not counted in its tenant's account a second time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/engine/engine_priv.h"

static bool adopt_is_sane(const struct astra_usage *u)
{
	return isfinite(u->alloc) && u->alloc >= 0 && isfinite(u->fair) &&
	       u->fair >= 0;
}

static bool adopt_is_empty(struct astra_usage u)
{
	return !(u.alloc > 0) && !(u.fair > 0);
}

/* Check that no tenant has had or been due anything yet. Returns 0, or -1 with
 * err set. */
static int adopt_check_empty(const struct astra_engine *e,
			     struct astra_error *err)
{
	for (size_t i = 0; i < e->tenant_count; i++) {
		struct astra_usage u = astra_fairness_tenant(
			e->account, e->now_sec, e->tenants[i].account);

		if (!adopt_is_empty(u))
			return astra_error_set(
				err,
				"accounts have begun: tenant %.64s had %.0f "
				"GPU seconds and was due %.0f; --replace puts "
				"slurmdbd's in the place of all of them",
				e->tenants[i].name, u.alloc, u.fair);
	}
	return 0;
}

/* Find the account of the entry's tenant or user. Returns 0 with its index in
 * *at, or -1 with err set. */
static int adopt_find(struct astra_engine *e, const struct astra_adopted *a,
		      uint32_t *at, struct astra_error *err)
{
	uint32_t tenant = astra_engine_find_tenant(e, a->tenant);

	if (tenant == ASTRA_NONE)
		return astra_error_set(err, "%.64s: is no tenant of the pool",
				       a->tenant);
	if (!adopt_is_sane(&a->usage))
		return astra_error_set(err,
				       "tenant %.64s, user \"%.64s\": GPU "
				       "seconds must not be negative",
				       a->tenant, a->user);
	*at = e->tenants[tenant].account;
	if (!*a->user)
		return 0;
	*at = astra_engine_user_number(e, tenant, a->user);
	return *at == ASTRA_NONE ? astra_error_nomem(err) : 0;
}

static void adopt_clear(struct astra_engine *e)
{
	const struct astra_usage none = {0, 0};

	for (size_t i = 0; i < e->tenant_count; i++)
		astra_fairness_restore_tenant(e->account, e->now_sec,
					      e->tenants[i].account, none);
	for (size_t i = 0; i < e->user_count; i++)
		astra_fairness_restore_user(e->account, e->now_sec,
					    e->users[i].account, none);
}

int astra_engine_adopt(struct astra_engine *e, const struct astra_adopted *list,
		       size_t count, bool replace, struct astra_error *err)
{
	uint32_t *at = calloc(count + 1, sizeof(*at));
	int rc = at ? 0 : astra_error_nomem(err);

	if (!rc && !replace)
		rc = adopt_check_empty(e, err);
	for (size_t i = 0; !rc && i < count; i++)
		rc = adopt_find(e, &list[i], &at[i], err);
	if (!rc)
		adopt_clear(e);
	for (size_t i = 0; !rc && i < count; i++) {
		if (*list[i].user)
			astra_fairness_restore_user(e->account, e->now_sec,
						    at[i], list[i].usage);
		else
			astra_fairness_restore_tenant(e->account, e->now_sec,
						      at[i], list[i].usage);
	}
	free(at);
	return rc;
}
