/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Simulates other policies with the same jobs on the same cluster. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/cmd/sfair/audit.h"

struct policies {
	struct sfair_audit *audit;
	json_t *metrics, *tenants, *sizes;
	struct astra_trace trace; /* of the jobs that ran */
};

static int audit_policies_add(struct policies *p,
			      const struct astra_sim_result *r,
			      const char *name, struct astra_error *err)
{
	json_t *row = sfair_audit_metrics(r, name);
	json_t *tenants = sfair_audit_tenants(p->audit, r, name);
	json_t *sizes = sfair_audit_sizes(p->audit, r, name);
	int rc = row && tenants && sizes ? 0 : astra_error_nomem(err);

	if (!rc) {
		json_array_append(p->metrics, row);
		json_array_extend(p->tenants, tenants);
		json_array_extend(p->sizes, sizes);
	}
	json_decref(row);
	json_decref(tenants);
	json_decref(sizes);
	return rc;
}

/* Adds the real results of those jobs that can be simulated. */
static int add_reality(struct policies *p, struct astra_error *err)
{
	struct astra_sim_result result;
	int rc;

	if (sfair_audit_measure(p->audit, &p->trace, &result, err) < 0)
		return -1;
	rc = audit_policies_add(p, &result, "reality", err);
	astra_sim_result_clear(&result);
	return rc;
}

static int audit_policies_simulate(struct policies *p,
				   const struct astra_scheduler *s,
				   struct astra_error *err)
{
	const struct sfair_audit *a = p->audit;
	const struct astra_sim_options sim = {
		.round_sec = 1,
		.checkpoint_sec = a->args->checkpoint_sec,
		.cold_start_sec = a->args->cold_start_sec,
		.slowdown = {1, 1, 1, 1},
		.interval_sec = a->args->interval_sec,
		.seed = 1,
	};
	struct astra_sim_result result;
	int rc;

	if (!a->args->quiet && isatty(STDERR_FILENO))
		fprintf(stderr, "sfair: simulating %s\n", s->name);
	if (astra_simulate(&p->trace, &a->machine, s, &a->options, &sim,
			   &result, err) < 0)
		return -1;
	rc = astra_contention(&result) < 0
		     ? astra_error_nomem(err)
		     : audit_policies_add(p, &result, s->name, err);
	astra_sim_result_clear(&result);
	return rc;
}

static int simulate_named(struct policies *p, const char *names,
			  struct astra_error *err)
{
	char *copy = strdup(names), *rest = copy, *name;
	int rc = copy ? 0 : astra_error_nomem(err);

	while (!rc && (name = strsep(&rest, ",")))
		rc = audit_policies_simulate(p, astra_scheduler_find(name, err),
					     err);
	free(copy);
	return rc;
}

static int simulate_all(struct policies *p, struct astra_error *err)
{
	const struct astra_scheduler *const *s = astra_scheduler_all();
	int rc = 0;

	for (; !rc && *s; s++)
		rc = audit_policies_simulate(p, *s, err);
	return rc;
}

static int audit_policies_prepare(struct policies *p, struct astra_error *err)
{
	const struct sfair_audit *a = p->audit;

	/* take the order of tenants from the table of what really happened */
	if (astra_trace_copy_tenants(&a->trace, &p->trace) < 0 ||
	    astra_audit_trace(&a->record, &a->window, true, &p->trace) < 0)
		return astra_error_nomem(err);
	astra_trace_fit(&p->trace, a->machine.gpus);
	if (p->trace.job_count)
		return 0;
	return astra_error_set(err, "no job ran in the window: there is "
				    "nothing to simulate");
}

int sfair_audit_policies(struct sfair_audit *audit, json_t *document,
			 struct astra_error *err)
{
	struct policies p = {
		.audit = audit,
		.metrics = json_array(),
		.tenants = json_array(),
		.sizes = json_array(),
	};
	int rc;

	astra_trace_init(&p.trace);
	rc = audit_policies_prepare(&p, err);
	if (!rc)
		rc = add_reality(&p, err);
	if (!rc)
		rc = !strcmp(audit->args->policies, "all")
			     ? simulate_all(&p, err)
			     : simulate_named(&p, audit->args->policies, err);
	astra_trace_clear(&p.trace);
	json_object_set_new(document, "policies", p.metrics);
	json_object_set_new(document, "policy_tenants", p.tenants);
	json_object_set_new(document, "policy_sizes", p.sizes);
	return rc;
}
