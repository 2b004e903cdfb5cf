/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the agents of apps bid to policies that hold auctions, and what
 * they show of an auction. An app is the jobs of one --app, an array, or one
 * job. */
#ifndef ASTRA_AUCTION_H
#define ASTRA_AUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/model/model.h"

#define ASTRA_BID_GPUS_MAX 4096 /* of one bid */

/* What the table of a bid means. */
enum astra_bid_kind {
	/* rho, of the paper: the app's finish-time fairness with these GPUs
	 * from time_sec on. */
	ASTRA_BID_RHO,
	/* Seconds that all of the app's work takes on them; what is done of it
	 * is the policy's to tell. */
	ASTRA_BID_SECONDS,
};

/* An app's own statement of what GPUs do for it, in place of the policy's
 * estimate. Numbers are >= 0, infinite ones among them, never NaN. */
struct astra_bid {
	uint64_t app; /* astra_app_of() */
	enum astra_bid_kind kind;
	double time_sec; /* when it was made */
	double rho_now;	 /* RHO: with what it holds; < 0: not stated */
	uint32_t gpus_max;
	/* table[level * gpus_max + k - 1]: of k GPUs in all, from 1 to
	 * gpus_max, as far apart as that. More than gpus_max do no more. */
	const double *table;
};

/* One app as a policy sees it, and how it fared in the last auction. */
struct astra_auction_app {
	uint64_t app;
	uint32_t tenant;    /* the engine's index */
	uint32_t job;	    /* the lowest number of its active jobs */
	size_t job_count;   /* active ones, tasks still in an array included */
	double elapsed_sec; /* since its first submission */
	double navg;	    /* N_avg: apps at a time over its life */
	double ideal_sec;   /* T_id */
	double rho;	    /* with what it holds; may be infinite */
	uint32_t gpus_held; /* under leases that are not over */
	uint32_t gpus_max;  /* more are of no use to it */
	/* The policy's own estimate: left_sec[k - 1] are the seconds that the
	 * rest takes on k GPUs, if each job is on one machine; else it is slowed
	 * by slowdown[level of its own GPUs]. */
	double slowdown[ASTRA_LEVEL_COUNT];
	const double *left_sec;
	uint32_t left_count;
	double bid_sec; /* when its bid in force was made; 0: the estimate */
	/* The last auction; auction: its number, 0: it has been in none. */
	uint64_t auction;
	uint32_t rank, ranks; /* by rho among those that wanted GPUs then */
	bool offered;	      /* one of the worst off, which may bid */
	uint32_t won;	      /* GPUs of the proportionally fair allocation */
	uint32_t kept;	      /* of them, after the hidden payment */
	uint32_t given;	      /* of what was left over */
	double factor;	      /* c of its payment: it keeps so much of won */
};

struct astra_auction {
	uint64_t number; /* of the last auction; 0: there was none */
	double time_sec; /* when it was */
	uint64_t gpus;	 /* that were on offer */
	size_t bidders;	 /* apps that were offered them */
	bool exact;	 /* its allocation is an optimum */
	const struct astra_auction_app *apps; /* all active ones, by app */
	size_t app_count;
};

enum astra_app_kind { ASTRA_APP_JOB, ASTRA_APP_NAMED };

/* The app of that --app, see astra_wish_app(); of that array or job. */
static inline uint64_t astra_app_named(uint32_t app)
{
	return (uint64_t)ASTRA_APP_NAMED << 32 | app;
}

static inline uint64_t astra_app_job(uint32_t id)
{
	return (uint64_t)ASTRA_APP_JOB << 32 | id;
}

/* The app that a job belongs to. An array's own record has the number that its
 * tasks name. */
static inline uint64_t astra_app_of(const struct astra_job *job)
{
	if (job->forecast.app)
		return astra_app_named(job->forecast.app);
	return astra_app_job(job->array_id ? job->array_id : job->id);
}

#endif
