/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of the history's writer among themselves. */
#ifndef ASTRA_HISTORY_WRITER_PRIV_H
#define ASTRA_HISTORY_WRITER_PRIV_H

#include <sqlite3.h>
#include <stdbool.h>
#include <sys/types.h>

#include "src/common/idmap.h"
#include "src/common/intern.h"
#include "src/history/sums.h"
#include "src/history/writer.h"

/* Over a longer time without a report only runs are counted, which slurmctld
 * tells of: the latest part of it by minutes, some of it by hours, all of it by
 * days. */
#define LONG_GAP_SEC 3600.0
#define GAP_HOURS_SEC (7 * 86400.0)
/* A row of a job that is not over is written again when it is a minute old, so
 * many of them a write, and when it is eight minutes old. Of the latter a write
 * has a part of all rows: with a write each 5 s none gets older than 10
 * minutes, however many jobs came at once. */
#define UPDATE_SOON_SEC 60.0
#define UPDATES_SOON 500
#define UPDATE_SEC 480.0
#define UPDATES_PART 24
#define COUNTERS 5
/* Of a job that no report has any more, and whose end none has told of. */
#define STATE_GONE "GONE"

/* Sums so far, as they were last seen. */
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
	bool adopted;		/* its accounts began anew in this report */
	struct counter counter; /* granted, renewed, revoked, refused, capped */
	struct counter starts;	/* first ones, those over their bound */
	struct counter slots;	/* reward, slots */
	double waiting_gpus, leaving_gpus; /* in this report */
	double run_gpus;     /* counted over just this report's time */
	double part_gpu_sec; /* counted over a part of it */
	double since_sec;    /* it is counted from then on without a gap */
	uint32_t seen;	     /* epoch */
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
	/* A and F of all its jobs, tasks in arrays included: of those that go
	 * on, and of those that the file knew when it was opened. */
	double sum[2], back[2];
	struct counter counter; /* sum, of the report before */
};

/* What A and F have grown from. */
enum hbase {
	BASE_NONE,  /* not known */
	BASE_OWNER, /* in the owner's sum that the file has */
	BASE_JOB,   /* as last seen */
};

/* A and F of one of a job's copies: as last seen, and added up. */
struct hshare {
	enum hbase base;
	double alloc_seen, fair_seen, alloc, fair;
	uint32_t copies; /* that have it */
};

/* What a job asks for, as sfair watch replays it. */
struct hask {
	double ready_sec; /* before its first start it waited for something
			   * else than GPUs until then; 0: it did not */
	double limit_sec;
	uint32_t nodes;
	bool unprepared, leasable;
};

struct hjob {
	uint32_t job; /* slurmctld's number; 0: an empty place */
	double submit_sec;
	int64_t id;
	uint32_t owner;	    /* ASTRA_INTERN_NONE: not seen since the start */
	int64_t db_owner;   /* its row */
	uint32_t seen;	    /* epoch */
	bool over;	    /* its end is written */
	bool dirty;	    /* its row is to be updated */
	double written_sec; /* when it last was */
	double first_sec, end_sec;
	char state[24];
	/* The run. */
	bool open;
	double run_start, counted_sec, last_start;
	double pool_sec; /* from then on it counts in the pool's time, too */
	uint32_t gpus;
	double closed_sec; /* how long all its closed runs were */
	/* The lease. */
	bool leased, lent;
	double lease_start;
	uint32_t leases, revoked, lease_revoked;
	double lost_sec;
	struct hshare share;
	struct hask ask;
	bool asked;	      /* ask is in the file ... */
	double ask_ready_sec; /* ... with this ready_sec */
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
	dev_t device; /* the file's, to see it replaced */
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
	/* Of rows a minute old, and of those beyond UPDATES_SOON that were
	 * UPDATE_SEC old, in this write. */
	uint32_t updates, updates_old;
	double time_sec; /* everything is counted up to here; 0: nothing is */
	double now_sec, gap_sec; /* of the report at hand */
	double since_sec; /* it is counted from then on: time_sec, or now_sec
			   * after a gap */
	uint64_t rounds, usec; /* of slurmctld, as last seen */
	double started_sec;    /* slurmctld was, then */
	uint64_t rows;
	sqlite3_stmt *sql[SQL_COUNT];
};

/* sql.c. Run a statement; letters say what is bound: i int64_t, d double, t a
 * double that is a time and NULL where it is 0, s text.
 * Returns SQLite's code: SQLITE_ROW (with columns to be read until the next
 * call of the same statement), SQLITE_DONE, or another one for an error. */
int astra_sql(struct astra_writer *w, enum sql which, const char *letters, ...);
double astra_sql_double(struct astra_writer *w, enum sql which, int column);
int64_t astra_sql_int(struct astra_writer *w, enum sql which, int column);

/* The same where no row is expected. Returns 0 or -1. */
#define ASTRA_SQL(...) (astra_sql(__VA_ARGS__) == SQLITE_DONE ? 0 : -1)

void astra_sql_free(struct astra_writer *w);

/* names.c. Each returns an index or ASTRA_INTERN_NONE. */
uint32_t astra_history_pool(struct astra_writer *w, const char *name);
uint32_t astra_history_tenant(struct astra_writer *w, const char *pool,
			      const char *name);
uint32_t astra_history_owner(struct astra_writer *w,
			     const struct astra_report_job *job);

/* By how much the counter has grown; it is set to value. 0 when it was not
 * known, or shrank, but `again` says that it has begun at 0 then. */
double astra_counter_grown(struct counter *counter, unsigned index,
			   double value, bool again);
int astra_counter_save(struct astra_writer *w, const char *kind, int64_t id,
		       const struct counter *counter);

/* jobs.c. */

/* Take up the jobs that the file has no end of. Returns 0 or -1. */
int astra_history_load(struct astra_writer *w);

/* What has happened to a job by this report. Tasks come before the array that
 * they were split from. Returns 0 or -1. */
int astra_history_job(struct astra_writer *w,
		      const struct astra_report_job *job, bool ended);

/* End what is in no report any more. Returns 0 or -1. */
int astra_history_sweep(struct astra_writer *w);

/* The clock was set back: note how far each run was counted. */
int astra_history_mark(struct astra_writer *w);

static inline bool astra_history_over(const struct astra_report_job *r)
{
	return r->of.state == ASTRA_JOB_ENDED ||
	       r->of.state == ASTRA_JOB_ENDING;
}

/* jobs.c. */

/* All jobs are seen: write what the owner has gained. */
void astra_history_add_shares(struct astra_writer *w, struct howner *o);

/* runs.c. */
int astra_history_run(struct astra_writer *w, struct hjob *j,
		      const struct astra_report_job *r);
/* End the open run. how: of its lease. */
int astra_history_run_end(struct astra_writer *w, struct hjob *j,
			  double end_sec, const char *how);
int astra_history_lease(struct astra_writer *w, struct hjob *j,
			const struct astra_report_job *r);

/* What a decaying sum has grown by, between two looks at it.
 * A2 = A1 e^(-l dt) + a (1 - e^(-l dt)) / l; this is a dt. Never below 0. */
double astra_history_grown(double before, double after, double dt_sec,
			   double half_life_sec);

#endif
