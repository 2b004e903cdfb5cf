/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A Themis app: what it has left to do, and how soon so many GPUs would finish
 * it. (Mahajan et al., NSDI'20, section 5; SPEC section 2)
 *
 * rho depends on G, the GPUs that the app would have in all, held and offered
 * together. For one job, and for an app that states its own bid, two numbers of
 * G are enough: how many they are, and their locality level. So is their number
 * where each job has one GPU. Such an app bids with one table of log V(level,
 * k), V = 1/rho, and what is done with it never looks into the app again. For
 * jobs of several GPUs it matters which of them are together on a machine: the
 * table is then an estimate, and astra_themis_log_v_on() has the true value.
 */
#ifndef ASTRA_THEMIS_APP_H
#define ASTRA_THEMIS_APP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/model/auction.h"
#include "src/policies/themis/phase.h"

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

/* GPUs of the largest jobs of its phases; 0: it has none. */
uint32_t astra_themis_job_gpus(const struct astra_themis_app *app);

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

/* Seconds that the rest takes on k GPUs next to each other with S = 1, from..to
 * (from >= 1), by the policy's own estimate: seconds[k - from]. Returns 0, or
 * -1 when out of memory. */
int astra_themis_left(const struct astra_themis_app *app, uint32_t from,
		      uint32_t to, double *seconds);

/* rho of k GPUs in all at that level: >= 0, may be infinite, never NaN. If they
 * are of several machines and jobs have several GPUs, each is taken to be on a
 * machine of its own. Returns 0, or -1 when out of memory. */
int astra_themis_rho(const struct astra_themis_app *app, uint32_t cluster_gpus,
		     uint32_t k, enum astra_level level, double *rho);

/* rho with what is held and what is offered. Returns 0, or -1 when out of
 * memory. */
int astra_themis_rho_on(const struct astra_themis_app *app,
			uint32_t cluster_gpus,
			const struct astra_themis_machine *machines,
			struct astra_themis_shares offered, double *rho);

/* A bid: log V for each level and number of GPUs. */
struct astra_themis_bid {
	/* log_v[level * (gpus_max + 1) + k], finite, or -INFINITY for V = 0;
	 * k = 0 is the same at each level. At one level it never falls with k;
	 * nothing is known of one level against another. */
	double *log_v;
	uint32_t gpus_max;
	/* NULL where the table says all. Else borrowed, for
	 * astra_themis_log_v_on(). */
	const struct astra_themis_app *app;
	const struct astra_themis_machine *machines;
	uint32_t cluster_gpus;
	uint32_t least; /* fewer than so many more are of no use */
	/* With app: there is more than one job for what it gets, so that any
	 * GPUs are taken for as good as others; the table is the same at all
	 * levels. */
	bool anywhere;
	double *log_most; /* with app: no GPUs have a larger log V; by k. NULL
			   * without machines */
	double log_least; /* with app: none of use have a smaller one */
	/* With app, if it is rigid: seconds of each phase on k GPUs next to
	 * each other, rigid_sec[phase * gpus_max + k - 1]. */
	double *rigid_sec;
};

static inline double astra_themis_log_v(const struct astra_themis_bid *bid,
					enum astra_level level, uint32_t k)
{
	return bid->log_v[(size_t)level * ((size_t)bid->gpus_max + 1) + k];
}

/* log V of what is offered beside what is held, for a bid with an app; the
 * table's if memory is out. */
double astra_themis_log_v_on(const struct astra_themis_bid *bid,
			     struct astra_themis_shares offered);

/* Fill in a bid for up to gpus_max GPUs, held ones included.
 * machines: of what it holds and may be offered; NULL: it holds nothing, and
 *   only the table is of interest.
 * Returns 0, or -1 when out of memory; clear it in both cases. */
int astra_themis_bid_init(struct astra_themis_bid *bid,
			  const struct astra_themis_app *app,
			  uint32_t cluster_gpus,
			  const struct astra_themis_machine *machines,
			  size_t machine_count, uint32_t gpus_max);
void astra_themis_bid_clear(struct astra_themis_bid *bid);

#endif
