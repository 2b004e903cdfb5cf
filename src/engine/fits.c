/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether a waiting job could run if all running jobs ended, that is, whether
 * it has a place on the nodes that are up, with nothing on them. The answer
 * depends on the nodes and the request alone. So it is found once for all
 * requests of a shape, and again when a node comes, goes or changes its size. A
 * round makes a limited number of searches. Until its shape has an answer, a
 * job is treated as before, and the next round continues the searches.
 *
 * A job that does not fit earns no GPU time. Otherwise a tenant could wait for
 * a drained node, cancel the job, and then have all GPUs until the others had
 * caught up. Nodes that a reservation keeps from the job do not count as its
 * nodes. A job earns nothing from the round that sees that it does not fit, and
 * earns again from the round that sees a place for it. A job that waits because
 * GPUs are busy earns, and so does a running job, even if its nodes go down.
 * What only the host knows (--switches, neighbours for --contiguous, blocks)
 * does not count. */
#include <stdlib.h>

#include "src/engine/engine_priv.h"

#define FITS_ROOM 256	/* size of the first table */
#define FITS_SPARE 1024 /* answers kept for jobs that are gone */
/* How many nodes the searches of a round may look at. A search may look at
 * every node. */
#define FITS_NODES 1000000
#define FITS_MIX UINT64_C(0x9e3779b97f4a7c15)

struct fits_answer {
	uint64_t shape; /* 0: empty */
	bool fits;
};

void astra_fits_clear(struct fits *fits)
{
	astra_space_destroy(fits->space);
	free(fits->shares);
	free(fits->answers);
	*fits = (struct fits){.generation = fits->generation + 1};
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

/* Take over the snapshot's nodes, and drop all answers. */
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
	bool same = fits->space && (snap->changes || fits_same(fits, snap));

	if (!same && fits_look(fits, snap) < 0) {
		astra_fits_clear(fits);
		return -1;
	}
	if (fits->count > 2 * snap->job_count + FITS_SPARE) {
		free(fits->answers);
		fits->answers = NULL;
		fits->count = fits->room = 0;
	}
	fits->more = false;
	fits->looks = 1 + FITS_NODES / (snap->node_count + 1);
	return 0;
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

/* Keep at least half of the table empty. Returns 0, or -1 when memory is
 * out. */
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

/* Whether a request fits. For an elastic job its fewest GPUs have to fit. */
static bool fits_search(const struct astra_engine *e,
			const struct astra_request *q)
{
	const struct fits *fits = &e->fits;
	bool strict = e->options.leases && e->options.strict_placement;
	struct astra_request least = *q;

	if (astra_request_elastic(q))
		least = astra_request_sized(q, q->gpus_min);
	if (q->possible) /* the host may choose others of the possible nodes */
		least.allowed = q->possible;
	return astra_place(fits->space, &least, NULL,
			   strict ? fits->gpus_max : 0, fits->shares) > 0;
}

/* Return 1 if the request fits, 0 if not, or -1 if the search is left to the
 * next round. */
static int fits_answer(struct astra_engine *e, const struct astra_request *q,
		       uint64_t shape)
{
	struct fits *fits = &e->fits;
	struct fits_answer *slot = NULL;

	if (fits_grow(fits) == 0)
		slot = fits_slot(fits->answers, fits->room, shape);
	if (slot && slot->shape)
		return slot->fits;
	if (!fits->looks)
		return -1;
	fits->looks--;
	if (!slot || !shape)
		return fits_search(e, q);
	*slot = (struct fits_answer){
		.shape = shape,
		.fits = fits_search(e, q),
	};
	fits->count++;
	return slot->fits;
}

bool astra_fits(struct astra_engine *e, struct ejob *j,
		const struct astra_request *q, uint64_t shape)
{
	struct fits *fits = &e->fits;
	uint64_t key = (shape ^ fits->generation * FITS_MIX) | 1;
	int answer;

	if (!q->gpus || j->fits_key == key)
		return !q->gpus || !j->unfit;
	answer = fits_answer(e, q, shape);
	j->fits_key = answer < 0 ? 0 : key;
	fits->more |= answer < 0;
	return answer < 0 ? !j->unfit : answer;
}
