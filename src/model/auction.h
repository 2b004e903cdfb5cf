/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What agents of apps bid to policies that hold auctions, and what policies
 * report of an auction. An app is the jobs of one --app, an array, or a single
 * job. */
#ifndef ASTRA_AUCTION_H
#define ASTRA_AUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/model/model.h"

#define ASTRA_BID_GPUS_MAX 4096 /* most GPUs in one bid */

/* What the values in a bid's table mean. */
enum astra_bid_kind {
	/* rho of the paper: the app's finish-time fairness if it has these GPUs
	 * from time_sec on. */
	ASTRA_BID_RHO,
	/* The seconds that all of the app's work takes on these GPUs. The
	 * policy knows how much of the work is done. */
	ASTRA_BID_SECONDS,
};

/* An app's own statement of what GPUs are worth to it. It replaces the policy's
 * estimate. Values are >= 0, perhaps infinite, never NaN. */
struct astra_bid {
	uint64_t app; /* astra_app_of() */
	enum astra_bid_kind kind;
	double time_sec; /* when the bid was made */
	double rho_now;	 /* RHO: rho with what the app holds; < 0: not stated */
	uint32_t gpus_max;
	/* table[level * gpus_max + k - 1]: the value of k GPUs in all, from 1
	 * to gpus_max, at that level. More than gpus_max GPUs are worth no
	 * more. */
	const double *table;
};

/* One app as a policy sees it, and how it fared in the last auction. */
struct astra_auction_app {
	uint64_t app;
	uint32_t tenant;    /* index in the engine */
	uint32_t job;	    /* the lowest id of its active jobs */
	size_t job_count;   /* active jobs, including waiting tasks of arrays */
	double elapsed_sec; /* since its first submission */
	double navg;	    /* N_avg: mean number of apps over its life */
	double ideal_sec;   /* T_id */
	double rho;	    /* with the GPUs that it holds now; may be
			     * infinite */
	uint32_t gpus_held; /* under leases that are not over */
	uint32_t gpus_max;  /* more GPUs are of no use to the app */
	/* The policy's own estimate: left_sec[k - 1] is the time that the
	 * remaining work takes on k GPUs if each job is on one machine. If a
	 * job's GPUs are further apart, its work takes slowdown[level] times as
	 * long. */
	double slowdown[ASTRA_LEVEL_COUNT];
	const double *left_sec;
	uint32_t left_count;
	double bid_sec; /* when its bid was made; 0: no bid, the estimate
			 * counts */
	/* How it fared in the last auction. auction: number of the auction; 0:
	 * the app took part in none. */
	uint64_t auction;
	uint32_t rank, ranks; /* by rho, among the apps that wanted GPUs then */
	bool offered;	      /* it was among the worst-off apps, which may
			       * bid */
	uint32_t won;	      /* GPUs that the proportionally fair allocation
			       * gave it */
	uint32_t kept;	      /* GPUs of `won` that are left after the hidden
			       * payment */
	uint32_t given;	      /* GPUs that it got of the leftovers */
	double factor;	      /* c of its hidden payment: the part of `won` that
			       * it keeps */
};

struct astra_auction {
	uint64_t number; /* of the last auction; 0: there was none */
	double time_sec; /* time of the last auction */
	uint64_t gpus;	 /* GPUs that were offered */
	size_t bidders;	 /* apps that were offered GPUs */
	bool exact;	 /* its allocation is known to be optimal */
	const struct astra_auction_app *apps; /* all active apps, by app */
	size_t app_count;
};

enum astra_app_kind { ASTRA_APP_JOB, ASTRA_APP_NAMED };

/* Return the id of the app that --app names, see astra_wish_app(); of an
 * array's or a job's app. */
static inline uint64_t astra_app_named(uint32_t app)
{
	return (uint64_t)ASTRA_APP_NAMED << 32 | app;
}

static inline uint64_t astra_app_job(uint32_t id)
{
	return (uint64_t)ASTRA_APP_JOB << 32 | id;
}

/* Return the app that a job belongs to. The id of an array's own record is the
 * array_id of its tasks, so the array and its tasks get the same app. */
static inline uint64_t astra_app_of(const struct astra_job *job)
{
	if (job->forecast.app)
		return astra_app_named(job->forecast.app);
	return astra_app_job(job->array_id ? job->array_id : job->id);
}

#endif
