/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/decide/decide_ogasched.h"
#include "src/decide/instance.h"

static json_t *print_cases(const struct ogasched_instance *in, const double *y)
{
	json_t *array = json_array();

	for (size_t i = 0; i < in->case_count; i++) {
		json_array_append_new(array,
				      astra_out_numbers(y, in->cases[i].count));
		y += in->cases[i].count;
	}
	return array;
}

static json_t *print_allocation(const struct ogasched_instance *in,
				const double *y)
{
	json_t *ports = json_array();

	for (size_t l = 0; l < in->ports; l++) {
		json_t *nodes = json_array();

		for (size_t r = 0; r < in->nodes; r++) {
			json_array_append_new(nodes,
					      astra_out_numbers(y, in->types));
			y += in->types;
		}
		json_array_append_new(ports, nodes);
	}
	return ports;
}

json_t *ogasched_print(const struct ogasched_instance *in,
		       const struct ogasched_result *result)
{
	if (in->project)
		return json_pack("{s:o}", "y", print_cases(in, result->y));
	return json_pack("{s:o, s:o, s:o}", "rewards",
			 astra_out_numbers(result->rewards, in->slots), "total",
			 astra_out_number(result->total), "y",
			 print_allocation(in, result->y));
}

int astra_decide_ogasched(struct astra_in *in, json_t **out)
{
	struct ogasched_instance instance;
	struct ogasched_result result = {0};
	int rc = -1;

	if (ogasched_parse(in, &instance) == 0 &&
	    ogasched_run(&instance, &result, in->err) == 0) {
		*out = ogasched_print(&instance, &result);
		rc = 0;
	}
	ogasched_result_clear(&result);
	return rc;
}
