/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The agent of a whole app: it asks for offers, lets a scheduler answer them,
 * bids, and ends jobs that the scheduler gives up. */
#ifndef AGENT_WATCH_H
#define AGENT_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "src/agent/scheduler.h"
#include "src/client/place.h"

struct agent_watch {
	const char *app; /* name given with --app; NULL: the app of `job` */
	uint32_t job;	 /* a job of the app; 0: the app is given by name */
	struct agent_settings settings;
	double interval_sec; /* seconds between requests for offers; 0: as the
			      * plugin says */
	bool once;	     /* one offer, then end */
	bool dry_run;	     /* only print what the agent would do */
	bool verbose;
};

/* Watch over an app until it has no jobs left. Returns the exit status: 0, or 1
 * with err set. */
int agent_watch_run(const struct agent_watch *watch,
		    const struct sfair_place *place, struct astra_error *err);

#endif
