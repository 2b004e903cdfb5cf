/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tenants in the order of their keys. */
#include <stdlib.h>

#include "src/sim/baseline.h"

static int baseline_tenants_compare_keys(const void *a, const void *b,
					 void *arg)
{
	const struct astra_baseline_tenant *tenants = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (tenants[x].key < tenants[y].key || tenants[x].key > tenants[y].key)
		return tenants[x].key < tenants[y].key ? -1 : 1;
	return x < y ? -1 : x > y;
}

void astra_baseline_order(struct astra_baseline_run *run)
{
	for (uint32_t i = 0; i < run->trace->tenant_count; i++)
		run->order[i] = i;
	qsort_r(run->order, run->trace->tenant_count, sizeof(*run->order),
		baseline_tenants_compare_keys, run->tenants);
}
