/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs the round of an instance through the engine's own contest. A job that
 * holds all its GPUs is running, and its lease expires now. All other jobs
 * wait. */
#include <stdio.h>
#include <stdlib.h>

#include "src/decide/decide_ltgf.h"
#include "src/engine/contest.h"
#include "src/policies/options.h"

#define NAME_SIZE 12

struct stage {
	struct astra_node *nodes;
	struct astra_tenant *tenants;
	char (*names)[NAME_SIZE];
	struct astra_job *jobs;
	struct astra_standing *tenant_standings, *job_standings;
};

void ltgf_result_clear(struct ltgf_result *result)
{
	free(result->tenants);
	free(result->jobs);
	free(result->grants.awards);
	free(result->grants.shares);
	free(result->free_after);
	*result = (struct ltgf_result){0};
}

bool ltgf_holds_all(const struct ltgf_job *job)
{
	uint64_t held = 0;

	for (size_t i = 0; i < job->held_count; i++)
		held += job->held[i].gpus;
	return held == job->gpus;
}

static void stage_tenants(struct stage *s, const struct ltgf_instance *in,
			  const struct ltgf_result *result)
{
	for (size_t i = 0; i < in->tenant_count; i++) {
		snprintf(s->names[i], NAME_SIZE, "%u", (unsigned int)i);
		s->tenants[i] = (struct astra_tenant){
			.name = s->names[i],
			.weight = in->tenants[i].weight,
		};
		s->tenant_standings[i].usage = result->tenants[i].usage;
	}
}

static void stage_jobs(struct stage *s, const struct ltgf_instance *in,
		       const struct ltgf_result *result)
{
	for (uint32_t i = 0; i < in->job_count; i++) {
		const struct ltgf_job *job = &in->jobs[i];
		struct astra_job *to = &s->jobs[i];

		*to = (struct astra_job){
			.id = i + 1,
			.tenant = job->tenant,
			.user = ASTRA_NONE,
			.copies = 1,
			.weight = job->weight,
			.request.gpus = job->gpus,
			.state = ASTRA_JOB_BLOCKED,
			.submit_sec = job->submit_sec,
			.start_sec = in->now_sec,
			.revocable = true,
		};
		s->job_standings[i] = (struct astra_standing){
			.usage = result->jobs[i].usage,
			.ran = !job->fresh,
		};
		if (!ltgf_is_candidate(in, job))
			continue;
		to->state = ASTRA_JOB_PENDING;
		if (!ltgf_holds_all(job))
			continue;
		to->state = ASTRA_JOB_RUNNING;
		to->held = job->held;
		to->held_count = job->held_count;
		for (size_t k = 0; k < job->held_count; k++)
			s->nodes[job->held[k].node].gpus_free -=
				job->held[k].gpus;
	}
}

static int stage_init(struct stage *s, const struct ltgf_instance *in,
		      const struct ltgf_result *result)
{
	s->nodes = calloc(in->node_count + 1, sizeof(*s->nodes));
	s->tenants = calloc(in->tenant_count + 1, sizeof(*s->tenants));
	s->names = calloc(in->tenant_count + 1, sizeof(*s->names));
	s->jobs = calloc(in->job_count + 1, sizeof(*s->jobs));
	s->tenant_standings =
		calloc(in->tenant_count + 1, sizeof(*s->tenant_standings));
	s->job_standings = calloc(in->job_count + 1, sizeof(*s->job_standings));
	if (!s->nodes || !s->tenants || !s->names || !s->jobs ||
	    !s->tenant_standings || !s->job_standings)
		return -1;
	for (size_t i = 0; i < in->node_count; i++)
		s->nodes[i] = (struct astra_node){
			.usable = true,
			.gpus = in->nodes[i].size,
			.gpus_free = in->nodes[i].free,
			.cpus = UINT32_MAX,
			.cpus_free = UINT32_MAX,
			.mem_free_mib = ASTRA_UNCOUNTED_MIB,
		};
	stage_tenants(s, in, result);
	stage_jobs(s, in, result);
	return 0;
}

static void stage_fini(struct stage *s)
{
	free(s->nodes);
	free(s->tenants);
	free(s->names);
	free(s->jobs);
	free(s->tenant_standings);
	free(s->job_standings);
}

/* Returns the options of LTGF as in the paper, without our additions. */
static struct astra_options ltgf_run_options(const struct ltgf_instance *in)
{
	struct astra_options o;

	astra_options_init(&o);
	o.attained_first = o.within_users = false;
	o.half_life_sec = o.lead_max_sec = o.min_run_sec = 0;
	o.lease_sec = in->lease_sec;
	o.on_unfit_tenant = in->on_unfit_tenant;
	o.new_first = in->new_first;
	o.strict_placement = in->strict;
	return o;
}

static int ltgf_run_round(const struct ltgf_instance *in,
			  struct ltgf_result *out, struct astra_error *err)
{
	struct astra_options options = ltgf_run_options(in);
	struct stage s = {0};
	int rc = stage_init(&s, in, out);
	struct astra_snapshot snapshot = {
		.now_sec = in->now_sec,
		.nodes = s.nodes,
		.node_count = in->node_count,
		.tenants = s.tenants,
		.tenant_count = in->tenant_count,
		.jobs = s.jobs,
		.job_count = in->job_count,
	};
	struct astra_standings standings = {
		.capacity = in->gpus,
		.tenants = s.tenant_standings,
		.jobs = s.job_standings,
	};

	out->free_after = calloc(in->node_count + 1, sizeof(*out->free_after));
	if (rc < 0 || !out->free_after)
		rc = astra_error_nomem(err);
	else
		rc = astra_contest_decide(&options, &snapshot, &standings,
					  &out->grants, out->free_after, err);
	stage_fini(&s);
	return rc;
}

int ltgf_run(const struct ltgf_instance *in, struct ltgf_result *out,
	     struct astra_error *err)
{
	*out = (struct ltgf_result){0};
	if (ltgf_measure(in, out, err) < 0)
		return -1;
	return in->lease_sec > 0 ? ltgf_run_round(in, out, err) : 0;
}
