/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Entry points of job_submit/astraea. What they do is in
 * src/slurm/hooks/submit.c. */
#include "astra_stamp.h"
#include "src/slurm/check/stamp.h"
#include "src/slurm/hooks/submit.h"

extern const char plugin_name[], plugin_type[];
extern const uint32_t plugin_version;
int job_submit(job_desc_msg_t *desc, uint32_t uid, char **err_msg);
int job_modify(ASTRA_MODIFY_PARAMS);

const char plugin_name[] = "Astraea refuses what leased GPUs cannot do";
const char plugin_type[] = "job_submit/astraea";
const uint32_t plugin_version = SLURM_VERSION_NUMBER;
const char astra_plugin_stamp[] = ASTRA_STAMP;

int job_submit(job_desc_msg_t *desc, uint32_t uid, char **err_msg)
{
	(void)uid;
	return astra_submit_check(desc, err_msg);
}

int job_modify(ASTRA_MODIFY_PARAMS)
{
	return astra_submit_check_change(desc, job, uid, ASTRA_MODIFY_ERR);
}
