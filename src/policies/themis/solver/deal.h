/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A deal: who gets how many GPUs at which node of the tree, and the steps that
 * improve it. Private to the auction.
 */
#ifndef ASTRA_THEMIS_DEAL_H
#define ASTRA_THEMIS_DEAL_H

#include "src/policies/themis/solver/tree.h"

/* What a bidder has, and its best steps from there. */
struct astra_themis_hand {
	uint32_t node;		/* NONE with x = 0 */
	uint32_t rack, machine; /* nodes on the path from it, or NONE */
	uint32_t x;
	double value;
	double gain, loss;	  /* of a GPU: in its step up; in its step down,
				   * infinite if it has none */
	uint32_t up, down;	  /* these steps in GPUs, 0: none */
	uint32_t next, previous;  /* others on the same machine */
	bool absent;		  /* it takes no part */
	uint64_t changed, turned; /* when it was changed, and had a turn that
				   * found nothing better: the deal's clock */
};

struct astra_themis_undo {
	uint32_t bidder, node, x;
};

/* The bidders that give up a GPU at the least loss: the first and another. */
struct astra_themis_pair {
	uint32_t bidder[2]; /* or NONE */
	double loss[2];	    /* then infinite */
};

struct astra_themis_deal {
	const struct astra_themis_tree *tree;
	struct astra_themis_hand *hands;
	int64_t *left;	 /* of each node: free GPUs less those dealt below it;
			  * negative while a trial lasts */
	uint32_t *first; /* of each node: one whose machine it is, or NONE */
	int64_t served;	 /* bidders */
	double sum;	 /* of their log V */
	struct astra_themis_undo *journal;
	size_t steps, journal_room;
	uint64_t clock;	  /* counts changes */
	uint64_t *stamps; /* of each rack: when it was changed */
	bool failed;	  /* memory was out */
	double *ideal;	  /* scratch of a turn: of each kind of node */
	bool *stuck;	  /* scratch of astra_themis_settle() */
	struct astra_themis_pair *racks; /* below the root and each rack */
	bool fresh;			 /* they are up to date */
};

/* How things stood. */
struct astra_themis_mark {
	size_t steps;
	int64_t served;
	double sum;
};

/* Nobody has anything. Free it in both cases. Returns 0, or -1 when memory is
 * out. */
int astra_themis_deal_init(struct astra_themis_deal *deal,
			   const struct astra_themis_tree *tree);
void astra_themis_deal_free(struct astra_themis_deal *deal);

/* Make `to` the same; both are of one tree. */
void astra_themis_deal_copy(struct astra_themis_deal *to,
			    const struct astra_themis_deal *from);

/* Give bidder i x GPUs at the node instead of what it has. */
void astra_themis_deal_give(struct astra_themis_deal *deal, uint32_t i,
			    uint32_t node, uint32_t x);

static inline struct astra_themis_mark
astra_themis_mark(const struct astra_themis_deal *deal)
{
	return (struct astra_themis_mark){
		.steps = deal->steps,
		.served = deal->served,
		.sum = deal->sum,
	};
}

/* By how much the score is better than it was. */
static inline double astra_themis_won(const struct astra_themis_deal *deal,
				      const struct astra_themis_mark *mark)
{
	return (double)(deal->served - mark->served) * deal->tree->game->unit +
	       (deal->sum - mark->sum);
}

/* Undo all since then. */
void astra_themis_deal_undo(struct astra_themis_deal *deal,
			    const struct astra_themis_mark *mark);

/* Note that what was done since then is there to stay: who has changed and
 * which racks, but for a few GPUs more or less. */
void astra_themis_deal_keep(struct astra_themis_deal *deal,
			    const struct astra_themis_mark *mark);

/* Whether what the bidder has is taken from what the node has. */
static inline bool astra_themis_below(const struct astra_themis_hand *hand,
				      const struct astra_themis_tree *tree,
				      uint32_t node)
{
	if (node == 0)
		return hand->node != ASTRA_THEMIS_NONE;
	return node <= tree->rack_count ? hand->rack == node
					: hand->machine == node;
}

/* The pair for what is dealt below the node, but to `but`. */
struct astra_themis_pair
astra_themis_cheapest(const struct astra_themis_deal *deal, uint32_t node,
		      uint32_t but);

/* Bring `racks` up to date. */
void astra_themis_find_cheapest(struct astra_themis_deal *deal);

/* Shrink those who lose least by it, but not bidder `but`, until no node on the
 * path from this one has dealt more than it has. Returns false if that cannot
 * be. */
bool astra_themis_repair(struct astra_themis_deal *deal, uint32_t node,
			 uint32_t but);

/* Let everybody grow at their nodes, into free GPUs or at the cost of others
 * who lose less, until nobody gains. Never makes it worse. */
void astra_themis_settle(struct astra_themis_deal *deal);

#endif
