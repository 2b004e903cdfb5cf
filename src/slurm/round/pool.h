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
	char *path; /* path of the state file */
	struct astra_engine *engine;
	struct astra_plan plan;
	bool dirty;	    /* changed since the last save */
	bool synced;	    /* the file was synced to disk */
	bool unread;	    /* a state exists that could not be used */
	bool refuge;	    /* a state that could not be saved was kept
			     * elsewhere */
	double told_sec;    /* when waiting jobs last got their texts; 0:
			     * never */
	uint32_t adoptions; /* how often usage was adopted into its accounts
			     * since the start */
	struct astra_pace sync;
	struct astra_error error;	/* why the last round made no
					 * decision */
	struct astra_error state_error; /* why the last save failed */
};

struct astra_pools {
	struct astra_pool *list; /* in the order of the configuration */
	size_t count;
};

/* Make the pools those of a configuration. Running engines of the same name get
 * the new options. New pools load their state or begin now. All other pools are
 * freed. Does I/O. If an engine cannot be made, its pool has none. folder: for
 * the state files. */
void astra_pools_follow(struct astra_pools *pools,
			const struct astra_config *config, const char *folder,
			double now_sec);

/* Rename a user in all pools, and a tenant if the user is one. */
void astra_pools_rename(struct astra_pools *pools, bool tenant,
			const char *from, const char *to);

/* Move all leases by by_sec, as the clock was set forward by that much. */
void astra_pools_shift(struct astra_pools *pools, double by_sec);

/* Save the states that have changed. Does I/O. last: no save comes after this
 * one, so it is synced to disk. */
void astra_pools_save(struct astra_pools *pools, struct astra_diag *diag,
		      double now_sec, bool last);

/* Free all pools without saving them. */
void astra_pools_free(struct astra_pools *pools);

#endif
