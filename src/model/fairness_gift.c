/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Gifts: what a tenant had beyond its due and nobody else lacked. A gift is no
 * debt: without that, who was alone with idle GPUs gives back for days what
 * cost nobody anything.
 *
 * Between two looks, more_j = dA_j - dF_j for each tenant j (Eqs. 8 and 12),
 * D = sum of max(0, -more), S = sum of max(0, more):
 *   gift_j += max(0, more_j) (1 - min(1, D / S))
 * So what nobody lacked is never paid back, and what somebody lacked is, in
 * full. Gifts fade as A and F do. Users have none: within a tenant A and F
 * count as they are.
 */
#include "src/model/fairness_priv.h"

static double gift_more(const struct tenant *t)
{
	return (t->usage.alloc - t->seen.alloc) -
	       (t->usage.fair - t->seen.fair);
}

void astra_fairness_forgive(struct astra_fairness *f, double now_sec)
{
	double lacked = 0, had = 0, part;

	astra_fairness_settle(f, now_sec);
	for (size_t i = 0; i < f->tenant_count; i++) {
		double more = gift_more(&f->tenants[i]);

		had += astra_max(more, 0);
		lacked += astra_max(-more, 0);
	}
	part = had > lacked ? 1 - lacked / had : 0;
	for (size_t i = 0; i < f->tenant_count; i++) {
		struct tenant *t = &f->tenants[i];

		t->gift += part * astra_max(gift_more(t), 0);
		t->seen = t->usage;
	}
}

double astra_fairness_tenant_gift(const struct astra_fairness *f,
				  uint32_t tenant)
{
	return f->tenants[tenant].gift;
}

void astra_fairness_restore_tenant_gift(struct astra_fairness *f,
					uint32_t tenant, double gpu_sec)
{
	f->tenants[tenant].gift = gpu_sec;
}
