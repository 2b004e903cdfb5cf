/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Gifts: what a tenant had beyond its due and no other tenant lacked. A gift is
 * not a debt. Otherwise a tenant that was alone with idle GPUs would give back
 * for days what cost no other tenant anything. Uncharged GPUs are not a gift,
 * but a tenant that holds some does not lack them. Let more_j = Alloc_j -
 * FairTenant_j, which is constant between events, D = sum of max(0, -more), and
 * S = sum of max(0, more). Then
 *
 *   d gift_j / dt = max(0, more_j) (1 - min(1, D / S))
 *
 * (Ye et al., Eqs. 8 and 12.) So what no tenant lacked is never paid back, and
 * what some tenant lacked is paid back in full. Gifts fade as A and F do. Users
 * have no gifts: within a tenant A and F count as they are. */
#include "src/model/fairness_priv.h"

static double gift_more(const struct astra_fairness *f, uint32_t tenant)
{
	const struct tenant *t = &f->tenants[tenant];
	double due = astra_fairness_quota(f, tenant), more;

	if (!f->options.quota_entitlement)
		due = astra_min(due, t->demand_gpus);
	more = t->alloc_gpus - due;
	return more < 0 ? astra_min(more + t->uncharged_gpus, 0) : more;
}

/* Return which part of the GPUs that tenants have beyond their due is a gift,
 * as no tenant lacks it. */
static double gift_part(const struct astra_fairness *f)
{
	double lacked = 0, had = 0;

	for (uint32_t i = 0; i < f->tenant_count; i++) {
		double more = gift_more(f, i);

		had += astra_max(more, 0);
		lacked += astra_max(-more, 0);
	}
	return had > lacked ? 1 - lacked / had : 0;
}

void astra_fairness_give(struct astra_fairness *f, double now_sec)
{
	double sec = now_sec - f->gift_sec, part, keep, gain;

	if (sec <= 0)
		return;
	part = gift_part(f);
	gain = astra_fairness_fade(f, sec, &keep);
	for (uint32_t i = 0; i < f->tenant_count; i++)
		f->tenants[i].gift =
			f->tenants[i].gift * keep +
			part * astra_max(gift_more(f, i), 0) * gain;
	f->gift_sec = now_sec;
}

double astra_fairness_tenant_gift(struct astra_fairness *f, double now_sec,
				  uint32_t tenant)
{
	astra_fairness_give(f, now_sec);
	return f->tenants[tenant].gift;
}

void astra_fairness_restore_tenant_gift(struct astra_fairness *f,
					uint32_t tenant, double gpu_sec)
{
	f->tenants[tenant].gift = gpu_sec;
}
