/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/in/managed.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

#include "src/engine/guard.h"
#include "src/proto/report.h"
#include "src/slurm/check/selfcheck.h"
#include "src/slurm/in/gpus.h"
#include "src/slurm/in/request.h"
#include "src/slurm/in/reserved.h"
#include "src/slurm/in/wish.h"
#include "src/slurm/note/marks.h"
#include "src/slurm/note/progress.h"

/* Runs that Slurm did not requeue although their flags allowed it. They are
 * few, and forgetting one costs only another refused requeue. */
#define PINNED_MAX 256

static pthread_mutex_t pinned_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct {
	uint32_t job, restart_cnt;
} pinned_runs[PINNED_MAX];
static size_t pinned_next, pinned_count;

static bool names(const char *at, const char *gres)
{
	size_t len = strlen(gres);

	return !strncmp(at, gres, len) &&
	       !strchr("abcdefghijklmnopqrstuvwxyz_", at[len] ? at[len] : ':');
}

/* Whether the text has "gres:gpu…" or "gres/shard…", alone or after a comma. */
static bool names_gpu(const char *tres)
{
	while (tres) {
		if (!strncmp(tres, "gres", 4) &&
		    (tres[4] == ':' || tres[4] == '/') &&
		    (names(tres + 5, "gpu") || names(tres + 5, "shard")))
			return true;
		tres = strpbrk(tres, ",;");
		tres = tres ? tres + 1 : NULL;
	}
	return false;
}

/* Whether the job asks for GPUs or shards; --gpus=0 names GPUs but asks for
 * none. */
static bool asks_for_gpus(const job_record_t *job, bool *shards)
{
	struct astra_ask ask;

	*shards = false;
	if (!names_gpu(job->tres_per_node) && !names_gpu(job->tres_per_job) &&
	    !names_gpu(job->tres_per_task) && !names_gpu(job->tres_per_socket))
		return false;
	astra_request_ask(job, &ask);
	*shards = ask.shards;
	return !astra_ask_is_derived(&ask);
}

bool astra_takes_nodes(const job_record_t *job)
{
	return astra_wants_whole_nodes(job->details) ||
	       (job->part_ptr && !job->part_ptr->max_share);
}

static bool managed_takes_gpus(const job_record_t *job)
{
	if (!astra_takes_nodes(job) || !job->part_ptr)
		return false;
	return astra_nodes_have_gpus(job->details->req_node_bitmap
					     ? job->details->req_node_bitmap
					     : job->part_ptr->node_bitmap);
}

/* Return the index of a partition's pool, or pool_count. */
static size_t pool_of(const struct astra_config *config, const char *partition)
{
	size_t i = 0;

	while (i < config->pool_count &&
	       !astra_names_have(&config->pools[i].partitions, partition))
		i++;
	return i;
}

struct tally {
	const struct astra_config *config;
	size_t pool;
	int inside, outside;
};

static int tally_part(void *x, void *arg)
{
	const part_record_t *part = x;
	struct tally *t = arg;
	size_t pool = pool_of(t->config, part->name);

	if (pool == t->config->pool_count || (t->inside && pool != t->pool)) {
		t->outside++;
	} else {
		t->pool = pool;
		t->inside++;
	}
	return 0;
}

enum astra_claim astra_claim_of(const job_record_t *job, size_t *pool)
{
	struct tally t = {.config = astra_config_active()};
	bool shards;

	if (!t.config || !astra_selfcheck_job(job) || job->het_job_id ||
	    !job->details ||
	    (!asks_for_gpus(job, &shards) && !managed_takes_gpus(job)))
		return ASTRA_FOREIGN;
	if (job->part_ptr_list)
		list_for_each_ro(job->part_ptr_list, tally_part, &t);
	else if (job->part_ptr)
		tally_part(job->part_ptr, &t);
	if (!t.inside || shards != t.config->pools[t.pool].options.shards)
		return ASTRA_FOREIGN;
	if (pool)
		*pool = t.pool;
	if (!t.config->pools[t.pool].options.leases)
		return t.outside ? ASTRA_FOREIGN : ASTRA_ORDERED;
	return t.outside ? ASTRA_MIXED : ASTRA_MANAGED;
}

bool astra_reason_is_plain(uint32_t reason)
{
	switch (reason) {
	case WAIT_NO_REASON:
	case WAIT_PRIORITY:
	case WAIT_RESOURCES:
	case WAIT_NODE_NOT_AVAIL:
	case WAIT_BURST_BUFFER_RESOURCE:
	case WAIT_BURST_BUFFER_STAGING:
		return true;
	default:
		return false;
	}
}

static bool is_pinned(const job_record_t *job)
{
	bool found = false;

	pthread_mutex_lock(&pinned_mutex);
	for (size_t i = 0; i < pinned_count && !found; i++)
		found = pinned_runs[i].job == job->job_id &&
			pinned_runs[i].restart_cnt == job->restart_cnt;
	pthread_mutex_unlock(&pinned_mutex);
	return found;
}

void astra_terms_pin(const job_record_t *job)
{
	pthread_mutex_lock(&pinned_mutex);
	pinned_runs[pinned_next].job = job->job_id;
	pinned_runs[pinned_next].restart_cnt = job->restart_cnt;
	pinned_next = (pinned_next + 1) % PINNED_MAX;
	if (pinned_count < PINNED_MAX)
		pinned_count++;
	pthread_mutex_unlock(&pinned_mutex);
}

bool astra_terms_unprepared(const struct astra_options *options,
			    const struct astra_wish *wish, int signal)
{
	return !signal && !options->checkpoint_signal && !wish->saves &&
	       !wish->stated.gpus_max;
}

/* Return why a job can have no leases because of its user's options; "": it
 * can. */
static const char *why_unleasable(const job_record_t *job,
				  const struct astra_wish *wish)
{
	if (!job->batch_flag)
		return "srun or salloc";
	if (!job->details->requeue)
		return "--no-requeue";
	if (wish->lease_none)
		return "--lease=none";
	if (job->het_job_id)
		return "heterogeneous";
	return "";
}

static const char *why_pinned(const job_record_t *job,
			      const struct astra_options *options,
			      const char *unleasable, bool unprepared)
{
	if (!options->leases)
		return "this pool has no leases";
	if (*unleasable)
		return unleasable;
	if (!IS_JOB_PENDING(job) && !astra_env_is_leased(job))
		return ASTRA_PINNED_BY_BEGIN;
	if (is_pinned(job))
		return "Slurm refused to requeue it";
	if (unprepared && options->unprepared == ASTRA_UNPREPARED_KEEP)
		return ASTRA_PINNED_KEEP;
	return "";
}

/* Return the job's lease term: as its user asked, or longer if the guard says
 * so; 0: the pool's. */
static double lease_of(const job_record_t *job, const struct astra_wish *wish,
		       const struct astra_options *options)
{
	double term =
		wish->lease_sec > 0 ? wish->lease_sec : options->lease_sec;
	double longer = astra_progress_lease(job->job_id);

	if (longer > 0)
		longer = fmin(longer, astra_guard_max(options));
	return longer > term ? longer : wish->lease_sec;
}

/* The lead is the grace after the signal, the time between TERM and KILL, and a
 * round. */
void astra_terms_before_maintenance(const struct astra_options *o,
				    struct astra_terms *terms)
{
	double term = terms->lease_sec > 0 ? terms->lease_sec : o->lease_sec;

	if (!terms->revocable)
		return;
	terms->lead_sec =
		(terms->signal ? o->grace_sec : 0) + slurm_conf.kill_wait + 1;
	terms->least_sec = fmax(
		astra_min_run_sec(o, astra_policy_find(o->policy), term, 0),
		o->round_sec);
}

/* Drop the parts of the user's wish for a lease that the pool does not allow.
 * Such a job was submitted to stock Slurm, or the bounds have changed since.
 * Returns what was dropped, or "". */
static const char *drop_lease(struct astra_wish *wish,
			      const struct astra_options *options)
{
	const char *dropped = "";

	if (astra_wish_check(wish, options, NULL) == 0)
		return "";
	if (wish->lease_none)
		dropped = "--lease=none is not allowed here (AllowNoLease), so "
			  "they end as others do";
	else if (wish->lease_sec > 0)
		dropped = "--lease is not within LeaseMin and LeaseMax, so "
			  "they have the pool's term";
	wish->lease_none = false;
	wish->lease_sec = 0;
	if (astra_wish_check(wish, options, NULL) < 0)
		*wish = ASTRA_WISH_NONE;
	return dropped;
}

void astra_terms_of(const job_record_t *job,
		    const struct astra_options *options,
		    struct astra_terms *out)
{
	struct astra_wish wish;
	const char *unleasable;

	*out = (struct astra_terms){.signal = options->checkpoint_signal};
	if (astra_wish_read(job->spank_job_env, job->spank_job_env_size, &wish,
			    NULL) < 0)
		wish = ASTRA_WISH_NONE;
	out->dropped = drop_lease(&wish, options);
	out->lease_sec = lease_of(job, &wish, options);
	out->forecast = astra_wish_forecast(&wish, job->user_id);
	out->gpus_min = wish.stated.gpus_min;
	out->gpus_max = wish.stated.gpus_max;
	out->workers_max = wish.stated.workers_max;
	out->ps = wish.stated.ps;
	out->app = wish.app;
	out->bid = wish.bid;
	if (astra_signal_is_deaf(job->warn_signal)) {
		out->signal = 0; /* submitted before job_submit refused such
				    signals */
	} else if (job->warn_signal) {
		out->signal = job->warn_signal;
		out->batch_only = job->warn_flags & KILL_JOB_BATCH;
	}
	out->unprepared = job->batch_flag && job->details->requeue &&
			  !wish.lease_none &&
			  astra_terms_unprepared(options, &wish, out->signal) &&
			  !astra_env_get(job->details, ASTRA_ENV_REQUEUE);
	unleasable = why_unleasable(job, &wish);
	out->leasable = !*unleasable;
	out->pinned = why_pinned(job, options, unleasable, out->unprepared);
	out->revocable = !*out->pinned;
	/* A job that keeps its GPUs does not leave before a maintenance, except
	 * a run whose time limit was cut to end there. */
	if (!out->unprepared || options->unprepared != ASTRA_UNPREPARED_SHARE ||
	    astra_reserved_cut(job))
		astra_terms_before_maintenance(options, out);
}
