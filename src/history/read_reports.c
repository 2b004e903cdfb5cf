/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reports as SQL. read_rows.c checks the names, and skips the rows of other
 * names while it reads. */
#include "src/history/read_priv.h"

/* clang-format off */

/* The pieces come first in the join, so that each piece is one range of the
 * table's key. c has each pool's total over all pieces. */
#define ROWS_OF(table) \
	"FROM w CROSS JOIN " table " t" \
	" ON t.level=w.level AND t.time>=w.a AND t.time<w.b "
#define PIECES \
	"WITH w(level,a,b) AS (VALUES %s), c(pool,total) AS (" \
	"SELECT t.pool, sum(t.total_gpu_sec) " ROWS_OF("pool_time") \
	"GROUP BY t.pool) "
#define JOIN_TOTAL "LEFT JOIN c ON c.pool=p.id "
/* The pool's total for one row of a series. */
#define TOTAL_THEN \
	"(SELECT v.total_gpu_sec FROM pool_time v" \
	" WHERE v.level=t.level AND v.time=t.time AND v.pool=p.id)"

#define RHO(alloc, fair) \
	"CASE WHEN " fair ">0 THEN " alloc "/" fair \
	" WHEN " alloc ">0 THEN 9e999 END AS rho"

#define TENANT_NAMES "p.name AS pool, n.name AS tenant"
#define USER_NAMES \
	"o.user AS user, o.account AS account, n.name AS tenant, " \
	"p.name AS pool"
#define JOIN_TENANT(id) \
	"JOIN tenant n ON n.id=" id " JOIN pool p ON p.id=n.pool "
#define JOIN_OWNER(id) "JOIN owner o ON o.id=" id " " JOIN_TENANT("o.tenant")

/* Makes total = used + down + idle hold, none of them below 0, whatever was
 * written. The rows may not fulfil this for a minute, as a run may become known
 * only afterwards. Earlier versions also counted runs while they did not count
 * the pool. */
static const char cluster_utilization[] =
	PIECES
	", s AS (SELECT t.pool AS id, sum(total_gpu_sec) AS total,"
	" max(0, min(sum(used_gpu_sec), sum(total_gpu_sec))) AS used,"
	" sum(down_gpu_sec) AS down, sum(wanted_gpu_sec) AS wanted,"
	" sum(lost_gpu_sec) AS lost, sum(span_sec) AS span "
	ROWS_OF("pool_time") "GROUP BY t.pool), "
	"d AS (SELECT *, max(0, min(down, total-used)) AS held_down FROM s), "
	"e AS (SELECT *, max(0, total-used-held_down) AS idle FROM d) "
	"SELECT e.id, p.name AS pool, total AS total_gpu_sec,"
	" used AS used_gpu_sec, held_down AS down_gpu_sec,"
	" idle AS idle_gpu_sec, min(wanted, idle) AS wanted_gpu_sec,"
	" lost AS lost_gpu_sec, span AS span_sec "
	"FROM e JOIN pool p ON p.id=e.id ORDER BY p.name";

#define STARTS_THEN(column) \
	"coalesce((SELECT v." column " FROM start_time v" \
	" WHERE v.level=t.level AND v.time=t.time AND v.pool=p.id),0)" \
	" AS " column ","

static const char cluster_fairness[] =
	PIECES
	"SELECT n.pool, t.time AS time_sec, p.name AS pool,"
	" count(*) AS tenants, sum(alloc_gpu_sec) AS alloc_gpu_sec,"
	" sum(fair_gpu_sec) AS fair_gpu_sec,"
	" sum(lack_gpu_sec) AS lack_gpu_sec,"
	" sum(lack_gpu_sec)/sum(fair_gpu_sec) AS loss,"
	" min(rho_min) AS rho_min, max(rho_max) AS rho_max,"
	" " STARTS_THEN("first_starts") " " STARTS_THEN("over_bound")
	" " TOTAL_THEN " AS total_gpu_sec "
	ROWS_OF("tenant_time") JOIN_TENANT("t.tenant")
	"GROUP BY t.time, n.pool ORDER BY t.time, p.name";

static const char cluster_rounds[] =
	PIECES
	"SELECT t.pool, t.time AS time_sec, p.name AS pool, rounds,"
	" round_usec*1.0/rounds AS round_mean_usec, round_max_usec, granted,"
	" renewed, revoked, refused, capped,"
	" v.slots AS slots, v.reward/v.slots AS reward "
	ROWS_OF("pool_time")
	"JOIN pool p ON p.id=t.pool"
	" LEFT JOIN slot_time v ON v.level=t.level AND v.time=t.time"
	" AND v.pool=t.pool ORDER BY t.time, p.name";

static const char tenant_fairness[] =
	PIECES
	"SELECT s.tenant, " TENANT_NAMES ", n.weight AS weight,"
	" s.alloc AS alloc_gpu_sec, s.fair AS fair_gpu_sec,"
	" " RHO("s.alloc", "s.fair") ", s.lack AS lack_gpu_sec,"
	" s.demand AS demand_gpu_sec, c.total AS total_gpu_sec "
	"FROM (SELECT t.tenant, sum(alloc_gpu_sec) AS alloc,"
	" sum(fair_gpu_sec) AS fair, sum(lack_gpu_sec) AS lack,"
	" sum(demand_gpu_sec) AS demand "
	ROWS_OF("tenant_time") "GROUP BY t.tenant) s "
	JOIN_TENANT("s.tenant") JOIN_TOTAL
	"ORDER BY p.name, n.name";

/* Sums by owner, for the reports on owners. */
#define OWNER_SUMS \
	"FROM (SELECT t.owner, sum(used_gpu_sec) AS used," \
	" sum(wait_gpu_sec) AS wait, sum(alloc_gpu_sec) AS alloc," \
	" sum(fair_gpu_sec) AS fair, sum(started) AS started " \
	ROWS_OF("owner_time") "GROUP BY t.owner) s " \
	JOIN_OWNER("s.owner") JOIN_TOTAL

static const char tenant_usage[] =
	PIECES
	"SELECT s.owner, " TENANT_NAMES ", o.account AS account,"
	" o.user AS user, s.used AS used_gpu_sec, s.wait AS wait_gpu_sec,"
	" s.started AS jobs, c.total AS total_gpu_sec "
	OWNER_SUMS
	"ORDER BY p.name, n.name, o.account, o.user";

/* Puts the rows of both tables one below the other (UNION ALL). A join would
 * compare them row by row. */
static const char tenant_timeline[] =
	PIECES
	"SELECT t.tenant, t.time AS time_sec, " TENANT_NAMES ","
	" sum(alloc) AS alloc_gpu_sec, sum(fair) AS fair_gpu_sec,"
	" " RHO("sum(alloc)", "sum(fair)") ", sum(demand) AS demand_gpu_sec,"
	" sum(used) AS used_gpu_sec, (SELECT v.total_gpu_sec"
	" FROM w CROSS JOIN pool_time v ON v.level=w.level AND v.time=t.time"
	" AND v.pool=p.id) AS total_gpu_sec FROM ("
	"SELECT t.time AS time, t.tenant AS tenant, alloc_gpu_sec AS alloc,"
	" fair_gpu_sec AS fair, demand_gpu_sec AS demand, 0.0 AS used "
	ROWS_OF("tenant_time")
	"UNION ALL SELECT t.time, o.tenant, 0.0, 0.0, 0.0, used_gpu_sec "
	ROWS_OF("owner_time") "CROSS JOIN owner o ON o.id=t.owner) t "
	JOIN_TENANT("t.tenant")
	"GROUP BY t.time, t.tenant ORDER BY t.time, p.name, n.name";

static const char tenant_ledger[] =
	PIECES
	"SELECT t.tenant, t.time AS time_sec, " TENANT_NAMES ", paid, income,"
	" sum(coalesce(income,0)-coalesce(paid,0)) OVER"
	" (PARTITION BY t.tenant ORDER BY t.time) AS balance "
	ROWS_OF("tenant_time") JOIN_TENANT("t.tenant")
	"WHERE paid<>0 OR income<>0 ORDER BY t.time, p.name, n.name";

static const char user_top[] =
	PIECES
	"SELECT s.owner, " USER_NAMES ", s.used AS used_gpu_sec,"
	" c.total AS total_gpu_sec "
	OWNER_SUMS
	"WHERE s.used>0 ORDER BY s.used DESC, o.user, o.account";

#define USER_FAIRNESS \
	PIECES \
	"SELECT s.owner, " USER_NAMES ", s.used AS used_gpu_sec," \
	" s.alloc AS alloc_gpu_sec, s.fair AS fair_gpu_sec," \
	" " RHO("s.alloc", "s.fair") ", s.wait AS wait_gpu_sec," \
	" c.total AS total_gpu_sec " \
	OWNER_SUMS
static const char user_fairness[] =
	USER_FAIRNESS "ORDER BY o.user, o.account, n.name, p.name";
static const char user_fairness_top[] =
	USER_FAIRNESS "ORDER BY rho IS NULL, rho, o.user, o.account";

/* The inner query picks the jobs and their order, from indexes or with a heap
 * of ?4 rows. Only then are the jobs' other columns looked up. %s: the job
 * table, or the jobs asked for by id. A job counts if it existed between ?1 and
 * ?2; ?3 is the present time. */
#define LIVED \
	"(j.end_sec>?1 OR (j.end_sec IS NULL AND ?1<=?3))" \
	" AND j.submit_sec<?2 AND wanted(j.owner) "
#define PICKED(key, order) \
	"FROM (SELECT j.id AS id" key " FROM %s WHERE " LIVED \
	"ORDER BY " order " LIMIT ?4) x CROSS JOIN job j ON j.id=x.id " \
	JOIN_OWNER("j.owner") "ORDER BY " order
#define BY_SUBMISSION PICKED("", "j.submit_sec, j.job")

#define JOB_FAIRNESS \
	"SELECT j.owner, j.id_text AS id_text, j.job AS job, " USER_NAMES "," \
	" j.name AS name, j.gpus AS gpus, j.submit_sec AS submit_sec," \
	" j.start_sec AS start_sec, j.end_sec AS end_sec, j.state AS state," \
	" j.alloc_gpu_sec AS alloc_gpu_sec, j.fair_gpu_sec AS fair_gpu_sec," \
	" " JOB_RHO ", j.leases AS leases," \
	" j.revoked AS revoked, j.lost_sec AS lost_sec "
#define JOB_RHO RHO("j.alloc_gpu_sec", "j.fair_gpu_sec")
static const char job_fairness[] = JOB_FAIRNESS BY_SUBMISSION;
static const char job_fairness_top[] = JOB_FAIRNESS
	PICKED(", " JOB_RHO, "rho IS NULL, rho, j.submit_sec, j.job");

#define LEASE_ORDER "ORDER BY l.start_sec, j.job, l.number"
static const char job_leases[] =
	"SELECT j.owner, j.id_text AS id_text, j.job AS job, o.user AS user,"
	" n.name AS tenant, p.name AS pool, l.number AS number,"
	" l.start_sec AS start_sec, l.end_sec AS end_sec, l.gpus AS gpus,"
	" l.nodes AS nodes, l.how AS how "
	"FROM (SELECT l.job AS id, l.start_sec AS at FROM %s"
	" WHERE l.start_sec<?2 AND (l.end_sec>?1 OR l.end_sec IS NULL)"
	" AND " LIVED LEASE_ORDER " LIMIT ?4) x "
	"CROSS JOIN lease l ON l.job=x.id AND l.start_sec=x.at "
	"CROSS JOIN job j ON j.id=x.id " JOIN_OWNER("j.owner") LEASE_ORDER;

#define JOB_SLOWDOWN \
	"SELECT j.owner, j.id_text AS id_text, j.job AS job, o.user AS user," \
	" n.name AS tenant, p.name AS pool, j.gpus AS gpus," \
	" j.submit_sec AS submit_sec, j.start_sec AS start_sec," \
	" j.end_sec AS end_sec," \
	" coalesce(j.start_sec,j.end_sec,?3)-j.submit_sec AS wait_sec," \
	" j.run_sec AS run_sec, j.end_sec-j.submit_sec AS turnaround_sec," \
	" " SLOWDOWN " AS slowdown, j.state AS state "
#define SLOWDOWN "(j.end_sec-j.submit_sec)/j.run_sec"
static const char job_slowdown[] = JOB_SLOWDOWN BY_SUBMISSION;
static const char job_slowdown_top[] = JOB_SLOWDOWN
	PICKED("", SLOWDOWN " DESC, j.submit_sec, j.job");

static const char job_requests[] =
	"SELECT j.owner, j.id_text AS id_text, j.job AS job, o.user AS user,"
	" o.account AS account, n.name AS tenant, p.name AS pool,"
	" j.gpus AS gpus, a.nodes AS nodes_asked, a.limit_sec AS limit_sec,"
	" a.unprepared<>0 AS unprepared, a.leasable<>0 AS leasable,"
	" j.submit_sec AS submit_sec,"
	" max(j.submit_sec,coalesce(a.ready_sec,0)) AS ready_sec,"
	" j.start_sec AS start_sec, j.end_sec AS end_sec,"
	" j.run_sec AS run_sec, j.state AS state,"
	" (SELECT since_sec FROM watch WHERE watch.pool=p.id) AS watch_sec "
	"FROM (SELECT j.id AS id FROM %s WHERE " LIVED
	"ORDER BY j.submit_sec, j.job LIMIT ?4) x CROSS JOIN job j ON j.id=x.id "
	"LEFT JOIN job_ask a ON a.job=j.id "
	JOIN_OWNER("j.owner") "ORDER BY j.submit_sec, j.job";
/* clang-format on */

static const struct astra_reading_report reports[ASTRA_REPORT_KINDS] = {
	[ASTRA_CLUSTER_UTILIZATION] = {READING_POOL, false, cluster_utilization,
				       NULL},
	[ASTRA_CLUSTER_FAIRNESS] = {READING_POOL, true, cluster_fairness, NULL},
	[ASTRA_CLUSTER_ROUNDS] = {READING_POOL, true, cluster_rounds, NULL},
	[ASTRA_TENANT_FAIRNESS] = {READING_TENANT, false, tenant_fairness,
				   NULL},
	[ASTRA_TENANT_USAGE] = {READING_OWNER, false, tenant_usage, NULL},
	[ASTRA_TENANT_TIMELINE] = {READING_TENANT, true, tenant_timeline, NULL},
	[ASTRA_TENANT_LEDGER] = {READING_TENANT, true, tenant_ledger, NULL},
	[ASTRA_USER_TOP] = {READING_OWNER, false, user_top, NULL},
	[ASTRA_USER_FAIRNESS] = {READING_OWNER, false, user_fairness,
				 user_fairness_top},
	[ASTRA_JOB_FAIRNESS] = {READING_JOB, false, job_fairness,
				job_fairness_top},
	[ASTRA_JOB_LEASES] = {READING_JOB, false, job_leases, NULL},
	[ASTRA_JOB_SLOWDOWN] = {READING_JOB, false, job_slowdown,
				job_slowdown_top},
	[ASTRA_JOB_REQUESTS] = {READING_JOB, false, job_requests, NULL},
};

const struct astra_reading_report *
astra_reading_report(enum astra_report_kind kind)
{
	return &reports[kind < ASTRA_REPORT_KINDS ? kind : 0];
}

/* The SQL function wanted(owner): returns whether the owner's jobs were asked
 * for and may be seen. So the query drops other jobs early; there may be a
 * million of them. */

static void read_jobs_wanted(sqlite3_context *context, int count,
			     sqlite3_value **values)
{
	const struct astra_reading *r = sqlite3_user_data(context);
	int64_t owner = sqlite3_value_int64(values[0]);

	(void)count;
	sqlite3_result_int(context, astra_reading_owner(r, owner) &&
					    (!r->report->privacy.jobs ||
					     astra_reading_own(r, owner)));
}

/* Appends the jobs that were asked for by id. The id of an array includes its
 * tasks. */
static void read_jobs_put_jobs(const struct astra_job_refs *jobs,
			       struct astra_text *out)
{
	astra_text_printf(out, "(WITH k(n,a,b) AS (VALUES ");
	for (size_t i = 0; i < jobs->count; i++) {
		struct astra_job_ref ref = jobs->refs[i];

		if (ref.task == UINT32_MAX)
			astra_text_printf(out, "%s(%u,'%u_','%u`')",
					  i ? "," : "", ref.id, ref.id, ref.id);
		else
			astra_text_printf(out, "%s(-1,'%u_%u','%u_%u ')",
					  i ? "," : "", ref.id, ref.task,
					  ref.id, ref.task);
	}
	astra_text_printf(
		out,
		") SELECT v.id AS id FROM k CROSS JOIN job v ON v.job=k.n UNION"
		" SELECT v.id FROM k CROSS JOIN job v"
		" ON v.id_text>=k.a AND v.id_text<k.b) f"
		" CROSS JOIN job j ON j.id=f.id");
}

/* The first index finds jobs that were submitted before ?1 and had not ended
 * then. The second finds jobs submitted in the window, in order. With both
 * conditions in one query, SQLite would walk one index from its start, which
 * takes a second for a million jobs. */
#define THERE                                                               \
	"(SELECT id FROM job INDEXED BY job_over"                           \
	" WHERE end_sec>?1 AND submit_sec<?1"                               \
	" UNION ALL SELECT id FROM job INDEXED BY job_over"                 \
	" WHERE end_sec IS NULL AND submit_sec<?1"                          \
	" UNION ALL SELECT id FROM (SELECT id FROM job INDEXED BY job_time" \
	" WHERE submit_sec>=?1 AND submit_sec<?2%s)) f"                     \
	" CROSS JOIN job j ON j.id=f.id"
#define FIRST_ONES " AND wanted(owner) ORDER BY submit_sec,job LIMIT ?4"

sqlite3_stmt *astra_reading_prepare_jobs(const struct astra_reading *r,
					 const char *sql)
{
	bool leases = r->query->past.report == ASTRA_JOB_LEASES;
	struct astra_text from = {0};
	sqlite3_stmt *s = NULL;

	if (r->query->jobs.count)
		read_jobs_put_jobs(&r->query->jobs, &from);
	else
		astra_text_printf(&from, THERE,
				  leases || r->query->past.top ? ""
							       : FIRST_ONES);
	if (leases)
		astra_text_printf(&from, " CROSS JOIN lease l ON l.job=j.id");
	if (!from.failed &&
	    sqlite3_create_function(r->db, "wanted", 1, SQLITE_UTF8,
				    (void *)(uintptr_t)r, read_jobs_wanted,
				    NULL, NULL) == SQLITE_OK)
		s = astra_reading_prepare_with(r, sql, from.bytes);
	astra_text_clear(&from);
	return s;
}
