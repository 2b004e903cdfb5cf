/* SPDX-License-Identifier: GPL-2.0-or-later */
/* OASiS: primal-dual admission of jobs whose number of workers may differ from
 * slot to slot. Bao et al., "Online Job Scheduling in Distributed Machine
 * Learning Clusters", INFOCOM 2018.
 *
 * A market has a window of T slots. In each slot every resource of every server
 * has a price, which rises from L to U as the server fills up. A new job is
 * offered the schedule that leaves it most of its utility. If anything is left,
 * the job is admitted: its schedule is committed and the prices rise.
 *
 * Slots have absolute numbers. A slot's price is for the whole slot. Utility is
 * a function of the number of slots from arrival to the last slot with
 * workers. */
#ifndef ASTRA_OASIS_H
#define ASTRA_OASIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/common/bytes.h"
#include "src/common/error.h"
#include "src/model/utility.h"

/* The most types of resources, and the bounds of prices. */
#define ASTRA_OASIS_RESOURCES 32
#define ASTRA_OASIS_PRICE_MAX 1e30
#define ASTRA_OASIS_PRICE_MIN 1e-12

/* Limits: slots of a market, workers of a job, entries of the table in the
 * search for a schedule. */
#define ASTRA_OASIS_SLOTS_MAX 100000
#define ASTRA_OASIS_WORKERS_MAX 100000
#define ASTRA_OASIS_TABLE_MAX 100000000

/* A job. Symbols are the paper's. All numbers are finite and >= 0. */
struct astra_oasis_job {
	int64_t arrival;      /* a: the slot in which it came */
	double epochs;	      /* E */
	uint32_t workers;     /* N: number of chunks, and the most workers */
	uint32_t workers_min; /* fewest workers in a slot that has any; >= 1 */
	double batches;	      /* M: mini-batches of a chunk */
	double batch_slots;   /* tau: slots to train a mini-batch */
	double gradient;      /* e: size of what is sent and received for each
			       * batch */
	double bandwidth;     /* b: bandwidth of a worker; 0: it needs no PSs */
	double ps_bandwidth;  /* B: bandwidth of a parameter server (PS) */
	const double *worker; /* w: demand of a worker, by resource */
	const double *ps;     /* s: demand of a PS; all 0: see
			       * astra_oasis_market_offer() */
	struct astra_utility utility;
};

/* Return how many slots one worker needs for one chunk: p = M (tau + 2e/b). The
 * result is infinite if there is something to send but no bandwidth. */
double astra_oasis_chunk_slots(const struct astra_oasis_job *job);

/* Return the job's work, W = max(1, ceil(E N p)), in slots of one worker. */
double astra_oasis_work(const struct astra_oasis_job *job);

/* Servers with capacity c, "count" rows of "resources" each. */
struct astra_oasis_servers {
	const double *capacity;
	size_t count;
};

/* The prices of servers: U of a full one (u1, u2), L of an empty one. */
struct astra_oasis_range {
	double u1[ASTRA_OASIS_RESOURCES], u2[ASTRA_OASIS_RESOURCES];
	double l1, l2; /* 1: servers for workers; 2: servers for PSs */
};

/* Return alpha = max(1, ln U/L). OASiS is 2 alpha-competitive if a single
 * worker is small compared with a server (Theorem 4). */
double astra_oasis_alpha(const struct astra_oasis_range *range,
			 size_t resources);

/* What the estimates of U and L are computed from: the jobs seen so far. */
struct astra_oasis_history {
	uint64_t jobs;
	double u1[ASTRA_OASIS_RESOURCES], u2[ASTRA_OASIS_RESOURCES];
	double least1, least2; /* min of f(latest) / (W sum w) */
	double work1, work2;   /* min of W sum w */
};

void astra_oasis_history_init(struct astra_oasis_history *history);

/* Add a job. latest: slots from its arrival to the end of its horizon, T -
 * a. */
void astra_oasis_history_add(struct astra_oasis_history *history,
			     const struct astra_oasis_job *job, double latest,
			     size_t resources);

/* Estimate U1^r = max f(D - 1) / w^r over w^r > 0, D = max(1, ceil(E p)), and
 * L1 = eta/4 min f(T - a) / (W sum w), eta = min(1, min W sum w / (T sum c)).
 * U2 and L2 are the same with s and the servers for PSs. L >= 1e-12, U >= L.
 * Jobs that need nothing of one kind of server do not count for it. slots: T.
 * capacity1, capacity2: the sums over all servers and resources. */
void astra_oasis_history_range(const struct astra_oasis_history *history,
			       size_t resources, double slots, double capacity1,
			       double capacity2, struct astra_oasis_range *out);

void astra_oasis_history_save(const struct astra_oasis_history *history,
			      struct astra_bytes *out);

/* Restore a history. Returns 0, or -1 if the data is invalid; then history is
 * as after astra_oasis_history_init(). */
int astra_oasis_history_restore(struct astra_oasis_history *history,
				struct astra_reader *in);

struct astra_oasis_setup {
	size_t resources;
	uint32_t slots; /* T */
	int64_t first;	/* the first slot */
	struct astra_oasis_servers workers, ps;
	struct astra_oasis_range range;
	/* Whether each slot does whole chunks, as in the paper's Algorithm 2.
	 * If not, the exact optimum over worker-slots is found, which is never
	 * worse. */
	bool whole_chunks;
};

struct astra_oasis_market;

/* Make a market; setup is copied. Returns NULL with err set when memory is
 * out. */
struct astra_oasis_market *
astra_oasis_market_create(const struct astra_oasis_setup *setup,
			  struct astra_error *err);
void astra_oasis_market_destroy(struct astra_oasis_market *market);

/* Set other estimates of U and L. All prices change accordingly. */
void astra_oasis_market_set_range(struct astra_oasis_market *market,
				  const struct astra_oasis_range *range);

/* Set a worker server's capacity from now on, in all slots. */
void astra_oasis_market_set_capacity(struct astra_oasis_market *market,
				     uint32_t server, const double *capacity);

/* Move the window: it begins at this slot, and earlier slots are forgotten. Or
 * return the window's first slot. */
void astra_oasis_market_advance(struct astra_oasis_market *market,
				int64_t first);
int64_t astra_oasis_market_first(const struct astra_oasis_market *market);

/* A number of workers, or PSs, on a server in a slot. */
struct astra_oasis_place {
	int64_t slot;
	uint32_t server, count;
};

struct astra_oasis_places {
	struct astra_oasis_place *list; /* sorted by slot, then server */
	size_t count, room;
};

/* The best schedule for a job, and its payoff. */
struct astra_oasis_offer {
	bool accepted;
	/* Utility minus cost. -infinite if the job cannot be completed in the
	 * window. */
	double payoff;
	double utility;
	double cost;
	int64_t t_hat; /* the last slot with workers */
	struct astra_oasis_places y, z;
};

void astra_oasis_offer_clear(struct astra_oasis_offer *offer);

/* Find the schedule with the largest payoff (problem 28). It begins at the
 * job's arrival or at the window's first slot, whichever is later. Of tied
 * schedules it is the one that ends first, then the one with more work in
 * earlier slots. It is accepted if its payoff is above 0. Nothing is committed.
 * In a slot, n workers cost what the n cheapest cost, and so do the ceil(n b/B)
 * PSs they need. More PSs than workers are not allowed (3i). A PS that needs
 * nothing can be anywhere, even without servers.
 * out: cleared, or zeroed before its first use; its memory is reused. y and z
 * are empty unless it is accepted.
 * Returns 0. With err set it returns 1 if the search is too large (then the job
 * is not accepted), or -1 when memory is out. */
int astra_oasis_market_offer(struct astra_oasis_market *market,
			     const struct astra_oasis_job *job,
			     struct astra_oasis_offer *out,
			     struct astra_error *err);

/* Add what a schedule uses or, with give_back, subtract it; prices change
 * accordingly. Slots outside the window are ignored. job: the job to which the
 * schedule belongs. */
void astra_oasis_market_commit(struct astra_oasis_market *market,
			       const struct astra_oasis_job *job,
			       const struct astra_oasis_places *y,
			       const struct astra_oasis_places *z,
			       bool give_back);

/* Return the price of a resource on a server for workers, or for PSs, in a slot
 * of the window. */
double astra_oasis_market_price(const struct astra_oasis_market *market,
				bool ps, int64_t slot, size_t server,
				size_t resource);

/* Return how much of the resource is used there by committed schedules. */
double astra_oasis_market_used(const struct astra_oasis_market *market, bool ps,
			       int64_t slot, size_t server, size_t resource);

#endif
