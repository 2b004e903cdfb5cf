/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values to be added to the *_time tables: sums by minute, hour and day. They
 * are kept in memory until one transaction writes them. */
#ifndef ASTRA_HISTORY_SUMS_H
#define ASTRA_HISTORY_SUMS_H

#include <stdint.h>

#include "src/history/schema.h"

enum astra_sums_table {
	ASTRA_SUMS_POOL,
	ASTRA_SUMS_TENANT,
	ASTRA_SUMS_OWNER,
	ASTRA_SUMS_START,
	ASTRA_SUMS_SLOT,
	ASTRA_SUMS_TABLES,
};

/* The columns, in the order of the tables. */
enum {
	POOL_SPAN,
	POOL_TOTAL,
	POOL_USED,
	POOL_DOWN,
	POOL_IDLE,
	POOL_WANTED,
	POOL_LOST,
	POOL_ROUNDS,
	POOL_USEC,
	POOL_MAX_USEC,
	POOL_GRANTED,
	POOL_RENEWED,
	POOL_REVOKED,
	POOL_REFUSED,
	POOL_CAPPED,
};

enum {
	TENANT_SPAN,
	TENANT_ALLOC,
	TENANT_FAIR,
	TENANT_LACK, /* computed from the two columns before it, on writing */
	TENANT_DEMAND,
	TENANT_RHO_MIN,
	TENANT_RHO_MAX,
	TENANT_PAID,
	TENANT_INCOME,
};

enum {
	OWNER_USED,
	OWNER_WAIT,
	OWNER_ALLOC,
	OWNER_FAIR,
	OWNER_STARTED,
	OWNER_REVOKED,
	OWNER_LOST,
};

enum {
	START_FIRST,
	START_LATE,
};

enum {
	SLOT_REWARD,
	SLOT_COUNT,
};

struct astra_sums;

/* Returns empty sums, or NULL if out of memory. Free with astra_sums_destroy().
 */
struct astra_sums *astra_sums_create(void);
void astra_sums_destroy(struct astra_sums *sums);

/* Drops sums of minutes before minute_sec, and of hours before hour_sec. */
void astra_sums_since(struct astra_sums *sums, double minute_sec,
		      double hour_sec);

/* Adds a rate per second between two times. A negative rate takes a value back.
 * Ignores the part that is more than 400 days before to_sec. */
void astra_sums_spread(struct astra_sums *sums, enum astra_sums_table table,
		       int64_t id, unsigned column, double rate,
		       double from_sec, double to_sec);

/* Adds a value at one time. If the column is a minimum or a maximum, updates it
 * with the value instead. Ignores values that are not finite. */
void astra_sums_add(struct astra_sums *sums, enum astra_sums_table table,
		    int64_t id, unsigned column, double value, double at_sec);

/* Returns how many values were dropped, as memory was out or one transaction
 * would have had too many rows (minutes are dropped first). */
uint64_t astra_sums_dropped(const struct astra_sums *sums);

/* Writes all sums into an open transaction, and clears them. *rows grows by the
 * number of rows written. Returns 0, or -1 with err set. */
int astra_sums_write(struct astra_sums *sums, struct sqlite3 *db,
		     uint64_t *rows, struct astra_error *err);

#endif
