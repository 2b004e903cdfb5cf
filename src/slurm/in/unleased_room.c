/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/in/unleased_room.h"

#include <math.h>

#include "src/common/fnv.h"
#include "src/common/idmap.h"
#include "src/slurm/in/gpus.h"
#include "src/slurm/in/snapshot.h"
#include "src/slurm/in/unleased_view.h"

#define ROOM_MAX (UINT32_MAX - 1)

/* Of one pool: GPUs left to who is known, by user and account, and to anybody
 * else. */
static struct rooms {
	struct astra_idmap of;
	uint32_t others;
} rooms[ASTRA_ROOM_POOLS];

/* Two users of one hash share what is left. */
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

static uint32_t unleased_room_count_of(const struct astra_idmap *map,
				       uint32_t key)
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
				    unleased_room_count_of(tenants, tenant) +
					    gpus) < 0 ||
		    astra_idmap_put(users, user,
				    unleased_room_count_of(users, user) +
					    gpus) < 0)
			return -1;
	}
	return 0;
}

/* A tenant that has not been seen yet has weight 1. */
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
			unleased_room_count_of(tenants, tenant + 1));
		of_user = room_left(
			astra_unleased_limit_of(o->unleased_user_gpus, quota),
			unleased_room_count_of(users, info->uid + 1));
		rc = astra_idmap_put(&r->of, payer_of(info->uid, info->account),
				     left < of_user ? left : of_user);
	}
	return rc;
}

int astra_unleased_note(size_t pool, const struct astra_view *view,
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

static uint64_t unleased_room_gpus_of(const job_record_t *job)
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
	uint64_t gpus = unleased_room_gpus_of(job);

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
