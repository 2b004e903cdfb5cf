/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Replies to the agents of apps, and the auctions that all may see. */
#include <stdlib.h>
#include <string.h>

#include "src/proto/answer.h"
#include "src/proto/report_pool.h"
#include "src/proto/select.h"

/* Returns when the agent should ask again: soon enough to bid for the leases
 * that end next. */
static double ask_again_sec(const struct astra_report *report,
			    const struct astra_report_app *app)
{
	double sec = ASTRA_REPORT_EVERY_SEC;

	for (size_t i = 0; i < report->pool_count; i++) {
		double part = report->pools[i].of.lease_sec / 4;

		if (part < sec && !strcmp(report->pools[i].name, app->pool))
			sec = part;
	}
	return sec > 1 ? sec : 1;
}

static void answer_app_put_jobs(const struct astra_report *report,
				const struct astra_report_app *app,
				struct astra_text *out)
{
	const char *separator = "";

	astra_text_printf(out, ",\"jobs\":[");
	for (uint32_t at = app->first_job;
	     at != ASTRA_REPORT_NO_JOB && !out->failed;
	     at = report->jobs[at].app_next) {
		astra_text_printf(out, "%s", separator);
		astra_encode_app_job(out, &report->jobs[at]);
		separator = ",";
	}
	astra_text_printf(out, "]");
}

enum astra_fault astra_answer_offer(const struct astra_report *report,
				    const struct astra_query *query,
				    const struct astra_viewer *viewer,
				    struct astra_text *out,
				    struct astra_error *err)
{
	const struct astra_report_app *app = NULL;
	enum astra_fault fault =
		astra_app_find(report, query, viewer, &app, err);
	bool bids = query->kind == ASTRA_QUERY_BID;

	if (!fault && bids)
		fault = astra_bid_check(report, app, &query->bid, err);
	if (fault)
		return fault;
	astra_text_printf(out, ",\"now_sec\":");
	astra_encode_real(out, viewer->now_sec);
	astra_text_printf(out, ",\"report_sec\":");
	astra_encode_real(out, ask_again_sec(report, app));
	astra_text_printf(out, ",\"app\":");
	astra_encode_app_left(out, app,
			      bids && query->bid.rho.count ? viewer->now_sec
							   : app->of.bid_sec);
	astra_text_printf(out, ",\"auction\":");
	/* Without its pool. */ astra_encode_object(
		out, astra_report_auction_of(report, app->pool),
		astra_auction_members + 1);
	answer_app_put_jobs(report, app, out);
	return ASTRA_FAULT_NONE;
}

void astra_answer_auction(const struct astra_report *report,
			  const struct astra_query *query,
			  const struct astra_viewer *viewer, uint64_t picked,
			  struct astra_text *out)
{
	const char *separator = "";

	astra_text_printf(out, ",\"pools\":[");
	for (size_t i = 0; i < report->auction_count; i++) {
		const struct astra_report_auction *a = &report->auctions[i];

		if (query->pools.count &&
		    !astra_filter_has(&query->pools, a->pool))
			continue;
		astra_text_printf(out, "%s", separator);
		astra_encode_object(out, a, astra_auction_members);
		separator = ",";
	}
	astra_text_printf(out, "],\"apps\":[");
	separator = "";
	for (size_t i = 0; i < report->app_count && !out->failed; i++) {
		const struct astra_report_app *app = &report->apps[i];

		if (!astra_app_visible(report, app, viewer) ||
		    !astra_app_selected(app, query))
			continue;
		astra_text_printf(out, "%s", separator);
		astra_encode_picked(out, app, astra_app_members, picked, 0);
		separator = ",";
	}
	astra_text_printf(out, "]");
}

/* Classes of jobs in a reply. */

/* Whether the class's tenant is selected. Only viewers who see all see classes
 * that several tenants share, or whose tenant is forgotten. */
static bool is_selected(const struct astra_report *report, const bool *tenants,
			const struct astra_query *query,
			const struct astra_viewer *viewer,
			const struct astra_report_class *class)
{
	for (size_t i = 0; i < report->tenant_count; i++)
		if (!strcmp(report->tenants[i].of.name, class->of.tenant) &&
		    !strcmp(report->tenants[i].pool, class->pool))
			return tenants[i];
	return viewer->all && !query->users.count && !query->accounts.count &&
	       (!query->pools.count ||
		astra_filter_has(&query->pools, class->pool));
}

int astra_answer_classes(const struct astra_report *report,
			 const struct astra_query *query,
			 const struct astra_viewer *viewer, uint64_t picked,
			 struct astra_text *out)
{
	bool *tenants = astra_tenants_selected(report, query, viewer);
	bool nodes = astra_nodes_visible(report, viewer);
	const char *separator = "";

	if (!tenants)
		return -1;
	astra_text_printf(out, ",\"classes\":[");
	for (size_t i = 0; i < report->class_count && !out->failed; i++) {
		struct astra_report_class class = report->classes[i];

		if (!is_selected(report, tenants, query, viewer, &class))
			continue;
		if (!nodes)
			class.of.nodes = "";
		astra_text_printf(out, "%s", separator);
		astra_encode_picked(out, &class, astra_class_members, picked,
				    0);
		separator = ",";
	}
	astra_text_printf(out, "]");
	free(tenants);
	return 0;
}
