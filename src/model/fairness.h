/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Long-term GPU-time fairness between tenants, users and jobs (ASTRAEA, Ye et
 * al., Eqs. 1 to 16; users are an addition).
 *
 * Keeps, for every tenant, user and job, two exact integrals over time:
 *   A = ∫ Alloc(t) dt, the GPU seconds it had, and
 *   F = ∫ Fair(t) dt,  the GPU seconds it was entitled to.
 * All rates are constant between events. So an event costs O(1) for jobs. For
 * the tenant it costs O(active users, and distinct request sizes of each). A
 * change of the capacity or of a weight costs O(tenants).
 *
 *   Quota_j        = M W_j / ΣW                                    (Eq. 6)
 *   FairTenant_j   = min(Σ active gpus, Quota_j)                   (Eq. 8)
 *                  or Quota_j                                      (Eq. 16)
 *   FairJob_ij     = Active_ij min(gpus_ij,
 *                      min(D_j, Quota_j) W_ij / Σ active W)  (Eqs. 3, 13, 14)
 *   rho            = A / F                                   (Eqs. 12, 15)
 * If there are users, a user's jobs share what the user is entitled to, instead
 * of what the tenant is entitled to. A user u relates to its tenant as the
 * tenant does to the cluster (Eq. 8), and a job to its tenant (Eq. 13):
 *   FairUser_uj    = min(D_uj, min(D_j, Quota_j) W_uj / Σ W of active users)
 * replaces min(D_j, Quota_j) for the user's jobs.
 *
 * With a half-life h every integrand is weighted by 2^-((now-t)/h), exact under
 * piecewise-constant rates.
 *
 * Tenants and jobs are named by indices that stay valid until removed. Times
 * must not go backwards: an earlier time counts as the latest time seen. No
 * clock, no locks. */
#ifndef ASTRA_FAIRNESS_H
#define ASTRA_FAIRNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct astra_fairness;

struct astra_fairness_options {
	bool quota_entitlement; /* Eq. 16 in place of Eq. 8 for tenants */
	double half_life_sec;	/* 0: no fading, as in the paper */
	double lead_max_sec;	/* limit of an idle tenant's F - A, in seconds
				 * of its quota; 0: no limit */
};

/* A and F in GPU seconds, up to the time asked for. */
struct astra_usage {
	double alloc;
	double fair;
};

/* Make an empty account that begins at begin_sec with capacity 0. Returns NULL
 * when memory is out. Free with astra_fairness_destroy(). */
struct astra_fairness *
astra_fairness_create(const struct astra_fairness_options *options,
		      double begin_sec);
void astra_fairness_destroy(struct astra_fairness *f);

/* Change the options from now on. What is accounted already stays. */
void astra_fairness_set_options(struct astra_fairness *f, double now_sec,
				const struct astra_fairness_options *options);

/* Set M, the GPUs of the cluster (or of the pool). */
void astra_fairness_set_capacity(struct astra_fairness *f, double now_sec,
				 double gpus);

/* Add a tenant. Returns its index, or ASTRA_NONE when memory is out. */
uint32_t astra_fairness_add_tenant(struct astra_fairness *f, double now_sec,
				   double weight);
void astra_fairness_set_weight(struct astra_fairness *f, double now_sec,
			       uint32_t tenant, double weight);

/* Add a user within a tenant. A user costs nothing while it has no active jobs.
 * weight: >= 0. Returns the user's index, or ASTRA_NONE when memory is out. */
uint32_t astra_fairness_add_user(struct astra_fairness *f, double now_sec,
				 uint32_t tenant, double weight);
void astra_fairness_set_user_weight(struct astra_fairness *f, double now_sec,
				    uint32_t user, double weight);

/* Add an inactive job without GPUs. gpus: its request, at least 1. Returns its
 * index, or ASTRA_NONE when memory is out. */
uint32_t astra_fairness_add_job(struct astra_fairness *f, uint32_t tenant,
				double weight, double gpus);
/* Add a job of a user, as astra_fairness_add_job() does. A tenant's jobs
 * without a user are treated as the jobs of one more user, of weight 1. */
uint32_t astra_fairness_add_user_job(struct astra_fairness *f, uint32_t user,
				     double weight, double gpus);

/* Add a job that starts with the integrals up to now of another job: a task is
 * split from its array. Tenant, weight and request are the same. */
uint32_t astra_fairness_split_job(struct astra_fairness *f, double now_sec,
				  uint32_t job);

/* Set how many copies of the job are active; 0: not active. The tasks of an
 * array are alike, so one record stands for all tasks that have not started. */
void astra_fairness_set_active(struct astra_fairness *f, double now_sec,
			       uint32_t job, uint32_t copies);
/* Set whether the job may have GPUs only in place of other jobs of its tenant,
 * since a limit of the tenant is used up. Such a job and its user are due a
 * part of what the tenant is due, but the tenant is not due more because of the
 * job. */
void astra_fairness_set_beside(struct astra_fairness *f, double now_sec,
			       uint32_t job, bool beside);

uint32_t astra_fairness_active(const struct astra_fairness *f, uint32_t job);

/* Set the GPUs that the job holds from now on; 0: none. */
void astra_fairness_set_alloc(struct astra_fairness *f, double now_sec,
			      uint32_t job, double gpus);
/* Set the GPUs that the job holds from now on in addition, without a charge. */
void astra_fairness_set_uncharged(struct astra_fairness *f, double now_sec,
				  uint32_t job, double gpus);

/* Forget a job. Its tenant and user keep what was accounted for it. */
void astra_fairness_remove_job(struct astra_fairness *f, double now_sec,
			       uint32_t job);

/* Return the integrals up to now; those of a job are per copy. */
struct astra_usage astra_fairness_tenant(const struct astra_fairness *f,
					 double now_sec, uint32_t tenant);
struct astra_usage astra_fairness_user(const struct astra_fairness *f,
				       double now_sec, uint32_t user);
struct astra_usage astra_fairness_job(const struct astra_fairness *f,
				      double now_sec, uint32_t job);
/* Whether a job has never held any GPU. If so, its rho is 0 as soon as it is
 * entitled to something. */
bool astra_fairness_unserved(const struct astra_fairness *f, uint32_t job);

/* Move all times by by_sec, because the clock was set. */
void astra_fairness_shift(struct astra_fairness *f, double by_sec);

/* Set stored integrals, to continue from them after a restart. */
void astra_fairness_restore_tenant(struct astra_fairness *f, double now_sec,
				   uint32_t tenant, struct astra_usage usage);
void astra_fairness_restore_user(struct astra_fairness *f, double now_sec,
				 uint32_t user, struct astra_usage usage);
void astra_fairness_restore_job(struct astra_fairness *f, double now_sec,
				uint32_t job, struct astra_usage usage);

/* Return the GPU seconds that a tenant, or a user, has had since the last
 * period began, up to now. They do not fade with the half-life. */
double astra_fairness_tenant_used(const struct astra_fairness *f,
				  double now_sec, uint32_t tenant);
double astra_fairness_user_used(const struct astra_fairness *f, double now_sec,
				uint32_t user);
/* Begin a new period, in which nothing has been used yet. */
void astra_fairness_begin_period(struct astra_fairness *f, double now_sec);
/* Set the saved GPU seconds that a tenant, or a user, has used in this
 * period. */
void astra_fairness_restore_tenant_used(struct astra_fairness *f,
					double now_sec, uint32_t tenant,
					double used_gpu_sec);
void astra_fairness_restore_user_used(struct astra_fairness *f, double now_sec,
				      uint32_t user, double used_gpu_sec);

/* Return a tenant's gift, in GPU seconds: the part of what it had beyond its
 * due that no other tenant lacked (fairness_gift.c). The next tenant is found
 * by A - gift, so a gift is not paid back. Reports and Eq. 12 include gifts.
 * Exact, as the integrals are. O(tenants) for each time at which something
 * changes. */
double astra_fairness_tenant_gift(struct astra_fairness *f, double now_sec,
				  uint32_t tenant);
/* Set a stored gift, to continue from it. Call after the integrals are
 * restored. */
void astra_fairness_restore_tenant_gift(struct astra_fairness *f,
					uint32_t tenant, double gpu_sec);

/* Return the present Quota_j in GPUs, or the present active demand D_j. */
double astra_fairness_quota(const struct astra_fairness *f, uint32_t tenant);
double astra_fairness_demand(const struct astra_fairness *f, uint32_t tenant);
/* Return a user's part of its tenant's quota, if the user is active. */
double astra_fairness_user_quota(const struct astra_fairness *f, uint32_t user);

/* Return the GPUs that a user is due now, of those that its tenant is due. */
double astra_fairness_user_due(const struct astra_fairness *f, uint32_t user);

/* Return the GPUs that the jobs of a tenant, or of a user, hold now, including
 * uncharged ones. */
double astra_fairness_alloc(const struct astra_fairness *f, uint32_t tenant);
double astra_fairness_user_alloc(const struct astra_fairness *f, uint32_t user);

double astra_fairness_capacity(const struct astra_fairness *f);

/* Return how many bytes of the account a job takes. */
size_t astra_fairness_bytes_per_job(void);

/* Return A / F. If F = 0, return infinity if there was use or the weight gives
 * no entitlement. Otherwise return 0, so that a job that was never served goes
 * first. */
double astra_rho(struct astra_usage usage, bool entitled);

/* Write an exact image of the account, or make an account from an image
 * (fairness_image.c). astra_fairness_get() returns NULL when the data is
 * damaged or memory is out. */
struct astra_bytes;
struct astra_reader;
void astra_fairness_put(const struct astra_fairness *f,
			struct astra_bytes *out);
struct astra_fairness *astra_fairness_get(struct astra_reader *in);
/* Whether the account has a tenant, a user or a job with that index. */
bool astra_fairness_has_tenant(const struct astra_fairness *f, uint32_t tenant);
bool astra_fairness_has_user(const struct astra_fairness *f, uint32_t user);
bool astra_fairness_has_job(const struct astra_fairness *f, uint32_t job);

#endif
