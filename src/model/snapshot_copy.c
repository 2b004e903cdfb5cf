/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/model/snapshot_copy.h"

#include <string.h>

#include "src/model/auction.h"
#include "src/model/members.h"

/* NULL when out of memory, or nothing was given. */
static void *snapshot_copy_copy(struct astra_arena *arena, const void *from,
				size_t size)
{
	void *to = from ? astra_arena_take(arena, size + 1) : NULL;

	if (to)
		memcpy(to, from, size);
	return to;
}

static int copy_text(void *arena, const char **text, const char *like)
{
	if (!*text)
		return 0;
	*text = like && !strcmp(*text, like) ? like
					     : astra_arena_text(arena, *text);
	return *text ? 0 : -1;
}

/* The same of records with texts. */
static void *copy_records(struct astra_arena *arena, const void *from,
			  size_t count, size_t size,
			  const struct astra_member *members)
{
	char *to = snapshot_copy_copy(arena, from, count * size);

	for (size_t i = 0; to && i < count; i++)
		if (astra_members_keep(to + i * size,
				       i ? to + (i - 1) * size : NULL, members,
				       copy_text, arena) < 0)
			return NULL;
	return to;
}

/* Jobs after each other often share the same nodes. */
struct shared_nodes {
	const uint64_t *before, *copy;
};

static int copy_node_set(const uint64_t **set, size_t size,
			 struct astra_arena *arena, struct shared_nodes *last)
{
	if (*set && *set != last->before) {
		last->before = *set;
		last->copy = snapshot_copy_copy(arena, *set, size);
		if (!last->copy)
			return -1;
	}
	if (*set)
		*set = last->copy;
	return 0;
}

static int copy_jobs(const struct astra_snapshot *from,
		     struct astra_arena *arena, struct astra_snapshot *to)
{
	size_t words = (from->node_count + 63) / 64 * sizeof(uint64_t);
	struct shared_nodes allowed = {0}, possible = {0}, required = {0};
	struct astra_job *jobs =
		copy_records(arena, from->jobs, from->job_count, sizeof(*jobs),
			     astra_job_members);

	to->jobs = jobs;
	for (size_t i = 0; jobs && i < from->job_count; i++) {
		struct astra_job *j = &jobs[i];

		if (copy_node_set(&j->request.allowed, words, arena, &allowed) <
			    0 ||
		    copy_node_set(&j->request.possible, words, arena,
				  &possible) < 0 ||
		    copy_node_set(&j->request.required, words, arena,
				  &required) < 0)
			return -1;
		if (!j->held_count)
			continue;
		j->held = snapshot_copy_copy(arena, j->held,
					     j->held_count * sizeof(*j->held));
		if (!j->held)
			return -1;
	}
	return jobs || !from->job_count ? 0 : -1;
}

static int snapshot_copy_bids(const struct astra_snapshot *from,
			      struct astra_arena *arena,
			      struct astra_snapshot *to)
{
	struct astra_bid *bids = snapshot_copy_copy(
		arena, from->bids, from->bid_count * sizeof(*bids));

	to->bids = bids;
	for (size_t i = 0; bids && i < from->bid_count; i++) {
		bids[i].table = snapshot_copy_copy(
			arena, bids[i].table,
			(size_t)ASTRA_LEVEL_COUNT * bids[i].gpus_max *
				sizeof(*bids[i].table));
		if (!bids[i].table && bids[i].gpus_max)
			return -1;
	}
	return bids || !from->bid_count ? 0 : -1;
}

int astra_snapshot_copy(const struct astra_snapshot *from,
			struct astra_arena *arena, struct astra_snapshot *to)
{
	*to = *from;
	to->nodes = copy_records(arena, from->nodes, from->node_count,
				 sizeof(*from->nodes), astra_node_members);
	to->tenants =
		copy_records(arena, from->tenants, from->tenant_count,
			     sizeof(*from->tenants), astra_tenant_members);
	to->users = copy_records(arena, from->users, from->user_count,
				 sizeof(*from->users), astra_user_members);
	if ((from->node_count && !to->nodes) ||
	    (from->tenant_count && !to->tenants) ||
	    (from->user_count && !to->users) || copy_jobs(from, arena, to) < 0)
		return -1;
	return snapshot_copy_bids(from, arena, to);
}
