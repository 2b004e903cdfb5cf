/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An exact image of the account. A saved state (engine_state.c) only keeps the
 * sums' values. A sum that is computed again may differ from the original in
 * the last bit, and then a tie would be broken differently. */
#include <stdlib.h>

#include "src/common/grow.h"
#include "src/common/member.h"
#include "src/model/fairness_priv.h"

#define ACCOUNT(kind, member) ASTRA_MEMBER(astra_fairness, kind, member)
#define TENANT(kind, member) ASTRA_MEMBER(tenant, kind, member)
#define GROUP(kind, member) ASTRA_MEMBER(group, kind, member)
#define CAP(kind, member) ASTRA_MEMBER(cap, kind, member)
#define JOB(kind, member) ASTRA_MEMBER(job, kind, member)

const struct astra_member astra_image_fairness_members[] = {
	ACCOUNT(FLAG, options.quota_entitlement),
	ACCOUNT(REAL, options.half_life_sec),
	ACCOUNT(REAL, options.lead_max_sec),
	ACCOUNT(REAL, capacity),
	ACCOUNT(REAL, weights),
	ACCOUNT(REAL, now_sec),
	ACCOUNT(REAL, gift_sec),
	ACCOUNT(SIZE, tenant_count),
	ACCOUNT(SIZE, group_count),
	ACCOUNT(SIZE, job_count),
	ACCOUNT(SIZE, vacant_count),
	ASTRA_MEMBERS_END,
};

const struct astra_member astra_image_fairness_tenant_members[] = {
	TENANT(REAL, weight),
	TENANT(REAL, at_sec),
	TENANT(REAL, usage.alloc),
	TENANT(REAL, usage.fair),
	TENANT(REAL, gift),
	TENANT(REAL, alloc_gpus),
	TENANT(REAL, uncharged_gpus),
	TENANT(REAL, demand_gpus),
	TENANT(REAL, active_weight.sum),
	TENANT(REAL, active_weight.lost),
	TENANT(U64, active_jobs),
	ASTRA_MEMBERS_END,
};

const struct astra_member astra_image_fairness_group_members[] = {
	GROUP(U32, tenant),
	GROUP(REAL, weight),
	GROUP(REAL, at_sec),
	GROUP(REAL, usage.alloc),
	GROUP(REAL, usage.fair),
	GROUP(REAL, alloc_gpus),
	GROUP(REAL, uncharged_gpus),
	GROUP(REAL, demand_gpus),
	GROUP(REAL, active_weight.sum),
	GROUP(REAL, active_weight.lost),
	GROUP(U64, active_jobs),
	GROUP(SIZE, cap_count),
	ASTRA_MEMBERS_END,
};

const struct astra_member astra_image_fairness_cap_members[] = {
	CAP(REAL, cap),	 CAP(REAL, integral.sum), CAP(REAL, integral.lost),
	CAP(U32, users), ASTRA_MEMBERS_END,
};

const struct astra_member astra_image_fairness_job_members[] = {
	JOB(U32, group),	   JOB(U32, cap),
	JOB(U32, copies),	   JOB(FLAG, used),
	JOB(FLAG, beside),	   JOB(REAL, weight),
	JOB(REAL, gpus),	   JOB(REAL, alloc_gpus),
	JOB(REAL, uncharged_gpus), JOB(REAL, at_sec),
	JOB(REAL, origin.sum),	   JOB(REAL, origin.lost),
	JOB(REAL, usage.alloc),	   JOB(REAL, usage.fair),
	ASTRA_MEMBERS_END,
};

static void fairness_image_put_group(struct astra_bytes *out,
				     const struct group *g)
{
	astra_members_put(out, g, astra_image_fairness_group_members);
	for (size_t i = 0; i < g->cap_count; i++)
		astra_members_put(out, &g->caps[i],
				  astra_image_fairness_cap_members);
}

void astra_fairness_put(const struct astra_fairness *f, struct astra_bytes *out)
{
	astra_members_put(out, f, astra_image_fairness_members);
	for (size_t i = 0; i < f->tenant_count; i++)
		astra_members_put(out, &f->tenants[i],
				  astra_image_fairness_tenant_members);
	for (size_t i = 0; i < f->group_count; i++)
		fairness_image_put_group(out, &f->groups[i]);
	for (size_t i = 0; i < f->job_count; i++)
		astra_members_put(out, &f->jobs[i],
				  astra_image_fairness_job_members);
	for (size_t i = 0; i < f->vacant_count; i++)
		astra_put_u32(out, f->vacant[i]);
}

/* Return an array of `count` elements, or NULL if the remaining data is too
 * short for them. */
static void *array_of(const struct astra_reader *in, size_t count, size_t size,
		      size_t *room)
{
	if (in->failed || count > in->size - in->at)
		return NULL;
	*room = count + 1;
	return calloc(count + 1, size);
}

static int fairness_image_get_tenants(struct astra_reader *in,
				      struct astra_fairness *f, size_t count)
{
	f->tenants = array_of(in, count, sizeof(*f->tenants), &f->tenant_room);
	if (!f->tenants)
		return -1;
	for (; f->tenant_count < count; f->tenant_count++)
		astra_members_get(in, &f->tenants[f->tenant_count],
				  astra_image_fairness_tenant_members);
	return in->failed ? -1 : 0;
}

/* Read a group, and append it to its tenant's groups. */
static int get_group(struct astra_reader *in, struct astra_fairness *f,
		     struct group *g)
{
	struct tenant *t;

	astra_members_get(in, g, astra_image_fairness_group_members);
	g->caps = array_of(in, g->cap_count, sizeof(*g->caps), &g->cap_room);
	if (!g->caps) {
		g->cap_count = 0;
		return -1;
	}
	for (size_t i = 0; i < g->cap_count; i++)
		astra_members_get(in, &g->caps[i],
				  astra_image_fairness_cap_members);
	if (in->failed || g->tenant >= f->tenant_count)
		return -1;
	t = &f->tenants[g->tenant];
	if (astra_grow(&t->groups, &t->group_room, t->group_count + 1,
		       sizeof(*t->groups)) < 0)
		return -1;
	t->groups[t->group_count++] = (uint32_t)f->group_count;
	return 0;
}

static int get_groups(struct astra_reader *in, struct astra_fairness *f,
		      size_t count)
{
	f->groups = array_of(in, count, sizeof(*f->groups), &f->group_room);
	if (!f->groups)
		return -1;
	for (; f->group_count < count; f->group_count++)
		if (get_group(in, f, &f->groups[f->group_count]) < 0) {
			free(f->groups[f->group_count].caps);
			return -1;
		}
	for (size_t i = 0; i < f->tenant_count; i++)
		if (!f->tenants[i].group_count)
			return -1;
	return 0;
}

static int fairness_image_get_jobs(struct astra_reader *in,
				   struct astra_fairness *f, size_t count)
{
	f->jobs = array_of(in, count, sizeof(*f->jobs), &f->job_room);
	if (!f->jobs)
		return -1;
	for (; f->job_count < count; f->job_count++) {
		struct job *j = &f->jobs[f->job_count];

		astra_members_get(in, j, astra_image_fairness_job_members);
		if (in->failed || j->group >= f->group_count ||
		    j->cap >= f->groups[j->group].cap_count)
			return -1;
	}
	return 0;
}

static int fairness_image_get_vacant(struct astra_reader *in,
				     struct astra_fairness *f, size_t count)
{
	if (count > f->job_count)
		return -1;
	f->vacant = calloc(f->job_count + 1, sizeof(*f->vacant));
	f->vacant_room = f->job_count + 1;
	if (!f->vacant)
		return -1;
	for (; f->vacant_count < count; f->vacant_count++) {
		uint32_t job = astra_get_u32(in);

		if (in->failed || job >= f->job_count || f->jobs[job].used)
			return -1;
		f->vacant[f->vacant_count] = job;
	}
	return 0;
}

struct astra_fairness *astra_fairness_get(struct astra_reader *in)
{
	struct astra_fairness *f = calloc(1, sizeof(*f));
	size_t tenants, groups, jobs, vacant;

	if (!f)
		return NULL;
	astra_members_get(in, f, astra_image_fairness_members);
	tenants = f->tenant_count;
	groups = f->group_count;
	jobs = f->job_count;
	vacant = f->vacant_count;
	f->tenant_count = f->group_count = 0;
	f->job_count = f->vacant_count = 0;
	if (!in->failed && !fairness_image_get_tenants(in, f, tenants) &&
	    !get_groups(in, f, groups) &&
	    !fairness_image_get_jobs(in, f, jobs) &&
	    !fairness_image_get_vacant(in, f, vacant))
		return f;
	astra_fairness_destroy(f);
	return NULL;
}

bool astra_fairness_has_tenant(const struct astra_fairness *f, uint32_t tenant)
{
	return tenant < f->tenant_count;
}

bool astra_fairness_has_user(const struct astra_fairness *f, uint32_t user)
{
	return user < f->group_count;
}

bool astra_fairness_has_job(const struct astra_fairness *f, uint32_t job)
{
	return job < f->job_count && f->jobs[job].used;
}
