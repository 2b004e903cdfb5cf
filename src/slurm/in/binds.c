/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/in/binds.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "src/model/brief.h"
#include "src/slurm/note/marks.h"

/* The list that is being filled. */
struct binds {
	struct astra_arena *arena;
	struct astra_report_bind *list;
	uint32_t count;
	bool failed;
};

static struct astra_report_bind *
binds_add(struct binds *b, enum astra_bind_kind kind, const char *name)
{
	struct astra_report_bind *bind;

	if (!b->list)
		b->list = astra_arena_take(b->arena, ASTRA_REPORT_BINDS *
							     sizeof(*b->list));
	if (!b->list || b->count >= ASTRA_REPORT_BINDS) {
		b->failed |= !b->list;
		return NULL;
	}
	bind = &b->list[b->count++];
	*bind = (struct astra_report_bind){
		.kind = kind,
		.name = astra_arena_text(b->arena, name),
		.limit = NAN,
		.used = NAN,
		.asked = NAN,
		.task = UINT32_MAX,
		.uid = ASTRA_REPORT_NO_UID,
	};
	b->failed |= !bind->name;
	return bind;
}

static void binds_set_of(struct binds *b, struct astra_report_bind *bind,
			 const char *of)
{
	bind->of = astra_arena_text(b->arena, of);
	b->failed |= !bind->of;
}

static const char *dependency_name(uint16_t type)
{
	switch (type) {
	case SLURM_DEPEND_AFTER:
		return "after";
	case SLURM_DEPEND_AFTER_ANY:
		return "afterany";
	case SLURM_DEPEND_AFTER_NOT_OK:
		return "afternotok";
	case SLURM_DEPEND_AFTER_OK:
		return "afterok";
	case SLURM_DEPEND_SINGLETON:
		return "singleton";
	case SLURM_DEPEND_EXPAND:
		return "expand";
	case SLURM_DEPEND_AFTER_CORRESPOND:
		return "aftercorr";
	case SLURM_DEPEND_BURST_BUFFER:
		return "afterburstbuffer";
	default:
		return "dependency";
	}
}

static int add_dependency(void *x, void *arg)
{
	const depend_spec_t *d = x;
	struct binds *b = arg;
	struct astra_report_bind *bind;
	const job_record_t *job;

	if (d->depend_state == DEPEND_FULFILLED)
		return 0;
	bind = binds_add(b, ASTRA_BIND_DEPENDENCY,
			 dependency_name(d->depend_type));
	if (!bind)
		return -1;
	bind->option = d->depend_flags & SLURM_FLAGS_OR ? "any" : "";
	if (d->depend_type == SLURM_DEPEND_SINGLETON)
		return 0;
	bind->job = d->job_id;
	if (d->array_task_id == INFINITE || d->array_task_id == NO_VAL) {
		job = find_job_record(d->job_id);
	} else {
		bind->task = d->array_task_id;
		job = find_job_array_rec(d->job_id, d->array_task_id);
	}
	if (job && job->magic == JOB_MAGIC) {
		bind->uid = job->user_id;
		bind->state = job_state_string(job->job_state);
	}
	if (d->depend_type == SLURM_DEPEND_AFTER && d->depend_time) {
		bind->limit = d->depend_time;
		if (job && IS_JOB_RUNNING(job))
			bind->time_sec =
				(double)job->start_time + d->depend_time * 60.0;
	}
	if (d->depend_state == DEPEND_FAILED)
		bind->name = "never";
	return 0;
}

static void add_dependencies(struct binds *b, job_record_t *job,
			     const char *name)
{
	if (job->details->depend_list)
		list_for_each_ro(job->details->depend_list, add_dependency, b);
	if (!b->count)
		(void)binds_add(b, ASTRA_BIND_DEPENDENCY, name);
}

struct licence {
	struct binds *binds;
	const char *name;
};

static int add_licence(void *x, void *arg)
{
	const licenses_t *wanted = x;
	struct licence *l = arg;
	struct astra_report_bind *bind =
		binds_add(l->binds, ASTRA_BIND_LICENCE, l->name);

	if (!bind)
		return -1;
	binds_set_of(l->binds, bind, wanted->name);
	bind->limit = get_total_license_cnt(wanted->name);
	bind->asked = wanted->total;
	bind->unit = "licences";
	return 0;
}

static void add_licences(struct binds *b, job_record_t *job, const char *name)
{
	struct licence l = {.binds = b, .name = name};

	if (job->license_list)
		list_for_each_ro(job->license_list, add_licence, &l);
	else
		(void)binds_add(b, ASTRA_BIND_LICENCE, name);
}

struct astra_report_array astra_array_of(const job_record_t *job)
{
	const job_array_struct_t *own = job->array_recs;
	const job_array_struct_t *a =
		IS_JOB_PENDING(job) ? astra_array_throttle(job) : NULL;

	if (!a)
		return (struct astra_report_array){0};
	return (struct astra_report_array){
		.waiting = own && own->task_cnt ? own->task_cnt : 1,
		.most = a->max_run_tasks,
		.running = a->tot_run_tasks,
	};
}

static void add_throttle(struct binds *b, job_record_t *job, const char *name)
{
	struct astra_report_bind *bind = binds_add(b, ASTRA_BIND_ARRAY, name);
	struct astra_report_array array = astra_array_of(job);

	if (!bind || !array.most)
		return;
	bind->limit = array.most;
	bind->used = array.running;
	if (array.running < array.most) { /* see arrays.c */
		bind->used = array.most;
		bind->option = "before";
	}
	bind->unit = "tasks";
}

static void add_reservation(struct binds *b, job_record_t *job,
			    const char *name)
{
	struct astra_report_bind *bind =
		binds_add(b, ASTRA_BIND_RESERVATION, name);

	if (!bind)
		return;
	binds_set_of(b, bind, job->resv_name);
	if (job->resv_ptr && job->resv_ptr->start_time > time(NULL))
		bind->time_sec = (double)job->resv_ptr->start_time;
}

static void add_partition(struct binds *b, job_record_t *job, const char *name)
{
	struct astra_report_bind *bind =
		binds_add(b, ASTRA_BIND_PARTITION, name);

	if (bind)
		binds_set_of(b, bind, job->partition);
}

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static bool is_limit(const char *name)
{
	return begins(name, "Assoc") || begins(name, "QOS") ||
	       (begins(name, "Max") && strstr(name, "PerAccount"));
}

/* Add a hold with its text: the policy's if the policy refused the job, else
 * Slurm's. */
static void add_hold(struct binds *b, job_record_t *job, const char *name)
{
	struct astra_report_bind *bind = binds_add(b, ASTRA_BIND_HOLD, name);
	const char *refused = astra_env_get(job->details, ASTRA_ENV_REFUSED);

	if (!bind || !job->state_desc)
		return;
	if (refused &&
	    !strcmp(job->state_desc, astra_brief_text(ASTRA_BRIEF_DENIED)))
		binds_set_of(b, bind, refused);
	else
		binds_set_of(b, bind, job->state_desc);
}

static void binds_add_named(struct binds *b, job_record_t *job,
			    const char *name)
{
	struct astra_report_bind *bind;

	if (begins(name, "JobHeld") || begins(name, "JobHoldMax") ||
	    (!job->priority && !begins(name, "Dependency"))) {
		add_hold(b, job, name);
	} else if (begins(name, "Dependency")) {
		add_dependencies(b, job, name);
	} else if (!strcmp(name, "BeginTime")) {
		bind = binds_add(b, ASTRA_BIND_BEGIN, name);
		if (bind)
			bind->time_sec = (double)job->details->begin_time;
	} else if (!strcmp(name, "Licenses")) {
		add_licences(b, job, name);
	} else if (begins(name, "Reservation")) {
		add_reservation(b, job, name);
	} else if (!strcmp(name, "JobArrayTaskLimit")) {
		add_throttle(b, job, name);
	} else if (is_limit(name)) {
		(void)binds_add(b, ASTRA_BIND_LIMIT, name);
	} else if (begins(name, "Partition")) {
		add_partition(b, job, name);
	} else {
		(void)binds_add(b, ASTRA_BIND_OTHER, name);
	}
}

int astra_binds_of(struct astra_arena *arena, job_record_t *job,
		   const char *name, struct astra_report_bind **out,
		   uint32_t *count)
{
	struct binds b = {.arena = arena};

	binds_add_named(&b, job, name);
	*out = b.list;
	*count = b.count;
	return b.failed ? -1 : 0;
}
