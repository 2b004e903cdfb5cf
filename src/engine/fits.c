/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether a job that waits could run if all jobs that run ended: whether it has
 * a place on the nodes that are up, with nothing on them. The answer depends on
 * the nodes and the request alone, so it is found once for all requests of a
 * shape, and again when a node comes, goes or gets another size. */
#include <stdlib.h>

#include "src/engine/engine_priv.h"

#define FITS_ROOM 256	/* of the first table */
#define FITS_SPARE 1024 /* answers of jobs that are gone */

struct fits_answer {
	uint64_t shape; /* 0: none */
	bool fits;
};

void astra_fits_clear(struct fits *fits)
{
	astra_space_destroy(fits->space);
	free(fits->shares);
	free(fits->answers);
	*fits = (struct fits){0};
}

/* The nodes. */

static struct astra_room fits_room(const struct astra_node *n)
{
	if (!n->usable)
		return (struct astra_room){0};
	return (struct astra_room){
		.gpus = n->gpus,
		.cpus = n->cpus,
		.mem_mib = n->mem_mib ? n->mem_mib : UINT64_MAX,
		.whole = true,
	};
}

static bool fits_same(const struct fits *fits,
		      const struct astra_snapshot *snap)
{
	uint32_t most = 0;

	if (!fits->space || fits->node_count != snap->node_count)
		return false;
	for (uint32_t i = 0; i < snap->node_count; i++) {
		const struct astra_node *n = &snap->nodes[i];
		const struct astra_room *x = astra_space_get(fits->space, i);
		struct astra_room y = fits_room(n);

		if (x->gpus != y.gpus || x->cpus != y.cpus ||
		    x->mem_mib != y.mem_mib || x->whole != y.whole)
			return false;
		most = n->gpus > most ? n->gpus : most;
	}
	return most == fits->gpus_max;
}

/* All answers are void then. */
static int fits_look(struct fits *fits, const struct astra_snapshot *snap)
{
	astra_fits_clear(fits);
	fits->node_count = snap->node_count;
	for (size_t i = 0; i < snap->node_count; i++)
		if (snap->nodes[i].gpus > fits->gpus_max)
			fits->gpus_max = snap->nodes[i].gpus;
	fits->shares = calloc(snap->node_count + 1, sizeof(*fits->shares));
	fits->space = astra_space_create(snap->node_count, fits->gpus_max);
	if (!fits->shares || !fits->space)
		return -1;
	for (uint32_t i = 0; i < snap->node_count; i++) {
		struct astra_room room = fits_room(&snap->nodes[i]);

		astra_space_set(fits->space, i, &room);
	}
	return 0;
}

int astra_fits_begin(struct astra_engine *e, const struct astra_snapshot *snap)
{
	struct fits *fits = &e->fits;

	if (fits->count > 2 * snap->job_count + FITS_SPARE) {
		free(fits->answers);
		fits->answers = NULL;
		fits->count = fits->room = 0;
	}
	if (fits->space && (snap->changes || fits_same(fits, snap)))
		return 0;
	return fits_look(fits, snap);
}

/* The answers. */

static struct fits_answer *fits_slot(struct fits_answer *answers, size_t room,
				     uint64_t shape)
{
	size_t at = (size_t)(shape ^ shape >> 32) & (room - 1);

	while (answers[at].shape && answers[at].shape != shape)
		at = (at + 1) & (room - 1);
	return &answers[at];
}

/* At least half of the table is empty. Returns 0, or -1 when memory is out. */
static int fits_grow(struct fits *fits)
{
	size_t room = fits->room ? 2 * fits->room : FITS_ROOM;
	struct fits_answer *answers;

	if (2 * (fits->count + 1) <= fits->room)
		return 0;
	answers = calloc(room, sizeof(*answers));
	if (!answers)
		return -1;
	for (size_t i = 0; i < fits->room; i++)
		if (fits->answers[i].shape)
			*fits_slot(answers, room, fits->answers[i].shape) =
				fits->answers[i];
	free(fits->answers);
	fits->answers = answers;
	fits->room = room;
	return 0;
}

/* An elastic job fits where its fewest GPUs do. */
static bool fits_search(const struct astra_engine *e,
			const struct astra_request *q)
{
	const struct fits *fits = &e->fits;
	bool strict = e->options.leases && e->options.strict_placement;
	struct astra_request least =
		astra_request_sized(q, astra_request_least(q));

	return astra_place(fits->space, &least, NULL,
			   strict ? fits->gpus_max : 0, fits->shares) > 0;
}

bool astra_fits(struct astra_engine *e, const struct astra_request *q,
		uint64_t shape)
{
	struct fits *fits = &e->fits;
	struct fits_answer *slot;

	if (!q->gpus)
		return true;
	if (!shape || fits_grow(fits) < 0)
		return fits_search(e, q);
	slot = fits_slot(fits->answers, fits->room, shape);
	if (!slot->shape) {
		*slot = (struct fits_answer){
			.shape = shape,
			.fits = fits_search(e, q),
		};
		fits->count++;
	}
	return slot->fits;
}
