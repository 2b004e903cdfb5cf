/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/in/uses.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "src/slurm/in/each_job.h"
#include "src/slurm/in/whole.h"

#define PARENTS_MAX 64

/* Which jobs a limit counts together. */
enum use_of {
	USE_ASSOC,	 /* the jobs of an association and of those below it */
	USE_OWN_ASSOC,	 /* the jobs of an association itself */
	USE_QOS,	 /* the jobs of a QOS */
	USE_QOS_USER,	 /* the jobs of a QOS and a user */
	USE_QOS_ACCOUNT, /* the jobs of a QOS and an account */
	USE_LICENCE,
};

#define USE_JOBS (-1) /* in place of a TRES index: jobs are counted */

struct use_limit {
	enum use_of of;
	const void *record; /* assoc_mgr's record; NULL for a licence */
	uint32_t uid;
	const char *name; /* name of an account or a licence */
	int tres;	  /* index of a TRES, or USE_JOBS */
	bool minutes;	  /* counts the minutes that runs may still last */
	uint64_t most, used;
	/* releasable: what jobs whose leases may end use of the limit. holder:
	 * one of these jobs if all have the same user and tenant, else NULL. */
	uint64_t releasable;
	const struct astra_job *holder;
};

/* The limits that count one job. */
struct use_list {
	struct use_limit *list;
	size_t count, most;
	bool full;
};

struct uses {
	struct astra_arena *arena;
	struct astra_view *view;
	bool keeps_unprepared;
	uint32_t waiting[ASTRA_USES_JOBS]; /* indices into the view's jobs */
	size_t waiting_count;
	struct use_limit licences[ASTRA_USES_LICENCES];
	size_t licence_count;
	struct use_limit limits[ASTRA_USES_MAX];
	size_t count;
};

static bool is_set(uint64_t limit)
{
	return limit != INFINITE64 && limit != NO_VAL64;
}

static bool is_set_jobs(uint32_t limit)
{
	return limit != INFINITE && limit != NO_VAL;
}

static uint64_t use_tres(const job_record_t *job, int tres)
{
	const uint64_t *counts =
		IS_JOB_PENDING(job) ? job->tres_req_cnt : job->tres_alloc_cnt;
	uint64_t count, whole = 0;

	if (tres == USE_JOBS)
		return 1;
	count = counts && is_set(counts[tres]) ? counts[tres] : 0;
	if (tres == TRES_ARRAY_CPU)
		whole = astra_whole_cpus(job);
	return count > whole ? count : whole;
}

static double use_usage_factor(const job_record_t *job)
{
	const slurmdb_qos_rec_t *qos = job->qos_ptr;

	return qos && qos->usage_factor >= 0 ? qos->usage_factor : 1;
}

/* Return a waiting job's time limit, or the rest of a run's. Slurm multiplies
 * the rest of a run by UsageFactor of its QOS, the limit of a waiting job only
 * with UsageFactorSafe. Slurm may be up to five minutes late in counting what a
 * run has used, so the end of a run makes at least this much room. */
static double use_minutes(const job_record_t *job)
{
	uint32_t limit = job->time_limit;

	if (!IS_JOB_PENDING(job))
		return use_usage_factor(job) *
		       floor(fmax(difftime(job->end_time, time(NULL)), 0) / 60);
	if (limit == NO_VAL && job->part_ptr)
		limit = job->part_ptr->default_time;
	if (limit == NO_VAL && job->part_ptr)
		limit = job->part_ptr->max_time;
	if (job->qos_ptr && job->qos_ptr->flags & QOS_FLAG_USAGE_FACTOR_SAFE)
		return use_usage_factor(job) * limit;
	return limit;
}

/* Licences. */

struct use_licence {
	const char *name;
	bool runs;
	uint64_t amount;
};

/* Add up a licence. If the job needs only one licence of several, a run has the
 * one that is in use. */
static int use_add_licence(void *x, void *arg)
{
	const licenses_t *has = x;
	struct use_licence *l = arg;

	if (!xstrcmp(has->name, l->name))
		l->amount += l->runs && astra_licence_is_or(has) ? has->used
								 : has->total;
	return 0;
}

static const struct use_limit *use_find_licence(const struct uses *u,
						const char *name)
{
	for (size_t i = 0; i < u->licence_count; i++)
		if (!xstrcmp(u->licences[i].name, name))
			return &u->licences[i];
	return NULL;
}

/* A choice among several licences of which the job needs one. */
struct use_choice {
	const struct uses *uses;
	const licenses_t *first, *free, *releasable;
};

static int use_choose(void *x, void *arg)
{
	const licenses_t *wanted = x;
	struct use_choice *c = arg;
	const struct use_limit *l = use_find_licence(c->uses, wanted->name);
	uint64_t need = l ? l->used + wanted->total : 0;

	if (!c->first)
		c->first = wanted;
	if (!c->free && (!l || need <= l->most))
		c->free = wanted;
	if (!c->releasable && l && need <= l->most + l->releasable)
		c->releasable = wanted;
	return 0;
}

/* Return the licence that has room, or else one in which room can be made by
 * ending leases. NULL: the job needs all licences that it asks for. */
static const licenses_t *use_chosen(const struct uses *u,
				    const job_record_t *job)
{
	struct use_choice c = {.uses = u};
	const licenses_t *first = list_peek(job->license_list);

	if (!IS_JOB_PENDING(job) || !first || !astra_licence_is_or(first))
		return NULL;
	list_for_each_ro(job->license_list, use_choose, &c);
	return c.free ? c.free : c.releasable ? c.releasable : c.first;
}

static uint64_t use_licences(const struct uses *u, const job_record_t *job,
			     const char *name)
{
	struct use_licence l = {.name = name, .runs = !IS_JOB_PENDING(job)};
	const licenses_t *chosen;

	if (!job->license_list)
		return 0;
	chosen = use_chosen(u, job);
	if (chosen)
		return xstrcmp(chosen->name, name) ? 0 : chosen->total;
	list_for_each_ro(job->license_list, use_add_licence, &l);
	return l.amount;
}

struct use_count {
	const struct uses *uses;
	struct use_limit *limit;
};

static int use_count_licences(void *x, void *arg)
{
	const job_record_t *job = x;
	struct use_count *c = arg;

	if (job->magic == JOB_MAGIC && job->license_list &&
	    (IS_JOB_RUNNING(job) || IS_JOB_SUSPENDED(job)))
		c->limit->used += use_licences(c->uses, job, c->limit->name);
	return 0;
}

/* Whether an association is the job's or above it. */

static bool use_below(const job_record_t *job, const void *record)
{
	const slurmdb_assoc_rec_t *assoc = job->assoc_ptr;

	for (int i = 0; assoc && i < PARENTS_MAX; i++) {
		if (assoc == record)
			return true;
		assoc = assoc->usage ? assoc->usage->parent_assoc_ptr : NULL;
	}
	return false;
}

static bool use_counts(const struct use_limit *l, const job_record_t *job)
{
	bool qos = job->qos_ptr == l->record ||
		   (job->part_ptr && job->part_ptr->qos_ptr == l->record);

	switch (l->of) {
	case USE_ASSOC:
		return use_below(job, l->record);
	case USE_OWN_ASSOC:
		return job->assoc_ptr == l->record;
	case USE_QOS:
		return qos;
	case USE_QOS_USER:
		return qos && job->user_id == l->uid;
	case USE_QOS_ACCOUNT:
		return qos && !xstrcmp(job->account, l->name);
	case USE_LICENCE:
		return job->license_list != NULL;
	}
	return false;
}

static uint64_t use_amount(const struct uses *u, const struct use_limit *l,
			   const job_record_t *job)
{
	double amount = 0;

	if (use_counts(l, job))
		amount = (double)(l->of == USE_LICENCE
					  ? use_licences(u, job, l->name)
					  : use_tres(job, l->tres));
	if (l->minutes)
		amount *= use_minutes(job);
	return (uint64_t)fmin(amount, (double)ASTRA_LIMIT_MOST);
}

static bool use_same(const struct use_limit *a, const struct use_limit *b)
{
	return a->of == b->of && a->record == b->record && a->uid == b->uid &&
	       a->tres == b->tres && a->minutes == b->minutes &&
	       !xstrcmp(a->name, b->name);
}

/* The limits of a job. */

static void use_add(struct use_list *out, struct use_limit limit)
{
	out->full |= out->count == out->most;
	if (out->count < out->most)
		out->list[out->count++] = limit;
}

static void use_add_tres(struct use_list *out, const job_record_t *job,
			 struct use_limit limit, const uint64_t *most,
			 const uint64_t *used)
{
	for (int i = 0; most && i < slurmctld_tres_cnt; i++) {
		if (!is_set(most[i]) || !use_tres(job, i))
			continue;
		limit.tres = i;
		limit.most = most[i];
		limit.used = used ? used[i] : 0;
		use_add(out, limit);
	}
}

/* Add limits in minutes. used_sec: used TRES seconds, by TRES. */
static void use_add_minutes(struct use_list *out, const job_record_t *job,
			    struct use_limit limit, const uint64_t *most,
			    const uint64_t *used_sec)
{
	size_t from = out->count;

	limit.minutes = true;
	use_add_tres(out, job, limit, most, used_sec);
	for (size_t i = from; i < out->count; i++)
		out->list[i].used /= 60;
}

static void use_add_jobs(struct use_list *out, struct use_limit limit,
			 uint32_t most, uint32_t used)
{
	if (!is_set_jobs(most))
		return;
	limit.tres = USE_JOBS;
	limit.most = most;
	limit.used = used;
	use_add(out, limit);
}

struct use_whose {
	uint32_t uid;
	const char *account;
};

static int use_is_user(void *x, void *arg)
{
	return ((slurmdb_used_limits_t *)x)->uid ==
	       ((struct use_whose *)arg)->uid;
}

static int use_is_account(void *x, void *arg)
{
	return !xstrcmp(((slurmdb_used_limits_t *)x)->acct,
			((struct use_whose *)arg)->account);
}

static void use_add_qos(struct use_list *out, const job_record_t *job,
			const slurmdb_qos_rec_t *qos)
{
	struct use_whose whose = {.uid = job->user_id, .account = job->account};
	struct use_limit group = {.of = USE_QOS, .record = qos};
	struct use_limit user = {
		.of = USE_QOS_USER, .record = qos, .uid = job->user_id};
	struct use_limit account = {
		.of = USE_QOS_ACCOUNT, .record = qos, .name = job->account};
	const slurmdb_used_limits_t *of_user = NULL, *of_account = NULL;

	if (!qos || !qos->usage)
		return;
	if (qos->usage->user_limit_list)
		of_user = list_find_first(qos->usage->user_limit_list,
					  use_is_user, &whose);
	if (qos->usage->acct_limit_list)
		of_account = list_find_first(qos->usage->acct_limit_list,
					     use_is_account, &whose);
	use_add_tres(out, job, group, qos->grp_tres_ctld,
		     qos->usage->grp_used_tres);
	use_add_minutes(out, job, group, qos->grp_tres_run_mins_ctld,
			qos->usage->grp_used_tres_run_secs);
	use_add_jobs(out, group, qos->grp_jobs, qos->usage->grp_used_jobs);
	use_add_tres(out, job, user, qos->max_tres_pu_ctld,
		     of_user ? of_user->tres : NULL);
	use_add_jobs(out, user, qos->max_jobs_pu, of_user ? of_user->jobs : 0);
	use_add_tres(out, job, account, qos->max_tres_pa_ctld,
		     of_account ? of_account->tres : NULL);
	use_add_jobs(out, account, qos->max_jobs_pa,
		     of_account ? of_account->jobs : 0);
}

/* Whether a limit of a QOS overrides the association's limit of the same
 * kind. */
static bool use_overrides(const struct use_list *out, size_t count,
			  const struct use_limit *l)
{
	enum use_of of = l->of == USE_OWN_ASSOC ? USE_QOS_USER : USE_QOS;

	for (size_t i = 0; i < count; i++)
		if (out->list[i].of == of && out->list[i].tres == l->tres &&
		    out->list[i].minutes == l->minutes)
			return true;
	return false;
}

static void use_add_assocs(struct use_list *out, const job_record_t *job)
{
	const slurmdb_assoc_rec_t *assoc = job->assoc_ptr;
	size_t of_qos = out->count, kept = of_qos;

	if (assoc && assoc->usage)
		use_add_jobs(out,
			     (struct use_limit){.of = USE_OWN_ASSOC,
						.record = assoc},
			     assoc->max_jobs, assoc->usage->used_jobs);
	for (int i = 0; assoc && assoc->usage && i < PARENTS_MAX; i++) {
		struct use_limit group = {.of = USE_ASSOC, .record = assoc};

		use_add_tres(out, job, group, assoc->grp_tres_ctld,
			     assoc->usage->grp_used_tres);
		use_add_minutes(out, job, group, assoc->grp_tres_run_mins_ctld,
				assoc->usage->grp_used_tres_run_secs);
		use_add_jobs(out, group, assoc->grp_jobs,
			     assoc->usage->used_jobs);
		assoc = assoc->usage->parent_assoc_ptr;
	}
	for (size_t i = of_qos; i < out->count; i++)
		if (!use_overrides(out, of_qos, &out->list[i]))
			out->list[kept++] = out->list[i];
	out->count = kept;
}

/* A walk over the licences that a job needs. */
struct use_wanted {
	struct use_list *out;
	const struct uses *uses;
};

static int use_add_wanted(void *x, void *arg)
{
	const licenses_t *wanted = x;
	struct use_wanted *w = arg;
	const struct use_limit *l = use_find_licence(w->uses, wanted->name);

	if (l)
		use_add(w->out, *l);
	else
		w->out->full = true;
	return 0;
}

static void use_add_licences(const struct uses *u, struct use_list *out,
			     const job_record_t *job)
{
	struct use_wanted wanted = {.out = out, .uses = u};
	const licenses_t *chosen = use_chosen(u, job);
	const struct use_limit *l =
		chosen ? use_find_licence(u, chosen->name) : NULL;

	if (l)
		use_add(out, *l);
	if (!chosen)
		list_for_each_ro(job->license_list, use_add_wanted, &wanted);
}

static void use_limits_of(const struct uses *u, struct use_list *out,
			  job_record_t *job)
{
	slurmdb_qos_rec_t *first = NULL, *second = NULL;

	if (accounting_enforce & ACCOUNTING_ENFORCE_LIMITS) {
		acct_policy_set_qos_order(job, &first, &second);
		use_add_qos(out, job, first);
		use_add_qos(out, job, second);
		use_add_assocs(out, job);
	}
	if (job->license_list)
		use_add_licences(u, out, job);
}

/* Whether ending leases can make room in a limit. */

static bool use_same_user(const struct astra_job *a, const struct astra_job *b)
{
	return a->tenant == b->tenant && a->user == b->user;
}

/* Find what the jobs whose leases may end use of a limit. */
static void use_find_releasable(const struct uses *u, struct use_limit *l)
{
	bool several = false;

	l->releasable = 0;
	l->holder = NULL;
	for (size_t i = 0; i < u->view->job_count; i++) {
		const struct astra_job *j = &u->view->jobs[i];
		const job_record_t *job;
		uint64_t amount;

		if (j->state != ASTRA_JOB_RUNNING || !j->revocable ||
		    j->suspended || (j->unprepared && u->keeps_unprepared))
			continue;
		job = find_job_record(j->id);
		amount = job ? use_amount(u, l, job) : 0;
		if (!amount)
			continue;
		l->releasable += amount;
		several |= l->holder && !use_same_user(l->holder, j);
		l->holder = j;
	}
	if (several)
		l->holder = NULL;
}

/* Return the kept copy of the limit, adding a new one; NULL: there is no
 * room. */
static const struct use_limit *use_keep(struct uses *u,
					const struct use_limit *limit)
{
	for (size_t i = 0; i < u->count; i++)
		if (use_same(&u->limits[i], limit))
			return &u->limits[i];
	if (u->count == ASTRA_USES_MAX)
		return NULL;
	u->limits[u->count] = *limit;
	use_find_releasable(u, &u->limits[u->count]);
	return &u->limits[u->count++];
}

/* Whether ending leases of other users' jobs could make room in all of the
 * limits. */
static bool use_helps(struct uses *u, const struct astra_job *j,
		      const job_record_t *job, const struct use_list *limits)
{
	for (size_t i = 0; i < limits->count; i++) {
		const struct use_limit *l = use_keep(u, &limits->list[i]);
		uint64_t amount = l ? use_amount(u, l, job) : 0;

		if (!l || amount > l->most ||
		    (l->used + amount > l->most &&
		     (l->releasable < l->used + amount - l->most ||
		      (l->holder && use_same_user(l->holder, j)))))
			return false;
	}
	return limits->count && !limits->full;
}

/* Whether the job is over a limit in which ending leases may make room. */
static bool use_waits(const struct uses *u, uint32_t i)
{
	return u->view->jobs[i].state == ASTRA_JOB_BLOCKED &&
	       *u->view->info[i].limit &&
	       (!strcmp(u->view->info[i].limit, "Licenses") ||
		astra_limit_is_of_runs(u->view->info[i].limit));
}

static void use_look(struct uses *u, uint32_t i)
{
	struct use_limit room[ASTRA_USES_MAX];
	struct use_list limits = {.list = room, .most = ASTRA_USES_MAX};
	job_record_t *job = find_job_record(u->view->jobs[i].id);

	if (!job || job->priority == 0)
		return;
	use_limits_of(u, &limits, job);
	if (use_helps(u, &u->view->jobs[i], job, &limits))
		u->view->jobs[i].state = ASTRA_JOB_PENDING;
}

/* What each job uses. */

static int use_tell_job(struct uses *u, struct astra_job *j)
{
	const job_record_t *job = find_job_record(j->id);
	struct astra_use uses[ASTRA_USES_MAX], *copy;
	uint32_t count = 0;

	for (size_t i = 0; job && i < u->count; i++) {
		uint64_t amount = use_amount(u, &u->limits[i], job);

		if (amount)
			uses[count++] = (struct astra_use){
				.limit = (uint32_t)i,
				.amount = amount,
			};
	}
	if (!count)
		return 0;
	copy = astra_arena_take(u->arena, count * sizeof(*copy));
	if (!copy)
		return -1;
	memcpy(copy, uses, count * sizeof(*copy));
	j->uses = copy;
	j->use_count = count;
	return 0;
}

static int use_tell(struct uses *u)
{
	struct astra_limit *limits =
		astra_arena_take(u->arena, (u->count + 1) * sizeof(*limits));
	struct astra_view *view = u->view;
	char name[32];

	for (size_t i = 0; limits && i < u->count; i++) {
		const struct use_limit *l = &u->limits[i];

		snprintf(name, sizeof(name), "%zu", i);
		limits[i] = (struct astra_limit){
			.name = astra_arena_text(u->arena, name),
			.most = l->most < ASTRA_LIMIT_MOST ? l->most
							   : ASTRA_LIMIT_MOST,
			.used = l->used < ASTRA_LIMIT_MOST ? l->used
							   : ASTRA_LIMIT_MOST,
		};
		if (!limits[i].name)
			return -1;
	}
	if (!limits)
		return -1;
	view->model.limits = limits;
	view->model.limit_count = u->count;
	for (size_t i = 0; i < view->job_count; i++)
		if (astra_job_active(view->jobs[i].state) &&
		    use_tell_job(u, &view->jobs[i]) < 0)
			return -1;
	return 0;
}

/* Licences. */

static int use_learn_licence(void *x, void *arg)
{
	const licenses_t *wanted = x;
	struct uses *u = arg;
	struct use_limit *l = &u->licences[u->licence_count];
	struct use_count count = {.uses = u};

	/* A count that depends on the nodes: no lease is ended for it. */
	if (astra_licence_has_layers(wanted) ||
	    use_find_licence(u, wanted->name))
		return 0;
	if (u->licence_count == ASTRA_USES_LICENCES)
		return -1;
	*l = (struct use_limit){
		.of = USE_LICENCE,
		.name = wanted->name,
		.most = get_total_license_cnt(wanted->name),
	};
	count.limit = l;
	astra_each_job(use_count_licences, &count);
	use_find_releasable(u, l);
	u->licence_count++;
	return 0;
}

/* Find the jobs that wait for room, and the licences that they ask for. */
static void use_find_waiting(struct uses *u)
{
	for (uint32_t i = 0;
	     i < u->view->job_count && u->waiting_count < ASTRA_USES_JOBS;
	     i++) {
		const job_record_t *job;

		if (!use_waits(u, i))
			continue;
		u->waiting[u->waiting_count++] = i;
		job = find_job_record(u->view->jobs[i].id);
		if (job && job->license_list)
			list_for_each_ro(job->license_list, use_learn_licence,
					 u);
	}
}

int astra_uses_find(struct astra_arena *arena, struct astra_view *view,
		    const struct astra_options *options)
{
	assoc_mgr_lock_t locks = {
		.assoc = READ_LOCK, .qos = READ_LOCK, .tres = READ_LOCK};
	struct uses u = {
		.arena = arena,
		.view = view,
		.keeps_unprepared =
			options->unprepared != ASTRA_UNPREPARED_REQUEUE,
	};
	int rc;

	use_find_waiting(&u);
	if (!u.waiting_count)
		return 0;
	assoc_mgr_lock(&locks);
	for (size_t i = 0; i < u.waiting_count; i++)
		use_look(&u, u.waiting[i]);
	rc = u.count ? use_tell(&u) : 0;
	assoc_mgr_unlock(&locks);
	return rc;
}
