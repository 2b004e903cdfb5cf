/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/check/selfcheck.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "src/common/error.h"
#include "src/slurm/check/selfcheck_priv.h"
#include "src/slurm/check/stamp.h"

/* How many records of each kind are checked at most. */
#define SELFCHECK_MAX 64

static atomic_bool begun, aside, passed, done, desc_fits, site_seen;
static pthread_mutex_t reason_lock = PTHREAD_MUTEX_INITIALIZER;
static char reason[sizeof(struct astra_error)];

/* Used by the engine's thread only. */
static bool site_fits; /* nodes and partitions fit */
static uint32_t looked_at[SELFCHECK_MAX];
static size_t looked_at_count;

/* Stand aside. why: copied; the first reason stays. */
static void stand_aside(const char *why, const char *cure)
{
	bool first;

	pthread_mutex_lock(&reason_lock);
	first = !aside;
	if (first)
		snprintf(reason, sizeof(reason), "%s", why);
	aside = true;
	pthread_mutex_unlock(&reason_lock);
	if (first)
		error("astraea: stands aside, and all jobs are Slurm's own: "
		      "%s. %s, and restart slurmctld (Slurm %s). See "
		      "astraea(8), Self-check",
		      why, cure, SLURM_VERSION_STRING);
}

bool astra_selfcheck_aside(void)
{
	return aside;
}

/* reason is written once, before aside is set. */
const char *astra_selfcheck_reason(void)
{
	return aside ? reason : "";
}

bool astra_selfcheck_passed(void)
{
	return passed && !aside;
}

bool astra_selfcheck_done(void)
{
	return done || aside;
}

void astra_selfcheck_refuse(const char *why)
{
	stand_aside(why, "The plugins were not built with its headers: build "
			 "them against the exact source and configuration of "
			 "this slurmctld");
}

static int selfcheck_judge(int rc, const struct astra_error *err)
{
	if (rc < 0)
		astra_selfcheck_refuse(err->text);
	return rc;
}

/* Check the stamps at each call, as plugins are loaded one by one. */
static int look_at_plugins(void)
{
	struct astra_error err = {""};

	if (!aside && astra_stamp_check(&err) < 0)
		stand_aside(err.text, "An upgrade was not finished: install "
				      "all files of one build");
	return aside ? -1 : 0;
}

int astra_selfcheck_begin(void)
{
	struct astra_error err = {""};

	if (!begun)
		(void)selfcheck_judge(astra_selfcheck_variables(&err), &err);
	begun = true;
	if (aside)
		return -1;
	(void)look_at_plugins();
	return 0;
}

struct selfcheck_look {
	struct astra_error *err;
	bool answers; /* also compare records with slurmctld's answers */
	size_t count;
	bool failed;
};

static int look_at_node(const node_record_t *node, int index,
			const struct selfcheck_look *look)
{
	if (astra_selfcheck_node_record(node, index, look->err) < 0)
		return -1;
	if (find_node_record(node->name) != node)
		return astra_error_set(look->err, "node %s is not found",
				       node->name);
	return look->answers ? astra_selfcheck_node_answer(node, look->err) : 0;
}

static int look_at_nodes(const struct selfcheck_look *look)
{
	for (int i = 0, n = 0; i < node_record_count && n < SELFCHECK_MAX;
	     i++) {
		if (!node_record_table_ptr[i])
			continue;
		if (look_at_node(node_record_table_ptr[i], i, look) < 0)
			return -1;
		n++;
	}
	return 0;
}

static int selfcheck_look_at_part(void *x, void *arg)
{
	struct selfcheck_look *look = arg;
	const part_record_t *part = x;

	if (look->count++ >= SELFCHECK_MAX)
		return -1;
	look->failed = astra_selfcheck_part_record(part, look->err) < 0 ||
		       (look->answers &&
			astra_selfcheck_part_answer(part, look->err) < 0);
	return look->failed ? -1 : 0;
}

static int look_at_site(bool answers, struct astra_error *err)
{
	struct selfcheck_look look = {.err = err, .answers = answers};

	if (!part_list)
		return 0;
	list_for_each_ro(part_list, selfcheck_look_at_part, &look);
	if (look.failed || look_at_nodes(&look) < 0)
		return -1;
	site_seen = true;
	if (answers)
		site_fits = true;
	return 0;
}

static bool was_looked_at(uint32_t id)
{
	for (size_t i = 0; i < looked_at_count; i++)
		if (looked_at[i] == id)
			return true;
	return false;
}

static int selfcheck_compare_job(const job_record_t *job,
				 struct astra_error *err)
{
	if (astra_selfcheck_job_record(job, err) < 0)
		return -1;
	if (find_job_record(job->job_id) != job)
		return astra_error_set(err, "a job is not found by its number");
	return astra_selfcheck_job_answer(job, err);
}

/* Look at a job. Only if the record's size is right may its id be read. */
static int look_at_job(void *x, void *arg)
{
	struct selfcheck_look *look = arg;
	const job_record_t *job = x;

	if (looked_at_count >= SELFCHECK_MAX)
		return -1;
	if (!passed && astra_selfcheck_job_record(job, look->err) < 0)
		look->failed = true;
	else if (!was_looked_at(job->job_id)) {
		look->failed = selfcheck_compare_job(job, look->err) < 0;
		looked_at[looked_at_count++] = job->job_id;
	}
	return look->failed ? -1 : 0;
}

int astra_selfcheck_look(void)
{
	struct astra_error err = {""};
	struct selfcheck_look look = {.err = &err};

	if (astra_selfcheck_done())
		return aside ? -1 : 0;
	if (!site_fits && look_at_plugins() < 0)
		return -1;
	if (!site_fits && selfcheck_judge(look_at_site(true, &err), &err) < 0)
		return -1;
	if (!job_list)
		return 0;
	list_for_each_ro(job_list, look_at_job, &look);
	if (selfcheck_judge(look.failed ? -1 : 0, &err) < 0)
		return -1;
	if (looked_at_count && !passed)
		verbose("astraea: slurmctld's structures are as expected");
	passed = looked_at_count > 0;
	done = looked_at_count >= SELFCHECK_MAX;
	return 0;
}

/* Whether the entry points may read what they need for a job: nodes and
 * partitions. */
static bool see_site(void)
{
	struct astra_error err = {""};

	if (!aside && !site_seen)
		(void)selfcheck_judge(look_at_site(false, &err), &err);
	return !aside;
}

bool astra_selfcheck_job(const job_record_t *job)
{
	struct astra_error err = {""};

	if (see_site() && !passed)
		(void)selfcheck_judge(astra_selfcheck_job_record(job, &err),
				      &err);
	return !aside;
}

bool astra_selfcheck_desc(const job_desc_msg_t *desc)
{
	struct astra_error err = {""};

	if (see_site() && !desc_fits)
		desc_fits =
			selfcheck_judge(astra_selfcheck_job_desc(desc, &err),
					&err) == 0;
	return !aside;
}
