/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A deal: which bidder gets how many GPUs at which node of the tree, and the
 * steps that improve it. Private to the auction.
 */
#ifndef ASTRA_THEMIS_DEAL_H
#define ASTRA_THEMIS_DEAL_H

#include "src/policies/themis/solver/tree.h"

/* What a bidder has, and its best steps up and down from there. */
struct astra_themis_hand {
	uint32_t node;		/* NONE with x = 0 */
	uint32_t rack, machine; /* the rack and the machine on the path from
				 * node, or NONE */
	uint32_t x;
	double value;
	double gain, loss;	  /* per GPU: gain of its step up; loss of its
				   * step down, infinite if there is none */
	uint32_t up, down;	  /* GPUs of these steps; 0: no step */
	uint32_t next, previous;  /* list of bidders on the same machine */
	bool absent;		  /* the bidder takes no part */
	uint64_t changed, turned; /* the deal's clock when the hand last
				   * changed, and when a turn last found nothing
				   * better */
};

struct astra_themis_undo {
	uint32_t bidder, node, x;
};

/* The two bidders that lose least by giving up a GPU. */
struct astra_themis_pair {
	uint32_t bidder[2]; /* or NONE */
	double loss[2];	    /* infinite if the bidder is NONE */
};

struct astra_themis_deal {
	const struct astra_themis_tree *tree;
	struct astra_themis_hand *hands;
	int64_t *left;	 /* by node: free GPUs less those dealt below it; may be
			  * negative during a trial */
	uint32_t *first; /* by node: the first bidder on that machine, or
			  * NONE */
	int64_t served;	 /* number of bidders served */
	double sum;	 /* sum of log V of the bidders served */
	struct astra_themis_undo *journal;
	size_t steps, journal_room;
	uint64_t clock;	  /* counts changes */
	uint64_t *stamps; /* by rack: the clock when it last changed */
	bool failed;	  /* out of memory */
	double *ideal;	  /* scratch of a turn: bounds for each kind of node */
	bool *stuck;	  /* scratch of astra_themis_settle() */
	struct astra_themis_pair *racks; /* below the root and each rack */
	bool fresh;			 /* `racks` is up to date */
};

/* A state of the deal to which it can return. */
struct astra_themis_mark {
	size_t steps;
	int64_t served;
	double sum;
};

/* Initialises a deal in which no bidder has anything. Free it in both cases.
 * Returns 0, or -1 when memory is out. */
int astra_themis_deal_init(struct astra_themis_deal *deal,
			   const struct astra_themis_tree *tree);
void astra_themis_deal_free(struct astra_themis_deal *deal);

/* Makes `to` a copy of `from`; both are of one tree. */
void astra_themis_deal_copy(struct astra_themis_deal *to,
			    const struct astra_themis_deal *from);

/* Gives bidder i x GPUs at the node instead of what it has. */
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

/* Returns by how much the score is better than at the mark. */
static inline double astra_themis_won(const struct astra_themis_deal *deal,
				      const struct astra_themis_mark *mark)
{
	return (double)(deal->served - mark->served) * deal->tree->game->unit +
	       (deal->sum - mark->sum);
}

/* Undoes all changes since the mark. */
void astra_themis_deal_undo(struct astra_themis_deal *deal,
			    const struct astra_themis_mark *mark);

/* Makes all changes since the mark permanent: stamps the bidders and racks that
 * have changed. A change does not count if it is at the same node and at most
 * an eighth of the bidder's GPUs. */
void astra_themis_deal_keep(struct astra_themis_deal *deal,
			    const struct astra_themis_mark *mark);

/* Whether the bidder's GPUs come out of the node's GPUs. */
static inline bool astra_themis_below(const struct astra_themis_hand *hand,
				      const struct astra_themis_tree *tree,
				      uint32_t node)
{
	if (node == 0)
		return hand->node != ASTRA_THEMIS_NONE;
	return node <= tree->rack_count ? hand->rack == node
					: hand->machine == node;
}

/* Returns the two cheapest bidders among those dealt below the node, leaving
 * out bidder `but`. */
struct astra_themis_pair
astra_themis_cheapest(const struct astra_themis_deal *deal, uint32_t node,
		      uint32_t but);

/* Brings `racks` up to date. */
void astra_themis_find_cheapest(struct astra_themis_deal *deal);

/* Shrinks bidders, except `but`, beginning with those that lose least. It stops
 * when no node on the path from this one has dealt more than it has. Returns
 * false if that is impossible. */
bool astra_themis_repair(struct astra_themis_deal *deal, uint32_t node,
			 uint32_t but);

/* Lets all bidders grow at their nodes, into free GPUs or at the cost of
 * bidders that lose less, until no bidder gains. Never makes the deal worse. */
void astra_themis_settle(struct astra_themis_deal *deal);

#endif
