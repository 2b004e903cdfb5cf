/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is free when a round begins, and what is going to be. */
#include <stdlib.h>

#include "src/policy/engine_priv.h"

/* A node as the jobs of the snapshot leave it. */
struct idle_node {
	uint32_t gpus, cpus;
	uint32_t users; /* shares of jobs there */
};

static void idle_take_held(const struct round *r, struct idle_node *left)
{
	for (size_t i = 0; i < r->snap->job_count; i++) {
		const struct astra_job *job = &r->snap->jobs[i];

		for (size_t k = 0; k < job->held_count; k++) {
			const struct astra_share *s = &job->held[k];
			struct idle_node *n = &left[s->node];

			n->gpus -= s->gpus < n->gpus ? s->gpus : n->gpus;
			n->cpus -= s->cpus < n->cpus ? s->cpus : n->cpus;
			n->users++;
		}
	}
}

/* The host's counts of what is free hold. Where they are less than what the
 * jobs leave, others are on the node, whom no lease's end removes; where they
 * are more, the jobs' holdings are wrong, and who leaves gives back nothing
 * that could make the node whole. */
static void idle_set(struct round *r, uint32_t node,
		     const struct idle_node *left)
{
	const struct astra_node *n = &r->snap->nodes[node];
	bool agree = left->gpus >= n->gpus_free && left->cpus >= n->cpus_free;
	bool others = left->gpus > n->gpus_free || left->cpus > n->cpus_free;
	uint32_t users = left->users + others;
	struct astra_room room = {
		.gpus = n->gpus_free,
		.scattered = n->gpus_scattered,
		.cpus = n->cpus_free,
		.mem_mib = n->mem_free_mib,
		.whole = agree && !users,
	};

	if (!n->usable)
		return;
	if (n->settling) /* what is free there is free soon */
		r->coming[node] += n->gpus_free;
	else
		astra_space_set_used(r->idle, node, &room, agree,
				     agree ? users : 0);
}

/* GPUs of those who are leaving. */
static void idle_count_coming(struct round *r)
{
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

static void idle_count_gpus(struct round *r)
{
	for (size_t i = 0; i < r->snap->node_count; i++) {
		const struct astra_node *n = &r->snap->nodes[i];

		if (n->gpus > r->node_gpus_max)
			r->node_gpus_max = n->gpus;
		if (n->usable)
			r->usable_gpus += n->gpus;
		r->emptying |= n->emptying;
	}
}

int astra_idle_build(struct round *r)
{
	size_t count = r->snap->node_count;
	struct idle_node *left = calloc(count + 1, sizeof(*left));

	idle_count_gpus(r);
	r->idle = astra_space_create(count, r->node_gpus_max);
	r->coming = calloc(count + 1, sizeof(*r->coming));
	if (!left || !r->idle || !r->coming) {
		free(left);
		return -1;
	}
	for (size_t i = 0; i < count; i++) {
		left[i].gpus = r->snap->nodes[i].gpus;
		left[i].cpus = r->snap->nodes[i].cpus;
	}
	idle_take_held(r, left);
	for (uint32_t i = 0; i < count; i++)
		idle_set(r, i, &left[i]);
	idle_count_coming(r);
	free(left);
	return 0;
}
