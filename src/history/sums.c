/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/history/sums.h"

#include <math.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/common/text.h"
#include "src/history/window.h"

#define COLUMNS 15
#define SPREAD_MAX_SEC (400 * 86400.0)

/* A level gets no new rows once this many rows, of all levels, are in memory.
 * Minutes stop first, days last. A transaction of the largest size takes some 3
 * seconds and 40 MB. */
static const size_t rows_max[ASTRA_HISTORY_LEVELS] = {1 << 16, 1 << 17,
						      1 << 18};

enum how { SUM, LEAST, MOST };

struct column {
	const char *name;
	enum how how;
};

struct table {
	const char *name, *key;
	struct column columns[COLUMNS + 1];
};

static const struct table tables[ASTRA_SUMS_TABLES] = {
	[ASTRA_SUMS_POOL] = {"pool_time",
			     "pool",
			     {{"span_sec", SUM},
			      {"total_gpu_sec", SUM},
			      {"used_gpu_sec", SUM},
			      {"down_gpu_sec", SUM},
			      {"idle_gpu_sec", SUM},
			      {"wanted_gpu_sec", SUM},
			      {"lost_gpu_sec", SUM},
			      {"rounds", SUM},
			      {"round_usec", SUM},
			      {"round_max_usec", MOST},
			      {"granted", SUM},
			      {"renewed", SUM},
			      {"revoked", SUM},
			      {"refused", SUM},
			      {"capped", SUM},
			      {NULL, SUM}}},
	[ASTRA_SUMS_TENANT] = {"tenant_time",
			       "tenant",
			       {{"span_sec", SUM},
				{"alloc_gpu_sec", SUM},
				{"fair_gpu_sec", SUM},
				{"lack_gpu_sec", SUM},
				{"demand_gpu_sec", SUM},
				{"rho_min", LEAST},
				{"rho_max", MOST},
				{"paid", SUM},
				{"income", SUM},
				{NULL, SUM}}},
	[ASTRA_SUMS_OWNER] = {"owner_time",
			      "owner",
			      {{"used_gpu_sec", SUM},
			       {"wait_gpu_sec", SUM},
			       {"alloc_gpu_sec", SUM},
			       {"fair_gpu_sec", SUM},
			       {"started", SUM},
			       {"revoked", SUM},
			       {"lost_sec", SUM},
			       {NULL, SUM}}},
	[ASTRA_SUMS_START] = {"start_time",
			      "pool",
			      {{"first_starts", SUM},
			       {"over_bound", SUM},
			       {NULL, SUM}}},
	[ASTRA_SUMS_SLOT] = {"slot_time",
			     "pool",
			     {{"reward", SUM}, {"slots", SUM}, {NULL, SUM}}},
};

struct row {
	uint8_t table, level;
	int64_t time, id;
	double value[COLUMNS]; /* NAN: a minimum or maximum without a value so
				* far */
};

struct astra_sums {
	struct row *rows;
	size_t count, room;
	uint32_t *slots; /* 1 + index in rows, or 0; the count of slots is a
			  * power of two */
	size_t slot_count;
	double since[ASTRA_HISTORY_LEVELS];
	uint64_t dropped;
	int64_t day_begin, day_end; /* the local day of the last lookup */
};

struct astra_sums *astra_sums_create(void)
{
	return calloc(1, sizeof(struct astra_sums));
}

void astra_sums_destroy(struct astra_sums *sums)
{
	if (!sums)
		return;
	free(sums->rows);
	free(sums->slots);
	free(sums);
}

uint64_t astra_sums_dropped(const struct astra_sums *sums)
{
	return sums->dropped;
}

void astra_sums_since(struct astra_sums *sums, double minute_sec,
		      double hour_sec)
{
	sums->since[ASTRA_HISTORY_MINUTE] = minute_sec;
	sums->since[ASTRA_HISTORY_HOUR] = hour_sec;
}

/* Rows. */

static size_t sums_hash_of(unsigned table, unsigned level, int64_t at,
			   int64_t id)
{
	uint64_t h = (uint64_t)at * UINT64_C(0x9e3779b97f4a7c15);

	h ^= ((uint64_t)id << 5) + table * 4 + level;
	h *= UINT64_C(0xff51afd7ed558ccd);
	return (size_t)(h ^ (h >> 32));
}

static int sums_widen(struct astra_sums *s)
{
	size_t count = s->slot_count ? 2 * s->slot_count : 1024;
	uint32_t *slots = calloc(count, sizeof(*slots));

	if (!slots)
		return -1;
	for (size_t i = 0; i < s->count; i++) {
		const struct row *r = &s->rows[i];
		size_t at = sums_hash_of(r->table, r->level, r->time, r->id);

		while (slots[at & (count - 1)])
			at++;
		slots[at & (count - 1)] = (uint32_t)i + 1;
	}
	free(s->slots);
	s->slots = slots;
	s->slot_count = count;
	return 0;
}

static struct row *sums_new_row(struct astra_sums *s, unsigned table,
				unsigned level, int64_t at, int64_t id)
{
	struct row *r;

	if (s->count >= rows_max[level] ||
	    astra_grow(&s->rows, &s->room, s->count + 1, sizeof(*r)) < 0)
		return NULL;
	r = &s->rows[s->count++];
	*r = (struct row){.table = (uint8_t)table,
			  .level = (uint8_t)level,
			  .time = at,
			  .id = id};
	for (size_t i = 0; tables[table].columns[i].name; i++)
		if (tables[table].columns[i].how != SUM)
			r->value[i] = NAN;
	return r;
}

/* Finds or adds a row. Returns NULL if out of memory, or if there are too many
 * rows. */
static struct row *sums_row_of(struct astra_sums *s, unsigned table,
			       unsigned level, int64_t at, int64_t id)
{
	struct row *r;
	size_t slot;

	if (2 * (s->count + 1) > s->slot_count && sums_widen(s) < 0)
		return NULL;
	slot = sums_hash_of(table, level, at, id);
	for (;; slot++) {
		uint32_t n = s->slots[slot & (s->slot_count - 1)];

		if (!n)
			break;
		r = &s->rows[n - 1];
		if (r->table == table && r->level == level && r->time == at &&
		    r->id == id)
			return r;
	}
	r = sums_new_row(s, table, level, at, id);
	if (r)
		s->slots[slot & (s->slot_count - 1)] = (uint32_t)s->count;
	return r;
}

/* Buckets. */

/* Sets the bounds of the row for a time, in the same way as readers compute
 * them. The last day is cached, as finding a day involves the time zone. */
static void sums_bucket_of(struct astra_sums *s, enum astra_history_level level,
			   double at_sec, int64_t *begin, int64_t *end)
{
	int64_t at = (int64_t)floor(at_sec);

	if (level == ASTRA_HISTORY_DAY && at >= s->day_begin &&
	    at < s->day_end) {
		*begin = s->day_begin;
		*end = s->day_end;
		return;
	}
	*begin = astra_history_bucket(level, at);
	*end = astra_history_next(level, at);
	if (level != ASTRA_HISTORY_DAY)
		return;
	s->day_begin = *begin;
	s->day_end = *end;
}

static void sums_put(struct row *r, unsigned column, double value)
{
	double *to = &r->value[column];

	switch (tables[r->table].columns[column].how) {
	case SUM:
		*to += value;
		break;
	case LEAST:
		*to = fmin(*to, value);
		break;
	case MOST:
		*to = fmax(*to, value);
		break;
	}
}

void astra_sums_spread(struct astra_sums *sums, enum astra_sums_table table,
		       int64_t id, unsigned column, double rate,
		       double from_sec, double to_sec)
{
	if (!(to_sec > from_sec) || rate == 0 || !isfinite(rate))
		return;
	for (unsigned l = 0; l < ASTRA_HISTORY_LEVELS; l++) {
		double at = fmax(fmax(from_sec, sums->since[l]),
				 to_sec - SPREAD_MAX_SEC);

		while (at < to_sec) {
			int64_t begin, end;
			struct row *r;
			double until;

			sums_bucket_of(sums, l, at, &begin, &end);
			until = fmin((double)end, to_sec);
			r = sums_row_of(sums, table, l, begin, id);
			if (r)
				sums_put(r, column, rate * (until - at));
			else
				sums->dropped++;
			at = until;
		}
	}
}

void astra_sums_add(struct astra_sums *sums, enum astra_sums_table table,
		    int64_t id, unsigned column, double value, double at_sec)
{
	if (!isfinite(value) ||
	    (value == 0 && tables[table].columns[column].how == SUM))
		return;
	for (unsigned l = 0; l < ASTRA_HISTORY_LEVELS; l++) {
		int64_t begin, end;
		struct row *r;

		if (at_sec < sums->since[l])
			continue;
		sums_bucket_of(sums, l, at_sec, &begin, &end);
		r = sums_row_of(sums, table, l, begin, id);
		if (r)
			sums_put(r, column, value);
		else
			sums->dropped++;
	}
}

/* Writing. */

static int sums_failed(sqlite3 *db, struct astra_error *err)
{
	return astra_error_set(err, "%s", sqlite3_errmsg(db));
}

static void sums_put_rule(struct astra_text *sql, const struct column *c,
			  bool first)
{
	const char *comma = first ? "" : ",", *n = c->name;

	if (c->how == SUM)
		astra_text_printf(sql, "%s%s=%s+excluded.%s", comma, n, n, n);
	else
		astra_text_printf(sql,
				  "%s%s=coalesce(%s(%s,excluded.%s),%s,"
				  "excluded.%s)",
				  comma, n, c->how == LEAST ? "min" : "max", n,
				  n, n, n);
}

static sqlite3_stmt *upsert(sqlite3 *db, const struct table *t)
{
	struct astra_text sql = {0};
	sqlite3_stmt *s = NULL;

	astra_text_printf(&sql, "INSERT INTO %s VALUES(?1,?2,?3", t->name);
	for (size_t i = 0; t->columns[i].name; i++)
		astra_text_printf(&sql, ",?%zu", i + 4);
	astra_text_printf(&sql, ") ON CONFLICT(level,time,%s) DO UPDATE SET ",
			  t->key);
	for (size_t i = 0; t->columns[i].name; i++)
		sums_put_rule(&sql, &t->columns[i], !i);
	if (!sql.failed)
		sqlite3_prepare_v2(db, sql.bytes, -1, &s, NULL);
	astra_text_clear(&sql);
	return s;
}

static int write_row(sqlite3_stmt *s, const struct row *r)
{
	const struct column *c = tables[r->table].columns;

	sqlite3_bind_int(s, 1, r->level);
	sqlite3_bind_int64(s, 2, r->time);
	sqlite3_bind_int64(s, 3, r->id);
	for (int i = 0; c[i].name; i++) {
		if (isnan(r->value[i]))
			sqlite3_bind_null(s, i + 4);
		else
			sqlite3_bind_double(s, i + 4, r->value[i]);
	}
	sqlite3_step(s);
	return sqlite3_reset(s) == SQLITE_OK ? 0 : -1;
}

/* Sets *out to the growth of a minute's lack; takes into account what is
 * already written for that minute. Returns 0 or -1. */
static int sums_lack_of(sqlite3_stmt *s, const struct row *r, double *out)
{
	double alloc = r->value[TENANT_ALLOC], fair = r->value[TENANT_FAIR];
	double before = 0;
	int rc;

	sqlite3_bind_int64(s, 1, r->time);
	sqlite3_bind_int64(s, 2, r->id);
	rc = sqlite3_step(s);
	if (rc == SQLITE_ROW) {
		alloc += sqlite3_column_double(s, 0);
		fair += sqlite3_column_double(s, 1);
		before = sqlite3_column_double(s, 2);
	}
	*out = fmax(0, fair - alloc) - before;
	return sqlite3_reset(s) == SQLITE_OK ? 0 : -1;
}

static int add_lacks(struct astra_sums *sums, sqlite3 *db)
{
	size_t count = sums->count; /* the loop may add rows */
	sqlite3_stmt *s = NULL;
	int rc = sqlite3_prepare_v2(
			 db,
			 "SELECT alloc_gpu_sec,fair_gpu_sec,lack_gpu_sec FROM "
			 "tenant_time WHERE level=0 AND time=?1 AND tenant=?2",
			 -1, &s, NULL) == SQLITE_OK
			 ? 0
			 : -1;

	for (size_t i = 0; !rc && i < count; i++) {
		struct row r = sums->rows[i];
		double more;

		if (r.table != ASTRA_SUMS_TENANT ||
		    r.level != ASTRA_HISTORY_MINUTE)
			continue;
		rc = sums_lack_of(s, &r, &more);
		astra_sums_add(sums, ASTRA_SUMS_TENANT, r.id, TENANT_LACK, more,
			       (double)r.time);
	}
	sqlite3_finalize(s);
	return rc;
}

int astra_sums_write(struct astra_sums *sums, struct sqlite3 *db,
		     uint64_t *rows, struct astra_error *err)
{
	sqlite3_stmt *s[ASTRA_SUMS_TABLES] = {NULL};
	int rc = add_lacks(sums, db);

	for (size_t i = 0; i < ASTRA_SUMS_TABLES && !rc; i++) {
		s[i] = upsert(db, &tables[i]);
		if (!s[i])
			rc = -1;
	}
	for (size_t i = 0; !rc && i < sums->count; i++)
		rc = write_row(s[sums->rows[i].table], &sums->rows[i]);
	if (rc < 0)
		sums_failed(db, err);
	else
		*rows += sums->count;
	for (size_t i = 0; i < ASTRA_SUMS_TABLES; i++)
		sqlite3_finalize(s[i]);
	sums->count = 0;
	if (sums->slots)
		memset(sums->slots, 0, sums->slot_count * sizeof(*sums->slots));
	return rc;
}
