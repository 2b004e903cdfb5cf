/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waiting for GPUs that come free without the end of a lease. The host starts
 * nothing on a node while it cleans up a job there: such a node is settling. If
 * every waiting job has a place on free GPUs or on settling nodes, no lease
 * ends for a waiting job. These jobs compete again once the nodes are clean. If
 * one job has no place, a lease has to end, and the contest decides for which
 * job. Policies that allocate hold no contest; for them nothing is done here.
 *
 * Example. A job of 1 GPU waits. Node 1 has 2 free GPUs, and 2 GPUs of a job in
 * its epilog. On node 2 a lease is over. That lease is renewed, and the waiting
 * job starts on node 1 a few seconds later. If instead two jobs of 4 GPUs wait,
 * only one has a place on node 1, so the lease on node 2 ends for one of
 * them. */
#include <stdlib.h>

#include "src/engine/hold.h"

#define AWAIT_PLACES 64 /* if more jobs wait, none of them is tried */

/* Whether waiting for settling nodes can spare a lease. It can if a lease is
 * over or may end early (recall.c). */
static bool await_matters(const struct round *r)
{
	size_t over = 0, waiting = 0;

	for (size_t i = 0; i < r->contender_count; i++) {
		over += r->contenders[i].expired && !r->contenders[i].runs;
		waiting += !r->contenders[i].expired;
	}
	return (over || r->e->options.promise) && waiting &&
	       waiting <= AWAIT_PLACES && r->e->idle.settling > 0;
}

/* Add to the space what the job leaves on settling nodes, and what is free on
 * these nodes. */
static void await_give(const struct round *r, const struct astra_job *job,
		       struct astra_space *space)
{
	for (size_t k = 0; k < job->held_count; k++) {
		const struct astra_share *s = &job->held[k];
		const struct astra_node *n = &r->snap->nodes[s->node];
		struct astra_room room = *astra_space_get(space, s->node);

		if (!n->settling || !n->usable || !r->coming[s->node])
			continue;
		if (!room.gpus) { /* the first job on this node */
			room.cpus = n->cpus_free;
			room.mem_mib = n->mem_free_mib;
		}
		room.gpus = r->coming[s->node];
		room.scattered = n->gpus_scattered;
		room.cpus += s->cpus;
		room.mem_mib += s->mem_mib;
		room.whole = room.gpus >= n->gpus && room.cpus >= n->cpus;
		room.owner = room.whole ? 0 : n->owner;
		room.alone = n->alone && !room.whole;
		astra_space_set(space, s->node, &room);
	}
}

/* Whether a job has a place among the free GPUs, or else among free and coming
 * GPUs; in the latter case it awaits them. The place is taken. A job without
 * room in a limit has no place, as leases have to end for that. scratch: one
 * share a node. limits: the room in each; NULL: there are none. */
static bool await_place(struct round *r, struct contender *c,
			struct astra_space *free_now, struct astra_space *soon,
			struct astra_share *scratch, int64_t *limits)
{
	const uint64_t *banned = astra_refused_nodes(r->e, c->job->id);
	uint32_t strict = r->e->options.strict_placement ? r->node_gpus_max : 0;
	size_t count;

	if (astra_rights_lack(limits, c->job))
		return false;
	if (limits)
		astra_rights_count(limits, c->job, -1);
	count = astra_place(free_now, &c->job->request, banned, strict,
			    scratch);
	if (!count) {
		count = astra_place(soon, &c->job->request, banned, strict,
				    scratch);
		c->awaits = count > 0;
	}
	for (size_t i = 0; i < count; i++) {
		astra_space_take(soon, &scratch[i]);
		if (!r->snap->nodes[scratch[i].node].settling)
			astra_space_take(free_now, &scratch[i]);
	}
	return count > 0;
}

static void await_all(struct round *r, struct astra_space *free_now,
		      struct astra_space *soon, struct astra_share *scratch,
		      int64_t *limits)
{
	bool all = true;

	ASTRA_ROSTER_EACH(i, &r->e->roster.leaving)
	{
		const struct astra_job *job = &r->snap->jobs[i];

		if (!astra_lease_overdue(r->e, r->snap,
					 &r->e->jobs[r->e->row_of[i]], job))
			await_give(r, job, soon);
	}
	/* Take off the CPUs and memory that grants still lack. */
	for (size_t i = 0; i < r->missing_count; i++)
		if (r->snap->nodes[r->missing[i].node].settling)
			astra_space_take(soon, &r->missing[i]);
	for (size_t i = 0; i < r->contender_count && all; i++)
		if (!r->contenders[i].expired)
			all = await_place(r, &r->contenders[i], free_now, soon,
					  scratch, limits);
	for (size_t i = 0; i < r->contender_count && !all; i++)
		r->contenders[i].awaits = false;
}

int astra_await(struct round *r)
{
	struct astra_space *free_now, *soon;
	struct astra_share *scratch;
	int64_t *limits = NULL;
	int status = -1;

	if (!await_matters(r))
		return 0;
	free_now = astra_space_copy(r->idle);
	soon = astra_space_copy(r->idle);
	scratch = calloc(r->snap->node_count + 1, sizeof(*scratch));
	if (r->snap->limit_count)
		limits = astra_rights_room(r);
	if (free_now && soon && scratch && (limits || !r->snap->limit_count)) {
		await_all(r, free_now, soon, scratch, limits);
		status = 0;
	}
	free(scratch);
	free(limits);
	astra_space_destroy(soon);
	astra_space_destroy(free_now);
	return status;
}
