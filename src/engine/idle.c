/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is free when a round begins, and what comes free. If the host says what
 * changed since the last round, only the changes are counted again. What a
 * round takes for itself is undone at its end. */
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/engine/engine_priv.h"

void astra_idle_clear(struct idle *idle)
{
	astra_space_destroy(idle->space);
	astra_ranks_free(&idle->ranks);
	free(idle->left);
	free(idle->coming);
	free(idle->moved);
	*idle = (struct idle){0};
}

static void idle_hold(struct idle *idle, const struct astra_share *shares,
		      size_t count, int sign)
{
	for (size_t i = 0; i < count; i++) {
		struct idle_node *n = &idle->left[shares[i].node];

		n->gpus -= sign * (int64_t)shares[i].gpus;
		n->cpus -= sign * (int64_t)shares[i].cpus;
		n->users += sign;
	}
}

static int idle_note(struct idle *idle, const struct astra_share *shares,
		     size_t count)
{
	if (astra_grow(&idle->moved, &idle->moved_room,
		       idle->moved_count + count, sizeof(*idle->moved)) < 0)
		return -1;
	for (size_t i = 0; i < count; i++)
		idle->moved[idle->moved_count++] = shares[i].node;
	return 0;
}

static bool idle_same(const struct ejob *j, const struct astra_job *job)
{
	if (j->held_count != job->held_count)
		return false;
	for (size_t i = 0; i < j->held_count; i++)
		if (j->held[i].node != job->held[i].node ||
		    j->held[i].gpus != job->held[i].gpus ||
		    j->held[i].cpus != job->held[i].cpus)
			return false;
	return true;
}

static int idle_remember(struct ejob *j, const struct astra_job *job)
{
	struct astra_share *held = NULL;

	if (job->held_count) {
		held = malloc(job->held_count * sizeof(*held));
		if (!held)
			return -1;
		memcpy(held, job->held, job->held_count * sizeof(*held));
	}
	free(j->held);
	j->held = held;
	j->held_count = job->held_count;
	return 0;
}

int astra_idle_move(struct astra_engine *e, struct ejob *j,
		    const struct astra_job *job)
{
	struct idle *idle = &e->idle;

	if (idle_same(j, job))
		return 0;
	if (idle->known && (idle_note(idle, j->held, j->held_count) < 0 ||
			    idle_note(idle, job->held, job->held_count) < 0))
		return -1;
	if (idle->known)
		idle_hold(idle, j->held, j->held_count, -1);
	if (idle_remember(j, job) < 0) {
		idle->known = false;
		return -1;
	}
	if (idle->known)
		idle_hold(idle, j->held, j->held_count, 1);
	return 0;
}

void astra_idle_leave(struct astra_engine *e, struct ejob *j)
{
	struct idle *idle = &e->idle;

	if (idle->known && j->held_count) {
		idle_hold(idle, j->held, j->held_count, -1);
		if (idle_note(idle, j->held, j->held_count) < 0)
			idle->known = false;
	}
	free(j->held);
	j->held = NULL;
	j->held_count = 0;
}

static uint32_t idle_positive(int64_t number)
{
	return number > 0 ? (uint32_t)number : 0;
}

/* Set what is free on a node, by the host's counts. If the host counts less
 * than the jobs leave, other jobs are on the node, which no lease's end
 * removes. If it counts more, the record of what jobs hold is wrong. A job that
 * leaves then gives back nothing that could make the node whole. */
static void idle_set(struct astra_engine *e, const struct astra_node *n,
		     uint32_t node)
{
	struct idle_node *left = &e->idle.left[node];
	uint32_t gpus = idle_positive(left->gpus);
	uint32_t cpus = idle_positive(left->cpus);
	bool agree = gpus >= n->gpus_free && cpus >= n->cpus_free;
	bool others = gpus > n->gpus_free || cpus > n->cpus_free;
	uint32_t users = (uint32_t)left->users + others;
	struct astra_room room = {
		.gpus = n->gpus_free,
		.scattered = n->gpus_scattered,
		.cpus = n->cpus_free,
		.mem_mib = n->mem_free_mib,
		.whole = agree && !users,
		.owner = n->owner,
		.alone = n->alone && !(agree && !users),
	};

	e->idle.settling += n->settling;
	e->idle.settling -= left->settling;
	left->settling = n->settling;
	if (n->usable && !n->settling)
		astra_space_set_used(e->idle.space, node, &room, agree,
				     agree ? users : 0);
	else
		astra_space_set(e->idle.space, node, &(struct astra_room){0});
}

/* Count the GPUs of leaving jobs, and what will soon be free on settling
 * nodes. */
static void idle_count_coming(struct round *r)
{
	if (r->e->idle.settling)
		for (size_t i = 0; i < r->snap->node_count; i++)
			if (r->snap->nodes[i].usable &&
			    r->snap->nodes[i].settling)
				r->coming[i] += r->snap->nodes[i].gpus_free;
	ASTRA_ROSTER_EACH(i, &r->e->roster.leaving)
	{
		const struct astra_job *job = &r->snap->jobs[i];
		const struct ejob *j = &r->e->jobs[r->e->row_of[i]];

		if (astra_lease_overdue(r->e, r->snap, j, job))
			continue;
		for (size_t k = 0; k < job->held_count; k++)
			r->coming[job->held[k].node] += job->held[k].gpus;
	}
}

static void idle_count_nodes(struct idle *idle,
			     const struct astra_snapshot *snap)
{
	idle->gpus_max = 0;
	idle->usable_gpus = 0;
	idle->emptying = false;
	idle->settling = 0;
	for (size_t i = 0; i < snap->node_count; i++) {
		const struct astra_node *n = &snap->nodes[i];

		if (n->gpus > idle->gpus_max)
			idle->gpus_max = n->gpus;
		if (n->usable)
			idle->usable_gpus += n->gpus;
		idle->emptying |= n->emptying;
		idle->left[i] = (struct idle_node){
			.gpus = n->gpus,
			.cpus = n->cpus,
		};
	}
}

/* Count all nodes and jobs anew. told: the next round may count only
 * changes. */
static int idle_count_all(struct astra_engine *e,
			  const struct astra_snapshot *snap, bool told)
{
	struct idle *idle = &e->idle;
	size_t count = snap->node_count;

	astra_idle_clear(idle);
	idle->left = calloc(count + 1, sizeof(*idle->left));
	idle->coming = calloc(count + 1, sizeof(*idle->coming));
	if (!idle->left || !idle->coming)
		return -1;
	idle_count_nodes(idle, snap);
	idle->space = astra_space_create(count, idle->gpus_max);
	if (!idle->space ||
	    astra_ranks_make(&idle->ranks, snap->nodes, count) < 0)
		return -1;
	astra_space_weigh(idle->space, &idle->ranks);
	for (size_t i = 0; i < snap->job_count; i++)
		idle_hold(idle, snap->jobs[i].held, snap->jobs[i].held_count,
			  1);
	for (uint32_t i = 0; i < count; i++)
		idle_set(e, &snap->nodes[i], i);
	idle->known = told;
	return 0;
}

static void idle_count_changed(struct astra_engine *e,
			       const struct astra_snapshot *snap)
{
	const struct astra_changes *changes = snap->changes;
	struct idle *idle = &e->idle;

	for (size_t i = 0; i < idle->moved_count; i++)
		idle_set(e, &snap->nodes[idle->moved[i]], idle->moved[i]);
	for (size_t i = 0; i < changes->node_count; i++)
		idle_set(e, &snap->nodes[changes->nodes[i]], changes->nodes[i]);
	idle->moved_count = 0;
}

int astra_idle_build(struct round *r)
{
	struct idle *idle = &r->e->idle;

	if (r->snap->changes && idle->known)
		idle_count_changed(r->e, r->snap);
	else if (idle_count_all(r->e, r->snap, r->told) < 0)
		return -1;
	r->idle = idle->space;
	r->coming = idle->coming;
	r->node_gpus_max = idle->gpus_max;
	r->usable_gpus = idle->usable_gpus;
	r->emptying = idle->emptying;
	idle_count_coming(r);
	astra_space_log(idle->space);
	return 0;
}

void astra_idle_replace(struct round *r, struct astra_space *space)
{
	if (r->idle != r->e->idle.space)
		astra_space_destroy(r->idle);
	r->idle = space;
}

void astra_idle_end(struct round *r)
{
	struct idle *idle = &r->e->idle;

	if (!r->idle)
		return;
	astra_idle_replace(r, NULL);
	if (astra_space_undo(idle->space) < 0)
		idle->known = false;
	memset(idle->coming, 0, r->snap->node_count * sizeof(*idle->coming));
}
