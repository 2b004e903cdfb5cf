/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Themis' instance and result. */
#ifndef ASTRA_DECIDE_THEMIS_H
#define ASTRA_DECIDE_THEMIS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/common/arena.h"
#include "src/common/error.h"
#include "src/decide/instance.h"
#include "src/policies/themis/table.h"
#include "src/policies/themis/themis.h"

enum themis_mode { THEMIS_COUNTS, THEMIS_TABLE, THEMIS_RHO };

/* GPUs of a cluster, so that the tables of bids have an end. */
#define THEMIS_GPUS_MAX 100000

/* rho that is stated is larger, or V would have no end. */
#define THEMIS_RHO_MIN 1e-100

struct themis_bundle {
	uint32_t gpus;
	enum astra_level level;
};

/* All memory is of the arena, ids are borrowed from the JSON instance. */
struct themis_instance {
	struct astra_arena arena;
	enum themis_mode mode;
	double now_sec;
	double slowdown[ASTRA_LEVEL_COUNT]; /* of apps without their own */
	struct astra_themis_market market;
	struct astra_themis_machine *machines;	  /* of the market */
	struct astra_themis_app *apps;		  /* of the market */
	const json_t **ids;			  /* of each app */
	struct astra_themis_table_bidder *tables; /* TABLE: of each app */
	uint32_t table_gpus;
	struct themis_bundle *bundles; /* RHO */
	size_t bundle_count;
};

struct themis_result {
	struct astra_themis_round round; /* COUNTS */
	uint32_t *bidders;		 /* TABLE: apps, the worst off first */
	size_t bidder_count;
	struct astra_themis_table table;
	/* RHO: rho[app * bundle_count + bundle] */
	double *rho;
};

/* Check and read an instance. json: an object; must outlive `out`.
 * Returns 0, or -1 with err set; clear `out` in both cases. */
int themis_parse(const json_t *json, struct themis_instance *out,
		 struct astra_error *err);
void themis_instance_clear(struct themis_instance *instance);

/* Read the app at `index`: what SINGLE and PHASES need, or its table. */
int themis_parse_app(const struct astra_in *in, struct themis_instance *out,
		     size_t index);
int themis_parse_table(const struct astra_in *in, struct themis_instance *out,
		       size_t index);

/* rho of something: a number or "inf". */
int themis_parse_rho(const struct astra_in *in, const char *key,
		     enum astra_need need, double min, double *out);

/* One of some words, required; out: its index. */
int themis_parse_word(const struct astra_in *in, const char *key,
		      const char *const *words, size_t *out);

/* S of each level, optional. */
int themis_parse_slowdown(const struct astra_in *in, const char *key,
			  double *out);

/* Memory of the instance. Returns NULL with in->err set when it is out. */
void *themis_take(const struct astra_in *in, struct themis_instance *instance,
		  size_t count, size_t size);

/* Returns 0, or -1 with err set; clear `out` in both cases. */
int themis_run(const struct themis_instance *in, struct themis_result *out,
	       struct astra_error *err);
void themis_result_clear(struct themis_result *result);

/* Returns a new reference, or NULL when memory is out. */
json_t *themis_print(const struct themis_instance *in,
		     const struct themis_result *result);

json_t *astra_decide_themis(const json_t *instance, struct astra_error *err);

#endif
