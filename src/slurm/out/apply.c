/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/out/apply.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "src/common/fault.h"
#include "src/common/idmap.h"
#include "src/model/brief.h"
#include "src/slurm/in/reserved.h"
#include "src/slurm/note/marks.h"
#include "src/slurm/out/notify.h"
#include "src/slurm/out/park.h"
#include "src/slurm/out/priority.h"
#include "src/slurm/out/resize.h"
#include "src/slurm/out/revoke.h"
#include "src/slurm/out/saver.h"
#include "src/slurm/out/start.h"

/* How long the locks are held, and then how long other threads get a chance. A
 * thread that waits to write never gets a lock that is taken again at once. */
#define HOLD_USEC 5000
#define PAUSE_NSEC 1000000
/* Started jobs are launched together. The first of them may wait this long for
 * the others; Slurm shows it as running meanwhile. */
#define LAUNCH_USEC 500000

int astra_lock(struct astra_hold_time *hold)
{
	if (slurmctld_config.shutdown_time)
		return -1;
	lock_slurmctld(astra_write_locks());
	hold->since_usec = astra_usec();
	if (!slurmctld_config.shutdown_time)
		return 0;
	unlock_slurmctld(astra_write_locks());
	return -1;
}

void astra_unlock(struct astra_hold_time *hold, struct astra_diag *diag)
{
	astra_clock_add(&diag->of.write_lock, hold->since_usec);
	unlock_slurmctld(astra_write_locks());
}

int astra_yield(struct astra_hold_time *hold, struct astra_diag *diag)
{
	struct timespec pause = {.tv_nsec = PAUSE_NSEC};

	if (astra_usec() - hold->since_usec < HOLD_USEC)
		return 0;
	astra_unlock(hold, diag);
	nanosleep(&pause, NULL);
	return astra_lock(hold);
}

struct apply {
	struct astra_pool *pool;
	const struct astra_view *view;
	const struct astra_options *options;
	struct astra_applied *out;
	struct astra_idmap index;      /* job id -> its index in the view */
	struct astra_started *started; /* room for one per decision */
	size_t started_count, launched_count;
	uint64_t since_usec; /* when the first job was started that is not
			      * launched yet */
	size_t denied_at;    /* index in the plan's reasons */
};

/* Return the job's record if it still has the run that was decided about, else
 * NULL. */
static job_record_t *find_run(const struct astra_decision *d)
{
	job_record_t *job = find_job_record(d->job);

	if (!job || job->magic != JOB_MAGIC || !job->details ||
	    job->restart_cnt != d->restart_cnt || !IS_JOB_RUNNING(job) ||
	    IS_JOB_COMPLETING(job))
		return NULL;
	return job;
}

/* Index the view's jobs, before the locks are taken. Returns 0, or -1 when
 * memory is out. */
static int index_jobs(struct apply *a)
{
	for (size_t i = 0; i < a->view->job_count; i++)
		if (astra_idmap_put(&a->index, a->view->jobs[i].id,
				    (uint32_t)i) < 0)
			return -1;
	return 0;
}

static const struct astra_job_info *find_info(const struct apply *a,
					      uint32_t job)
{
	uint32_t i = astra_idmap_get(&a->index, job);

	return i == ASTRA_IDMAP_NONE ? NULL : &a->view->info[i];
}

/* Return the fewest GPUs of an elastic job; 0: the job has one size. */
static uint32_t apply_least(const struct apply *a,
			    const struct astra_job_info *info)
{
	return info->terms.gpus_max
		       ? info->terms.gpus_min
		       : a->view->jobs[info - a->view->info].request.gpus_min;
}

/* Return slurmctld's index of a node of the view; ASTRA_NONE if it is another
 * node now. Dynamic nodes may have been deleted since the snapshot, and a
 * reconfigure may change indices. */
static uint32_t apply_node(const struct apply *a, uint32_t node)
{
	uint32_t global = a->view->map.global[node];
	const char *name = a->view->nodes[node].name;
	const node_record_t *now = global < (uint32_t)node_record_count
					   ? node_record_table_ptr[global]
					   : NULL;
	size_t length = now && now->name ? strlen(now->name) : 0;

	/* The engine may know the node as several, each NAME:TYPE. */
	return length && name && !strncmp(name, now->name, length) &&
			       (!name[length] || name[length] == ':')
		       ? global
		       : ASTRA_NONE;
}

/* Return a decision's shares, which the caller frees; NULL: the nodes have
 * changed, or memory is out. */
static struct astra_start_share *apply_shares(const struct apply *a,
					      const struct astra_decision *d)
{
	const struct astra_share *from = &a->pool->plan.shares[d->first_share];
	struct astra_start_share *to = calloc(d->share_count + 1, sizeof(*to));

	for (size_t i = 0; to && i < d->share_count; i++) {
		to[i].node = apply_node(a, from[i].node);
		to[i].gpus = from[i].gpus;
		if (to[i].node == ASTRA_NONE) {
			free(to);
			to = NULL;
		}
	}
	return to;
}

static void note_started(struct apply *a)
{
	const struct astra_started *started = &a->started[a->started_count];
	const job_record_t *job = find_job_record(started->job);

	if (job && started->restart_cnt)
		astra_notify(job, ASTRA_NEWS_RESUMED, a->pool->name);
	if (a->started_count++ == a->launched_count)
		a->since_usec = astra_usec();
}

struct keep {
	const struct apply *a;
	bitstr_t *nodes;
};

static void keep_node(uint32_t node, void *arg)
{
	struct keep *keep = arg;
	uint32_t global = node < keep->a->view->map.count
				  ? apply_node(keep->a, node)
				  : ASTRA_NONE;

	if (global != ASTRA_NONE)
		bit_set(keep->nodes, global);
}

/* Return the nodes with GPUs that are kept for other jobs. The caller frees the
 * result. */
static bitstr_t *apply_kept(const struct apply *a, uint32_t job)
{
	struct keep keep = {.a = a, .nodes = bit_alloc(node_record_count)};

	astra_engine_kept(a->pool->engine, job, keep_node, &keep);
	return keep.nodes;
}

static void apply_start(struct apply *a, const struct astra_decision *d,
			const struct astra_job_info *job_info)
{
	double now = (double)time(NULL);
	struct astra_start_share *shares = apply_shares(a, d);
	const struct astra_terms *terms = &job_info->terms;
	struct astra_start_order order = {
		.job = d->job,
		.restart_cnt = d->restart_cnt,
		.shares = shares,
		.share_count = d->share_count,
		.gpus_min = apply_least(a, job_info),
		.lead_sec = terms->lead_sec,
		.lease =
			{
				.pool = a->pool->name,
				.term_sec = terms->lease_sec > 0
						    ? terms->lease_sec
						    : a->options->lease_sec,
				.grace_sec = a->options->grace_sec,
				.start_sec = now,
				.end_sec = d->until_sec,
				.signal = terms->signal,
				.workers_max = terms->workers_max,
				.ps = terms->ps,
			},
	};
	enum astra_start_result result;
	bitstr_t *kept = NULL;
	int rc;

	if (!shares) { /* the next round sees the new nodes */
		a->out->skipped++;
		return;
	}
	order.anywhere = astra_engine_refused(a->pool->engine, d->job) >=
			 ASTRA_BALK_ROUNDS;
	if (order.anywhere || order.share_count > 1)
		order.kept = kept = apply_kept(a, d->job);
	result = astra_start(&order, &a->started[a->started_count], &rc);
	FREE_NULL_BITMAP(kept);
	free(shares);
	if (result == ASTRA_STARTED)
		note_started(a);
	if (result == ASTRA_START_STALE)
		a->out->skipped++;
	if (result != ASTRA_REFUSED_JOB && result != ASTRA_REFUSED_NODES)
		return;
	a->out->refused++;
	a->out->balked += order.anywhere;
	verbose("astraea: JobId=%u is not started: %s", d->job,
		slurm_strerror(rc));
	astra_engine_refuse(a->pool->engine, d->job,
			    &a->pool->plan.shares[d->first_share],
			    d->share_count, result == ASTRA_REFUSED_NODES, now);
}

static void send_signal(struct apply *a, const struct astra_decision *d,
			const struct astra_job_info *job_info)
{
	job_record_t *job = find_run(d);
	int signal = job_info->terms.signal;
	struct astra_note *note;

	if (!job || !signal) {
		a->out->skipped++;
		return;
	}
	note = astra_note_open(d->job);
	note->in_grace = true;
	note->grace = astra_grace_make(a->options, d->restart_cnt, signal);
	astra_note_close(note);
	ASTRA_FAULT("lease.signal");
	(void)astra_revoke_signal(job, &job_info->terms);
	info("astraea: lease over: signal %d to %pJ", signal, job);
	astra_notify(job, ASTRA_NEWS_OVER, a->pool->name);
	a->out->signalled++;
	ASTRA_FAULT("lease.signalled");
}

static void apply_requeue(struct apply *a, const struct astra_decision *d,
			  const struct astra_job_info *job_info)
{
	job_record_t *job = find_run(d);
	int rc;

	if (!job) {
		a->out->skipped++;
		return;
	}
	ASTRA_FAULT("lease.requeue");
	rc = astra_revoke_requeue(job);
	ASTRA_FAULT("lease.requeued");
	if (rc == SLURM_SUCCESS) {
		info("astraea: lease over: requeue %pJ", job);
		if (!job_info->terms.signal || !(a->options->grace_sec > 0))
			astra_notify(job, ASTRA_NEWS_OVER, a->pool->name);
		a->out->requeued++;
	} else {
		error("astraea: %pJ is not requeued: %s", job,
		      slurm_strerror(rc));
		a->out->skipped++;
	}
}

/* Return why a job is refused. Both the decisions and the reasons are in the
 * order of the jobs, so the search goes on where it ended last. */
static const struct astra_reason *denied_reason(struct apply *a, uint32_t job)
{
	const struct astra_plan *plan = &a->pool->plan;

	while (a->denied_at < plan->reason_count &&
	       plan->reasons[a->denied_at].job != job)
		a->denied_at++;
	return a->denied_at < plan->reason_count ? &plan->reasons[a->denied_at]
						 : NULL;
}

/* Write what squeue shows. text: ASTRA_REASON_BYTES. */
static void apply_text(const struct astra_options *options,
		       const struct astra_reason *reason, double now_sec,
		       char *text)
{
	if (options->reason_detail)
		astra_reason_text(reason, now_sec, text, ASTRA_REASON_BYTES);
	else
		snprintf(text, ASTRA_REASON_BYTES, "%s",
			 astra_brief_text(astra_brief_of(reason)));
}

/* Hold a job as its user would, so that the user may release it. */
static void deny(struct apply *a, const struct astra_decision *d)
{
	const struct astra_reason *reason = denied_reason(a, d->job);
	job_record_t *job = find_job_record(d->job);
	char text[ASTRA_REASON_BYTES], why[ASTRA_REASON_BYTES];
	int rc;

	if (!reason || reason->wait != ASTRA_WAIT_DENIED || !job ||
	    job->magic != JOB_MAGIC || !job->details ||
	    job->restart_cnt != d->restart_cnt || !IS_JOB_PENDING(job) ||
	    IS_JOB_COMPLETING(job) || !job->priority) {
		a->out->skipped++;
		return;
	}
	apply_text(a->options, reason, a->view->model.now_sec, text);
	astra_reason_text(reason, a->view->model.now_sec, why, sizeof(why));
	rc = astra_hold(job, text);
	if (rc == SLURM_SUCCESS) {
		astra_env_set(job->details, ASTRA_ENV_REFUSED, why);
		info("astraea: hold %pJ: %s", job, why);
		a->out->denied++;
	} else {
		error("astraea: %pJ is not held: %s", job, slurm_strerror(rc));
		a->out->skipped++;
	}
}

static void apply_carry_out(struct apply *a, const struct astra_decision *d)
{
	const struct astra_job_info *job_info = find_info(a, d->job);

	if (!job_info)
		a->out->skipped++;
	else if (d->action == ASTRA_START)
		apply_start(a, d, job_info);
	else if (d->action == ASTRA_SIGNAL)
		send_signal(a, d, job_info);
	else if (d->action == ASTRA_REFUSE)
		deny(a, d);
	else
		apply_requeue(a, d, job_info);
}

int astra_launch_all(const struct astra_started *started, size_t count,
		     struct astra_diag *diag)
{
	struct astra_hold_time hold;

	if (!count)
		return 0;
	ASTRA_FAULT("start.launch");
	if (astra_lock(&hold) < 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		astra_launch(&started[i]);
		if (astra_yield(&hold, diag) < 0)
			return -1;
	}
	astra_unlock(&hold, diag);
	astra_saver_want();
	return 0;
}

/* Launch the jobs started since the last call. Locks: none. */
static int launch_started(struct apply *a, struct astra_diag *diag)
{
	size_t from = a->launched_count;

	a->launched_count = a->started_count;
	return astra_launch_all(&a->started[from], a->started_count - from,
				diag);
}

/* Release the locks for a moment now and then. Launch jobs when they have
 * waited long enough, even if decisions remain. Returns 0, or -1. */
static int pause_all(struct apply *a, struct astra_hold_time *hold,
		     struct astra_diag *diag)
{
	if (a->started_count == a->launched_count ||
	    astra_usec() - a->since_usec < LAUNCH_USEC)
		return astra_yield(hold, diag);
	astra_unlock(hold, diag);
	return launch_started(a, diag) < 0 ? -1 : astra_lock(hold);
}

/* Carry out all decisions. Returns 0 with the locks released, or -1. */
static int apply_carry_out_all(struct apply *a, struct astra_diag *diag)
{
	struct astra_hold_time hold;

	if (astra_lock(&hold) < 0)
		return -1;
	for (size_t i = 0; i < a->pool->plan.decision_count; i++) {
		apply_carry_out(a, &a->pool->plan.decisions[i]);
		if (pause_all(a, &hold, diag) < 0)
			return -1;
	}
	astra_unlock(&hold, diag);
	return 0;
}

static void apply_end(const struct astra_job *model, time_t end)
{
	job_record_t *job = find_job_record(model->id);

	if (!job || job->magic != JOB_MAGIC || !IS_JOB_RUNNING(job) ||
	    IS_JOB_COMPLETING(job) || job->preempt_time ||
	    job->restart_cnt != model->restart_cnt || job->end_time >= end ||
	    !astra_reserved_cut(job))
		return;
	info("astraea: the maintenance before the end of %pJ is off", job);
	job->end_time = end;
	astra_reserved_note(job);
	last_job_update = time(NULL);
}

/* Correct the ends of jobs for which a maintenance was cancelled or put off:
 * Slurm would end them when it was to begin. Returns 0 with the locks released,
 * or -1. */
static int apply_ends(const struct astra_view *view, struct astra_diag *diag)
{
	struct astra_hold_time hold;
	bool locked = false;

	for (size_t i = 0; i < view->job_count; i++) {
		if (!view->info[i].end)
			continue;
		if ((locked ? astra_yield(&hold, diag) : astra_lock(&hold)) < 0)
			return -1;
		locked = true;
		apply_end(&view->jobs[i], view->info[i].end);
	}
	if (locked)
		astra_unlock(&hold, diag);
	return 0;
}

int astra_apply(struct astra_pool *pool, const struct astra_view *view,
		struct astra_diag *diag, struct astra_applied *out)
{
	struct apply a = {
		.pool = pool,
		.view = view,
		.options = astra_engine_options(pool->engine),
		.out = out,
	};
	int rc;

	*out = (struct astra_applied){0};
	if (apply_ends(view, diag) < 0)
		return -1;
	if (!pool->plan.decision_count)
		return 0;
	a.started = calloc(pool->plan.decision_count, sizeof(*a.started));
	rc = a.started ? index_jobs(&a) : -1;
	if (rc == 0)
		rc = apply_carry_out_all(&a, diag);
	if (rc == 0)
		rc = launch_started(&a, diag);
	if (rc == 0)
		out->started = (uint32_t)a.started_count;
	free(a.started);
	astra_idmap_clear(&a.index);
	diag->of.started += out->started;
	diag->of.skipped += out->skipped;
	return rc;
}

/* Tell a job why it waits. limit: what squeue shows if one of our own limits
 * keeps the job; else "". */
static void apply_tell(const struct astra_pool *pool,
		       const struct astra_reason *reason, const char *limit,
		       double start_sec, double now_sec)
{
	const struct astra_options *options =
		astra_engine_options(pool->engine);
	job_record_t *job = find_job_record(reason->job);
	const char *refused;
	char text[ASTRA_REASON_BYTES];

	if (!job || !IS_JOB_PENDING(job) || IS_JOB_COMPLETING(job))
		return;
	if (!options->leases) {
		astra_priority_order(job, reason->rank, reason->ranks,
				     options->priority_weight);
		return;
	}
	astra_priority_publish(job, reason->rank);
	if (!astra_is_parked(job) || astra_note_of(job->job_id).limited)
		return;
	if (reason->first_bound_sec > pool->told_sec &&
	    reason->first_bound_sec <= now_sec && pool->told_sec > 0)
		astra_notify(job, ASTRA_NEWS_STARVED, pool->name);
	if (*limit)
		astra_park(job, limit);
	if (reason->wait == ASTRA_WAIT_BLOCKED)
		return;
	refused = reason->wait == ASTRA_WAIT_REFUSED
			  ? astra_refused_reason(reason->job)
			  : NULL;
	apply_text(options, reason, now_sec, text);
	if (!*limit)
		astra_park(job, refused ? refused : text);
	astra_expected_set(job, start_sec);
}

/* Return the limit that keeps a reason's job, as squeue shows it; "": none. at:
 * index of the last job that was found, as reasons are in the order of the
 * jobs. */
static const char *apply_limit_of(const struct astra_view *view,
				  const struct astra_reason *reason,
				  bool detail, size_t *at)
{
	const struct astra_job_info *info;

	while (*at < view->job_count && view->jobs[*at].id != reason->job)
		++*at;
	if (*at == view->job_count)
		return "";
	info = &view->info[*at];
	return info->brief && !detail ? info->brief : info->limit;
}

static int tell_all(const struct astra_pool *pool,
		    const struct astra_view *view, const double *starts,
		    struct astra_diag *diag)
{
	bool detail = astra_engine_options(pool->engine)->reason_detail;
	double now_sec = view->model.now_sec;
	struct astra_hold_time hold;
	size_t at = 0;

	if (astra_lock(&hold) < 0)
		return -1;
	for (size_t i = 0; i < pool->plan.reason_count; i++) {
		const struct astra_reason *reason = &pool->plan.reasons[i];

		apply_tell(pool, reason,
			   apply_limit_of(view, reason, detail, &at),
			   starts ? starts[i] : reason->start_sec, now_sec);
		if (i % 256 == 255 && astra_yield(&hold, diag) < 0)
			return -1;
	}
	astra_unlock(&hold, diag);
	return 0;
}

int astra_apply_texts(struct astra_pool *pool, const struct astra_view *view,
		      const double *starts, struct astra_diag *diag)
{
	int rc = tell_all(pool, view, starts, diag);

	pool->told_sec = view->model.now_sec;
	return rc;
}
