/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Readers and checks of the values of a request's keys. Each returns
 * ASTRA_FAULT_NONE, or a fault with err naming the key. For INTERNAL the caller
 * sets err. */
#ifndef ASTRA_QUERY_READ_H
#define ASTRA_QUERY_READ_H

#include <jansson.h>

#include "src/proto/query.h"

typedef enum astra_fault astra_read_key(const json_t *value,
					struct astra_query *out,
					struct astra_error *err);

/* query_read.c */
astra_read_key astra_read_nothing, astra_read_users, astra_read_accounts,
	astra_read_pools, astra_read_fields, astra_read_jobs,
	astra_read_one_job, astra_read_mine, astra_read_reset,
	astra_read_public, astra_read_run, astra_read_done, astra_read_total,
	astra_read_step, astra_read_iter, astra_read_loss;

/* query_read_bid.c */
astra_read_key astra_read_app, astra_read_user, astra_read_rho,
	astra_read_rho_now, astra_read_order;

astra_read_key astra_read_ticket;

astra_read_key astra_read_report, astra_read_start, astra_read_end,
	astra_read_top;

astra_read_key astra_read_adopt, astra_read_replace;

/* Checks that the keys of an adopt request fit together. */
enum astra_fault astra_check_adopt(const struct astra_query *query,
				   struct astra_error *err);

/* Checks a report's window, and that the report supports the filters in the
 * request. */
enum astra_fault astra_check_past(const struct astra_query *query,
				  struct astra_error *err);

/* Checks that the keys of an offer or a bid fit together. */
enum astra_fault astra_check_app(const struct astra_query *query,
				 struct astra_error *err);

enum astra_fault astra_malformed(struct astra_error *err, const char *key,
				 const char *wanted);

/* Whether a name is valid: 1 to 256 bytes without control characters. */
bool astra_name_valid(const char *name, size_t size);

#endif
