/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/cmd/sfair/adopt.h"
#include "src/common/grow.h"

static const struct sfair_column adopt_columns[] = {
	{"Tenant", "tenant", SFAIR_TEXT, "the tenant"},
	{"User", "user", SFAIR_TEXT, "a user of it; empty: the tenant itself"},
	{"AllocNow", "now.alloc_gpu_sec", SFAIR_GPU_TIME,
	 "GPU time had, as its account says"},
	{"FairNow", "now.fair_gpu_sec", SFAIR_GPU_TIME,
	 "GPU time entitled to, as its account says"},
	{"RhoNow", "now.rho", SFAIR_RATIO, "AllocNow / FairNow"},
	{"Alloc", "alloc_gpu_sec", SFAIR_GPU_TIME,
	 "GPU time had, as it would be"},
	{"Fair", "fair_gpu_sec", SFAIR_GPU_TIME,
	 "GPU time entitled to, as it would be"},
	{"Rho", "rho", SFAIR_RATIO, "Alloc / Fair: the lowest goes first"},
	{NULL, NULL, SFAIR_TEXT, NULL},
};

const struct sfair_table sfair_adopt_table = {
	adopt_columns,
	"Tenant,User,AllocNow,FairNow,RhoNow,Alloc,Fair,Rho",
};

static int adopt_add(struct sfair_adopt_rows *rows, const char *tenant,
		     const char *user, struct astra_usage now,
		     struct astra_usage past)
{
	if (!tenant || !user)
		return 0;
	if (astra_grow(&rows->list, &rows->room, rows->count + 1,
		       sizeof(*rows->list)) < 0)
		return -1;
	rows->list[rows->count++] =
		(struct sfair_adopt_row){tenant, user, now, past};
	return 0;
}

static const char *adopt_rows_text(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

static struct astra_usage adopt_usage(const json_t *object)
{
	return (struct astra_usage){
		json_number_value(json_object_get(object, "alloc_gpu_sec")),
		json_number_value(json_object_get(object, "fair_gpu_sec")),
	};
}

static int adopt_add_now(struct sfair_adopt_rows *rows, const json_t *accounts)
{
	const struct astra_usage none = {0, 0};
	const json_t *one;
	size_t i;
	int rc = 0;

	json_array_foreach(json_object_get(accounts, "tenants"), i, one) rc |=
		adopt_add(rows, adopt_rows_text(one, "name"), "",
			  adopt_usage(one), none);
	json_array_foreach(json_object_get(accounts, "users"), i, one) rc |=
		adopt_add(rows, adopt_rows_text(one, "tenant"),
			  adopt_rows_text(one, "name"), adopt_usage(one), none);
	return rc;
}

/* Adds rows of the past. Leaves out tenants with an empty past, as they may not
 * be in the pool. */
static int adopt_add_past(struct sfair_adopt_rows *rows,
			  const struct astra_sim_result *r, double each)
{
	const struct astra_usage none = {0, 0};
	int rc = 0;

	for (size_t i = 0; i < r->trace->tenant_count; i++) {
		const struct astra_sim_tenant *t = &r->tenants[i];
		struct astra_usage past = {t->alloc_gpu_sec * each,
					   t->fair_gpu_sec * each};

		if (past.alloc > 0 || past.fair > 0)
			rc |= adopt_add(rows, r->trace->tenants[i].name, "",
					none, past);
	}
	for (size_t i = 0; i < r->user_count; i++) {
		const struct astra_sim_user *u = &r->users[i];
		struct astra_usage past = {u->alloc_gpu_sec * each,
					   u->fair_gpu_sec * each};

		rc |= adopt_add(rows, r->trace->tenants[u->tenant].name,
				r->trace->users[u->user], none, past);
	}
	return rc;
}

static int adopt_rows_by_names(const void *a, const void *b)
{
	const struct sfair_adopt_row *x = a, *y = b;
	int order = strcmp(x->tenant, y->tenant);

	return order ? order : strcmp(x->user, y->user);
}

static bool adopt_is_nothing(const struct sfair_adopt_row *row)
{
	return !(row->now.alloc > 0) && !(row->now.fair > 0) &&
	       !(row->past.alloc > 0) && !(row->past.fair > 0);
}

/* Merges rows of the same tenant and user, and drops users with empty
 * accounts. */
static void adopt_join(struct sfair_adopt_rows *rows)
{
	size_t count = 0;

	qsort(rows->list, rows->count, sizeof(*rows->list),
	      adopt_rows_by_names);
	for (size_t i = 0; i < rows->count; i++) {
		const struct sfair_adopt_row *row = &rows->list[i];
		struct sfair_adopt_row *last =
			count ? &rows->list[count - 1] : NULL;

		if (last && !adopt_rows_by_names(last, row)) {
			last->now.alloc += row->now.alloc;
			last->now.fair += row->now.fair;
			last->past.alloc += row->past.alloc;
			last->past.fair += row->past.fair;
			continue;
		}
		if (last && *last->user && adopt_is_nothing(last))
			count--;
		rows->list[count++] = *row;
	}
	if (count && *rows->list[count - 1].user &&
	    adopt_is_nothing(&rows->list[count - 1]))
		count--;
	rows->count = count;
}

int sfair_adopt_rows_make(const json_t *accounts,
			  const struct astra_sim_result *result, double each,
			  struct sfair_adopt_rows *out)
{
	*out = (struct sfair_adopt_rows){0};
	if (adopt_add_now(out, accounts) < 0 ||
	    adopt_add_past(out, result, each) < 0) {
		sfair_adopt_rows_clear(out);
		return -1;
	}
	if (out->count)
		adopt_join(out);
	return 0;
}

void sfair_adopt_rows_clear(struct sfair_adopt_rows *rows)
{
	free(rows->list);
	*rows = (struct sfair_adopt_rows){0};
}

bool sfair_adopt_has_begun(const struct sfair_adopt_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++)
		if (!*rows->list[i].user &&
		    (rows->list[i].now.alloc > 0 || rows->list[i].now.fair > 0))
			return true;
	return false;
}

/* Tenants and users that the request does not name begin with empty
 * accounts. */
int sfair_adopt_rows_say(const struct sfair_adopt_rows *rows,
			 struct astra_query_adopt *out)
{
	out->given = true;
	for (size_t i = 0; i < rows->count; i++) {
		const struct sfair_adopt_row *row = &rows->list[i];

		if ((row->past.alloc > 0 || row->past.fair > 0) &&
		    astra_adopt_add(out, row->tenant, row->user, row->past) < 0)
			return -1;
	}
	return 0;
}

static json_t *adopt_usage_json(struct astra_usage usage)
{
	double rho = astra_rho(usage, true);
	bool any = usage.alloc > 0 || usage.fair > 0;
	json_t *object = json_object();

	json_object_set_new(object, "alloc_gpu_sec", json_real(usage.alloc));
	json_object_set_new(object, "fair_gpu_sec", json_real(usage.fair));
	json_object_set_new(object, "rho",
			    !any	 ? json_null()
			    : isinf(rho) ? json_string("inf")
					 : json_real(rho));
	return object;
}

json_t *sfair_adopt_rows_json(const struct sfair_adopt_rows *rows)
{
	json_t *list = json_array();

	for (size_t i = 0; i < rows->count; i++) {
		const struct sfair_adopt_row *row = &rows->list[i];
		json_t *object = adopt_usage_json(row->past);

		json_object_set_new(object, "tenant", json_string(row->tenant));
		json_object_set_new(object, "user", json_string(row->user));
		json_object_set_new(object, "now", adopt_usage_json(row->now));
		json_array_append_new(list, object);
	}
	return list;
}
