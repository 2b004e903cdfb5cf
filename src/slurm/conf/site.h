/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values of slurm.conf for use outside of slurmctld's locks. slurmctld frees
 * its own copy while it reads the file again, so that copy must not be read
 * without the configuration lock. */
#ifndef ASTRA_SITE_H
#define ASTRA_SITE_H

#include <stdbool.h>

#define ASTRA_CLUSTER_MAX 256 /* bytes; names in slurmdbd have at most 40 */

struct astra_site {
	char cluster[ASTRA_CLUSTER_MAX];
	bool private_jobs, private_usage, private_nodes; /* PrivateData */
};

/* Return the values in force now. Waits while slurmctld reads its
 * configuration. Locks: caller holds none of slurmctld's; takes conf read. */
struct astra_site astra_site_take(void);

#endif
