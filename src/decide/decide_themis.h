/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Themis' instance and result. */
#ifndef ASTRA_DECIDE_THEMIS_H
#define ASTRA_DECIDE_THEMIS_H

#include "src/decide/instance.h"
#include "src/policies/themis/table.h"
#include "src/policies/themis/themis.h"

enum themis_mode { THEMIS_COUNTS, THEMIS_TABLE, THEMIS_RHO };

/* Most GPUs of a cluster; limits the size of the tables of bids. */
#define THEMIS_GPUS_MAX 100000

/* Least stated rho; limits V = 1 / rho. */
#define THEMIS_RHO_MIN 1e-100

struct themis_bundle {
	uint32_t gpus;
	enum astra_level level;
};

/* An app with a table of bids. */
struct themis_bidder {
	struct astra_themis_table_bidder table;
	double rho_current; /* < 0: not given */
};

struct themis_instance {
	const json_t *json; /* borrowed */
	enum themis_mode mode;
	double now_sec;
	double slowdown[ASTRA_LEVEL_COUNT]; /* default of the apps */
	struct astra_themis_market market;
	struct themis_bidder *tables; /* TABLE: one per app */
	uint32_t table_gpus;
	struct themis_bundle *bundles; /* RHO */
	size_t bundle_count;
};

struct themis_result {
	struct astra_themis_round round; /* COUNTS */
	uint32_t *bidders;		 /* TABLE: the bidding apps, the worst
					  * off first */
	size_t bidder_count;
	struct astra_themis_table table;
	/* RHO: rho[app * bundle_count + bundle] */
	double *rho;
};

/* Checks and reads an instance. The memory that out points to belongs to
 * in->arena. Returns 0, or -1 with in->err set. */
int themis_parse(struct astra_in *in, struct themis_instance *out);

/* Read an app into a struct astra_themis_app (parse_app), or into a struct
 * themis_bidder (parse_table). */
astra_in_reader themis_parse_app, themis_parse_table;

/* Reads a rho: a number of at least min, or "inf". */
int themis_parse_rho(const struct astra_in *in, const char *key,
		     enum astra_need need, double min, double *out);

/* Runs the auction, or computes rho. Returns 0, or -1 with err set; clear `out`
 * in both cases. */
int themis_run(const struct themis_instance *in, struct themis_result *out,
	       struct astra_error *err);
void themis_result_clear(struct themis_result *result);

/* Returns the result as JSON, a new reference, or NULL when memory is out. */
json_t *themis_print(const struct themis_instance *in,
		     const struct themis_result *result);

int astra_decide_themis(struct astra_in *in, json_t **out);

#endif
