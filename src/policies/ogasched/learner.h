/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The inside of the learner. A row is one copy of a port; rows are numbered
 * port by port. A node keeps its allocation as a matrix, types by the rows
 * connected to it, so that a projection works on adjacent memory. */
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
	/* While `lending`: learned has what was learned, y what ports with jobs
	 * have in this slot. Only with lent_steps. */
	double *learned;
};

struct ogas_port {
	char *name;
	uint32_t first_row, copies;
	uint32_t gang, need;
};

/* Rows are looked up for each element of y, so each attribute is an array of
 * its own; all have room for row_room. */
struct ogas_rows {
	uint32_t *port, *copy;
	double *active;	 /* 1: has a job in this slot; 0: has none */
	double *served;	 /* active, and not of a job that receives too little */
	double *value;	 /* its part of q */
	double *rate;	 /* the slot's learning rate, 0 where not active */
	uint32_t *worst; /* k*: the type that has the largest overhead */
};

struct astra_ogas {
	struct astra_ogas_options options;
	uint64_t slot; /* slots learned from */
	size_t types;
	double *beta;
	struct ogas_node *nodes;
	size_t node_count, node_room;
	struct ogas_port *ports;
	size_t port_count, port_room;
	struct ogas_rows rows;
	size_t row_count, row_room;
	double *lines; /* [2 types][row_room]: requests, then sums over nodes of
			* y */
	/* Of one node's rows, during its update. What comes from the rows
	 * serves all nodes with the same rows. */
	const struct ogas_node *gathered; /* the node it is of; NULL: none */
	double *rate;
	double *cap, *penalty; /* [type][scratch_room] */
	double *z, *scratch;
	size_t scratch_room; /* in rows, even */
	uint32_t *gang_size; /* scratch, by gang and copy */
	size_t gang_room;
	uint32_t gangs, gang_copies; /* the largest */
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

/* Return where a row is among a node's, or where it would be inserted. */
size_t ogas_row_at(const struct ogas_node *n, uint32_t row);

/* Set `active`. x: NULL: all ports have jobs. */
void ogas_mark_active(struct astra_ogas *o, const uint32_t *x);
/* Set the sums over nodes, from y. */
void ogas_sum_held(struct astra_ogas *o);
/* Set `served`, from `active` and the sums. */
void ogas_mark_served(struct astra_ogas *o);

/* End lending: y is what is learned. */
void ogas_take_back(struct astra_ogas *o);

/* Reduce a node's allocation to its capacity. */
void ogas_fit_node(struct astra_ogas *o, struct ogas_node *n);

#endif
