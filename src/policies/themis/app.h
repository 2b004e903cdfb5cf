/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A Themis app: what it has left to do, and how soon so many GPUs would finish
 * it. (Mahajan et al., NSDI'20, section 5; SPEC section 2)
 *
 * rho depends on an allocation through two numbers only: k, the GPUs that the
 * app would have in all, held and offered together, and the locality level of
 * all of them together. So an app bids with one table of log V(level, k),
 * V = 1/rho, and what is done with it never looks into the app again.
 */
#ifndef ASTRA_THEMIS_APP_H
#define ASTRA_THEMIS_APP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/model/auction.h"
#include "src/policies/themis/phase.h"

struct astra_themis_machine {
	uint32_t free; /* GPUs offered, those of "held" not counted */
	uint32_t rack; /* machines of one rack have the same number */
	uint32_t slot; /* so many GPUs on it are next to each other */
};

/* A part of one machine. Lists of them are sorted by machine, which is named
 * once, with at least one GPU. */
struct astra_themis_share {
	uint32_t machine;
	uint32_t gpus;
};

/* A borrowed list. */
struct astra_themis_shares {
	const struct astra_themis_share *share;
	size_t count;
};

enum astra_themis_kind {
	ASTRA_THEMIS_SINGLE, /* one job: Eq. 1 */
	ASTRA_THEMIS_PHASES, /* successive halving, performance curve: Eq. 2 */
};

/* Everything is borrowed. */
struct astra_themis_app {
	enum astra_themis_kind kind;
	bool rigid;	    /* PHASES: whole GPUs for each job, not fluid */
	double elapsed_sec; /* now - start, >= 0 */
	double navg;	    /* N_avg, >= 0 */
	double slowdown[ASTRA_LEVEL_COUNT]; /* S, > 0 */
	double rho_current; /* rho with what it holds; < 0: to be computed */
	double rho_empty;   /* of no GPU at all; infinite unless it says so */
	uint32_t gpus_max;  /* demand_max: more are of no use to the app */
	uint32_t gpus_ever; /* the most of that in its life, for T_id; 0: as
			     * now */
	uint32_t quantum;   /* offers are multiples of it; >= 1 */
	/* What holds for this round only. */
	uint32_t gpus_later; /* so many of gpus_max can't be used now */
	uint32_t gpus_least; /* fewer than so many more are of no use now */
	double waiting; /* those with an unbounded rho are compared by it; 0:
			 * elapsed time / T_id */
	struct astra_themis_shares held;
	/* SINGLE: iterations, and what one takes on one GPU. */
	double iter_total, iter_left, iter_sec;
	/* PHASES: GPU-seconds of all its work, and what remains. */
	double budget_sec;
	const struct astra_themis_phase *phases;
	size_t phase_count;
	/* Its own bid goes before all this; NULL: it made none. Of SECONDS,
	 * stated_left is the part that is still to be done. */
	const struct astra_bid *stated;
	double stated_left;
};

/* GPUs of a list. */
uint32_t astra_themis_gpus(struct astra_themis_shares shares);

/* The locality level of what is held and what is offered together; SLOT for
 * nothing. Level SLOT iff it is one machine and they are at most its slot. */
enum astra_level astra_themis_level(const struct astra_themis_machine *machines,
				    struct astra_themis_shares held,
				    struct astra_themis_shares offered);

/* T_id in seconds on an idle cluster of so many GPUs, R_C. */
double astra_themis_ideal(const struct astra_themis_app *app,
			  uint32_t cluster_gpus);

/* Seconds that the rest takes on k GPUs next to each other, from..to (from >=
 * 1), by the policy's own estimate: seconds[k - from]. Returns 0, or -1 when
 * out of memory. */
int astra_themis_left(const struct astra_themis_app *app, uint32_t from,
		      uint32_t to, double *seconds);

/* rho of k GPUs in all at that level: >= 0, may be infinite, never NaN.
 * Returns 0, or -1 when out of memory. */
int astra_themis_rho(const struct astra_themis_app *app, uint32_t cluster_gpus,
		     uint32_t k, enum astra_level level, double *rho);

/* A bid: log V for each level and number of GPUs. */
struct astra_themis_bid {
	/* log_v[level * (gpus_max + 1) + k], finite, or -INFINITY for V = 0;
	 * k = 0 is the same at each level. At one level it never falls with k;
	 * nothing is known of one level against another. */
	double *log_v;
	uint32_t gpus_max;
};

static inline double astra_themis_log_v(const struct astra_themis_bid *bid,
					enum astra_level level, uint32_t k)
{
	return bid->log_v[(size_t)level * ((size_t)bid->gpus_max + 1) + k];
}

/* Fill in a bid for up to gpus_max GPUs, held ones included.
 * Returns 0, or -1 when out of memory; clear it in both cases. */
int astra_themis_bid_init(struct astra_themis_bid *bid,
			  const struct astra_themis_app *app,
			  uint32_t cluster_gpus, uint32_t gpus_max);
void astra_themis_bid_clear(struct astra_themis_bid *bid);

#endif
