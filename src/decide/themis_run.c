/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "src/decide/decide_themis.h"
#include "src/policies/themis/themis.h"

void themis_result_clear(struct themis_result *result)
{
	astra_themis_round_clear(&result->round);
	astra_themis_table_clear(&result->table);
	free(result->bidders);
	free(result->rho);
	*result = (struct themis_result){0};
}

static int run_rho(const struct themis_instance *in, struct themis_result *out)
{
	const struct astra_themis_market *market = &in->market;

	out->rho = calloc(market->app_count * in->bundle_count + 1,
			  sizeof(*out->rho));
	if (!out->rho)
		return -1;
	for (size_t i = 0; i < market->app_count; i++)
		for (size_t b = 0; b < in->bundle_count; b++)
			if (astra_themis_rho(
				    &market->apps[i], market->cluster_gpus,
				    in->bundles[b].gpus, in->bundles[b].level,
				    &out->rho[i * in->bundle_count + b]) < 0)
				return -1;
	return 0;
}

/* Chooses the bidders among apps with tables of bids. The present rho of such
 * an app is rho_current or, if not given, rho_empty. An app takes part if it
 * lists any bid. */
static int themis_run_choose_bidders(const struct themis_instance *in,
				     struct themis_result *out)
{
	size_t count = in->market.app_count;
	struct astra_themis_claim *claims = calloc(count + 1, sizeof(*claims));

	out->bidders = calloc(count + 1, sizeof(*out->bidders));
	for (size_t i = 0; claims && i < count; i++) {
		const struct themis_bidder *b = &in->tables[i];

		claims[i] = (struct astra_themis_claim){
			.wants = b->table.listed_count > 0,
			.rho = b->rho_current < 0 ? b->table.rho_empty
						  : b->rho_current,
		};
	}
	if (claims && out->bidders)
		out->bidder_count =
			astra_themis_filter(claims, count, in->market.f,
					    in->table_gpus, out->bidders);
	free(claims);
	return claims && out->bidders ? 0 : -1;
}

static int run_table(const struct themis_instance *in,
		     struct themis_result *out)
{
	struct astra_themis_table_bidder *bidders;
	int rc;

	if (themis_run_choose_bidders(in, out) < 0)
		return -1;
	bidders = calloc(out->bidder_count + 1, sizeof(*bidders));
	if (!bidders)
		return -1;
	for (size_t i = 0; i < out->bidder_count; i++)
		bidders[i] = in->tables[out->bidders[i]].table;
	rc = astra_themis_table_run(in->table_gpus, bidders, out->bidder_count,
				    &out->table);
	free(bidders);
	return rc;
}

int themis_run(const struct themis_instance *in, struct themis_result *out,
	       struct astra_error *err)
{
	int rc;

	if (in->mode == THEMIS_COUNTS)
		return astra_themis_round_run(&in->market, &out->round, err);
	rc = in->mode == THEMIS_RHO ? run_rho(in, out) : run_table(in, out);
	return rc < 0 ? astra_error_nomem(err) : 0;
}
