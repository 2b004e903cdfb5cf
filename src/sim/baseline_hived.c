/* SPDX-License-Identifier: GPL-2.0-or-later */
/* HiveD: each tenant's virtual cluster guarantees it its quota, in cells; what
 * others leave idle it may use as an opportunist, who is stopped when they
 * want it back.
 *
 * Here cells are counted and not placed. A job takes the cell of a power of
 * two GPUs that holds it, or whole nodes. Of a tenant's jobs the first ones
 * are guaranteed, up to the first that finds no cell; one larger than the
 * quota never is. So who is guaranteed remains so.
 */
#include "src/common/number.h"
#include "src/sim/baseline.h"

static double cell_of(const struct astra_baseline_run *run, uint32_t gpus)
{
	uint64_t cell = 1;

	if (gpus > run->node_gpus)
		return (double)(astra_div_up(gpus, run->node_gpus) *
				run->node_gpus);
	while (cell < gpus)
		cell *= 2;
	return (double)(cell < run->node_gpus ? cell : run->node_gpus);
}

static int baseline_hived_gather(struct astra_baseline_run *run)
{
	const struct astra_snapshot *s = run->snapshot;

	astra_lines_clear(&run->cells);
	for (uint32_t i = 0; i < s->job_count; i++) {
		const struct astra_job *job = &s->jobs[i];
		struct astra_baseline_job *m = astra_baseline_memory(run, i);
		struct astra_entry e = {
			.submit_sec = job->submit_sec,
			.id = job->id,
			.index = i,
			.line = job->tenant,
		};

		m->guaranteed = false;
		if (astra_job_active(job->state) &&
		    astra_lines_add(&run->cells, &e) < 0)
			return -1;
	}
	return astra_lines_form(&run->cells);
}

static void guarantee(struct astra_baseline_run *run, uint32_t tenant)
{
	double quota = run->tenants[tenant].quota, used = 0;
	struct astra_entry e;

	while (astra_compare(used + 1, quota) <= 0 &&
	       astra_lines_take(&run->cells, tenant, &e)) {
		double cell =
			cell_of(run, run->snapshot->jobs[e.index].request.gpus);

		if (astra_compare(cell, quota) > 0)
			continue;
		if (astra_compare(used + cell, quota) > 0)
			return;
		used += cell;
		astra_baseline_memory(run, e.index)->guaranteed = true;
	}
}

static int guarantee_all(struct astra_baseline_run *run)
{
	if (baseline_hived_gather(run) < 0)
		return -1;
	for (uint32_t i = 0; i < run->trace->tenant_count; i++)
		guarantee(run, i);
	return 0;
}

static struct astra_rank by_guarantee(const struct astra_baseline_run *run,
				      uint32_t job)
{
	return (struct astra_rank){
		.major = astra_baseline_memory(run, job)->guaranteed ? 0 : 1,
	};
}

const struct astra_baseline astra_baseline_hived = {
	.scheduler =
		{
			.name = "hived",
			.summary =
				"guaranteed quotas in cells; opportunists use what "
				"is idle and are stopped",
			.source =
				"HiveD (Zhao et al., OSDI'20), sections 3 and 4; "
				"cells are counted, not placed",
			ASTRA_BASELINE_CALLS,
		},
	.preempt = ASTRA_PREEMPT_EVENT,
	.rank = by_guarantee,
	.prepare = guarantee_all,
};
