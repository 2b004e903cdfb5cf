/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All that a live view shows, in one reply, so that it is all of one round. The
 * rows of jobs are short, since a view is drawn every few seconds. */
#include <string.h>

#include "src/proto/answer.h"
#include "src/proto/select.h"

static const char job_keys[] =
	"pool,tenant,id,id_text,copies,user,account,name,gpus,nodes,phase,"
	"submit_sec,lease_end_sec,grace_end_sec,leases,revoked,rank,"
	"expected_start_sec,pinned,reason,rho";

static void answer_top_put_jobs(const struct astra_report *report,
				const struct astra_query *query,
				const struct astra_viewer *viewer,
				struct astra_text *out)
{
	uint64_t picked = astra_pick_keys(astra_report_job_members, job_keys);
	bool first = true;

	astra_text_printf(out, ",\"jobs\":[");
	for (size_t i = 0; i < report->job_count && !out->failed; i++) {
		const struct astra_report_job *job = &report->jobs[i];

		if (!astra_job_visible(report, job, viewer) ||
		    !astra_job_selected(job, query))
			continue;
		astra_text_add(out, ",", !first);
		astra_encode_job(out, job, picked,
				 astra_job_usage_visible(report, job, viewer));
		first = false;
	}
	astra_text_add(out, "]", 1);
}

/* Writes a holder. If the viewer may not see the job, only its GPUs are
 * shown. */
static void put_holder(const struct astra_report *report,
		       const struct astra_report_holder *holder,
		       const struct astra_viewer *viewer,
		       struct astra_text *out)
{
	const struct astra_report_job *job =
		astra_report_find(report, holder->job);

	if (job && astra_job_visible(report, job, viewer)) {
		astra_text_printf(out, "{\"job\":%u,\"id_text\":", job->of.id);
		astra_encode_text(out, job->id_text);
		astra_text_printf(out, ",\"tenant\":");
		astra_encode_text(out, job->tenant);
	} else {
		astra_text_printf(
			out, "{\"job\":null,\"id_text\":null,\"tenant\":null");
	}
	astra_text_printf(out, ",\"gpus\":%u}", holder->gpus);
}

static void put_node(const struct astra_report *report,
		     const struct astra_report_node *node,
		     const struct astra_viewer *viewer, struct astra_text *out)
{
	astra_encode_members(out, node, astra_report_node_members, '{', 0);
	astra_text_printf(out, ",\"holders\":[");
	for (uint32_t i = 0; i < node->holder_count; i++) {
		if (i)
			astra_text_add(out, ",", 1);
		put_holder(report, &node->holders[i], viewer, out);
	}
	astra_text_add(out, "]}", 2);
}

void astra_answer_top(const struct astra_report *report,
		      const struct astra_query *query,
		      const struct astra_viewer *viewer, struct astra_text *out)
{
	size_t count =
		astra_nodes_visible(report, viewer) ? report->node_count : 0;
	bool first = true;

	astra_text_printf(out, ",\"nodes\":[");
	for (size_t i = 0; i < count && !out->failed; i++) {
		const struct astra_report_node *node = &report->nodes[i];

		if (query->pools.count &&
		    !astra_filter_has(&query->pools, node->pool))
			continue;
		if (!first)
			astra_text_add(out, ",", 1);
		put_node(report, node, viewer, out);
		first = false;
	}
	astra_text_add(out, "]", 1);
	answer_top_put_jobs(report, query, viewer, out);
}
