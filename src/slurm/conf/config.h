/* SPDX-License-Identifier: GPL-2.0-or-later */
/* astraea.conf: pools, tenants and options, read by Slurm's own parser. */
#ifndef ASTRA_CONFIG_H
#define ASTRA_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "src/common/error.h"
#include "src/policies/options.h"

#define ASTRA_POOL_NAME_MAX 64

/* A list of names, in the file's order. */
struct astra_config_names {
	char **name;
	size_t count;
};

struct astra_pool_config {
	char *name;
	char *partition_text;  /* as written in the file ... */
	char *partition_place; /* ... and at which place: "FILE: line N" */
	struct astra_config_names partitions;
	struct astra_options options;
	char **said; /* text of each option in the file, in the table's order;
		      * NULL: the default */
};

struct astra_tenant_config {
	char *name;
	struct astra_config_names accounts, users;
	double weight;
};

struct astra_config {
	struct astra_pool_config *pools;
	size_t pool_count;
	bool leases; /* some pool wants leases, even if slurm.conf lacks a line
		      * for them */
	struct astra_tenant_config *tenants;
	size_t tenant_count;
	bool shares_tree;      /* TenantShares=tree */
	unsigned tenant_level; /* level in the tree of accounts; 0: a job's own
				* account */
	char *socket;	       /* NULL: the default */
	char *listen;	       /* NULL: the default port */
	char *lease_program;   /* run when a lease ends, for example; NULL:
				* none */
	bool history;	       /* the history is written ... */
	char *history_file;    /* ... to this file; NULL: the default */
	double history_rounds_sec, history_hours_sec, history_days_sec,
		history_leases_sec; /* how long each kind of row is kept; 0: for
				     * ever */
	struct astra_error warning; /* faults in the file that do not prevent
				     * its use; "": none */
};

/* Read a file. Does I/O: call it outside of slurmctld's locks, or at its start.
 * Returns a configuration, to be freed with astra_config_destroy(), or NULL
 * with err naming file, line, key and value. */
struct astra_config *astra_config_read(const char *path,
				       struct astra_error *err);

/* Whether there is a partition of that name. The name is not const, as Slurm's
 * functions take a char *. */
typedef bool astra_part_exists(char *name, const void *arg);

/* Check that each pool has at least one partition that exists. A pool without
 * one would leave its jobs to Slurm, and is probably a typing error. Locks:
 * those of exists(). Returns 0, or -1 with err naming file, line, key and
 * value. */
int astra_config_check_partitions(const struct astra_config *config,
				  astra_part_exists *exists, const void *arg,
				  struct astra_error *err);

/* Add a warning for each partition of a pool that does not exist. Locks: those
 * of exists(). */
void astra_config_warn_partitions(const struct astra_pool_config *pool,
				  astra_part_exists *exists, const void *arg,
				  struct astra_error *out);

/* Set err to say that two pools, given in the file's order, share a node.
 * Returns -1. */
int astra_config_overlap(const char *first, const char *second,
			 const char *node, struct astra_error *err);

/* Add a warning for each folder and user that does not exist on this host. Does
 * I/O. */
void astra_config_warn_host(const struct astra_config *config,
			    struct astra_error *out);

/* Return the configuration in force; NULL: there is none, so nothing is
 * managed. Borrowed while the caller holds slurmctld's job lock (read is
 * enough). */
const struct astra_config *astra_config_active(void);

/* Put a configuration in force, and take ownership of it. Locks: caller holds
 * job write, or is the only thread, as at start and end. Returns the
 * configuration before, which the caller destroys. */
struct astra_config *astra_config_swap(struct astra_config *config);

/* Change the term of a pool in the configuration in force, if it has
 * LeaseTerm=auto. Locks: caller holds job write. */
void astra_config_set_term(const char *pool, double term_sec);

/* Whether a partition belongs to a pool.
 * pool: at least ASTRA_POOL_NAME_MAX bytes, or NULL; gets the pool's name.
 * options: gets a copy of the pool's options, or NULL.
 * Locks: caller holds job read. */
bool astra_config_pool_of(const char *partition, char *pool,
			  struct astra_options *options);

/* Whether queries are answered on the network, that is without Listen=no.
 * config may be NULL: then the default holds. */
bool astra_config_listens(const struct astra_config *config);

/* config may be NULL. */
void astra_config_destroy(struct astra_config *config);

/* Whether a name is in the list. NULL is in no list. */
bool astra_names_have(const struct astra_config_names *names, const char *name);

#endif
