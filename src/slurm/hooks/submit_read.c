/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a new job, or a changed one, asks for. */
#include <stdio.h>
#include <string.h>

#include "src/slurm/hooks/submit_priv.h"
#include "src/slurm/in/managed.h"
#include "src/slurm/note/marks.h"

static uint32_t submit_read_said16(uint16_t n)
{
	return n == NO_VAL16 || n == INFINITE16 ? 0 : n;
}

static uint32_t submit_read_said32(uint32_t n)
{
	return n == NO_VAL || n == INFINITE ? 0 : n;
}

static uint64_t said_mem(uint64_t mib)
{
	return mib == NO_VAL64 || (mib & MEM_PER_CPU) ? 0 : mib;
}

static int add_ask(struct astra_submit *r, const char *job, const char *node,
		   const char *socket, const char *task,
		   struct astra_error *err)
{
	if (astra_ask_add(&r->ask, ASTRA_PER_JOB, job, err) < 0 ||
	    astra_ask_add(&r->ask, ASTRA_PER_NODE, node, err) < 0 ||
	    astra_ask_add(&r->ask, ASTRA_PER_SOCKET, socket, err) < 0 ||
	    astra_ask_add(&r->ask, ASTRA_PER_TASK, task, err) < 0)
		return -1;
	return 0;
}

/* Read the user's wishes. Errors in them do not matter to a job that is not
 * managed. */
static void read_wish(struct astra_submit *r, char *const *env, uint32_t count)
{
	r->wish_unread =
		astra_wish_read(env, count, &r->wish, &r->wish_error) < 0;
}

/* Return the CPUs that each node must have, at least those of a task. */
static uint64_t node_cpus(const struct astra_spread *s, uint32_t task_cpus,
			  uint32_t least)
{
	uint64_t cpus = task_cpus;

	if (task_cpus && !s->tasks && s->tasks_per_node)
		cpus *= s->tasks_per_node;
	return cpus > least ? cpus : least;
}

int astra_submit_read(struct astra_submit *r, const job_desc_msg_t *d,
		      struct astra_error *err)
{
	*r = (struct astra_submit){
		.partitions = d->partition,
		.nodes = d->req_nodes,
		.spread =
			{
				.nodes_min = submit_read_said32(d->min_nodes),
				.nodes_max = submit_read_said32(d->max_nodes),
				.tasks = submit_read_said32(d->num_tasks),
				.tasks_per_node =
					submit_read_said16(d->ntasks_per_node),
				.tasks_per_gpu =
					submit_read_said16(d->ntasks_per_tres),
				.sockets_per_node =
					submit_read_said16(d->sockets_per_node),
			},
		.mem_mib = said_mem(d->pn_min_memory),
		.cpus_per_gpu = d->cpus_per_tres && *d->cpus_per_tres,
		.exclusive = d->shared == JOB_SHARED_NONE,
		.het = d->het_job_offset != NO_VAL,
		.revocable = d->script &&
			     (d->requeue == NO_VAL16 ? slurm_conf.job_requeue
						     : d->requeue),
		.requeue = d->requeue != NO_VAL16 && d->requeue,
		.minutes = d->time_limit,
		.signal = d->warn_signal,
	};
	read_wish(r, d->spank_job_env, d->spank_job_env_size);
	r->cpus = node_cpus(&r->spread, submit_read_said16(d->cpus_per_task),
			    submit_read_said16(d->pn_min_cpus));
	return add_ask(r, d->tres_per_job, d->tres_per_node, d->tres_per_socket,
		       d->tres_per_task, err);
}

static uint32_t either32(uint32_t changed, uint32_t old)
{
	return changed == NO_VAL ? submit_read_said32(old)
				 : submit_read_said32(changed);
}

static uint32_t either16(uint16_t changed, uint16_t old)
{
	return changed == NO_VAL16 ? submit_read_said16(old)
				   : submit_read_said16(changed);
}

static uint32_t either_limit(uint32_t changed, uint32_t old)
{
	return changed == NO_VAL ? old : changed;
}

static const char *submit_read_either(const char *changed, const char *old)
{
	return changed ? changed : old;
}

/* See submit_priv.h. CPUs and memory are left out, since Slurm has merged them
 * with its own defaults. */
int astra_submit_read_change(struct astra_submit *r, const job_desc_msg_t *d,
			     const job_record_t *job, struct astra_error *err)
{
	const job_details_t *details = job->details;

	*r = (struct astra_submit){
		.partitions = submit_read_either(d->partition, job->partition),
		.nodes = submit_read_either(d->req_nodes, details->req_nodes),
		.spread =
			{
				.nodes_min = either32(d->min_nodes,
						      details->min_nodes),
				.nodes_max = either32(d->max_nodes,
						      details->max_nodes),
				.tasks = either32(d->num_tasks,
						  details->num_tasks),
				.tasks_per_node =
					either16(d->ntasks_per_node,
						 details->ntasks_per_node),
				.tasks_per_gpu =
					either16(d->ntasks_per_tres,
						 details->ntasks_per_tres),
			},
		.exclusive = d->shared == NO_VAL16
				     ? astra_wants_whole_nodes(details)
				     : d->shared == JOB_SHARED_NONE,
		.het = job->het_job_id != 0,
		.revocable = job->batch_flag &&
			     (d->requeue == NO_VAL16 ? details->requeue
						     : d->requeue),
		.requeue = (d->requeue != NO_VAL16 && d->requeue) ||
			   astra_env_get(details, ASTRA_ENV_REQUEUE),
		.minutes = either_limit(d->time_limit, job->time_limit),
		.signal = astra_signal_is_deaf(job->warn_signal)
				  ? 0
				  : job->warn_signal,
	};
	read_wish(r, job->spank_job_env, job->spank_job_env_size);
	/* In a partition of Slurm's own the job has one size. */
	if (!r->wish.size_unread &&
	    astra_claim_of(job, NULL) == ASTRA_MANAGED) {
		r->gpus_min = r->wish.stated.gpus_min;
		r->gpus_max = r->wish.stated.gpus_max;
	}
	return add_ask(
		r, submit_read_either(d->tres_per_job, job->tres_per_job),
		submit_read_either(d->tres_per_node, job->tres_per_node),
		submit_read_either(d->tres_per_socket, job->tres_per_socket),
		submit_read_either(d->tres_per_task, job->tres_per_task), err);
}

/* Whether a change touches anything that is checked here. */
bool astra_submit_concerns(const job_desc_msg_t *d)
{
	return d->partition || d->tres_per_job || d->tres_per_node ||
	       d->tres_per_socket || d->tres_per_task || d->req_nodes ||
	       d->min_nodes != NO_VAL || d->max_nodes != NO_VAL ||
	       d->num_tasks != NO_VAL || d->shared != NO_VAL16;
}

int astra_submit_check_spread(const job_desc_msg_t *d, struct astra_error *err)
{
	if (!astra_desc_ends_slurmctld(d))
		return SLURM_SUCCESS;
	astra_error_set(err,
			"--spread-job with --gpus or --gpus-per-task would "
			"end this release's slurmctld: leave it out, or "
			"ask for --gpus-per-node");
	return ESLURM_NOT_SUPPORTED;
}
