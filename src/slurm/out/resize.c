/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/out/resize.h"

#include <string.h>

#include "src/slurm/in/request.h"
#include "src/slurm/in/wish.h"

static bool resize_on;

bool astra_resize_goes_on(void)
{
	return resize_on;
}

/* Change a job as root, since a site's job_submit plugin may forbid users all
 * changes. Limits that an operator's change would lift still apply. */
static int resize_update(job_record_t *job, job_desc_msg_t *desc)
{
	size_t size = sizeof(uint16_t) * (size_t)slurmctld_tres_cnt;
	uint16_t *limits = job->limit_set.tres, *kept = NULL;
	slurm_msg_t msg;
	int rc;

	slurm_msg_t_init(&msg);
	msg.data = desc;
	if (limits) {
		kept = xmalloc(size);
		memcpy(kept, limits, size);
	}
	resize_on = true;
	rc = update_job(&msg, 0, false);
	resize_on = false;
	if (limits && job->limit_set.tres == limits)
		memcpy(limits, kept, size);
	xfree(kept);
	return rc;
}

void astra_resize_text(char **text, const char *type, uint32_t gpus)
{
	xstrfmtcat(*text, ASTRA_GPU_TRES "%s%s%u", type, *type ? ":" : "",
		   gpus);
}

void astra_resize_least(job_record_t *job)
{
	struct astra_wish wish;

	if (!IS_JOB_PENDING(job) || IS_JOB_COMPLETING(job) ||
	    astra_wish_read(job->spank_job_env, job->spank_job_env_size, &wish,
			    NULL) < 0 ||
	    !wish.stated.gpus_max)
		return;
	(void)astra_resize(job, wish.stated.gpus_min);
}

/* Ask for one task for each worker and each parameter server. */
static void resize_tasks(const job_record_t *job, uint32_t gpus,
			 job_desc_msg_t *desc)
{
	uint16_t cpus = job->details->orig_cpus_per_task;
	struct astra_wish wish;

	if (astra_wish_read(job->spank_job_env, job->spank_job_env_size, &wish,
			    NULL) < 0 ||
	    !wish.stated.workers_max)
		return;
	astra_resize_workers(desc, &wish.stated, gpus, cpus);
}

void astra_resize_workers(job_desc_msg_t *desc,
			  const struct astra_stated *stated, uint32_t workers,
			  uint16_t task_cpus)
{
	bool said = task_cpus && task_cpus != NO_VAL16;

	desc->num_tasks =
		workers +
		astra_stated_ps(stated->ps, stated->workers_max, workers);
	desc->min_cpus = desc->num_tasks * (said ? task_cpus : 1);
}

static void desc_free(job_desc_msg_t *desc)
{
	xfree(desc->tres_per_job);
	xfree(desc->alloc_node);
	xfree(desc->job_id_str);
	FREE_NULL_BITMAP(desc->array_bitmap);
}

int astra_hold(job_record_t *job, const char *text)
{
	job_desc_msg_t desc;
	int rc;

	slurm_init_job_desc_msg(&desc);
	astra_desc_name_job(&desc, job->job_id);
	desc.priority = 0;
	desc.alloc_sid = ALLOC_SID_USER_HOLD;
	rc = resize_update(job, &desc);
	if (rc == SLURM_SUCCESS) {
		xfree(job->state_desc);
		job->state_desc = xstrdup(text);
		last_job_update = time(NULL);
	}
	desc_free(&desc);
	return rc;
}

int astra_resize(job_record_t *job, uint32_t gpus)
{
	struct astra_ask ask;
	job_desc_msg_t desc;
	int rc;

	astra_request_ask(job, &ask);
	if (ask.count[ASTRA_PER_JOB] == gpus || !ask.count[ASTRA_PER_JOB])
		return SLURM_SUCCESS;
	slurm_init_job_desc_msg(&desc);
	astra_desc_name_job(&desc, job->job_id);
	astra_resize_text(&desc.tres_per_job, ask.type, gpus);
	resize_tasks(job, gpus, &desc);
	rc = resize_update(job, &desc);
	/* Slurm keeps two values of the old size: a sum over the gres list, by
	 * which it looks at nodes, and what the last run was billed. */
	FREE_NULL_LIST(job->gres_list_req_accum);
	job->billable_tres = (double)NO_VAL;
	desc_free(&desc);
	return rc;
}
