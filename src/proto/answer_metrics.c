/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums for a monitoring system, so that it need not read each job. */
#include <string.h>

#include "src/proto/answer.h"
#include "src/proto/report_pool.h"
#include "src/proto/select.h"

struct sum {
	uint64_t jobs, gpus;
};

static void answer_metrics_count_jobs(const struct astra_report *report,
				      const struct astra_viewer *viewer,
				      const char *pool, struct sum *sums)
{
	for (size_t i = 0; i < report->job_count; i++) {
		const struct astra_report_job *job = &report->jobs[i];

		if (strcmp(job->pool, pool) != 0 ||
		    !astra_job_visible(report, job, viewer))
			continue;
		sums[job->phase].jobs += job->of.copies;
		sums[job->phase].gpus +=
			(uint64_t)job->of.copies * job->of.gpus;
	}
}

static void put_sums(const char *pool, const struct sum *sums, bool first,
		     struct astra_text *out)
{
	for (size_t i = 0; i < ASTRA_REPORT_PHASES; i++) {
		astra_text_printf(out, "%s{\"pool\":", first && !i ? "" : ",");
		astra_encode_text(out, pool);
		astra_text_printf(
			out, ",\"phase\":\"%s\",\"jobs\":%llu,\"gpus\":%llu}",
			astra_report_phases[i],
			(unsigned long long)sums[i].jobs,
			(unsigned long long)sums[i].gpus);
	}
}

void astra_answer_metrics(const struct astra_report *report,
			  const struct astra_viewer *viewer,
			  struct astra_text *out)
{
	astra_text_printf(out, ",\"jobs\":[");
	for (size_t i = 0; i < report->pool_count; i++) {
		const char *pool = report->pools[i].name;
		struct sum sums[ASTRA_REPORT_PHASES] = {{0}};

		answer_metrics_count_jobs(report, viewer, pool, sums);
		put_sums(pool, sums, !i, out);
	}
	astra_text_printf(out, "],\"auctions\":[");
	for (size_t i = 0; i < report->auction_count; i++) {
		astra_text_printf(out, "%s", i ? "," : "");
		astra_encode_object(out, &report->auctions[i],
				    astra_auction_members);
	}
	astra_text_printf(out, "]");
}
