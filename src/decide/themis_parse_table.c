/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>

#include "src/decide/decide_themis.h"
#include "src/decide/ids.h"

/* Reads one bid: its rho, and its set of GPUs, which is NULL if it is empty. */
static int parse_bid(const struct astra_in *in, void *element)
{
	const struct themis_instance *whole = in->whole;
	struct astra_themis_listed *bid = element;
	const json_t *array;
	uint64_t *set;
	uint32_t gpu;

	if (astra_in_array(in, "gpus", ASTRA_REQUIRED, &array) < 0)
		return -1;
	set = astra_in_take(in, whole->table_gpus / 64 + 1, sizeof(*set));
	if (!set)
		return -1;
	for (size_t i = 0; i < json_array_size(array); i++) {
		if (!astra_json_whole(json_array_get(array, i), 0, UINT32_MAX,
				      &gpu) ||
		    gpu >= whole->table_gpus)
			return astra_in_fail(in, "gpus",
					     "element %zu must be one of the "
					     "%u GPUs",
					     i, whole->table_gpus);
		if (set[gpu / 64] >> (gpu % 64) & 1)
			return astra_in_fail(in, "gpus", "names GPU %u twice",
					     gpu);
		set[gpu / 64] |= UINT64_C(1) << (gpu % 64);
	}
	bid->gpus = json_array_size(array) ? set : NULL;
	return themis_parse_rho(in, "rho", ASTRA_REQUIRED, THEMIS_RHO_MIN,
				&bid->rho);
}

/* Reads an app with a table of bids. A bid on no GPUs sets rho_empty. A bid
 * with an infinite rho is dropped. */
int themis_parse_table(const struct astra_in *in, void *element)
{
	static const char *const kinds[] = {"table", NULL};
	struct themis_bidder *bidder = element;
	struct astra_themis_listed *bids;
	size_t kind, count;

	bidder->rho_current = -1;
	bidder->table.rho_empty = HUGE_VAL;
	if (astra_in_new_id(in) < 0 ||
	    astra_in_word(in, "kind", ASTRA_REQUIRED, kinds, &kind) < 0 ||
	    themis_parse_rho(in, "rho_empty", ASTRA_OPTIONAL, THEMIS_RHO_MIN,
			     &bidder->table.rho_empty) < 0 ||
	    themis_parse_rho(in, "rho_current", ASTRA_OPTIONAL, 0,
			     &bidder->rho_current) < 0 ||
	    astra_in_list(in, "bids", ASTRA_REQUIRED, sizeof(*bids), parse_bid,
			  &bids, &count) < 0)
		return -1;
	bidder->table.listed = bids;
	for (size_t i = 0; i < count; i++)
		if (!bids[i].gpus)
			bidder->table.rho_empty = bids[i].rho;
		else if (!isinf(bids[i].rho))
			bids[bidder->table.listed_count++] = bids[i];
	return 0;
}
