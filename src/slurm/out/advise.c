/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/out/advise.h"

#include <string.h>

#include "src/slurm/compat/compat.h"
#include "src/slurm/note/progress.h"
#include "src/slurm/out/apply.h"

#define MARK "[astraea: "
#define ROUND_MAX 32 /* jobs that get a comment in one round */

/* Return the comment without our part and without one space beside it. Free it
 * with xfree(). */
static char *advise_others_words(const char *comment)
{
	const char *at = comment ? strstr(comment, MARK) : NULL;
	const char *end = at ? strchr(at, ']') : NULL;
	char *text = NULL;
	size_t before;

	if (!end)
		return xstrdup(comment);
	before = (size_t)(at - comment);
	if (before && at[-1] == ' ')
		before--;
	else if (end[1] == ' ')
		end++;
	xstrfmtcat(text, "%.*s%s", (int)before, comment, end + 1);
	return text;
}

static void advise_tell(const struct astra_advice *advice)
{
	job_record_t *job = find_job_record(advice->job);
	char *text;

	if (!job || job->magic != JOB_MAGIC || IS_JOB_FINISHED(job))
		return;
	info("astraea: %pJ: %s", job, advice->text);
	text = advise_others_words(job->comment);
	xstrfmtcat(text, "%s" MARK "%s]", text && *text ? " " : "",
		   advice->text);
	xfree(job->comment);
	job->comment = text;
	last_job_update = time(NULL);
}

int astra_advise(struct astra_diag *diag)
{
	struct astra_advice list[ROUND_MAX];
	size_t count = astra_progress_advice(list, ROUND_MAX);
	struct astra_hold_time hold;

	if (!count)
		return 0;
	if (astra_lock(&hold) < 0)
		return -1;
	for (size_t i = 0; i < count; i++)
		advise_tell(&list[i]);
	astra_unlock(&hold, diag);
	schedule_job_save(); /* takes locks of its own */
	return 0;
}
