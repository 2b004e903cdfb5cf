/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace: the submitted jobs, with their owners, times and durations. It is
 * read from a file or from accounting (read.h), or generated (generate.h); its
 * users do not know which.
 *
 * Times are seconds from the first submission. Jobs are sorted by submission;
 * jobs submitted in the same second stay in the order of the file. */
#ifndef ASTRA_TRACE_H
#define ASTRA_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/common/error.h"
#include "src/model/model.h"

/* A job's slowdown profile: the factor on its duration, by level. */
struct astra_profile {
	double slowdown[ASTRA_LEVEL_COUNT]; /* from 1 on, ascending */
};

struct astra_trace_job {
	const char *name;  /* as in the trace's source; owned by the trace */
	uint32_t line;	   /* line of the file, from 1; 0: none */
	uint32_t tenant;   /* index into tenants */
	uint32_t user;	   /* index into users */
	uint32_t app;	   /* index of its app, from 1; 0: none */
	uint32_t gpus;	   /* at least 1 */
	uint32_t gpus_min; /* fewest GPUs that the job runs on; 0: not given */
	uint32_t nodes;	   /* nodes asked for; 0: any */
	uint32_t profile;  /* index of its profile, from 1; 0: default */
	uint32_t utility;  /* index of its utility, from 1; 0: not given */
	bool pinned;	   /* the job has no leases: once started, it runs to
			    * its end */
	bool unprepared;   /* each run starts from the beginning */
	double submit_sec;
	double duration_sec; /* of its work on all its GPUs, if they are side by
			      * side and nothing disturbs it; > 0 */
	double limit_sec;    /* its time limit; 0: not known */
	double start_sec;    /* real start; < 0: not known */
	double end_sec;	     /* its end in accounting; 0: not known */
};

struct astra_trace_tenant {
	const char *name;
	double weight;
};

/* Defects of lines: the line was left out, or its job was changed. */
enum astra_defect {
	ASTRA_DEFECT_TEXT,	 /* left out: not a line of text */
	ASTRA_DEFECT_FIELDS,	 /* left out: wrong number of fields */
	ASTRA_DEFECT_VALUE,	 /* left out: a value missing or invalid */
	ASTRA_DEFECT_DURATION,	 /* left out: the duration is missing or < 0 */
	ASTRA_DEFECT_INSTANT,	 /* left out: ran for no time */
	ASTRA_DEFECT_UNFINISHED, /* left out: had not ended */
	ASTRA_DEFECT_NO_GPU,	 /* left out: asks for no GPU */
	ASTRA_DEFECT_PART,	 /* kept: a part of a GPU, counted as a whole
				  * one */
	ASTRA_DEFECT_UNSORTED,	 /* kept: submitted before the line above it */
	ASTRA_DEFECT_CLUSTER,	 /* left out: larger than the cluster */
	ASTRA_DEFECT_QUOTA,	 /* kept: larger than its tenant's quota */
	ASTRA_DEFECT_COUNT,
};

struct astra_defect_count {
	uint64_t lines;
	uint32_t first_line; /* its index; 0: none */
	char value[48];	     /* the value there */
};

/* The names of a job; "": not known. */
struct astra_job_names {
	const char *job, *tenant, *user, *app;
};

/* Receives each line of a source instead of the trace. Also gets jobs that have
 * not ended or never ran, and each run of a requeued job. */
struct astra_taker {
	/* Takes a line. job: without the indices of its names; duration_sec is
	 * 0 if the job did not run, or has not ended. id: the same for all runs
	 * of a job. Returns 0, or -1 if out of memory. */
	int (*take)(void *arg, const char *id,
		    const struct astra_trace_job *job,
		    const struct astra_job_names *names, bool unfinished);
	void *arg;
};

struct astra_trace {
	const char *source; /* its name, such as the file's, for messages;
			     * borrowed */
	struct astra_trace_job *jobs;
	size_t job_count, job_room;
	struct astra_trace_tenant *tenants;
	size_t tenant_count, tenant_room;
	const char **users;
	size_t user_count, user_room;
	uint32_t app_count;
	struct astra_profile *profiles;
	size_t profile_count, profile_room;
	struct astra_utility *utilities; /* in hours */
	size_t utility_count, utility_room;
	double begin_unix_sec; /* Unix time of second 0; 0: not known */
	uint64_t lines;	       /* lines read, without header and comments */
	struct astra_defect_count defects[ASTRA_DEFECT_COUNT];
	struct astra_trace_names *names; /* private */
	const struct astra_taker
		*taker; /* gets the lines instead of the trace; may be NULL */
};

void astra_trace_init(struct astra_trace *trace);
void astra_trace_clear(struct astra_trace *trace);

/* For readers: return the index of a tenant, a user or an app. An unknown name
 * gets a new index; those of apps begin at 1. name: copied. Return ASTRA_NONE
 * if out of memory. */
uint32_t astra_trace_tenant(struct astra_trace *trace, const char *name);
/* Copies the tenants with their weights, including those without jobs. Returns
 * 0, or -1 if out of memory. */
int astra_trace_copy_tenants(const struct astra_trace *from,
			     struct astra_trace *to);
uint32_t astra_trace_user(struct astra_trace *trace, const char *name);
uint32_t astra_trace_app(struct astra_trace *trace, const char *name);

/* For readers: returns the index of a profile with these values; indices begin
 * at 1. Returns ASTRA_NONE if out of memory. */
uint32_t astra_trace_profile(struct astra_trace *trace,
			     const struct astra_profile *profile);

/* For readers: returns the index of this utility, as astra_trace_profile()
 * does. The padding bytes of the utility must be set, too. */
uint32_t astra_trace_utility(struct astra_trace *trace,
			     const struct astra_utility *utility);

/* Returns a job's worth by the hours from submission to end: as in the trace,
 * or else drawn from the seed and the job. The draw depends neither on when the
 * job ends nor on other jobs. */
struct astra_utility astra_trace_job_utility(const struct astra_trace *trace,
					     uint32_t job, uint64_t seed);

/* For readers: appends a job; copies name. Returns 0, or -1 if out of
 * memory. */
int astra_trace_add(struct astra_trace *trace,
		    const struct astra_trace_job *job, const char *name);

/* For readers: counts a defect. value: the text found instead of a valid
 * value. */
void astra_trace_defect(struct astra_trace *trace, enum astra_defect kind,
			uint32_t line, const char *value);

/* For readers: finishes the trace. Sorts the jobs, and makes the first
 * submission second 0. Returns 0, or -1 with err set if there is no job. */
int astra_trace_finish(struct astra_trace *trace, struct astra_error *err);

/* Drops jobs larger than a cluster of `gpus` GPUs, and counts those larger than
 * their tenant's quota. */
void astra_trace_fit(struct astra_trace *trace, uint64_t gpus);

/* Makes a part of the jobs unprepared, chosen by their names; elastic jobs stay
 * as they are. part: 0 to 1. */
void astra_trace_make_unprepared(struct astra_trace *trace, double part);

/* Makes a part of the jobs elastic, chosen by their names; jobs that already
 * are elastic do not change. A changed job runs on least (rounded up) to most
 * (rounded down) times its GPUs. If its maximum exceeds a node, it may use any
 * number of nodes. Its work in GPU seconds stays the same; its duration is the
 * one on its maximum of GPUs. */
struct astra_trace_elastic {
	double part;	    /* share of the jobs, 0 to 1 */
	double least, most; /* times */
};

void astra_trace_make_elastic(struct astra_trace *trace,
			      const struct astra_trace_elastic *how,
			      uint64_t gpus, uint32_t node_gpus);

/* Fails if any line is broken: not text, wrong number of fields, bad value, no
 * duration, or not in order of submission. Returns 0, or -1 with err naming
 * file, line and value of the first such line. */
int astra_trace_check(const struct astra_trace *trace, struct astra_error *err);

/* Returns the defects as lines of text for people, with the first line and
 * value of each kind; "" if there are no defects. The caller frees the text;
 * NULL if out of memory. */
char *astra_trace_defects_text(const struct astra_trace *trace);

#endif
