/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/priority.h"

#include <pthread.h>
#include <time.h>

#include "src/common/run_in_daemon.h"
#include "src/slurm/host.h"
#include "src/slurm/managed.h"

/* What a priority plugin exports; each may be missing in some release. */
struct child {
	uint32_t (*set)(uint32_t last, job_record_t *job);
	void (*reconfig)(bool assoc_clear);
	void (*set_assoc_usage)(slurmdb_assoc_rec_t *assoc);
	double (*fs_factor)(long double usage, long double shares);
	list_t *(*factors)(ASTRA_FACTORS_PARAMS);
	void (*job_end)(job_record_t *job);
	void (*recover)(uint32_t boost);
	void (*thread_start)(void);
};

static plugin_context_t *context;
static struct child child;

/* Whether publish() may use the child. fini() waits for it, so it is never
 * held while waiting for anything but association locks. */
static pthread_mutex_t publish_lock = PTHREAD_MUTEX_INITIALIZER;
static bool publishing;

static bool is_rank(uint32_t priority)
{
	return priority < ASTRA_PRIORITY_TOP &&
	       priority >= ASTRA_PRIORITY_TOP - ASTRA_PRIORITY_RANKS;
}

static uint32_t of_rank(uint32_t rank)
{
	return ASTRA_PRIORITY_TOP -
	       (rank < ASTRA_PRIORITY_RANKS ? rank : ASTRA_PRIORITY_RANKS);
}

static bool is_managed(const job_record_t *job)
{
	return astra_claim_of(job, NULL) == ASTRA_MANAGED;
}

/* Held jobs, and those whose priority an operator has set, are not ours. */
static bool is_settable(const job_record_t *job)
{
	return IS_JOB_PENDING(job) && job->priority && !job->direct_set_prio;
}

static void store(job_record_t *job, uint32_t priority)
{
	int parts = 0;

	if (job->part_ptr_list && job->priority_array)
		parts = list_count(job->part_ptr_list);
	for (int i = 0; i < parts; i++)
		job->priority_array[i] = priority;
	if (job->priority == priority)
		return;
	job->priority = priority;
	last_job_update = time(NULL);
}

void astra_priority_publish(job_record_t *job, uint32_t rank, uint32_t ranks)
{
	(void)ranks;
	pthread_mutex_lock(&publish_lock);
	if (publishing && is_settable(job)) {
		if (rank)
			store(job, of_rank(rank));
		else if (is_rank(job->priority))
			store(job, child.set(job->priority, job));
	}
	pthread_mutex_unlock(&publish_lock);
}

/* ---- entry points ---------------------------------------------------------
 */

static void *symbol(const char *name)
{
	return plugin_get_sym(context->cur_plugin, name);
}

static void find_symbols(void)
{
	child = (struct child){
		.set = symbol("priority_p_set"),
		.reconfig = symbol("priority_p_reconfig"),
		.set_assoc_usage = symbol("priority_p_set_assoc_usage"),
		.fs_factor = symbol("priority_p_calc_fs_factor"),
		.factors = symbol("priority_p_get_priority_factors_list"),
		.job_end = symbol("priority_p_job_end"),
		.recover = symbol("priority_p_recover"),
		.thread_start = symbol("priority_p_thread_start"),
	};
}

int astra_priority_init(void)
{
	const char *no_names[1] = {NULL};
	void *no_pointers[1];

	context = plugin_context_create("priority", "priority/multifactor",
					no_pointers, no_names, 0);
	if (!context) {
		error("priority/ltgf: priority/multifactor is not there");
		return SLURM_ERROR;
	}
	find_symbols();
	if (!child.set || !child.factors) {
		error("priority/ltgf: priority/multifactor is not as expected");
		astra_priority_fini();
		return SLURM_ERROR;
	}
	pthread_mutex_lock(&publish_lock);
	publishing = running_in_slurmctld();
	pthread_mutex_unlock(&publish_lock);
	return SLURM_SUCCESS;
}

/* The child's fini waits for its thread, which may wait for the locks that a
 * publisher holds: so the lock is not held meanwhile. */
int astra_priority_fini(void)
{
	int rc = SLURM_SUCCESS;

	bool was_publishing;

	pthread_mutex_lock(&publish_lock);
	was_publishing = publishing;
	publishing = false;
	pthread_mutex_unlock(&publish_lock);
	/* Where the gate hosts the engine, this is the last fini before the
	 * jobs are saved. */
	if (was_publishing)
		astra_host_stop();
	if (context)
		rc = plugin_context_destroy(context);
	context = NULL;
	child = (struct child){0};
	return rc;
}

/* Slurm asks at submission, release, requeue and update: a rank published
 * before stays until the next round. */
uint32_t astra_priority_set(uint32_t last, job_record_t *job)
{
	uint32_t stock = child.set(last, job);

	if (stock && is_settable(job) && is_rank(job->priority) &&
	    is_managed(job))
		return job->priority;
	return stock;
}

void astra_priority_reconfig(bool assoc_clear)
{
	if (child.reconfig)
		child.reconfig(assoc_clear);
}

void astra_priority_set_assoc_usage(slurmdb_assoc_rec_t *assoc)
{
	if (child.set_assoc_usage)
		child.set_assoc_usage(assoc);
}

double astra_priority_fs_factor(long double usage, long double shares)
{
	return child.fs_factor ? child.fs_factor(usage, shares) : 0;
}

void astra_priority_job_end(job_record_t *job)
{
	if (child.job_end)
		child.job_end(job);
}

void astra_priority_recover(uint32_t boost)
{
	if (child.recover)
		child.recover(boost);
}

void astra_priority_thread_start(void)
{
	if (child.thread_start)
		child.thread_start();
}

/* ---- sprio ----------------------------------------------------------------
 */

/* Turn one line of sprio into ours: the number in SITE, nothing else. */
static int show_rank(void *entry, void *arg)
{
	priority_factors_object_t *line = entry;
	const job_record_t *job = find_job_record(line->job_id);
	astra_factors_t *factors = astra_factors(line);

	(void)arg;
	if (!job || !is_settable(job) || !is_rank(job->priority) ||
	    !is_managed(job) || !factors)
		return 0;
	factors->priority_age = 0;
	factors->priority_assoc = 0;
	factors->priority_fs = 0;
	factors->priority_js = 0;
	factors->priority_part = 0;
	factors->priority_qos = 0;
	factors->tres_cnt = 0;
	factors->nice = NICE_OFFSET;
	factors->priority_site = NICE_OFFSET + job->priority;
	return 0;
}

list_t *astra_priority_factors(ASTRA_FACTORS_PARAMS)
{
	slurmctld_lock_t locks = {.job = READ_LOCK, .part = READ_LOCK};
	list_t *lines = child.factors(ASTRA_FACTORS_ARGS);

	if (!lines)
		return NULL;
	lock_slurmctld(locks);
	list_for_each(lines, show_rank, NULL);
	unlock_slurmctld(locks);
	return lines;
}
