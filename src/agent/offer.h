/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An offer as the agent of an app gets it: what the plugin knows of the app and
 * its jobs (doc/protocol.md, "offer"). Pure. */
#ifndef AGENT_OFFER_H
#define AGENT_OFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/common/error.h"
#include "src/model/auction.h"

#define AGENT_NAME_MAX 128
#define AGENT_JOBS_MAX                                        \
	16384 /* of one app, tasks still in an array included \
	       */

/* An active job. Of an array that was not split yet it stands for tasks that
 * wait. */
struct agent_job {
	uint32_t id;
	/* As scancel takes it, 12 or 12_3 or 12_[3-9]: the number alone may
	 * stand for a whole array. "": it is too long, or not said. */
	char name[AGENT_NAME_MAX];
	uint32_t copies; /* >= 1 */
	uint32_t gpus;	 /* that it asks for, >= 1 */
	/* What it said of itself; 0, or NAN: nothing. */
	double done, total; /* iterations */
	double iter_sec;    /* of one on all its GPUs */
	double loss;
};

struct agent_offer {
	char app[AGENT_NAME_MAX]; /* as in --app; "": none, or too long */
	uint32_t uid;		  /* whose it is; UINT32_MAX: not given */
	double now_sec;
	double report_sec;  /* until the next one should be asked for; > 0 */
	double elapsed_sec; /* since the app's first submission */
	double navg;	    /* N_avg: apps at a time over its life */
	double ideal_sec;   /* T_id, the plugin's estimate */
	uint32_t gpus_held;
	uint32_t gpus_max;		    /* more are of no use to it; >= 1 */
	double slowdown[ASTRA_LEVEL_COUNT]; /* S, > 0 */
	/* The plugin's estimate of the seconds that the rest takes on k GPUs,
	 * left_sec[k - 1], with slowdown 1. */
	double *left_sec;
	size_t left_count;
	struct agent_job *jobs; /* sorted by id, each named once */
	size_t job_count;
};

/* Take a reply apart.
 * offer: destroy it with agent_offer_destroy(), after failures too.
 * Returns 0, or -1 with err naming what is wrong: no JSON, no offer, numbers
 *   that make no sense. */
int agent_offer_read(struct agent_offer *offer, const char *text,
		     struct astra_error *err);
void agent_offer_destroy(struct agent_offer *offer);

/* The number of the array that the jobs are of, 0: they are of none. */
uint32_t agent_offer_array(const struct agent_offer *offer);

/* The job of that number, or NULL. */
const struct agent_job *agent_offer_job(const struct agent_offer *offer,
					uint32_t id);

#endif
