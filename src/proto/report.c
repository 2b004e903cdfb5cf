/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/proto/report.h"

#include <stdlib.h>
#include <string.h>

#include "src/proto/report_priv.h"
#include "src/proto/tasks.h"

#define ID_BYTES 256 /* of a job's id as text */
/* Append to the list of that name in a report. */
#define APPEND(report, one, record, members)                                   \
	astra_report_append(report, &(report)->one##s, &(report)->one##_count, \
			    &(report)->one##_room, record, sizeof(*(record)),  \
			    members)

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
	return APPEND(report, pool, pool, astra_pool_members);
}

int astra_report_add_tenant(struct astra_report *report,
			    const struct astra_report_tenant *tenant)
{
	return APPEND(report, tenant, tenant, astra_report_tenant_members);
}

int astra_report_add_price(struct astra_report *report,
			   const struct astra_report_price *price)
{
	return APPEND(report, price, price, astra_price_members);
}

int astra_report_add_node(struct astra_report *report,
			  const struct astra_report_node *node)
{
	struct astra_report_node copy = *node;

	copy.holders =
		astra_report_copy(report, node->holders, node->holder_count,
				  sizeof(*node->holders));
	return copy.holders
		       ? APPEND(report, node, &copy, astra_report_node_members)
		       : -1;
}

int astra_report_add_class(struct astra_report *report,
			   const struct astra_report_class *class)
{
	return astra_report_append(report, &report->classes,
				   &report->class_count, &report->class_room,
				   class, sizeof(*class), astra_class_members);
}

static int keep_binds(struct astra_report *report, struct astra_report_job *job)
{
	struct astra_report_bind *copy = NULL;
	size_t count = 0, room = 0;
	int rc = 0;

	if (job->bind_count > ASTRA_REPORT_BINDS)
		job->bind_count = ASTRA_REPORT_BINDS;
	for (uint32_t i = 0; i < job->bind_count && !rc; i++)
		rc = astra_report_append(report, &copy, &count, &room,
					 &job->binds[i], sizeof(*copy),
					 astra_bind_members);
	if (copy && !rc) {
		job->binds =
			astra_report_copy(report, copy, count, sizeof(*copy));
		rc = job->binds ? 0 : -1;
	}
	free(copy);
	return rc;
}

/* Append a copy to one of the lists of jobs. */
static int add_to(struct astra_report *report, struct astra_report_job **list,
		  size_t *count, size_t *room,
		  const struct astra_report_job *job)
{
	struct astra_report_job copy = *job;
	char id_text[ID_BYTES];

	if (job->id_text) {
		astra_tasks_text(job->id_text, id_text, sizeof(id_text));
		copy.id_text = id_text;
	}
	if (keep_binds(report, &copy) < 0)
		return -1;
	return astra_report_append(report, list, count, room, &copy,
				   sizeof(copy), astra_report_job_members);
}

/* Whoever tells when a job starts tells this: nothing where it does not wait,
 * or waits for something else than GPUs, which no look ahead knows of, and
 * nothing that is over. */
static void report_settle_start(struct astra_report_job *job, double now_sec)
{
	bool kept = strcmp(job->phase, "waiting") != 0 ||
		    !strcmp(job->wait, "blocked") || job->bind_count;

	if (kept)
		job->of.reason.bound_sec = job->expected_early_sec =
			job->expected_late_sec = job->forecast_sec =
				job->forecast_until_sec = 0;
	if (kept || job->of.reason.start_sec <= now_sec)
		job->of.reason.start_sec = 0;
}

int astra_report_add_job(struct astra_report *report,
			 const struct astra_report_job *job)
{
	size_t n = report->job_count;

	if (astra_idmap_put(&report->own->by_id, job->of.id, (uint32_t)n) < 0)
		return -1;
	if (add_to(report, &report->jobs, &report->job_count, &report->job_room,
		   job) < 0) {
		astra_idmap_del(&report->own->by_id, job->of.id);
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

	if (astra_report_keep_all(report, &copy, NULL, astra_diag_members) < 0)
		return -1;
	report->diag = copy;
	return 0;
}
