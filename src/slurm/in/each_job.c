/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/in/each_job.h"

#define RECORDS_AHEAD 8 /* jobs whose records are being prefetched */
#define PARTS_AHEAD 4	/* jobs whose details and texts are being prefetched */
#define CACHE_LINE 64

struct each_job {
	ListForF see;
	void *arg;
	job_record_t *ring[RECORDS_AHEAD];
	size_t put, seen;
	bool ended;
};

static void each_job_fetch(const void *at, size_t size)
{
	const char *byte = at;

	for (size_t i = 0; i < size; i += CACHE_LINE)
		__builtin_prefetch(byte + i);
}

static void each_job_fetch_parts(const job_record_t *job)
{
	__builtin_prefetch(job->tres_per_node);
	__builtin_prefetch(job->account);
	__builtin_prefetch(job->name);
	__builtin_prefetch(job->partition);
	__builtin_prefetch(job->gres_list_req,
			   1); /* for writing: this list gets locked */
	if (job->details)
		each_job_fetch(job->details, sizeof(*job->details));
}

static int each_job_see_next(struct each_job *w)
{
	job_record_t *job = w->ring[w->seen++ % RECORDS_AHEAD];

	if (w->seen + PARTS_AHEAD <= w->put)
		each_job_fetch_parts(
			w->ring[(w->seen + PARTS_AHEAD - 1) % RECORDS_AHEAD]);
	if (w->see(job, w->arg) < 0)
		w->ended = true;
	return w->ended ? -1 : 0;
}

static int put_job(void *x, void *arg)
{
	struct each_job *w = arg;
	int rc = 0;

	if (w->put - w->seen == RECORDS_AHEAD)
		rc = each_job_see_next(w);
	w->ring[w->put++ % RECORDS_AHEAD] = x;
	each_job_fetch(x, sizeof(job_record_t));
	return rc;
}

void astra_each_job(ListForF see, void *arg)
{
	struct each_job w = {.see = see, .arg = arg};

	list_for_each_ro(job_list, put_job, &w);
	while (!w.ended && w.seen < w.put)
		(void)each_job_see_next(&w);
}
