/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes in words why slurmctld does not start a job. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "src/model/plan.h"
#include "src/proto/why_priv.h"

bool astra_why_used(const struct astra_why *why,
		    const struct astra_report_bind *bind)
{
	return why->usage && (!bind->shared || why->viewer->all ||
			      !why->report->privacy.usage);
}

bool astra_why_other(const struct astra_why *why,
		     const struct astra_report_bind *bind)
{
	return why->viewer->all || !why->report->privacy.jobs ||
	       bind->uid == why->viewer->uid;
}

const char *astra_why_refused(const struct astra_report_bind *bind)
{
	size_t size = strlen(ASTRA_REFUSED_BEGIN);

	/* Slurm keeps this text even if an administrator then holds the job as
	 * well. */
	return bind->kind == ASTRA_BIND_HOLD &&
			       !strcmp(bind->name, "JobHeldUser") &&
			       !strncmp(bind->of, ASTRA_REFUSED_BEGIN, size)
		       ? bind->of + size
		       : NULL;
}

static void why_bind_hold(const struct astra_why *why,
			  const struct astra_report_bind *bind,
			  struct astra_text *out)
{
	const char *refused = astra_why_refused(bind);

	(void)why;
	if (refused) {
		astra_text_printf(
			out,
			" It was refused (Admission) and is held: by the best schedule that there was, %s%s.",
			strncmp(refused, "costs", 5) ? "there is " : "it ",
			refused);
		return;
	}
	if (!strcmp(bind->name, "JobHeldUser"))
		astra_text_printf(out, " It is held by its user (%s).",
				  bind->name);
	else if (!strcmp(bind->name, "JobHeldAdmin"))
		astra_text_printf(out, " It is held by an administrator (%s).",
				  bind->name);
	else
		astra_text_printf(out, " It is held (%s).", bind->name);
	if (*bind->of)
		astra_text_printf(out, " Slurm says: %s.", bind->of);
}

static void why_bind_number(double value, const char *unit,
			    struct astra_text *out)
{
	size_t size = strlen(unit);
	bool one = fabs(value - 1) < 1e-9;

	if (value == floor(value))
		astra_text_printf(out, "%.0f ", value);
	else
		astra_text_printf(out, "%.1f ", value);
	if (one && size && unit[size - 1] == 's')
		size--;
	astra_text_add(out, unit, size);
}

void astra_why_other_job(const struct astra_report_bind *bind,
			 struct astra_text *out)
{
	if (bind->task == UINT32_MAX)
		astra_text_printf(out, "job %u", bind->job);
	else
		astra_text_printf(out, "job %u_%u", bind->job, bind->task);
}

static bool why_bind_failed(const struct astra_report_bind *bind)
{
	return !strcmp(bind->name, "never") ||
	       !strcmp(bind->name, "DependencyNeverSatisfied");
}

const struct astra_report_bind *
astra_why_never(const struct astra_report_job *job)
{
	const struct astra_report_bind *never = NULL;

	for (uint32_t i = 0; i < job->bind_count; i++) {
		const struct astra_report_bind *bind = &job->binds[i];

		if (!why_bind_failed(bind)) {
			if (*bind->option)
				return NULL; /* one of the other dependencies is
					      * enough */
			continue;
		}
		if (!never)
			never = bind;
	}
	return never;
}

/* Returns what the other job must have done, as a participle, or NULL. */
static const char *why_bind_until(const char *name)
{
	static const struct {
		const char *name, *until;
	} kinds[] = {
		{"after", "started"},
		{"afterany", "ended"},
		{"afterok", "ended well"},
		{"afternotok", "failed"},
		{"aftercorr", "ended well, task by task"},
		{"afterburstbuffer", "been staged out"},
		{"expand", "started"},
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(name, kinds[i].name))
			return kinds[i].until;
	return NULL;
}

/* Writes "job 17 (RUNNING) has ended (afterany)". */
static void awaited(const struct astra_why *why,
		    const struct astra_report_bind *bind, const char *also,
		    struct astra_text *out)
{
	astra_why_other_job(bind, out);
	if (*bind->state && astra_why_other(why, bind))
		astra_text_printf(out, " (%s)", bind->state);
	astra_text_printf(out, " has %s (%s", why_bind_until(bind->name),
			  bind->name);
	if (bind->limit > 0)
		astra_text_printf(out, "+%.0f", bind->limit);
	astra_text_printf(out, "%s)", also);
}

/* Whether the bind is one of several dependencies, of which one is enough. */
static bool is_any(const struct astra_report_bind *bind)
{
	return bind->kind == ASTRA_BIND_DEPENDENCY && *bind->option &&
	       bind->job && why_bind_until(bind->name);
}

static void dependency(const struct astra_why *why,
		       const struct astra_report_bind *bind,
		       struct astra_text *out)
{
	if (!strcmp(bind->name, "singleton")) {
		astra_text_printf(
			out,
			" It waits for all its user's earlier jobs of the name %s to end (singleton).",
			why->job->name);
		return;
	}
	if (!bind->job && why_bind_failed(bind)) {
		astra_text_printf(
			out,
			" Its dependency can no longer come true (%s): it never starts as it is.",
			bind->name);
		return;
	}
	if (!bind->job) {
		astra_text_printf(out, " It waits for other jobs (%s).",
				  bind->name);
		return;
	}
	if (!why_bind_until(bind->name)) {
		astra_text_printf(out, " It depends on ");
		astra_why_other_job(bind, out);
		astra_text_printf(
			out, " in a way that can no longer come true%s.",
			*bind->option ? "" : ": it never starts as it is");
		return;
	}
	astra_text_printf(out, " It waits until ");
	awaited(why, bind, *bind->option ? ", or another" : "", out);
	astra_text_printf(out, ".");
}

static void why_bind_begin(const struct astra_why *why,
			   const struct astra_report_bind *bind,
			   struct astra_text *out)
{
	char text[ASTRA_SPAN_BYTES];

	astra_text_printf(
		out,
		" It may not begin before its begin time, in %s (--begin, or the pause after a requeue).",
		astra_why_span(bind->time_sec - why->report->time_sec, text));
}

static void licence(const struct astra_why *why,
		    const struct astra_report_bind *bind,
		    struct astra_text *out)
{
	(void)why;
	if (!*bind->of) {
		astra_text_printf(out, " It waits for licences.");
		return;
	}
	astra_text_printf(out, " It needs ");
	why_bind_number(bind->asked, "licences", out);
	astra_text_printf(
		out,
		" of %s, and of the %.0f that there are not so many are free (scontrol show licenses).",
		bind->of, bind->limit);
}

static void reservation(const struct astra_why *why,
			const struct astra_report_bind *bind,
			struct astra_text *out)
{
	char text[ASTRA_SPAN_BYTES];

	if (!strcmp(bind->name, "ReservationDeleted"))
		astra_text_printf(
			out,
			" Its reservation is deleted; without another it never starts.");
	else if (bind->time_sec > 0)
		astra_text_printf(
			out,
			" It waits for its reservation %s, which begins in %s.",
			bind->of,
			astra_why_span(bind->time_sec - why->report->time_sec,
				       text));
	else if (*bind->of)
		astra_text_printf(out, " It waits in its reservation %s.",
				  bind->of);
	else
		astra_text_printf(
			out, " Nodes that it needs are reserved for others.");
}

static void throttle(const struct astra_why *why,
		     const struct astra_report_bind *bind,
		     struct astra_text *out)
{
	(void)why;
	astra_text_printf(out, " Its array runs at most ");
	why_bind_number(bind->limit, "tasks", out);
	astra_text_printf(out, " at a time (%%%.0f), and ", bind->limit);
	why_bind_number(bind->used, "tasks", out);
	if (*bind->option) {
		astra_text_printf(out, " run or wait before it.");
		return;
	}
	astra_text_printf(
		out, " run%s; the next one starts when less than %.0f run.",
		bind->used > 1 ? "" : "s", bind->limit);
}

void astra_why_array(const struct astra_report_job *job, struct astra_text *out)
{
	const struct astra_report_array *a = &job->array;
	uint32_t room = a->most > a->running ? a->most - a->running : 0;

	if (!room || !strcmp(job->wait, "blocked"))
		return;
	if (room > job->of.copies) /* its tasks with records of their own get
				    * the rest */
		room = job->of.copies;
	astra_text_printf(
		out,
		" Its array runs at most %u task%s at a time (%%%u), and %u run%s: ",
		a->most, a->most == 1 ? "" : "s", a->most, a->running,
		a->running == 1 ? "s" : "");
	if (room < a->waiting)
		astra_text_printf(
			out,
			"it leaves room for %u of the %u now, for the others as tasks end.",
			room, a->waiting);
	else
		astra_text_printf(out, "it leaves room for all.");
}

bool astra_why_limit_alone(const struct astra_report_bind *bind)
{
	if (!strncmp(bind->option, "Min", 3))
		return true;
	if (isnan(bind->limit) || isnan(bind->asked))
		return strstr(bind->name, "PerJob") ||
		       strstr(bind->name, "PerNode");
	return isnan(bind->used) || bind->asked > bind->limit;
}

static void limit_used(const struct astra_why *why,
		       const struct astra_report_bind *bind,
		       struct astra_text *out)
{
	bool jobs = !strcmp(bind->unit, "jobs");

	if (isnan(bind->used) || !astra_why_used(why, bind)) {
		if (!jobs) {
			astra_text_printf(out, "; it asks for ");
			why_bind_number(bind->asked, bind->unit, out);
		}
		astra_text_printf(out, ".");
		return;
	}
	astra_text_printf(out, "; ");
	why_bind_number(bind->used, bind->unit, out);
	if (jobs)
		astra_text_printf(out, " run%s there.",
				  bind->used > 1 ? "" : "s");
	else if (strstr(bind->option, "Mins") &&
		 !strstr(bind->option, "RunMins"))
		astra_text_printf(out, " are spent and it asks for ");
	else
		astra_text_printf(out, " %s in use and it asks for ",
				  bind->used > 1 || bind->used <= 0 ? "are"
								    : "is");
	if (jobs)
		return;
	why_bind_number(bind->asked, bind->unit, out);
	astra_text_printf(out, ".");
}

static void why_bind_limit(const struct astra_why *why,
			   const struct astra_report_bind *bind,
			   struct astra_text *out)
{
	bool least = !strncmp(bind->option, "Min", 3);
	bool mins = strstr(bind->option, "Mins");

	if (!*bind->option) {
		astra_text_printf(
			out,
			" A limit of its account or QOS binds: %s (sacctmgr show assoc, sacctmgr show qos).",
			bind->name);
		return;
	}
	astra_text_printf(out, " The %s lets %s have at %s ", bind->of,
			  *bind->who			    ? bind->who
			  : strstr(bind->option, "Per")	    ? "a job"
			  : strncmp(bind->option, "Grp", 3) ? "it"
							    : "all its jobs",
			  least ? "least" : "most");
	why_bind_number(bind->limit, bind->unit, out);
	if (!mins && strncmp(bind->option, "Min", 3) != 0 &&
	    !strstr(bind->option, "PerJob"))
		astra_text_printf(out, " at a time");
	astra_text_printf(out, " (%s=%.0f, %s)", bind->option, bind->limit,
			  bind->name);
	limit_used(why, bind, out);
}

static void why_bind_unleased(const struct astra_why *why,
			      const struct astra_report_bind *bind,
			      struct astra_text *out)
{
	astra_text_printf(
		out,
		" Jobs without leases (srun, salloc, --no-requeue, --lease=none) of the %s %s may hold at most ",
		bind->option, bind->of);
	why_bind_number(bind->limit, "GPUs", out);
	astra_text_printf(out, " at a time (%s)", bind->name);
	if (astra_why_used(why, bind)) {
		astra_text_printf(out, "; ");
		why_bind_number(bind->used, "GPUs", out);
		astra_text_printf(out, " %s in use so and it asks for ",
				  bind->used > 1 || bind->used <= 0 ? "are"
								    : "is");
	} else {
		astra_text_printf(out, "; it asks for ");
	}
	why_bind_number(bind->asked, "GPUs", out);
	astra_text_printf(out, ".");
}

/* Writes that a maintenance has the job's nodes, or leaves no room for a
 * lease. */
static void why_bind_maintenance(const struct astra_why *why,
				 const struct astra_report_bind *bind,
				 struct astra_text *out)
{
	char text[ASTRA_SPAN_BYTES];

	astra_text_printf(out, " The maintenance %s ", bind->of);
	if (bind->limit > 0) {
		astra_text_printf(out, "begins in %s",
				  astra_why_span(bind->limit, text));
		if (bind->asked > 0)
			astra_text_printf(
				out,
				", which is less than a lease needs that is over before it: %s",
				astra_why_span(bind->asked, text));
		else
			astra_text_printf(
				out,
				", and its time limit reaches into it, as it has no leases");
	} else {
		astra_text_printf(out, "has its nodes");
	}
	if (bind->time_sec > why->report->time_sec)
		astra_text_printf(
			out, "; it is over in %s",
			astra_why_span(bind->time_sec - why->report->time_sec,
				       text));
	astra_text_printf(out, " (scontrol show reservation %s).", bind->of);
}

/* Writes that nodes are reserved for others, now or during the job's run. */
static void why_bind_reserved(const struct astra_why *why,
			      const struct astra_report_bind *bind,
			      struct astra_text *out)
{
	char text[ASTRA_SPAN_BYTES];

	if (bind->limit > 0) {
		astra_text_printf(
			out,
			" Nodes that it needs are reserved for others in %s (reservation %s), and its time limit of ",
			astra_why_span(bind->limit, text), bind->of);
		astra_text_printf(out, "%s reaches into that",
				  astra_why_span(bind->asked, text));
	} else {
		astra_text_printf(
			out,
			" Nodes that it needs are reserved for others (reservation %s)",
			bind->of);
	}
	if (bind->time_sec > why->report->time_sec)
		astra_text_printf(
			out, "; the reservation is over in %s",
			astra_why_span(bind->time_sec - why->report->time_sec,
				       text));
	astra_text_printf(out, " (scontrol show reservation %s).", bind->of);
}

static void why_bind_nodes(const struct astra_why *why,
			   const struct astra_report_bind *bind,
			   struct astra_text *out)
{
	(void)why;
	astra_text_printf(
		out,
		" It asks by name for %s, which cannot be used now: %s (sinfo -R).",
		bind->of, bind->who);
}

static void partition(const struct astra_why *why,
		      const struct astra_report_bind *bind,
		      struct astra_text *out)
{
	(void)why;
	astra_text_printf(
		out,
		" The partition %s keeps it: %s (scontrol show partition %s).",
		bind->of, bind->name, bind->of);
}

static void other(const struct astra_why *why,
		  const struct astra_report_bind *bind, struct astra_text *out)
{
	(void)why;
	astra_text_printf(out,
			  " Slurm keeps it: %s (see squeue's manual page).",
			  bind->name);
}

void astra_why_bind(const struct astra_why *why,
		    const struct astra_report_bind *bind,
		    struct astra_text *out)
{
	typedef void say(const struct astra_why *,
			 const struct astra_report_bind *, struct astra_text *);
	static say *const by_kind[] = {
		[ASTRA_BIND_HOLD] = why_bind_hold,
		[ASTRA_BIND_DEPENDENCY] = dependency,
		[ASTRA_BIND_LIMIT] = why_bind_limit,
		[ASTRA_BIND_BEGIN] = why_bind_begin,
		[ASTRA_BIND_LICENCE] = licence,
		[ASTRA_BIND_ARRAY] = throttle,
		[ASTRA_BIND_UNLEASED] = why_bind_unleased,
		[ASTRA_BIND_RESERVATION] = reservation,
		[ASTRA_BIND_MAINTENANCE] = why_bind_maintenance,
		[ASTRA_BIND_RESERVED] = why_bind_reserved,
		[ASTRA_BIND_NODES] = why_bind_nodes,
		[ASTRA_BIND_PARTITION] = partition,
		[ASTRA_BIND_OTHER] = other,
	};

	by_kind[bind->kind](why, bind, out);
}

void astra_why_binds(const struct astra_why *why,
		     const struct astra_report_bind *binds, uint32_t count,
		     struct astra_text *out)
{
	for (uint32_t i = 0; i < count; i++) {
		if (!is_any(&binds[i])) {
			astra_why_bind(why, &binds[i], out);
			continue;
		}
		astra_text_printf(out, " It waits until ");
		awaited(why, &binds[i], "", out);
		for (; i + 1 < count && is_any(&binds[i + 1]); i++) {
			astra_text_printf(out, ", or until ");
			awaited(why, &binds[i + 1], "", out);
		}
		astra_text_printf(out, ".");
	}
}
