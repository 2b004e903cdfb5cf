/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/proto/report.h"

#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/proto/report_priv.h"
#include "src/proto/tasks.h"

#define ID_BYTES 256 /* of a job's id as text */
#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static const size_t pool_strings[] = {
	offsetof(struct astra_report_pool, name),
	offsetof(struct astra_report_pool, partitions),
	offsetof(struct astra_report_pool, policy),
	offsetof(struct astra_report_pool, variant),
};

static const size_t tenant_strings[] = {
	offsetof(struct astra_report_tenant, pool),
	offsetof(struct astra_report_tenant, name),
};

static const size_t job_strings[] = {
	offsetof(struct astra_report_job, pool),
	offsetof(struct astra_report_job, tenant),
	offsetof(struct astra_report_job, id_text),
	offsetof(struct astra_report_job, user),
	offsetof(struct astra_report_job, account),
	offsetof(struct astra_report_job, partition),
	offsetof(struct astra_report_job, name),
	offsetof(struct astra_report_job, nodes),
	offsetof(struct astra_report_job, state),
	offsetof(struct astra_report_job, phase),
	offsetof(struct astra_report_job, pinned),
	offsetof(struct astra_report_job, signal),
	offsetof(struct astra_report_job, level),
	offsetof(struct astra_report_job, slowdown),
	offsetof(struct astra_report_job, speedup),
	offsetof(struct astra_report_job, advice),
	offsetof(struct astra_report_job, reason),
	offsetof(struct astra_report_job, reason_long),
	offsetof(struct astra_report_job, wait),
	offsetof(struct astra_report_job, lack),
};

static const size_t bind_strings[] = {
	offsetof(struct astra_report_bind, kind),
	offsetof(struct astra_report_bind, name),
	offsetof(struct astra_report_bind, of),
	offsetof(struct astra_report_bind, who),
	offsetof(struct astra_report_bind, option),
	offsetof(struct astra_report_bind, unit),
	offsetof(struct astra_report_bind, state),
};

static const size_t diag_strings[] = {
	offsetof(struct astra_report_diag, state_error),
	offsetof(struct astra_report_diag, config_error),
	offsetof(struct astra_report_diag, config_warning),
	offsetof(struct astra_report_diag, policy_error),
	offsetof(struct astra_report_diag, aside),
	offsetof(struct astra_report_diag, history.state),
	offsetof(struct astra_report_diag, history.file),
	offsetof(struct astra_report_diag, history.error),
};

struct astra_report *astra_report_create(void)
{
	struct astra_report *report = calloc(1, sizeof(*report));

	if (!report)
		return NULL;
	report->own = calloc(1, sizeof(*report->own));
	if (!report->own) {
		free(report);
		return NULL;
	}
	atomic_init(&report->own->references, 1);
	report->cluster = "";
	report->slurm_version = "";
	report->diag.state_error = "";
	report->diag.config_error = "";
	report->diag.config_warning = "";
	report->diag.policy_error = "";
	report->diag.aside = "";
	report->diag.history.state = "off";
	report->diag.history.file = report->diag.history.error = "";
	return report;
}

struct astra_report *astra_report_get(struct astra_report *report)
{
	atomic_fetch_add(&report->own->references, 1);
	return report;
}

void astra_report_put(struct astra_report *report)
{
	if (!report || atomic_fetch_sub(&report->own->references, 1) > 1)
		return;
	astra_report_forget(report->own);
	astra_idmap_clear(&report->own->by_id);
	free(report->own);
	free(report->pools);
	free(report->tenants);
	free(report->jobs);
	free(report->ended);
	free(report->auctions);
	free(report->apps);
	free(report->prices);
	free(report->classes);
	free(report->nodes);
	free(report);
}

int astra_report_add_pool(struct astra_report *report,
			  const struct astra_report_pool *pool)
{
	size_t n = report->pool_count;
	struct astra_report_pool copy = *pool;

	if (astra_grow(&report->pools, &report->pool_room, n + 1,
		       sizeof(copy)) < 0 ||
	    astra_report_keep_all(report, &copy,
				  n ? &report->pools[n - 1] : NULL,
				  pool_strings, COUNT(pool_strings)) < 0)
		return -1;
	report->pools[n] = copy;
	report->pool_count++;
	return 0;
}

int astra_report_add_tenant(struct astra_report *report,
			    const struct astra_report_tenant *tenant)
{
	size_t n = report->tenant_count;
	struct astra_report_tenant copy = *tenant;

	if (astra_grow(&report->tenants, &report->tenant_room, n + 1,
		       sizeof(copy)) < 0 ||
	    astra_report_keep_all(report, &copy,
				  n ? &report->tenants[n - 1] : NULL,
				  tenant_strings, COUNT(tenant_strings)) < 0)
		return -1;
	report->tenants[n] = copy;
	report->tenant_count++;
	return 0;
}

static int keep_binds(struct astra_report *report, struct astra_report_job *job)
{
	struct astra_report_bind *copy;

	if (job->bind_count > ASTRA_REPORT_BINDS)
		job->bind_count = ASTRA_REPORT_BINDS;
	if (!job->bind_count)
		return 0;
	copy = astra_report_take(report, job->bind_count * sizeof(*copy));
	if (!copy)
		return -1;
	memcpy(copy, job->binds, job->bind_count * sizeof(*copy));
	job->binds = copy;
	for (uint32_t i = 0; i < job->bind_count; i++)
		if (astra_report_keep_all(report, &copy[i],
					  i ? &copy[i - 1] : NULL, bind_strings,
					  COUNT(bind_strings)) < 0)
			return -1;
	return 0;
}

/* Append a copy to one of the lists of jobs. */
static int add_to(struct astra_report *report, struct astra_report_job **list,
		  size_t *count, size_t *room,
		  const struct astra_report_job *job)
{
	size_t n = *count;
	struct astra_report_job copy = *job;
	char id_text[ID_BYTES];

	if (job->id_text) {
		astra_tasks_text(job->id_text, id_text, sizeof(id_text));
		copy.id_text = id_text;
	}
	if (astra_grow(list, room, n + 1, sizeof(copy)) < 0 ||
	    astra_report_keep_all(report, &copy, n ? &(*list)[n - 1] : NULL,
				  job_strings, COUNT(job_strings)) < 0 ||
	    keep_binds(report, &copy) < 0)
		return -1;
	(*list)[n] = copy;
	*count = n + 1;
	return 0;
}

/* Whoever tells when a job starts tells this: nothing where it does not wait,
 * or waits for something else than GPUs, which no look ahead knows of, and
 * nothing that is over. */
static void report_settle_start(struct astra_report_job *job, double now_sec)
{
	bool kept = strcmp(job->phase, "waiting") != 0 ||
		    !strcmp(job->wait, "blocked") || job->bind_count;

	if (kept)
		job->bound_sec = job->expected_early_sec =
			job->expected_late_sec = job->forecast_sec =
				job->forecast_until_sec = 0;
	if (kept || job->expected_start_sec <= now_sec)
		job->expected_start_sec = 0;
}

int astra_report_add_job(struct astra_report *report,
			 const struct astra_report_job *job)
{
	size_t n = report->job_count;

	if (astra_idmap_put(&report->own->by_id, job->id, (uint32_t)n) < 0)
		return -1;
	if (add_to(report, &report->jobs, &report->job_count, &report->job_room,
		   job) < 0) {
		astra_idmap_del(&report->own->by_id, job->id);
		return -1;
	}
	report_settle_start(&report->jobs[n], report->time_sec);
	astra_report_link(report, &report->jobs[n]);
	return 0;
}

int astra_report_add_ended(struct astra_report *report,
			   const struct astra_report_job *job)
{
	return add_to(report, &report->ended, &report->ended_count,
		      &report->ended_room, job);
}

const struct astra_report_job *
astra_report_find(const struct astra_report *report, uint32_t id)
{
	uint32_t at = astra_idmap_get(&report->own->by_id, id);

	return at == ASTRA_IDMAP_NONE ? NULL : &report->jobs[at];
}

int astra_report_set_cluster(struct astra_report *report, const char *cluster,
			     const char *slurm_version)
{
	const char *name = astra_report_keep(report, cluster, NULL);
	const char *version = astra_report_keep(report, slurm_version, NULL);

	if (!name || !version)
		return -1;
	report->cluster = name;
	report->slurm_version = version;
	return 0;
}

int astra_report_set_diag(struct astra_report *report,
			  const struct astra_report_diag *diag)
{
	struct astra_report_diag copy = *diag;

	if (astra_report_keep_all(report, &copy, NULL, diag_strings,
				  COUNT(diag_strings)) < 0)
		return -1;
	report->diag = copy;
	return 0;
}
