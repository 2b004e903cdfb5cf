/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/decide/decide_oasis.h"
#include "src/decide/instance.h"

static json_t *print_places(const struct astra_oasis_places *places)
{
	json_t *array = json_array();

	for (size_t i = 0; i < places->count; i++) {
		const struct astra_oasis_place *p = &places->list[i];

		json_array_append_new(array, json_pack("[I, I, I]",
						       (json_int_t)p->slot,
						       (json_int_t)p->server,
						       (json_int_t)p->count));
	}
	return array;
}

static json_t *oasis_print_jobs(const struct oasis_instance *in,
				const struct oasis_result *result)
{
	json_t *array = json_array();

	for (size_t i = 0; i < result->count; i++) {
		const struct oasis_verdict *v = &result->verdicts[i];
		const struct astra_oasis_offer *o = &v->offer;
		json_t *row = json_pack("{s:o, s:b, s:o}", "id",
					json_deep_copy(in->jobs[v->job].id),
					"accepted", o->accepted, "payoff",
					astra_out_number(o->payoff));

		if (row && o->accepted) {
			json_object_set_new(row, "utility",
					    astra_out_number(o->utility));
			json_object_set_new(row, "t_hat",
					    json_integer(o->t_hat));
			json_object_set_new(row, "y", print_places(&o->y));
			json_object_set_new(row, "z", print_places(&o->z));
		}
		json_array_append_new(array, row);
	}
	return array;
}

static json_t *print_vector(const double *values, size_t count)
{
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(array, astra_out_number(values[i]));
	return array;
}

json_t *oasis_print(const struct oasis_instance *in,
		    const struct oasis_result *result)
{
	const struct astra_oasis_range *range = &in->range;
	size_t resources = in->resources;

	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "jobs",
			 oasis_print_jobs(in, result), "total_utility",
			 astra_out_number(result->total_utility), "alpha",
			 astra_out_number(astra_oasis_alpha(range, resources)),
			 "U1", print_vector(range->u1, resources), "U2",
			 print_vector(range->u2, resources), "L1",
			 astra_out_number(range->l1), "L2",
			 astra_out_number(range->l2));
}

json_t *astra_decide_oasis(const json_t *json, struct astra_error *err)
{
	struct oasis_instance instance;
	struct oasis_result result = {0};
	json_t *out = NULL;

	if (oasis_parse(json, &instance, err) == 0 &&
	    oasis_run(&instance, &result, err) == 0) {
		out = oasis_print(&instance, &result);
		if (!out)
			astra_error_nomem(err);
	}
	oasis_result_clear(&result);
	oasis_instance_clear(&instance);
	return out;
}
