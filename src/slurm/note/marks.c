/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/note/marks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RESIZE_BOUND "ASTRAEA_GPUS_BOUND"
#define RESIZE_BOUND_SEC 3600

static int env_find(const job_details_t *details, const char *name)
{
	size_t length = strlen(name);

	for (int i = 0; i < details->env_cnt; i++)
		if (details->env_sup[i] &&
		    !strncmp(details->env_sup[i], name, length) &&
		    details->env_sup[i][length] == '=')
			return i;
	return -1;
}

void astra_env_set(job_details_t *details, const char *name, const char *value)
{
	int at = env_find(details, name);

	if (at < 0) {
		xrecalloc(details->env_sup, (size_t)details->env_cnt + 1,
			  sizeof(char *));
		at = details->env_cnt++;
	}
	xfree(details->env_sup[at]);
	details->env_sup[at] = xstrdup_printf("%s=%s", name, value);
}

const char *astra_env_get(const job_details_t *details, const char *name)
{
	int at = env_find(details, name);

	return at < 0 ? NULL : details->env_sup[at] + strlen(name) + 1;
}

void astra_env_unset(job_details_t *details, const char *name)
{
	int at = env_find(details, name);

	if (at < 0)
		return;
	xfree(details->env_sup[at]);
	details->env_sup[at] = details->env_sup[--details->env_cnt];
	details->env_sup[details->env_cnt] = NULL;
}

void astra_env_set_number(job_details_t *details, const char *name,
			  double value)
{
	char text[32];

	snprintf(text, sizeof(text), "%.0f", value);
	astra_env_set(details, name, text);
}

void astra_env_lease_run(const job_record_t *job)
{
	astra_env_set_number(job->details, ASTRA_ENV_RUN, job->restart_cnt);
}

bool astra_env_is_leased(const job_record_t *job)
{
	const char *run = astra_env_get(job->details, ASTRA_ENV_RUN);

	return run && strtoul(run, NULL, 10) == job->restart_cnt;
}

void astra_resize_bound(job_record_t *job, uint32_t gpus)
{
	char text[64];

	if (!gpus && !astra_env_get(job->details, RESIZE_BOUND))
		return;
	snprintf(text, sizeof(text), "%u@%lld", gpus, (long long)time(NULL));
	astra_env_set(job->details, RESIZE_BOUND, text);
}

uint32_t astra_resize_bound_of(const job_record_t *job, time_t now)
{
	const char *text = astra_env_get(job->details, RESIZE_BOUND);
	long long since = 0;
	unsigned int gpus = 0;

	if (!text || !IS_JOB_RUNNING(job) ||
	    sscanf(text, "%u@%lld", &gpus, &since) != 2)
		return 0;
	return now < (time_t)since + RESIZE_BOUND_SEC ? gpus : 0;
}
