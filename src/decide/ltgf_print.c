/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/decide/decide_ltgf.h"
#include "src/decide/ids.h"

/* Adds the fields of a metric to a row. */
static json_t *add_metric(json_t *row, const struct ltgf_metric *m)
{
	json_object_set_new(row, "alloc", astra_out_number(m->usage.alloc));
	json_object_set_new(row, "fair", astra_out_number(m->usage.fair));
	json_object_set_new(row, "rho", astra_out_number(m->rho));
	return row;
}

static json_t *ltgf_print_tenants(const struct ltgf_instance *in,
				  const struct ltgf_result *result)
{
	json_t *array = json_array();

	for (size_t i = 0; i < in->tenant_count; i++) {
		const struct ltgf_metric *m = &result->tenants[i];
		json_t *row = json_pack("{s:o, s:o}", "id",
					astra_out_id(in->json, "tenants", i),
					"quota", astra_out_number(m->quota));

		json_array_append_new(array, add_metric(row, m));
	}
	return array;
}

static json_t *ltgf_print_jobs(const struct ltgf_instance *in,
			       const struct ltgf_result *result)
{
	json_t *array = json_array();

	for (size_t i = 0; i < in->job_count; i++) {
		json_t *row = json_pack("{s:o}", "id",
					astra_out_id(in->json, "jobs", i));

		json_array_append_new(array, add_metric(row, &result->jobs[i]));
	}
	return array;
}

static json_t *ltgf_print_shares(const struct astra_share *shares, size_t count)
{
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(
			array, astra_out_pair(shares[i].node, shares[i].gpus));
	return array;
}

static json_t *print_grants(const struct ltgf_instance *in,
			    const struct astra_allocation *grants)
{
	json_t *array = json_array();

	for (size_t i = 0; i < grants->award_count; i++) {
		const struct astra_award *a = &grants->awards[i];
		const struct ltgf_job *job = &in->jobs[a->demand];
		json_t *nodes = ltgf_print_shares(
			&grants->shares[a->first_share], a->share_count);

		json_array_append_new(
			array,
			json_pack("{s:o, s:b, s:o}", "job",
				  astra_out_id(in->json, "jobs", a->demand),
				  "renew", ltgf_holds_all(job), "nodes",
				  nodes));
	}
	return array;
}

static json_t *print_free(const struct ltgf_instance *in,
			  const struct ltgf_result *result)
{
	json_t *array = json_array();

	for (size_t i = 0; i < in->node_count; i++)
		json_array_append_new(array,
				      json_integer(result->free_after[i]));
	return array;
}

json_t *ltgf_print(const struct ltgf_instance *in,
		   const struct ltgf_result *result)
{
	json_t *json = json_pack("{s:o, s:o}", "tenants",
				 ltgf_print_tenants(in, result), "jobs",
				 ltgf_print_jobs(in, result));

	if (json && result->free_after) {
		json_object_set_new(json, "grants",
				    print_grants(in, &result->grants));
		json_object_set_new(json, "free_after", print_free(in, result));
	}
	return json;
}

int astra_decide_ltgf(struct astra_in *in, json_t **out)
{
	struct ltgf_instance instance;
	struct ltgf_result result = {0};
	int rc = -1;

	if (ltgf_parse(in, &instance) == 0 &&
	    ltgf_run(&instance, &result, in->err) == 0) {
		*out = ltgf_print(&instance, &result);
		rc = 0;
	}
	ltgf_result_clear(&result);
	return rc;
}
