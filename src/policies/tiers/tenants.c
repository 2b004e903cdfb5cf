/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policies/tiers/tenants.h"

#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/policies/themis/policy.h"

/* Returns the index of the row of that name, or where it would be. */
static size_t tenants_row_of(const struct tiers_tenants *t, const char *name)
{
	size_t low = 0, high = t->count;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (strcmp(t->rows[mid].name, name) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

struct tiers_tenant *astra_tiers_tenant(const struct tiers_tenants *t,
					const char *name)
{
	size_t row = tenants_row_of(t, name);

	return row < t->count && !strcmp(t->rows[row].name, name)
		       ? &t->rows[row]
		       : NULL;
}

struct tiers_tenant *astra_tiers_tenant_at(const struct tiers_tenants *t,
					   uint32_t tenant)
{
	for (size_t i = 0; i < t->count; i++)
		if (t->rows[i].tenant == tenant)
			return &t->rows[i];
	return NULL;
}

static void tenants_forget(const struct tiers_tenants *t,
			   struct tiers_tenant *row)
{
	t->inner->destroy(row->self);
	free(row->name);
}

/* Adds a row for a tenant that has none. name: owned by the row, or freed on
 * failure. */
static struct tiers_tenant *tiers_add_row(struct tiers_tenants *t,
					  const struct astra_options *options,
					  char *name, struct astra_error *err)
{
	struct tiers_tenant new = {.name = name, .tenant = ASTRA_NONE};
	size_t at;

	if (!name || astra_grow(&t->rows, &t->room, t->count + 1,
				sizeof(*t->rows)) < 0) {
		free(name);
		astra_error_nomem(err);
		return NULL;
	}
	new.self = t->inner->create(options, err);
	if (!new.self) {
		free(name);
		return NULL;
	}
	at = tenants_row_of(t, name);
	memmove(&t->rows[at + 1], &t->rows[at],
		(t->count - at) * sizeof(*t->rows));
	t->rows[at] = new;
	t->count++;
	return &t->rows[at];
}

int astra_tiers_tenants_see(struct tiers_tenants *t,
			    const struct astra_options *options,
			    const struct astra_offer *offer,
			    struct astra_error *err)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->count; i++)
		t->rows[i].seen = false;
	for (size_t i = 0; i < offer->demand_count; i++) {
		const char *name = offer->demands[i].tenant_name;
		struct tiers_tenant *row = astra_tiers_tenant(t, name);

		if (!row)
			row = tiers_add_row(t, options, strdup(name), err);
		if (!row)
			return -1;
		row->seen = true;
		row->tenant = offer->demands[i].tenant;
	}
	for (size_t i = 0; i < t->count; i++)
		if (t->rows[i].seen || t->inner->report)
			t->rows[kept++] = t->rows[i];
		else
			tenants_forget(t, &t->rows[i]);
	t->count = kept;
	return 0;
}

/* Appends a row. For Themis only its apps, as earlier releases did; for other
 * policies the tenant's index and the size come first. */
static int save_row(const struct tiers_tenants *t,
		    const struct tiers_tenant *row, struct astra_bytes *out)
{
	struct astra_bytes own = {0};
	int rc;

	if (t->inner == &astra_themis)
		return astra_themis_apps_save(row->self, out);
	rc = t->inner->save(row->self, &own);
	astra_put_u32(out, row->tenant);
	astra_put_u32(out, (uint32_t)own.size);
	astra_put_bytes(out, own.data, own.size);
	astra_bytes_clear(&own);
	return rc;
}

static int tenants_restore_row(struct tiers_tenants *t,
			       struct tiers_tenant *row,
			       const struct astra_options *options,
			       struct astra_reader *in)
{
	struct astra_reader own = {0};

	if (t->inner == &astra_themis)
		return astra_themis_apps_restore(row->self, in);
	row->tenant = astra_get_u32(in);
	own.size = astra_get_u32(in);
	own.data = astra_get_bytes(in, own.size);
	if (in->failed)
		return -1;
	if (t->inner->restore(row->self, &own) == 0)
		return 0;
	t->inner->destroy(row->self);
	row->self = t->inner->create(options, NULL);
	return row->self ? 0 : -1;
}

int astra_tiers_tenants_save(const struct tiers_tenants *t,
			     struct astra_bytes *out)
{
	astra_put_u32(out, (uint32_t)t->count);
	for (size_t i = 0; i < t->count; i++) {
		astra_put_text(out, t->rows[i].name);
		if (save_row(t, &t->rows[i], out) < 0)
			return -1;
	}
	return out->failed ? -1 : 0;
}

int astra_tiers_tenants_restore(struct tiers_tenants *t,
				const struct astra_options *options,
				struct astra_reader *in)
{
	uint32_t count = astra_get_u32(in);

	for (uint32_t i = 0; i < count && !in->failed; i++) {
		char *name = astra_get_text(in);
		struct tiers_tenant *row;

		if (name && astra_tiers_tenant(t, name)) {
			free(name);
			return -1;
		}
		row = tiers_add_row(t, options, name, NULL);
		if (!row || tenants_restore_row(t, row, options, in) < 0)
			return -1;
	}
	return in->failed ? -1 : 0;
}

void astra_tiers_tenants_save_rest(const struct tiers_tenants *t,
				   struct astra_bytes *out)
{
	for (size_t i = 0; i < t->count; i++) {
		if (t->inner->save_rest)
			t->inner->save_rest(t->rows[i].self, out);
		astra_put_u32(out, t->rows[i].served);
		astra_put_u64(out, t->rows[i].auctions);
		astra_put_u64(out, t->rows[i].last_auction);
	}
}

int astra_tiers_tenants_restore_rest(struct tiers_tenants *t,
				     struct astra_reader *in)
{
	for (size_t i = 0; i < t->count; i++) {
		if (t->inner->restore_rest &&
		    t->inner->restore_rest(t->rows[i].self, in) < 0)
			return -1;
		t->rows[i].served = astra_get_u32(in) != 0;
		t->rows[i].auctions = astra_get_u64(in);
		t->rows[i].last_auction = astra_get_u64(in);
	}
	return in->failed ? -1 : 0;
}

void astra_tiers_tenants_clear(struct tiers_tenants *t)
{
	for (size_t i = 0; i < t->count; i++)
		tenants_forget(t, &t->rows[i]);
	free(t->rows);
	*t = (struct tiers_tenants){.inner = t->inner};
}
