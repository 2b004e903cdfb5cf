/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An offer to an app's agent: what the plugin knows of the app and its jobs
 * (doc/protocol.md, "offer"). Pure. */
#ifndef AGENT_OFFER_H
#define AGENT_OFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/common/error.h"
#include "src/model/auction.h"

#define AGENT_NAME_MAX 128
#define AGENT_JOBS_MAX 16384 /* most jobs of one app, including array tasks */

/* An active job, or those waiting tasks of an array that have no job record of
 * their own. */
struct agent_job {
	uint32_t id;
	/* Id for scancel: 12 or 12_3 or 12_[3-9]. The id of a job record alone
	 * may stand for a whole array. "": not given, or too long. */
	char name[AGENT_NAME_MAX];
	uint32_t copies; /* >= 1 */
	uint32_t gpus;	 /* GPUs that the job asks for, >= 1 */
	/* From the job's own report; 0 or NAN: not reported. */
	double done, total; /* iterations */
	double iter_sec;    /* seconds of an iteration on all its GPUs */
	double loss;
};

struct agent_offer {
	char app[AGENT_NAME_MAX]; /* name given with --app; "": none, or too
				   * long */
	uint32_t uid;		  /* the app's owner; UINT32_MAX: not given */
	double now_sec;
	double report_sec;  /* seconds until the next offer should be asked for;
			     * > 0 */
	double elapsed_sec; /* since the app's first submission */
	double navg;	    /* N_avg: mean count of apps during the app's
			     * life */
	double ideal_sec;   /* T_id, the plugin's estimate */
	uint32_t gpus_held;
	uint32_t gpus_max;		    /* most GPUs that the app can use;
					     * >= 1 */
	double slowdown[ASTRA_LEVEL_COUNT]; /* S, > 0 */
	/* left_sec[k - 1]: the plugin's estimate of the seconds that the
	 * remaining work takes on k GPUs with slowdown 1. */
	double *left_sec;
	size_t left_count;
	struct agent_job *jobs; /* sorted by id, without duplicates */
	size_t job_count;
};

/* Reads a reply. offer: destroy it with agent_offer_destroy(), also after a
 * failure. Returns 0, or -1 with err naming what is wrong: invalid JSON, not an
 * offer, or numbers out of range. */
int agent_offer_read(struct agent_offer *offer, const char *text,
		     struct astra_error *err);
void agent_offer_destroy(struct agent_offer *offer);

/* Returns the id of the array whose tasks the jobs are, or 0. */
uint32_t agent_offer_array(const struct agent_offer *offer);

/* Returns the job with this id, or NULL. */
const struct agent_job *agent_offer_job(const struct agent_offer *offer,
					uint32_t id);

#endif
