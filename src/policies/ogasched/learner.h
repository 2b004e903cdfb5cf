/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The inside of the learner. A row is one copy of a port; rows are numbered
 * port by port. A node keeps its allocation as a matrix: one line per type,
 * with the rows that are connected to the node. So a projection works on
 * adjacent memory. */
#ifndef ASTRA_OGAS_LEARNER_H
#define ASTRA_OGAS_LEARNER_H

#include "src/policies/ogasched/ogasched.h"

struct ogas_node {
	char *name;
	double *capacity, *alpha; /* per type */
	enum astra_ogas_utility *utility;
	uint32_t *rows; /* ascending */
	size_t count, room;
	double *y; /* [type][room] */
	/* With lent_steps, while `lending`: learned is what was learned, and y
	 * is what ports with jobs have in this slot. */
	double *learned;
};

struct ogas_port {
	char *name;
	uint32_t first_row, copies;
	uint32_t gang, need;
};

/* Attributes of the rows. They are looked up for each element of y, so each
 * attribute has an array of its own. All arrays have room for row_room. */
struct ogas_rows {
	uint32_t *port, *copy;
	double *active;	 /* 1: has a job in this slot; 0: has none */
	double *served;	 /* 1 if active, unless its job receives too little;
			  * else 0 */
	double *value;	 /* its part of q */
	double *rate;	 /* the learning rate in this slot; 0 if not active */
	uint32_t *worst; /* k*: the type that has the largest overhead */
};

struct astra_ogas {
	struct astra_ogas_options options;
	uint64_t slot; /* number of slots learned from */
	size_t types;
	double *beta;
	struct ogas_node *nodes;
	size_t node_count, node_room;
	struct ogas_port *ports;
	size_t port_count, port_room;
	struct ogas_rows rows;
	size_t row_count, row_room;
	double *lines; /* [2 types][row_room]: requests, then sums of y over
			* nodes */
	/* Scratch for one node's rows, during its update. What was gathered
	 * from the rows is reused for all nodes with the same rows. */
	const struct ogas_node *gathered; /* the node that it was gathered for;
					   * NULL: none */
	double *rate;
	double *cap, *penalty; /* [type][scratch_room] */
	double *z, *scratch;
	size_t scratch_room; /* number of rows; even */
	uint32_t *gang_size; /* scratch, by gang and copy */
	size_t gang_room;
	uint32_t gangs, gang_copies; /* the largest gang, and the most copies of
				      * one */
	bool lending;
};

static inline double *ogas_y(const struct ogas_node *n, size_t type)
{
	return n->y + type * n->room;
}

static inline const double *ogas_request(const struct astra_ogas *o,
					 size_t type)
{
	return o->lines + type * o->row_room;
}

static inline double *ogas_held(const struct astra_ogas *o, size_t type)
{
	return o->lines + (o->types + type) * o->row_room;
}

/* Return the index of a row among a node's rows, or where it would be
 * inserted. */
size_t ogas_row_at(const struct ogas_node *n, uint32_t row);

/* Set `active`. x: jobs of each port; NULL: all ports have jobs. */
void ogas_mark_active(struct astra_ogas *o, const uint32_t *x);
/* Sum y over the nodes, into `lines`. */
void ogas_sum_held(struct astra_ogas *o);
/* Set `served`, from `active` and the sums. */
void ogas_mark_served(struct astra_ogas *o);

/* End lending: y is again what was learned. */
void ogas_take_back(struct astra_ogas *o);

/* Reduce a node's allocation to its capacity. */
void ogas_fit_node(struct astra_ogas *o, struct ogas_node *n);

#endif
