/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "src/common/grow.h"
#include "src/slurm/desk/progress.h"
#include "src/slurm/desk/progress_priv.h"

struct progress_entry *progress_find(const struct progress_table *t,
				     uint32_t key)
{
	uint32_t at = astra_idmap_get(&t->by_key, key);

	return at == ASTRA_IDMAP_NONE ? NULL : &t->list[at];
}

struct progress_entry *progress_obtain(struct progress_table *t, uint32_t key)
{
	struct progress_entry *e = progress_find(t, key);

	if (e)
		return e;
	if (t->count >= ASTRA_PROGRESS_MAX ||
	    astra_grow(&t->list, &t->room, t->count + 1, sizeof(*t->list)) <
		    0 ||
	    astra_idmap_put(&t->by_key, key, (uint32_t)t->count) < 0)
		return NULL;
	t->list[t->count] = (struct progress_entry){.key = key};
	return &t->list[t->count++];
}

void progress_drop(struct progress_table *t, size_t at)
{
	astra_idmap_del(&t->by_key, t->list[at].key);
	if (at != --t->count) {
		t->list[at] = t->list[t->count];
		/* Its key is there: this needs no memory. */
		(void)astra_idmap_put(&t->by_key, t->list[at].key,
				      (uint32_t)at);
	}
}

void progress_clear(struct progress_table *t)
{
	free(t->list);
	astra_idmap_clear(&t->by_key);
	*t = (struct progress_table){0};
}

void progress_take_over(struct progress_table *t,
			const struct progress_entry *saved)
{
	struct progress_entry *e = progress_obtain(t, saved->key);
	struct progress_entry now;

	if (!e)
		return;
	now = *e;
	*e = *saved;
	if (now.progress.time_sec > 0) {
		e->progress = now.progress;
		e->fresh = e->unguarded[0] = true;
	}
	if (now.checkpoint.time_sec > 0) {
		e->checkpoint = now.checkpoint;
		e->saved_run = now.saved_run;
		e->unguarded[1] = true;
	}
}
