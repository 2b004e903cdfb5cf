/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/out/env.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/model/stated.h"
#include "src/slurm/conf/config.h"
#include "src/slurm/in/managed.h"
#include "src/slurm/note/marks.h"

/* Tell an elastic job how many GPUs it has now and had in its last run. If that
 * run's variables were removed, ASTRAEA_GPUS_BEFORE has kept its number. */
static void env_tell_size(job_details_t *details,
			  const struct astra_env_lease *lease)
{
	const char *last = astra_env_get(details, "ASTRAEA_GPUS");
	const char *before =
		last ? last : astra_env_get(details, "ASTRAEA_GPUS_BEFORE");
	uint32_t gpus = lease->gpus;

	astra_env_set_number(details, "ASTRAEA_GPUS_BEFORE",
			     before ? strtod(before, NULL) : 0);
	astra_env_set_number(details, "ASTRAEA_GPUS", gpus);
	astra_env_set_number(details, "ASTRAEA_WORLD_SIZE", gpus);
	if (!lease->workers_max)
		return;
	astra_env_set_number(details, "ASTRAEA_WORKERS", gpus);
	astra_env_set_number(
		details, "ASTRAEA_PS",
		astra_stated_ps(lease->ps, lease->workers_max, gpus));
}

/* Set a job's variables. Locks: caller holds job write. */
static void env_tell(job_details_t *details,
		     const struct astra_env_lease *lease)
{
	const char *name = lease->signal ? sigabbrev_np(lease->signal) : "none";
	char number[16];

	if (!name) {
		snprintf(number, sizeof(number), "%d", lease->signal);
		name = number;
	}
	astra_env_set(details, "ASTRAEA_POOL", lease->pool);
	astra_env_set(details, "ASTRAEA_CHECKPOINT_SIGNAL", name);
	astra_env_set(details, "ASTRAEA_CHECKPOINT_TO",
		      lease->batch_only ? "batch" : "steps");
	astra_env_set_number(details, "ASTRAEA_LEASE_TERM", lease->term_sec);
	astra_env_set_number(details, "ASTRAEA_LEASE_GRACE", lease->grace_sec);
	astra_env_set_number(details, "ASTRAEA_LEASE_START", lease->start_sec);
	astra_env_set_number(details, "ASTRAEA_LEASE_END",
			     isfinite(lease->end_sec) ? lease->end_sec : 0);
	if (lease->gpus)
		env_tell_size(details, lease);
}

static struct astra_env_place place; /* guarded by job write */

void astra_env_place_clear(struct astra_env_place *p)
{
	free(p->path);
	free(p->munge);
	free(p->auth);
	free(p->address);
	*p = (struct astra_env_place){0};
}

void astra_env_set_place(const struct astra_env_place *fresh)
{
	astra_env_place_clear(&place);
	place = *fresh;
}

static void env_tell_place(job_details_t *details)
{
	if (place.path)
		astra_env_set(details, "ASTRAEA_SOCKET", place.path);
	if (place.address)
		astra_env_set(details, "ASTRAEA_ADDRESS", place.address);
	/* If the job was submitted from a job of another cluster, it has that
	 * cluster's value, which would override munged. */
	astra_env_unset(details, "ASTRAEA_AUTH");
	if (place.path && place.auth)
		astra_env_set(details, "ASTRAEA_AUTH", place.auth);
	else if (place.path && place.munge)
		astra_env_set(details, "ASTRAEA_MUNGE_SOCKET", place.munge);
}

struct astra_env_lease astra_env_lease_of(const job_record_t *job,
					  const struct astra_pool_config *pool)
{
	const struct astra_options *o = &pool->options;
	double now = (double)time(NULL);
	struct astra_terms terms;
	double term;

	astra_terms_of(job, o, &terms);
	term = terms.lease_sec > 0 ? terms.lease_sec : o->lease_sec;
	return (struct astra_env_lease){
		.pool = pool->name,
		.term_sec = term,
		.grace_sec = o->grace_sec,
		.start_sec = now,
		.end_sec = now + term,
		.signal = terms.signal,
		.batch_only = terms.batch_only,
	};
}

void astra_env_start(job_record_t *job, const struct astra_env_lease *lease)
{
	struct astra_env_lease told = *lease;

	told.end_sec += (double)job->start_time - told.start_sec;
	told.start_sec = (double)job->start_time;
	astra_env_unset(job->details, ASTRA_ENV_REFUSED);
	env_tell(job->details, &told);
	astra_env_lease_run(job);
	env_tell_place(job->details);
	last_job_update = time(NULL);
}

/* Whether a variable was set for a run and is not needed after a restart. */
static bool env_is_of_run(const char *variable)
{
	static const char *const kept[] = {
		"ASTRAEA_GPUS_BEFORE=", "ASTRAEA_GPUS_BOUND=",
		"ASTRAEA_REVOKED_RUN=", "ASTRAEA_MAIL_TYPE=",
		ASTRA_ENV_RUN "="};

	if (xstrncmp(variable, "ASTRAEA_", strlen("ASTRAEA_")) != 0)
		return false;
	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++)
		if (!xstrncmp(variable, kept[i], strlen(kept[i])))
			return false;
	return true;
}

void astra_env_give_back(job_details_t *details)
{
	const char *gpus = astra_env_get(details, "ASTRAEA_GPUS");
	uint16_t left = 0;

	if (gpus)
		astra_env_set_number(details, "ASTRAEA_GPUS_BEFORE",
				     strtod(gpus, NULL));
	for (uint16_t i = 0; i < details->env_cnt; i++) {
		char *variable = details->env_sup[i];

		details->env_sup[i] = NULL;
		if (env_is_of_run(variable))
			xfree(variable);
		else
			details->env_sup[left++] = variable;
	}
	details->env_cnt = left;
}
