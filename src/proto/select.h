/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which records of a report a query wants and its sender may see. Pure. */
#ifndef ASTRA_SELECT_H
#define ASTRA_SELECT_H

#include "src/proto/answer.h"

bool astra_filter_has(const struct astra_names *names, const char *name);

/* Whether a user is in the list, by name or by uid. */
bool astra_filter_has_user(const struct astra_names *names, const char *user,
			   uint32_t uid);

/* Whether a job record is, or contains, the job meant. */
bool astra_job_matches(const struct astra_report_job *job,
		       struct astra_job_ref ref);

/* Whether the viewer coordinates an account, in O(log accounts). */
bool astra_viewer_coordinates(const struct astra_viewer *viewer,
			      const char *account);

/* Whether the viewer may see a job at all, and its GPU time. */
bool astra_job_visible(const struct astra_report *report,
		       const struct astra_report_job *job,
		       const struct astra_viewer *viewer);
bool astra_job_usage_visible(const struct astra_report *report,
			     const struct astra_report_job *job,
			     const struct astra_viewer *viewer);

/* Why the plugin manages no job at all, as a sentence; "" where it does.
 * text: at least ASTRA_IDLE_BYTES. Returns text. */
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

/* Mark the tenants that the query wants and the viewer may see, in
 * O(jobs + tenants).
 * Returns an array of flags by tenant, to be freed, or NULL out of memory. */
bool *astra_tenants_selected(const struct astra_report *report,
			     const struct astra_query *query,
			     const struct astra_viewer *viewer);

/* Whether the viewer may see an app. (select_app.c) */
bool astra_app_visible(const struct astra_report *report,
		       const struct astra_report_app *app,
		       const struct astra_viewer *viewer);
bool astra_app_selected(const struct astra_report_app *app,
			const struct astra_query *query);

/* The app of an offer or a bid, which is the viewer's to bid for.
 * Returns ASTRA_FAULT_NONE, or what is wrong with err set. */
enum astra_fault astra_app_find(const struct astra_report *report,
				const struct astra_query *query,
				const struct astra_viewer *viewer,
				const struct astra_report_app **out,
				struct astra_error *err);

/* Whether a bid is for what the app was offered, and its order of jobs of its
 * own. Returns as astra_app_find(). */
enum astra_fault astra_bid_check(const struct astra_report *report,
				 const struct astra_report_app *app,
				 const struct astra_query_bid *bid,
				 struct astra_error *err);

/* There is no such job. Returns ASTRA_FAULT_NOT_FOUND with err set. */
enum astra_fault astra_job_unknown(const struct astra_report *report,
				   struct astra_job_ref ref,
				   struct astra_error *err);

/* Whether the pools and accounts that a query names are any that its sender may
 * see: pools, tenants, accounts of jobs; and of the jobs that it names at least
 * one. Returns as astra_app_find(). */
enum astra_fault astra_filters_known(const struct astra_report *report,
				     const struct astra_query *query,
				     const struct astra_viewer *viewer,
				     struct astra_error *err);

#endif
