/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policies/incentive/calendar.h"

#include <stdlib.h>

#include "src/common/grow.h"

int astra_calendar_add(struct astra_calendar *c,
		       const struct astra_calendar_entry *entry,
		       const struct astra_share *shares, size_t share_count)
{
	struct astra_calendar_entry *to;

	if (astra_grow(&c->entries, &c->room, c->count + 1,
		       sizeof(*c->entries)) < 0 ||
	    astra_grow(&c->shares, &c->share_room, c->share_count + share_count,
		       sizeof(*c->shares)) < 0)
		return -1;
	to = &c->entries[c->count++];
	*to = *entry;
	to->first_share = c->share_count;
	to->share_count = share_count;
	for (size_t i = 0; i < share_count; i++)
		c->shares[c->share_count++] = shares[i];
	return 0;
}

static int calendar_compare_entries(const void *a, const void *b)
{
	const struct astra_calendar_entry *x = a, *y = b;

	if (x->job != y->job)
		return x->job < y->job ? -1 : 1;
	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return x->first_share < y->first_share ? -1 : 1;
}

void astra_calendar_sort(struct astra_calendar *c)
{
	if (c->count)
		qsort(c->entries, c->count, sizeof(*c->entries),
		      calendar_compare_entries);
	for (size_t i = 0; i < c->count; i++) {
		struct astra_calendar_entry *e = &c->entries[i];

		e->rank = i && e[-1].job == e->job ? e[-1].rank + 1 : 0;
	}
}

const struct astra_calendar_entry *
astra_calendar_find(const struct astra_calendar *c, uint32_t job, size_t *count)
{
	size_t low = 0, high = c->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (c->entries[middle].job < job)
			low = middle + 1;
		else
			high = middle;
	}
	for (high = low; high < c->count && c->entries[high].job == job;)
		high++;
	*count = high - low;
	return c->entries + low;
}

void astra_calendar_renumber(struct astra_calendar *c,
			     const struct astra_renumbering *by)
{
	for (size_t i = 0; i < c->count; i++)
		astra_shares_renumber(c->shares + c->entries[i].first_share,
				      c->entries[i].share_count, by);
}

void astra_calendar_reset(struct astra_calendar *c)
{
	c->count = c->share_count = 0;
}

void astra_calendar_free(struct astra_calendar *c)
{
	free(c->entries);
	free(c->shares);
	*c = (struct astra_calendar){0};
}

void astra_calendar_save(const struct astra_calendar *c,
			 struct astra_bytes *out)
{
	astra_put_u32(out, (uint32_t)c->count);
	for (size_t i = 0; i < c->count; i++) {
		const struct astra_calendar_entry *e = &c->entries[i];

		astra_put_u32(out, e->job);
		astra_put_u32(out, e->copies);
		astra_put_u32(out, e->first);
		astra_put_u32(out, e->last);
		astra_put_u32(out, (uint32_t)e->share_count);
		for (size_t k = 0; k < e->share_count; k++) {
			const struct astra_share *s =
				&c->shares[e->first_share + k];

			astra_put_u32(out, s->node);
			astra_put_u32(out, s->gpus);
		}
	}
}

static int restore_shares(struct astra_calendar *c,
			  const struct astra_calendar_entry *entry,
			  uint32_t count, struct astra_reader *in)
{
	struct astra_share *shares;
	int rc;

	if (count > (in->size - in->at) / 8)
		return -1;
	shares = calloc(count + 1, sizeof(*shares));
	for (uint32_t k = 0; shares && k < count; k++) {
		shares[k].node = astra_get_u32(in);
		shares[k].gpus = astra_get_u32(in);
	}
	rc = shares ? astra_calendar_add(c, entry, shares, count) : -1;
	free(shares);
	return rc;
}

int astra_calendar_restore(struct astra_calendar *c, struct astra_reader *in)
{
	uint32_t count = astra_get_u32(in);

	for (uint32_t i = 0; i < count && !in->failed; i++) {
		struct astra_calendar_entry e = {.job = astra_get_u32(in)};

		e.copies = astra_get_u32(in);
		e.first = astra_get_u32(in);
		e.last = astra_get_u32(in);
		if (!e.job || !e.first || e.last < e.first ||
		    restore_shares(c, &e, astra_get_u32(in), in) < 0)
			return -1;
	}
	astra_calendar_sort(c);
	return in->failed ? -1 : 0;
}
