/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows to which other rows refer: pools, tenants, owners of jobs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/history/writer_priv.h"

#define NAME_BYTES 1024

/* Returns the id in the statement's row, or 0 if there is no row, and resets
 * the statement. The callers insert the row of a new name before. */
static int64_t names_found(struct astra_writer *w, enum sql which, int rc)
{
	int64_t id = rc == SQLITE_ROW ? astra_sql_int(w, which, 0) : 0;

	if (w->sql[which])
		sqlite3_reset(w->sql[which]);
	return id;
}

static void load_counter(struct astra_writer *w, const char *kind, int64_t id,
			 struct counter *out)
{
	if (astra_sql(w, SQL_COUNTER_GET, "si", kind, id) == SQLITE_ROW) {
		out->known = true;
		for (int i = 0; i < COUNTERS; i++)
			out->value[i] = astra_sql_double(w, SQL_COUNTER_GET, i);
		sqlite3_reset(w->sql[SQL_COUNTER_GET]);
	}
}

int astra_counter_save(struct astra_writer *w, const char *kind, int64_t id,
		       const struct counter *c)
{
	return ASTRA_SQL(w, SQL_COUNTER_SET, "siddddd", kind, id, c->value[0],
			 c->value[1], c->value[2], c->value[3], c->value[4]);
}

double astra_counter_grown(struct counter *counter, unsigned index,
			   double value, bool again)
{
	double before = counter->value[index];

	if (!isfinite(
		    value)) /* this policy has none; the previous may return */
		return 0;
	counter->value[index] = value;
	if (!counter->known)
		return 0;
	if (value < before)
		return again ? value : 0;
	return value - before;
}

uint32_t astra_history_pool(struct astra_writer *w, const char *name)
{
	uint32_t n = astra_intern_get(&w->pool_names, name);
	struct hpool *p;

	if (n != ASTRA_INTERN_NONE)
		return n;
	if (astra_grow(&w->pools, &w->pool_room, w->pool_count + 1,
		       sizeof(*p)) < 0 ||
	    ASTRA_SQL(w, SQL_POOL_ADD, "s", name) < 0)
		return ASTRA_INTERN_NONE;
	p = &w->pools[w->pool_count];
	*p = (struct hpool){0};
	p->id = names_found(w, SQL_POOL_ID,
			    astra_sql(w, SQL_POOL_ID, "s", name));
	n = p->id ? astra_intern_put(&w->pool_names, name) : ASTRA_INTERN_NONE;
	if (n == ASTRA_INTERN_NONE)
		return n;
	p->name = w->pool_names.names[n];
	load_counter(w, "pool", p->id, &p->counter);
	load_counter(w, "start", p->id, &p->starts);
	load_counter(w, "slot", p->id, &p->slots);
	w->pool_count++;
	return n;
}

uint32_t astra_history_tenant(struct astra_writer *w, const char *pool,
			      const char *name)
{
	char key[NAME_BYTES];
	struct htenant *t;
	uint32_t n, of;

	snprintf(key, sizeof(key), "%s\x1f%s", pool, name);
	n = astra_intern_get(&w->tenant_names, key);
	if (n != ASTRA_INTERN_NONE)
		return n;
	of = astra_history_pool(w, pool);
	if (of == ASTRA_INTERN_NONE ||
	    astra_grow(&w->tenants, &w->tenant_room, w->tenant_count + 1,
		       sizeof(*t)) < 0 ||
	    ASTRA_SQL(w, SQL_TENANT_ADD, "is", w->pools[of].id, name) < 0)
		return ASTRA_INTERN_NONE;
	t = &w->tenants[w->tenant_count];
	*t = (struct htenant){.pool = of, .weight = -1};
	t->id = names_found(
		w, SQL_TENANT_ID,
		astra_sql(w, SQL_TENANT_ID, "is", w->pools[of].id, name));
	n = t->id ? astra_intern_put(&w->tenant_names, key) : ASTRA_INTERN_NONE;
	if (n == ASTRA_INTERN_NONE)
		return n;
	load_counter(w, "tenant", t->id, &t->counter);
	w->tenant_count++;
	return n;
}

uint32_t astra_history_owner(struct astra_writer *w,
			     const struct astra_report_job *job)
{
	char key[NAME_BYTES];
	struct howner *o;
	uint32_t n, of;
	int64_t tenant;

	snprintf(key, sizeof(key), "%s\x1f%s\x1f%s\x1f%u", job->pool,
		 job->tenant, job->account, job->uid);
	n = astra_intern_get(&w->owner_names, key);
	if (n != ASTRA_INTERN_NONE)
		return n;
	of = astra_history_tenant(w, job->pool, job->tenant);
	if (of == ASTRA_INTERN_NONE ||
	    astra_grow(&w->owners, &w->owner_room, w->owner_count + 1,
		       sizeof(*o)) < 0)
		return ASTRA_INTERN_NONE;
	tenant = w->tenants[of].id;
	if (ASTRA_SQL(w, SQL_OWNER_ADD, "issi", tenant, job->account, job->user,
		      (int64_t)job->uid) < 0)
		return ASTRA_INTERN_NONE;
	o = &w->owners[w->owner_count];
	*o = (struct howner){.tenant = of, .uid = job->uid};
	o->id = names_found(w, SQL_OWNER_ID,
			    astra_sql(w, SQL_OWNER_ID, "isi", tenant,
				      job->account, (int64_t)job->uid));
	n = o->id ? astra_intern_put(&w->owner_names, key) : ASTRA_INTERN_NONE;
	if (n == ASTRA_INTERN_NONE)
		return n;
	load_counter(w, "owner", o->id, &o->counter);
	w->owner_count++;
	return n;
}
