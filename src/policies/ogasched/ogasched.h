/* SPDX-License-Identifier: GPL-2.0-or-later */
/* OGASched: Zhao et al., "Scheduling Multi-Server Jobs with Sublinear Regrets
 * via Online Learning" (IEEE TSC).
 *
 * Ports (classes of jobs) want amounts of several types of resource on the
 * nodes they are connected to. A learner keeps an allocation y of nodes to
 * ports; each slot it is told which ports have jobs, earns the reward
 *
 *   q(x, y) = sum_l x_l [sum_k sum_r f_rk(y_lrk)
 *                        - max_k beta_k sum_r y_lrk]      (Eqs. 7, 8)
 *
 * and moves y a step along the gradient (Eq. 30), back into what the nodes
 * have (project.h). With a constant rate the regret against the best y that
 * never changes is at most diameter * slope * sqrt(T) (Eq. 41).
 *
 * Several jobs at a port: the port is replaced by so many copies of it, and
 * copy j has a job iff j <= x_l. A job of several components that need each
 * other (a gang) is one port for each; see `gang`.
 */
#ifndef ASTRA_OGAS_H
#define ASTRA_OGAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/common/bytes.h"
#include "src/common/error.h"

/* f(y), with a parameter alpha. */
enum astra_ogas_utility {
	ASTRA_OGAS_LINEAR,     /* alpha y */
	ASTRA_OGAS_LOG,	       /* alpha ln(1 + y) */
	ASTRA_OGAS_RECIPROCAL, /* 1/alpha - 1/(y + alpha), alpha > 0 */
	ASTRA_OGAS_POLY,       /* alpha sqrt(y + 1) - alpha */
};

/* The learning rate in slot t = 1, 2, ... */
enum astra_ogas_rate {
	ASTRA_OGAS_DECAY,  /* eta0 decay^(t - 1) */
	ASTRA_OGAS_THEORY, /* diameter / (|gradient| sqrt(T)) */
	ASTRA_OGAS_CONST,  /* diameter / (slope sqrt(T)): Eq. 41 holds */
};

/* What allocates: the learner, or one of the paper's baselines, which allocate
 * only to ports with jobs. */
enum astra_ogas_algo {
	ASTRA_OGAS_OGA,
	ASTRA_OGAS_DRF,
	ASTRA_OGAS_FAIRNESS,
	ASTRA_OGAS_BINPACKING,
	ASTRA_OGAS_SPREADING,
};

struct astra_ogas_options {
	enum astra_ogas_rate rate;
	bool reactive; /* a slot earns q(x(t), y(t + 1)), else q(x(t), y(t)) */
	double eta0, decay; /* finite; decay in [0, 1] */
	uint64_t horizon;   /* T in slots; 0: unknown, the slots so far */
	/* If reactive: what ports without a job have is lent for the slot. From
	 * there ports with a job climb so many further steps, and the slot
	 * earns that. What is learned is the same as without, so Eq. 41 bounds
	 * that, not what is earned. Not in the paper. 0: nothing is lent. */
	uint32_t lent_steps;
};

/* Bounds on all numbers, so that no sum or square overflows. */
#define ASTRA_OGAS_AMOUNT_MAX 1e9 /* a, c */
#define ASTRA_OGAS_ALPHA_MAX 1e6  /* alpha, beta, eta0 */
#define ASTRA_OGAS_ALPHA_MIN 1e-6 /* alpha of reciprocal */
#define ASTRA_OGAS_COPIES_MAX 1000000
#define ASTRA_OGAS_NONE UINT32_MAX

struct astra_ogas;

/* Make a learner. beta: of each type, borrowed for the call. Returns NULL when
 * memory is out. */
struct astra_ogas *astra_ogas_create(const struct astra_ogas_options *options,
				     const double *beta, size_t types);
void astra_ogas_destroy(struct astra_ogas *o); /* accepts NULL */

/* A node. All arrays have an element per type and are copied. */
struct astra_ogas_node {
	const char *name; /* for save and restore; may be NULL */
	const double *capacity, *alpha;
	const enum astra_ogas_utility *utility;
};

/* Add a node. Returns its index, from 0 on, or ASTRA_OGAS_NONE when memory is
 * out. */
uint32_t astra_ogas_add_node(struct astra_ogas *o,
			     const struct astra_ogas_node *node);

/* Set what a node has and is worth from now on; its name stays. Allocations
 * beyond it are removed, by the projection. */
void astra_ogas_set_node(struct astra_ogas *o, uint32_t node,
			 const struct astra_ogas_node *now);

struct astra_ogas_port {
	const char *name;      /* for save and restore; may be NULL */
	const double *request; /* a: at most so much of each type per node;
				* copied */
	uint32_t copies;       /* >= 1: the most jobs it may have */
	/* Ports with the same gang, if not 0, are the components of one job: in
	 * a slot in which fewer than `need` of them receive anything, the job
	 * is given nothing. What is learned does not depend on it. */
	uint32_t gang, need;
};

/* Add a port, at any time; it begins with nothing. Returns its index, from 0
 * on, or ASTRA_OGAS_NONE when memory is out. */
uint32_t astra_ogas_add_port(struct astra_ogas *o,
			     const struct astra_ogas_port *port);

/* Let a port use a node; once for each pair. Returns 0, or -1 when memory is
 * out. */
int astra_ogas_connect(struct astra_ogas *o, uint32_t port, uint32_t node);

size_t astra_ogas_node_count(const struct astra_ogas *o);
size_t astra_ogas_port_count(const struct astra_ogas *o);
size_t astra_ogas_type_count(const struct astra_ogas *o);

/* Return a name. Borrowed; NULL if there is none. */
const char *astra_ogas_node_name(const struct astra_ogas *o, uint32_t node);
const char *astra_ogas_port_name(const struct astra_ogas *o, uint32_t port);

/* Return the node or port of that name, or ASTRA_OGAS_NONE. */
uint32_t astra_ogas_find_node(const struct astra_ogas *o, const char *name);
uint32_t astra_ogas_find_port(const struct astra_ogas *o, const char *name);

/* Run one slot: learn from its arrivals. x: jobs of each port; more than its
 * copies count as its copies. Allocates nothing. Returns the slot's reward. */
double astra_ogas_step(struct astra_ogas *o, const uint32_t *x);

/* Replace y by a baseline's allocation for these arrivals; learns nothing.
 * `fairness` with x = NULL, jobs everywhere, is the initial allocation "fair":
 * min(a, c a / sum of a). Returns 0, or -1 when memory is out. */
int astra_ogas_allocate(struct astra_ogas *o, enum astra_ogas_algo algo,
			const uint32_t *x);

/* Return q(x, y) of the present y. */
double astra_ogas_reward(struct astra_ogas *o, const uint32_t *x);

/* Copy the present y, summed over copies. out: [ports][nodes][types]. */
void astra_ogas_copy(const struct astra_ogas *o, double *out);

/* Return what a port asks for of a type, on a node. */
double astra_ogas_request(const struct astra_ogas *o, uint32_t port,
			  size_t type);

/* Return the present y of a port's first `jobs` copies, summed over its
 * nodes. */
double astra_ogas_amount(const struct astra_ogas *o, uint32_t port,
			 uint32_t jobs, size_t type);

/* Return the same on one node; 0 if it is not connected. */
double astra_ogas_amount_at(const struct astra_ogas *o, uint32_t port,
			    uint32_t jobs, uint32_t node, size_t type);

/* Return the same of what is learned, also while the slot lends. */
double astra_ogas_learned_at(const struct astra_ogas *o, uint32_t port,
			     uint32_t jobs, uint32_t node, size_t type);

bool astra_ogas_connected(const struct astra_ogas *o, uint32_t port,
			  uint32_t node);

/* Round the present y of ports with jobs to whole units, by largest remainder.
 * Each port's total over the nodes is rounded down first, then up for the
 * largest remainders (ties: the lowest index) while the sum of all y has that
 * much; likewise a port's amounts over its nodes. Never more than `capacity` or
 * a port's request on a node; a job with gang that receives too little gets
 * nothing. unit: of the type, e.g. 1, or 1/8 if GPUs can be shared; > 0. out:
 * [ports][nodes], in units. Returns 0, or -1 when memory is out. */
int astra_ogas_round(struct astra_ogas *o, const uint32_t *x, size_t type,
		     double unit, uint32_t *out);

/* Return sqrt(2 sum_k max_l a_lk sum_r c_rk): the largest distance of two
 * allocations. */
double astra_ogas_diameter(const struct astra_ogas *o);
/* Return G = sqrt(sum_l sum_r (max beta^2 + K max_k f'(0)^2)): the largest
 * length of a gradient. */
double astra_ogas_slope(const struct astra_ogas *o);

/* Save everything except the options: the slot, nodes, ports and y. */
void astra_ogas_save(const struct astra_ogas *o, struct astra_bytes *out);
/* Restore into a learner without nodes and ports and with as many types: it
 * goes on as the saved one would, to the bit. With more types, ports ask for as
 * much of the further ones as of the first, and have nothing of them yet.
 * Afterwards set nodes that have changed, and give those that are gone a
 * capacity of 0. Returns 0, or -1 with err set; then the learner can only be
 * destroyed. */
int astra_ogas_restore(struct astra_ogas *o, struct astra_reader *in,
		       struct astra_error *err);

#endif
