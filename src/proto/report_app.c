/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Auctions and apps in a report. */
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/proto/report_priv.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static const size_t auction_strings[] = {
	offsetof(struct astra_report_auction, pool),
};

static const size_t app_strings[] = {
	offsetof(struct astra_report_app, app),
	offsetof(struct astra_report_app, pool),
	offsetof(struct astra_report_app, tenant),
	offsetof(struct astra_report_app, account),
	offsetof(struct astra_report_app, user),
	offsetof(struct astra_report_app, bid),
};

int astra_report_add_auction(struct astra_report *report,
			     const struct astra_report_auction *auction)
{
	size_t n = report->auction_count;
	struct astra_report_auction copy = *auction;

	if (astra_grow(&report->auctions, &report->auction_room, n + 1,
		       sizeof(copy)) < 0 ||
	    astra_report_keep_all(report, &copy, NULL, auction_strings,
				  COUNT(auction_strings)) < 0)
		return -1;
	copy.first_app = report->app_count;
	copy.app_count = 0;
	report->auctions[n] = copy;
	report->auction_count++;
	return 0;
}

static int keep_left(struct astra_report *report, size_t n,
		     struct astra_report_app *app)
{
	size_t size;
	double *copy;

	if (n >= ASTRA_REPORT_LEFT_APPS)
		app->left_count = 0;
	if (app->left_count > ASTRA_REPORT_LEFT_GPUS)
		app->left_count = ASTRA_REPORT_LEFT_GPUS;
	if (!app->left_count) {
		app->left_sec = NULL;
		return 0;
	}
	size = app->left_count * sizeof(*copy);
	copy = astra_report_take(report, size);
	if (!copy)
		return -1;
	memcpy(copy, app->left_sec, size);
	app->left_sec = copy;
	return 0;
}

int astra_report_add_app(struct astra_report *report,
			 const struct astra_report_app *app)
{
	size_t n = report->app_count;
	struct astra_report_app copy = *app;

	if (astra_grow(&report->apps, &report->app_room, n + 1, sizeof(copy)) <
		    0 ||
	    astra_report_keep_all(report, &copy,
				  n ? &report->apps[n - 1] : NULL, app_strings,
				  COUNT(app_strings)) < 0 ||
	    keep_left(report, n, &copy) < 0)
		return -1;
	copy.first_job = ASTRA_REPORT_NO_JOB;
	report->apps[n] = copy;
	report->app_count++;
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

static int compare(const void *key, const void *item)
{
	uint64_t number = *(const uint64_t *)key;
	const struct astra_report_app *app = item;

	return (number > app->number) - (number < app->number);
}

struct astra_report_app *astra_report_app(const struct astra_report *report,
					  const char *pool, uint64_t number)
{
	const struct astra_report_auction *auction =
		astra_report_auction_of(report, pool);

	if (!auction || !number || !auction->app_count)
		return NULL;
	return bsearch(&number, report->apps + auction->first_app,
		       auction->app_count, sizeof(*report->apps), compare);
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
