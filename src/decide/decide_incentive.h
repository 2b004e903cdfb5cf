/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Incentive's instance and result. */
#ifndef ASTRA_DECIDE_INCENTIVE_H
#define ASTRA_DECIDE_INCENTIVE_H

#include <jansson.h>

#include "src/common/error.h"
#include "src/policies/incentive/incentive.h"

struct incentive_instance {
	struct astra_incentive_batches batches;
	struct astra_market_setup setup; /* points to these */
	struct astra_market_room *servers, *quotas;
	const json_t **user_ids; /* all ids are borrowed from the instance */
	struct astra_market_job *jobs;
	const json_t **job_ids;
	size_t job_count;
};

struct incentive_result {
	struct astra_market_book book;
	uint32_t *unscheduled;
	size_t unscheduled_count;
	double *gains; /* per user */
};

/* A user's name in the result; text is used for numbers. */
const char *incentive_user_name(const json_t *id, char text[32]);

/* Check and read an instance. json: an object; must outlive `out`.
 * Returns 0, or -1 with err set; clear `out` in both cases. */
int incentive_parse(const json_t *json, struct incentive_instance *out,
		    struct astra_error *err);
void incentive_instance_clear(struct incentive_instance *instance);

/* Returns 0, or -1 with err set; clear `out` in both cases. */
int incentive_run(const struct incentive_instance *in,
		  struct incentive_result *out, struct astra_error *err);
void incentive_result_clear(struct incentive_result *result);

/* Returns a new reference, or NULL when memory is out. */
json_t *incentive_print(const struct incentive_instance *in,
			const struct incentive_result *result);

json_t *astra_decide_incentive(const json_t *instance, struct astra_error *err);

#endif
