/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/agent/bid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/text.h"
#include "src/decide/instance.h"

#define RHO_MAX 1e100  /* above it: infinite */
#define ORDER_MAX 4096 /* jobs in one request */

static const char *const levels[ASTRA_LEVEL_COUNT] = {"slot", "machine", "rack",
						      "cross"};

int agent_bid_init(struct agent_bid *bid, const struct agent_offer *offer,
		   struct astra_error *err)
{
	size_t room = offer->job_count + 1;

	*bid = (struct agent_bid){.rho_now = -1};
	bid->order = calloc(room, sizeof(*bid->order));
	bid->stop = calloc(room, sizeof(*bid->stop));
	return bid->order && bid->stop ? 0 : astra_error_nomem(err);
}

void agent_bid_destroy(struct agent_bid *bid)
{
	free(bid->rho);
	free(bid->order);
	free(bid->stop);
	*bid = (struct agent_bid){0};
}

static int bid_compare_turns(const void *a, const void *b)
{
	const struct agent_turn *x = a, *y = b;

	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	if (x->second != y->second)
		return x->second < y->second ? -1 : 1;
	return x->job < y->job ? -1 : x->job > y->job;
}

void agent_bid_order(struct agent_bid *bid, struct agent_turn *turns,
		     size_t count)
{
	if (count)
		qsort(turns, count, sizeof(*turns), bid_compare_turns);
	for (size_t i = 0; i < count; i++)
		bid->order[i] = turns[i].job;
	bid->order_count = count;
}

static bool is_rho(const json_t *value, double *rho)
{
	const char *word = json_string_value(value);

	if (word && !strcmp(word, "inf"))
		*rho = HUGE_VAL;
	else if (json_is_number(value))
		*rho = json_number_value(value);
	else
		return false;
	return isinf(*rho) || (*rho >= 0 && *rho <= RHO_MAX);
}

static int bid_read_level(const struct astra_in *in, const json_t *array,
			  const char *level, double *row)
{
	for (size_t i = 0; i < json_array_size(array); i++)
		if (!is_rho(json_array_get(array, i), &row[i]))
			return astra_in_fail(in, level,
					     "must hold numbers from 0 on or "
					     "\"inf\"");
	return 0;
}

/* Fills a level that the answer leaves out: takes the level before it, times
 * the ratio of their slowdowns. */
static void copy_level(struct agent_bid *bid, const struct agent_offer *offer,
		       size_t level)
{
	double *row = bid->rho + level * bid->gpus_max;
	double ratio = offer->slowdown[level] / offer->slowdown[level - 1];

	for (uint32_t k = 0; k < bid->gpus_max; k++)
		row[k] =
			fmin(row[(int64_t)k - bid->gpus_max] * ratio, HUGE_VAL);
}

static int check_keys(const struct astra_in *in, const char *const *keys,
		      size_t count)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)(uintptr_t)in->object, key, value)
	{
		size_t i = 0;

		while (i < count && strcmp(key, keys[i]) != 0)
			i++;
		if (i == count)
			return astra_in_fail(in, NULL, "unknown key \"%.40s\"",
					     key);
	}
	return 0;
}

static int bid_read_table(const struct astra_in *in,
			  const struct agent_offer *offer,
			  struct agent_bid *bid)
{
	const json_t *array;
	size_t count;

	if (check_keys(in, levels, ASTRA_LEVEL_COUNT) < 0 ||
	    astra_in_array(in, levels[0], ASTRA_REQUIRED, &array) < 0)
		return -1;
	count = json_array_size(array);
	if (!count || count > offer->gpus_max)
		return astra_in_fail(in, levels[0],
				     "must be of 1 to %u GPUs, the offer's "
				     "gpus_max",
				     offer->gpus_max);
	bid->rho = calloc(ASTRA_LEVEL_COUNT * count, sizeof(*bid->rho));
	if (!bid->rho)
		return astra_error_nomem(in->err);
	bid->gpus_max = (uint32_t)count;
	for (size_t i = 0; i < ASTRA_LEVEL_COUNT; i++) {
		if (astra_in_array(in, levels[i], ASTRA_OPTIONAL, &array) < 0)
			return -1;
		if (!array)
			copy_level(bid, offer, i);
		else if (json_array_size(array) != count)
			return astra_in_fail(in, levels[i],
					     "must be as long as \"slot\"");
		else if (bid_read_level(in, array, levels[i],
					bid->rho + i * count) < 0)
			return -1;
	}
	return 0;
}

static int bid_read_jobs(const struct astra_in *in, const char *key,
			 const struct agent_offer *offer, uint32_t *jobs,
			 size_t *count)
{
	const json_t *array;

	if (astra_in_array(in, key, ASTRA_OPTIONAL, &array) < 0)
		return -1;
	if (json_array_size(array) > offer->job_count)
		return astra_in_fail(in, key, "more jobs than were offered");
	for (size_t i = 0; i < json_array_size(array); i++) {
		const json_t *item = json_array_get(array, i);

		if (!astra_json_whole(item, 1, UINT32_MAX - 2, &jobs[i]) ||
		    !agent_offer_job(offer, jobs[i]))
			return astra_in_fail(
				in, key, "entry %zu is no job of the offer", i);
		for (size_t j = 0; j < i; j++)
			if (jobs[j] == jobs[i])
				return astra_in_fail(in, key,
						     "job %u is there twice",
						     jobs[i]);
	}
	*count = json_array_size(array);
	return 0;
}

static int read_answer(const json_t *answer, const struct agent_offer *offer,
		       struct agent_bid *bid, struct astra_error *err)
{
	static const char *const keys[] = {"rho", "rho_now", "jobs", "stop"};
	struct astra_in in = {.object = answer, .err = err}, rho;
	const json_t *now = json_object_get(answer, "rho_now");

	if (!json_is_object(answer))
		return astra_error_set(err, "the answer is no JSON object");
	if (check_keys(&in, keys, sizeof(keys) / sizeof(*keys)) < 0 ||
	    bid_read_jobs(&in, "jobs", offer, bid->order, &bid->order_count) <
		    0 ||
	    bid_read_jobs(&in, "stop", offer, bid->stop, &bid->stop_count) < 0)
		return -1;
	if (now && !json_is_null(now) && !is_rho(now, &bid->rho_now))
		return astra_in_fail(&in, "rho_now",
				     "must be a number from 0 on or \"inf\"");
	if (!json_object_get(answer, "rho") ||
	    json_is_null(json_object_get(answer, "rho")))
		return 0;
	if (astra_in_object(&in, "rho", &rho) < 0)
		return -1;
	return bid_read_table(&rho, offer, bid);
}

int agent_bid_read(struct agent_bid *bid, const struct agent_offer *offer,
		   const char *text, struct astra_error *err)
{
	json_t *answer = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	int rc = agent_bid_init(bid, offer, err);

	if (!rc)
		rc = read_answer(answer, offer, bid, err);
	json_decref(answer);
	return rc;
}

static void put_rho(struct astra_text *out, double rho)
{
	if (rho > RHO_MAX)
		astra_text_printf(out, "\"inf\"");
	else
		astra_text_printf(out, "%.9g", rho);
}

static void bid_put_table(struct astra_text *out, const struct agent_bid *bid)
{
	astra_text_printf(out, "\"rho\":");
	for (size_t i = 0; i < ASTRA_LEVEL_COUNT; i++) {
		const double *row = bid->rho + i * bid->gpus_max;

		astra_text_printf(out, "%s\"%s\":[", i ? "," : "{", levels[i]);
		for (uint32_t k = 0; k < bid->gpus_max; k++) {
			astra_text_printf(out, k ? "," : "");
			put_rho(out, row[k]);
		}
		astra_text_printf(out, "]");
	}
	astra_text_printf(out, "}");
}

static void put_order(struct astra_text *out, const struct agent_bid *bid)
{
	astra_text_printf(out, "\"jobs\":[");
	for (size_t i = 0; i < bid->order_count && i < ORDER_MAX; i++)
		astra_text_printf(out, "%s%u", i ? "," : "", bid->order[i]);
	astra_text_printf(out, "]");
}

char *agent_bid_write(const struct agent_bid *bid)
{
	struct astra_text out = {0};

	astra_text_printf(&out, "{");
	if (bid->rho)
		bid_put_table(&out, bid);
	if (bid->rho_now >= 0) {
		astra_text_printf(&out, "%s\"rho_now\":", bid->rho ? "," : "");
		put_rho(&out, bid->rho_now);
	}
	if (bid->order_count) {
		astra_text_printf(&out, out.size > 1 ? "," : "");
		put_order(&out, bid);
	}
	astra_text_printf(&out, "}");
	if (!out.failed)
		return out.bytes;
	astra_text_clear(&out);
	return NULL;
}
