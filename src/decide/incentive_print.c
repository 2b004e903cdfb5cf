/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/decide/decide_incentive.h"
#include "src/decide/ids.h"

static json_t *print_workers(const struct astra_market_deal *deal,
			     const struct astra_market_part *parts)
{
	json_t *array = json_array();

	for (size_t i = 0; i < deal->part_count; i++)
		json_array_append_new(array, astra_out_pair(parts[i].server,
							    parts[i].workers));
	return array;
}

static json_t *print_ps(const struct astra_market_deal *deal)
{
	json_t *array = json_array();

	if (deal->ps)
		json_array_append_new(
			array, astra_out_pair(deal->ps_server, deal->ps));
	return array;
}

static json_t *print_deal(const struct incentive_instance *in,
			  const struct astra_market_book *book,
			  const struct astra_market_deal *deal)
{
	json_t *row = json_pack(
		"{s:o, s:I, s:I, s:s, s:I, s:I, s:o, s:o, s:i}", "job",
		astra_out_id(in->json, "jobs", deal->job), "interval",
		(json_int_t)deal->interval, "round", (json_int_t)deal->round,
		"phase", deal->shared ? "shared" : "own", "start",
		(json_int_t)deal->start, "end", (json_int_t)deal->end, "y",
		print_workers(deal, &book->parts[deal->first_part]), "z",
		print_ps(deal), "zeta", deal->centralized ? 1 : 0);
	const struct {
		const char *key;
		double value;
	} numbers[] = {
		{"mu", deal->mu},	{"shadow_cost", deal->cost},
		{"ideal", deal->value}, {"pay_w", deal->pay_w},
		{"pay_p", deal->pay_p}, {"utility", deal->utility},
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		json_object_set_new(row, numbers[i].key,
				    astra_out_number(numbers[i].value));
	if (deal->shared)
		json_object_set_new(
			row, "income",
			astra_out_numbers(&book->incomes[deal->first_income],
					  in->setup.user_count));
	return row;
}

static json_t *print_gains(const struct incentive_instance *in,
			   const struct incentive_result *result)
{
	json_t *object = json_object();
	char text[32];

	for (size_t u = 0; u < in->setup.user_count; u++)
		json_object_set_new(
			object,
			astra_id_text(astra_id_find(in->json, "users", u),
				      text),
			astra_out_number(result->gains[u]));
	return object;
}

json_t *incentive_print(const struct incentive_instance *in,
			const struct incentive_result *result)
{
	json_t *schedule = json_array(), *unscheduled = json_array();
	double total = 0;

	for (size_t i = 0; i < result->book.count; i++) {
		const struct astra_market_deal *deal = &result->book.deals[i];

		total += deal->utility;
		json_array_append_new(schedule,
				      print_deal(in, &result->book, deal));
	}
	for (size_t i = 0; i < result->unscheduled_count; i++)
		json_array_append_new(
			unscheduled,
			astra_out_id(in->json, "jobs", result->unscheduled[i]));
	return json_pack("{s:o, s:o, s:o, s:o}", "schedule", schedule,
			 "total_utility", astra_out_number(total), "gain",
			 print_gains(in, result), "unscheduled", unscheduled);
}

int astra_decide_incentive(struct astra_in *in, json_t **out)
{
	struct incentive_instance instance;
	struct incentive_result result = {0};
	int rc = -1;

	if (incentive_parse(in, &instance) == 0 &&
	    incentive_run(&instance, &result, in->err) == 0) {
		*out = incentive_print(&instance, &result);
		rc = 0;
	}
	incentive_result_clear(&result);
	return rc;
}
