/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/decide/decide_themis.h"
#include "src/decide/ids.h"

/* Returns an app's id in the form that the instance has; a new reference. */
static json_t *app_id(const struct themis_instance *in, size_t app)
{
	return astra_out_id(in->json, "apps", app);
}

static json_t *themis_print_shares(struct astra_themis_shares shares)
{
	json_t *array = json_array();

	for (size_t i = 0; i < shares.count; i++)
		json_array_append_new(array,
				      astra_out_pair(shares.share[i].machine,
						     shares.share[i].gpus));
	return array;
}

static json_t *print_alloc(const struct themis_instance *in, size_t app,
			   json_t *alloc)
{
	return json_pack("{s:o, s:o}", "app", app_id(in, app), "alloc", alloc);
}

static json_t *print_bidders(const struct themis_instance *in,
			     const uint32_t *bidders, size_t count)
{
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(array, app_id(in, bidders[i]));
	return array;
}

static json_t *print_rho_now(const struct themis_instance *in,
			     const struct astra_themis_claim *claims)
{
	json_t *array = json_array();

	for (size_t i = 0; i < in->market.app_count; i++)
		json_array_append_new(
			array,
			json_pack("{s:o, s:o}", "app", app_id(in, i), "rho",
				  astra_out_number(claims[i].rho)));
	return array;
}

/* Returns the GPUs that each bidder won. With `kept`, returns those that it
 * keeps. */
static json_t *print_bundles(const struct themis_instance *in,
			     const struct astra_themis_round *round, bool kept)
{
	json_t *array = json_array();

	for (size_t i = 0; i < round->bidder_count; i++) {
		struct astra_themis_shares shares =
			kept ? astra_themis_kept(round, i)
			     : astra_themis_pf(&round->auction, i);

		json_array_append_new(array,
				      print_alloc(in, round->bidders[i],
						  themis_print_shares(shares)));
	}
	return array;
}

/* Returns the apps that got leftover GPUs, and which GPUs each got. */
static json_t *print_gifts(const struct themis_instance *in,
			   const struct astra_themis_round *round)
{
	json_t *array = json_array(), *alloc = NULL;

	for (size_t i = 0; i < round->gift_count; i++) {
		const struct astra_themis_gift *g = &round->gifts[i];

		if (!i || g->taker != round->gifts[i - 1].taker) {
			alloc = json_array();
			json_array_append_new(array,
					      print_alloc(in, g->taker, alloc));
		}
		json_array_append_new(
			alloc, astra_out_pair(g->share.machine, g->share.gpus));
	}
	return array;
}

static json_t *print_idle(const struct themis_instance *in,
			  const uint32_t *idle)
{
	json_t *array = json_array();

	for (size_t i = 0; i < in->market.machine_count; i++)
		if (idle[i])
			json_array_append_new(array,
					      astra_out_pair(i, idle[i]));
	return array;
}

/* Returns the result of an auction. It has "gap" only if pf is not proved to be
 * optimal. */
static json_t *print_counts(const struct themis_instance *in,
			    const struct astra_themis_round *round)
{
	const struct astra_themis_auction *auction = &round->auction;
	json_t *json = json_pack(
		"{s:o, s:o, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "rho",
		print_rho_now(in, round->claims), "participants",
		print_bidders(in, round->bidders, round->bidder_count),
		"served", (json_int_t)auction->served, "log_product",
		astra_out_number(auction->log_product), "pf",
		print_bundles(in, round, false), "c",
		astra_out_numbers(auction->c, round->bidder_count), "final",
		print_bundles(in, round, true), "leftover",
		print_gifts(in, round), "idle", print_idle(in, round->idle));

	if (json && !auction->exact)
		json_object_set_new(
			json, "gap",
			astra_out_number(astra_themis_auction_gap(auction)));
	return json;
}

/* Returns the GPUs of a listed set. */
static json_t *print_set(const struct themis_instance *in, size_t app,
			 uint32_t choice)
{
	json_t *array = json_array();
	const uint64_t *set;

	if (choice == ASTRA_NONE)
		return array;
	set = in->tables[app].table.listed[choice].gpus;
	for (uint32_t gpu = 0; gpu < in->table_gpus; gpu++)
		if (set[gpu / 64] >> (gpu % 64) & 1)
			json_array_append_new(array, json_integer(gpu));
	return array;
}

static json_t *print_choices(const struct themis_instance *in,
			     const struct themis_result *result,
			     const uint32_t *choices)
{
	json_t *array = json_array();

	for (size_t i = 0; i < result->bidder_count; i++) {
		uint32_t app = result->bidders[i];

		json_array_append_new(
			array,
			json_pack("{s:o, s:o}", "app", app_id(in, app), "gpus",
				  print_set(in, app, choices[i])));
	}
	return array;
}

static json_t *themis_print_table(const struct themis_instance *in,
				  const struct themis_result *result)
{
	const struct astra_themis_table *table = &result->table;

	return json_pack(
		"{s:o, s:I, s:o, s:o, s:o, s:o}", "participants",
		print_bidders(in, result->bidders, result->bidder_count),
		"served", (json_int_t)table->served, "log_product",
		astra_out_number(table->log_product), "pf",
		print_choices(in, result, table->pf), "c",
		astra_out_numbers(table->c, result->bidder_count), "final",
		print_choices(in, result, table->kept));
}

static json_t *print_rho(const struct themis_instance *in,
			 const struct themis_result *result)
{
	const struct astra_themis_market *market = &in->market;
	json_t *array = json_array();

	for (size_t i = 0; i < market->app_count; i++) {
		double ideal_sec = astra_themis_ideal(&market->apps[i],
						      market->cluster_gpus);
		json_t *rho = astra_out_numbers(
			result->rho + i * in->bundle_count, in->bundle_count);

		json_array_append_new(array,
				      json_pack("{s:o, s:o, s:o}", "app",
						app_id(in, i), "t_id",
						astra_out_number(ideal_sec),
						"rho", rho));
	}
	return json_pack("{s:o}", "rho", array);
}

json_t *themis_print(const struct themis_instance *in,
		     const struct themis_result *result)
{
	switch (in->mode) {
	case THEMIS_TABLE:
		return themis_print_table(in, result);
	case THEMIS_RHO:
		return print_rho(in, result);
	default:
		return print_counts(in, &result->round);
	}
}

int astra_decide_themis(struct astra_in *in, json_t **out)
{
	struct themis_instance instance;
	struct themis_result result = {0};
	int rc = -1;

	if (themis_parse(in, &instance) == 0 &&
	    themis_run(&instance, &result, in->err) == 0) {
		*out = themis_print(&instance, &result);
		rc = 0;
	}
	themis_result_clear(&result);
	return rc;
}
