/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of `sfair why`, for its text and its values. */
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

/* The job in question, what is known about it, and what the viewer may see. */
struct astra_why {
	const struct astra_report *report;
	const struct astra_report_job *job;
	const struct astra_viewer *viewer;
	const struct astra_report_pool *pool;	  /* NULL: not known */
	const struct astra_report_tenant *tenant; /* NULL: not known */
	bool usage; /* the viewer may see the GPU time of the job and its
		     * tenant */
	/* The jobs right before this job in line, nearest first; may have
	 * gaps. */
	const struct astra_report_job *before[ASTRA_WHY_BEFORE];
	size_t before_count;
	const struct astra_report_job *first; /* first in line; or NULL */
	size_t waiting; /* other jobs that wait for GPUs, in line or not */
	/* The lease that ends first of those whose GPUs are enough; or NULL. */
	const struct astra_report_job *next_lease;
	bool leases; /* jobs in its pool have leases now */
	/* The job without a lease whose end this job waits for; or NULL. */
	const struct astra_report_job *blocker;
};

/* Finds all of these, in one pass over the jobs. (why.c) */
void astra_why_find(const struct astra_report *report,
		    const struct astra_report_job *job,
		    const struct astra_viewer *viewer, struct astra_why *out);

/* The parts of the text, in their order. */
struct astra_why_texts {
	struct astra_text answer; /* one sentence: when it starts, or what it
				   * waits for */
	struct astra_text reason;
	struct astra_text change; /* what would change it; may be empty */
	struct astra_text detail; /* its GPU time and rho; may be empty */
};

/* Writes all parts. texts: zeroed; clear them afterwards. If out of memory, a
 * text has `failed` set. */
void astra_why_texts(const struct astra_why *why,
		     struct astra_why_texts *texts);
void astra_why_texts_clear(struct astra_why_texts *texts);

/* Writes the answer without its subject: "is expected to start in about 40 s,
 * at 14:05:10." (why_answer.c) */
void astra_why_answer(const struct astra_why *why, struct astra_text *out);

/* Whether the answer says when the first start is promised. (why_answer.c) */
bool astra_why_answers_promise(const struct astra_why *why);

/* Write who the blocker is, "job 8 of bob", and how long it may run, "has no
 * time limit". why->blocker must not be NULL. (why_answer.c) */
void astra_why_name_blocker(const struct astra_why *why,
			    struct astra_text *out);
void astra_why_blocker_until(const struct astra_why *why,
			     struct astra_text *out);

/* Whether the job's tenant has no share at all. */
static inline bool astra_why_is_weightless(const struct astra_why *why)
{
	return why->tenant && why->tenant->of.weight <= 0;
}

/* Returns a job's tenant in its pool, or NULL. */
const struct astra_report_tenant *
astra_why_tenant(const struct astra_report *report,
		 const struct astra_report_job *job);

/* Whether the price of the job's GPUs is known. */
static inline bool astra_why_is_priced(const struct astra_report_job *job)
{
	return job->of.reason.price > 0 || job->of.reason.priced_sec > 0;
}

/* Returns why a policy refused and held the job, "costs 5, is worth 3"; NULL if
 * the bind is of another kind. */
const char *astra_why_refused(const struct astra_report_bind *bind);

/* Writes "45 s", "3 min 20 s", "2 h 5 min" or "4 d 3 h". Returns text. */
const char *astra_why_span(double sec, char text[ASTRA_SPAN_BYTES]);

/* Writes a span as astra_why_span(), but without seconds if it is five minutes
 * or more. Returns text. (why_answer.c) */
const char *astra_why_rough_span(double sec, char text[ASTRA_SPAN_BYTES]);

/* Writes a time of day, "14:05:10", with the date if it is not today, in local
 * time of slurmctld's host. Returns text. (why_answer.c) */
const char *astra_why_clock(double at_sec, double now_sec,
			    char text[ASTRA_CLOCK_BYTES]);

/* Writes how the job's app fared in its last auction; nothing if there are no
 * auctions. */
void astra_why_auction(const struct astra_report *report,
		       const struct astra_report_job *job,
		       struct astra_text *out);

/* Writes what keeps the job from starting, as a sentence. (why_bind.c) */
void astra_why_bind(const struct astra_why *why,
		    const struct astra_report_bind *bind,
		    struct astra_text *out);

/* Writes all binds. Several dependencies of which one is enough become one
 * sentence. */
void astra_why_binds(const struct astra_why *why,
		     const struct astra_report_bind *binds, uint32_t count,
		     struct astra_text *out);

/* Writes "job 17" or, for an array task, "job 17_3". bind->job is not 0. */
void astra_why_other_job(const struct astra_report_bind *bind,
			 struct astra_text *out);

/* Returns the failed dependency that keeps the job for good, or NULL. */
const struct astra_report_bind *
astra_why_never(const struct astra_report_job *job);

/* Whether the job breaks the limit by itself, whatever others use. */
bool astra_why_limit_alone(const struct astra_report_bind *bind);

/* Writes how many of an array's tasks %N lets start. If it lets none start, a
 * bind says so, and nothing is written here. */
void astra_why_array(const struct astra_report_job *job,
		     struct astra_text *out);

/* Whether the viewer may see how much others use of the limit. */
bool astra_why_used(const struct astra_why *why,
		    const struct astra_report_bind *bind);

/* Whether the viewer may see the state of the job that this job waits for. */
bool astra_why_other(const struct astra_why *why,
		     const struct astra_report_bind *bind);

/* Writes the policy's reason for the job's wait, as a sentence; nothing if the
 * job's reason says it all. (why_turn.c) */
void astra_why_turn(const struct astra_why *why, struct astra_text *out);

/* Whether the job's lease takes more GPU hours than any period has. */
static inline bool astra_why_capped_for_good(const struct astra_report_job *job)
{
	return !strcmp(job->wait, "cap") &&
	       job->of.reason.cap_asked > job->of.reason.cap_hours;
}

/* Whether the job keeps its GPUs because it declares no checkpoint. */
static inline bool astra_why_is_kept(const struct astra_report_job *job)
{
	return !strcmp(job->pinned, ASTRA_PINNED_SHARE);
}

/* Whether GPUs are being collected for the job. */
static inline bool astra_why_is_held(const struct astra_report_job *job)
{
	return !strcmp(job->wait, "hold_gpus");
}

/* Writes whether a turn is owed to the job, or what is lacking until then;
 * nothing if it is never owed a turn. (why_owed.c) */
void astra_why_owed(const struct astra_why *why, struct astra_text *out);

/* Writes which waiting job would get a running job's GPUs. (why_turn.c) */
void astra_why_rival(const struct astra_why *why, struct astra_text *out);

/* Returns the fewest GPUs that the job runs on. */
static inline uint32_t astra_why_least(const struct astra_report_job *job)
{
	return job->gpus_min ? job->gpus_min : job->of.gpus;
}

/* What would end the job's wait sooner. (why_change.c) */
#define ASTRA_WHY_CHANGES 8 /* more are dropped */

struct astra_why_changes {
	char text[ASTRA_WHY_CHANGES][256];
	size_t count;
};

void astra_why_change(const struct astra_why *why,
		      struct astra_why_changes *out);

#endif
