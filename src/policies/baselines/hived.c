/* SPDX-License-Identifier: GPL-2.0-or-later */
/* HiveD: each tenant's virtual cluster guarantees its quota, in cells. A tenant
 * may use what other tenants leave idle for opportunistic jobs, which are
 * stopped when the others want their GPUs back.
 *
 * Here cells are counted, not placed. A job takes the smallest cell that holds
 * it: a power of two GPUs, or whole nodes. A tenant's first jobs are
 * guaranteed, up to the first job that finds no cell. A job larger than the
 * quota is never guaranteed. So a guaranteed job stays guaranteed. */
#include "src/common/number.h"
#include "src/policies/baselines/baseline.h"

static double hived_cell(uint32_t gpus, uint32_t node_gpus)
{
	uint64_t cell = 1;

	if (gpus > node_gpus)
		return (double)(astra_div_up(gpus, node_gpus) * node_gpus);
	while (cell < gpus)
		cell *= 2;
	return (double)(cell < node_gpus ? cell : node_gpus);
}

static int hived_gather(struct baseline_run *run)
{
	const struct astra_offer *offer = run->offer;

	if (run->cells.line_count != offer->tenant_count) {
		astra_lines_destroy(&run->cells);
		if (astra_lines_init(&run->cells, offer->tenant_count) < 0)
			return -1;
	}
	astra_lines_clear(&run->cells);
	for (uint32_t i = 0; i < offer->demand_count; i++) {
		const struct astra_demand *d = &offer->demands[i];
		struct astra_entry e = {
			.submit_sec = d->submit_sec,
			.id = d->job->id,
			.index = i,
			.line = d->tenant,
		};

		run->scores[i] = 0;
		if (astra_lines_add(&run->cells, &e) < 0)
			return -1;
	}
	return astra_lines_form(&run->cells);
}

static void hived_guarantee(struct baseline_run *run, uint32_t tenant,
			    uint32_t node_gpus)
{
	double quota = run->offer->tenants[tenant].quota, used = 0;
	struct astra_entry e;

	while (astra_compare(used + 1, quota) <= 0 &&
	       astra_lines_take(&run->cells, tenant, &e)) {
		double cell = hived_cell(
			run->offer->demands[e.index].job->request.gpus,
			node_gpus);

		if (astra_compare(cell, quota) > 0)
			continue;
		if (astra_compare(used + cell, quota) > 0)
			return;
		used += cell;
		run->scores[e.index] = 1;
	}
}

static int hived_guarantee_all(struct baseline_run *run)
{
	uint32_t node_gpus = 1;

	for (size_t n = 0; n < run->offer->node_count; n++)
		if (run->offer->nodes[n].gpus > node_gpus)
			node_gpus = run->offer->nodes[n].gpus;
	if (hived_gather(run) < 0)
		return -1;
	for (uint32_t i = 0; i < run->offer->tenant_count; i++)
		hived_guarantee(run, i, node_gpus);
	return 0;
}

static struct astra_rank hived_rank(const struct baseline_run *run,
				    const struct astra_demand *d)
{
	return (struct astra_rank){
		.major = run->scores[baseline_number(run, d)] > 0 ? 0 : 1,
	};
}

static const struct baseline hived = {
	.stops = BASELINE_ANYTIME,
	.rank = hived_rank,
	.prepare = hived_guarantee_all,
};

BASELINE_CREATE(hived, hived)

const struct astra_policy astra_hived = {
	.name = "hived",
	.summary = "guaranteed quotas in cells; opportunists use what is idle "
		   "and are stopped",
	.source = "HiveD (Zhao et al., OSDI'20), sections 3 and 4; cells are "
		  "counted, not placed",
	.create = hived_create,
	.endless = true,
	.preempts = true,
	BASELINE_CALLS,
};
