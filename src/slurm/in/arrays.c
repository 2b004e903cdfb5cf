/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/in/arrays.h"

#include "src/slurm/in/snapshot.h"
#include "src/slurm/in/throttle.h"

#define LIMIT_NAME "JobArrayTaskLimit" /* Slurm's name of the limit */

const job_array_struct_t *astra_array_throttle(const job_record_t *job)
{
	const job_array_struct_t *a = job->array_recs;
	const job_record_t *head;

	if (!a && job->array_job_id) {
		head = find_job_record(job->array_job_id);
		a = head ? head->array_recs : NULL;
	}
	return a && a->max_run_tasks ? a : NULL;
}

/* Whether a record shares in what its array's limit leaves. Running tasks do
 * not: the array's own count has them. */
static bool arrays_counts(const struct astra_view *view, size_t i)
{
	enum astra_job_state state = view->jobs[i].state;

	return view->info[i].array_job && state != ASTRA_JOB_RUNNING &&
	       state != ASTRA_JOB_ENDING && state != ASTRA_JOB_ENDED;
}

/* Fill in list with the jobs of arrays that have a limit. list has room for all
 * jobs. Returns how many there are. */
static size_t arrays_find(const struct astra_view *view,
			  struct astra_throttled *list)
{
	size_t count = 0;

	for (size_t i = 0; i < view->job_count; i++) {
		struct astra_job *job = &view->jobs[i];
		const job_array_struct_t *a;
		const job_record_t *record;

		if (!arrays_counts(view, i))
			continue;
		record = find_job_record(job->id);
		a = record ? astra_array_throttle(record) : NULL;
		if (!a)
			continue;
		list[count++] = (struct astra_throttled){
			.job = job,
			.array = record->array_job_id,
			.most = a->max_run_tasks,
			.running = a->tot_run_tasks,
			.head = record->array_recs &&
				record->array_recs->task_cnt,
		};
	}
	return count;
}

static int arrays_explain(struct astra_arena *arena, struct astra_view *view,
			  const struct astra_throttled *t)
{
	struct astra_job_info *info = &view->info[t->job - view->jobs];
	job_record_t *record = find_job_record(t->job->id);

	info->limit = LIMIT_NAME;
	info->brief = NULL;
	return astra_binds_of(arena, record, LIMIT_NAME, &info->binds,
			      &info->bind_count);
}

int astra_arrays_share(struct astra_arena *arena, struct astra_view *view)
{
	struct astra_throttled *list;
	size_t count = 0;
	int rc;

	for (size_t i = 0; i < view->job_count; i++)
		count += arrays_counts(view, i);
	if (!count)
		return 0;
	list = astra_arena_take(arena, count * sizeof(*list));
	if (!list)
		return -1;
	count = arrays_find(view, list);
	rc = astra_throttle_deal(list, count);
	for (size_t i = 0; i < count && !rc; i++)
		if (list[i].kept)
			rc = arrays_explain(arena, view, &list[i]);
	return rc;
}
