/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The history of jobs, from a cluster's accounting or from a trace with start
 * times: when jobs asked for GPUs, and in which runs they held them. Times are
 * seconds as in the source: since 1970, or since its beginning. */
#ifndef ASTRA_RECORD_H
#define ASTRA_RECORD_H

#include "src/common/intern.h"
#include "src/sim/read.h"

struct astra_record_job {
	const char *name;
	const char *account, *user; /* "": not known */
	const char *app;	    /* "": none */
	const char *tenant;	    /* tenant that is charged; the account
				     * unless set */
	uint32_t gpus;		    /* requested, >= 1 */
	uint32_t gpus_min;	    /* for an elastic job: its least GPUs; 0:
				     * not given */
	uint32_t nodes;		    /* 0: any number */
	double limit_sec;	    /* 0: none known */
	bool pinned;		    /* the job has no leases, though other jobs
				     * have */
	bool unprepared;	    /* declares no checkpoint */
	double submit_sec;	    /* first submission */
	double start_sec;	    /* first run; HUGE_VAL: never ran */
	double end_sec;		    /* HUGE_VAL: has not ended */
	double ran_sec;		    /* sum of its ended runs */
	uint32_t runs;
};

struct astra_record_run {
	uint32_t job; /* index into jobs */
	uint32_t gpus;
	double start_sec, end_sec; /* HUGE_VAL: it goes on */
};

struct astra_record {
	struct astra_record_job *jobs;
	size_t job_count, job_room;
	struct astra_record_run *runs;
	size_t run_count, run_room;
	const char *source; /* for messages; borrowed */
	char *defects;	    /* text about the invalid lines; "": there are
			     * none */
	struct astra_intern ids, words;
	struct astra_arena names;
};

/* Reads a file. record: zeroed. lenient: skip invalid lines. Returns 0, or -1
 * with err set; clear the record in both cases. */
int astra_record_read(struct astra_record *record, const char *path,
		      const struct astra_read_options *options, bool lenient,
		      struct astra_error *err);

/* Reads slurmdbd's accounting; see astra_trace_from_slurmdbd(). It is an error
 * if none of its jobs asks for GPUs; record->defects is set in this case,
 * too. */
int astra_record_from_slurmdbd(struct astra_record *record, const char *start,
			       const char *end, const char *cluster,
			       const char *partitions, struct astra_error *err);

/* Appends a job; its texts are copied. The job gets one run from start_sec to
 * end_sec; if it has ended, the run has at most ran_sec. Returns 0, or -1 when
 * out of memory. */
int astra_record_add(struct astra_record *record,
		     const struct astra_record_job *job);

void astra_record_clear(struct astra_record *record);

#endif
