/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which jobs a report is of, in SQL: there may be a million of others. */
#include "src/history/read_priv.h"

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

/* By their numbers, or as tasks of theirs. */
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

/* Submitted before and still there at ?1, by one index; submitted in the
 * window, by another one, in their order. An index of both is walked from its
 * begin, which is a second for a million of jobs. */
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
