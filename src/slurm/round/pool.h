/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pools at run time: each has an engine, its plan and its state file. Used
 * by the engine's thread only. */
#ifndef ASTRA_POOL_H
#define ASTRA_POOL_H

#include "src/engine/engine.h"
#include "src/slurm/conf/config.h"
#include "src/slurm/round/diag.h"
#include "src/slurm/round/pace.h"

struct astra_pool {
	char *name;
	char *partitions;
	char *path; /* of the state file */
	struct astra_engine *engine;
	struct astra_plan plan;
	bool dirty;	    /* to be saved */
	bool synced;	    /* the file was synced to disk */
	bool unread;	    /* a state exists but could not be used */
	bool refuge;	    /* what could not be saved was kept elsewhere */
	double told_sec;    /* when waiting jobs were last told; 0: never */
	uint32_t adoptions; /* how often its accounts began anew since the
			     * start */
	struct astra_pace sync;
	struct astra_error error;	/* why the last round made no
					 * decision */
	struct astra_error state_error; /* why the last save failed */
};

struct astra_pools {
	struct astra_pool *list; /* in the order of the configuration */
	size_t count;
};

/* Make the pools those of a configuration. Engines of the same name go on with
 * the new options; new ones load their state or begin now; others are saved and
 * closed. Does I/O. A pool whose engine cannot be made has none. folder: for
 * the state files. */
void astra_pools_follow(struct astra_pools *pools,
			const struct astra_config *config, const char *folder,
			double now_sec);

/* Rename a user, and a tenant if the user is one. */
void astra_pools_rename(struct astra_pools *pools, bool tenant,
			const char *from, const char *to);

/* The clock was set forward by so much: leases end as much later. */
void astra_pools_shift(struct astra_pools *pools, double by_sec);

/* Save what has changed. Does I/O. last: no save comes after this one, so it is
 * synced to disk. */
void astra_pools_save(struct astra_pools *pools, struct astra_diag *diag,
		      double now_sec, bool last);

/* Free all pools without saving them. */
void astra_pools_free(struct astra_pools *pools);

#endif
