/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pools as they run: an engine for each, its plan and its state file. All
 * of it belongs to the engine's thread.
 */
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
	bool synced;	    /* the file is on the disk */
	bool unread;	    /* there was a state, which could not be used */
	bool refuge;	    /* what could not be saved is kept */
	double told_sec;    /* when the waiting jobs were told last; 0: never */
	uint32_t adoptions; /* times its accounts began anew, since the start */
	struct astra_pace sync;
	struct astra_error error;	/* why the last round decided nothing */
	struct astra_error state_error; /* why it could not be saved last */
};

struct astra_pools {
	struct astra_pool *list; /* in the order of the configuration */
	size_t count;
};

/* Make the pools those of a configuration: engines of the same name go on with
 * the new options, new ones load their state or begin now, others are saved
 * and closed. Does I/O. A pool whose engine can't be made has none.
 * folder: where the state files lie. */
void astra_pools_follow(struct astra_pools *pools,
			const struct astra_config *config, const char *folder,
			double now_sec);

/* A user is called otherwise from now on, and so is the tenant, if it is one.
 */
void astra_pools_rename(struct astra_pools *pools, bool tenant,
			const char *from, const char *to);

/* The clock was set forward by so much: leases end as much later. */
void astra_pools_shift(struct astra_pools *pools, double by_sec);

/* Save what has changed. Does I/O.
 * last: nothing comes after this, so it has to be on the disk. */
void astra_pools_save(struct astra_pools *pools, struct astra_diag *diag,
		      double now_sec, bool last);

/* Free all, unsaved. */
void astra_pools_free(struct astra_pools *pools);

#endif
