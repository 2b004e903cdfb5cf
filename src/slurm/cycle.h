/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One round of the engine inside slurmctld. */
#ifndef ASTRA_CYCLE_H
#define ASTRA_CYCLE_H

#include "src/slurm/in/snapshot.h"
#include "src/slurm/round/pool.h"

struct astra_cycle {
	struct astra_pools pools;
	struct astra_scene scene;
	struct astra_diag diag;
	struct astra_error warning; /* what an admin should check; "":
				     * nothing */
	char *conf_path;	    /* astraea.conf */
	char *folder;		    /* StateSaveLocation */
	time_t kept_sec; /* when the copy in force was made, see config_kept; 0:
			  * the file is in force */
	bool gate;	 /* the gate is loaded, so there may be leases */
	bool kept;	 /* the file in force was copied, see config_kept */
	bool loaded;	 /* the pools follow the configuration in force */
	bool recovered;	 /* the records were recovered after a crash */
	bool settled;	 /* all nodes have answered since the start */
	bool rehearsed;	 /* the first snapshot with jobs was plausible */
	double last_sec; /* when the last round began */
	double told_sec; /* when an error of the configuration was last
			  * logged */
	double boot_sec; /* when the host was booted, by its clock; 0:
			  * unknown */
};

/* Read astraea.conf and put it in force. Does I/O. locked: the caller holds
 * slurmctld's write locks. Returns 0, or -1 if the old configuration stays: the
 * file has an error, which is logged, or slurmctld is shutting down. */
int astra_cycle_configure(struct astra_cycle *cycle, bool locked);

/* Open the pools of the configuration in force and load their state, unless
 * this was done already. Does I/O. Call at the start, before any job can end,
 * as a job may be in its grace. */
void astra_cycle_follow(struct astra_cycle *cycle);

/* Run a round. Returns when the next round is due. */
double astra_cycle_run(struct astra_cycle *cycle);

/* Look up wanted names of users (cycle_users.c). May take seconds. Locks: none
 * of slurmctld's. */
void astra_cycle_name_users(struct astra_cycle *cycle);

/* Save and free everything. */
void astra_cycle_close(struct astra_cycle *cycle);

#endif
