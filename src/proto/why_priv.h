/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of the paragraph of `sfair why`, and of its numbers, among
 * themselves. */
#ifndef ASTRA_WHY_PRIV_H
#define ASTRA_WHY_PRIV_H

#include <string.h>

#include "src/common/text.h"
#include "src/proto/answer.h"
#include "src/proto/report.h"
#include "src/proto/report_pool.h"

#define ASTRA_SPAN_BYTES 32
#define ASTRA_CLOCK_BYTES 32
#define ASTRA_WHY_BEFORE 3

/* What is asked about, and what its asker may see. */
struct astra_why {
	const struct astra_report *report;
	const struct astra_report_job *job;
	const struct astra_viewer *viewer;
	const struct astra_report_pool *pool;	  /* NULL: not known */
	const struct astra_report_tenant *tenant; /* the same */
	bool usage; /* its GPU time, and its tenant's, may be shown */
	/* Those right before it in line, the nearest first. */
	const struct astra_report_job *before[ASTRA_WHY_BEFORE];
	size_t before_count;
	const struct astra_report_job *first; /* in line; or NULL */
	size_t waiting; /* others that wait for GPUs, in a line or not */
	/* The first lease to end whose GPUs would do; or NULL. */
	const struct astra_report_job *next_lease;
	bool leases; /* jobs have leases in its pool now */
	/* The job without a lease whose end it waits for; or NULL. */
	const struct astra_report_job *blocker;
};

/* All of it, in one pass over the jobs. (why.c) */
void astra_why_find(const struct astra_report *report,
		    const struct astra_report_job *job,
		    const struct astra_viewer *viewer, struct astra_why *out);

/* The parts of what a user reads, in their order. */
struct astra_why_texts {
	struct astra_text answer; /* one sentence: when, or what it waits for */
	struct astra_text reason;
	struct astra_text change; /* what would change it; may be empty */
	struct astra_text detail; /* its GPU time and rho; may be empty */
};

/* Write all of them. texts: of zeros; clear them afterwards. A text that
 * memory was out for has `failed` set. */
void astra_why_texts(const struct astra_why *why,
		     struct astra_why_texts *texts);
void astra_why_texts_clear(struct astra_why_texts *texts);

/* Write the answer without its subject: "is expected to start in about 40 s, at
 * 14:05:10." (why_answer.c) */
void astra_why_answer(const struct astra_why *why, struct astra_text *out);

/* Whether the answer is by when the first start is promised. (why_answer.c) */
bool astra_why_answers_promise(const struct astra_why *why);

/* Write "job 8 of bob", and "has no time limit". why->blocker is not NULL.
 * (why_answer.c) */
void astra_why_name_blocker(const struct astra_why *why,
			    struct astra_text *out);
void astra_why_blocker_until(const struct astra_why *why,
			     struct astra_text *out);

/* Whether the job's tenant has no share at all. */
static inline bool astra_why_is_weightless(const struct astra_why *why)
{
	return why->tenant && why->tenant->of.weight <= 0;
}

/* A job's tenant in its pool, or NULL. */
const struct astra_report_tenant *
astra_why_tenant(const struct astra_report *report,
		 const struct astra_report_job *job);

/* Whether it is known what a job is worth and costs. */
static inline bool astra_why_is_priced(const struct astra_report_job *job)
{
	return job->of.reason.price > 0 || job->of.reason.priced_sec > 0;
}

/* Where a policy refused the job and so it is held: what it said, "costs 5, is
 * worth 3"; else NULL. */
const char *astra_why_refused(const struct astra_report_bind *bind);

/* "45 s", "3 min 20 s", "2 h 5 min", "4 d 3 h". Returns text. */
const char *astra_why_span(double sec, char text[ASTRA_SPAN_BYTES]);

/* The same without seconds from five minutes on. Returns text. (why_answer.c)
 */
const char *astra_why_rough_span(double sec, char text[ASTRA_SPAN_BYTES]);

/* "14:05:10", with its date if it is not today's, as the clock of slurmctld's
 * host has it. Returns text. (why_answer.c) */
const char *astra_why_clock(double at_sec, double now_sec,
			    char text[ASTRA_CLOCK_BYTES]);

/* How the job's app fared in its last auction; nothing where there are none. */
void astra_why_auction(const struct astra_report *report,
		       const struct astra_report_job *job,
		       struct astra_text *out);

/* What keeps it, as a sentence. (why_bind.c) */
void astra_why_bind(const struct astra_why *why,
		    const struct astra_report_bind *bind,
		    struct astra_text *out);

/* The same of all that keeps it; what any of several ends is one sentence. */
void astra_why_binds(const struct astra_why *why,
		     const struct astra_report_bind *binds, uint32_t count,
		     struct astra_text *out);

/* Write "job 17" or, of a task of its array, "job 17_3". bind->job is not 0. */
void astra_why_other_job(const struct astra_report_bind *bind,
			 struct astra_text *out);

/* The dependency that failed and so keeps the job for good; NULL: none does. */
const struct astra_report_bind *
astra_why_never(const struct astra_report_job *job);

/* Whether the job breaks the limit by itself, whatever others use. */
bool astra_why_limit_alone(const struct astra_report_bind *bind);

/* What %N leaves of an array. Where it leaves nothing, that binds, and is told
 * as what keeps the job; nothing is added here. */
void astra_why_array(const struct astra_report_job *job,
		     struct astra_text *out);

/* Whether what others use may be shown; else the number is hidden. */
bool astra_why_used(const struct astra_why *why,
		    const struct astra_report_bind *bind);

/* Whether the state of the job it waits for may be shown. */
bool astra_why_other(const struct astra_why *why,
		     const struct astra_report_bind *bind);

/* What the policy makes it wait for, as a sentence; "" when the few words of
 * its reason say it all. (why_turn.c) */
void astra_why_turn(const struct astra_why *why, struct astra_text *out);

/* Whether no period has as many GPU hours as its lease takes. */
static inline bool astra_why_capped_for_good(const struct astra_report_job *job)
{
	return !strcmp(job->wait, "cap") &&
	       job->of.reason.cap_asked > job->of.reason.cap_hours;
}

/* Whether it keeps its GPUs as one that declares no checkpoint. */
static inline bool astra_why_is_kept(const struct astra_report_job *job)
{
	return !strcmp(job->pinned, ASTRA_PINNED_SHARE);
}

/* Whether GPUs are being collected for it. */
static inline bool astra_why_is_held(const struct astra_report_job *job)
{
	return !strcmp(job->wait, "hold_gpus");
}

/* Whether a turn is owed to it, or what is lacking until one is.
 * Nothing of a job that is never owed one. (why_owed.c) */
void astra_why_owed(const struct astra_why *why, struct astra_text *out);

/* Who would get the GPUs of a running job. (why_turn.c) */
void astra_why_rival(const struct astra_why *why, struct astra_text *out);

/* The fewest GPUs that it runs on. */
static inline uint32_t astra_why_least(const struct astra_report_job *job)
{
	return job->gpus_min ? job->gpus_min : job->of.gpus;
}

/* What would change it. (why_change.c) */
#define ASTRA_WHY_CHANGES 8 /* further ones are left out */

struct astra_why_changes {
	char text[ASTRA_WHY_CHANGES][256];
	size_t count;
};

void astra_why_change(const struct astra_why *why,
		      struct astra_why_changes *out);

#endif
