/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The round of an instance, by the core: the policy ranks, the placement
 * places. A granted job that finds no place (strict) is excluded and the policy
 * ranks again, so that the others have the room. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/decide/decide_ltgf.h"
#include "src/placement/placement.h"
#include "src/policies/ltgf/ltgf.h"

struct round {
	const struct ltgf_instance *in;
	struct ltgf_result *out;
	struct astra_contest contest;
	struct astra_candidate *candidates; /* .job: index into in->jobs */
	struct astra_contestant *tenants;
	struct astra_ranking ranking;
	struct astra_space *space;  /* all that is free at the beginning */
	struct astra_share *shares; /* scratch: of one place */
	uint32_t strict_node_gpus;
};

void ltgf_result_clear(struct ltgf_result *result)
{
	free(result->tenants);
	free(result->jobs);
	free(result->grants);
	free(result->shares);
	free(result->free_after);
	*result = (struct ltgf_result){0};
}

static void fill_contest(struct round *r)
{
	const struct ltgf_instance *in = r->in;
	size_t count = 0;

	for (size_t i = 0; i < in->tenant_count; i++)
		r->tenants[i] = (struct astra_contestant){
			.usage = r->out->tenants[i].usage,
			.quota = r->out->tenants[i].quota,
			.entitled = in->tenants[i].weight > 0,
		};
	for (uint32_t i = 0; i < in->job_count; i++) {
		const struct ltgf_job *job = &in->jobs[i];

		if (!ltgf_is_candidate(in, job))
			continue;
		r->candidates[count++] = (struct astra_candidate){
			.job = i,
			.tenant = job->tenant,
			.gpus = job->gpus,
			.charge = job->gpus,
			.submit_sec = job->submit_sec,
			.rho = r->out->jobs[i].rho,
			.fresh = job->fresh,
			.latest_start_sec = HUGE_VAL,
		};
	}
	r->contest = (struct astra_contest){
		.now_sec = in->now_sec,
		.lease_sec = in->lease_sec,
		.gpus = astra_space_gpus(r->space),
		.candidates = r->candidates,
		.candidate_count = count,
		.tenants = r->tenants,
		.tenant_count = in->tenant_count,
	};
}

static int fill_space(struct round *r)
{
	const struct ltgf_instance *in = r->in;
	uint32_t free_max = 0, size_max = 0;

	for (size_t i = 0; i < in->node_count; i++) {
		if (in->nodes[i].free > free_max)
			free_max = in->nodes[i].free;
		if (in->nodes[i].size > size_max)
			size_max = in->nodes[i].size;
	}
	if (in->strict)
		r->strict_node_gpus = size_max;
	r->space = astra_space_create(in->node_count, free_max);
	if (!r->space)
		return -1;
	for (uint32_t i = 0; i < in->node_count; i++)
		astra_space_set(r->space, i,
				&(struct astra_room){
					.gpus = in->nodes[i].free,
					.cpus = UINT32_MAX,
					.mem_mib = UINT64_MAX,
				});
	return 0;
}

static int round_init(struct round *r)
{
	const struct ltgf_instance *in = r->in;
	size_t jobs = in->job_count + 1;

	r->candidates = calloc(jobs, sizeof(*r->candidates));
	r->tenants = calloc(in->tenant_count + 1, sizeof(*r->tenants));
	r->ranking.choices = calloc(jobs, sizeof(*r->ranking.choices));
	r->shares = calloc(in->node_count + 1, sizeof(*r->shares));
	r->out->grants = calloc(jobs, sizeof(*r->out->grants));
	r->out->free_after =
		calloc(in->node_count + 1, sizeof(*r->out->free_after));
	if (!r->candidates || !r->tenants || !r->ranking.choices ||
	    !r->shares || !r->out->grants || !r->out->free_after ||
	    fill_space(r) < 0)
		return -1;
	fill_contest(r);
	return 0;
}

static void round_fini(struct round *r)
{
	free(r->candidates);
	free(r->tenants);
	free(r->ranking.choices);
	free(r->shares);
	astra_space_destroy(r->space);
}

static bool holds_all(const struct ltgf_job *job)
{
	uint64_t held = 0;

	for (size_t i = 0; i < job->held_count; i++)
		held += job->held[i].gpus;
	return held == job->gpus;
}

static int add_grant(struct ltgf_result *out, uint32_t job, bool renew,
		     const struct astra_share *shares, size_t count)
{
	if (astra_grow(&out->shares, &out->share_room, out->share_count + count,
		       sizeof(*shares)) < 0)
		return -1;
	memcpy(&out->shares[out->share_count], shares, count * sizeof(*shares));
	out->grants[out->grant_count++] = (struct ltgf_grant){
		.job = job,
		.renew = renew,
		.first_share = out->share_count,
		.share_count = count,
	};
	out->share_count += count;
	return 0;
}

/* Jobs that hold their full set keep exactly these GPUs. */
static void take_renewed(const struct round *r, struct astra_space *space)
{
	for (size_t i = 0; i < r->ranking.count; i++) {
		const struct astra_choice *c = &r->ranking.choices[i];
		const struct ltgf_job *job =
			&r->in->jobs[r->candidates[c->candidate].job];

		if (!c->granted || !holds_all(job))
			continue;
		for (size_t k = 0; k < job->held_count; k++)
			astra_space_take(space, &job->held[k]);
	}
}

/* Give a granted job its GPUs.
 * Returns 1, 0 when there is no place, or -1 when memory is out. */
static int ltgf_run_settle(struct round *r, struct astra_space *space,
			   const struct astra_candidate *c)
{
	const struct ltgf_job *job = &r->in->jobs[c->job];
	const struct astra_request request = {.gpus = job->gpus};
	size_t count;

	if (holds_all(job))
		return add_grant(r->out, c->job, true, job->held,
				 job->held_count) < 0
			       ? -1
			       : 1;
	count = astra_place(space, &request, NULL, r->strict_node_gpus,
			    r->shares);
	for (size_t i = 0; i < count; i++)
		astra_space_take(space, &r->shares[i]);
	if (!count)
		return 0;
	return add_grant(r->out, c->job, false, r->shares, count) < 0 ? -1 : 1;
}

/* Place what the ranking grants. Returns as settle(); 0: a job is excluded. */
static int ltgf_run_place_all(struct round *r, struct astra_space *space)
{
	r->out->grant_count = r->out->share_count = 0;
	take_renewed(r, space);
	for (size_t i = 0; i < r->ranking.count; i++) {
		const struct astra_choice *choice = &r->ranking.choices[i];
		struct astra_candidate *c = &r->candidates[choice->candidate];
		int rc = choice->granted ? ltgf_run_settle(r, space, c) : 1;

		if (rc <= 0) {
			c->excluded = true;
			return rc;
		}
	}
	for (uint32_t i = 0; i < r->in->node_count; i++)
		r->out->free_after[i] = astra_space_get(space, i)->gpus;
	return 1;
}

static int ltgf_run_decide(struct round *r, void *policy,
			   struct astra_error *err)
{
	for (;;) {
		struct astra_space *space;
		int placed;

		if (astra_ltgf.decide(policy, &r->contest, &r->ranking, err) <
		    0)
			return -1;
		space = astra_space_copy(r->space);
		placed = space ? ltgf_run_place_all(r, space) : -1;
		astra_space_destroy(space);
		if (placed)
			return placed < 0 ? astra_error_nomem(err) : 0;
	}
}

static int ltgf_run_round(const struct ltgf_instance *in,
			  struct ltgf_result *out, struct astra_error *err)
{
	struct round r = {.in = in, .out = out};
	struct astra_options options;
	void *policy;
	int rc;

	astra_options_init(&options);
	options.attained_first = false; /* the paper's rules */
	options.within_users = false;
	options.on_unfit_tenant = in->on_unfit_tenant;
	options.new_first = in->new_first;
	policy = astra_ltgf.create(&options, err);
	if (!policy)
		return -1;
	rc = round_init(&r) < 0 ? astra_error_nomem(err)
				: ltgf_run_decide(&r, policy, err);
	round_fini(&r);
	astra_ltgf.destroy(policy);
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
