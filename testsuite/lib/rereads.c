/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loaded into slurmctld: while it reads slurm.conf again, the state in which
 * its copy is then lasts long enough to be met. Since 23.11 another process
 * reads it, and this is never called. */
#include <dlfcn.h>
#include <slurm/slurm.h>
#include <unistd.h>

#define LASTS_USEC 300000

extern slurm_conf_t slurm_conf;
int slurm_conf_reinit(const char *file);

int slurm_conf_reinit(const char *file)
{
	static char nothing[] = "";
	int (*reinit)(const char *) = dlsym(RTLD_NEXT, "slurm_conf_reinit");
	int rc = reinit ? reinit(file) : -1;
	char *cluster = slurm_conf.cluster_name;
	uint16_t private_data = slurm_conf.private_data;
	uint32_t user = slurm_conf.slurm_user_id;

	slurm_conf.cluster_name = nothing;
	slurm_conf.private_data = 0;
	slurm_conf.slurm_user_id = 0xfffe; /* as it is then: 65534, nobody */
	usleep(LASTS_USEC);
	slurm_conf.cluster_name = cluster;
	slurm_conf.private_data = private_data;
	slurm_conf.slurm_user_id = user;
	return rc;
}
