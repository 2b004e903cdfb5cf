/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/in/unleased_view.h"

#include <math.h>

#include "src/common/fnv.h"
#include "src/common/idmap.h"
#include "src/model/brief.h"
#include "src/slurm/in/gpus.h"
#include "src/slurm/in/snapshot.h"
#include "src/slurm/in/unleased.h"

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

/* List the jobs without leases that count. list has room for all jobs. Returns
 * how many there are. */
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

#define ROOM_MAX (UINT32_MAX - 1)

/* GPUs left to each user and account of a pool, and to others. */
static struct rooms {
	struct astra_idmap of;
	uint32_t others;
} rooms[ASTRA_ROOM_POOLS];

/* Return the key of a user and an account. If two keys are equal, their users
 * share what is left. */
static uint32_t payer_of(uint32_t uid, const char *account)
{
	uint32_t hash = astra_fnv32_text(ASTRA_FNV32_BASIS ^ uid, account);

	return hash ? hash : 1;
}

static uint32_t room_left(double limit, uint32_t used)
{
	double room = floor(limit - used);

	if (room <= 0)
		return 0;
	return room < ROOM_MAX ? (uint32_t)room : ROOM_MAX;
}

static uint32_t unleased_count_of(const struct astra_idmap *map, uint32_t key)
{
	uint32_t n = astra_idmap_get(map, key);

	return n == ASTRA_IDMAP_NONE ? 0 : n;
}

static int count_used(const struct astra_unleased *list, size_t count,
		      struct astra_idmap *tenants, struct astra_idmap *users)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t tenant = list[i].job->tenant + 1;
		uint32_t user = list[i].user + 1;
		uint32_t gpus = astra_unleased_gpus(&list[i]);

		if (list[i].job->state == ASTRA_JOB_BLOCKED)
			continue;
		if (astra_idmap_put(tenants, tenant,
				    unleased_count_of(tenants, tenant) + gpus) <
			    0 ||
		    astra_idmap_put(users, user,
				    unleased_count_of(users, user) + gpus) < 0)
			return -1;
	}
	return 0;
}

/* Return the share of a tenant that was not seen yet and has weight 1. */
static double quota_of_others(const struct astra_view *view, uint64_t gpus)
{
	double weights = 1;

	for (size_t i = 0; i < view->tenants.count; i++)
		weights += view->tenants.list[i].weight;
	return ceil((double)gpus / weights);
}

static int note_rooms(struct rooms *r, const struct astra_view *view,
		      const struct astra_options *o, uint64_t gpus,
		      const struct astra_idmap *tenants,
		      const struct astra_idmap *users)
{
	double quota = quota_of_others(view, gpus);
	int rc = 0;

	astra_idmap_clear(&r->of);
	r->others = room_left(
		fmin(astra_unleased_limit_of(o->unleased_gpus, quota),
		     astra_unleased_limit_of(o->unleased_user_gpus, quota)),
		0);
	for (size_t i = 0; i < view->job_count && !rc; i++) {
		const struct astra_job_info *info = &view->info[i];
		uint32_t tenant = view->jobs[i].tenant, left, of_user;

		quota = astra_unleased_quota(view->tenants.list,
					     view->tenants.count, tenant, gpus);
		left = room_left(
			astra_unleased_limit_of(o->unleased_gpus, quota),
			unleased_count_of(tenants, tenant + 1));
		of_user = room_left(
			astra_unleased_limit_of(o->unleased_user_gpus, quota),
			unleased_count_of(users, info->uid + 1));
		rc = astra_idmap_put(&r->of, payer_of(info->uid, info->account),
				     left < of_user ? left : of_user);
	}
	return rc;
}

/* Note how many GPUs a round leaves to each user. list: after
 * astra_unleased_deal(). gpus: of the pool's usable nodes. Returns 0, or -1
 * when memory is out. */
static int unleased_note(size_t pool, const struct astra_view *view,
			 const struct astra_options *options,
			 const struct astra_unleased *list, size_t count,
			 uint64_t gpus)
{
	struct astra_idmap tenants = {0}, users = {0};
	int rc;

	if (pool >= ASTRA_ROOM_POOLS)
		return 0;
	rc = count_used(list, count, &tenants, &users);
	if (!rc)
		rc = note_rooms(&rooms[pool], view, options, gpus, &tenants,
				&users);
	astra_idmap_clear(&tenants);
	astra_idmap_clear(&users);
	return rc;
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
	return unleased_note(pool, view, options, list, count, gpus);
}

static uint64_t unleased_gpus_of(const job_record_t *job)
{
	uint64_t gpus = 0;
	gres_state_t *s;

	for (int i = 0; (s = astra_gpu_state(job->gres_list_req, i)); i++)
		gpus += ((const gres_job_state_t *)s->gres_data)->total_gres;
	return gpus;
}

bool astra_unleased_admit(size_t pool, const struct astra_options *options,
			  const job_record_t *job)
{
	uint32_t payer = payer_of(job->user_id, job->account), room;
	uint64_t gpus = unleased_gpus_of(job);

	if (!astra_unleased_bounded(options) ||
	    !astra_unleased_counts(
		    astra_unleased_limit(job->time_limit, job->part_ptr),
		    options->lease_sec))
		return true;
	if (pool >= ASTRA_ROOM_POOLS)
		return false;
	room = astra_idmap_get(&rooms[pool].of, payer);
	if (room == ASTRA_IDMAP_NONE)
		room = rooms[pool].others;
	return gpus <= room && astra_idmap_put(&rooms[pool].of, payer,
					       room - (uint32_t)gpus) == 0;
}

void astra_unleased_default(struct astra_options *options)
{
	if (!options->unleased_said && !slurm_conf.job_requeue)
		options->unleased_gpus = ASTRA_GPUS_NONE;
}
