/* SPDX-License-Identifier: GPL-2.0-or-later */
/* OGASched: Zhao et al., "Scheduling Multi-Server Jobs with Sublinear Regrets
 * via Online Learning" (IEEE TSC).
 *
 * Ports (classes of jobs) want amounts of several types of resource on the
 * nodes they are connected to. A learner keeps an allocation y of nodes to
 * ports. In each slot it is told which ports have jobs, earns the reward
 *
 *   q(x, y) = sum_l x_l [sum_k sum_r f_rk(y_lrk)
 *                        - max_k beta_k sum_r y_lrk]      (Eqs. 7, 8)
 *
 * and moves y a step along the gradient (Eq. 30), then back into what the nodes
 * have (project.h). With a constant rate the regret against the best y that
 * never changes is at most diameter * slope * sqrt(T) (Eq. 41).
 *
 * If a port may have several jobs, it is replaced by as many copies, and copy j
 * has a job iff j <= x_l. A job of several components that need each other (a
 * gang) has one port for each component; see `gang`. */
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

/* What makes the allocation: the learner, or one of the paper's baselines,
 * which allocate only to ports with jobs. */
enum astra_ogas_algo {
	ASTRA_OGAS_OGA,
	ASTRA_OGAS_DRF,
	ASTRA_OGAS_FAIRNESS,
	ASTRA_OGAS_BINPACKING,
	ASTRA_OGAS_SPREADING,
};

struct astra_ogas_options {
	enum astra_ogas_rate rate;
	bool reactive;	    /* whether a slot earns q(x(t), y(t + 1)); if not,
			     * q(x(t), y(t)) */
	double eta0, decay; /* finite; decay in [0, 1] */
	uint64_t horizon;   /* T in slots; 0: unknown, use the slots so far */
	/* If reactive: how many further steps ports with a job climb after they
	 * were lent, for the slot, what ports without a job have. The slot
	 * earns the result. What is learned is the same as without lending. So
	 * Eq. 41 bounds the reward of what is learned, not what is earned. Not
	 * in the paper. 0: nothing is lent. */
	uint32_t lent_steps;
};

/* Bounds on all numbers, so that no sum or square overflows: */
#define ASTRA_OGAS_AMOUNT_MAX 1e9 /* a, c */
#define ASTRA_OGAS_ALPHA_MAX 1e6  /* alpha, beta, eta0 */
#define ASTRA_OGAS_ALPHA_MIN 1e-6 /* lower bound of alpha for reciprocal */
#define ASTRA_OGAS_COPIES_MAX 1000000
#define ASTRA_OGAS_NONE UINT32_MAX

struct astra_ogas;

/* Make a learner. beta: one for each type, borrowed for the call. Returns NULL
 * when memory is out. */
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

/* Set a node's capacity and worth from now on; its name stays. The projection
 * removes allocations beyond the capacity. */
void astra_ogas_set_node(struct astra_ogas *o, uint32_t node,
			 const struct astra_ogas_node *now);

struct astra_ogas_port {
	const char *name;      /* for save and restore; may be NULL */
	const double *request; /* a: the most of each type on one node;
				* copied */
	uint32_t copies;       /* the most jobs that it may have; >= 1 */
	/* Ports with the same gang, if it is not 0, are the components of one
	 * job. In a slot in which fewer than `need` of them receive anything,
	 * the job is given nothing. What is learned does not depend on this. */
	uint32_t gang, need;
};

/* Add a port, at any time; its allocation begins with nothing. Returns its
 * index, from 0 on, or ASTRA_OGAS_NONE when memory is out. */
uint32_t astra_ogas_add_port(struct astra_ogas *o,
			     const struct astra_ogas_port *port);

/* Connect a port to a node. Call once for each pair. Returns 0, or -1 when
 * memory is out. */
int astra_ogas_connect(struct astra_ogas *o, uint32_t port, uint32_t node);

size_t astra_ogas_node_count(const struct astra_ogas *o);
size_t astra_ogas_port_count(const struct astra_ogas *o);
size_t astra_ogas_type_count(const struct astra_ogas *o);

/* Return the name of a node or port. Borrowed; NULL if it has none. */
const char *astra_ogas_node_name(const struct astra_ogas *o, uint32_t node);
const char *astra_ogas_port_name(const struct astra_ogas *o, uint32_t port);

/* Return the node or port of that name, or ASTRA_OGAS_NONE. */
uint32_t astra_ogas_find_node(const struct astra_ogas *o, const char *name);
uint32_t astra_ogas_find_port(const struct astra_ogas *o, const char *name);

/* Run one slot and learn from its jobs. x: jobs of each port; at most its
 * copies count. Allocates no memory. Returns the slot's reward. */
double astra_ogas_step(struct astra_ogas *o, const uint32_t *x);

/* Replace y by a baseline's allocation for these jobs; learns nothing.
 * `fairness` with x = NULL, that is, jobs at all ports, gives the initial
 * allocation "fair": min(a, c a / sum of a). Returns 0, or -1 when memory is
 * out. */
int astra_ogas_allocate(struct astra_ogas *o, enum astra_ogas_algo algo,
			const uint32_t *x);

/* Return q(x, y) for the present y. */
double astra_ogas_reward(struct astra_ogas *o, const uint32_t *x);

/* Copy the present y, summed over copies. out: [ports][nodes][types]. */
void astra_ogas_copy(const struct astra_ogas *o, double *out);

/* Return how much of a type a port asks for on a node. */
double astra_ogas_request(const struct astra_ogas *o, uint32_t port,
			  size_t type);

/* Return the present y of a port's first `jobs` copies, summed over its
 * nodes. */
double astra_ogas_amount(const struct astra_ogas *o, uint32_t port,
			 uint32_t jobs, size_t type);

/* Return the present y of a port's first `jobs` copies on one node. It is 0 if
 * the port is not connected to the node. */
double astra_ogas_amount_at(const struct astra_ogas *o, uint32_t port,
			    uint32_t jobs, uint32_t node, size_t type);

/* As astra_ogas_amount_at(), but return what is learned, even while the slot
 * lends. */
double astra_ogas_learned_at(const struct astra_ogas *o, uint32_t port,
			     uint32_t jobs, uint32_t node, size_t type);

bool astra_ogas_connected(const struct astra_ogas *o, uint32_t port,
			  uint32_t node);

/* Round the present y of ports with jobs to whole units, by largest remainder.
 * First each port's total over the nodes is rounded down. Then the totals with
 * the largest remainders (ties: the lowest index) are rounded up, while the sum
 * of all y allows it. A port's amounts on its nodes are rounded in the same
 * way. The result never exceeds `capacity`, or a port's request on a node. A
 * job with a gang that receives too little gets nothing. unit: of the type,
 * e.g. 1, or 1/8 if GPUs can be shared; > 0. out: [ports][nodes], in units.
 * Returns 0, or -1 when memory is out. */
int astra_ogas_round(struct astra_ogas *o, const uint32_t *x, size_t type,
		     double unit, uint32_t *out);

/* Return sqrt(2 sum_k max_l a_lk sum_r c_rk), the largest distance between two
 * allocations. */
double astra_ogas_diameter(const struct astra_ogas *o);
/* Return G = sqrt(sum_l sum_r (max beta^2 + K max_k f'(0)^2)), the largest
 * length of a gradient. */
double astra_ogas_slope(const struct astra_ogas *o);

/* Save everything except the options: the slot, nodes, ports and y. */
void astra_ogas_save(const struct astra_ogas *o, struct astra_bytes *out);
/* Restore into a learner that has no nodes and ports and at least as many
 * types. It then continues as the saved one would, to the bit. If it has more
 * types, ports ask for as much of each additional type as of the first, and
 * have nothing of it yet. Afterwards set nodes that have changed, and give
 * nodes that are gone a capacity of 0. Returns 0, or -1 with err set; then the
 * learner can only be destroyed. */
int astra_ogas_restore(struct astra_ogas *o, struct astra_reader *in,
		       struct astra_error *err);

#endif
