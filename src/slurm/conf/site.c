/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/conf/site.h"

#include <stdio.h>

#include "src/slurm/compat/compat.h"

struct astra_site astra_site_take(void)
{
	slurmctld_lock_t conf = {.conf = READ_LOCK};
	struct astra_site site;

	lock_slurmctld(conf);
	site = (struct astra_site){
		.private_jobs = slurm_conf.private_data & PRIVATE_DATA_JOBS,
		.private_usage = slurm_conf.private_data & PRIVATE_DATA_USAGE,
		.private_nodes = slurm_conf.private_data & PRIVATE_DATA_NODES,
	};
	if (slurm_conf.cluster_name)
		snprintf(site.cluster, sizeof(site.cluster), "%s",
			 slurm_conf.cluster_name);
	unlock_slurmctld(conf);
	return site;
}
