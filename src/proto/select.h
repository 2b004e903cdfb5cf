/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which records of a report a query wants and its sender may see. Pure. */
#ifndef ASTRA_SELECT_H
#define ASTRA_SELECT_H

#include "src/proto/answer.h"

/* Whether a job record is, or contains, the job meant. */
bool astra_job_matches(const struct astra_report_job *job,
		       struct astra_job_ref ref);

/* Whether the viewer may see a job at all, and its GPU time. */
bool astra_job_visible(const struct astra_report *report,
		       const struct astra_report_job *job,
		       const struct astra_viewer *viewer);
bool astra_job_usage_visible(const struct astra_report *report,
			     const struct astra_report_job *job,
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

#endif
