/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The first line of `sfair why`: when the job starts, or what it waits for and
 * until when. For a running job: until when it keeps its GPUs. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "src/proto/select.h"
#include "src/proto/why_priv.h"

const char *astra_why_clock(double at_sec, double now_sec,
			    char text[ASTRA_CLOCK_BYTES])
{
	time_t at = (time_t)at_sec, now = (time_t)now_sec;
	struct tm then = {0}, today = {0};
	bool same;

	if (!localtime_r(&at, &then) || !localtime_r(&now, &today))
		return "?";
	same = then.tm_yday == today.tm_yday && then.tm_year == today.tm_year;
	if (!strftime(text, ASTRA_CLOCK_BYTES,
		      same ? "%H:%M:%S" : "%Y-%m-%d %H:%M", &then))
		return "?";
	return text;
}

const char *astra_why_rough_span(double sec, char text[ASTRA_SPAN_BYTES])
{
	double min = floor(sec / 60 + 0.5);

	if (sec < 300)
		return astra_why_span(sec, text);
	if (min >= 60)
		return astra_why_span(60 * min, text);
	snprintf(text, ASTRA_SPAN_BYTES, "%.0f min", min);
	return text;
}

/* Writes "15 min, at 14:05:10". */
static void put_moment(const struct astra_why *why, double at_sec,
		       const char *word, struct astra_text *out)
{
	double now = why->report->time_sec;
	char span[ASTRA_SPAN_BYTES], clock[ASTRA_CLOCK_BYTES];

	astra_text_printf(out, "%s, %s %s",
			  astra_why_rough_span(at_sec - now, span), word,
			  astra_why_clock(at_sec, now, clock));
}

void astra_why_name_blocker(const struct astra_why *why, struct astra_text *out)
{
	const struct astra_report_job *b = why->blocker;

	if (astra_job_visible(why->report, b, why->viewer))
		astra_text_printf(out, "job %s of %s", b->id_text, b->user);
	else
		astra_text_printf(out, "a job of another user");
}

void astra_why_blocker_until(const struct astra_why *why,
			     struct astra_text *out)
{
	const struct astra_report_job *b = why->blocker;
	double now = why->report->time_sec;
	char clock[ASTRA_CLOCK_BYTES];

	if (!strcmp(b->state, "SUSPENDED"))
		astra_text_printf(out, "is suspended");
	else if (b->limit_end_sec > now)
		astra_text_printf(
			out, "may run until %s",
			astra_why_clock(b->limit_end_sec, now, clock));
	else if (b->limit_end_sec > 0)
		astra_text_printf(out, "is at its time limit");
	else
		astra_text_printf(out, "has no time limit");
}

/* Writes " (afterok)" if all binds of the job have that name. */
static void put_bind_name(const struct astra_report_job *job,
			  struct astra_text *out)
{
	const char *name = job->binds[0].name;

	for (uint32_t i = 1; i < job->bind_count; i++)
		if (strcmp(job->binds[i].name, name) != 0)
			return;
	if (*name)
		astra_text_printf(out, " (%s)", name);
}

static void put_bind_time(const struct astra_why *why, struct astra_text *out)
{
	const struct astra_report_job *job = why->job;

	if (job->bind_count > 1 ||
	    job->binds[0].time_sec <= why->report->time_sec)
		return;
	astra_text_printf(out, ", for ");
	put_moment(why, job->binds[0].time_sec, "until", out);
}

static void answer_dependency(const struct astra_why *why,
			      struct astra_text *out)
{
	const struct astra_report_job *job = why->job;
	const struct astra_report_bind *never = astra_why_never(job);
	const struct astra_report_bind *bind = &job->binds[0];

	if (never) {
		astra_text_printf(out, "never starts as it is: its dependency");
		if (never->job) {
			astra_text_printf(out, " on ");
			astra_why_other_job(never, out);
		}
		astra_text_printf(out, " failed.");
		return;
	}
	astra_text_printf(out, "waits for ");
	if (*bind->option) {
		astra_text_printf(out, "one of several jobs");
	} else if (bind->job) {
		astra_why_other_job(bind, out);
		if (job->bind_count == ASTRA_REPORT_BINDS)
			astra_text_printf(out, " and others");
		else if (job->bind_count > 1)
			astra_text_printf(out, " and %u more",
					  job->bind_count - 1);
	} else {
		astra_text_printf(out, "other jobs");
	}
	put_bind_name(job, out);
	put_bind_time(why, out);
	astra_text_printf(out, ".");
}

/* Answers for a job that waits for its reservation. time_sec of the bind is
 * when the reservation begins. */
static void answer_reservation(const struct astra_why *why,
			       struct astra_text *out)
{
	const struct astra_report_bind *bind = &why->job->binds[0];
	bool begins = bind->time_sec > why->report->time_sec;

	if (!strcmp(bind->name, "ReservationDeleted")) {
		astra_text_printf(
			out,
			"never starts as it is: its reservation was deleted.");
		return;
	}
	if (*bind->of)
		astra_text_printf(out, "waits for reservation %s", bind->of);
	else
		astra_text_printf(out, "waits for a reservation");
	if (begins) {
		astra_text_printf(out, ", which begins in ");
		put_moment(why, bind->time_sec, "at", out);
	} else {
		put_bind_name(why->job, out);
	}
	astra_text_printf(out, ".");
}

static const char *answer_limit(const struct astra_report_bind *bind)
{
	if (!astra_why_limit_alone(bind))
		return "waits: a limit is reached";
	return strncmp(bind->option, "Min", 3)
		       ? "does not start: it asks for more than a limit allows"
		       : "does not start: it asks for less than a limit demands";
}

/* Answers in a few words why Slurm does not start the job; the reason text has
 * the details. */
static void answer_bind(const struct astra_why *why, struct astra_text *out)
{
	static const char *const texts[] = {
		[ASTRA_BIND_HOLD] = "does not start: it is held",
		[ASTRA_BIND_BEGIN] = "waits for its begin time",
		[ASTRA_BIND_LICENCE] = "waits for licences",
		[ASTRA_BIND_ARRAY] = "waits for tasks of its array to end",
		[ASTRA_BIND_UNLEASED] =
			"waits: jobs without leases have all that they may",
		[ASTRA_BIND_RESERVED] =
			"waits: its nodes are reserved for others",
		[ASTRA_BIND_NODES] = "waits for nodes that cannot be used now",
		[ASTRA_BIND_PARTITION] =
			"waits: its partition does not start it",
		[ASTRA_BIND_OTHER] = "waits: Slurm does not start it",
	};
	const struct astra_report_bind *bind = &why->job->binds[0];

	switch (bind->kind) {
	case ASTRA_BIND_DEPENDENCY:
		answer_dependency(why, out);
		return;
	case ASTRA_BIND_RESERVATION:
		answer_reservation(why, out);
		return;
	case ASTRA_BIND_MAINTENANCE:
		astra_text_printf(out, "waits for the end of maintenance %s",
				  bind->of);
		break;
	default:
		astra_text_printf(out, "%s",
				  bind->kind == ASTRA_BIND_LIMIT
					  ? answer_limit(bind)
					  : texts[bind->kind]);
		put_bind_name(why->job, out);
	}
	put_bind_time(why, out);
	astra_text_printf(out, ".");
}

/* Answers for a job whose start is known. */
static void answer_start(const struct astra_why *why, struct astra_text *out)
{
	astra_text_printf(out, "is expected to start in about ");
	put_moment(why, why->job->of.reason.start_sec, "at", out);
	if (why->blocker) {
		astra_text_printf(out, ", when ");
		astra_why_name_blocker(why, out);
		astra_text_printf(out, astra_why_is_kept(why->blocker)
					       ? " ends or may be requeued"
					       : " has ended");
	}
	astra_text_printf(out, ".");
}

static void answer_blocked(const struct astra_why *why, struct astra_text *out)
{
	const struct astra_report_job *b = why->blocker;

	if (!b) {
		astra_text_printf(
			out,
			"waits for jobs that must not be interrupted; nobody knows when they end.");
		return;
	}
	astra_text_printf(out, "waits for the end of ");
	astra_why_name_blocker(why, out);
	if (astra_job_visible(why->report, b, why->viewer)) {
		astra_text_printf(out, ", which ");
		astra_why_blocker_until(why, out);
	}
	astra_text_printf(out, ".");
}

static void answer_refused(const struct astra_report_job *job,
			   struct astra_text *out)
{
	size_t size = strlen(ASTRA_REPORT_REFUSES);

	astra_text_printf(out, "does not start now: Slurm refuses it");
	if (!strncmp(job->reason, ASTRA_REPORT_REFUSES, size))
		astra_text_printf(out, " (%s)", job->reason + size);
	astra_text_printf(out, ".");
}

/* Answers with the policy's reason for the wait, if nothing else is known. */
static void answer_turn(const struct astra_why *why, struct astra_text *out)
{
	static const struct {
		const char *wait, *text;
	} waits[] = {
		{"none", "may start in the next round."},
		{"granted",
		 "starts as soon as the jobs that have its GPUs have left."},
		{"hold_gpus", "waits while GPUs are collected for it."},
		{"place",
		 "waits for GPUs on nodes that have what it asks for."},
		{"reclaim", "is next: it waits for the next round."},
		{"cleanup", "waits until its last run is cleaned up."},
		{"too_big",
		 "does not start: there are not enough nodes for it."},
		{"cpus", "waits for CPUs of jobs without leases."},
		{"auction", "waits for the next auction."},
		{"batch", "waits for its batch of jobs to be sold GPUs."},
		{"planned", "waits for the begin of its planned time."},
		{"price", "waits until its GPUs cost less."},
		{"denied", "does not start: it costs more than it is worth."},
		{"cap", "waits: its GPU hours of this period are used up."},
		{"learned", "waits for GPUs of its class."},
	};
	const struct astra_reason *reason = &why->job->of.reason;

	if (!strcmp(why->job->wait, "refused")) {
		answer_refused(why->job, out);
		return;
	}
	for (size_t i = 0; i < sizeof(waits) / sizeof(*waits); i++)
		if (!strcmp(why->job->wait, waits[i].wait)) {
			astra_text_printf(out, "%s", waits[i].text);
			return;
		}
	if (reason->rank == 1)
		astra_text_printf(
			out,
			"is first in line and waits until enough GPUs are free.");
	else if (reason->rank)
		astra_text_printf(out,
				  "waits its turn: it is number %u in line.",
				  reason->rank);
	else
		astra_text_printf(out, "waits.");
}

bool astra_why_answers_promise(const struct astra_why *why)
{
	const struct astra_report_job *job = why->job;
	double now = why->report->time_sec;

	return !job->bind_count && !astra_why_capped_for_good(job) &&
	       !(job->of.reason.start_sec > now) &&
	       job->of.reason.bound_sec > now &&
	       strcmp(job->wait, "pinned") != 0 &&
	       strcmp(job->wait, "blocked") != 0;
}

/* Answers with the promised first start, if nothing else is known. */
static void answer_promise(const struct astra_why *why, struct astra_text *out)
{
	const struct astra_reason *reason = &why->job->of.reason;
	double now = why->report->time_sec;
	char span[ASTRA_SPAN_BYTES], clock[ASTRA_CLOCK_BYTES];

	if (reason->rank == 1)
		astra_text_printf(out, "is first in line");
	else if (reason->rank)
		astra_text_printf(out, "is number %u in line", reason->rank);
	else
		astra_text_printf(out, "waits");
	astra_text_printf(out, "; its start is promised by %s (in %s).",
			  astra_why_clock(reason->bound_sec, now, clock),
			  astra_why_rough_span(reason->bound_sec - now, span));
}

static void answer_waiting(const struct astra_why *why, struct astra_text *out)
{
	const struct astra_report_job *job = why->job;
	double now = why->report->time_sec;

	if (job->bind_count)
		answer_bind(why, out);
	else if (job->of.reason.start_sec > now)
		answer_start(why, out);
	else if (astra_why_capped_for_good(job))
		astra_text_printf(
			out,
			"never starts as it is: it asks for more GPU hours than a period has.");
	else if (!strcmp(job->wait, "pinned"))
		answer_blocked(why, out);
	else if (astra_why_answers_promise(why))
		answer_promise(why, out);
	else if (!strcmp(job->wait, "cap") && job->of.reason.retry_sec > now) {
		astra_text_printf(out,
				  "waits for GPU hours of a new period, for ");
		put_moment(why, job->of.reason.retry_sec, "until", out);
		astra_text_printf(out, ".");
	} else if (astra_why_is_weightless(why)) {
		astra_text_printf(
			out,
			"waits for GPUs that nobody else wants: its tenant %s has weight 0.",
			job->tenant);
	} else if (!*job->wait || !strcmp(job->wait, "blocked"))
		astra_text_printf(out, "waits: %s.",
				  *job->reason ? job->reason : "?");
	else
		answer_turn(why, out);
}

static void answer_running(const struct astra_why *why, struct astra_text *out)
{
	const struct astra_report_job *job = why->job;
	double now = why->report->time_sec;
	char span[ASTRA_SPAN_BYTES], clock[ASTRA_CLOCK_BYTES];

	if (job->phase == ASTRA_REPORT_GRACE) {
		astra_text_printf(
			out, "has to save its work within %s, by %s",
			astra_why_span(job->of.grace_end_sec - now, span),
			astra_why_clock(job->of.grace_end_sec, now, clock));
	} else if (job->phase == ASTRA_REPORT_DOOMED ||
		   job->phase == ASTRA_REPORT_LEAVING) {
		astra_text_printf(out, "leaves its GPUs: its lease is over");
	} else if (!strcmp(job->state, "SUSPENDED")) {
		astra_text_printf(out, "is suspended and keeps its GPUs");
	} else if (astra_why_is_kept(job)) {
		astra_text_printf(out,
				  "runs without a lease (Unprepared=share)");
	} else if (!job->of.revocable || job->of.lease_end_sec <= 0) {
		astra_text_printf(out, "runs and keeps its GPUs until it ends");
	} else if (job->of.lease_end_sec <= now) {
		astra_text_printf(
			out,
			"runs on GPUs that are being collected for another job: its lease is over");
	} else {
		astra_text_printf(out, "runs; its lease ends in ");
		put_moment(why, job->of.lease_end_sec, "at", out);
	}
	astra_text_printf(out, ".");
}

void astra_why_answer(const struct astra_why *why, struct astra_text *out)
{
	if (why->job->phase == ASTRA_REPORT_WAITING)
		answer_waiting(why, out);
	else
		answer_running(why, out);
}
