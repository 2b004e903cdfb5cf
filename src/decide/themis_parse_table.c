/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>

#include "src/decide/decide_themis.h"

/* The set of one bid. Returns the number of its GPUs, or -1 with err set. */
static int parse_set(const struct astra_in *in,
		     const struct themis_instance *instance, uint64_t *set)
{
	const json_t *array;
	uint32_t gpu;

	if (astra_in_array(in, "gpus", ASTRA_REQUIRED, &array) < 0)
		return -1;
	for (size_t i = 0; i < json_array_size(array); i++) {
		if (!astra_json_whole(json_array_get(array, i), 0, UINT32_MAX,
				      &gpu) ||
		    gpu >= instance->table_gpus)
			return astra_in_fail(in, "gpus",
					     "element %zu must be one of the "
					     "%u GPUs",
					     i, instance->table_gpus);
		if (set[gpu / 64] >> (gpu % 64) & 1)
			return astra_in_fail(in, "gpus", "names GPU %u twice",
					     gpu);
		set[gpu / 64] |= UINT64_C(1) << (gpu % 64);
	}
	return (int)json_array_size(array);
}

/* One bid. That on no GPU at all is rho_empty; an unbounded one is none. */
static int parse_bid(const struct astra_in *in,
		     struct themis_instance *instance,
		     struct astra_themis_table_bidder *bidder,
		     struct astra_themis_listed *listed)
{
	uint64_t *set = themis_take(in, instance, instance->table_gpus / 64 + 1,
				    sizeof(*set));
	double rho;
	int gpus;

	if (!set)
		return -1;
	gpus = parse_set(in, instance, set);
	if (gpus < 0 || themis_parse_rho(in, "rho", ASTRA_REQUIRED,
					 THEMIS_RHO_MIN, &rho) < 0)
		return -1;
	if (!gpus)
		bidder->rho_empty = rho;
	else if (!isinf(rho))
		listed[bidder->listed_count++] = (struct astra_themis_listed){
			.gpus = set,
			.rho = rho,
		};
	return 0;
}

int themis_parse_table(const struct astra_in *in, struct themis_instance *out,
		       size_t index)
{
	static const char *const kinds[] = {"table", NULL};
	struct astra_themis_table_bidder *bidder = &out->tables[index];
	struct astra_themis_listed *listed;
	const json_t *array;
	size_t kind;

	bidder->rho_empty = HUGE_VAL;
	out->apps[index].rho_current = -1;
	if (themis_parse_word(in, "kind", kinds, &kind) < 0 ||
	    themis_parse_rho(in, "rho_empty", ASTRA_OPTIONAL, THEMIS_RHO_MIN,
			     &bidder->rho_empty) < 0 ||
	    themis_parse_rho(in, "rho_current", ASTRA_OPTIONAL, 0,
			     &out->apps[index].rho_current) < 0 ||
	    astra_in_array(in, "bids", ASTRA_REQUIRED, &array) < 0)
		return -1;
	listed = themis_take(in, out, json_array_size(array), sizeof(*listed));
	if (!listed)
		return -1;
	bidder->listed = listed;
	for (size_t i = 0; i < json_array_size(array); i++) {
		struct astra_in at;

		if (astra_in_element(in, "bids", array, i, &at) < 0 ||
		    parse_bid(&at, out, bidder, listed) < 0)
			return -1;
	}
	return 0;
}
