/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What happened to jobs, as a cluster's accounting or a trace with start times
 * has it: who asked for GPUs from when to when, and held them in which runs.
 * Times are seconds as the source counts: from 1970, or from its beginning.
 */
#ifndef ASTRA_RECORD_H
#define ASTRA_RECORD_H

#include "src/common/intern.h"
#include "src/sim/read.h"

struct astra_record_job {
	const char *name;
	const char *account, *user; /* "": not known */
	const char *app;	    /* "": none */
	const char *tenant; /* who is charged: the account, unless said */
	uint32_t gpus;	    /* that it asks for; at least 1 */
	uint32_t gpus_min;  /* runs on so many up to gpus; 0: not given */
	uint32_t nodes;	    /* 0: any number */
	double limit_sec;   /* 0: none known */
	bool pinned;	    /* has no leases where others have */
	bool unprepared;    /* declares no checkpoint */
	double submit_sec;  /* the first time */
	double start_sec;   /* its first run; HUGE_VAL: never */
	double end_sec;	    /* HUGE_VAL: has not ended */
	double ran_sec;	    /* in all runs that have ended */
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
	char *defects;	    /* lines that are no jobs, as text; "": none */
	struct astra_intern ids, words;
	struct astra_arena names;
};

/* Read a file. record: zeroed. lenient: go on without lines that are no jobs.
 * Returns 0, or -1 with err set; the record is to be cleared either way. */
int astra_record_read(struct astra_record *record, const char *path,
		      const struct astra_read_options *options, bool lenient,
		      struct astra_error *err);

/* The same of accounting, as astra_trace_from_slurmdbd() asks for it. Where it
 * has been read and has no job that asks for GPUs, which is an error, too, the
 * record has its defects. */
int astra_record_from_slurmdbd(struct astra_record *record, const char *start,
			       const char *end, const char *cluster,
			       const char *partitions, struct astra_error *err);

/* Append a job, its texts copied, with one run from its start on: until its
 * end, or for ran_sec where that is less. Returns 0, or -1 when out of memory.
 */
int astra_record_add(struct astra_record *record,
		     const struct astra_record_job *job);

void astra_record_clear(struct astra_record *record);

#endif
