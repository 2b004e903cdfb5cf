/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/in/unleased_view.h"

#include "src/model/brief.h"
#include "src/slurm/in/snapshot.h"
#include "src/slurm/in/unleased_room.h"

double astra_unleased_limit(uint32_t limit, const part_record_t *part)
{
	if (limit == NO_VAL && part)
		limit = part->default_time;
	if (limit == NO_VAL && part)
		limit = part->max_time;
	return limit == NO_VAL || limit == INFINITE ? 0 : limit * 60.0;
}

static bool unleased_is_one(const struct astra_job *job,
			    const struct astra_options *options)
{
	const job_record_t *record;

	if (job->revocable || !job->request.gpus ||
	    (job->state != ASTRA_JOB_PENDING &&
	     job->state != ASTRA_JOB_RUNNING))
		return false;
	record = find_job_record(job->id);
	return record &&
	       astra_unleased_counts(astra_unleased_limit(record->time_limit,
							  record->part_ptr),
				     options->lease_sec);
}

/* list: room for all jobs. Returns how many there are. */
static size_t unleased_find(const struct astra_view *view,
			    const struct astra_options *options,
			    struct astra_unleased *list)
{
	size_t count = 0;

	for (size_t i = 0; i < view->job_count; i++)
		if (unleased_is_one(&view->jobs[i], options))
			list[count++] = (struct astra_unleased){
				.job = &view->jobs[i],
				.user = view->info[i].uid,
			};
	return count;
}

static int unleased_explain(struct astra_arena *arena, struct astra_view *view,
			    const struct astra_unleased *u)
{
	struct astra_job_info *info = &view->info[u->job - view->jobs];
	bool tenant = u->over == ASTRA_OVER_TENANT;
	struct astra_report_bind *bind = astra_arena_take(arena, sizeof(*bind));

	if (!bind)
		return -1;
	*bind = (struct astra_report_bind){
		.kind = ASTRA_BIND_UNLEASED,
		.name = tenant ? "NoLeaseGPUs" : "NoLeaseUserGPUs",
		.of = tenant ? view->tenants.list[u->job->tenant].name
			     : info->user,
		.who = "",
		.option = tenant ? "tenant" : "user",
		.unit = "GPUs",
		.limit = u->limit,
		.used = u->used,
		.asked = u->job->request.gpus,
		.shared = tenant,
		.task = UINT32_MAX,
		.uid = ASTRA_REPORT_NO_UID,
		.state = "",
	};
	info->binds = bind;
	info->bind_count = 1;
	info->limit = tenant ? "Lease: over the tenant's GPUs without leases"
			     : "Lease: over the user's GPUs without leases";
	info->brief = astra_brief_text(ASTRA_BRIEF_CAP);
	return 0;
}

int astra_unleased_share(struct astra_arena *arena, size_t pool,
			 struct astra_view *view,
			 const struct astra_options *options)
{
	struct astra_unleased *list;
	uint64_t gpus = 0;
	size_t count;

	if (!astra_unleased_bounded(options))
		return 0;
	list = astra_arena_take(arena, (view->job_count + 1) * sizeof(*list));
	if (!list)
		return -1;
	for (size_t i = 0; i < view->map.count; i++)
		if (view->nodes[i].usable)
			gpus += view->nodes[i].gpus;
	count = unleased_find(view, options, list);
	if (astra_unleased_deal(list, count, options, view->tenants.list,
				view->tenants.count, gpus) < 0)
		return -1;
	for (size_t i = 0; i < count; i++)
		if (list[i].over != ASTRA_WITHIN &&
		    list[i].job->state == ASTRA_JOB_BLOCKED &&
		    unleased_explain(arena, view, &list[i]) < 0)
			return -1;
	return astra_unleased_note(pool, view, options, list, count, gpus);
}

void astra_unleased_default(struct astra_options *options)
{
	if (!options->unleased_said && !slurm_conf.job_requeue)
		options->unleased_gpus = ASTRA_GPUS_NONE;
}
