/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <string.h>

#include "src/proto/why_priv.h"

static void name(const struct astra_report_app *app, struct astra_text *out)
{
	if (*app->app)
		astra_text_printf(out, " Its app, %s,", app->app);
	else if (app->of.job_count > 1)
		astra_text_printf(out, " Its array is an app that");
	else
		astra_text_printf(out, " It is an app of its own that");
	if (isinf(app->of.rho))
		astra_text_printf(out, " has an infinite rho");
	else
		astra_text_printf(out, " has a rho of %.3f", app->of.rho);
	astra_text_printf(
		out,
		" (its time when GPUs are shared, divided by that with a share of its own: the highest is worst off).");
}

static const char *gpus(uint32_t count)
{
	return count == 1 ? "GPU" : "GPUs";
}

static const char *bid_of(const struct astra_report_app *app)
{
	if (!strcmp(app->bid, "agent"))
		return "its agent's numbers";
	return strcmp(app->bid, "file") ? "the plugin's estimate"
					: "the file of --bid";
}

/* What came of its bid. */
static void why_auction_won(const struct astra_report_app *app,
			    struct astra_text *out)
{
	astra_text_printf(out,
			  "it was one of the worst off and bid with %s, and ",
			  bid_of(app));
	if (!app->of.won) {
		astra_text_printf(out, "won nothing, since the GPUs do more "
				       "for other bidders");
		return;
	}
	astra_text_printf(out, "won %u %s", app->of.won, gpus(app->of.won));
	if (app->paid)
		astra_text_printf(
			out, ", of which it left %u to others as its payment",
			app->paid);
}

static void fared(const struct astra_report *report,
		  const struct astra_report_job *job,
		  const struct astra_report_app *app, struct astra_text *out)
{
	const struct astra_report_auction *last =
		astra_report_auction_of(report, app->pool);
	char text[ASTRA_SPAN_BYTES];

	if (last->number == app->of.auction)
		astra_text_printf(
			out, " In the last auction, %s ago, ",
			astra_why_span(report->time_sec - last->time_sec,
				       text));
	else
		astra_text_printf(out, " In its last auction ");
	astra_text_printf(out, "it was number %u of %u by rho: ", app->of.rank,
			  app->of.ranks);
	if (app->of.offered)
		why_auction_won(app, out);
	else
		astra_text_printf(out, "others were worse off, and only they "
				       "were offered GPUs");
	if (app->of.given)
		astra_text_printf(out, "; it got %u %s of what was left over",
				  app->of.given, gpus(app->of.given));
	if (!strcmp(job->phase, "waiting") && app->of.kept + app->of.given)
		astra_text_printf(out, ", for other jobs of it");
	astra_text_printf(out, ".");
}

void astra_why_auction(const struct astra_report *report,
		       const struct astra_report_job *job,
		       struct astra_text *out)
{
	const struct astra_report_app *app =
		astra_report_app(report, job->pool, job->app);

	if (!app)
		return;
	name(app, out);
	if (app->of.auction)
		fared(report, job, app, out);
	else
		astra_text_printf(out, " It was in no auction yet.");
}
