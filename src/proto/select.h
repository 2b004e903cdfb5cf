/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which records of a report a query selects, and its sender may see. Pure. */
#ifndef ASTRA_SELECT_H
#define ASTRA_SELECT_H

#include "src/proto/answer.h"

bool astra_filter_has(const struct astra_names *names, const char *name);

/* Whether a user is in the list, by name or by uid. */
bool astra_filter_has_user(const struct astra_names *names, const char *user,
			   uint32_t uid);

/* Whether a job record is the job that ref names, or contains it. */
bool astra_job_matches(const struct astra_report_job *job,
		       struct astra_job_ref ref);

/* Whether the viewer coordinates an account, in O(log accounts). */
bool astra_viewer_coordinates(const struct astra_viewer *viewer,
			      const char *account);

/* Whether the viewer may see a job at all; whether the viewer may see its GPU
 * time. */
bool astra_job_visible(const struct astra_report *report,
		       const struct astra_report_job *job,
		       const struct astra_viewer *viewer);
bool astra_job_usage_visible(const struct astra_report *report,
			     const struct astra_report_job *job,
			     const struct astra_viewer *viewer);

/* Writes why the plugin manages no job at all, as a sentence; "" if it manages
 * some. text: at least ASTRA_IDLE_BYTES. Returns text. */
#define ASTRA_IDLE_BYTES 1024
const char *astra_idle_text(const struct astra_report *report,
			    char text[ASTRA_IDLE_BYTES]);

/* Whether the viewer may see nodes, their states and GPUs. */
bool astra_nodes_visible(const struct astra_report *report,
			 const struct astra_viewer *viewer);

bool astra_job_selected(const struct astra_report_job *job,
			const struct astra_query *query);
bool astra_pool_selected(const struct astra_report_pool *pool,
			 const struct astra_query *query);

/* Returns an array of flags by tenant: set for those that the query selects and
 * the viewer may see. Free it; NULL if out of memory. O(jobs log tenants). */
bool *astra_tenants_selected(const struct astra_report *report,
			     const struct astra_query *query,
			     const struct astra_viewer *viewer);

/* Whether the viewer may see an app. (select_app.c) */
bool astra_app_visible(const struct astra_report *report,
		       const struct astra_report_app *app,
		       const struct astra_viewer *viewer);
bool astra_app_selected(const struct astra_report_app *app,
			const struct astra_query *query);

/* Finds the app of an offer or a bid, for which the viewer may bid. Returns
 * ASTRA_FAULT_NONE, or a fault with err set. */
enum astra_fault astra_app_find(const struct astra_report *report,
				const struct astra_query *query,
				const struct astra_viewer *viewer,
				const struct astra_report_app **out,
				struct astra_error *err);

/* Checks that a bid covers no more GPUs than the app was offered, and that its
 * order has only jobs of the app. Returns as astra_app_find(). */
enum astra_fault astra_bid_check(const struct astra_report *report,
				 const struct astra_report_app *app,
				 const struct astra_query_bid *bid,
				 struct astra_error *err);

/* Sets err to say that there is no such job. Returns ASTRA_FAULT_NOT_FOUND. */
enum astra_fault astra_job_unknown(const struct astra_report *report,
				   struct astra_job_ref ref,
				   struct astra_error *err);

/* Checks that the sender may see each pool and account that the query names,
 * and at least one of the jobs. Accounts are tenants or accounts of jobs.
 * Returns as astra_app_find(). */
enum astra_fault astra_filters_known(const struct astra_report *report,
				     const struct astra_query *query,
				     const struct astra_viewer *viewer,
				     struct astra_error *err);

#endif
