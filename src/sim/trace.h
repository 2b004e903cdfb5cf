/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace: who submitted what when, and how long it ran. Read from a file or
 * from accounting (read.h), or generated (generate.h); what comes after does
 * not know which.
 *
 * Times are seconds from the first submission. Jobs are sorted by submission,
 * those of one second in the order of the file.
 */
#ifndef ASTRA_TRACE_H
#define ASTRA_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/common/error.h"
#include "src/model/model.h"

/* A job's slowdown profile: so many times longer it takes. */
struct astra_profile {
	double slowdown[ASTRA_LEVEL_COUNT]; /* from 1 on, none less than the one
					     * before */
};

struct astra_trace_job {
	const char *name;  /* as its source has it; the trace's */
	uint32_t line;	   /* of the file, from 1; 0: there is none */
	uint32_t tenant;   /* index into tenants */
	uint32_t user;	   /* index into users */
	uint32_t app;	   /* number of its app, from 1; 0: none */
	uint32_t gpus;	   /* at least 1 */
	uint32_t gpus_min; /* runs on so many up to gpus; 0: not given */
	uint32_t nodes;	   /* asked for; 0: any number */
	uint32_t profile;  /* number of its profile, from 1; 0: the usual one */
	uint32_t utility;  /* number of its utility, from 1; 0: not given */
	bool pinned;	   /* has no leases: once started it runs on */
	bool unprepared;   /* each of its runs starts from the beginning */
	double submit_sec;
	double duration_sec; /* of its work on all its GPUs, side by side and
			      * undisturbed; > 0 */
	double limit_sec;    /* the time limit its user gave; 0: none known */
	double start_sec;    /* when it really started; < 0: not known */
	double end_sec;	     /* of a line of accounting: when it ended; 0: not
			      * known */
};

struct astra_trace_tenant {
	const char *name;
	double weight;
};

/* Lines that are no job, or not as they were given. */
enum astra_defect {
	ASTRA_DEFECT_TEXT,	 /* left out: is no line of text */
	ASTRA_DEFECT_FIELDS,	 /* left out: not as many fields as there are */
	ASTRA_DEFECT_VALUE,	 /* left out: a field is no number, or none */
	ASTRA_DEFECT_DURATION,	 /* left out: the duration is missing or < 0 */
	ASTRA_DEFECT_INSTANT,	 /* left out: ran for no time at all */
	ASTRA_DEFECT_UNFINISHED, /* left out: had not ended */
	ASTRA_DEFECT_NO_GPU,	 /* left out: asks for no GPU */
	ASTRA_DEFECT_PART,	 /* kept: part of a GPU counts as a whole one */
	ASTRA_DEFECT_UNSORTED,	 /* kept: submitted before the line above it */
	ASTRA_DEFECT_CLUSTER,	 /* left out: larger than the cluster */
	ASTRA_DEFECT_QUOTA,	 /* kept: larger than its tenant's quota */
	ASTRA_DEFECT_COUNT,
};

struct astra_defect_count {
	uint64_t lines;
	uint32_t first_line; /* where, 0: none */
	char value[48];	     /* what stood there first */
};

/* What a job goes by; "": not known. */
struct astra_job_names {
	const char *job, *tenant, *user, *app;
};

/* Who wants each line of a source as it is, rather than jobs: what has not
 * ended and what never ran among them, and each run of a job that was requeued
 * by itself. */
struct astra_taker {
	/* job: without the numbers of its names; duration_sec 0: it did not
	 * run, or has not ended. id: the same for all runs of a job.
	 * Returns 0, or -1 when out of memory. */
	int (*take)(void *arg, const char *id,
		    const struct astra_trace_job *job,
		    const struct astra_job_names *names, bool unfinished);
	void *arg;
};

struct astra_trace {
	const char *source; /* file name or the like, for messages; borrowed */
	struct astra_trace_job *jobs;
	size_t job_count, job_room;
	struct astra_trace_tenant *tenants;
	size_t tenant_count, tenant_room;
	const char **users;
	size_t user_count, user_room;
	uint32_t app_count;
	struct astra_profile *profiles;
	size_t profile_count, profile_room;
	struct astra_utility *utilities; /* of hours */
	size_t utility_count, utility_room;
	double begin_unix_sec; /* of second 0; 0: not known */
	uint64_t lines;	       /* read, header and comments left out */
	struct astra_defect_count defects[ASTRA_DEFECT_COUNT];
	struct astra_trace_names *names; /* private */
	const struct astra_taker
		*taker; /* gets what is read; NULL: the trace */
};

void astra_trace_init(struct astra_trace *trace);
void astra_trace_clear(struct astra_trace *trace);

/* For readers: the tenant's, user's or app's number, a new one if need be; app
 * numbers begin at 1. name: copied. Returns ASTRA_NONE when out of memory. */
uint32_t astra_trace_tenant(struct astra_trace *trace, const char *name);
/* The same tenants with the same weights, those without jobs, too. Returns 0,
 * or -1 when memory is out. */
int astra_trace_copy_tenants(const struct astra_trace *from,
			     struct astra_trace *to);
uint32_t astra_trace_user(struct astra_trace *trace, const char *name);
uint32_t astra_trace_app(struct astra_trace *trace, const char *name);

/* For readers: the number of a profile like this, from 1. Returns ASTRA_NONE
 * when out of memory. */
uint32_t astra_trace_profile(struct astra_trace *trace,
			     const struct astra_profile *profile);

/* For readers: the same of utilities; utility: no byte of it is undefined. */
uint32_t astra_trace_utility(struct astra_trace *trace,
			     const struct astra_utility *utility);

/* What a job is worth if it ends so many hours after its submission: as its
 * trace has it, or made up from the seed, for each job by itself: whatever
 * becomes of it, and whichever other jobs there are, it is the same.
 * */
struct astra_utility astra_trace_job_utility(const struct astra_trace *trace,
					     uint32_t job, uint64_t seed);

/* For readers: append a job; name: copied, else as it is given.
 * Returns 0, or -1 when out of memory. */
int astra_trace_add(struct astra_trace *trace,
		    const struct astra_trace_job *job, const char *name);

/* For readers: count a defect; value: what stood there. */
void astra_trace_defect(struct astra_trace *trace, enum astra_defect kind,
			uint32_t line, const char *value);

/* For readers: at the end. Sorts, and lets second 0 be the first submission.
 * Returns 0, or -1 with err set when there is no job. */
int astra_trace_finish(struct astra_trace *trace, struct astra_error *err);

/* Leave out what is larger than a cluster of so many GPUs, and count what is
 * larger than its tenant's quota of them. */
void astra_trace_fit(struct astra_trace *trace, uint64_t gpus);

/* Let this part of all jobs, but for the elastic ones, be unprepared: chosen by
 * their names. part: 0 to 1. */
void astra_trace_make_unprepared(struct astra_trace *trace, double part);

/* Let a part of the jobs of which nothing else is said be elastic, chosen by
 * their names: they run on from least to most times the GPUs that they ask for,
 * rounded to more and to fewer; within a node where they fit one, else on any
 * number of nodes. A job's work stays the same in GPU seconds, so on all of its
 * GPUs it takes less time than it did, on fewer more. */
struct astra_trace_elastic {
	double part;	    /* of the jobs: 0 to 1 */
	double least, most; /* times */
};

void astra_trace_make_elastic(struct astra_trace *trace,
			      const struct astra_trace_elastic *how,
			      uint64_t gpus, uint32_t node_gpus);

/* Returns 0, or -1 with err naming file, line and value of the first line that
 * is not as it should be: no text, with a wrong number of fields, a bad value,
 * no duration, or not in the order of submission. */
int astra_trace_check(const struct astra_trace *trace, struct astra_error *err);

/* The defects as lines of text for people, "" when there are none; the first
 * place of each kind and its value are named. Caller frees; NULL when memory is
 * out. */
char *astra_trace_defects_text(const struct astra_trace *trace);

#endif
