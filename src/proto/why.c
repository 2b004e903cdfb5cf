/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "src/model/model.h"
#include "src/proto/answer.h"
#include "src/proto/select.h"
#include "src/proto/why_priv.h"

const char *astra_why_span(double sec, char text[ASTRA_SPAN_BYTES])
{
	unsigned long s = sec > 0 ? (unsigned long)(sec + 0.5) : 0;

	if (s < 60)
		snprintf(text, ASTRA_SPAN_BYTES, "%lu s", s);
	else if (s < 3600)
		snprintf(text, ASTRA_SPAN_BYTES, "%lu min %lu s", s / 60,
			 s % 60);
	else if (s < 86400)
		snprintf(text, ASTRA_SPAN_BYTES, "%lu h %lu min", s / 3600,
			 s / 60 % 60);
	else
		snprintf(text, ASTRA_SPAN_BYTES, "%lu d %lu h", s / 86400,
			 s / 3600 % 24);
	return text;
}

const struct astra_report_tenant *
astra_why_tenant(const struct astra_report *report,
		 const struct astra_report_job *job)
{
	for (size_t i = 0; i < report->tenant_count; i++)
		if (!strcmp(report->tenants[i].of.name, job->tenant) &&
		    !strcmp(report->tenants[i].pool, job->pool))
			return &report->tenants[i];
	return NULL;
}

/* Writes a reason as a separate sentence. */
static void sentence(const char *text, struct astra_text *out)
{
	size_t size = strlen(text);

	if (!size)
		return;
	astra_text_printf(out, " %s%s", text,
			  strchr(".!?", text[size - 1]) ? "" : ".");
}

/* Writes that other leases under the job's limit end when it is the job's turn,
 * if the job is in line. */
static void why_competes(const struct astra_report_job *job,
			 struct astra_text *out)
{
	const struct astra_report_bind *bind = &job->binds[0];

	if (*job->wait && strcmp(job->wait, "blocked") != 0 &&
	    (bind->kind == ASTRA_BIND_LICENCE ||
	     (bind->kind == ASTRA_BIND_LIMIT && !astra_why_limit_alone(bind))))
		astra_text_printf(
			out,
			" Other users' leases under the same limit end for it when it is its turn.");
}

/* Writes what keeps the job from starting: Slurm's reasons, or the policy's, or
 * the text of its reason. */
static void reasons(const struct astra_why *why, struct astra_text *out)
{
	const struct astra_report_job *job = why->job;

	astra_why_binds(why, job->binds, job->bind_count, out);
	if (job->bind_count) {
		why_competes(job, out);
		return;
	}
	if (*job->wait && strcmp(job->wait, "blocked") != 0) {
		astra_why_turn(why, out);
		return;
	}
	sentence(*job->reason_long ? job->reason_long : job->reason, out);
	if (job->of.reason.rank &&
	    (*job->reason_long || !strstr(job->reason, "rank")))
		astra_text_printf(out, " It is number %u of %u in line.",
				  job->of.reason.rank, job->of.reason.ranks);
}

static void what_waits(const struct astra_report_job *job,
		       struct astra_text *out)
{
	uint32_t tasks = job->array.most ? job->array.waiting : job->of.copies;

	if (tasks > 1)
		astra_text_printf(out, "It stands for %u array tasks that wait",
				  tasks);
	else
		astra_text_printf(out, "It waits");
	astra_text_printf(out, " in pool %s for ", job->pool);
	if (astra_why_least(job) < job->of.gpus)
		astra_text_printf(out, "%u to ", job->gpus_min);
	astra_text_printf(out, "%u GPU%s%s.", job->of.gpus,
			  job->of.gpus == 1 ? "" : "s",
			  tasks > 1 ? " each" : "");
}

/* Writes by when the job's first start is promised. */
static void promise(const struct astra_why *why, struct astra_text *out)
{
	double now = why->report->time_sec;
	double bound = why->job->of.reason.bound_sec;
	double after = why->job->of.reason.after_sec;
	char text[ASTRA_SPAN_BYTES];

	if (astra_why_capped_for_good(why->job))
		return;
	if (why->blocker && after > 0) {
		const struct astra_report_job *b = why->blocker;
		bool told = astra_job_visible(why->report, b, why->viewer);

		astra_text_printf(
			out,
			" Its first start is promised within %s after %s%s ends.",
			astra_why_span(after, text), told ? "job " : "that job",
			told ? b->id_text : "");
	}
	if (bound > now && !astra_why_answers_promise(why))
		astra_text_printf(out,
				  " Its first start is promised within %s.",
				  astra_why_span(bound - now, text));
	else if (bound > 0 && bound <= now)
		astra_text_printf(out, " Its first start was promised %s ago.",
				  astra_why_span(now - bound, text));
}

/* If slurmctld started a moment ago, writes so: nodes may still have to report
 * ended jobs. */
static void restarted(const struct astra_why *why, struct astra_text *out)
{
	double now = why->report->time_sec, heard = why->report->heard_sec;
	char text[ASTRA_CLOCK_BYTES];

	if (heard > now)
		astra_text_printf(
			out,
			" slurmctld has just started: no running job loses its GPUs before %s.",
			astra_why_clock(heard, now, text));
}

static void weightless(const struct astra_why *why, struct astra_text *out)
{
	if (astra_why_is_weightless(why))
		astra_text_printf(
			out,
			" Its tenant %s has weight 0, so it has no share: its jobs get only GPUs that nobody else wants.",
			why->job->tenant);
}

static void why_waiting(const struct astra_why *why, struct astra_text *out)
{
	what_waits(why->job, out);
	astra_why_array(why->job, out);
	reasons(why, out);
	weightless(why, out);
	if (!why->job->bind_count && !why->blocker)
		restarted(why, out);
	promise(why, out);
}

/* Writes what happens to the job if others are needier when its lease ends. */
static void lease_end(const struct astra_report_job *job,
		      struct astra_text *out)
{
	char text[ASTRA_SPAN_BYTES];

	if (*job->signal)
		astra_text_printf(
			out,
			"it gets SIG%s, has %s to write a checkpoint, and is requeued.",
			job->signal, astra_why_span(job->grace_sec, text));
	else
		astra_text_printf(
			out,
			"it is requeued at once, since it declared no checkpoint signal (sbatch --signal).");
}

/* Writes how often the job's lease was renewed. */
static void renewals(const struct astra_report_job *job, struct astra_text *out)
{
	if (job->of.leases > 1 + job->of.revoked)
		astra_text_printf(
			out, " It was renewed %u time%s so far.",
			job->of.leases - 1 - job->of.revoked,
			job->of.leases - 1 - job->of.revoked == 1 ? "" : "s");
}

static void leased(const struct astra_why *why, struct astra_text *out)
{
	const struct astra_report *report = why->report;
	const struct astra_report_job *job = why->job;
	char text[ASTRA_SPAN_BYTES];

	if (!strcmp(job->state, "SUSPENDED")) {
		astra_text_printf(
			out,
			" It is suspended and keeps its GPUs; if its lease ends meanwhile, it competes with everybody as soon as it is resumed.");
		return;
	}
	if (astra_why_is_kept(job)) {
		astra_text_printf(
			out,
			" It has no lease: it declares no checkpoint, or saved nothing in its last two runs. Within its tenant's share it runs until it ends. Beyond that it may be requeued, and starts from the beginning, once another tenant lacks GPUs. If it can checkpoint: scontrol update JobId=%u Requeue=1.",
			job->of.id);
		return;
	}
	if (!job->of.revocable) {
		astra_text_printf(
			out,
			" Its GPUs are never taken back%s%s%s; it is charged for them like the others.",
			*job->pinned ? " (" : "", job->pinned,
			*job->pinned ? ")" : "");
		return;
	}
	if (job->of.lease_end_sec <= 0) {
		astra_text_printf(
			out,
			" It is under no lease, so nothing takes them back.");
		return;
	}
	if (job->of.lease_end_sec <= report->time_sec) {
		astra_text_printf(
			out,
			" Its lease, number %u, is over. It keeps its GPUs until the job for which they are collected has all that it needs; then ",
			job->of.leases);
		lease_end(job, out);
		return;
	}
	astra_text_printf(
		out,
		" Its lease, number %u, ends in %s. Then the neediest get the GPUs: if the lease is renewed, the job runs on; if not, ",
		job->of.leases,
		astra_why_span(job->of.lease_end_sec - report->time_sec, text));
	lease_end(job, out);
	renewals(job, out);
	weightless(why, out);
	restarted(why, out);
	astra_why_rival(why, out);
}

static void holding(const struct astra_why *why, struct astra_text *out)
{
	const struct astra_report *report = why->report;
	const struct astra_report_job *job = why->job;
	char text[ASTRA_SPAN_BYTES];

	astra_text_printf(out, "It holds %u GPU%s%s%s in pool %s.",
			  job->of.gpus, job->of.gpus == 1 ? "" : "s",
			  *job->nodes ? " on " : "", job->nodes, job->pool);
	if (job->phase == ASTRA_REPORT_DOOMED)
		astra_text_printf(
			out,
			" Its lease is over and its GPUs are granted to others: it is about to be told.");
	else if (job->phase == ASTRA_REPORT_GRACE)
		astra_text_printf(
			out,
			" Its lease is over: it got its checkpoint signal and has %s left to write a checkpoint; then it is requeued.",
			astra_why_span(job->of.grace_end_sec - report->time_sec,
				       text));
	else if (job->phase == ASTRA_REPORT_LEAVING)
		astra_text_printf(
			out,
			" Its lease is over and it is being requeued; it waits again in line as soon as its nodes are cleaned up.");
	else
		leased(why, out);
	if (job->phase != ASTRA_REPORT_LEASED)
		sentence(job->reason_long, out);
}

static void why_ratio(double rho, struct astra_text *out)
{
	if (isinf(rho))
		astra_text_printf(out, "rho is infinite");
	else
		astra_text_printf(out, "rho is %.3f", rho);
}

/* Returns who goes first by rho, as a clause. Auctions use another rho. */
static const char *who_is_first(const struct astra_report *report,
				const struct astra_report_job *job)
{
	if (!job->app)
		return ": the lowest goes first";
	for (size_t i = 0; i < report->pool_count; i++)
		if (!strcmp(report->pools[i].name, job->pool) &&
		    strstr(report->pools[i].policy, "ltgf"))
			return isnan(job->of.user_rho)
				       ? ": the tenant with the lowest goes first"
				       : ": the tenant with the lowest goes first, then its user with the lowest";
	return "; auctions do not go by it";
}

static void why_fairness(const struct astra_why *why, struct astra_text *out)
{
	const struct astra_report_job *job = why->job;
	const struct astra_report_tenant *tenant = why->tenant;
	bool hours = job->of.usage.alloc >= 3600 || job->of.usage.fair >= 3600;

	astra_text_printf(
		out, "So far it had %.2f GPU %s and was entitled to %.2f (",
		job->of.usage.alloc / (hours ? 3600 : 60),
		hours ? "hours" : "minutes",
		job->of.usage.fair / (hours ? 3600 : 60));
	why_ratio(job->of.rho, out);
	astra_text_printf(out, ")");
	if (!isnan(job->of.user_rho)) {
		astra_text_printf(out, "; its user's ");
		why_ratio(job->of.user_rho, out);
	}
	if (tenant) {
		astra_text_printf(out, "; its tenant's ");
		why_ratio(tenant->of.rho, out);
		astra_text_printf(out, ", with %.4g GPU%s of a share of %.4g",
				  tenant->of.alloc_gpus,
				  fabs(tenant->of.alloc_gpus - 1) < 1e-9 ? ""
									 : "s",
				  tenant->of.quota);
	}
	astra_text_printf(
		out, ". %s is GPU time had, divided by the fair share of it%s.",
		job->app ? "This rho" : "Rho", who_is_first(why->report, job));
}

/* Writes what the job has reported. */
static void told(const struct astra_report *report,
		 const struct astra_report_job *job, struct astra_text *out)
{
	const struct astra_report_progress *p = &job->progress;
	char text[ASTRA_SPAN_BYTES];

	if (p->time_sec > 0) {
		astra_text_printf(
			out, " %s ago it reported %llu",
			astra_why_span(report->time_sec - p->time_sec, text),
			(unsigned long long)p->done);
		if (p->total)
			astra_text_printf(out, " of %llu iterations (%.0f %%)",
					  (unsigned long long)p->total,
					  100 * (double)p->done /
						  (double)p->total);
		else
			astra_text_printf(out, " iterations");
		if (p->iter_sec > 0)
			astra_text_printf(out, ", %.3g s each", p->iter_sec);
		astra_text_printf(out, ".");
	}
	if (job->checkpoint.time_sec > 0)
		astra_text_printf(
			out,
			" Its newest checkpoint is of iteration %llu, %s old.",
			(unsigned long long)job->checkpoint.step,
			astra_why_span(report->time_sec -
					       job->checkpoint.time_sec,
				       text));
}

static void slowed(const struct astra_report_job *job, struct astra_text *out)
{
	const char *mark = "";

	if (!job->levels_seen)
		return;
	astra_text_printf(
		out,
		" Its iterations take %s times as long within a slot, a machine, a rack and across racks, as measured (",
		job->slowdown);
	for (int l = 0; l < ASTRA_LEVEL_COUNT; l++) {
		if (!(job->levels_seen >> l & 1))
			continue;
		astra_text_printf(out, "%s%s", mark,
				  astra_level_name((enum astra_level)l));
		mark = ", ";
	}
	astra_text_printf(out, ").");
}

static void advise(const struct astra_report_job *job, struct astra_text *out)
{
	if (*job->speedup)
		astra_text_printf(
			out,
			" By GPUs it is so many times as fast as on the fewest, as measured: %s; it is given no more than are of use.",
			job->speedup);
	if (*job->advice)
		astra_text_printf(out, " Its leases: %s.", job->advice);
}

static void changes(const struct astra_why *why, struct astra_text *out)
{
	struct astra_why_changes changes;

	astra_why_change(why, &changes);
	for (size_t i = 0; i < changes.count; i++)
		astra_text_printf(
			out, "%s%s",
			i ? "; " : "What would change it: ", changes.text[i]);
	/* If the text ends in "=", it is a command, and a full stop would be
	 * copied with it. */
	if (changes.count && out->bytes && out->bytes[out->size - 1] != '=')
		astra_text_printf(out, ".");
}

/* Keeps the job if it is one of the last jobs in line before the job in
 * question. */
static void consider_before(struct astra_why *why,
			    const struct astra_report_job *job)
{
	size_t at = why->job->of.reason.rank - job->of.reason.rank - 1;

	if (at >= ASTRA_WHY_BEFORE)
		return;
	why->before[at] = job;
}

/* Whether the GPUs of this job's lease, with the free GPUs, are enough. */
static bool would_do(const struct astra_why *why,
		     const struct astra_report_job *job)
{
	uint64_t free = why->pool ? why->pool->gpus_free : 0;

	return job->of.gpus + free >= why->job->of.gpus;
}

static void why_consider(struct astra_why *why,
			 const struct astra_report_job *job)
{
	bool waiting = job->phase == ASTRA_REPORT_WAITING;
	bool leased = job->phase == ASTRA_REPORT_LEASED && job->of.revocable &&
		      strcmp(job->state, "SUSPENDED") != 0;

	if (job == why->job || strcmp(job->pool, why->job->pool) != 0)
		return;
	if (waiting && strcmp(job->wait, "blocked") != 0)
		why->waiting++;
	if (waiting && job->of.reason.rank == 1)
		why->first = job;
	if (waiting && job->of.reason.rank &&
	    job->of.reason.rank < why->job->of.reason.rank)
		consider_before(why, job);
	why->leases |= leased && job->of.lease_end_sec > 0;
	if (leased && job->of.lease_end_sec > why->report->time_sec &&
	    would_do(why, job) &&
	    (!why->next_lease ||
	     job->of.lease_end_sec < why->next_lease->of.lease_end_sec))
		why->next_lease = job;
}

/* Returns the job without a lease whose end the job waits for; NULL if there is
 * none, or if that job has ended. */
static const struct astra_report_job *
why_find_blocker(const struct astra_why *why)
{
	const struct astra_report_job *job = why->job, *blocker;

	if (!job->of.reason.blocker || job->bind_count ||
	    job->phase != ASTRA_REPORT_WAITING)
		return NULL;
	blocker = astra_report_find(why->report, job->of.reason.blocker);
	return blocker && blocker->phase != ASTRA_REPORT_WAITING ? blocker
								 : NULL;
}

void astra_why_find(const struct astra_report *report,
		    const struct astra_report_job *job,
		    const struct astra_viewer *viewer, struct astra_why *out)
{
	*out = (struct astra_why){
		.report = report,
		.job = job,
		.viewer = viewer,
		.usage = astra_job_usage_visible(report, job, viewer),
		.tenant = astra_why_tenant(report, job),
	};
	for (size_t i = 0; i < report->pool_count; i++)
		if (!strcmp(report->pools[i].name, job->pool))
			out->pool = &report->pools[i];
	for (size_t i = 0; i < report->job_count; i++)
		why_consider(out, &report->jobs[i]);
	out->blocker = why_find_blocker(out);
	for (size_t i = 0; i < ASTRA_WHY_BEFORE; i++)
		if (out->before[i])
			out->before_count = i + 1;
}

/* Writes what has happened to the job, and what is known of it. */
static void told_so_far(const struct astra_why *why, struct astra_text *out)
{
	const struct astra_report_job *job = why->job;

	if (job->of.revoked)
		astra_text_printf(out, " Its GPUs were taken back %u time%s.",
				  job->of.revoked,
				  job->of.revoked == 1 ? "" : "s");
	told(why->report, job, out);
	slowed(job, out);
	advise(job, out);
	if (why->usage)
		astra_why_auction(why->report, job, out);
}

void astra_why_texts(const struct astra_why *why, struct astra_why_texts *out)
{
	const struct astra_report_job *job = why->job;

	astra_text_printf(&out->answer, "Job %s of %s (tenant %s) ",
			  job->id_text, job->user, job->tenant);
	astra_why_answer(why, &out->answer);
	if (job->phase == ASTRA_REPORT_WAITING)
		why_waiting(why, &out->reason);
	else
		holding(why, &out->reason);
	told_so_far(why, &out->reason);
	changes(why, &out->change);
	if (why->usage)
		why_fairness(why, &out->detail);
}

void astra_why_texts_clear(struct astra_why_texts *texts)
{
	astra_text_clear(&texts->answer);
	astra_text_clear(&texts->reason);
	astra_text_clear(&texts->change);
	astra_text_clear(&texts->detail);
}
