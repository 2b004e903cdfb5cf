/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Entry points of priority/ltgf, for all supported releases of Slurm. What they
 * do is in src/slurm/out/priority.c. sshare loads this file, too. */
#include "astra_stamp.h"
#include "src/slurm/check/stamp.h"
#include "src/slurm/host.h"
#include "src/slurm/out/priority.h"

extern const char plugin_name[], plugin_type[];
extern const uint32_t plugin_version;
int init(void);
int fini(void);
uint32_t priority_p_set(uint32_t last, job_record_t *job);
void priority_p_reconfig(bool assoc_clear);
void priority_p_set_assoc_usage(slurmdb_assoc_rec_t *assoc);
double priority_p_calc_fs_factor(long double usage, long double shares);
list_t *priority_p_get_priority_factors_list(ASTRA_FACTORS_PARAMS);
void priority_p_job_end(job_record_t *job);
uint32_t priority_p_recover(uint32_t boost);
void priority_p_thread_start(void);

const char plugin_name[] = "Astraea's priorities, with multifactor inside";
const char plugin_type[] = "priority/ltgf";
const uint32_t plugin_version = SLURM_VERSION_NUMBER;
const char astra_plugin_stamp[] = ASTRA_STAMP;

int init(void)
{
	return astra_priority_init();
}

int fini(void)
{
	return astra_priority_fini();
}

uint32_t priority_p_set(uint32_t last, job_record_t *job)
{
	return astra_priority_set(last, job);
}

void priority_p_reconfig(bool assoc_clear)
{
	astra_priority_reconfig(assoc_clear);
}

void priority_p_set_assoc_usage(slurmdb_assoc_rec_t *assoc)
{
	astra_priority_set_assoc_usage(assoc);
}

double priority_p_calc_fs_factor(long double usage, long double shares)
{
	return astra_priority_fs_factor(usage, shares);
}

list_t *priority_p_get_priority_factors_list(ASTRA_FACTORS_PARAMS)
{
	return astra_priority_factors(ASTRA_FACTORS_ARGS);
}

void priority_p_job_end(job_record_t *job)
{
	astra_priority_job_end(job);
}

uint32_t priority_p_recover(uint32_t boost)
{
	return astra_priority_recover(boost);
}

void priority_p_thread_start(void)
{
	astra_priority_thread_start();
}
