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
	struct astra_error warning; /* what an admin should look at; "" */
	char *conf_path;	    /* astraea.conf */
	char *folder;		    /* StateSaveLocation */
	time_t kept_sec; /* of the copy in force, see config_kept; 0: none */
	bool gate;	 /* loaded: there may be leases */
	bool kept;	/* the file in force has been copied, see config_kept */
	bool loaded;	/* the pools follow the configuration in force */
	bool recovered; /* the records are as before a crash */
	bool settled;	/* all nodes have answered since the start */
	bool rehearsed; /* the first picture with jobs can be one */
	double last_sec; /* of the last round */
	double told_sec; /* what is wrong in the configuration was logged */
	double boot_sec; /* the moment of boot by the clock; 0: not looked */
};

/* Read astraea.conf and put it in force. Does I/O.
 * locked: the caller holds slurmctld's write locks.
 * Returns 0, or -1 when the old one stays: it is broken, which is logged, or
 * slurmctld is shutting down. */
int astra_cycle_configure(struct astra_cycle *cycle, bool locked);

/* Open the pools of the configuration in force and load their state, unless
 * that is done. Does I/O. At the start before the first job can end: one may
 * be in its grace. */
void astra_cycle_follow(struct astra_cycle *cycle);

/* One round. Returns the time of the next one that is due. */
double astra_cycle_run(struct astra_cycle *cycle);

/* Ask for names of users that are wanted (cycle_users.c). May take seconds.
 * Locks: none of slurmctld's. */
void astra_cycle_name_users(struct astra_cycle *cycle);

/* Save, and free all. */
void astra_cycle_close(struct astra_cycle *cycle);

#endif
