/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pools, tenants and owners of jobs. All of them, including former ones, are
 * read: they are few compared with the rows of their time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/history/read_priv.h"
#include "src/proto/select.h"

struct name_pool {
	int64_t id;
	char *name;
	bool wanted;
};

struct name_tenant {
	int64_t id;
	int64_t pool;
	char *name;
	uint32_t uid;
	bool in_window;	     /* the tenant has rows in the window */
	bool wanted, ours;   /* wanted: asked for; ours: the viewer may see
			      * it */
	bool asked_by_owner; /* one of the tenant's owners was asked for */
};

struct name_owner {
	int64_t id;
	int64_t tenant;
	char *account, *user;
	uint32_t uid;
	bool in_window;
	bool wanted, own;
};

struct astra_reading_names {
	struct name_pool *pools;
	struct name_tenant *tenants;
	struct name_owner *owners;
	size_t pool_count, pool_room;
	size_t tenant_count, tenant_room;
	size_t owner_count, owner_room;
};

/* Compares two ids. Every entry begins with its id, and the arrays are sorted
 * by id. */
static int by_id(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

#define FIND(array, count, wanted)                                             \
	((array) ? bsearch(&(int64_t){wanted}, array, count, sizeof(*(array)), \
			   by_id)                                              \
		 : NULL)

static const struct name_pool *find_pool(const struct astra_reading_names *n,
					 int64_t id)
{
	return FIND(n->pools, n->pool_count, id);
}

/* Returns the tenant of this id, or NULL. */
static struct name_tenant *
reading_find_tenant(const struct astra_reading_names *n, int64_t id)
{
	return FIND(n->tenants, n->tenant_count, id);
}

static struct name_owner *
reading_find_owner(const struct astra_reading_names *n, int64_t id)
{
	return FIND(n->owners, n->owner_count, id);
}

static char *read_names_text_of(sqlite3_stmt *s, int column)
{
	const char *text = (const char *)sqlite3_column_text(s, column);

	return strdup(text ? text : "");
}

static uint32_t uid_of(sqlite3_stmt *s, int column)
{
	return sqlite3_column_type(s, column) == SQLITE_NULL
		       ? ASTRA_REPORT_NO_UID
		       : (uint32_t)sqlite3_column_int64(s, column);
}

static int read_names_add_pool(struct astra_reading *r, sqlite3_stmt *s)
{
	struct astra_reading_names *n = r->names;
	struct name_pool *p;

	if (astra_grow(&n->pools, &n->pool_room, n->pool_count + 1,
		       sizeof(*p)) < 0)
		return -1;
	p = &n->pools[n->pool_count++];
	p->id = sqlite3_column_int64(s, 0);
	p->name = read_names_text_of(s, 1);
	if (!p->name)
		return -1;
	p->wanted = !r->query->pools.count ||
		    astra_filter_has(&r->query->pools, p->name);
	return 0;
}

static int read_names_add_tenant(struct astra_reading *r, sqlite3_stmt *s)
{
	struct astra_reading_names *n = r->names;
	struct name_tenant *t;

	if (astra_grow(&n->tenants, &n->tenant_room, n->tenant_count + 1,
		       sizeof(*t)) < 0)
		return -1;
	t = &n->tenants[n->tenant_count++];
	t->id = sqlite3_column_int64(s, 0);
	t->pool = sqlite3_column_int64(s, 1);
	t->name = read_names_text_of(s, 2);
	t->uid = uid_of(s, 3);
	return t->name ? 0 : -1;
}

static int read_names_add_owner(struct astra_reading *r, sqlite3_stmt *s)
{
	struct astra_reading_names *n = r->names;
	struct name_owner *o;

	if (astra_grow(&n->owners, &n->owner_room, n->owner_count + 1,
		       sizeof(*o)) < 0)
		return -1;
	o = &n->owners[n->owner_count++];
	o->id = sqlite3_column_int64(s, 0);
	o->tenant = sqlite3_column_int64(s, 1);
	o->account = read_names_text_of(s, 2);
	o->user = read_names_text_of(s, 3);
	o->uid = uid_of(s, 4);
	return o->account && o->user ? 0 : -1;
}

/* Calls add for each row of a statement. add returns 0, or -1 if out of memory.
 * Returns ASTRA_FAULT_NONE, or a fault. */
static enum astra_fault reading_each(struct astra_reading *r, const char *sql,
				     int (*add)(struct astra_reading *,
						sqlite3_stmt *))
{
	sqlite3_stmt *s = astra_reading_prepare(r, sql);
	enum astra_fault fault = ASTRA_FAULT_NONE;
	int rc = SQLITE_ERROR;

	while (!fault && s && (rc = sqlite3_step(s)) == SQLITE_ROW)
		if (add(r, s) < 0)
			fault = ASTRA_FAULT_INTERNAL;
	if (!fault && rc != SQLITE_DONE)
		fault = astra_reading_failed(r);
	sqlite3_finalize(s);
	return fault;
}

/* Marks the names that were asked for, and the names that the viewer may
 * see. */
static void select_names(struct astra_reading *r)
{
	const struct astra_query *q = r->query;
	struct astra_reading_names *n = r->names;
	const struct astra_viewer *v = r->viewer;

	for (size_t i = 0; i < n->owner_count; i++) {
		struct name_owner *o = &n->owners[i];
		struct name_tenant *t = reading_find_tenant(n, o->tenant);
		const struct name_pool *p = t ? find_pool(n, t->pool) : NULL;

		o->own = v->all || o->uid == v->uid ||
			 astra_viewer_coordinates(v, o->account);
		o->wanted =
			p && p->wanted &&
			(!q->users.count ||
			 astra_filter_has_user(&q->users, o->user, o->uid)) &&
			(!q->accounts.count ||
			 astra_filter_has(&q->accounts, o->account) ||
			 astra_filter_has(&q->accounts, t->name));
		if (!t)
			continue;
		t->ours |= o->own;
		t->asked_by_owner |= o->wanted;
	}
	for (size_t i = 0; i < n->tenant_count; i++) {
		struct name_tenant *t = &n->tenants[i];
		const struct name_pool *p = find_pool(n, t->pool);
		bool is_user = t->uid != ASTRA_REPORT_NO_UID;
		bool named = (!q->accounts.count ||
			      astra_filter_has(&q->accounts, t->name)) &&
			     (!q->users.count ||
			      (is_user && astra_filter_has_user(
						  &q->users, t->name, t->uid)));

		t->ours |= v->all || !r->report->privacy.usage ||
			   (is_user ? t->uid == v->uid
				    : astra_viewer_coordinates(v, t->name));
		t->wanted = p && p->wanted && (named || t->asked_by_owner);
	}
}

enum astra_fault astra_reading_names_load(struct astra_reading *r)
{
	enum astra_fault fault;

	r->names = calloc(1, sizeof(*r->names));
	if (!r->names)
		return ASTRA_FAULT_INTERNAL;
	fault = reading_each(r, "SELECT id,name FROM pool ORDER BY id",
			     read_names_add_pool);
	if (!fault)
		fault = reading_each(
			r, "SELECT id,pool,name,uid FROM tenant ORDER BY id",
			read_names_add_tenant);
	if (!fault)
		fault = reading_each(
			r,
			"SELECT id,tenant,account,user,uid FROM owner ORDER BY id",
			read_names_add_owner);
	if (!fault)
		select_names(r);
	return fault;
}

void astra_reading_names_clear(struct astra_reading *r)
{
	struct astra_reading_names *n = r->names;

	if (!n)
		return;
	for (size_t i = 0; i < n->pool_count; i++)
		free(n->pools[i].name);
	for (size_t i = 0; i < n->tenant_count; i++)
		free(n->tenants[i].name);
	for (size_t i = 0; i < n->owner_count; i++) {
		free(n->owners[i].account);
		free(n->owners[i].user);
	}
	free(n->pools);
	free(n->tenants);
	free(n->owners);
	free(n);
	r->names = NULL;
}

bool astra_reading_pool(const struct astra_reading *r, int64_t pool)
{
	const struct name_pool *p = find_pool(r->names, pool);

	return p && p->wanted;
}

bool astra_reading_tenant(const struct astra_reading *r, int64_t tenant)
{
	const struct name_tenant *t = reading_find_tenant(r->names, tenant);

	return t && t->wanted && t->ours;
}

bool astra_reading_owner(const struct astra_reading *r, int64_t owner)
{
	const struct name_owner *o = reading_find_owner(r->names, owner);

	return o && o->wanted;
}

bool astra_reading_own(const struct astra_reading *r, int64_t owner)
{
	const struct name_owner *o = reading_find_owner(r->names, owner);

	return o && o->own;
}

/* Errors for names that were asked for but are not known. */

#define KNOWN_MAX 10 /* names in a message */

/* The known names, each once. */
struct known {
	const char *names[KNOWN_MAX];
	size_t count;
	bool more;
};

static void know(struct known *k, const char *name)
{
	if (!*name)
		return; /* the account of jobs that have none */
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
		reading_find_tenant(r->names, sqlite3_column_int64(s, 0));

	if (t)
		t->in_window = true;
	return 0;
}

static int mark_owner(struct astra_reading *r, sqlite3_stmt *s)
{
	struct name_owner *o =
		reading_find_owner(r->names, sqlite3_column_int64(s, 0));

	if (o)
		o->in_window = true;
	return 0;
}

static enum astra_fault mark_window(struct astra_reading *r)
{
	enum astra_fault fault = reading_each(
		r,
		"WITH w(level,a,b) AS (VALUES %s) SELECT DISTINCT t.tenant "
		"FROM w CROSS JOIN tenant_time t ON t.level=w.level "
		"AND t.time>=w.a AND t.time<w.b",
		mark_tenant);

	return fault ? fault
		     : reading_each(r,
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
