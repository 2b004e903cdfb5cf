/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes why the policy makes a job wait, and who waits for the job's GPUs. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "src/proto/select.h"
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

/* Writes the outcome of the app's bid. */
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
	if (job->phase == ASTRA_REPORT_WAITING && app->of.kept + app->of.given)
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

struct turn {
	const char *wait, *text;
};

/* Used in place of turns if the job's start is known. */
static const struct turn dated[] = {
	{"none", "Nothing keeps it."},
	{"too_big",
	 "No end of a lease makes room for it: jobs without one have memory, GPUs or whole nodes that it needs, until they end."},
	{NULL, NULL},
};

static const struct turn turns[] = {
	{"none", "Nothing keeps it: it may start in the next round."},
	{"hold_gpus",
	 "GPUs are being collected for it; other jobs may use them until it starts."},
	{"granted",
	 "It has been granted GPUs and starts as soon as those who hold them have left."},
	{"place",
	 "There are enough GPUs for it, but not on nodes where it could use them: it needs others, or more CPUs or memory beside them, than what is free or will be."},
	{"reclaim",
	 "It is next; as many GPUs were taken back in this round as MaxReclaim allows."},
	{"cleanup",
	 "Its last run is still being cleaned up; then it waits again in line."},
	{"too_big",
	 "It would not fit even if all leased jobs ended: too few nodes that are up, and that no reservation keeps from it, have all that it asks for (sinfo -R, scontrol show reservation)."},
	{"pinned",
	 "It needs GPUs of jobs that must not be interrupted, or are suspended: it starts when they end, or are resumed."},
	{"batch", "It is collected for the next batch of jobs."},
	{"planned", "It has GPUs in a plan, from a later time on."},
	{"price", "Its GPUs cost more now than it is worth."},
	{"denied",
	 "Its GPUs cost more than it is worth, so it is refused (Admission) and held."},
	{"cap", "The GPU hours that it may have in this period are used up."},
	{"learned", "Its class has no GPUs left now."},
	{"cpus",
	 "CPUs that it needs are used by jobs without a lease, such as those that ask for no GPU: no end of a lease frees them, and it starts when such jobs end."},
	{NULL, NULL},
};

static const char *why_turn_of(const struct turn *list, const char *wait)
{
	for (; list->wait; list++)
		if (!strcmp(wait, list->wait))
			return list->text;
	return NULL;
}

static const char *turn_text(const struct astra_why *why)
{
	const struct astra_report_job *job = why->job;
	const char *text = NULL;

	if (astra_why_is_held(job) && !why->leases)
		return "GPUs are being collected for it.";
	if (job->of.reason.start_sec > 0)
		text = why_turn_of(dated, job->wait);
	return text ? text : why_turn_of(turns, job->wait);
}

static void name_before(const struct astra_why *why, struct astra_text *out)
{
	const struct astra_report_job *job =
		why->before_count ? why->before[0] : NULL;

	if (!job)
		return;
	if (astra_job_visible(why->report, job, why->viewer))
		astra_text_printf(
			out,
			" Right before it is job %s of %s (tenant %s), for %u GPU%s.",
			job->id_text, job->user, job->tenant, job->of.gpus,
			job->of.gpus == 1 ? "" : "s");
}

/* Writes "a start at 14:00:00", in local time of slurmctld's host. */
static void put_start(const struct astra_report_job *job,
		      struct astra_text *out)
{
	time_t when = (time_t)job->of.reason.priced_sec;
	struct tm tm;
	char text[32];

	if (localtime_r(&when, &tm) &&
	    strftime(text, sizeof(text), "%H:%M:%S", &tm))
		astra_text_printf(out, " a start at %s", text);
	else
		astra_text_printf(out, " a start");
}

/* Writes the offer that was made in the window that was sold last. */
static void tell_window(const struct astra_why *why, struct astra_text *out)
{
	const struct astra_report_job *job = why->job;

	astra_text_printf(out, " What is offered of it is worth %.4g credits,",
			  job->of.reason.worth);
	put_start(job, out);
	astra_text_printf(out, " costs %.4g", job->of.reason.price);
	if (isnan(job->of.reason.credits))
		astra_text_printf(out, ", which is more than that.");
	else if (why->usage)
		astra_text_printf(
			out,
			", and its tenant %s has %.4g credits left (Budget), which do not pay for it.",
			job->tenant, job->of.reason.credits);
	else
		astra_text_printf(
			out,
			", and its tenant has not enough credits left (Budget).");
}

static void tell_no_room(const struct astra_why *why, struct astra_text *out)
{
	/* also ltgf+incentive */
	if (why->pool && strstr(why->pool->policy, "incentive"))
		astra_text_printf(
			out,
			" In the slots that were sold together (BatchMax) there are in none enough GPUs left for it, with its CPUs and memory beside them on nodes that it may use.");
	else
		astra_text_printf(
			out,
			" In no slot that is planned ahead are there enough GPUs, with its CPUs and memory beside them, left for all its work (PlanHorizon).");
}

/* Writes the job's worth and price. No such refusal is final. */
static void tell_price(const struct astra_why *why, struct astra_text *out)
{
	const struct astra_report_job *job = why->job;
	char text[ASTRA_SPAN_BYTES];

	if (isinf(job->of.reason.price))
		tell_no_room(why, out);
	else if (job->of.reason.priced_sec > 0)
		tell_window(why, out);
	else
		astra_text_printf(
			out,
			" Its GPUs cost more now than it is worth: by the best schedule that there is they cost %.4g with its CPUs and memory, and it is worth %.4g when it ends by that, a payoff of %.4g.",
			job->of.reason.price, job->of.reason.worth,
			job->of.reason.worth - job->of.reason.price);
	astra_text_printf(out, " It is not refused for good: ");
	if (job->of.reason.retry_sec > why->report->time_sec)
		astra_text_printf(out, "it is offered a schedule again in %s, ",
				  astra_why_span(job->of.reason.retry_sec -
							 why->report->time_sec,
						 text));
	else
		astra_text_printf(
			out, "it is offered a schedule again in each slot, ");
	astra_text_printf(
		out,
		"and with LendIdle runs before that on GPUs that nobody has planned.");
}

/* Writes when the job's sold GPUs begin, and their price. */
static void tell_sold(const struct astra_why *why, struct astra_text *out)
{
	const struct astra_report_job *job = why->job;

	astra_text_printf(out, " It was sold");
	put_start(job, out);
	if (job->of.reason.price > 0)
		astra_text_printf(out,
				  " for %.4g credits, and is worth %.4g then.",
				  job->of.reason.price, job->of.reason.worth);
	else
		astra_text_printf(
			out, " for nothing, and is worth %.4g credits then.",
			job->of.reason.worth);
}

/* Writes what jobs of its class may use, as learned, and why that is not
 * enough. */
static void tell_class(const struct astra_why *why, struct astra_text *out)
{
	const struct astra_report_job *job = why->job;

	astra_text_printf(
		out,
		" Jobs like it, of tenant %s and of up to %u GPU%s, may use %u together in this slot, as was learned.",
		job->tenant, job->of.reason.class_gpus,
		job->of.reason.class_gpus == 1 ? "" : "s",
		job->of.reason.class_granted);
	if (job->of.reason.class_granted < astra_why_least(job))
		astra_text_printf(
			out,
			" That is less than it asks for, so it is saved up, slot by slot, until it is enough: %.3g by now.",
			job->of.reason.class_saved);
	else
		astra_text_printf(out,
				  " Others of them, which came before it, do.");
}

/* Writes a date in local time of slurmctld's host, or "a later time". */
static void why_turn_date(double at_sec, struct astra_text *out)
{
	time_t when = (time_t)at_sec;
	struct tm tm;
	char text[32];

	if (at_sec > 0 && localtime_r(&when, &tm) &&
	    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm))
		astra_text_printf(out, "%s", text);
	else
		astra_text_printf(out, "a later time");
}

/* Writes the cap. What is used of it is shown only to viewers who may see the
 * usage and, if the cap is a user's, to that user. */
static void tell_cap(const struct astra_why *why, struct astra_text *out)
{
	const struct astra_report_job *job = why->job;
	const struct astra_reason *reason = &job->of.reason;

	astra_text_printf(out, " %s %s may have at most %.6g GPU hours",
			  reason->cap_user ? "User" : "Tenant",
			  reason->cap_user ? job->user : job->tenant,
			  reason->cap_hours);
	if (reason->retry_sec > 0) {
		astra_text_printf(out, " until ");
		why_turn_date(reason->retry_sec, out);
	}
	astra_text_printf(out, " (%s)",
			  reason->cap_user ? "MaxGPUHoursPerUser"
					   : "MaxGPUHours, TenantGPUHours");
	if (why->usage || (reason->cap_user && why->viewer->uid == job->uid))
		astra_text_printf(
			out,
			"; %.6g of them are used, or may be by leases that run,",
			reason->cap_used);
	else
		astra_text_printf(out, ";");
	if (isinf(reason->cap_asked))
		astra_text_printf(
			out,
			" and it has neither leases nor a time limit, so it may take any number.");
	else
		astra_text_printf(out, " and its lease takes %.4g.",
				  reason->cap_asked);
	if (reason->cap_hours <= 0)
		astra_text_printf(out, " That is no GPU at all.");
	else if (reason->cap_asked > reason->cap_hours)
		astra_text_printf(
			out,
			" No period has as many: it starts with fewer GPUs or a shorter time limit.");
	else if (reason->retry_sec > 0 &&
		 reason->cap_asked <= reason->cap_hours)
		astra_text_printf(out, " They begin to count anew then, and it "
				       "starts no sooner; it holds nobody up.");
}

static void put_rank(const struct astra_report_job *job, struct astra_text *out)
{
	if (job->of.reason.rank == 1)
		astra_text_printf(out, " It is the first of %u in line.",
				  job->of.reason.ranks);
	else if (job->of.reason.rank)
		astra_text_printf(out, " It is number %u of %u in line.",
				  job->of.reason.rank, job->of.reason.ranks);
}

/* Writes Slurm's refusal, which is part of the reason. */
static void tell_refused(const struct astra_report_job *job,
			 struct astra_text *out)
{
	astra_text_printf(out, " %s.", job->reason);
	if (job->of.refused < ASTRA_BALK_ROUNDS) {
		astra_text_printf(out, " It is tried again.");
		return;
	}
	astra_text_printf(
		out,
		" That was so in %u rounds in a row: no lease ends and no GPU is held for it now. It is tried where GPUs are idle, also on nodes that Slurm chooses itself.",
		job->of.refused);
}

/* Names the job without a lease that is in the way, and says until when: "Job 8
 * of bob (tenant b) has 2 GPUs, must not be interrupted and has no time
 * limit." */
static void tell_blocker(const struct astra_why *why, struct astra_text *out)
{
	const struct astra_report_job *b = why->blocker;

	astra_text_printf(out, " Job %s of %s (tenant %s) has %u GPU%s",
			  b->id_text, b->user, b->tenant, b->of.gpus,
			  b->of.gpus == 1 ? "" : "s");
	if (astra_why_is_kept(b)) {
		astra_text_printf(
			out,
			" and declares no checkpoint: within its tenant's share it keeps them until it ends, beyond that for UnpreparedMin at least.");
		return;
	}
	if (strcmp(b->state, "SUSPENDED") != 0)
		astra_text_printf(out, ", must not be interrupted%s%s%s",
				  *b->pinned ? " (" : "", b->pinned,
				  *b->pinned ? ")" : "");
	astra_text_printf(out, " and ");
	astra_why_blocker_until(why, out);
	astra_text_printf(out, ".");
}

static void tell_wait(const struct astra_why *why, struct astra_text *out)
{
	const struct astra_report_job *job = why->job;
	bool named = why->blocker &&
		     astra_job_visible(why->report, why->blocker, why->viewer);
	const char *text;

	if (!strcmp(job->wait, "rank") && job->of.reason.rank == 1) {
		astra_text_printf(
			out,
			" It is the first of %u in line, and waits until enough GPUs are free or their leases over.",
			job->of.reason.ranks);
		return;
	}
	if (!strcmp(job->wait, "rank") && job->of.reason.rank) {
		astra_text_printf(
			out,
			" It waits its turn: it is number %u of %u in line. GPUs that come free go first to jobs before it that can use them.",
			job->of.reason.rank, job->of.reason.ranks);
		name_before(why, out);
		return;
	}
	if (!strcmp(job->wait, "refused")) {
		tell_refused(job, out);
		return;
	}
	if (!strcmp(job->wait, "price") && astra_why_is_priced(job)) {
		tell_price(why, out);
		return;
	}
	if (!strcmp(job->wait, "planned") && job->of.reason.priced_sec > 0) {
		tell_sold(why, out);
		return;
	}
	if (!strcmp(job->wait, "learned") && job->of.reason.class_gpus &&
	    why->usage) {
		tell_class(why, out);
		return;
	}
	if (!strcmp(job->wait, "cap") && !isnan(job->of.reason.cap_hours)) {
		tell_cap(why, out);
		return;
	}
	text = turn_text(why);
	if (text) {
		if (astra_why_is_held(job) && job->of.reason.owed)
			astra_why_owed(why, out);
		else if (!named || strcmp(job->wait, "pinned") != 0)
			astra_text_printf(out, " %s", text);
		if (named)
			tell_blocker(why, out);
		if (job->lack && *job->lack && strcmp(job->wait, "cpus") != 0)
			astra_text_printf(
				out,
				" Where GPUs are free for it, it lacks %s.",
				job->lack);
		put_rank(job, out);
		return;
	}
	if (*job->wait)
		astra_text_printf(out, " %s.", job->reason);
}

void astra_why_turn(const struct astra_why *why, struct astra_text *out)
{
	tell_wait(why, out);
	if (!astra_why_is_held(why->job))
		astra_why_owed(why, out);
}

void astra_why_rival(const struct astra_why *why, struct astra_text *out)
{
	const struct astra_report_job *first = why->first;
	const struct astra_report_tenant *other;

	if (!first && why->waiting) { /* the policy has no order */
		astra_text_printf(
			out,
			" Others wait for GPUs now, in no line: the policy decides then who goes on.");
		return;
	}
	if (!first) {
		astra_text_printf(
			out,
			" Nobody waits in line now, so it would be renewed.");
		return;
	}
	if (!astra_job_visible(why->report, first, why->viewer)) {
		astra_text_printf(out, " Others wait in line.");
		return;
	}
	astra_text_printf(
		out, " First in line is job %s of %s (tenant %s), for %u GPU%s",
		first->id_text, first->user, first->tenant, first->of.gpus,
		first->of.gpus == 1 ? "" : "s");
	other = astra_why_tenant(why->report, first);
	if (why->usage && other && why->tenant && other != why->tenant &&
	    why->pool && strstr(why->pool->policy, "ltgf") &&
	    astra_job_usage_visible(why->report, first, why->viewer))
		astra_text_printf(out, ", whose tenant is %s now",
				  other->of.rho < why->tenant->of.rho
					  ? "needier than this one's"
					  : "no needier than this one's");
	astra_text_printf(out, ".");
}
