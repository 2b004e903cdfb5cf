/* SPDX-License-Identifier: GPL-2.0-or-later */
/* LTGF's instance and result. */
#ifndef ASTRA_DECIDE_LTGF_H
#define ASTRA_DECIDE_LTGF_H

#include "src/decide/instance.h"
#include "src/model/fairness.h"
#include "src/model/model.h"
#include "src/policies/policy.h"

struct ltgf_tenant {
	double weight;
};

struct ltgf_run {
	double start_sec, end_sec;
};

struct ltgf_job {
	uint32_t tenant;
	uint32_t gpus;
	double weight;
	double submit_sec;
	double end_sec;	       /* infinite: not finished */
	struct ltgf_run *runs; /* disjoint, by time */
	size_t run_count;
	struct astra_share *held;
	size_t held_count;
	bool fresh; /* the instance lists no run */
	bool schedulable;
};

struct ltgf_node {
	uint32_t free, size;
};

struct ltgf_instance {
	const json_t *json; /* borrowed */
	bool quota_entitlement, on_unfit_tenant, new_first, strict;
	uint32_t gpus;
	double begin_sec, now_sec;
	double lease_sec; /* 0: metrics only */
	struct ltgf_tenant *tenants;
	size_t tenant_count;
	struct ltgf_job *jobs;
	size_t job_count;
	struct ltgf_node *nodes;
	size_t node_count;
};

struct ltgf_metric {
	struct astra_usage usage;
	double quota; /* tenants only */
	double rho;
};

struct ltgf_result {
	struct ltgf_metric *tenants, *jobs; /* as in the instance */
	struct astra_allocation grants;
	uint32_t *free_after; /* by node: its free GPUs; NULL: there was no
			       * round */
};

/* Whether the job competes in the round. */
static inline bool ltgf_is_candidate(const struct ltgf_instance *in,
				     const struct ltgf_job *job)
{
	return job->schedulable && job->gpus &&
	       job->submit_sec <= in->now_sec && in->now_sec < job->end_sec;
}

/* Whether the job holds as many GPUs as it asks for; a grant then renews its
 * lease. */
bool ltgf_holds_all(const struct ltgf_job *job);

/* Checks and reads an instance. The memory that out points to belongs to
 * in->arena. Returns 0, or -1 with in->err set. */
int ltgf_parse(struct astra_in *in, struct ltgf_instance *out);

/* Computes out->tenants and out->jobs. Returns 0, or -1 with err set. */
int ltgf_measure(const struct ltgf_instance *in, struct ltgf_result *out,
		 struct astra_error *err);

/* Computes the metrics and, if lease_sec is not 0, the round.
 * Returns 0, or -1 with err set; clear `out` in both cases. */
int ltgf_run(const struct ltgf_instance *in, struct ltgf_result *out,
	     struct astra_error *err);
void ltgf_result_clear(struct ltgf_result *result);

/* Returns the result as JSON, a new reference, or NULL when memory is out. */
json_t *ltgf_print(const struct ltgf_instance *in,
		   const struct ltgf_result *result);

int astra_decide_ltgf(struct astra_in *in, json_t **out);

#endif
