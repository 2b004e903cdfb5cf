/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What would make a job start sooner. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "src/proto/select.h"
#include "src/proto/why_priv.h"

__attribute__((format(printf, 2, 3))) static void
add(struct astra_why_changes *out, const char *fmt, ...)
{
	va_list args;

	if (out->count >= ASTRA_WHY_CHANGES)
		return;
	va_start(args, fmt);
	(void)vsnprintf(out->text[out->count++], sizeof(*out->text), fmt, args);
	va_end(args);
}

/* Adds "sacctmgr modify qos tight set MaxTRESPerUser=gres/gpu=5". */
static void raise_limit(const struct astra_report_bind *bind, double to,
			struct astra_why_changes *out)
{
	const char *name = strchr(bind->of, ' ');
	const char *in = strstr(bind->of, " in account ");

	if (!name)
		return;
	if (in)
		add(out,
		    "sacctmgr modify user %.*s account=%s set %s=%.0f, by an administrator",
		    (int)(in - name - 1), name + 1, in + strlen(" in account "),
		    bind->option, to);
	else
		add(out,
		    "sacctmgr modify %s%s set %s=%.0f, by an administrator",
		    strncmp(bind->of, "QOS", 3) ? "account" : "qos", name,
		    bind->option, to);
}

/* Whether the unit is a plural of things that a job can ask for. */
static bool why_change_counts(const struct astra_report_bind *bind)
{
	return !strcmp(bind->unit, "GPUs") || !strcmp(bind->unit, "CPUs") ||
	       !strcmp(bind->unit, "nodes");
}

static void why_change_limit(const struct astra_why *why,
			     const struct astra_report_bind *bind,
			     struct astra_why_changes *out)
{
	bool known = !isnan(bind->used) && astra_why_used(why, bind);
	double left = bind->limit - (isnan(bind->used) ? 0 : bind->used);

	if (!*bind->option || isnan(bind->limit))
		return;
	if (!strncmp(bind->option, "Min", 3)) {
		add(out, "a job that asks for %.0f %s", bind->limit,
		    bind->unit);
		return;
	}
	if (bind->asked <= bind->limit && !isnan(bind->used))
		add(out,
		    strstr(bind->option, "TRESMins=")
			    ? "the end of the limit's period"
			    : "the end of jobs that count towards the limit");
	if (left >= 1 && left < bind->asked && why_change_counts(bind) &&
	    (known || isnan(bind->used)))
		add(out, "asking for at most %.0f %.*s", floor(left),
		    (int)strlen(bind->unit) - (left < 2), bind->unit);
	if (known)
		raise_limit(bind, bind->used + bind->asked, out);
	else if (isnan(bind->used))
		raise_limit(bind, bind->asked, out);
}

static void raise_throttle(const struct astra_why *why, double to,
			   const char *gain, struct astra_why_changes *out)
{
	const struct astra_report_job *job = why->job;

	add(out, "scontrol update JobId=%u ArrayTaskThrottle=%.0f%s",
	    job->array_id ? job->array_id : job->of.id, to, gain);
}

/* Adds a higher throttle, if the array's limit lets only some of its tasks
 * start. */
static void throttled(const struct astra_why *why,
		      struct astra_why_changes *out)
{
	const struct astra_report_array *a = &why->job->array;
	double all = (double)a->running + a->waiting;

	if (a->most && a->running < a->most && all > a->most)
		raise_throttle(why, all, " lets more tasks run at once", out);
}

static void why_change_unleased(const struct astra_why *why,
				const struct astra_report_bind *bind,
				struct astra_why_changes *out)
{
	const struct astra_report_job *job = why->job;
	char text[ASTRA_SPAN_BYTES];

	add(out, "a time limit of at most %s, a lease's term",
	    astra_why_span(job->lease_sec, text));
	if (!strcmp(job->pinned, "--no-requeue"))
		add(out, "scontrol update JobId=%u Requeue=1 gives it leases",
		    job->of.id);
	if (bind->asked <= bind->limit)
		add(out, "the end of such jobs");
}

/* Adds what may help a job that its policy refused: its price stays until
 * something changes. */
static void refused(const struct astra_why *why, struct astra_why_changes *out)
{
	uint32_t id = why->job->of.id;

	add(out,
	    "scontrol release %u, which has it offered a schedule again: when other jobs have ended or been cancelled, or after a change",
	    id);
	add(out, "%sa shorter time limit (-t), then scontrol release %u",
	    why->job->of.gpus > 1 ? "fewer GPUs, or " : "", id);
	add(out, "a new job that is worth more to its owner (--utility)");
}

/* Adds a time limit that ends before the reservation, less a minute for reading
 * this text; and the reservation's end. */
static void why_change_reserved(const struct astra_why *why,
				const struct astra_report_bind *bind,
				struct astra_why_changes *out)
{
	double minutes = floor(bind->limit / 60 - 1);

	if (minutes >= 1 && minutes * 60 < bind->asked)
		add(out,
		    "scontrol update JobId=%u TimeLimit=%.0f, so that it ends before the reservation",
		    why->job->of.id, minutes);
	add(out, "the end of the reservation %s", bind->of);
}

static void why_change_nodes(const struct astra_why *why,
			     const struct astra_report_bind *bind,
			     struct astra_why_changes *out)
{
	add(out,
	    "scontrol update JobId=%u ReqNodeList=, which lets it use others",
	    why->job->of.id);
	add(out, "the return of %s, by an administrator", bind->of);
}

static void bound(const struct astra_why *why,
		  const struct astra_report_bind *bind,
		  struct astra_why_changes *out)
{
	uint32_t id = why->job->of.id;

	if (astra_why_refused(bind)) {
		refused(why, out);
		return;
	}
	switch (bind->kind) {
	case ASTRA_BIND_HOLD:
		add(out, "scontrol release %u%s", id,
		    strcmp(bind->name, "JobHeldUser") ? ", by an administrator"
						      : "");
		break;
	case ASTRA_BIND_DEPENDENCY:
		add(out,
		    "removing the dependency: scontrol update JobId=%u Dependency=",
		    id);
		break;
	case ASTRA_BIND_BEGIN:
		add(out, "scontrol update JobId=%u StartTime=now", id);
		break;
	case ASTRA_BIND_LIMIT:
		why_change_limit(why, bind, out);
		break;
	case ASTRA_BIND_UNLEASED:
		why_change_unleased(why, bind, out);
		break;
	case ASTRA_BIND_LICENCE:
		add(out, "the end of jobs that hold such licences");
		break;
	case ASTRA_BIND_ARRAY:
		raise_throttle(why, 1 + fmax(bind->used, bind->limit), "", out);
		break;
	case ASTRA_BIND_MAINTENANCE:
		add(out,
		    bind->asked > 0
			    ? "the end of the maintenance"
			    : "the end of the maintenance, or a shorter time limit (-t)");
		break;
	case ASTRA_BIND_RESERVED:
		why_change_reserved(why, bind, out);
		break;
	case ASTRA_BIND_NODES:
		why_change_nodes(why, bind, out);
		break;
	case ASTRA_BIND_RESERVATION:
		add(out,
		    "scontrol update JobId=%u ReservationName= leaves the reservation",
		    id);
		break;
	default:
		break;
	}
}

static bool waits_for(const struct astra_report_job *job, const char *wait)
{
	return !strcmp(job->wait, wait);
}

/* Whether the GPUs that are free now are kept for another job. */
static bool kept_for_another(const struct astra_why *why)
{
	return why->pool->hold_job && why->pool->hold_job != why->job->of.id;
}

/* Whether the GPUs of a lease that ends at end_sec are collected for another
 * job. */
static bool collected_for_another(const struct astra_why *why, double end_sec)
{
	if (!why->pool || !kept_for_another(why))
		return false;
	return !(why->pool->hold_start_sec > 0) ||
	       end_sec <= why->pool->hold_start_sec;
}

/* Whether to show the end of the next lease. The viewer must be allowed to see
 * that job, the lease's GPUs must help this job, and the end must not be after
 * the expected start, if there is one. */
static bool may_help(const struct astra_why *why)
{
	double start = why->job->of.reason.start_sec, end;

	if (!why->next_lease ||
	    (astra_why_is_weightless(why) && why->waiting) ||
	    !astra_job_visible(why->report, why->next_lease, why->viewer))
		return false;
	end = why->next_lease->of.lease_end_sec;
	return !collected_for_another(why, end) &&
	       (!(start > 0) || end <= start);
}

static void in_line(const struct astra_why *why, struct astra_why_changes *out)
{
	const struct astra_report_job *job = why->job, *next = why->next_lease;
	char text[ASTRA_SPAN_BYTES];

	if (!waits_for(job, "rank") && !waits_for(job, "place") &&
	    !waits_for(job, "hold_gpus") && !waits_for(job, "auction"))
		return;
	if (may_help(why)) {
		astra_why_span(next->of.lease_end_sec - why->report->time_sec,
			       text);
		add(out,
		    "the end of the lease of job %s in %s, which is of %u GPU%s",
		    next->id_text, text, next->of.gpus,
		    next->of.gpus == 1 ? "" : "s");
	}
	if (why->pool && why->pool->gpus_free &&
	    why->pool->gpus_free < job->of.gpus && !kept_for_another(why))
		add(out, "asking for no more than the %llu GPU%s free now",
		    (unsigned long long)why->pool->gpus_free,
		    why->pool->gpus_free == 1 ? "" : "s");
}

/* Adds changes that may lower the price, or with which the job could pay it.
 * Prices depend on the jobs that are planned. */
static void priced(const struct astra_why *why, struct astra_why_changes *out)
{
	const struct astra_report_job *job = why->job;

	if (!waits_for(job, "price") || !astra_why_is_priced(job))
		return;
	if (!isnan(job->of.reason.credits) && job->of.reason.priced_sec > 0) {
		add(out,
		    "credits for its tenant: BudgetRefill by time, or what others pay for its share");
		return;
	}
	add(out, "the end of jobs that are planned, which lowers prices");
	add(out, "%sa shorter time limit (-t)",
	    job->of.gpus > 1 ? "fewer GPUs, or " : "");
	if (isfinite(job->of.reason.price))
		add(out,
		    "being worth more than %.4g to its owner when it ends (--utility)",
		    job->of.reason.price);
}

/* Adds changes that may give the job GPUs of its class. Shares are learned slot
 * by slot; GPUs that no share covers are lent. */
static void learned(const struct astra_why *why, struct astra_why_changes *out)
{
	const struct astra_report_job *job = why->job;
	char text[ASTRA_SPAN_BYTES];

	if (!waits_for(job, "learned"))
		return;
	if (job->of.reason.retry_sec > why->report->time_sec)
		add(out,
		    "the next slot, which begins in %s with shares that have followed who waits (sfair class)",
		    astra_why_span(job->of.reason.retry_sec -
					   why->report->time_sec,
				   text));
	add(out,
	    "the end of jobs like it, or of any job whose GPUs are then idle");
	if (job->of.gpus > 1 &&
	    job->of.reason.class_granted < astra_why_least(job))
		add(out,
		    "asking for fewer GPUs, or for a range of them (--gpu-range)");
}

/* Adds what helps against a cap of GPU hours: the next period, a smaller
 * request, or an administrator. */
static void capped(const struct astra_why *why, struct astra_why_changes *out)
{
	const struct astra_report_job *job = why->job;
	char text[ASTRA_SPAN_BYTES];

	if (!waits_for(job, "cap"))
		return;
	if (job->of.reason.retry_sec > why->report->time_sec &&
	    job->of.reason.cap_asked <= job->of.reason.cap_hours)
		add(out, "the next CapPeriod, which begins in %s",
		    astra_why_span(job->of.reason.retry_sec -
					   why->report->time_sec,
				   text));
	if (job->of.reason.cap_hours > 0)
		add(out, "%sa shorter time limit (-t)",
		    job->of.gpus > 1 ? "fewer GPUs, or " : "");
	add(out, "a higher cap in astraea.conf, by an administrator");
}

/* Adds what helps a job that waits for CPUs, or is too big. If the pool has
 * enough GPUs for the job, it must ask for less of something else. */
static void sized(const struct astra_why *why, struct astra_why_changes *out)
{
	if (waits_for(why->job, "cpus"))
		add(out,
		    "the end of such jobs (squeue -t R -p %s), or fewer CPUs for this one",
		    why->job->partition);
	if (!waits_for(why->job, "too_big") || !why->pool ||
	    why->job->of.reason.start_sec > 0)
		return;
	if (why->job->of.gpus <= why->pool->gpus_usable)
		add(out,
		    "asking for less beside GPUs: CPUs, memory, nodes or features");
	else
		add(out,
		    "asking for less: the pool has %llu GPUs on nodes that are up",
		    (unsigned long long)why->pool->gpus_usable);
}

static void weighed(const struct astra_why *why, struct astra_why_changes *out)
{
	if (astra_why_is_weightless(why))
		add(out,
		    "a weight above 0 for tenant %s, by an administrator (fairshare in sacctmgr, or Weight= in astraea.conf)",
		    why->job->tenant);
}

/* Returns how many usable GPUs are not held by jobs without a lease. */
static uint64_t leased_gpus(const struct astra_why *why)
{
	uint64_t all = why->pool->gpus_usable, others = 0;

	for (size_t i = 0; i < why->report->job_count; i++) {
		const struct astra_report_job *job = &why->report->jobs[i];

		if (job->phase != ASTRA_REPORT_WAITING &&
		    (!job->of.revocable || !strcmp(job->state, "SUSPENDED")) &&
		    !strcmp(job->pool, why->job->pool))
			others += job->of.gpus;
	}
	return all > others ? all - others : 0;
}

/* Adds changes that may end the wait for a job that must not be interrupted. */
static void unblocked(const struct astra_why *why,
		      struct astra_why_changes *out)
{
	const struct astra_report_job *b = why->blocker;
	bool told = b && astra_job_visible(why->report, b, why->viewer);
	uint64_t left = why->pool ? leased_gpus(why) : 0;

	if (!b && !waits_for(why->job, "pinned"))
		return;
	if (told)
		add(out, "the end of job %s", b->id_text);
	if (told && !strcmp(b->pinned, "--no-requeue"))
		add(out,
		    "scontrol update JobId=%u Requeue=1, by %s or an administrator, gives it leases",
		    b->of.id, b->user);
	if (astra_why_is_held(why->job) && why->pool &&
	    why->pool->gpus_free >= left)
		return; /* these GPUs were offered to the job already */
	if (left && left < astra_why_least(why->job))
		add(out,
		    "asking for at most %llu GPU%s: leases can free no more",
		    (unsigned long long)left, left == 1 ? "" : "s");
}

void astra_why_change(const struct astra_why *why,
		      struct astra_why_changes *out)
{
	out->count = 0;
	for (uint32_t i = 0; i < why->job->bind_count; i++)
		bound(why, &why->job->binds[i], out);
	if (!why->job->bind_count && why->job->phase == ASTRA_REPORT_WAITING) {
		in_line(why, out);
		unblocked(why, out);
		weighed(why, out);
		sized(why, out);
		priced(why, out);
		learned(why, out);
		capped(why, out);
		throttled(why, out);
	}
}
