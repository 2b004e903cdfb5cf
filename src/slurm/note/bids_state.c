/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bids as bytes. A later layout must only add to the end of a row. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/model/auction.h"
#include "src/slurm/note/bids.h"
#include "src/slurm/note/bids_priv.h"

void bids_entry_clear(struct bids_entry *e)
{
	free(e->table);
	free(e->order);
	*e = (struct bids_entry){0};
}

void bids_entry_save(const struct bids_entry *e, struct astra_bytes *out)
{
	astra_put_u64(out, e->app);
	astra_put_text(out, e->pool);
	astra_put_u32(out, e->uid);
	astra_put_f64(out, e->time_sec);
	astra_put_f64(out, e->rho_now);
	astra_put_u32(out, e->gpus_max);
	for (size_t i = 0; i < (size_t)ASTRA_LEVEL_COUNT * e->gpus_max; i++)
		astra_put_f64(out, e->table[i]);
	astra_put_f64(out, e->order_sec);
	astra_put_u32(out, e->order_count);
	for (uint32_t i = 0; i < e->order_count; i++) {
		astra_put_u32(out, e->order[i].job);
		astra_put_u32(out, e->order[i].turn);
	}
}

static bool bids_state_is_time(double sec)
{
	return sec >= 0 && isfinite(sec);
}

static int restore_pool(struct bids_entry *e, struct astra_reader *in)
{
	char *pool = astra_get_text(in);
	bool fits = pool && strlen(pool) < sizeof(e->pool);

	if (fits)
		strcpy(e->pool, pool);
	free(pool);
	return fits ? 0 : -1;
}

/* Read a table. Its numbers may be infinite. */
static int restore_table(struct bids_entry *e, struct astra_reader *in)
{
	size_t count;

	e->time_sec = astra_get_f64(in);
	e->rho_now = astra_get_f64(in);
	e->gpus_max = astra_get_u32(in);
	if (in->failed || !bids_state_is_time(e->time_sec) ||
	    isnan(e->rho_now) || e->gpus_max > ASTRA_BID_GPUS_MAX ||
	    (e->time_sec > 0) != (e->gpus_max > 0))
		return -1;
	count = (size_t)ASTRA_LEVEL_COUNT * e->gpus_max;
	e->table = calloc(count + 1, sizeof(*e->table));
	for (size_t i = 0; e->table && i < count; i++) {
		e->table[i] = astra_get_f64(in);
		if (!(e->table[i] >= 0))
			return -1;
	}
	return e->table && !in->failed ? 0 : -1;
}

/* Read an order. It must be sorted by job, since it is searched by
 * bisection. */
static int restore_order(struct bids_entry *e, struct astra_reader *in)
{
	e->order_sec = astra_get_f64(in);
	e->order_count = astra_get_u32(in);
	if (in->failed || !bids_state_is_time(e->order_sec) ||
	    e->order_count > ASTRA_BIDS_NUMBERS_MAX)
		return -1;
	e->order = calloc(e->order_count + 1u, sizeof(*e->order));
	for (uint32_t i = 0; e->order && i < e->order_count; i++) {
		e->order[i].job = astra_get_u32(in);
		e->order[i].turn = astra_get_u32(in);
		if (in->failed || (i && e->order[i].job < e->order[i - 1].job))
			return -1;
	}
	return e->order ? 0 : -1;
}

static int restore_entry(struct bids_entry *e, struct astra_reader *in,
			 double now_sec)
{
	*e = (struct bids_entry){.app = astra_get_u64(in), .seen = true};
	if (restore_pool(e, in) < 0)
		return -1;
	e->uid = astra_get_u32(in);
	if (restore_table(e, in) < 0 || restore_order(e, in) < 0) {
		bids_entry_clear(e);
		return -1;
	}
	e->time_sec = fmin(e->time_sec, now_sec);
	e->order_sec = fmin(e->order_sec, now_sec);
	return 0;
}

int bids_list_restore(struct bids_entry **list, size_t *count,
		      struct astra_reader *in, uint32_t version, double now_sec)
{
	uint32_t all = astra_get_u32(in);
	size_t room = 0;
	int rc = !version || version > ASTRA_BIDS_VERSION ||
				 all > ASTRA_BIDS_APPS_MAX
			 ? -1
			 : 0;

	*list = NULL;
	*count = 0;
	while (!rc && *count < all) {
		if (astra_grow(list, &room, *count + 1, sizeof(**list)) < 0)
			rc = -1;
		else
			rc = restore_entry(&(*list)[*count], in, now_sec);
		*count += !rc;
	}
	if (!rc && !in->failed && in->at == in->size)
		return 0;
	while (*count)
		bids_entry_clear(&(*list)[--*count]);
	free(*list);
	*list = NULL;
	return -1;
}
