/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/out/priority.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "src/common/run_in_daemon.h"
#include "src/policies/options.h"
#include "src/slurm/in/managed.h"
#include "src/slurm/note/note.h"
#include "src/slurm/round/bell.h"

/* What a priority plugin exports; some releases lack some of it. */
struct child {
	uint32_t (*set)(uint32_t last, job_record_t *job);
	void (*reconfig)(bool assoc_clear);
	void (*set_assoc_usage)(slurmdb_assoc_rec_t *assoc);
	double (*fs_factor)(long double usage, long double shares);
	list_t *(*factors)(ASTRA_FACTORS_PARAMS);
	void (*job_end)(job_record_t *job);
	uint32_t (*recover)(uint32_t boost);
	void (*thread_start)(void);
};

static plugin_context_t *context;
static struct child child;

/* Guards whether publish() may use the child. fini() waits for this lock, so
 * its holder must not wait for anything except association locks. */
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

/* Whether we may set the priority: it is not held, and no operator has set
 * it. */
static bool is_settable(const job_record_t *job)
{
	return IS_JOB_PENDING(job) && job->priority && !job->direct_set_prio;
}

static void store(job_record_t *job, uint32_t priority)
{
	uint32_t *each = astra_each_priority(job);
	size_t count = each ? xsize(each) / sizeof(*each) : 0;

	for (size_t i = 0; i < count; i++)
		each[i] = priority;
	if (job->priority == priority)
		return;
	job->priority = priority;
	last_job_update = time(NULL);
}

void astra_priority_publish(job_record_t *job, uint32_t rank)
{
	pthread_mutex_lock(&publish_lock);
	if (publishing && is_settable(job)) {
		if (rank)
			store(job, of_rank(rank));
		else if (is_rank(job->priority))
			store(job, child.set(job->priority, job));
	}
	pthread_mutex_unlock(&publish_lock);
}

/* ---- without leases -------------------------------------------------------
 */

/* Return the sum of weights such as "CPU=1000,Mem=500". */
static double tres_weights(const char *text)
{
	double sum = 0;

	while (text && (text = strchr(text, '=')))
		sum += strtod(++text, NULL);
	return sum;
}

static double one_place(void)
{
	return 1000.0 + slurm_conf.priority_weight_age +
	       slurm_conf.priority_weight_assoc +
	       slurm_conf.priority_weight_fs + slurm_conf.priority_weight_js +
	       slurm_conf.priority_weight_part +
	       slurm_conf.priority_weight_qos +
	       tres_weights(slurm_conf.priority_weight_tres);
}

static uint32_t site_of(uint32_t rank, uint32_t ranks, uint32_t weight)
{
	double all = weight;

	if (!rank)
		return NICE_OFFSET;
	if (weight == ASTRA_WEIGHT_ONLY)
		all = ranks * one_place();
	all = fmin(all, ASTRA_PRIORITY_TOP);
	return NICE_OFFSET + (uint32_t)(all * (ranks - rank + 1) / ranks);
}

/* Set the site factor. multifactor adds it to its own factors, both now and in
 * its decay thread. */
static void set_site(job_record_t *job, uint32_t site)
{
	job->site_factor = site;
	if (is_settable(job))
		job->priority = child.set(job->priority, job);
	last_job_update = time(NULL);
}

static bool is_sited(const job_record_t *job)
{
	return astra_note_of(job->job_id).sited;
}

static void set_sited(const job_record_t *job, bool sited)
{
	struct astra_note *note = astra_note_open(job->job_id);

	note->sited = sited;
	astra_note_close(note);
}

/* After slurmctld was killed, a site factor may be ours without being noted as
 * ours. */
void astra_priority_order(job_record_t *job, uint32_t rank, uint32_t ranks,
			  uint32_t weight)
{
	pthread_mutex_lock(&publish_lock);
	if (publishing) {
		uint32_t site = site_of(rank, ranks, weight);
		bool ours = site != NICE_OFFSET;

		if ((job->site_factor != site || ours != is_sited(job)) &&
		    astra_claim_of(job, NULL) == ASTRA_ORDERED) {
			set_sited(job, ours);
			/* If nothing could be noted, nobody would reset the
			 * factor. */
			if (ours == is_sited(job))
				set_site(job, site);
		}
	}
	pthread_mutex_unlock(&publish_lock);
}

static void priority_drop(job_record_t *job)
{
	if (!is_sited(job))
		return;
	pthread_mutex_lock(&publish_lock);
	set_sited(job, false);
	if (publishing)
		set_site(job, NICE_OFFSET);
	pthread_mutex_unlock(&publish_lock);
}

bool astra_priority_is_stale(const job_record_t *job)
{
	return job->site_factor != NICE_OFFSET && is_sited(job) &&
	       (!IS_JOB_PENDING(job) ||
		astra_claim_of(job, NULL) != ASTRA_ORDERED);
}

void astra_priority_look(job_record_t *job)
{
	if (astra_priority_is_stale(job))
		priority_drop(job);
}

static void priority_give_back(job_record_t *job)
{
	if (is_rank(job->priority) && is_managed(job))
		astra_priority_publish(job, 0);
	priority_drop(job);
}

/* Uses an iterator: multifactor takes the locks of associations, which Slurm
 * takes before the list's lock. list_for_each() would hold the list's lock. */
void astra_priority_give_back(void)
{
	list_itr_t *jobs = job_list ? list_iterator_create(job_list) : NULL;
	job_record_t *job;

	while (jobs && (job = list_next(jobs)))
		priority_give_back(job);
	if (jobs)
		list_iterator_destroy(jobs);
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

static void priority_begin(void)
{
	pthread_mutex_lock(&publish_lock);
	publishing = true;
	pthread_mutex_unlock(&publish_lock);
}

bool astra_priority_publishes(void)
{
	return publishing;
}

int astra_priority_load(void)
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
		astra_priority_unload();
		return SLURM_ERROR;
	}
	if (running_in_slurmctld())
		priority_begin();
	return SLURM_SUCCESS;
}

/* The child's fini waits for its thread, which may wait for locks that a
 * publisher holds. So publish_lock is released before. */
int astra_priority_unload(void)
{
	int rc = SLURM_SUCCESS;

	pthread_mutex_lock(&publish_lock);
	publishing = false;
	pthread_mutex_unlock(&publish_lock);
	if (context)
		rc = plugin_context_destroy(context);
	context = NULL;
	child = (struct child){0};
	return rc;
}

/* Slurm calls this at submission, release, requeue and update. A published rank
 * stays until the next round. If a job of a pool without leases has no rank,
 * the bell orders a round soon. */
uint32_t astra_priority_set(uint32_t last, job_record_t *job)
{
	uint32_t stock = child.set(last, job);
	enum astra_claim claim = astra_claim_of(job, NULL);

	if (claim == ASTRA_ORDERED && job->site_factor == NICE_OFFSET)
		astra_bell_ring();
	if (claim == ASTRA_MANAGED && stock && is_settable(job) &&
	    is_rank(job->priority))
		return job->priority;
	return stock;
}

void astra_priority_reconfig(bool assoc_clear)
{
	if (child.reconfig)
		child.reconfig(assoc_clear);
	/* Without assoc_clear, only debug flags or the like have changed. */
	if (publishing && assoc_clear)
		astra_bell_reconfigure();
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
	if (astra_claim_of(job, NULL) == ASTRA_ORDERED)
		astra_bell_ring();
}

uint32_t astra_priority_recover(uint32_t boost)
{
	return child.recover ? child.recover(boost) : 0;
}

void astra_priority_thread_start(void)
{
	if (child.thread_start)
		child.thread_start();
}

/* ---- sprio ----------------------------------------------------------------
 */

/* Turn a line of sprio into ours: the priority is shown as SITE, all other
 * factors as 0. */
static int show_rank(void *entry, void *arg)
{
	priority_factors_object_t *line = entry;
	const job_record_t *job = find_job_record(astra_factors_job(line));
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
