/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>

#include "src/proto/query_write.h"

static json_t *write_number(double value)
{
	return isinf(value) ? json_string("inf") : json_real(value);
}

static json_t *write_rho(const struct astra_curves *rho)
{
	json_t *levels = json_object();

	for (int level = 0; level < ASTRA_LEVEL_COUNT; level++) {
		const double *values = rho->values + rho->first[level];
		json_t *list;

		if (!rho->gpus[level])
			continue;
		list = json_array();
		for (uint32_t k = 0; k < rho->gpus[level]; k++)
			json_array_append_new(list, write_number(values[k]));
		json_object_set_new(levels, astra_level_name(level), list);
	}
	return levels;
}

static json_t *write_order(const struct astra_job_refs *order)
{
	json_t *list = json_array();

	for (size_t i = 0; i < order->count; i++)
		json_array_append_new(list, json_integer(order->refs[i].id));
	return list;
}

void astra_query_write_app(json_t *root, const struct astra_query *query)
{
	const struct astra_query_bid *bid = &query->bid;

	if (query->app)
		json_object_set_new(root, "app", json_string(query->app));
	if (query->user)
		json_object_set_new(root, "user", json_string(query->user));
	if (query->kind != ASTRA_QUERY_BID)
		return;
	if (bid->rho.count)
		json_object_set_new(root, "rho", write_rho(&bid->rho));
	if (bid->rho_now >= 0)
		json_object_set_new(root, "rho_now",
				    write_number(bid->rho_now));
	if (bid->order.count)
		json_object_set_new(root, "jobs", write_order(&bid->order));
}
