/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/desk/publish_auction.h"

#include <stdlib.h>
#include <string.h>

#include "src/model/auction.h"

static int publish_auction_compare(const void *key, const void *item)
{
	uint64_t app = *(const uint64_t *)key;
	const struct astra_bid *bid = item;

	return (app > bid->app) - (app < bid->app);
}

/* Return the source of the bid that the round used. */
static const char *source_of(const struct astra_snapshot *model, uint64_t app)
{
	const struct astra_bid *bid = NULL;

	if (model->bid_count)
		bid = bsearch(&app, model->bids, model->bid_count,
			      sizeof(*model->bids), publish_auction_compare);
	if (!bid)
		return "estimate";
	return bid->kind == ASTRA_BID_RHO ? "agent" : "file";
}

static void fill_app(struct astra_report *report, const struct astra_pool *pool,
		     const struct astra_view *view, uint32_t index,
		     const struct astra_auction_app *app)
{
	const struct astra_job_info *info = &view->info[index];
	struct astra_tenant_view tenant;

	astra_engine_tenant_view(pool->engine, app->tenant, view->model.now_sec,
				 &tenant);
	const struct astra_report_app out = {
		.of = *app,
		.app = view->jobs[index].forecast.app ? info->terms.app : "",
		.pool = pool->name,
		.tenant = tenant.name,
		.account = info->account,
		.uid = info->uid,
		.user = info->user,
		.bid = source_of(&view->model, app->app),
		.paid = app->won > app->kept ? app->won - app->kept : 0,
	};
	(void)astra_report_add_app(report, &out);
}

bool astra_publish_auction(struct astra_report *report,
			   const struct astra_pool *pool,
			   const struct astra_view *view,
			   const struct astra_idmap *by_id)
{
	const struct astra_auction *a = astra_engine_auction(pool->engine);

	if (!a)
		return false;
	struct astra_report_auction out = {
		.pool = pool->name,
		.number = a->number,
		.time_sec = a->time_sec,
		.gpus = a->gpus,
		.bidders = (uint32_t)a->bidders,
		.exact = a->exact,
	};
	if (astra_report_add_auction(report, &out) < 0)
		return false;
	for (size_t i = 0; i < a->app_count; i++) {
		uint32_t index = astra_idmap_get(by_id, a->apps[i].job);

		if (index != ASTRA_IDMAP_NONE)
			fill_app(report, pool, view, index, &a->apps[i]);
	}
	return true;
}
