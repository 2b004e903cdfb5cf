/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/decide/decide_incentive.h"
#include "src/decide/instance.h"

static json_t *incentive_print_pair(uint32_t server, uint32_t count)
{
	return json_pack("[I, I]", (json_int_t)server, (json_int_t)count);
}

static json_t *print_workers(const struct astra_market_deal *deal,
			     const struct astra_market_part *parts)
{
	json_t *array = json_array();

	for (size_t i = 0; i < deal->part_count; i++)
		json_array_append_new(array,
				      incentive_print_pair(parts[i].server,
							   parts[i].workers));
	return array;
}

static json_t *print_ps(const struct astra_market_deal *deal)
{
	json_t *array = json_array();

	if (deal->ps)
		json_array_append_new(
			array, incentive_print_pair(deal->ps_server, deal->ps));
	return array;
}

static json_t *print_income(const struct incentive_instance *in,
			    const double *incomes)
{
	json_t *array = json_array();

	for (size_t u = 0; u < in->setup.user_count; u++)
		json_array_append_new(array, astra_out_number(incomes[u]));
	return array;
}

static json_t *print_deal(const struct incentive_instance *in,
			  const struct astra_market_book *book,
			  const struct astra_market_deal *deal)
{
	json_t *row = json_pack(
		"{s:o, s:I, s:I, s:s, s:I, s:I, s:o, s:o, s:i}", "job",
		json_deep_copy(in->job_ids[deal->job]), "interval",
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
			print_income(in, &book->incomes[deal->first_income]));
	return row;
}

static json_t *print_gains(const struct incentive_instance *in,
			   const struct incentive_result *result)
{
	json_t *object = json_object();
	char text[32];

	for (size_t u = 0; u < in->setup.user_count; u++)
		json_object_set_new(object,
				    incentive_user_name(in->user_ids[u], text),
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
			json_deep_copy(in->job_ids[result->unscheduled[i]]));
	return json_pack("{s:o, s:o, s:o, s:o}", "schedule", schedule,
			 "total_utility", astra_out_number(total), "gain",
			 print_gains(in, result), "unscheduled", unscheduled);
}

json_t *astra_decide_incentive(const json_t *json, struct astra_error *err)
{
	struct incentive_instance instance;
	struct incentive_result result = {0};
	json_t *out = NULL;

	if (incentive_parse(json, &instance, err) == 0 &&
	    incentive_run(&instance, &result, err) == 0) {
		out = incentive_print(&instance, &result);
		if (!out)
			astra_error_nomem(err);
	}
	incentive_result_clear(&result);
	incentive_instance_clear(&instance);
	return out;
}
