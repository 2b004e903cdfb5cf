/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the app that a query means, and checks whose it is. */
#include <stdlib.h>
#include <string.h>

#include "src/common/idmap.h"
#include "src/proto/select.h"

bool astra_app_visible(const struct astra_report *report,
		       const struct astra_report_app *app,
		       const struct astra_viewer *viewer)
{
	return viewer->all || app->uid == viewer->uid ||
	       astra_viewer_coordinates(viewer, app->account) ||
	       (!report->privacy.jobs && !report->privacy.usage);
}

bool astra_app_selected(const struct astra_report_app *app,
			const struct astra_query *query)
{
	if (query->users.count &&
	    !astra_filter_has_user(&query->users, app->user, app->uid))
		return false;
	if (query->accounts.count &&
	    !astra_filter_has(&query->accounts, app->account) &&
	    !astra_filter_has(&query->accounts, app->tenant))
		return false;
	return !query->pools.count ||
	       astra_filter_has(&query->pools, app->pool);
}

static enum astra_fault no_auctions(const char *pool, struct astra_error *err)
{
	if (pool)
		astra_error_set(err,
				"the policy of pool %s holds no auctions: "
				"themis and ltgf+themis do",
				pool);
	else
		astra_error_set(err, "no pool has a policy that holds "
				     "auctions: themis and ltgf+themis do");
	return ASTRA_FAULT_NO_DATA;
}

/* Finds a job by its id, or by the id of an array without waiting tasks. */
static const struct astra_report_job *
select_app_find_job(const struct astra_report *report, uint32_t id)
{
	const struct astra_report_job *job = astra_report_find(report, id);

	for (size_t i = 0; !job && i < report->job_count; i++)
		if (report->jobs[i].array_id == id && report->jobs[i].app)
			job = &report->jobs[i];
	return job;
}

static enum astra_fault by_job(const struct astra_report *report,
			       const struct astra_query *query,
			       const struct astra_viewer *viewer,
			       const struct astra_report_app **out,
			       struct astra_error *err)
{
	uint32_t id = query->jobs.refs[0].id;
	const struct astra_report_job *job = select_app_find_job(report, id);

	if (!job || !astra_job_visible(report, job, viewer)) {
		astra_error_set(
			err,
			"job %u: no managed job of this number that you may see: it has ended, is in no pool of astraea.conf, or asks for no GPU (see squeue)",
			id);
		return ASTRA_FAULT_NOT_FOUND;
	}
	if (!astra_report_auction_of(report, job->pool))
		return no_auctions(job->pool, err);
	*out = astra_report_app(report, job->pool, job->app);
	if (*out)
		return ASTRA_FAULT_NONE;
	astra_error_set(err,
			"job %u took no part in the last round: it is held, or "
			"has ended",
			id);
	return ASTRA_FAULT_NOT_FOUND;
}

static bool is_app(const struct astra_report_app *app,
		   const struct astra_query *query,
		   const struct astra_viewer *viewer)
{
	char *name = query->user;
	struct astra_names user = {.names = &name, .count = 1};

	if (strcmp(app->app, query->app) != 0)
		return false;
	if (query->user)
		return astra_filter_has_user(&user, app->user, app->uid);
	return app->uid == viewer->uid;
}

static enum astra_fault by_name(const struct astra_report *report,
				const struct astra_query *query,
				const struct astra_viewer *viewer,
				const struct astra_report_app **out,
				struct astra_error *err)
{
	if (!report->auction_count)
		return no_auctions(NULL, err);
	for (size_t i = 0; i < report->app_count; i++) {
		const struct astra_report_app *app = &report->apps[i];

		if (!is_app(app, query, viewer) ||
		    !astra_app_visible(report, app, viewer))
			continue;
		*out = app;
		return ASTRA_FAULT_NONE;
	}
	astra_error_set(err,
			"app %.64s: none of %s has this name: its jobs have "
			"ended, wait for their first round, or are in no pool "
			"with auctions",
			query->app, query->user ? "the user's" : "yours");
	return ASTRA_FAULT_NOT_FOUND;
}

enum astra_fault astra_app_find(const struct astra_report *report,
				const struct astra_query *query,
				const struct astra_viewer *viewer,
				const struct astra_report_app **out,
				struct astra_error *err)
{
	enum astra_fault fault =
		query->app ? by_name(report, query, viewer, out, err)
			   : by_job(report, query, viewer, out, err);

	if (fault || viewer->all || (*out)->uid == viewer->uid)
		return fault;
	astra_error_set(err,
			"app of job %u: only its owner, root, SlurmUser and "
			"operators may see its offers and bid for it",
			(*out)->of.job);
	return ASTRA_FAULT_DENIED;
}

/* Checks that each job in the order is a job of the app, or an array of it. */
static enum astra_fault check_order(const struct astra_report *report,
				    const struct astra_report_app *app,
				    const struct astra_job_refs *order,
				    struct astra_error *err)
{
	enum astra_fault fault = ASTRA_FAULT_NONE;
	struct astra_idmap jobs = {0};

	for (uint32_t at = app->first_job; at != ASTRA_REPORT_NO_JOB;
	     at = report->jobs[at].app_next) {
		const struct astra_report_job *job = &report->jobs[at];

		if (astra_idmap_put(&jobs, job->of.id, 1) < 0 ||
		    (job->array_id &&
		     astra_idmap_put(&jobs, job->array_id, 1) < 0))
			fault = ASTRA_FAULT_INTERNAL;
	}
	for (size_t i = 0; !fault && i < order->count; i++) {
		if (astra_idmap_get(&jobs, order->refs[i].id) !=
		    ASTRA_IDMAP_NONE)
			continue;
		astra_error_set(err,
				"\"jobs\": %u is no job of the app that "
				"waits or runs",
				order->refs[i].id);
		fault = ASTRA_FAULT_MALFORMED;
	}
	astra_idmap_clear(&jobs);
	if (fault == ASTRA_FAULT_INTERNAL)
		astra_error_nomem(err);
	return fault;
}

enum astra_fault astra_bid_check(const struct astra_report *report,
				 const struct astra_report_app *app,
				 const struct astra_query_bid *bid,
				 struct astra_error *err)
{
	uint32_t gpus = astra_curves_gpus(&bid->rho);

	if (gpus > app->of.gpus_max) {
		astra_error_set(err,
				"\"rho\": of %u GPUs, and at most %u are "
				"offered to the app: it has no use for more",
				gpus, app->of.gpus_max);
		return ASTRA_FAULT_MALFORMED;
	}
	return check_order(report, app, &bid->order, err);
}
