/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the user of a managed job wishes for its leases. */
#include "src/proto/bid_text.h"
#include "src/slurm/hooks/submit_priv.h"
#include "src/slurm/in/managed.h"
#include "src/slurm/in/unleased.h"
#include "src/slurm/in/unleased_view.h"
#include "src/slurm/in/wish.h"
#include "src/slurm/out/resize.h"

static int check_bid(const char *text, struct astra_error *err)
{
	struct astra_curves curves;

	if (!text)
		return 0;
	if (astra_bid_text_read(text, &curves, err) < 0)
		return -1;
	astra_curves_clear(&curves);
	return 0;
}

static bool submit_is_unprepared(const struct astra_submit *r,
				 const struct astra_options *options)
{
	return r->revocable && !r->wish.lease_none && !r->requeue &&
	       astra_terms_unprepared(options, &r->wish, r->signal);
}

static bool submit_is_unleased(const struct astra_submit *r,
			       const struct astra_options *options)
{
	return !r->revocable || r->wish.lease_none ||
	       (options->unprepared == ASTRA_UNPREPARED_KEEP &&
		submit_is_unprepared(r, options));
}

int astra_submit_check_wish(struct astra_submit *r,
			    const struct astra_places *places,
			    struct astra_error *err)
{
	if (r->wish_unread) {
		*err = r->wish_error;
		return ESLURM_INVALID_TIME_LIMIT;
	}
	if (astra_wish_check(&r->wish, &places->options, err) < 0 ||
	    check_bid(r->wish.bid, err) < 0)
		return ESLURM_INVALID_TIME_LIMIT;
	r->unprepared = submit_is_unprepared(r, &places->options);
	r->unleased = submit_is_unleased(r, &places->options);
	return SLURM_SUCCESS;
}

/* Return the time limit of a job without leases, at most NoLeaseTime. */
static double unleased_limit(struct astra_submit *r,
			     const struct astra_options *o)
{
	const char *at = NULL;
	double sec = astra_unleased_limit(r->minutes,
					  astra_next_part(r->partitions, &at));

	if (o->unleased_sec <= 0 || (sec > 0 && sec <= o->unleased_sec))
		return sec;
	r->shortened =
		o->unleased_sec > 60 ? (uint32_t)(o->unleased_sec / 60) : 1;
	return r->shortened * 60.0;
}

bool astra_submit_is_too_long(struct astra_submit *r,
			      const struct astra_places *places)
{
	if (!submit_is_unleased(r, &places->options))
		return false;
	r->shortened = 0;
	(void)unleased_limit(r, &places->options);
	return r->shortened != 0;
}

const char *astra_submit_unprepared_text(const struct astra_submit *r,
					 const struct astra_options *options)
{
	if (!r->unprepared)
		return NULL;
	switch (options->unprepared) {
	case ASTRA_UNPREPARED_SHARE:
		return "this job declares no checkpoint. It keeps its GPUs "
		       "while it fits into its tenant's share; else it may be "
		       "requeued and start from the beginning. If it can "
		       "checkpoint say --requeue or --signal (man 7 astraea)";
	case ASTRA_UNPREPARED_KEEP:
		return "this job declares no checkpoint, so it has no lease, "
		       "as with --no-requeue. If it can checkpoint say "
		       "--requeue or --signal (man 7 astraea)";
	default:
		return NULL;
	}
}

void astra_submit_mark_requeue(char ***env, uint32_t *count)
{
	struct astra_wish wish;

	(void)astra_wish_read(*env, *count, &wish, NULL);
	if (wish.saves)
		return;
	xrealloc(*env, (*count + 2) * sizeof(**env));
	(*env)[(*count)++] = xstrdup(ASTRA_WISH_REQUEUE);
	(*env)[*count] = NULL;
}

/* What a tenant holds now does not count, since the job waits until that
 * changes. */
int astra_submit_check_unleased(struct astra_submit *r,
				const struct astra_places *places,
				struct astra_error *err)
{
	const struct astra_options *o = &places->options;
	uint32_t most = o->unleased_gpus < o->unleased_user_gpus
				? o->unleased_gpus
				: o->unleased_user_gpus;
	char term[32];
	double sec;

	if (!r->unleased)
		return SLURM_SUCCESS;
	sec = unleased_limit(r, o);
	if (most >= ASTRA_GPUS_QUOTA || r->need.gpus <= most ||
	    !astra_unleased_counts(sec, o->lease_sec))
		return SLURM_SUCCESS;
	astra_print_time(o->lease_sec, term, sizeof(term));
	astra_error_set(
		err,
		"%llu GPUs without a lease (srun, salloc, "
		"--no-requeue, --lease=none, Unprepared=keep): at most %u may be held "
		"so, but for a time limit of %s or less",
		(unsigned long long)r->need.gpus, most, term);
	return ESLURM_INVALID_GRES;
}

/* --gpu-range and --workers: jobs whose number of GPUs is chosen for each
 * lease. */

static const char *range_name(const struct astra_wish *wish)
{
	return wish->stated.workers_max ? "--workers" : "--gpu-range";
}

/* Return which option contradicts the range; NULL: none. r: the request before
 * any change. */
static const char *range_clash(const struct astra_submit *r)
{
	const uint64_t *count = r->ask.count;

	if (count[ASTRA_PER_NODE] || count[ASTRA_PER_SOCKET] ||
	    count[ASTRA_PER_TASK])
		return "says how many GPUs the job has in all: leave out "
		       "--gres=gpu, --gpus-per-node, --gpus-per-socket and "
		       "--gpus-per-task";
	if (!r->wish.stated.workers_max)
		return NULL;
	if (r->spread.tasks || r->spread.tasks_per_node)
		return "says how many tasks the job has: leave out --ntasks "
		       "and --ntasks-per-node";
	if (r->cpus_per_gpu)
		return "has CPUs by --cpus-per-task: leave out --cpus-per-gpu";
	return NULL;
}

int astra_submit_range_read(struct astra_submit *r, struct astra_error *err)
{
	uint64_t *count = r->ask.count;
	const char *clash;

	if (r->wish.size_unread) {
		*err = r->wish_error;
		return ESLURM_INVALID_GRES;
	}
	r->gpus_min = r->wish.stated.gpus_min;
	r->gpus_max = r->wish.stated.gpus_max;
	if (!r->gpus_max)
		return SLURM_SUCCESS;
	clash = range_clash(r);
	if (clash) {
		astra_error_set(err, "%s %s", range_name(&r->wish), clash);
		return ESLURM_INVALID_GRES;
	}
	if (count[ASTRA_PER_JOB] && (count[ASTRA_PER_JOB] < r->gpus_min ||
				     count[ASTRA_PER_JOB] > r->gpus_max)) {
		astra_error_set(err, "--gpus=%llu is not in %s=%u-%u",
				(unsigned long long)count[ASTRA_PER_JOB],
				range_name(&r->wish), r->gpus_min, r->gpus_max);
		return ESLURM_INVALID_GRES;
	}
	count[ASTRA_PER_JOB] = r->gpus_max;
	return SLURM_SUCCESS;
}

/* Return the fewest nodes: the job must have all nodes that it names. */
static uint32_t range_nodes(const struct astra_submit *r)
{
	uint32_t count = r->spread.nodes_min, named = 0;
	bitstr_t *nodes = NULL;
	char *names;

	if (!r->nodes || !*r->nodes)
		return count;
	names = xstrdup(r->nodes);
	if (!astra_nodes_named(names, &nodes) && nodes)
		named = (uint32_t)bit_set_count(nodes);
	xfree(names);
	FREE_NULL_BITMAP(nodes);
	return named > count ? named : count;
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
	else if (range_nodes(r) > r->gpus_min)
		why = "begins below the number of nodes: each has one GPU at "
		      "least";
	if (!why)
		return SLURM_SUCCESS;
	astra_error_set(err, "%s %s", range_name(&r->wish), why);
	return ESLURM_INVALID_GRES;
}

void astra_submit_range_write(job_desc_msg_t *desc,
			      const struct astra_submit *r)
{
	if (!r->gpus_max)
		return;
	xfree(desc->tres_per_job);
	astra_resize_text(&desc->tres_per_job, r->ask.type, r->gpus_min);
	if (r->wish.stated.workers_max)
		astra_resize_workers(desc, &r->wish.stated, r->gpus_min,
				     desc->cpus_per_task);
}

int astra_submit_range_keep(const job_desc_msg_t *d, const job_record_t *job,
			    struct astra_error *err)
{
	bool gpus = d->tres_per_job || d->tres_per_node || d->tres_per_socket ||
		    d->tres_per_task;
	bool tasks = d->num_tasks != NO_VAL;
	struct astra_wish wish;

	if ((!gpus && !tasks && d->requeue != 0) ||
	    astra_wish_read(job->spank_job_env, job->spank_job_env_size, &wish,
			    NULL) < 0 ||
	    !wish.stated.gpus_max)
		return SLURM_SUCCESS;
	if (d->requeue == 0) {
		astra_error_set(err,
				"%s is for jobs that may be requeued: their "
				"size changes from one lease to the next",
				range_name(&wish));
		return ESLURM_INVALID_GRES;
	}
	if (!gpus && !wish.stated.workers_max)
		return SLURM_SUCCESS;
	astra_error_set(err,
			"its number of %s is chosen from %s=%u-%u at each "
			"start",
			gpus ? "GPUs" : "tasks", range_name(&wish),
			wish.stated.gpus_min, wish.stated.gpus_max);
	return ESLURM_INVALID_GRES;
}
