/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Declarations shared by the files of the history's writer. */
#ifndef ASTRA_HISTORY_WRITER_PRIV_H
#define ASTRA_HISTORY_WRITER_PRIV_H

#include <sqlite3.h>
#include <stdbool.h>
#include <sys/types.h>

#include "src/common/idmap.h"
#include "src/common/intern.h"
#include "src/history/sums.h"
#include "src/history/writer.h"

/* If no report came for longer than LONG_GAP_SEC, only runs count, since
 * slurmctld knows them. The last LONG_GAP_SEC of the gap count by minutes, the
 * last GAP_HOURS_SEC by hours, and all of it by days. */
#define LONG_GAP_SEC 3600.0
#define GAP_HOURS_SEC (7 * 86400.0)
/* When to write the row of an unfinished job again. A write takes up to
 * UPDATES_SOON rows that are older than a minute. Of further rows older than
 * eight minutes, it takes 1/24 of all rows. With a write every 5 s no row gets
 * older than 10 minutes, however many jobs came at once. */
#define UPDATE_SOON_SEC 60.0
#define UPDATES_SOON 500
#define UPDATE_SEC 480.0
#define UPDATES_PART 24
#define COUNTERS 5
/* State of a job that is in no report any more, and whose end no report had. */
#define STATE_GONE "GONE"

/* Sums, as last seen. */
struct counter {
	bool known;
	double value[COUNTERS];
};

struct hpool {
	int64_t id;
	const char *name;
	double half_life_sec;
	uint32_t adoptions;
	enum { WATCH_UNKNOWN, WATCH_NO, WATCH_YES } watch; /* in the file */
	bool adopted;		/* this report has newly adopted accounts */
	struct counter counter; /* granted, renewed, revoked, refused, capped */
	struct counter starts;	/* first starts, and first starts over their
				 * bound */
	struct counter slots;	/* reward, slots */
	double waiting_gpus, leaving_gpus; /* in this report */
	double run_gpus;     /* over the whole time of this report */
	double part_gpu_sec; /* GPU seconds over only a part of that time */
	double since_sec;    /* its time is counted without a gap since then */
	uint32_t seen;	     /* epoch of its last report */
};

struct htenant {
	int64_t id;
	uint32_t pool;
	double weight;
	const char *pool_name, *name;
	struct counter counter; /* alloc, fair, paid, income */
};

struct howner {
	int64_t id;
	uint32_t tenant;
	const char *account;
	uint32_t uid;
	/* Of this report. */
	double run_gpus, wait_gpus, alloc, fair, lost, revoked;
	/* A and F of all its jobs, including tasks in arrays. sum: of the jobs
	 * that have not ended. back: of the jobs that were in the file when it
	 * was opened. */
	double sum[2], back[2];
	struct counter counter; /* sum, in the report before */
};

/* The value from which the growth of A and F is measured. */
enum hbase {
	BASE_NONE,  /* not known */
	BASE_OWNER, /* the owner's sum that is in the file */
	BASE_JOB,   /* the values last seen */
};

/* A and F of one copy of a job: as last seen, and the total so far. */
struct hshare {
	enum hbase base;
	double alloc_seen, fair_seen, alloc, fair;
	uint32_t copies; /* as last seen */
};

/* The request of a job, which sfair watch replays. */
struct hask {
	double ready_sec; /* until this time, before its first start, the job
			   * waited for something other than GPUs; 0: it did
			   * not */
	double limit_sec;
	uint32_t nodes;
	bool unprepared, leasable;
};

struct hjob {
	uint32_t job; /* slurmctld's job id; 0: unused */
	double submit_sec;
	int64_t id;
	uint32_t owner;	    /* ASTRA_INTERN_NONE: no report had the job since
			     * the start */
	int64_t db_owner;   /* id of that row */
	uint32_t seen;	    /* epoch of its last report */
	bool over;	    /* it has ended */
	bool dirty;	    /* its row in the file has to be written */
	double written_sec; /* when its row was last written */
	double first_sec, end_sec;
	char state[24];
	/* The run. */
	bool open;
	double run_start, counted_sec, last_start;
	double pool_sec; /* up to when its pool has counted this run */
	uint32_t gpus;
	double closed_sec; /* total length of its closed runs */
	/* The lease. */
	bool leased, lent;
	double lease_start;
	uint32_t leases, revoked, lease_revoked;
	double lost_sec;
	struct hshare share;
	struct hask ask;
	bool asked;	      /* the file has ask, with ask_ready_sec */
	double ask_ready_sec; /* the ready_sec that is in the file */
};

enum sql {
	SQL_POOL_ADD,
	SQL_POOL_ID,
	SQL_TENANT_ADD,
	SQL_TENANT_ID,
	SQL_TENANT_SET,
	SQL_OWNER_ADD,
	SQL_OWNER_ID,
	SQL_COUNTER_GET,
	SQL_COUNTER_SET,
	SQL_META_SET,
	SQL_JOB_ADD,
	SQL_JOB_GET,
	SQL_JOB_OF_RUN,
	SQL_JOB_LAST,
	SQL_JOB_SET,
	SQL_ASK_SET,
	SQL_WATCH_ADD,
	SQL_WATCH_DEL,
	SQL_JOB_OPEN,
	SQL_RUN_LAST,
	SQL_RUN_CLOSED,
	SQL_RUN_ADD,
	SQL_RUN_END,
	SQL_RUN_COUNTED,
	SQL_LEASE_LAST,
	SQL_LEASE_ADD,
	SQL_LEASE_END,
	SQL_COUNT,
};

struct astra_writer {
	sqlite3 *db;
	dev_t device; /* of the open file, to notice that it was replaced */
	ino_t inode;
	struct astra_history_keep keep;
	struct astra_sums *sums;
	struct astra_intern pool_names, tenant_names, owner_names;
	struct hpool *pools;
	size_t pool_count, pool_room;
	struct htenant *tenants;
	size_t tenant_count, tenant_room;
	struct howner *owners;
	size_t owner_count, owner_room;
	struct hjob *jobs;
	size_t job_count, job_room;
	uint32_t *vacant;
	size_t vacant_count, vacant_room;
	struct astra_idmap by_id;
	uint32_t epoch;
	/* Counts for this write: rows older than a minute; and, beyond
	 * UPDATES_SOON, rows older than UPDATE_SEC. */
	uint32_t updates, updates_old;
	double time_sec; /* everything up to this time is counted; 0: nothing
			  * is */
	double now_sec, gap_sec; /* of the report at hand */
	double since_sec;      /* the report counts from this time: time_sec, or
				* now_sec after a gap */
	uint64_t rounds, usec; /* of slurmctld, as last seen */
	double started_sec;    /* when slurmctld was started */
	uint64_t rows;
	sqlite3_stmt *sql[SQL_COUNT];
};

/* sql.c: runs a statement. letters say which values are bound: i int64_t, d
 * double, t a time as double (0 becomes NULL), s text, - nothing. Returns
 * SQLite's code: SQLITE_ROW (its columns can be read until the next call for
 * the same statement), SQLITE_DONE, or an error. */
int astra_sql(struct astra_writer *w, enum sql which, const char *letters, ...);
double astra_sql_double(struct astra_writer *w, enum sql which, int column);
int64_t astra_sql_int(struct astra_writer *w, enum sql which, int column);

/* Runs a statement that returns no row. Returns 0 or -1. */
#define ASTRA_SQL(...) (astra_sql(__VA_ARGS__) == SQLITE_DONE ? 0 : -1)

void astra_sql_free(struct astra_writer *w);

/* names.c: return the index of a name. Return ASTRA_INTERN_NONE on error. */
uint32_t astra_history_pool(struct astra_writer *w, const char *name);
uint32_t astra_history_tenant(struct astra_writer *w, const char *pool,
			      const char *name);
uint32_t astra_history_owner(struct astra_writer *w,
			     const struct astra_report_job *job);

/* Sets the counter to value, and returns its growth. If the old value was not
 * known, returns 0. If value is not finite, returns 0, and keeps the old value.
 * If the counter has shrunk, returns 0; with `again` returns value, since the
 * counter has restarted at 0. */
double astra_counter_grown(struct counter *counter, unsigned index,
			   double value, bool again);
int astra_counter_save(struct astra_writer *w, const char *kind, int64_t id,
		       const struct counter *counter);

/* jobs.c. */

/* Loads the jobs that have no end in the file. Returns 0 or -1. */
int astra_history_load(struct astra_writer *w);

/* Takes over what this report says of a job. Call it for tasks before the array
 * from which they were split. ended: job is in the report's list of ended jobs.
 * Returns 0 or -1. */
int astra_history_job(struct astra_writer *w,
		      const struct astra_report_job *job, bool ended);

/* Ends the jobs that are no longer in any report. Returns 0 or -1. */
int astra_history_sweep(struct astra_writer *w);

/* Saves the time up to which each open run was counted, as the clock was set
 * back. Returns 0 or -1. */
int astra_history_mark(struct astra_writer *w);

static inline bool astra_history_over(const struct astra_report_job *r)
{
	return r->of.state == ASTRA_JOB_ENDED ||
	       r->of.state == ASTRA_JOB_ENDING;
}

/* jobs.c. */

/* Writes the owner's gain, once all jobs of a report were seen. */
void astra_history_add_shares(struct astra_writer *w, struct howner *o);

/* runs.c: update a job's run and its lease by a report. Return 0 or -1. */
int astra_history_run(struct astra_writer *w, struct hjob *j,
		      const struct astra_report_job *r);
/* Ends the open run and its lease. how: why the lease ended. Returns 0 or
 * -1. */
int astra_history_run_end(struct astra_writer *w, struct hjob *j,
			  double end_sec, const char *how);
int astra_history_lease(struct astra_writer *w, struct hjob *j,
			const struct astra_report_job *r);

/* Returns by how much a decaying sum has grown between two looks that are dt
 * apart: A2 = A1 e^(-l dt) + a (1 - e^(-l dt)) / l. The result is never below
 * 0. */
double astra_history_grown(double before, double after, double dt_sec,
			   double half_life_sec);

#endif
