/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prices of GPUs for the bound. Private to the auction. */
#ifndef ASTRA_THEMIS_PRICES_H
#define ASTRA_THEMIS_PRICES_H

#include "src/policies/themis/solver/deal.h"

/* Nodes that look the same to all bidders have one price. */
struct astra_themis_class {
	uint32_t parent; /* class of their parents, or NONE */
	uint32_t kind;
	uint32_t each; /* free GPUs of each node */
	uint32_t group;
	double free; /* of all of them */
	double full; /* price of a GPU with the parents' prices */
	double used; /* GPUs that bidders want there at these prices */
};

/* Classes that have the same price. */
struct astra_themis_group {
	double price; /* of a GPU below a node, beside the parents' */
	double free;
	double over; /* GPUs wanted less those free: a mean of late */
};

/* For x GPUs at a node of one kind: the class that asks least, and what. */
struct astra_themis_offer {
	uint32_t *from; /* or NONE where no node has as many */
	double *cost;	/* then infinite */
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

/* Memory is the game's. Returns 0, or -1 when out of memory. */
int astra_themis_prices_init(struct astra_themis_prices *prices,
			     const struct astra_themis_tree *tree);

/* Bring `full` and the offers up to date with the prices. */
void astra_themis_prices_offer(struct astra_themis_prices *prices);

/* Few prices: one for each kind of nodes, those that it had; for machines of
 * another size another one, if by_size. At first all are 0. */
void astra_themis_prices_few(struct astra_themis_prices *prices, bool by_size);

/* Each class gets a price of its own, the one that it had. */
void astra_themis_prices_all(struct astra_themis_prices *prices);

#endif
