/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Auctions and apps in a report. */
#include <stdlib.h>
#include <string.h>

#include "src/proto/report_priv.h"

int astra_report_add_auction(struct astra_report *report,
			     const struct astra_report_auction *auction)
{
	struct astra_report_auction copy = *auction;

	copy.first_app = report->app_count;
	copy.app_count = 0;
	return astra_report_append(report, &report->auctions,
				   &report->auction_count,
				   &report->auction_room, &copy, sizeof(copy),
				   astra_auction_members);
}

int astra_report_add_app(struct astra_report *report,
			 const struct astra_report_app *app)
{
	struct astra_report_app copy = *app;

	if (report->app_count >= ASTRA_REPORT_LEFT_APPS)
		copy.of.left_count = 0;
	if (copy.of.left_count > ASTRA_REPORT_LEFT_GPUS)
		copy.of.left_count = ASTRA_REPORT_LEFT_GPUS;
	copy.of.left_sec =
		astra_report_copy(report, app->of.left_sec, copy.of.left_count,
				  sizeof(*copy.of.left_sec));
	copy.first_job = ASTRA_REPORT_NO_JOB;
	if (!copy.of.left_sec ||
	    astra_report_append(report, &report->apps, &report->app_count,
				&report->app_room, &copy, sizeof(copy),
				astra_app_members) < 0)
		return -1;
	report->auctions[report->auction_count - 1].app_count++;
	return 0;
}

const struct astra_report_auction *
astra_report_auction_of(const struct astra_report *report, const char *pool)
{
	for (size_t i = 0; i < report->auction_count; i++)
		if (!strcmp(report->auctions[i].pool, pool))
			return &report->auctions[i];
	return NULL;
}

static int report_app_compare(const void *key, const void *item)
{
	uint64_t number = *(const uint64_t *)key;
	const struct astra_report_app *app = item;

	return (number > app->of.app) - (number < app->of.app);
}

struct astra_report_app *astra_report_app(const struct astra_report *report,
					  const char *pool, uint64_t number)
{
	const struct astra_report_auction *auction =
		astra_report_auction_of(report, pool);

	if (!auction || !number || !auction->app_count)
		return NULL;
	return bsearch(&number, report->apps + auction->first_app,
		       auction->app_count, sizeof(*report->apps),
		       report_app_compare);
}

void astra_report_link(struct astra_report *report,
		       struct astra_report_job *job)
{
	struct astra_report_app *app =
		astra_report_app(report, job->pool, job->app);

	job->app_next = app ? app->first_job : ASTRA_REPORT_NO_JOB;
	if (app)
		app->first_job = (uint32_t)(job - report->jobs);
}
