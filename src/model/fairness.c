/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/model/fairness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/common/number.h"
#include "src/model/fairness_priv.h"
#include "src/model/model.h"

/* keep: the factor by which an integral fades over dt. gain: the integral of a
 * unit rate over dt. */
struct fading {
	double keep;
	double gain;
};

static struct fading fading(const struct astra_fairness *f, double dt)
{
	double h = f->options.half_life_sec;
	double rate;

	if (dt <= 0)
		return (struct fading){.keep = 1, .gain = 0};
	if (h <= 0)
		return (struct fading){.keep = 1, .gain = dt};
	rate = M_LN2 / h;
	return (struct fading){.keep = exp(-rate * dt),
			       .gain = -expm1(-rate * dt) / rate};
}

static double quota(const struct astra_fairness *f, const struct tenant *t)
{
	return f->weights > 0 ? f->capacity * t->weight / f->weights : 0;
}

/* Return the GPUs that a group is entitled to, of those that its tenant is
 * entitled to. */
static double group_share(const struct astra_fairness *f, const struct group *g)
{
	const struct tenant *t = &f->tenants[g->tenant];
	double weights = t->active_weight.sum + t->active_weight.lost;

	if (!g->active_jobs || weights <= 0)
		return 0;
	return astra_min(g->demand_gpus,
			 astra_min(t->demand_gpus, quota(f, t)) *
				 (g->weight / weights));
}

/* Return S: the GPUs that a unit of a group's active weight is entitled to. */
static double unit_share(const struct astra_fairness *f, const struct group *g)
{
	double weight = g->active_weight.sum + g->active_weight.lost;

	return weight > 0 ? group_share(f, g) / weight : 0;
}

/* Return for how long an idle tenant's lead F - A stays above the limit. Its
 * entitlement grows only under Eq. 16 (Ye et al.), and the lead that it saves
 * in this way is limited. The limit takes nothing that the tenant already had:
 * a lead above it does not grow, but fades and is used up by the GPUs that the
 * tenant still holds. */
static double time_above(const struct astra_fairness *f, const struct tenant *t,
			 double limit)
{
	double lead = t->usage.fair - t->usage.alloc;
	double rate = f->options.half_life_sec > 0
			      ? M_LN2 / f->options.half_life_sec
			      : 0;

	if (lead <= limit)
		return 0;
	if (rate > 0)
		return log((lead + t->alloc_gpus / rate) /
			   (limit + t->alloc_gpus / rate)) /
		       rate;
	return (lead - limit) / t->alloc_gpus;
}

static struct astra_usage tenant_usage(const struct astra_fairness *f,
				       const struct tenant *t, double now)
{
	bool limited = f->options.lead_max_sec > 0 && !t->active_jobs;
	double dt = astra_max(now - t->at_sec, 0), pause = 0;
	double right = quota(f, t), limit = f->options.lead_max_sec * right;
	struct fading fade = fading(f, dt), growth;
	struct astra_usage usage;

	if (!f->options.quota_entitlement)
		right = astra_min(right, t->demand_gpus);
	if (limited)
		pause = astra_min(dt, time_above(f, t, limit));
	growth = fading(f, dt - pause);
	usage.alloc = t->usage.alloc * fade.keep + t->alloc_gpus * fade.gain;
	usage.fair = t->usage.fair * fade.keep + right * growth.gain;
	if (limited && pause < dt)
		usage.fair = astra_min(usage.fair, usage.alloc + limit);
	return usage;
}

static struct astra_usage group_usage(const struct astra_fairness *f,
				      const struct group *g, double now)
{
	struct fading fade = fading(f, now - g->at_sec);

	return (struct astra_usage){
		.alloc = g->usage.alloc * fade.keep + g->alloc_gpus * fade.gain,
		.fair = g->usage.fair * fade.keep +
			group_share(f, g) * fade.gain,
	};
}

static void settle_group(struct astra_fairness *f, struct group *g)
{
	struct fading fade = fading(f, f->now_sec - g->at_sec);
	double share = unit_share(f, g);

	if (f->now_sec <= g->at_sec)
		return;
	g->usage = group_usage(f, g, f->now_sec);
	g->used_gpu_sec += g->alloc_gpus * (f->now_sec - g->at_sec);
	for (size_t i = 0; i < g->cap_count; i++) {
		struct cap *c = &g->caps[i];

		c->integral =
			astra_exact_add(c->integral, fade.keep,
					astra_min(c->cap, share) * fade.gain);
	}
	g->at_sec = f->now_sec;
}

/* Bring a tenant's integrals up to now, before one of its rates changes. */
static void fairness_settle(struct astra_fairness *f, struct tenant *t)
{
	if (f->now_sec <= t->at_sec)
		return;
	for (size_t i = 0; i < t->group_count; i++) {
		struct group *g = &f->groups[t->groups[i]];

		if (g->active_jobs)
			settle_group(f, g);
	}
	t->usage = tenant_usage(f, t, f->now_sec);
	t->used_gpu_sec += t->alloc_gpus * (f->now_sec - t->at_sec);
	t->at_sec = f->now_sec;
}

static void settle_all(struct astra_fairness *f, double now)
{
	f->now_sec = astra_max(f->now_sec, now);
	astra_fairness_give(f, f->now_sec);
	for (size_t i = 0; i < f->tenant_count; i++)
		fairness_settle(f, &f->tenants[i]);
}

double astra_fairness_fade(const struct astra_fairness *f, double sec,
			   double *keep)
{
	struct fading fade = fading(f, sec);

	*keep = fade.keep;
	return fade.gain;
}

static struct tenant *settled(struct astra_fairness *f, double now,
			      uint32_t tenant)
{
	f->now_sec = astra_max(f->now_sec, now);
	astra_fairness_give(f, f->now_sec);
	fairness_settle(f, &f->tenants[tenant]);
	return &f->tenants[tenant];
}

/* Bring a group's integrals up to now. */
static struct group *settled_group(struct astra_fairness *f, double now,
				   uint32_t group)
{
	struct group *g = &f->groups[group];

	settled(f, now, g->tenant);
	settle_group(f, g);
	return g;
}

/* Return the growth of the cap's integral from the job's origin to `now`, minus
 * what has faded. */
static double cap_growth(const struct astra_fairness *f, const struct group *g,
			 const struct job *j, double job_keep, double now)
{
	const struct cap *c = &g->caps[j->cap];
	struct fading fade = fading(f, now - g->at_sec);
	struct astra_exact i = astra_exact_add(
		c->integral, fade.keep,
		astra_min(c->cap, unit_share(f, g)) * fade.gain);

	return (i.sum - j->origin.sum * job_keep) +
	       (i.lost - j->origin.lost * job_keep);
}

static struct astra_usage job_usage(const struct astra_fairness *f,
				    const struct job *j, double now)
{
	const struct group *g = &f->groups[j->group];
	struct fading fade = fading(f, now - j->at_sec);
	struct astra_usage usage = {
		.alloc = j->usage.alloc * fade.keep + j->alloc_gpus * fade.gain,
		.fair = j->usage.fair * fade.keep,
	};

	if (j->copies && j->weight > 0)
		usage.fair += j->weight *
			      astra_max(cap_growth(f, g, j, fade.keep, now), 0);
	return usage;
}

/* Bring a job's integrals up to now; its group must be settled. */
static void settle_job(struct astra_fairness *f, struct job *j)
{
	j->usage = job_usage(f, j, f->now_sec);
	j->origin = f->groups[j->group].caps[j->cap].integral;
	j->at_sec = f->now_sec;
}

struct astra_fairness *
astra_fairness_create(const struct astra_fairness_options *options,
		      double begin_sec)
{
	struct astra_fairness *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->options = *options;
	f->now_sec = f->gift_sec = begin_sec;
	return f;
}

void astra_fairness_destroy(struct astra_fairness *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->group_count; i++)
		free(f->groups[i].caps);
	for (size_t i = 0; i < f->tenant_count; i++)
		free(f->tenants[i].groups);
	free(f->groups);
	free(f->tenants);
	free(f->jobs);
	free(f->vacant);
	free(f);
}

void astra_fairness_set_options(struct astra_fairness *f, double now_sec,
				const struct astra_fairness_options *options)
{
	settle_all(f, now_sec);
	for (size_t i = 0; i < f->group_count; i++)
		settle_group(f, &f->groups[i]);
	for (size_t i = 0; i < f->job_count; i++)
		if (f->jobs[i].used)
			settle_job(f, &f->jobs[i]);
	f->options = *options;
}

void astra_fairness_set_capacity(struct astra_fairness *f, double now_sec,
				 double gpus)
{
	if (gpus == f->capacity)
		return;
	settle_all(f, now_sec);
	f->capacity = gpus;
}

/* Add an empty group of jobs to the tenant. */
static uint32_t add_group(struct astra_fairness *f, uint32_t tenant,
			  double weight)
{
	struct tenant *t = &f->tenants[tenant];

	if (f->group_count >= ASTRA_NONE ||
	    astra_grow(&f->groups, &f->group_room, f->group_count + 1,
		       sizeof(*f->groups)) < 0 ||
	    astra_grow(&t->groups, &t->group_room, t->group_count + 1,
		       sizeof(*t->groups)) < 0)
		return ASTRA_NONE;
	f->groups[f->group_count] = (struct group){
		.tenant = tenant,
		.weight = weight,
		.at_sec = f->now_sec,
	};
	t->groups[t->group_count++] = (uint32_t)f->group_count;
	return (uint32_t)f->group_count++;
}

uint32_t astra_fairness_add_tenant(struct astra_fairness *f, double now_sec,
				   double weight)
{
	uint32_t number = (uint32_t)f->tenant_count;
	struct tenant *t;

	if (f->tenant_count >= ASTRA_NONE ||
	    astra_grow(&f->tenants, &f->tenant_room, f->tenant_count + 1,
		       sizeof(*f->tenants)) < 0)
		return ASTRA_NONE;
	settle_all(f, now_sec);
	t = &f->tenants[number];
	*t = (struct tenant){.weight = weight, .at_sec = f->now_sec};
	if (add_group(f, number, 1) == ASTRA_NONE) {
		free(t->groups);
		return ASTRA_NONE;
	}
	f->weights += weight;
	f->tenant_count++;
	return number;
}

uint32_t astra_fairness_add_user(struct astra_fairness *f, double now_sec,
				 uint32_t tenant, double weight)
{
	settled(f, now_sec, tenant);
	return add_group(f, tenant, weight);
}

void astra_fairness_set_user_weight(struct astra_fairness *f, double now_sec,
				    uint32_t user, double weight)
{
	struct group *g = &f->groups[user];
	struct tenant *t = &f->tenants[g->tenant];

	if (g->weight == weight)
		return;
	settled_group(f, now_sec, user);
	if (g->active_jobs)
		t->active_weight = astra_exact_add(t->active_weight, 1,
						   weight - g->weight);
	g->weight = weight;
}

void astra_fairness_set_weight(struct astra_fairness *f, double now_sec,
			       uint32_t tenant, double weight)
{
	if (f->tenants[tenant].weight == weight)
		return;
	settle_all(f, now_sec);
	f->tenants[tenant].weight = weight;
	f->weights = 0;
	for (size_t i = 0; i < f->tenant_count; i++)
		f->weights += f->tenants[i].weight;
}

/* Return the index of the group's integral for a cap. All jobs of the group
 * with that cap share it. */
static uint32_t cap_get(struct group *g, double value)
{
	size_t at = g->cap_count;

	for (size_t i = 0; i < g->cap_count; i++) {
		if (g->caps[i].users && g->caps[i].cap == value) {
			g->caps[i].users++;
			return (uint32_t)i;
		}
		if (!g->caps[i].users)
			at = i;
	}
	if (at == g->cap_count) {
		if (astra_grow(&g->caps, &g->cap_room, g->cap_count + 1,
			       sizeof(*g->caps)) < 0)
			return ASTRA_NONE;
		g->cap_count++;
	}
	g->caps[at] = (struct cap){.cap = value, .users = 1};
	return (uint32_t)at;
}

static uint32_t job_number(struct astra_fairness *f)
{
	if (f->vacant_count)
		return f->vacant[--f->vacant_count];
	if (f->job_count >= ASTRA_NONE ||
	    astra_grow(&f->jobs, &f->job_room, f->job_count + 1,
		       sizeof(*f->jobs)) < 0 ||
	    astra_grow(&f->vacant, &f->vacant_room, f->job_count + 1,
		       sizeof(*f->vacant)) < 0)
		return ASTRA_NONE;
	return (uint32_t)f->job_count++;
}

uint32_t astra_fairness_add_user_job(struct astra_fairness *f, uint32_t user,
				     double weight, double gpus)
{
	struct group *g = settled_group(f, f->now_sec, user);
	uint32_t cap = cap_get(g, weight > 0 ? gpus / weight : HUGE_VAL);
	uint32_t number;

	if (cap == ASTRA_NONE)
		return ASTRA_NONE;
	number = job_number(f);
	if (number == ASTRA_NONE) {
		g->caps[cap].users--;
		return ASTRA_NONE;
	}
	f->jobs[number] = (struct job){
		.group = user,
		.cap = cap,
		.used = true,
		.weight = weight,
		.gpus = gpus,
		.at_sec = f->now_sec,
		.origin = g->caps[cap].integral,
	};
	return number;
}

uint32_t astra_fairness_add_job(struct astra_fairness *f, uint32_t tenant,
				double weight, double gpus)
{
	return astra_fairness_add_user_job(f, f->tenants[tenant].groups[0],
					   weight, gpus);
}

uint32_t astra_fairness_split_job(struct astra_fairness *f, double now_sec,
				  uint32_t job)
{
	struct job *j;
	uint32_t number;

	settled_group(f, now_sec, f->jobs[job].group);
	settle_job(f, &f->jobs[job]);
	number = astra_fairness_add_user_job(
		f, f->jobs[job].group, f->jobs[job].weight, f->jobs[job].gpus);
	if (number == ASTRA_NONE)
		return ASTRA_NONE;
	j = &f->jobs[number];
	j->usage = f->jobs[job].usage;
	return number;
}

/* Count the group's weight in its tenant's active weight while the group has
 * active jobs. */
static void count_group(struct astra_fairness *f, const struct group *g,
			bool was_active)
{
	struct tenant *t = &f->tenants[g->tenant];
	bool active = g->active_jobs > 0;

	if (active != was_active)
		t->active_weight = astra_exact_add(
			t->active_weight, 1, active ? g->weight : -g->weight);
	if (!t->active_jobs) { /* remove rounding errors */
		t->demand_gpus = 0;
		t->active_weight = (struct astra_exact){0};
	}
}

void astra_fairness_set_active(struct astra_fairness *f, double now_sec,
			       uint32_t job, uint32_t copies)
{
	struct job *j = &f->jobs[job];
	struct group *g;
	struct tenant *t;
	double more;
	bool was_active;

	if (j->copies == copies)
		return;
	g = settled_group(f, now_sec, j->group);
	t = &f->tenants[g->tenant];
	settle_job(f, j);
	more = (double)copies - (double)j->copies;
	was_active = g->active_jobs > 0;
	g->active_jobs += copies;
	g->active_jobs -= j->copies;
	t->active_jobs += copies;
	t->active_jobs -= j->copies;
	g->demand_gpus += more * j->gpus;
	if (!j->beside)
		t->demand_gpus += more * j->gpus;
	g->active_weight =
		astra_exact_add(g->active_weight, 1, more * j->weight);
	if (!g->active_jobs) {
		g->demand_gpus = 0;
		g->active_weight = (struct astra_exact){0};
	}
	count_group(f, g, was_active);
	j->copies = copies;
}

void astra_fairness_set_beside(struct astra_fairness *f, double now_sec,
			       uint32_t job, bool beside)
{
	struct job *j = &f->jobs[job];
	struct group *g;
	double gpus = (double)j->copies * j->gpus;

	if (j->beside == beside)
		return;
	g = settled_group(f, now_sec, j->group);
	f->tenants[g->tenant].demand_gpus += beside ? -gpus : gpus;
	j->beside = beside;
}

uint32_t astra_fairness_active(const struct astra_fairness *f, uint32_t job)
{
	return f->jobs[job].copies;
}

void astra_fairness_set_alloc(struct astra_fairness *f, double now_sec,
			      uint32_t job, double gpus)
{
	struct job *j = &f->jobs[job];
	struct group *g;

	if (j->alloc_gpus == gpus)
		return;
	g = settled_group(f, now_sec, j->group);
	settle_job(f, j);
	g->alloc_gpus += gpus - j->alloc_gpus;
	f->tenants[g->tenant].alloc_gpus += gpus - j->alloc_gpus;
	j->alloc_gpus = gpus;
}

void astra_fairness_set_uncharged(struct astra_fairness *f, double now_sec,
				  uint32_t job, double gpus)
{
	struct job *j = &f->jobs[job];
	double more = gpus - j->uncharged_gpus;
	struct group *g;

	if (j->uncharged_gpus == gpus)
		return;
	g = settled_group(f, now_sec, j->group);
	g->uncharged_gpus += more;
	f->tenants[g->tenant].uncharged_gpus += more;
	j->uncharged_gpus = gpus;
}

void astra_fairness_remove_job(struct astra_fairness *f, double now_sec,
			       uint32_t job)
{
	struct job *j = &f->jobs[job];

	astra_fairness_set_active(f, now_sec, job, 0);
	astra_fairness_set_alloc(f, now_sec, job, 0);
	astra_fairness_set_uncharged(f, now_sec, job, 0);
	f->groups[j->group].caps[j->cap].users--;
	j->used = false;
	f->vacant[f->vacant_count++] = job;
}

struct astra_usage astra_fairness_tenant(const struct astra_fairness *f,
					 double now_sec, uint32_t tenant)
{
	return tenant_usage(f, &f->tenants[tenant],
			    astra_max(now_sec, f->now_sec));
}

struct astra_usage astra_fairness_user(const struct astra_fairness *f,
				       double now_sec, uint32_t user)
{
	return group_usage(f, &f->groups[user], astra_max(now_sec, f->now_sec));
}

struct astra_usage astra_fairness_job(const struct astra_fairness *f,
				      double now_sec, uint32_t job)
{
	return job_usage(f, &f->jobs[job], astra_max(now_sec, f->now_sec));
}

bool astra_fairness_unserved(const struct astra_fairness *f, uint32_t job)
{
	return f->jobs[job].usage.alloc == 0 && f->jobs[job].alloc_gpus == 0;
}

void astra_fairness_shift(struct astra_fairness *f, double by_sec)
{
	f->now_sec += by_sec;
	f->gift_sec += by_sec;
	for (size_t i = 0; i < f->tenant_count; i++)
		f->tenants[i].at_sec += by_sec;
	for (size_t i = 0; i < f->group_count; i++)
		f->groups[i].at_sec += by_sec;
	for (size_t i = 0; i < f->job_count; i++)
		f->jobs[i].at_sec += by_sec;
}

void astra_fairness_restore_tenant(struct astra_fairness *f, double now_sec,
				   uint32_t tenant, struct astra_usage usage)
{
	struct tenant *t = settled(f, now_sec, tenant);

	t->usage = usage;
	t->gift = 0;
}

void astra_fairness_restore_user(struct astra_fairness *f, double now_sec,
				 uint32_t user, struct astra_usage usage)
{
	settled_group(f, now_sec, user)->usage = usage;
}

void astra_fairness_restore_job(struct astra_fairness *f, double now_sec,
				uint32_t job, struct astra_usage usage)
{
	struct job *j = &f->jobs[job];

	settled_group(f, now_sec, j->group);
	settle_job(f, j);
	j->usage = usage;
}

/* Return the GPU seconds used up to now. The sum of what jobs hold may have a
 * small error and be negative. */
static double fairness_used(double used_gpu_sec, double alloc_gpus, double sec)
{
	return astra_max(used_gpu_sec + alloc_gpus * astra_max(sec, 0), 0);
}

double astra_fairness_tenant_used(const struct astra_fairness *f,
				  double now_sec, uint32_t tenant)
{
	const struct tenant *t = &f->tenants[tenant];

	return fairness_used(t->used_gpu_sec, t->alloc_gpus,
			     now_sec - t->at_sec);
}

double astra_fairness_user_used(const struct astra_fairness *f, double now_sec,
				uint32_t user)
{
	const struct group *g = &f->groups[user];

	return fairness_used(g->used_gpu_sec, g->alloc_gpus,
			     now_sec - g->at_sec);
}

void astra_fairness_begin_period(struct astra_fairness *f, double now_sec)
{
	settle_all(f, now_sec);
	for (size_t i = 0; i < f->tenant_count; i++)
		f->tenants[i].used_gpu_sec = 0;
	for (size_t i = 0; i < f->group_count; i++) {
		settle_group(f, &f->groups[i]);
		f->groups[i].used_gpu_sec = 0;
	}
}

/* Return the GPU seconds used up to the last settlement. Settling here would
 * round the integrals once more than in the original engine, and could break
 * ties differently. */
static double fairness_used_before(double used_gpu_sec, double alloc_gpus,
				   double sec)
{
	return used_gpu_sec - alloc_gpus * astra_max(sec, 0);
}

void astra_fairness_restore_tenant_used(struct astra_fairness *f,
					double now_sec, uint32_t tenant,
					double used_gpu_sec)
{
	struct tenant *t = &f->tenants[tenant];

	t->used_gpu_sec = fairness_used_before(used_gpu_sec, t->alloc_gpus,
					       now_sec - t->at_sec);
}

void astra_fairness_restore_user_used(struct astra_fairness *f, double now_sec,
				      uint32_t user, double used_gpu_sec)
{
	struct group *g = &f->groups[user];

	g->used_gpu_sec = fairness_used_before(used_gpu_sec, g->alloc_gpus,
					       now_sec - g->at_sec);
}

double astra_fairness_quota(const struct astra_fairness *f, uint32_t tenant)
{
	return quota(f, &f->tenants[tenant]);
}

double astra_fairness_user_quota(const struct astra_fairness *f, uint32_t user)
{
	const struct group *g = &f->groups[user];
	const struct tenant *t = &f->tenants[g->tenant];
	double others = t->active_weight.sum + t->active_weight.lost;

	if (g->active_jobs)
		others -= g->weight;
	return g->weight > 0 ? quota(f, t) * g->weight /
				       (astra_max(others, 0) + g->weight)
			     : 0;
}

double astra_fairness_user_due(const struct astra_fairness *f, uint32_t user)
{
	return group_share(f, &f->groups[user]);
}

double astra_fairness_user_alloc(const struct astra_fairness *f, uint32_t user)
{
	return f->groups[user].alloc_gpus + f->groups[user].uncharged_gpus;
}

double astra_fairness_demand(const struct astra_fairness *f, uint32_t tenant)
{
	return f->tenants[tenant].demand_gpus;
}

double astra_fairness_alloc(const struct astra_fairness *f, uint32_t tenant)
{
	return f->tenants[tenant].alloc_gpus +
	       f->tenants[tenant].uncharged_gpus;
}

double astra_fairness_capacity(const struct astra_fairness *f)
{
	return f->capacity;
}

size_t astra_fairness_bytes_per_job(void)
{
	return sizeof(struct job) + sizeof(uint32_t);
}

double astra_rho(struct astra_usage usage, bool entitled)
{
	if (usage.fair > 0)
		return usage.alloc / usage.fair;
	if (usage.alloc > 0 || !entitled)
		return HUGE_VAL;
	return 0;
}
