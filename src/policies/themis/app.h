/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A Themis app: its remaining work, and how soon a number of GPUs would finish
 * it. (Mahajan et al., NSDI'20, section 5; SPEC section 2)
 *
 * rho depends on G, the GPUs that the app would have in all, held and offered
 * together. For a single job, and for an app that states its own bid, two
 * properties of G suffice: its size and its locality level. If each job has one
 * GPU, the size of G suffices. Such an app bids with one table of log V(level,
 * k), V = 1/rho, and the auction needs nothing else of it. For jobs of several
 * GPUs it also matters which GPUs are on the same machine. The table is then an
 * estimate, and astra_themis_log_v_on() returns the true value. */
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

/* An app. All pointers are borrowed. */
struct astra_themis_app {
	enum astra_themis_kind kind;
	bool rigid;	    /* PHASES: jobs get whole GPUs; false: GPUs are
			     * divisible */
	double elapsed_sec; /* now - start, >= 0 */
	double navg;	    /* N_avg, >= 0 */
	double slowdown[ASTRA_LEVEL_COUNT]; /* S, > 0 */
	double rho_current; /* rho with the GPUs that it holds; < 0: not
			     * computed yet */
	double rho_empty; /* rho without any GPU; infinite unless its bid states
			   * it */
	uint32_t gpus_max;  /* demand_max: more GPUs are of no use to the app */
	uint32_t gpus_ever; /* the largest gpus_max in its life, for T_id; 0:
			     * gpus_max */
	uint32_t quantum;   /* offers are multiples of it; >= 1 */
	/* The next three members are for this round only. */
	uint32_t gpus_later; /* the part of gpus_max that it cannot use in this
			      * round */
	uint32_t gpus_least; /* fewer GPUs in addition are of no use in this
			      * round */
	double waiting; /* order of apps with an unbounded rho; 0: use elapsed
			 * time / T_id */
	struct astra_themis_shares held;
	/* SINGLE: iterations, and the seconds of one iteration on one GPU. */
	double iter_total, iter_left, iter_sec;
	/* PHASES: GPU-seconds of all its work, and the phases that remain. */
	double budget_sec;
	const struct astra_themis_phase *phases;
	size_t phase_count;
	/* The app's own bid, which replaces the estimate; NULL: none. If the
	 * bid is of kind SECONDS, stated_left is the part of the work that
	 * remains. */
	const struct astra_bid *stated;
	double stated_left;
};

/* Returns the GPUs of the largest job of any phase; 0 if there is none. */
uint32_t astra_themis_job_gpus(const struct astra_themis_app *app);

/* Returns the number of GPUs in a list. */
uint32_t astra_themis_gpus(struct astra_themis_shares shares);

/* Returns the locality level of held and offered GPUs together; SLOT if there
 * are none. Otherwise SLOT means that all are on one machine, and no more than
 * its slot has. */
enum astra_level astra_themis_level(const struct astra_themis_machine *machines,
				    struct astra_themis_shares held,
				    struct astra_themis_shares offered);

/* Returns T_id in seconds on an idle cluster of cluster_gpus GPUs, R_C. */
double astra_themis_ideal(const struct astra_themis_app *app,
			  uint32_t cluster_gpus);

/* Estimates the seconds that the remaining work takes on k adjacent GPUs with S
 * = 1, for k from..to (from >= 1): seconds[k - from]. The app's own bid is not
 * used. Returns 0, or -1 when out of memory. */
int astra_themis_left(const struct astra_themis_app *app, uint32_t from,
		      uint32_t to, double *seconds);

/* Sets rho for k GPUs in all at that level: >= 0, may be infinite, never NaN.
 * If the GPUs are on several machines and jobs have several GPUs, each GPU is
 * assumed to be on a machine of its own. Returns 0, or -1 when out of
 * memory. */
int astra_themis_rho(const struct astra_themis_app *app, uint32_t cluster_gpus,
		     uint32_t k, enum astra_level level, double *rho);

/* Sets rho for held and offered GPUs together. Returns 0, or -1 when out of
 * memory. */
int astra_themis_rho_on(const struct astra_themis_app *app,
			uint32_t cluster_gpus,
			const struct astra_themis_machine *machines,
			struct astra_themis_shares offered, double *rho);

/* A bid: log V by level and number of GPUs. */
struct astra_themis_bid {
	/* log_v[level * (gpus_max + 1) + k], finite, or -INFINITY for V = 0.
	 * For k = 0 it is the same at each level. At one level it never falls
	 * with k; between levels any order is possible. */
	double *log_v;
	uint32_t gpus_max;
	/* NULL if the table is exact. Otherwise borrowed, for
	 * astra_themis_log_v_on(). */
	const struct astra_themis_app *app;
	const struct astra_themis_machine *machines;
	uint32_t cluster_gpus;
	uint32_t least; /* fewer additional GPUs are of no use */
	/* With app: each phase has more than one job, so all GPUs count as
	 * equally good. The table is then the same at all levels. */
	bool anywhere;
	double *log_most; /* with app: an upper bound of log V of k GPUs,
			   * wherever they are; NULL without machines */
	double log_least; /* with app: a lower bound of log V of GPUs that are
			   * of use */
	/* With app, if it is rigid: seconds of each phase on k adjacent GPUs,
	 * rigid_sec[phase * gpus_max + k - 1]. */
	double *rigid_sec;
};

static inline double astra_themis_log_v(const struct astra_themis_bid *bid,
					enum astra_level level, uint32_t k)
{
	return bid->log_v[(size_t)level * ((size_t)bid->gpus_max + 1) + k];
}

/* Returns log V of held and offered GPUs together, for a bid with an app. If
 * memory is out, returns the table's value. */
double astra_themis_log_v_on(const struct astra_themis_bid *bid,
			     struct astra_themis_shares offered);

/* Fills in a bid for up to gpus_max GPUs, including held ones. machines: those
 * whose GPUs the app holds or may be offered; NULL if it holds nothing and only
 * the table is needed. Returns 0, or -1 when out of memory; clear the bid in
 * both cases. */
int astra_themis_bid_init(struct astra_themis_bid *bid,
			  const struct astra_themis_app *app,
			  uint32_t cluster_gpus,
			  const struct astra_themis_machine *machines,
			  size_t machine_count, uint32_t gpus_max);
void astra_themis_bid_clear(struct astra_themis_bid *bid);

#endif
