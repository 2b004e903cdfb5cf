/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names that are asked for and that there were not. */
#include <stdio.h>
#include <string.h>

#include "src/history/read_names.h"
#include "src/proto/select.h"

#define KNOWN_MAX 10 /* names in a message */

/* Names that there are; each once. */
struct known {
	const char *names[KNOWN_MAX];
	size_t count;
	bool more;
};

static void know(struct known *k, const char *name)
{
	if (!*name)
		return; /* of jobs without an account */
	for (size_t i = 0; i < k->count; i++)
		if (!strcmp(k->names[i], name))
			return;
	if (k->count < KNOWN_MAX)
		k->names[k->count++] = name;
	else
		k->more = true;
}

static enum astra_fault read_known_unknown(const struct astra_reading *r,
					   const char *what, const char *name,
					   const struct known *k)
{
	struct astra_text text = {.limit = sizeof(r->err->text)};

	for (size_t i = 0; i < k->count; i++)
		astra_text_printf(&text, "%s %.32s", i ? "," : "", k->names[i]);
	if (k->more)
		astra_text_add(&text, ", ...", 5);
	astra_error_set(r->err, "unknown %s %.64s: in this time there %s%s",
			what, name, k->count ? "were" : "was none",
			text.bytes ? text.bytes : "");
	astra_text_clear(&text);
	return ASTRA_FAULT_NOT_FOUND;
}

static bool owner_known(const struct astra_reading *r,
			const struct name_owner *o)
{
	return o->in_window && (o->own || !r->report->privacy.usage);
}

static bool read_known_has_account(const struct astra_reading *r,
				   const char *name, struct known *k)
{
	const struct astra_reading_names *n = r->names;

	for (size_t i = 0; i < n->tenant_count; i++) {
		const struct name_tenant *t = &n->tenants[i];

		if (!t->in_window || !t->ours)
			continue;
		if (!strcmp(t->name, name))
			return true;
		know(k, t->name);
	}
	for (size_t i = 0; i < n->owner_count; i++) {
		if (!owner_known(r, &n->owners[i]))
			continue;
		if (!strcmp(n->owners[i].account, name))
			return true;
		know(k, n->owners[i].account);
	}
	return false;
}

static bool has_user(const struct astra_reading *r, char *name, struct known *k)
{
	const struct astra_names one = {.names = &name, .count = 1};
	const struct astra_reading_names *n = r->names;

	for (size_t i = 0; i < n->owner_count; i++) {
		const struct name_owner *o = &n->owners[i];

		if (!owner_known(r, o))
			continue;
		if (astra_filter_has_user(&one, o->user, o->uid))
			return true;
		know(k, o->user);
	}
	return false;
}

static bool has_pool(const struct astra_reading *r, const char *name,
		     struct known *k)
{
	for (size_t i = 0; i < r->names->pool_count; i++) {
		if (!strcmp(r->names->pools[i].name, name))
			return true;
		know(k, r->names->pools[i].name);
	}
	return false;
}

static int mark_tenant(struct astra_reading *r, sqlite3_stmt *s)
{
	struct name_tenant *t =
		astra_reading_find_tenant(r->names, sqlite3_column_int64(s, 0));

	if (t)
		t->in_window = true;
	return 0;
}

static int mark_owner(struct astra_reading *r, sqlite3_stmt *s)
{
	struct name_owner *o =
		astra_reading_find_owner(r->names, sqlite3_column_int64(s, 0));

	if (o)
		o->in_window = true;
	return 0;
}

static enum astra_fault mark_window(struct astra_reading *r)
{
	enum astra_fault fault = astra_reading_each(
		r,
		"WITH w(level,a,b) AS (VALUES %s) SELECT DISTINCT t.tenant "
		"FROM w CROSS JOIN tenant_time t ON t.level=w.level "
		"AND t.time>=w.a AND t.time<w.b",
		mark_tenant);

	return fault ? fault
		     : astra_reading_each(
			       r,
			       "WITH w(level,a,b) AS (VALUES %s) "
			       "SELECT DISTINCT t.owner FROM w CROSS JOIN "
			       "owner_time t ON t.level=w.level "
			       "AND t.time>=w.a AND t.time<w.b",
			       mark_owner);
}

enum astra_fault astra_reading_names_check(struct astra_reading *r)
{
	const struct astra_query *q = r->query;
	struct known pools = {0}, accounts = {0}, users = {0};

	for (size_t i = 0; i < q->pools.count; i++)
		if (!has_pool(r, q->pools.names[i], &pools))
			return read_known_unknown(r, "pool", q->pools.names[i],
						  &pools);
	if (q->accounts.count || q->users.count) {
		enum astra_fault fault = mark_window(r);

		if (fault)
			return fault;
	}
	for (size_t i = 0; i < q->accounts.count; i++)
		if (!read_known_has_account(r, q->accounts.names[i], &accounts))
			return read_known_unknown(
				r, "account", q->accounts.names[i], &accounts);
	for (size_t i = 0; i < q->users.count; i++)
		if (!has_user(r, q->users.names[i], &users))
			return read_known_unknown(r, "user", q->users.names[i],
						  &users);
	return ASTRA_FAULT_NONE;
}
