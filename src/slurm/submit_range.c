/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --gpu-range: a job whose number of GPUs is chosen anew for each lease. */
#include "src/slurm/resize.h"
#include "src/slurm/submit_priv.h"
#include "src/slurm/wish.h"

int astra_submit_range_read(struct astra_submit *r, struct astra_error *err)
{
	uint64_t *count = r->ask.count;

	r->gpus_min = r->wish.stated.gpus_min;
	r->gpus_max = r->wish.stated.gpus_max;
	if (!r->gpus_max)
		return SLURM_SUCCESS;
	if (count[ASTRA_PER_NODE] || count[ASTRA_PER_SOCKET] ||
	    count[ASTRA_PER_TASK]) {
		astra_error_set(err,
				"--gpu-range says how many GPUs the job has in "
				"all: leave out --gres=gpu, --gpus-per-node, "
				"--gpus-per-socket and --gpus-per-task");
		return ESLURM_INVALID_GRES;
	}
	if (count[ASTRA_PER_JOB] && (count[ASTRA_PER_JOB] < r->gpus_min ||
				     count[ASTRA_PER_JOB] > r->gpus_max)) {
		astra_error_set(err, "--gpus=%llu is not in --gpu-range=%u-%u",
				(unsigned long long)count[ASTRA_PER_JOB],
				r->gpus_min, r->gpus_max);
		return ESLURM_INVALID_GRES;
	}
	count[ASTRA_PER_JOB] = r->gpus_max;
	return SLURM_SUCCESS;
}

int astra_submit_range_check(const struct astra_submit *r,
			     struct astra_error *err)
{
	const char *why = NULL;

	if (!r->gpus_max)
		return SLURM_SUCCESS;
	if (!r->managed)
		why = "needs a partition whose GPUs are leased";
	else if (!r->revocable)
		why = "is for batch jobs that may be requeued: their size "
		      "changes from one lease to the next";
	else if (r->unleased)
		why = "and --lease=none exclude each other: the size changes "
		      "from one lease to the next";
	else if (r->exclusive)
		why = "and --exclusive exclude each other: whole nodes come "
		      "with all of their GPUs";
	else if (r->spread.tasks_per_gpu)
		why = "and --ntasks-per-gpu exclude each other: let srun -n "
		      "$ASTRAEA_GPUS begin the tasks";
	else if (r->spread.nodes_min > r->gpus_min)
		why = "begins below the number of nodes: each has one GPU at "
		      "least";
	if (!why)
		return SLURM_SUCCESS;
	astra_error_set(err, "--gpu-range %s", why);
	return ESLURM_INVALID_GRES;
}

void astra_submit_range_write(job_desc_msg_t *desc,
			      const struct astra_submit *r)
{
	if (!r->gpus_max)
		return;
	xfree(desc->tres_per_job);
	astra_resize_text(&desc->tres_per_job, r->ask.type, r->gpus_min);
}

int astra_submit_range_keep(const job_desc_msg_t *d, const job_record_t *job,
			    struct astra_error *err)
{
	struct astra_wish wish;

	if (!d->tres_per_job && !d->tres_per_node && !d->tres_per_socket &&
	    !d->tres_per_task)
		return SLURM_SUCCESS;
	if (astra_wish_read(job->spank_job_env, job->spank_job_env_size, &wish,
			    NULL) < 0 ||
	    !wish.stated.gpus_max)
		return SLURM_SUCCESS;
	astra_error_set(
		err,
		"its number of GPUs is chosen from --gpu-range=%u-%u at "
		"each start",
		wish.stated.gpus_min, wish.stated.gpus_max);
	return ESLURM_INVALID_GRES;
}
