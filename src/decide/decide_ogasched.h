/* SPDX-License-Identifier: GPL-2.0-or-later */
/* OGASched's instance and result. In addition to the schema, an instance may
 * have `gangs` [{`ports` [l, …], `need` m}]. The ports of a gang are the
 * components of one job, and arrive together. */
#ifndef ASTRA_DECIDE_OGASCHED_H
#define ASTRA_DECIDE_OGASCHED_H

#include "src/decide/instance.h"
#include "src/policies/ogasched/ogasched.h"

/* One projection (mode "project"). */
struct ogasched_case {
	size_t count;
	double *z, *a;
	double c;
};

struct ogasched_instance {
	bool project;
	enum astra_ogas_algo algo;
	struct astra_ogas_options options;
	bool fair; /* y(1) */
	size_t ports, nodes, types, slots;
	double *request;		  /* [ports][types] */
	double *capacity;		  /* [nodes][types] */
	double *alpha;			  /* [nodes][types] */
	double *beta;			  /* [types] */
	enum astra_ogas_utility *utility; /* [nodes][types] */
	uint32_t *x;			  /* [slots][ports] */
	uint32_t *copies;		  /* by port: its most jobs in any
					   * slot */
	uint32_t *gang, *need;		  /* per port */
	uint32_t *edges;		  /* nodes, port by port */
	size_t *first_edge;		  /* per port, and the end */
	struct ogasched_case *cases;
	size_t case_count;
};

struct ogasched_result {
	double *rewards; /* per slot */
	double total;
	double *y; /* [ports][nodes][types]; or case by case */
};

/* Checks and reads an instance. The memory that out points to belongs to
 * in->arena. Returns 0, or -1 with in->err set. */
int ogasched_parse(struct astra_in *in, struct ogasched_instance *out);

/* Runs the slots, or the projections. Returns 0, or -1 with err set; clear
 * `out` in both cases. */
int ogasched_run(const struct ogasched_instance *in,
		 struct ogasched_result *out, struct astra_error *err);
void ogasched_result_clear(struct ogasched_result *result);

/* Returns the result as JSON, a new reference, or NULL when memory is out. */
json_t *ogasched_print(const struct ogasched_instance *in,
		       const struct ogasched_result *result);

int astra_decide_ogasched(struct astra_in *in, json_t **out);

#endif
