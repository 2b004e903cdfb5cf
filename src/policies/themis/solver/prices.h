/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prices of GPUs for the bound. Private to the auction. */
#ifndef ASTRA_THEMIS_PRICES_H
#define ASTRA_THEMIS_PRICES_H

#include "src/policies/themis/solver/deal.h"

/* Nodes that look the same to all bidders; they have one price. */
struct astra_themis_class {
	uint32_t parent; /* class of their parents, or NONE */
	uint32_t kind;
	uint32_t each; /* free GPUs of each node */
	uint32_t group;
	double free; /* free GPUs of all these nodes */
	double full; /* price of a GPU, including the parents' prices */
	double used; /* GPUs that bidders want there at these prices */
};

/* Classes that have one price. */
struct astra_themis_group {
	double price; /* of a GPU below a node, without the parents' prices */
	double free;
	double over; /* GPUs wanted less GPUs free, as a moving mean */
};

/* By x, for x GPUs at a node of one kind: the cheapest class, and its price. */
struct astra_themis_offer {
	uint32_t *from; /* NONE if no node has x GPUs */
	double *cost;	/* infinite for NONE */
	uint32_t room;
};

struct astra_themis_prices {
	const struct astra_themis_tree *tree;
	struct astra_themis_class *classes; /* the root's is 0 */
	uint32_t count;
	struct astra_themis_group *groups;
	uint32_t group_count;
	uint32_t *of;			   /* class of each node */
	struct astra_themis_offer *offers; /* of each kind */
};

/* Sets up the classes. Memory is the game's. Returns 0, or -1 when out of
 * memory. */
int astra_themis_prices_init(struct astra_themis_prices *prices,
			     const struct astra_themis_tree *tree);

/* Updates `full` and the offers from the prices. */
void astra_themis_prices_offer(struct astra_themis_prices *prices);

/* Uses few prices: one for each kind of node, which keeps the kind's last
 * price. If by_size, each size of machine has a price of its own. All prices
 * begin as 0. */
void astra_themis_prices_few(struct astra_themis_prices *prices, bool by_size);

/* Gives each class a price of its own, beginning with its last price. */
void astra_themis_prices_all(struct astra_themis_prices *prices);

#endif
