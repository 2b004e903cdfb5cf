/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/in/snapshot_job.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

#include "src/common/grow.h"
#include "src/slurm/in/barred.h"
#include "src/slurm/in/charge.h"
#include "src/slurm/in/extras.h"
#include "src/slurm/in/reserved.h"
#include "src/slurm/in/survivor.h"
#include "src/slurm/in/usage.h"
#include "src/slurm/in/users.h"
#include "src/slurm/note/bid_files.h"
#include "src/slurm/note/parked.h"

static bool is_cleaning(const job_record_t *job)
{
	return job->details->prolog_running ||
	       (job->step_list && list_count(job->step_list));
}

/* Whether something keeps a job from starting. If nothing does, a managed job
 * is parked; otherwise it has one of Slurm's own reasons. */
static bool is_blocked(const job_record_t *job, bool leases)
{
	if (!leases)
		return !astra_reason_is_plain(job->state_reason);
	return astra_is_parked(job) ? astra_note_of(job->job_id).limited
				    : job->state_reason != WAIT_NO_REASON;
}

static enum astra_job_state pending_state(const job_record_t *job, bool leases,
					  time_t now)
{
	if (IS_JOB_COMPLETING(job) || astra_survivor_find(job->job_id))
		return ASTRA_JOB_REQUEUED;
	if (job->priority == 0 || IS_JOB_REVOKED(job))
		return ASTRA_JOB_BLOCKED;
	if (is_blocked(job, leases))
		return ASTRA_JOB_BLOCKED;
	if (job->restart_cnt &&
	    (now <= job->details->submit_time || is_cleaning(job)))
		return ASTRA_JOB_REQUEUED;
	return ASTRA_JOB_PENDING;
}

static enum astra_job_state snapshot_job_state_of(const job_record_t *job,
						  bool leases, time_t now)
{
	if (IS_JOB_PENDING(job))
		return pending_state(job, leases, now);
	if (IS_JOB_RUNNING(job) || IS_JOB_SUSPENDED(job))
		return ASTRA_JOB_RUNNING;
	if (job->job_state & JOB_REQUEUE) /* it wrote a checkpoint in its grace
					   * time */
		return ASTRA_JOB_REQUEUED;
	return IS_JOB_COMPLETING(job) ? ASTRA_JOB_ENDING : ASTRA_JOB_ENDED;
}

/* Return how many tasks the record stands for. The array's limit is applied
 * once all jobs are known (arrays.c). */
static uint32_t snapshot_job_copies_of(const job_record_t *job)
{
	const job_array_struct_t *a = job->array_recs;

	return a && IS_JOB_PENDING(job) && a->task_cnt ? a->task_cnt : 1;
}

/* NO_VAL and INFINITE are larger. Slurm lets a job without a limit run for a
 * year. */
#define SNAPSHOT_ENDLESS_MIN (365 * 24 * 60)

static double snapshot_job_limit_of(const job_record_t *job)
{
	uint32_t limit = job->time_limit;

	if (limit == NO_VAL && job->part_ptr)
		limit = job->part_ptr->max_time;
	return limit >= SNAPSHOT_ENDLESS_MIN ? 0 : limit * 60.0;
}

/* Return when the last run of a requeued job ended. */
static double last_end_of(const job_record_t *job)
{
	time_t end = job->end_time,
	       known = (time_t)astra_note_of(job->job_id).run_end_sec;

	if (IS_JOB_PENDING(job) && !IS_JOB_COMPLETING(job))
		end = 0; /* it may be a deadline */
	/* If the job was requeued again after slurmctld was killed, the record
	 * has the time of that requeue. */
	if (!end || (known >= job->start_time && known < end))
		end = known ? known : end;
	return (double)(end ? end : job->details->submit_time);
}

/* Fill in times. Slurm's end_time of a running job is when it has to end. */
static void fill_times(const job_record_t *job, time_t now,
		       struct astra_job *out)
{
	const struct astra_survivor *s;

	out->submit_sec = (double)job->details->submit_time;
	out->time_limit_sec = snapshot_job_limit_of(job);
	if (job->deadline && job->deadline != NO_VAL)
		out->deadline_sec = (double)job->deadline;
	switch (out->state) {
	case ASTRA_JOB_BLOCKED:
	case ASTRA_JOB_PENDING:
		if (job->restart_cnt) /* the requeue has reset the record's
				       * times */
			out->end_sec = last_end_of(job);
		break;
	case ASTRA_JOB_REQUEUED:
		s = astra_survivor_find(job->job_id);
		if (s) {
			out->start_sec = (double)s->start_sec;
			out->end_sec = (double)s->end_sec;
			break;
		}
		out->end_sec = last_end_of(job);
		if (IS_JOB_COMPLETING(job) || !IS_JOB_PENDING(job))
			out->start_sec = (double)job->start_time;
		break;
	case ASTRA_JOB_RUNNING: /* while its nodes boot, the job has not
				 * begun */
		out->start_sec =
			(double)(IS_JOB_CONFIGURING(job) ? now
							 : job->start_time);
		break;
	case ASTRA_JOB_ENDING:
	case ASTRA_JOB_ENDED:
		if (job->nodes) /* otherwise it never ran */
			out->start_sec = (double)job->start_time;
		out->end_sec = (double)job->end_time;
		break;
	}
}

static int precedence_tier(void *x, void *arg)
{
	const part_record_t *part = x;
	uint16_t *most = arg;

	if (part->priority_tier > *most)
		*most = part->priority_tier;
	return 0;
}

/* More than all other precedence within a tier together. */
#define TIER_PRECEDENCE (8.0 * NICE_OFFSET)

/* Return a job's precedence: the highest PriorityTier of its partitions; then
 * nice and scontrol top, or the priority that an operator set, which counts
 * more. */
static double precedence_of(const job_record_t *job)
{
	uint16_t tier = 0;
	double own = (double)NICE_OFFSET - job->details->nice;

	if (job->part_ptr_list)
		list_for_each_ro(job->part_ptr_list, precedence_tier, &tier);
	else if (job->part_ptr)
		tier = job->part_ptr->priority_tier;
	if (job->direct_set_prio)
		own = 2.0 * NICE_OFFSET + job->priority;
	return TIER_PRECEDENCE * tier + own;
}

/* Copy the user's texts to the arena; a bid only if it is wanted. */
static int snapshot_job_keep_said(struct astra_arena *arena,
				  const job_record_t *job,
				  struct astra_terms *terms)
{
	uint32_t id = job->array_job_id ? job->array_job_id : job->job_id;

	terms->app = astra_arena_text(arena, terms->app);
	if (!terms->app)
		return -1;
	if (!terms->bid)
		return 0;
	terms->bid = astra_bid_files_want(id)
			     ? astra_arena_text(arena, terms->bid)
			     : NULL;
	return 0;
}

/* Fill in what keeps a pending job from running, except for the order of the
 * jobs. */
static int fill_binds(struct astra_arena *arena, job_record_t *job,
		      bool limited, struct astra_job_info *out)
{
	const char *name = limited && job->state_desc
				   ? job->state_desc
				   : astra_reason_name(job->state_reason);

	if (!IS_JOB_PENDING(job) ||
	    (!limited && (astra_is_parked(job) ||
			  astra_reason_is_plain(job->state_reason))))
		return 0;
	return astra_binds_of(arena, job, name, &out->binds, &out->bind_count);
}

/* Return a copy of a text, or `before`, the text of the previous job, if both
 * are equal: many jobs belong to one user. */
static const char *snapshot_job_text(struct astra_arena *arena,
				     const char *text, const char *before)
{
	return text && !strcmp(text, before) ? before
					     : astra_arena_text(arena, text);
}

/* Fill in a job's info. before: the info of the job listed before it, whose
 * equal texts are shared; or NULL. */
static int fill_info(struct astra_scene *scene, job_record_t *job,
		     const struct astra_pool_config *pool,
		     const struct astra_job_info *before,
		     struct astra_job_info *out)
{
	struct astra_arena *a = &scene->arena;
	const char *user = astra_user_name(job->user_id);
	bool holds = !IS_JOB_PENDING(job) && !IS_JOB_COMPLETED(job);
	bool limited = IS_JOB_PENDING(job) && astra_is_parked(job) &&
		       astra_note_of(job->job_id).limited;

	*out = (struct astra_job_info){
		.uid = job->user_id,
		.gid = job->group_id,
		.array_task = job->array_task_id,
		.array_job = job->array_job_id,
		.account = snapshot_job_text(a, job->account,
					     before ? before->account : ""),
		.partition = snapshot_job_text(a, job->partition,
					       before ? before->partition : ""),
		.name = snapshot_job_text(a, job->name,
					  before ? before->name : ""),
		.nodes = astra_arena_text(a, holds ? job->nodes : NULL),
		.tasks = astra_arena_text(
			a,
			job->array_recs ? job->array_recs->task_id_str : NULL),
		.limit = astra_arena_text(a, limited ? job->state_desc : NULL),
		.user = user ? user : "",
		.state = job->job_state,
		.state_reason = job->state_reason,
		.array = astra_array_of(job),
	};
	if (!user)
		scene->unnamed = true;
	astra_terms_of(job, &pool->options, &out->terms);
	if (snapshot_job_keep_said(a, job, &out->terms) < 0 ||
	    fill_binds(a, job, limited, out) < 0)
		return -1;
	return out->account && out->partition && out->name && out->nodes &&
			       out->tasks && out->limit
		       ? 0
		       : -1;
}

/* Whether it is unknown if the job ended while slurmctld was down: slurmstepd
 * retries every 15 seconds (its RETRY_DELAY) to report an end. */
static bool is_unheard(const struct astra_scene *scene, const job_record_t *job,
		       time_t now)
{
	return IS_JOB_RUNNING(job) && job->start_time < scene->start &&
	       now < scene->start + ASTRA_HEARD_SEC;
}

/* Return the index of the job's user within the tenant; ASTRA_NONE if the user
 * is the tenant, or has no name yet. */
static uint32_t user_within(struct astra_view *view, uint32_t tenant,
			    const struct astra_job_info *info)
{
	struct astra_user user = {.name = info->user, .tenant = tenant};

	if (tenant == ASTRA_NONE || view->tenants.uid[tenant] == info->uid ||
	    !*info->user)
		return ASTRA_NONE;
	user.weight =
		astra_tenants_user_weight(&view->tenants, tenant, info->uid);
	return astra_tenant_users_of(&view->users, info->uid, &user);
}

int astra_scene_add_job(struct astra_scene *scene, struct astra_view *view,
			const struct astra_config *config,
			const struct astra_pool_config *pool, job_record_t *job)
{
	time_t now = (time_t)view->model.now_sec;
	struct astra_job *out;
	struct astra_job_info *info;

	if (astra_grow(&view->jobs, &view->job_room, view->job_count + 1,
		       sizeof(*view->jobs)) < 0 ||
	    astra_grow(&view->info, &view->info_room, view->job_count + 1,
		       sizeof(*view->info)) < 0)
		return -1;
	out = &view->jobs[view->job_count];
	info = &view->info[view->job_count];
	if (fill_info(scene, job, pool, view->job_count ? info - 1 : NULL,
		      info) < 0)
		return -1;
	*out = (struct astra_job){
		.id = job->job_id,
		.tenant = astra_tenants_of(&view->tenants, config, job),
		.copies = snapshot_job_copies_of(job),
		.weight = astra_qos_weight(&view->qos, job->qos_id),
		.precedence = precedence_of(job),
		.state = snapshot_job_state_of(job, pool->options.leases, now),
		.lease_sec = info->terms.lease_sec,
		.forecast = info->terms.forecast,
		.restart_cnt = job->restart_cnt,
		.booting = IS_JOB_RUNNING(job) && IS_JOB_CONFIGURING(job),
		.uncharged = IS_JOB_RUNNING(job) && IS_JOB_CONFIGURING(job) &&
			     IS_JOB_POWER_UP_NODE(job),
		.revocable = info->terms.revocable,
		.unprepared = info->terms.revocable && info->terms.unprepared,
		.unheard = is_unheard(scene, job, now),
		.suspended = IS_JOB_SUSPENDED(job),
		.checkpoints = info->terms.signal != 0,
	};
	astra_classes_tell(&scene->classes, job, out);
	out->keeps_size = !out->checkpoints && !info->terms.gpus_max;
	info->end = astra_reserved_end(job, &info->terms, now);
	out->user = user_within(view, out->tenant, info);
	if (out->revocable && out->state == ASTRA_JOB_RUNNING)
		out->leave_sec = (double)astra_reserved_from(
			job, &info->terms, now, &out->leave_cuts);
	if (job->array_job_id && job->array_job_id != job->job_id)
		out->array_id = job->array_job_id;
	fill_times(job, now, out);
	if (out->tenant == ASTRA_NONE ||
	    astra_request_of(job, &info->terms, &view->map, now, &scene->arena,
			     &out->request) < 0 ||
	    astra_usage_held(job, out->state, &view->map, &scene->arena, out) <
		    0)
		return -1;
	astra_charge_job(&pool->options, job, view->nodes, view->map.count,
			 out);
	info->run_gpus = astra_charge_run_gpus(out, job);
	if (IS_JOB_PENDING(job))
		out->extras = astra_extras_of(job);
	if (out->state == ASTRA_JOB_PENDING &&
	    astra_barred_find(&scene->arena, view, job, info, out) < 0)
		return -1;
	if (pool->options.charge_blocked)
		astra_charge_blocked(&view->blocked, job, out);
	if (out->state == ASTRA_JOB_REQUEUED || out->state == ASTRA_JOB_ENDING)
		view->unsettled = true;
	view->job_count++;
	return 0;
}

int astra_scene_add_other(struct astra_scene *scene, struct astra_view *view,
			  const job_record_t *job)
{
	time_t now = (time_t)view->model.now_sec;
	struct astra_job as = {
		.id = job->job_id,
		.restart_cnt = job->restart_cnt,
		.state = snapshot_job_state_of(job, false, now),
	};
	const char *name;

	if (as.state == ASTRA_JOB_BLOCKED || as.state == ASTRA_JOB_PENDING ||
	    !astra_usage_touches(job, &view->map))
		return 0;
	fill_times(job, now, &as);
	name = astra_arena_text(&scene->arena, job->name);
	if (!name ||
	    astra_usage_held(job, as.state, &view->map, &scene->arena, &as) <
		    0 ||
	    astra_grow(&view->others, &view->other_room, view->other_count + 1,
		       sizeof(*view->others)) < 0)
		return -1;
	view->others[view->other_count++] = (struct astra_other){
		.job = astra_runtime_job_of(&as, job->user_id, name),
		.held = as.held,
		.held_count = as.held_count,
	};
	return 0;
}
