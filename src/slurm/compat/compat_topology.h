/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The differences between Slurm's releases in the topology of nodes. */
#ifndef ASTRA_COMPAT_TOPOLOGY_H
#define ASTRA_COMPAT_TOPOLOGY_H

#include "src/slurm/compat/compat.h"

/* Get a node's address below the switches, as "s0.s4.n7", or just its name.
 * Free it with xfree(). Locks: conf and node read. Returns a Slurm error
 * number. */
static inline int astra_node_address(char *node, char **address)
{
	char *pattern = NULL;
	int rc;

#ifdef ASTRA_SLURM_TOPOLOGY_G
	rc = topology_g_get_node_addr(node, address, &pattern);
#else
	rc = slurm_topo_get_node_addr(node, address, &pattern);
#endif
	xfree(pattern);
	return rc;
}

/* Return the index of the partition's topology; 0: the cluster's. Locks: part
 * read. */
static inline uint32_t astra_topology_number(const part_record_t *part)
{
#ifdef ASTRA_SLURM_TOPOLOGIES
	return part->topology_idx > 0 ? (uint32_t)part->topology_idx : 0;
#else
	(void)part;
	return 0;
#endif
}

/* Return a node's place in each topology with switches or blocks, as
 * "tree:s0:s4,blocks:b1". Free it with xfree(). NULL: the node has none, or
 * Slurm does not say. Locks: conf and node read. */
static inline char *astra_node_places(node_record_t *node)
{
#ifdef ASTRA_SLURM_TOPOLOGIES
	return topology_g_get_topology_str(node);
#else
	(void)node;
	return NULL;
#endif
}

/* Return the name of the partition's topology; NULL: the cluster's. Borrowed.
 * Locks: part read. */
static inline const char *astra_topology_name(const part_record_t *part)
{
#ifdef ASTRA_SLURM_TOPOLOGIES
	return part->topology_name;
#else
	(void)part;
	return NULL;
#endif
}

/* Whether a job's nodes have to be neighbours in a ring: topology/ring. name
 * may be NULL for the cluster's topology. Locks: conf and part read. */
static inline bool astra_topology_rings(const char *name)
{
#ifdef ASTRA_SLURM_RINGS
	dynamic_plugin_data_t *info = NULL;
	bool rings;

	if (!name)
		return topology_get_plugin_id() == TOPOLOGY_PLUGIN_RING;
	if (topology_g_get(TOPO_DATA_TOPOLOGY_PTR, (char *)(uintptr_t)name,
			   &info) != SLURM_SUCCESS ||
	    !info)
		return false;
	rings = info->plugin_id == TOPOLOGY_PLUGIN_RING;
	topology_g_topoinfo_free(info);
	return rings;
#else
	(void)name;
	return false;
#endif
}

#ifdef ASTRA_SLURM_TOPOLOGIES
/* Whether the cluster's topology restricts which nodes a job may have
 * together. */
static inline bool astra_topology_default_binds(void)
{
	int plugin = topology_get_plugin_id();

#ifdef ASTRA_SLURM_RINGS
	if (plugin == TOPOLOGY_PLUGIN_RING || plugin == TOPOLOGY_PLUGIN_3DTORUS)
		return true;
#endif
	return plugin == TOPOLOGY_PLUGIN_BLOCK;
}
#endif

/* Whether a job's nodes have to be in one block (topology/block), neighbours in
 * a ring, or a placement of a torus. Locks: conf and part read. */
static inline bool astra_topology_binds(const part_record_t *part)
{
#ifdef ASTRA_SLURM_TOPOLOGIES
	int binds = 0;

	if (!part->topology_name)
		return astra_topology_default_binds();
	/* Only these topologies have --exclusive=topo. */
	return topology_g_get(TOPO_DATA_EXCLUSIVE_TOPO, part->topology_name,
			      &binds) == SLURM_SUCCESS &&
	       binds;
#else
	(void)part;
	return !xstrcmp(slurm_conf.topology_plugin, "topology/block");
#endif
}

/* Return how many nodes have to be in one block (--segment); 0: all of the
 * job's. Locks: job read. */
static inline uint32_t astra_segment_nodes(const job_record_t *job)
{
#ifdef ASTRA_SLURM_SEGMENTS
	return job->details->segment_size;
#else
	(void)job;
	return 0;
#endif
}

/* Whether each segment is to be in a block of its own (--spread-segments).
 * Locks: job read. */
static inline bool astra_segments_apart(const job_record_t *job)
{
#ifdef SPREAD_SEGMENTS
	return job->bit_flags & SPREAD_SEGMENTS;
#else
	(void)job;
	return false;
#endif
}

#endif
