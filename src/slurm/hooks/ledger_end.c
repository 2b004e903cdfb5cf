/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/hooks/ledger_end.h"

#include <string.h>
#include <time.h>

#include "src/slurm/note/note.h"
#include "src/slurm/out/revoke.h"

#define WORD "astraea:"

/* Return the comment without our word and without one space beside it. Free it
 * with xfree(). */
static char *ledger_others_words(const char *comment)
{
	const char *at = comment ? strstr(comment, WORD) : NULL;
	char *text = NULL;
	size_t before;

	while (at && at > comment && at[-1] != ' ')
		at = strstr(at + 1, WORD);
	if (!at)
		return xstrdup(comment);
	before = (size_t)(at - comment);
	at += strcspn(at, " ");
	if (before)
		before--;
	else if (*at)
		at++;
	xstrfmtcat(text, "%.*s%s", (int)before, comment, at);
	return text;
}

/* Count a run that has ended. If the engine did not see it, it had one lease
 * all the same. If the engine ended it, the time since its lease was over is
 * lost. */
static void ledger_count_run(const job_record_t *job,
			     struct astra_ledger_entry *e)
{
	double late = (double)job->end_time - e->lease_end_sec;

	if (e->run != ASTRA_NOTE_ANY_RUN && e->run != job->restart_cnt)
		e->leases++;
	else if (astra_revoke_marked(job) && e->lease_end_sec > 0 && late > 0)
		e->lost_sec += late;
}

void astra_ledger_end(job_record_t *job)
{
	struct astra_note note = astra_note_of(job->job_id);
	struct astra_ledger_entry e;
	char when[32] = "";
	char *text;
	struct tm tm;
	time_t submit;

	if (!note.in_ledger && job->array_job_id)
		note = astra_note_of(job->array_job_id);
	if (!note.in_ledger)
		return;
	e = note.ledger;
	ledger_count_run(job, &e);
	submit = (time_t)e.submit_sec;
	if (localtime_r(&submit, &tm))
		(void)strftime(when, sizeof(when), "%FT%T", &tm);
	text = ledger_others_words(job->admin_comment);
	xstrfmtcat(text, "%s" WORD "submit=%s,leases=%u,lost=%.0f",
		   text && *text ? " " : "", when, e.leases, e.lost_sec);
	xfree(job->admin_comment);
	job->admin_comment = text;
}
