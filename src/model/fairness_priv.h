/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The inside of the account, for its own files only: fairness.c,
 * fairness_gift.c and fairness_image.c. */
#ifndef ASTRA_FAIRNESS_PRIV_H
#define ASTRA_FAIRNESS_PRIV_H

#include "src/common/member.h"
#include "src/common/number.h"
#include "src/model/fairness.h"

/* FairJob_ij = W_ij min(gpus_ij / W_ij, S). S is the GPUs that one unit of
 * weight is entitled to. It is the same for all jobs of a group: those of one
 * user, or those of a tenant that have no user. So jobs of a group with the
 * same cap gpus/W share one integral I_c = ∫ min(c, S) dt. A job's own F is W
 * (I_c(now) - I_c(when it became active)). Over years I_c grows far larger than
 * such a difference, so it is kept together with what rounding takes from
 * it. */

struct cap {
	double cap;
	struct astra_exact integral;
	uint32_t users; /* how many jobs refer to it */
};

/* A group of a tenant's jobs. A group without active jobs may be settled later
 * than its tenant, since no change of the tenant affects what it is entitled
 * to. */
struct group {
	uint32_t tenant;
	double weight; /* within the tenant */
	double at_sec; /* the time up to which the integrals below go */
	struct astra_usage usage;
	double used_gpu_sec; /* since the period began, without fading */
	double alloc_gpus;
	double uncharged_gpus;		  /* held without charge */
	double demand_gpus;		  /* active jobs only */
	struct astra_exact active_weight; /* ΣW over active jobs and copies */
	uint64_t active_jobs;
	struct cap *caps;
	size_t cap_count, cap_room;
};

struct tenant {
	double weight;
	double at_sec; /* the time up to which the integrals go */
	struct astra_usage usage;
	double gift; /* part of usage.alloc, up to gift_sec; fairness_gift.c */
	double used_gpu_sec; /* as in struct group */
	double alloc_gpus;
	double uncharged_gpus;		  /* as in struct group */
	double demand_gpus;		  /* D_j: that of active jobs, except
					   * jobs with `beside` */
	struct astra_exact active_weight; /* sum over groups with active jobs */
	uint64_t active_jobs;
	uint32_t *groups; /* the first one is for jobs without a user */
	size_t group_count, group_room;
};

struct job {
	uint32_t group;
	uint32_t cap; /* index into the group's caps */
	uint32_t copies;
	bool used;
	bool beside; /* it does not count in its tenant's demand */
	double weight;
	double gpus;
	double alloc_gpus;
	double uncharged_gpus;
	double at_sec;		   /* the time up to which usage goes */
	struct astra_exact origin; /* I_c at at_sec */
	struct astra_usage usage;
};

struct astra_fairness {
	struct astra_fairness_options options;
	double capacity;
	double weights; /* ΣW over all tenants */
	double now_sec;
	double gift_sec; /* the time up to which gifts go */
	struct tenant *tenants;
	size_t tenant_count, tenant_room;
	struct group *groups;
	size_t group_count, group_room;
	struct job *jobs;
	size_t job_count, job_room;
	uint32_t *vacant; /* indices of removed jobs */
	size_t vacant_count, vacant_room;
};

/* fairness_gift.c: bring gifts up to now, before a rate changes. */
void astra_fairness_give(struct astra_fairness *f, double now_sec);
/* fairness.c: return the integral of a unit rate over `sec` seconds. *keep: the
 * factor by which an integral fades in that time. */
double astra_fairness_fade(const struct astra_fairness *f, double sec,
			   double *keep);

/* fairness_image.c: the members of each struct that an image contains. */
extern const struct astra_member astra_image_fairness_members[];
extern const struct astra_member astra_image_fairness_tenant_members[];
extern const struct astra_member astra_image_fairness_group_members[];
extern const struct astra_member astra_image_fairness_cap_members[];
extern const struct astra_member astra_image_fairness_job_members[];

#endif
