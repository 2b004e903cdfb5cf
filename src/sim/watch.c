/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sim/watch.h"

#include <math.h>
#include <stdlib.h>

#include "src/common/grow.h"

int astra_watch_init(struct astra_watch *w, const struct astra_trace *trace,
		     uint64_t gpus, bool quota_entitlement, double interval_sec,
		     struct astra_sim_result *result)
{
	struct astra_fairness_options options = {
		.quota_entitlement = quota_entitlement,
	};

	*w = (struct astra_watch){.trace = trace, .result = result};
	w->account = astra_fairness_create(&options, 0);
	w->tenants = calloc(trace->tenant_count + 1, sizeof(*w->tenants));
	w->before = calloc(trace->tenant_count + 1, sizeof(*w->before));
	w->jobs = calloc(trace->job_count + 1, sizeof(*w->jobs));
	w->next_sec = interval_sec > 0 ? interval_sec : HUGE_VAL;
	if (!w->account || !w->tenants || !w->before || !w->jobs)
		return -1;
	astra_fairness_set_capacity(w->account, 0, (double)gpus);
	for (size_t i = 0; i < trace->tenant_count; i++) {
		w->tenants[i] = astra_fairness_add_tenant(
			w->account, 0, trace->tenants[i].weight);
		if (w->tenants[i] == ASTRA_NONE)
			return -1;
	}
	return 0;
}

void astra_watch_clear(struct astra_watch *w)
{
	astra_fairness_destroy(w->account);
	free(w->tenants);
	free(w->before);
	free(w->jobs);
	free(w->user_accounts);
	free(w->user_next);
	free(w->user_first);
	*w = (struct astra_watch){0};
}

/* Users. */

int astra_watch_as(struct astra_watch *w,
		   const struct astra_fairness_options *options,
		   astra_user_weight *weight, const void *arg)
{
	size_t users = w->trace->user_count;

	astra_fairness_set_options(w->account, 0, options);
	w->user_weight = weight;
	w->user_weight_arg = arg;
	if (!weight)
		return 0;
	w->user_first = calloc(users + 1, sizeof(*w->user_first));
	if (!w->user_first)
		return -1;
	for (size_t i = 0; i < users; i++)
		w->user_first[i] = ASTRA_NONE;
	return 0;
}

/* Adds a user's row to the result. Returns its index, or ASTRA_NONE if out of
 * memory. */
static uint32_t watch_add_user(struct astra_watch *w, uint32_t tenant,
			       uint32_t user, double now_sec)
{
	struct astra_sim_result *r = w->result;
	size_t at = r->user_count;
	double weight = w->user_weight(w->user_weight_arg,
				       w->trace->tenants[tenant].name,
				       w->trace->users[user]);

	if (astra_grow(&r->users, &w->user_room, at + 1, sizeof(*r->users)) <
		    0 ||
	    astra_grow(&w->user_accounts, &w->user_account_room, at + 1,
		       sizeof(*w->user_accounts)) < 0 ||
	    astra_grow(&w->user_next, &w->user_next_room, at + 1,
		       sizeof(*w->user_next)) < 0)
		return ASTRA_NONE;
	w->user_accounts[at] = astra_fairness_add_user(
		w->account, now_sec, w->tenants[tenant], weight);
	if (w->user_accounts[at] == ASTRA_NONE)
		return ASTRA_NONE;
	r->users[at] = (struct astra_sim_user){.tenant = tenant, .user = user};
	w->user_next[at] = w->user_first[user];
	w->user_first[user] = (uint32_t)at;
	return (uint32_t)r->user_count++;
}

static uint32_t watch_user(struct astra_watch *w, uint32_t tenant,
			   uint32_t user, double now_sec)
{
	uint32_t at = w->user_first[user];

	while (at != ASTRA_NONE && w->result->users[at].tenant != tenant)
		at = w->user_next[at];
	return at == ASTRA_NONE ? watch_add_user(w, tenant, user, now_sec) : at;
}

/* Adds a job. Returns its id in the account, or ASTRA_NONE if out of memory. */
static uint32_t watch_add_job(struct astra_watch *w,
			      const struct astra_trace_job *t, double now_sec)
{
	uint32_t user;

	if (!w->user_first)
		return astra_fairness_add_job(w->account, w->tenants[t->tenant],
					      1, t->gpus);
	user = watch_user(w, t->tenant, t->user, now_sec);
	if (user == ASTRA_NONE)
		return ASTRA_NONE;
	return astra_fairness_add_user_job(w->account, w->user_accounts[user],
					   1, t->gpus);
}

/* Adds the row of an interval: each tenant's GPU time and entitlement in it.
 * Returns 0, or -1 if out of memory or full. */
static int close_interval(struct astra_watch *w, double end_sec)
{
	struct astra_sim_result *r = w->result;
	size_t tenants = w->trace->tenant_count, at = r->interval_count;
	struct astra_sim_cell *row;

	w->full = (at + 1) * tenants > ASTRA_WATCH_ROWS;
	if (w->full)
		return -1;
	if (astra_grow(&r->cells, &w->cell_room, (at + 1) * tenants,
		       sizeof(*r->cells)) < 0 ||
	    astra_grow(&r->used_gpu_sec, &w->used_room, at + 1,
		       sizeof(*r->used_gpu_sec)) < 0)
		return -1;
	row = r->cells + at * tenants;
	r->used_gpu_sec[at] = 0;
	for (size_t i = 0; i < tenants; i++) {
		struct astra_usage u = astra_fairness_tenant(
			w->account, end_sec, w->tenants[i]);

		row[i].alloc_gpu_sec = u.alloc - w->before[i].alloc;
		row[i].fair_gpu_sec = u.fair - w->before[i].fair;
		r->used_gpu_sec[at] += row[i].alloc_gpu_sec;
		w->before[i] = u;
	}
	r->interval_count++;
	return 0;
}

static int watch_advance(struct astra_watch *w, double now_sec)
{
	while (w->next_sec <= now_sec) {
		if (close_interval(w, w->next_sec) < 0)
			return -1;
		w->next_sec += w->result->interval_sec;
	}
	return 0;
}

int astra_watch_submit(struct astra_watch *w, uint32_t job, double now_sec)
{
	const struct astra_trace_job *t = &w->trace->jobs[job];

	if (watch_advance(w, now_sec) < 0)
		return -1;
	w->jobs[job] = watch_add_job(w, t, now_sec);
	if (w->jobs[job] == ASTRA_NONE)
		return -1;
	astra_fairness_set_active(w->account, now_sec, w->jobs[job], 1);
	return 0;
}

int astra_watch_start(struct astra_watch *w, uint32_t job, uint32_t gpus,
		      double now_sec)
{
	if (watch_advance(w, now_sec) < 0)
		return -1;
	astra_fairness_set_alloc(w->account, now_sec, w->jobs[job], gpus);
	return 0;
}

int astra_watch_stop(struct astra_watch *w, uint32_t job, double now_sec)
{
	if (watch_advance(w, now_sec) < 0)
		return -1;
	astra_fairness_set_alloc(w->account, now_sec, w->jobs[job], 0);
	return 0;
}

static void watch_read_job(struct astra_watch *w, uint32_t job, double now_sec)
{
	struct astra_usage u =
		astra_fairness_job(w->account, now_sec, w->jobs[job]);
	struct astra_sim_job *out = &w->result->jobs[job];

	out->alloc_gpu_sec = u.alloc;
	out->fair_gpu_sec = u.fair;
}

int astra_watch_done(struct astra_watch *w, uint32_t job, double now_sec)
{
	if (watch_advance(w, now_sec) < 0)
		return -1;
	watch_read_job(w, job, now_sec);
	astra_fairness_set_alloc(w->account, now_sec, w->jobs[job], 0);
	astra_fairness_set_active(w->account, now_sec, w->jobs[job], 0);
	astra_fairness_remove_job(w->account, now_sec, w->jobs[job]);
	return 0;
}

int astra_watch_drop(struct astra_watch *w, uint32_t job, double now_sec)
{
	if (watch_advance(w, now_sec) < 0)
		return -1;
	astra_fairness_set_active(w->account, now_sec, w->jobs[job], 0);
	return 0;
}

int astra_watch_finish(struct astra_watch *w, double now_sec)
{
	struct astra_sim_result *r = w->result;

	if (watch_advance(w, now_sec) < 0)
		return -1;
	for (uint32_t i = 0; i < w->trace->job_count; i++)
		if (r->jobs[i].end_sec < 0 &&
		    w->trace->jobs[i].submit_sec <= now_sec)
			watch_read_job(w, i, now_sec);
	for (size_t i = 0; i < w->trace->tenant_count; i++) {
		struct astra_usage u = astra_fairness_tenant(
			w->account, now_sec, w->tenants[i]);

		r->tenants[i].alloc_gpu_sec = u.alloc;
		r->tenants[i].fair_gpu_sec = u.fair;
	}
	for (size_t i = 0; i < r->user_count; i++) {
		struct astra_usage u = astra_fairness_user(w->account, now_sec,
							   w->user_accounts[i]);

		r->users[i].alloc_gpu_sec = u.alloc;
		r->users[i].fair_gpu_sec = u.fair;
	}
	if (isfinite(w->next_sec) && now_sec > w->next_sec - r->interval_sec)
		return close_interval(w, now_sec);
	return 0;
}
