/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Incentive's instance and result. */
#ifndef ASTRA_DECIDE_INCENTIVE_H
#define ASTRA_DECIDE_INCENTIVE_H

#include "src/decide/instance.h"
#include "src/policies/incentive/incentive.h"

struct incentive_instance {
	const json_t *json; /* borrowed */
	struct astra_incentive_batches batches;
	struct astra_market_setup setup;
	struct astra_market_job *jobs;
	size_t job_count;
};

struct incentive_result {
	struct astra_market_book book;
	uint32_t *unscheduled;
	size_t unscheduled_count;
	double *gains; /* per user */
};

/* Checks and reads an instance. The memory that out points to belongs to
 * in->arena. Returns 0, or -1 with in->err set. */
int incentive_parse(struct astra_in *in, struct incentive_instance *out);

/* Runs the market. Returns 0, or -1 with err set; clear `out` in both cases. */
int incentive_run(const struct incentive_instance *in,
		  struct incentive_result *out, struct astra_error *err);
void incentive_result_clear(struct incentive_result *result);

/* Returns the result as JSON, a new reference, or NULL when memory is out. */
json_t *incentive_print(const struct incentive_instance *in,
			const struct incentive_result *result);

int astra_decide_incentive(struct astra_in *in, json_t **out);

#endif
