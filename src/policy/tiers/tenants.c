/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policy/tiers/tenants.h"

#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/policy/themis/policy.h"

/* Where the row of that name is, or would be. */
static size_t row_of(const struct tiers_tenants *t, const char *name)
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
	size_t row = row_of(t, name);

	return row < t->count && !strcmp(t->rows[row].name, name)
		       ? &t->rows[row]
		       : NULL;
}

static void forget(struct tiers_tenant *row)
{
	astra_themis.destroy(row->themis);
	free(row->name);
}

/* A row for a tenant that has none. name: becomes the row's, or is freed. */
static struct tiers_tenant *add(struct tiers_tenants *t,
				const struct astra_options *options, char *name,
				struct astra_error *err)
{
	struct tiers_tenant new = {.name = name};
	size_t at;

	if (!name || astra_grow(&t->rows, &t->room, t->count + 1,
				sizeof(*t->rows)) < 0) {
		free(name);
		astra_error_nomem(err);
		return NULL;
	}
	new.themis = astra_themis.create(options, err);
	if (!new.themis) {
		free(name);
		return NULL;
	}
	at = row_of(t, name);
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
			row = add(t, options, strdup(name), err);
		if (!row)
			return -1;
		row->seen = true;
	}
	for (size_t i = 0; i < t->count; i++)
		if (t->rows[i].seen)
			t->rows[kept++] = t->rows[i];
		else
			forget(&t->rows[i]);
	t->count = kept;
	return 0;
}

int astra_tiers_tenants_save(const struct tiers_tenants *t,
			     struct astra_bytes *out)
{
	astra_put_u32(out, (uint32_t)t->count);
	for (size_t i = 0; i < t->count; i++) {
		astra_put_text(out, t->rows[i].name);
		if (astra_themis_apps_save(t->rows[i].themis, out) < 0)
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
		row = add(t, options, name, NULL);
		if (!row || astra_themis_apps_restore(row->themis, in) < 0)
			return -1;
	}
	return in->failed ? -1 : 0;
}

void astra_tiers_tenants_save_rest(const struct tiers_tenants *t,
				   struct astra_bytes *out)
{
	for (size_t i = 0; i < t->count; i++) {
		astra_themis.save_rest(t->rows[i].themis, out);
		astra_put_u32(out, t->rows[i].served);
		astra_put_u64(out, t->rows[i].auctions);
		astra_put_u64(out, t->rows[i].last_auction);
	}
}

int astra_tiers_tenants_restore_rest(struct tiers_tenants *t,
				     struct astra_reader *in)
{
	for (size_t i = 0; i < t->count; i++) {
		if (astra_themis.restore_rest(t->rows[i].themis, in) < 0)
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
		forget(&t->rows[i]);
	free(t->rows);
	*t = (struct tiers_tenants){0};
}
