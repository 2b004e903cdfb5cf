/* SPDX-License-Identifier: GPL-2.0-or-later */
/* OASiS's instance and result. */
#ifndef ASTRA_DECIDE_OASIS_H
#define ASTRA_DECIDE_OASIS_H

#include "src/decide/instance.h"
#include "src/policies/oasis/oasis.h"

struct oasis_instance {
	const json_t *json; /* borrowed */
	uint32_t slots;	    /* T */
	bool whole_chunks;
	size_t resources;
	double *h, *k; /* capacities, by server */
	size_t h_count, k_count;
	struct astra_oasis_job *jobs;
	size_t job_count;
	struct astra_oasis_range range; /* as given, or else computed from the
					 * jobs */
};

struct oasis_verdict {
	size_t job; /* index into the instance's jobs */
	struct astra_oasis_offer offer;
};

struct oasis_result {
	struct oasis_verdict *verdicts; /* in the order of arrival */
	size_t count;
	double total_utility;
};

/* Checks and reads an instance. The memory that out points to belongs to
 * in->arena. Returns 0, or -1 with in->err set. */
int oasis_parse(struct astra_in *in, struct oasis_instance *out);

/* Offers each job to the market, in order of arrival, and commits the accepted
 * ones.
 * Returns 0, or -1 with err set; clear `out` in both cases. */
int oasis_run(const struct oasis_instance *in, struct oasis_result *out,
	      struct astra_error *err);
void oasis_result_clear(struct oasis_result *result);

/* Returns the result as JSON, a new reference, or NULL when memory is out. */
json_t *oasis_print(const struct oasis_instance *in,
		    const struct oasis_result *result);

int astra_decide_oasis(struct astra_in *in, json_t **out);

#endif
