/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/decide/decide_oasis.h"
#include "src/decide/ids.h"

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
					astra_out_id(in->json, "jobs", v->job),
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

json_t *oasis_print(const struct oasis_instance *in,
		    const struct oasis_result *result)
{
	const struct astra_oasis_range *range = &in->range;
	size_t resources = in->resources;

	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "jobs",
			 oasis_print_jobs(in, result), "total_utility",
			 astra_out_number(result->total_utility), "alpha",
			 astra_out_number(astra_oasis_alpha(range, resources)),
			 "U1", astra_out_numbers(range->u1, resources), "U2",
			 astra_out_numbers(range->u2, resources), "L1",
			 astra_out_number(range->l1), "L2",
			 astra_out_number(range->l2));
}

int astra_decide_oasis(struct astra_in *in, json_t **out)
{
	struct oasis_instance instance;
	struct oasis_result result = {0};
	int rc = -1;

	if (oasis_parse(in, &instance) == 0 &&
	    oasis_run(&instance, &result, in->err) == 0) {
		*out = oasis_print(&instance, &result);
		rc = 0;
	}
	oasis_result_clear(&result);
	return rc;
}
