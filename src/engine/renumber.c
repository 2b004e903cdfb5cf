/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nodes come, go and are renamed. Node indices that are remembered from round
 * to round are changed to the nodes' new indices. If a node is gone, what
 * refers to it is dropped. */
#include <stdlib.h>

#include "src/engine/hold.h"

static void renumber_grants(struct astra_engine *e,
			    const struct astra_renumbering *by)
{
	for (size_t i = e->grant_count; i-- > 0;) {
		struct grant *g = &e->grants[i];

		if (!astra_shares_renumber(g->shares, g->count, by))
			astra_grants_drop_at(e, i);
	}
}

/* Renumber a refusal's nodes. When memory is out the refusal ends now. */
static void renumber_refusal(struct refusal *x, size_t words, size_t new_words,
			     const struct astra_renumbering *by)
{
	uint64_t *nodes = calloc(new_words + 1, sizeof(*nodes));

	if (!nodes)
		x->until_sec = 0;
	for (uint32_t i = 0; nodes && i < 64 * words; i++) {
		uint32_t now = ASTRA_NONE;

		if (x->nodes[i / 64] >> (i % 64) & 1)
			now = astra_renumbered(by, i);
		if (now != ASTRA_NONE)
			nodes[now / 64] |= UINT64_C(1) << (now % 64);
	}
	free(x->nodes);
	x->nodes = nodes;
}

static void renumber_holds(struct astra_engine *e,
			   const struct astra_renumbering *by)
{
	for (size_t i = e->hold_count; i-- > 0;) {
		struct hold *h = &e->holds[i];

		if (!astra_shares_renumber(h->shares, h->count, by))
			astra_hold_drop(e, i);
	}
}

void astra_engine_follow_nodes(struct astra_engine *e,
			       const struct astra_snapshot *snap)
{
	size_t words = (snap->node_count + 63) / 64;
	struct astra_renumbering by;

	if (astra_node_names_follow(&e->nodes, snap->nodes, snap->node_count,
				    &by)) {
		renumber_grants(e, &by);
		renumber_holds(e, &by);
		for (size_t i = 0; i < e->refusal_count; i++)
			if (e->refusals[i].nodes)
				renumber_refusal(&e->refusals[i], e->node_words,
						 words, &by);
		if (e->policy->renumber && !e->back)
			e->policy->renumber(e->policy_self, &by);
	}
	free(by.now);
	if (e->back)
		astra_aside_renumber(e, snap);
	e->node_words = words;
}
